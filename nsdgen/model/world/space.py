"""What bodies of a world move in: space, or a plane. How states, and arguments of kernels, look there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number
from nsdgen.errors import ModelError
from nsdgen.model.world.planar_kernels import planar_kernels
from nsdgen.model.world.shapes import CollisionShape, Part, numbers, planar_shape_of, quaternion, shape_of
from nsdgen.model.world.world_model import world_kernels

_Numbers = NDArray[np.float64]

_UPRIGHT = 1e-6
"""A component of a normal along z, or a height as a share of a shape, that is none but by rounding."""


@dataclass(frozen=True)
class Space:
    """Space: a body has the state (13) of position, quaternion, velocity, angular velocity in its own frame."""

    dimension: int = 3
    width: int = 13
    rates: int = 7
    still: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Names and units of a state."""
        named = (("position", "m", 3), ("quaternion", "", 4), ("velocity", "m/s", 3), ("angular_velocity", "rad/s", 3))
        return [(f"{name}[{k}]", unit) for name, unit, count in named for k in range(count)]

    def kernels(self, rolls: bool, drills: bool, joints: bool) -> Any:
        """Compiled kernels."""
        return world_kernels(rolls, drills, joints).compiled

    def poses(self, states: _Numbers) -> _Numbers:
        """States as states in space (n, 13)."""
        return states

    def state(self, pose: _Numbers, angle: float) -> _Numbers:
        """A state in space as one here, of a body that is turned by an angle in a plane."""
        return pose

    def vector(self, value: Any, where: str) -> _Numbers:
        """Components that were given, as three."""
        return numbers(value, 3, where)

    def turn(self, value: Any, where: str) -> _Numbers:
        """An angular velocity or moment that was given, as three components."""
        return numbers(value, 3, where)

    def turned(self, given: Any, angle: float, where: str) -> _Numbers:
        """The quaternion that was given for a solid."""
        if angle:
            raise ModelError(f"has the angle {angle!r}", where=where, fix="give a quaternion: space has no angle")
        return quaternion(given, f"{where}, quaternion")

    def tangents(self, n: _Numbers) -> tuple[_Numbers, ...]:
        """Those (n, 3) that contacts have (:func:`nsdgen.symbolic.relations.frame.moving`); a test compares them."""
        x, y, z = n.T
        side = np.where(z >= -0.75, 1.0, -1.0)
        a = -1.0 / (side + z)
        first = np.stack([1.0 + side * a * x * x, side * a * x * y, -side * x], axis=1)
        return first, np.stack([a * x * y, side + a * y * y, -y], axis=1)

    def turning(self, frame: _Numbers, roll: bool, drill: bool) -> _Numbers:
        """The vectors (n, k, 3) of frames of contacts about which moments act, in the order of their rows."""
        return frame[:, [*((1, 2) if roll else ()), *((0,) if drill else ())]]

    def shape(self, solid: Any, where: str) -> CollisionShape:
        """The shape of a solid here."""
        return shape_of(solid, where)

    def check_parts(self, parts: Sequence[Part], where: str) -> None:
        """Raise ``ModelError`` for parts of a body that cannot be here."""

    def body(self, body: Any, force: _Numbers, moment: _Numbers, h: float) -> list[float]:
        """Arguments of a body."""
        return [body.mass, *body.moments, *force, *moment, h]

    def pull(self, arguments: _Numbers, wrench: _Numbers) -> None:
        """Add a force [N] and a moment [N m, body frame] to arguments of a body."""
        arguments[4:10] += wrench

    def turned_by(self, body: Any) -> _Numbers:
        """What a unit of moment about each principal axis turns [1/(kg m^2)]."""
        return 1.0 / np.array(body.moments)

    def axis(self, value: Any, slides: bool, where: str) -> _Numbers:
        """The axis of a joint that was given, along which it slides, or about which it turns."""
        return numbers(value, 3, where)


