"""What a world refuses before a step: overlaps, states that are no numbers, steps too long for a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError, ParameterError

_NO_TURN = 1e-12
"""Square of the length of a quaternion that has no direction but by rounding, as in _finding.pxi."""

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
    around = world.shapes.around[shape]
    raise ParameterError(
        f"{body.name!r} moves {h * speeds[shape]:.3g} m in a step, farther than its radius",
        model=world.name,
        where=f"time {world.time:.6g} s",
        fix=f"give a step of at most {0.5 * around / speeds[shape]:.3g} s",
    )


def check_surfaces(world: Any) -> None:
    """Refuse friction of drilling in a plane."""
    if world.space.dimension == 2 and world.surfaces.drill:
        raise ModelError("has drilling friction", model=world.name, fix="nothing drills in a plane: leave it out")
