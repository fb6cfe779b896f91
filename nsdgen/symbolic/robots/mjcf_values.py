"""Ranges, directions and turns as MJCF writes them."""

import math
from collections.abc import Sequence

import numpy as np

from nsdgen.errors import ModelError
from nsdgen.symbolic.robots.description import turned_about
from nsdgen.symbolic.robots.lined_xml import Element

_STRAIGHT = 1e-10  # sine of an angle below which a direction is z, or -z, up to rounding


def limited(e: Element, key: str, flag: str, automatic: bool) -> tuple[float, float] | None:
    """A range and whether it counts: told, or by its being there."""
    told = e.choice(flag, ("true", "false", "auto"), "auto")
    if told == "false" or (told == "auto" and not (automatic and key in e.attributes)):
        return None
    lower, upper = e.numbers(key, 2)
    if lower >= upper:
        raise ModelError(f"{key} is {lower} to {upper}", where=e.where, fix="give the lower bound, then the upper one")
    return lower, upper


def unit(given: Sequence[float] | np.ndarray, where: str) -> np.ndarray:
    """A direction of length 1."""
    vector = np.array(given, dtype=float)
    length = np.linalg.norm(vector)
    if length == 0:
        raise ModelError("a direction has length 0", where=where, fix="give the direction of the axis")
    return vector if length == 1 else vector / length


def of_quaternion(given: Sequence[float], where: str) -> np.ndarray:
    """The rotation of a quaternion, scalar first, of any length but 0."""
    if not any(given):
        raise ModelError("a quaternion has length 0", where=where, fix="give the quaternion, scalar first")
    w, x, y, z = np.array(given)
    n = w * w + x * x + y * y + z * z
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 / n * (w * skew + skew @ skew)


def from_z(axis: np.ndarray) -> np.ndarray:
    """The smallest turn that carries z into a unit vector."""
    across = np.cross([0.0, 0.0, 1.0], axis)
    length = float(np.linalg.norm(across))
    if length < _STRAIGHT:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return turned_about(across / length, math.atan2(length, axis[2]))
