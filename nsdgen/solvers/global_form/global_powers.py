"""Friction problems in global variables whose numbers are too large or small to be multiplied: powers of two for all.

M v = H r + f, u = H^T v + b with M = 2^m M', H = 2^h H', v = 2^x v', r = 2^y r', u = 2^U u', where m + x = h + y is the
exponent of f and U = h + x that of b: exact, and the laws stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.global_form.global_problem import GlobalData
from nsdgen.solvers.scaling.tempered import FAR, largest_exponent, scaled

__all__ = ["Powers", "powers_near_one"]


@dataclass(frozen=True)
class Powers:
    """The exponents of M and H, and of u (``rate``)."""

    mass: int
    direction: int
    rate: int

    @property
    def velocity(self) -> int:
        """The exponent of v."""
        return self.rate - self.direction

    @property
    def force(self) -> int:
        """The exponent of f."""
        return self.mass + self.velocity

    @property
    def reaction(self) -> int:
        """The exponent of r."""
        return self.force - self.direction

    def inner(self, data: GlobalData) -> GlobalData:
        """The problem in these units."""
        return GlobalData(
            _scaled_entries(data.M, -self.mass), scaled(data.f, -self.force), _scaled_entries(data.H, -self.direction),
            scaled(data.b, -self.rate), data.mu,
        )  # fmt: skip


def powers_near_one(data: GlobalData) -> Powers | None:
    """Exponents that bring the largest entries near 1; None where all are near enough."""
    given = [largest_exponent(_entries(x)) for x in (data.M, data.H, data.f, data.b)]
    if max(abs(x) for x in given) <= FAR:
        return None
    mass, direction, force, rate = given
    moved = [rate] * bool(data.b.any()) + [force - mass + direction] * bool(data.f.any())
    return Powers(mass, direction, max(moved, default=0))


def _entries(matrix: Matrix) -> Vector:
    return matrix if isinstance(matrix, np.ndarray) else matrix.data


def _scaled_entries(matrix: Matrix, power: int) -> Matrix:
    if isinstance(matrix, np.ndarray):
        return scaled(matrix, power)
    result = matrix.copy()
    result.data = scaled(matrix.data, power)
    return result
