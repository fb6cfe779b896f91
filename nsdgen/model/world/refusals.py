"""What a world refuses before a step: overlaps, states that are no numbers, steps too long for a body."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.counted import counted
from nsdgen.errors import ModelError, ParameterError
from nsdgen.model.world._shapes import crossed, touching
from nsdgen.model.world.sensors import velocities_at
from nsdgen.model.world.shapes import MESH

_NO_TURN = 1e-12
"""Square of the length of a quaternion that has no direction but by rounding, as in _finding.pxi."""

_PUSHED_BACK = 0.9
"""Of the balls inside two shapes: an overlap up to which they are parted the way they came; at 1 no way is nearer."""

_SAME_WAY = 0.5
"""Cosine between directions in which a pair is parted before and after a step: on the other side it is negative."""

_MOST_LOOKS = 100
"""On the way of a pair in a step: what needs more is refused."""

_TOUCHING = 1e-9
"""Of the largest shape: an overlap that is none but by rounding."""


def check_overlap(world: Any, new: set[int]) -> None:
    """Raise ``ParameterError`` for ``new`` shapes that are inside others, with their names and the depth.

    A pair that was as deep in the last step may stay: what is set where it rests is not inside anew.
    """
    contacts = world.find(0.0)
    gaps = np.concatenate([c.gaps for c in contacts])
    pairs = np.concatenate([c.shapes for c in contacts])
    meshes, ways = _through_surfaces(world, new)
    of_solids = world.shapes.kind[pairs[:, 1]] != MESH
    gaps, pairs = np.concatenate([gaps[of_solids], -ways]), np.concatenate([pairs[of_solids], meshes])
    rounding = _TOUCHING * world.shapes.around[world.shapes.body >= 0].max(initial=1.0)
    deep = np.flatnonzero(np.isin(pairs, sorted(new)).any(axis=1) & (gaps < -rounding))
    own = [k for k in deep if gaps[k] < _gap_before(world, pairs[k]) - rounding]
    gaps, pairs = gaps[own], pairs[own]
    if not own:
        return
    worst = int(gaps.argmin())
    a, b = (world.name_of(int(k)) for k in pairs[worst])
    least = " at least" if world.shapes.kind[pairs[worst, 1]] == MESH else ""
    raise ParameterError(
        f"{a!r} and {b!r} are inside each other by{least} {-gaps[worst]:.6g} m ({counted(len(gaps), 'place')} in all)",
        model=world.name,
        where="start",
        fix="move them apart, run(resolve=True), which does it by the least motion, or run(allow_overlap=True): "
        "contacts keep the overlap, they do not undo it",
    )


def _through_surfaces(world: Any, new: set[int]) -> tuple[NDArray[np.intc], NDArray[np.float64]]:
    """Pairs of ``new`` shapes with surfaces, and how far they have to move at least to cross these no more [m].

    What is deep inside of a surface has no contacts with it.
    """
    shapes = world.shapes
    pairs, _ = world.search.pairs(shapes, world.groups.meet, world.find.speeds, 0.0, 0.0)
    own = (shapes.kind[pairs[:, 1]] == MESH) & np.isin(pairs, sorted(new)).any(axis=1)
    pairs = np.ascontiguousarray(pairs[own])
    return pairs, crossed(pairs, shapes.kind, shapes.size, shapes.centres, shapes.axes, shapes.form)


def _gap_before(world: Any, pair: NDArray[np.intc]) -> float:
    """The least gap of a pair in the last step [m], 0 where it did not touch."""
    return min(float(c.gaps[(c.shapes == pair).all(axis=1)].min(initial=0.0)) for c in world.contacts)


def refuse_state(world: Any, shape: int, speeds: NDArray[np.float64], h: float) -> None:
    """Refuse the state of a shape's body: no numbers, or it moves farther than its radius and might pass others."""
    body = world.bodies[int(world.shapes.body[shape])]
    state = world.space.poses(world.states[body.number : body.number + 1])[0]
    if not np.isfinite(state).all():
        raise ParameterError(
            f"the state of {body.name!r} is not finite", model=world.name, fix="look at what was set, and at forces"
        )
    if float(state[3:7] @ state[3:7]) < _NO_TURN:
        raise ParameterError(
            f"the quaternion of {body.name!r} is zero",
            model=world.name,
            fix="set one of length 1 (nsd.from_axis_angle makes it)",
        )
    if not np.isfinite(speeds[shape]):
        raise ParameterError(f"{body.name!r} is too fast: {state[7:]}", model=world.name, fix="look at what was set")
    around = world.shapes.around[shape]
    raise ParameterError(
        f"{body.name!r} moves {h * speeds[shape]:.3g} m in a step, farther than its radius",
        model=world.name,
        where=f"time {world.time:.6g} s",
        fix=f"give a step of at most {0.5 * around / speeds[shape]:.3g} s",
    )


def held_alone(shapes: Any) -> NDArray[np.float64]:
    """How far each shape may come in half of a step without a look at its pairs in :func:`refuse_passing` [m]."""
    return 0.5 * _PUSHED_BACK * np.where(shapes.kind == MESH, 0.0, shapes.inside)


