"""Bodies that are inside each other moved apart, by the least motion, masses and moments of inertia weighing it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.model.world.shapes import rotation

_ROUNDS = 60
"""Gaps are linear in small motions alone: each round moves by what they are where bodies are then."""

_MOST = 600
"""Places of bodies that hang together: more take minutes."""

_CLEAR = 1e-8
"""Of the largest shape: the gap that bodies are moved to, which counts as touching."""

_PARTED = 1e-6
"""Of the largest shape, or of a radian: what a motion may part a joint by. A run closes it without a word."""

_Numbers = NDArray[np.float64]


def move_apart(world: Any) -> float:
    """Move bodies of a world until none is inside of what it meets; the largest way of a centre of mass [m].

    In each round the sum of m |dx|^2 + moments . turns^2 is least that opens all places found so far to first order.
    Raises ``ParameterError`` for bodies that cannot be moved apart so, by name.
    """
    start = world.states[:, :3].copy()
    size = float(world.shapes.around[world.shapes.body >= 0].max(initial=0.0)) or 1.0
    clear = _CLEAR * size
    worst, parted = 0, [joint.parted(size) for joint in world.joints.all]
    for _ in range(_ROUNDS):
        rows, gaps, shapes = _places(world)
        if gaps.min(initial=0.0) >= -0.05 * clear:
            _check_joints(world, parted, size)
            return float(np.linalg.norm(world.states[:, :3] - start, axis=1).max(initial=0.0))
        worst = int(gaps.argmin())
        for which in _islands(rows):
            if gaps[which].min() < 0.0:
                bodies, motion = _least(world, rows[which], clear - gaps[which], shapes[which])
                world.sleep.wake(bodies.tolist())
                _move(world, bodies, motion)
        world.search.forget()
    a, b = (world.name_of(int(k)) for k in shapes[worst])
    raise ParameterError(
        f"after {_ROUNDS} rounds {a!r} and {b!r} are still inside each other by {-gaps.min():.3g} m",
        model=world.name,
        where="start",
        fix="place them nearer to where they are to be",
    )


def _check_joints(world: Any, before: list[float], size: float) -> None:
    """Refuse joints that a motion has parted: nothing holds them in it, and a run would close them in some steps."""
    for joint, off in zip(world.joints.all, before, strict=True):
        if (share := joint.parted(size) - off) > _PARTED:
            raise ParameterError(
                f"to move bodies apart parts the joint {joint.name!r} by {share * size:.3g} m, or {share:.3g} rad",
                model=world.name,
                where="start",
                fix="place its bodies where nothing is inside them, or add the joint after a run with resolve=True",
            )


def _places(world: Any) -> tuple[Any, _Numbers, NDArray[np.intc]]:
    """How gaps open with motions, scaled by roots of masses and moments (n, 6 bodies); gaps; shapes."""
    from scipy.sparse import csr_array

    found = world.find(0.0)
    weights = np.array([1.0 / np.sqrt([b.mass, b.mass, b.mass, *b.moments]) for b in world.bodies]).reshape(-1, 6)
    parts = []
    total = sum(len(c.keys) for c in found)
    first = 0
    for contacts in found:
        for side in range(contacts.bodies.shape[1]):
            n = contacts.normals * (1.0 - 2.0 * side)
            body = contacts.bodies[:, side]
            arm = contacts.points[:, side] - world.states[body, :3]
            turns = [rotation(world.states[k, 3:7]) for k in body]
            own = np.array([R.T @ np.cross(p, m) for p, R, m in zip(arm, turns, n, strict=True)]).reshape(-1, 3)
            row = first + np.repeat(np.arange(len(n)), 6)
            column = (6 * body[:, None] + np.arange(6)).reshape(-1)
            parts.append((row, column, (np.hstack([n, own]) * weights[body]).reshape(-1)))
        first += len(contacts.keys)
    rows, columns, values = (np.concatenate([p[k] for p in parts]) for k in range(3))
    gaps = np.concatenate([c.gaps for c in found])
    shapes = np.concatenate([c.shapes for c in found])
    return csr_array((values, (rows, columns)), shape=(total, 6 * len(world.bodies))), gaps, shapes


def _islands(rows: Any) -> list[NDArray[np.intp]]:
    """Places that hang together by bodies."""
    from scipy.sparse.csgraph import connected_components

    number, label = connected_components(abs(rows) @ abs(rows).T, directed=False)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=number))[:-1]) if number else []


def _least(world: Any, rows: Any, wanted: _Numbers, shapes: NDArray[np.intc]) -> tuple[NDArray[np.intp], _Numbers]:
    """The least scaled motion x with rows x >= wanted: bodies, and (n, 6) of them.

    Lawson and Hanson's least distance: from the multipliers u >= 0 that make |rows^T u|^2 + (wanted . u - 1)^2 least.
    """
    from scipy.optimize import nnls

    a, b = (world.name_of(int(k)) for k in shapes[int(wanted.argmax())])
    if len(wanted) > _MOST:
        raise ParameterError(
            f"{len(wanted)} places hang together, {a!r} and {b!r} among them: at most {_MOST} can be undone at once",
            model=world.name,
            where="start",
            fix="place bodies farther apart",
        )
    bodies = np.unique(rows.indices // 6)
    columns = (6 * bodies[:, None] + np.arange(6)).reshape(-1)
    matrix = rows.toarray()[:, columns]
    scale, size = float(wanted.max()), float(np.abs(matrix).max())
    system = np.vstack([matrix.T / size, wanted / scale])
    target = np.zeros(len(system))
    target[-1] = 1.0
    rest = system @ nnls(system, target, maxiter=50 * len(wanted))[0] - target
    if rest[-1] > -1e-9:  # a millionth of a millionth of the scale in x: there is none
        raise ParameterError(
            f"no small motion takes {a!r} and {b!r} apart, and what they are in with them",
            model=world.name,
            where="start",
            fix="make room for them, or run(allow_overlap=True)",
        )
    return bodies, (-rest[:-1] / rest[-1] * scale / size).reshape(-1, 6)


def _move(world: Any, bodies: NDArray[np.intp], scaled: _Numbers) -> None:
    """Move and turn bodies; turns are rotation vectors in their frames."""
    from scipy.spatial.transform import Rotation

    for k, x in zip(bodies.tolist(), scaled, strict=True):
        body, state = world.bodies[k], world.states[k]
        state[:3] += x[:3] / np.sqrt(body.mass)
        turn = Rotation.from_quat(state[[4, 5, 6, 3]]) * Rotation.from_rotvec(x[3:] / np.sqrt(body.moments))
        state[[4, 5, 6, 3]] = turn.as_quat()
