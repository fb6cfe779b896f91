"""What a world refuses before a step: overlaps, states that are no numbers, steps too long for a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError, ParameterError
from nsdgen.model.world._shapes import touching
from nsdgen.model.world.sensors import velocities_at
from nsdgen.model.world.shapes import MESH

_NO_TURN = 1e-12
"""Square of the length of a quaternion that has no direction but by rounding, as in _finding.pxi."""

_PUSHED_BACK = 0.9
"""Of the balls inside two shapes: an overlap up to which they are parted the way they came; at 1 no way is nearer."""

_TOUCHING = 1e-9
"""Of the largest shape: an overlap that is none but by rounding."""


def check_overlap(world: Any, new: set[int]) -> None:
    """Raise ``ParameterError`` for ``new`` shapes that are inside others, with their names and the depth."""
    contacts = world.find(0.0)
    gaps = np.concatenate([c.gaps for c in contacts])
    shapes = np.concatenate([c.shapes for c in contacts])
    own = np.isin(shapes, sorted(new)).any(axis=1)
    gaps, shapes = gaps[own], shapes[own]
    if not len(gaps) or gaps.min() >= -_TOUCHING * world.shapes.around[world.shapes.body >= 0].max(initial=1.0):
        return
    worst = int(gaps.argmin())
    a, b = (world.name_of(int(k)) for k in shapes[worst])
    raise ParameterError(
        f"{a!r} and {b!r} are inside each other by {-gaps[worst]:.6g} m ({(gaps < 0).sum()} places in all)",
        model=world.name,
        where="start",
        fix="move them apart, run(resolve=True), which does it by the least motion, or run(allow_overlap=True): "
        "contacts keep the overlap, they do not undo it",
    )


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


def refuse_passing(world: Any, pairs: NDArray[np.intc], reach: NDArray[np.float64], h: float) -> None:
    """Refuse a step in which a thin shape would come through another: what acts is what closes in half of a step.

    Those that come farther than the balls inside both are looked at: a shape that is in another by less is pushed back.
    """
    shapes = world.shapes
    inside = np.where(shapes.kind == MESH, np.inf, shapes.inside)  # surfaces know their sides
    if not (reach > _PUSHED_BACK * inside).any():
        return
    near = np.ascontiguousarray(pairs[reach[pairs].sum(axis=1) > _PUSHED_BACK * inside[pairs].sum(axis=1)])
    keys = (shapes.kind, shapes.size, shapes.centres, shapes.axes, shapes.form)
    _, shape, gaps, normals, points = touching(near, 2.0 * reach, *keys)
    first, second = (_velocities(world, shape[:, k], points) for k in range(2))
    way = h * np.einsum("ij,ij->i", normals, second - first)
    passes = (gaps > 0.5 * way) & (way - gaps > _PUSHED_BACK * inside[shape].sum(axis=1))
    if not passes.any():
        return
    worst = int(np.where(passes, way, 0.0).argmax())
    a, b = (world.name_of(int(k)) for k in shape[worst])
    raise ParameterError(
        f"{a!r} and {b!r} come nearer by {way[worst]:.3g} m in a step, which brings one through the other",
        model=world.name,
        where=f"time {world.time:.6g} s",
        fix=f"give a step of at most {0.5 * h * inside[shape[worst]].sum() / way[worst]:.3g} s, or thicker shapes",
    )


def _velocities(world: Any, shape: NDArray[np.intc], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of places on shapes [m/s]: of bodies, or as they are told."""
    body = world.shapes.body[shape]
    found, moves = np.zeros_like(points), body >= 0
    found[moves] = velocities_at(world.poses, body[moves], points[moves])[0]
    for s in world.standing if not moves.all() else ():
        own = shape == s.shape
        found[own] = np.asarray(s.velocity) + np.cross(s.spin, points[own] - s.place(world.shapes)[0])
    return found


def check_surfaces(world: Any) -> None:
    """Refuse friction of drilling in a plane."""
    if world.space.dimension == 2 and world.surfaces.drill:
        raise ModelError("has drilling friction", model=world.name, fix="nothing drills in a plane: leave it out")
