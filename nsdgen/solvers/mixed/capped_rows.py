"""Box rows as complementarity rows, beside rows of other cones.

A row with a lower bound l is z = l + s, one with an upper bound u alone z = u - s with the row's
sign turned. Two finite bounds need a second row, its cap: with t = u - l - s and the multiplier
m = k n of the upper bound, where k is the row's own stiffness,

    w + k n = A s + k n + (b + A l) >= 0  _|_  s >= 0,      k t = k (u - l) - k s >= 0  _|_  n >= 0,

skew-symmetric, so that a semidefinite A stays so. A row whose bounds agree is a constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csr_array, diags_array, issparse

from nsdgen.solvers.arrays import Matrix, Vector

__all__ = ["CappedRows"]


class CappedRows:
    """y = A z + b whose rows ``boxes`` have bounds, written with n + caps complementarity rows.

    Fixed rows stay as rows of their own with a regular diagonal, so that nothing moves.
    """

    def __init__(self, A: Matrix, b: Vector, lower: Vector, upper: Vector, boxes: NDArray[np.intp]) -> None:
        self.A, self.b, self.lower, self.upper, self.boxes = A, b, lower, upper, boxes
        n = len(b)
        low, high = np.isfinite(lower[boxes]), np.isfinite(upper[boxes])
        self.capped = boxes[low & high & (lower[boxes] < upper[boxes])]
        self.fixed = boxes[lower[boxes] == upper[boxes]]
        self.foot = np.zeros(n)
        self.foot[boxes] = np.where(low, lower[boxes], upper[boxes])
        self.sign = np.ones(n)
        self.sign[boxes[~low]] = -1.0
        diagonal = np.abs(A.diagonal())
        largest = float(abs(A).max()) or 1.0
        self.stiffness = np.where(diagonal > 0.0, diagonal, largest)[self.capped]

    def problem(self) -> tuple[Matrix, Vector, Vector, Vector]:
        """A, b and the bounds of the larger problem: 0 and infinity on all rows that had bounds."""
        n, caps = len(self.b), len(self.capped)
        matrix = csr_array(diags_array(self.sign) @ csr_array(self.A) @ diags_array(self.sign))
        offset = self.sign * (self.A @ self.foot + self.b)
        if len(self.fixed):
            moves = np.ones(n)
            moves[self.fixed] = 0.0
            stays = np.zeros(n)
            stays[self.fixed] = float(abs(self.A).max()) or 1.0
            matrix = csr_array(diags_array(moves) @ matrix @ diags_array(moves) + diags_array(stays))
            offset[self.fixed] = 0.0
        lower, upper = np.concatenate([self.lower, np.zeros(caps)]), np.full(n + caps, np.inf)
        lower[self.boxes] = 0.0
        if caps:
            pull = csr_array(coo_array((self.stiffness, (self.capped, np.arange(caps))), shape=(n, caps)))
            matrix = csr_array(block_array([[matrix, pull], [-pull.T, None]]))
            room = self.stiffness * (self.upper - self.lower)[self.capped]
            offset = np.concatenate([offset, room])
        return (matrix if issparse(self.A) else matrix.toarray()), offset, lower, upper

    def extend(self, z: Vector) -> Vector:
        """The larger unknown for a guess z of the problem as given."""
        part = np.where(np.isin(np.arange(len(z)), self.boxes), np.maximum(self.sign * (z - self.foot), 0.0), z)
        return np.concatenate([part, np.zeros(len(self.capped))])

    def contract(self, large: Vector) -> Vector:
        """z from the larger unknown, exactly at a bound that it meets."""
        n = len(self.b)
        z = self.foot + self.sign * large[:n]
        # Of n and t, in one unit, one is zero to rounding: the larger one says whether the cap is met.
        met = self.capped[large[n:] > (self.upper - z)[self.capped]]
        z[met] = self.upper[met]
        z[self.boxes] = np.clip(z[self.boxes], self.lower[self.boxes], self.upper[self.boxes])
        return z

    def contract_w(self, large_w: Vector, large: Vector) -> Vector:
        """y of the problem as given from the larger problem's."""
        n = len(self.b)
        w = large_w[:n].copy()
        w[self.capped] -= self.stiffness * large[n:]
        w = self.sign * w
        z = self.contract(large)
        w[self.fixed] = (self.A @ z + self.b)[self.fixed]
        return w