@dataclass(frozen=True)
class PlanarSpace(Space):
    """The plane z = 0: a body has the state (6) of x, y, angle and their rates."""

    dimension: int = 2
    width: int = 6
    rates: int = 3
    still: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Names and units of a state."""
        places = [("position[0]", "m"), ("position[1]", "m"), ("angle", "rad")]
        return [*places, ("velocity[0]", "m/s"), ("velocity[1]", "m/s"), ("angular_velocity", "rad/s")]

    def kernels(self, rolls: bool, drills: bool, joints: bool) -> Any:
        """Compiled kernels."""
        return planar_kernels(rolls, joints)

    def poses(self, states: _Numbers) -> _Numbers:
        """States as states in space (n, 13)."""
        found = np.zeros((len(states), 13))
        half = 0.5 * states[:, 2]
        found[:, :2], found[:, 3], found[:, 6] = states[:, :2], np.cos(half), np.sin(half)
        found[:, 7:9], found[:, 12] = states[:, 3:5], states[:, 5]
        return found

    def state(self, pose: _Numbers, angle: float) -> _Numbers:
        """A state in space as one here: with all of the angle, turns as well."""
        return np.array([*pose[:2], float(angle), *pose[7:9], pose[12]])

    def vector(self, value: Any, where: str) -> _Numbers:
        """Components that were given, as three."""
        found = numbers(value if np.size(value) == 3 else np.append(value, 0.0), 3, where)
        if found[2]:
            raise ModelError(f"{value!r} leads out of the plane", where=where, fix="give x and y alone")
        return found

    def turn(self, value: Any, where: str) -> _Numbers:
        """An angular velocity or moment that was given, as three components."""
        found = numbers(value if np.size(value) == 3 else [0.0, 0.0, value], 3, where)
        if found[:2].any():
            raise ModelError(f"{value!r} turns out of the plane", where=where, fix="give one number, about z")
        return found

    def turned(self, given: Any, angle: float, where: str) -> _Numbers:
        """The quaternion of a solid that was given by its angle."""
        if tuple(given) != (1, 0, 0, 0):
            raise ModelError(f"has the quaternion {given!r}", where=where, fix="give an angle in a planar world")
        half = 0.5 * finite_number(angle, where=f"{where}, angle")
        return np.array([np.cos(half), 0.0, 0.0, np.sin(half)])

    def tangents(self, n: _Numbers) -> tuple[_Numbers, ...]:
        """The one that contacts have, the normal turned by a right angle."""
        return (np.stack([-n[:, 1], n[:, 0], np.zeros(len(n))], axis=1),)

    def turning(self, frame: _Numbers, roll: bool, drill: bool) -> _Numbers:
        """The vectors (n, k, 3) about which moments act: z, after a row that is never pushed."""
        return np.tile([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], (len(frame), 1, 1))

    def shape(self, solid: Any, where: str) -> CollisionShape:
        """The shape of a solid here: balls and cylinders along z are discs, boxes and prisms polygons."""
        return planar_shape_of(solid, where)

    def check_parts(self, parts: Sequence[Part], where: str) -> None:
        """Raise ``ModelError`` for parts of a body that are not in the plane."""
        if any(abs(p.at[2]) > _UPRIGHT * p.shape.around or p.axes[2, 2] != 1.0 for p in parts):
            raise ModelError("has a part out of the plane", where=where, fix="place parts at z = 0, turned about z")

    def body(self, body: Any, force: _Numbers, moment: _Numbers, h: float) -> list[float]:
        """Arguments of a body."""
        return [body.mass, body.moments[2], *force[:2], moment[2]]

    def pull(self, arguments: _Numbers, wrench: _Numbers) -> None:
        """Add a force [N] and a moment [N m, body frame] to arguments of a body."""
        arguments[2:5] += wrench[[0, 1, 5]]

    def turned_by(self, body: Any) -> _Numbers:
        """What a unit of moment about each axis turns [1/(kg m^2)]: about z alone."""
        return np.array([0.0, 0.0, 1.0 / body.moments[2]])

    def axis(self, value: Any, slides: bool, where: str) -> _Numbers:
        """The axis of a joint that was given: of a slider in the plane, of others z."""
        if slides:
            return self.vector(value, where)
        found = numbers(value, 3, where)
        if found[:2].any():
            raise ModelError(
                f"{value!r} is not normal to the plane", where=where, fix="leave it out: joints turn about z"
            )
        return found


SPACE, PLANE = Space(), PlanarSpace()
