"""Arrays of numbers with twice the digits of a double, 2^-104 of their size: unevaluated sums of two doubles.

For what doubles lose: small numbers beside large ones that cancel. Source: T. J. Dekker, A floating-point technique
for extending the available precision, Numer. Math. 18, 1971. Sizes must stay far below the largest double's root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.solvers.arrays import Vector

_SPLITTER = 2.0**27 + 1.0  # Dekker's: halves of 26 bits, whose products are exact in a double of 53


@dataclass(frozen=True)
class DoubleDouble:
    """``high`` + ``low``, arrays of one shape, |low| at most half a unit in the last place of high."""

    high: Vector
    low: Vector

    @classmethod
    def of(cls, x: Any) -> DoubleDouble:
        """Doubles as they are."""
        high = np.array(x, dtype=float)
        return cls(high, np.zeros_like(high))

    def __getitem__(self, index: Any) -> DoubleDouble:
        return DoubleDouble(np.asarray(self.high[index]), np.asarray(self.low[index]))

    def __setitem__(self, index: Any, value: DoubleDouble) -> None:
        self.high[index], self.low[index] = value.high, value.low

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, -self.low)

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = _two_sum(self.high, other.high)
        low, rest = _two_sum(self.low, other.low)
        return _normal(*_normal_parts(high, error + low), rest)

    def __sub__(self, other: DoubleDouble) -> DoubleDouble:
        return self + -other

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        high, error = _two_product(self.high, other.high)
        return _normal(high, error, self.high * other.low + self.low * other.high)

    def __truediv__(self, other: DoubleDouble) -> DoubleDouble:
        first = DoubleDouble.of(self.high / other.high)
        rest = self - first * other
        second = DoubleDouble.of(rest.high / other.high)
        rest = rest - second * other
        return first + second + DoubleDouble.of(rest.high / other.high)


def outer(x: DoubleDouble, y: DoubleDouble) -> DoubleDouble:
    """x_i y_j of two vectors."""
    return x[:, None] * y[None, :]


def product(A: DoubleDouble, x: DoubleDouble) -> DoubleDouble:
    """A x of a matrix (m, n) and a vector (n,)."""
    terms = A * x[None, :]
    total = DoubleDouble.of(np.zeros(A.high.shape[0]))
    for j in range(A.high.shape[1]):
        total = total + terms[:, j]
    return total


def _two_sum(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """a + b rounded, and what rounding left."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: Vector, b: Vector) -> tuple[Vector, Vector]:
    """a b rounded, and what rounding left."""
    result = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return result, ((a_high * b_high - result) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: Vector) -> tuple[Vector, Vector]:
    large = _SPLITTER * a
    high = large - (large - a)
    return high, a - high


def _normal_parts(high: Vector, low: Vector) -> tuple[Vector, Vector]:
    total = high + low
    return total, low - (total - high)


def _normal(high: Vector, low: Vector, rest: Vector) -> DoubleDouble:
    return DoubleDouble(*_normal_parts(high, low + rest))
