"""How a body moves, or the ground: what joints and springs look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError
from nsdgen.model.world._shapes import body_motion
from nsdgen.model.world.bodies import WorldBody

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class BodyMotion:
    """Place [m], axes (3, 3), velocity [m/s] and angular velocity [rad/s], all in the inertial frame."""

    at: _Numbers
    axes: _Numbers
    velocity: _Numbers
    turn: _Numbers


def motion_of(body: WorldBody | None, ahead: float = 0.0) -> BodyMotion:
    """Of a body, None the ground, as far ahead [s] as its velocities lead."""
    if body is None:
        return BodyMotion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
    return BodyMotion(*body_motion(body.world.states, body.number, body.world.space.dimension == 2, ahead))


def bodies_of(items: Sequence[Any]) -> NDArray[np.intc]:
    """Numbers (n, 2) of the bodies of joints or springs, -1 the ground; -1 twice of one whose body was taken out."""
    found = np.full((len(items), 2), -1, dtype=np.intc)
    for row, item in zip(found, items, strict=True):
        if item.first.exists and (item.second is None or item.second.exists):
            row[0], row[1] = item.first.number, -1 if item.second is None else item.second.number
    return found


def is_body_of(world: Any, first: Any, second: Any, where: str) -> None:
    """Raise ``ModelError`` unless these are two bodies of a world, or one and the ground."""
    for body in (first,) if second is None else (first, second):
        if not isinstance(body, WorldBody) or body.world is not world or not body.exists:
            raise ModelError("is on what is no body of this world", where=where, fix="give bodies of world.add")
    if first is second:
        raise ModelError(f"is on {first.name!r} twice", where=where, fix="give two bodies, or one and the ground")
