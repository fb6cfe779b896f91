"""Mass, centre and inertia of solid shapes of one density."""

import math
from collections.abc import Sequence

import numpy as np

SOLIDS = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""The shapes and how many sizes they have: radii, half lengths along z, half edges [m]."""


def volume(kind: str, sizes: Sequence[float]) -> float:
    """[m^3]; ``sizes`` as in :data:`SOLIDS`."""
    if kind == "box":
        return 8 * math.prod(sizes)
    if kind in ("sphere", "ellipsoid"):
        return 4 / 3 * math.pi * (sizes[0] ** 3 if kind == "sphere" else math.prod(sizes))
    r, h = sizes
    return math.pi * r**2 * (2 * h + (4 / 3 * r if kind == "capsule" else 0))


def principal_moments(kind: str, sizes: Sequence[float], mass: float) -> np.ndarray:
    """About the centre, along the axes of the shape [kg m^2], (3,)."""
    if kind in ("sphere", "ellipsoid", "box"):
        x, y, z = (e**2 for e in (sizes if len(sizes) == 3 else [sizes[0]] * 3))
        return mass / (3 if kind == "box" else 5) * np.array([y + z, z + x, x + y])
    r, h = sizes
    caps = mass * 4 / 3 * r / (2 * h + 4 / 3 * r) if kind == "capsule" else 0.0  # two halves of a sphere
    pipe = mass - caps
    across = pipe * (3 * r**2 + 4 * h**2) / 12 + caps * (2 / 5 * r**2 + h**2 + 3 / 4 * h * r)
    return np.array([across, across, pipe * r**2 / 2 + caps * 2 / 5 * r**2])
