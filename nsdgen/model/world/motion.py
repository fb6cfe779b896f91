"""How a body moves, or the ground: what joints and springs look at."""

from __future__ import annotations

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
    state = body.state
    R = rotation(state[3:7] / np.linalg.norm(state[3:7]))
    turn = R @ state[10:]
    if ahead:
        R = _turned_by(ahead * turn) @ R
    return BodyMotion(state[:3] + ahead * state[7:10], R, state[7:10], turn)


def is_body_of(world: Any, first: Any, second: Any, where: str) -> None:
    """Raise ``ModelError`` unless these are two bodies of a world in space, or one and the ground."""
    if world.space.dimension == 2:
        raise ModelError("is in a planar world", where=where, fix="joints and springs are for worlds in space")
    for body in (first,) if second is None else (first, second):
        if not isinstance(body, WorldBody) or body.world is not world:
            raise ModelError("is on what is no body of this world", where=where, fix="give bodies of world.add")
    if first is second:
        raise ModelError(f"is on {first.name!r} twice", where=where, fix="give two bodies, or one and the ground")


def _turned_by(turn: _Numbers) -> _Numbers:
    """The matrix of a rotation vector."""
    angle = float(np.linalg.norm(turn))
    half = np.sinc(angle / (2.0 * np.pi)) / 2.0  # sin(angle / 2) / angle
    return rotation(np.array([np.cos(angle / 2.0), *(half * turn)]))