def refuse_passing(world: Any, pairs: NDArray[np.intc], reach: NDArray[np.float64], h: float) -> None:
    """Refuse a step that brings a thin shape so far into another that it would be parted from it on the other side.

    What closes in half of a step acts, and moves as far as in half of it; else the shapes move all of a step, and half
    of the next one. Pairs that may come deeper than is always parted right are looked at where they would be.
    """
    shapes = world.shapes
    if not (reach > world.find.held).any():
        return
    near = np.ascontiguousarray(pairs[2.0 * reach[pairs].sum(axis=1) > _PUSHED_BACK * _least_held(shapes, pairs)])
    if not len(near):
        return
    keys = (shapes.kind, shapes.size, shapes.centres, shapes.axes, shapes.form)
    _, shape, gaps, normals, points = touching(near, 2.0 * reach, *keys)
    first, second = (_velocities(world, shape[:, k], points) for k in range(2))
    way = h * np.einsum("ij,ij->i", normals, second - first)
    held = _PUSHED_BACK * _least_held(shapes, shape)
    depth = np.where(gaps > 0.5 * way, 1.5, 0.5) * way - gaps
    deep = np.flatnonzero((gaps > -held) & (depth > held) & (way > 0.0))
    deep = deep[np.argsort(-depth[deep])]
    for k in deep[np.unique(shape[deep], axis=0, return_index=True)[1]]:  # the deepest of each pair
        if not _is_parted(shapes, shape[k], normals[k], depth[k] / _PUSHED_BACK + gaps[k], held[k]):
            a, b = (world.name_of(int(i)) for i in shape[k])
            raise ParameterError(
                f"{a!r} and {b!r} come nearer by {way[k]:.3g} m in a step, which brings one through the other",
                model=world.name,
                where=f"time {world.time:.6g} s",
                fix=f"give a step of {h * held[k] / way[k]:.3g} s, or thicker shapes",
            )


def refuse_passed(world: Any, contacts: Sequence[Any], h: float) -> None:
    """Refuse shapes that a step has brought so far into each other that they are parted on the other side from now on.

    What is struck turns in that step, and other places of it come faster than they were before.
    """
    for now, before in zip(contacts, world.contacts, strict=True):
        for k in np.flatnonzero(now.gaps < -_PUSHED_BACK * _least_held(world.shapes, now.shapes)):
            along = before.normals[(before.shapes == now.shapes[k]).all(axis=1)] @ now.normals[k]
            if len(along) and along.max() < -_SAME_WAY:
                a, b = (world.name_of(int(i)) for i in now.shapes[k])
                raise ParameterError(
                    f"{a!r} is inside {b!r} by {-now.gaps[k]:.3g} m, and on its other side",
                    model=world.name,
                    where=f"time {world.time:.6g} s",
                    fix=f"give a step shorter than {h:g} s, or thicker shapes",
                )


def _is_parted(shapes: Any, pair: NDArray[np.intc], normal: NDArray[np.float64], way: float, held: float) -> bool:
    """Whether two shapes that came nearer by a way are still pushed back from where they came.

    So they are where they meet nowhere on it, looked at wherever they came nearer by what is ``held``: they pass beside
    each other. And where they come to be pushed aside: the shortest way out grows by no more than they move, while what
    has tangled is pushed aside from a depth to which nothing brought it.
    """
    kind, size, centres, axes, form = (
        a[pair] for a in (shapes.kind, shapes.size, shapes.centres, shapes.axes, shapes.form)
    )
    start, looks = centres[0].copy(), min(int(np.ceil(way / held)), _MOST_LOOKS)
    both, aside, later = np.array([[0, 1]], dtype=np.intc), False, 0.0
    for k in range(looks, 0, -1):
        centres[0] = start - k / looks * way * normal
        _, _, gaps, normals, _ = touching(both, np.zeros(2), kind, size, centres, axes, form)
        along, deep = normals @ normal, -gaps.min(initial=0.0)
        if (along <= -_SAME_WAY).any() or later > deep + held:
            return False
        if (along > _SAME_WAY).any():
            return aside or k == looks
        if aside and not len(along):
            return True
        aside, later = len(along) > 0, deep
    return looks * held >= way


def _least_held(shapes: Any, pairs: NDArray[np.intc]) -> NDArray[np.float64]:
    """Overlaps up to which pairs are pushed back the way they came, at least [m]."""
    inside, surface = shapes.inside[pairs], shapes.kind[pairs] == MESH
    return np.where(surface.all(axis=1), inside.min(axis=1), np.where(surface, 0.0, inside).sum(axis=1))


def _velocities(world: Any, shape: NDArray[np.intc], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of places on shapes [m/s]: of bodies, or as they are told."""
    body = world.shapes.body[shape]
    found, moves = np.zeros_like(points), body >= 0
    found[moves] = velocities_at(world.poses, body[moves], points[moves])[0]
    for s in world.standing if not moves.all() else ():
        own = np.isin(shape, s.shapes)
        found[own] = s.velocity + np.cross(s.spin, points[own] - s.place(world.shapes)[0])
    return found


def check_surfaces(world: Any) -> None:
    """Refuse friction of drilling in a plane."""
    if world.space.dimension == 2 and world.surfaces.drill:
        raise ModelError("has drilling friction", model=world.name, fix="nothing drills in a plane: leave it out")
