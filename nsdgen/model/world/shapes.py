"""Solids as shapes that meet: kinds and sizes for the search, mass and principal moments of a body made of one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number, shown
from nsdgen.base.solids import Capsule, Cuboid, Solid, Sphere
from nsdgen.errors import ModelError

__all__ = ["HALF_SPACE", "CollisionShape", "numbers", "quaternion", "rotation", "shape_of"]

SPHERE, CAPSULE, BOX, HALF_SPACE = range(4)  # as in _pair_points.pxd
_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class CollisionShape:
    """A convex shape about its centre: ``kind`` and three ``sizes``, radius of the ball around it, of one inside it.

    ``volume`` [m^3] and ``moments`` [m^2] about its axes, those of unit mass, where it fills its volume.
    """

    kind: int
    sizes: tuple[float, float, float]
    around: float
    inside: float
    volume: float
    moments: tuple[float, float, float]


def shape_of(solid: Any, where: str) -> CollisionShape:
    """The shape of a solid; raises ``ModelError`` for those that nothing meets yet and for sizes that are none."""
    if type(solid) not in _SHAPES:
        known = ", ".join(kind.__name__ for kind in _SHAPES)
        raise ModelError(
            f"{shown(solid)} is no shape that bodies meet", where=where, fix=f"use one of nsd.solids: {known}"
        )
    sizes = [finite_number(s, model="", where=f"{where}, sizes") for s in solid.sizes]
    if not all(s > 0 for s in sizes):
        raise ModelError(f"has sizes {sizes}", where=where, fix="give lengths above 0 [m]")
    return _SHAPES[type(solid)](*sizes)


def _sphere(r: float) -> CollisionShape:
    return CollisionShape(SPHERE, (r, 0.0, 0.0), r, r, 4 / 3 * math.pi * r**3, (0.4 * r * r,) * 3)


def _box(a: float, b: float, c: float) -> CollisionShape:
    half = (a / 2, b / 2, c / 2)
    moments = ((b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12)
    return CollisionShape(BOX, half, math.hypot(*half), min(half), a * b * c, moments)


def _capsule(r: float, length: float) -> CollisionShape:
    cylinder, ball = math.pi * r * r * length, 4 / 3 * math.pi * r**3
    c, b = cylinder / (cylinder + ball), ball / (cylinder + ball)
    along = c * r * r / 2 + b * 0.4 * r * r
    # Two halves of a ball, each with its centre of mass 3 r / 8 beyond the end of the cylinder.
    across = c * (r * r / 4 + length * length / 12) + b * (0.4 * r * r + length * length / 4 + 3 * length * r / 8)
    return CollisionShape(CAPSULE, (r, length / 2, 0.0), r + length / 2, r, cylinder + ball, (across, across, along))


_SHAPES: dict[type[Solid], Any] = {Sphere: _sphere, Cuboid: _box, Capsule: _capsule}


def numbers(value: Any, count: int, where: str) -> _Numbers:
    """A vector of so many finite numbers; raises ``ModelError`` for anything else."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.shape != (count,) or not np.isfinite(found).all():
        raise ModelError(
            f"{shown(value)} is not {count} finite numbers", where=where, fix=f"give a list of {count} numbers"
        )
    return found


def quaternion(value: Any, where: str) -> _Numbers:
    """A unit quaternion, scalar first."""
    found = numbers(value, 4, where)
    size = float(np.linalg.norm(found))
    if abs(size - 1.0) > 1e-6:
        raise ModelError(
            f"has norm {size:g}", where=where, fix="give a unit quaternion (nsd.from_axis_angle makes one)"
        )
    return found / size


def rotation(p: _Numbers) -> _Numbers:
    """R(p) of a unit quaternion, 3x3."""
    w, x, y, z = p
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
