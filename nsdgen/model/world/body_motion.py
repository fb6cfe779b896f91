"""How a body moves, or the ground: what joints and springs look at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError
from nsdgen.model.world.bodies import WorldBody
from nsdgen.model.world.shapes import rotation

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class BodyMotion:
    """Place [m], axes (3, 3), velocity [m/s] and angular velocity [rad/s], all in the inertial frame."""

    at: _Numbers
    axes: _Numbers
    velocity: _Numbers
    turn: _Numbers


_GROUND = BodyMotion(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))


def motion_of(body: WorldBody | None, ahead: float = 0.0) -> BodyMotion:
    """Of a body, None the ground, as far ahead [s] as its velocities lead."""
    if body is None:
        return _GROUND
    state = body.world.space.poses(body.state[None])[0]
    p = state[3:7]
    R = rotation(p / math.sqrt(p @ p))
    turn = R @ state[10:]
    if ahead:
        R = _turned_by(ahead * turn) @ R
    return BodyMotion(state[:3] + ahead * state[7:10], R, state[7:10], turn)


def cross(a: _Numbers, b: _Numbers) -> _Numbers:
    """The cross product of two vectors; NumPy's takes twenty times as long for one."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def is_body_of(world: Any, first: Any, second: Any, where: str) -> None:
    """Raise ``ModelError`` unless these are two bodies of a world, or one and the ground."""
    for body in (first,) if second is None else (first, second):
        if not isinstance(body, WorldBody) or body.world is not world:
            raise ModelError("is on what is no body of this world", where=where, fix="give bodies of world.add")
    if first is second:
        raise ModelError(f"is on {first.name!r} twice", where=where, fix="give two bodies, or one and the ground")


def _turned_by(turn: _Numbers) -> _Numbers:
    """The matrix of a rotation vector."""
    angle = math.sqrt(turn @ turn)
    half = math.sin(angle / 2.0) / angle if angle > 0.0 else 0.5
    return rotation(np.array([math.cos(angle / 2.0), *(half * turn)]))
