"""Lemke's method with twice the digits of a double: small linear complementarity problems that rounding decides.

w = M z + q, w >= 0, z >= 0, w . z = 0, with z_0 added to all rows until it leaves. Ties are broken lexicographically,
so that the method ends: with a solution, or on a ray. For positive semidefinite M a ray says that there is none, as
far as the digits reach. Sources: C. E. Lemke, 1965; B. C. Eaves, 1971.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.linalg.double_double import DoubleDouble, outer, product

MOST_PIVOTS = 20  # for each row
NOTHING = 1e-24  # of the largest entry of a column: rounding
REFINEMENTS = 6  # each wins the digits that pivots have left
TIE = 1e-26  # of a ratio, or of 1: rounding

Rows = NDArray[np.signedinteger]


def pivoted_precisely(M: DoubleDouble, q: DoubleDouble) -> tuple[DoubleDouble | None, int]:
    """z (n,), None on a ray, and the pivots; ``M`` (n, n) and ``q`` (n,) in units near 1."""
    n = len(q.high)
    if (q.high >= 0.0).all():
        return DoubleDouble.of(np.zeros(n)), 0
    # Columns: the right side, w, z, z_0; basic variables by the numbers of their columns.
    table = DoubleDouble.of(np.zeros((n, 2 * n + 2)))
    table[:, 0], table[:, 1 : n + 1] = q, DoubleDouble.of(np.eye(n))
    table[:, n + 1 : 2 * n + 1], table[:, -1] = -M, DoubleDouble.of(-np.ones(n))
    basis, last = np.arange(1, n + 1), 2 * n + 1
    row, entering = _least(table, np.arange(n), np.ones(n)), last
    for pivots in range(1, MOST_PIVOTS * n + 1):
        leaving = int(basis[row])
        basis[row] = entering
        _pivot(table, row, entering)
        if leaving == last:
            return _refined(M, q, table, basis), pivots
        entering = leaving + n if leaving <= n else leaving - n
        column = table.high[:, entering]
        rows = np.flatnonzero(column > NOTHING * np.abs(column).max())
        if not len(rows):
            return None, pivots
        row = _least(table, rows, column[rows], int(np.flatnonzero(basis == last)[0]))
    return None, MOST_PIVOTS * n


def _pivot(table: DoubleDouble, row: int, column: int) -> None:
    """Make ``column`` the unit vector of ``row``."""
    table[row] = table[row] / table[row, column][None]
    factors = table[:, column]
    used = np.flatnonzero(factors.high)
    used = used[used != row]
    table[used] = table[used] - outer(factors[used], table[row])


def _least(table: DoubleDouble, rows: Rows, divisors: Vector, preferred: int = -1) -> int:
    """The row of the lexicographically least ratio to ``divisors``; ``preferred`` where its first one ties."""
    for j in range(table.high.shape[0] + 1):
        ratio = table[rows, j] / DoubleDouble.of(divisors)
        best = ratio[int(ratio.high.argmin())]
        gap = ratio - DoubleDouble(np.full(len(rows), best.high), np.full(len(rows), best.low))
        near = gap.high <= TIE * (1.0 + abs(best.high))
        rows, divisors = rows[near], divisors[near]
        if j == 0 and preferred in rows:
            return preferred
        if len(rows) == 1:
            break
    return int(rows[0])


def _refined(M: DoubleDouble, q: DoubleDouble, table: DoubleDouble, basis: Rows) -> DoubleDouble:
    """z (n,) of the last basis: its inverse, in the table, takes off what pivots have left of its equations."""
    n = len(basis)
    inverse, right = table[:, 1 : n + 1], table[:, 0]
    basic = np.flatnonzero(basis > n)
    still = np.flatnonzero(basis <= n)
    for _ in range(REFINEMENTS):
        z = DoubleDouble.of(np.zeros(n))
        z[basis[basic] - n - 1] = right[basic]
        left = q + product(M, z)
        left[basis[still] - 1] = left[basis[still] - 1] - right[still]
        right = right + product(inverse, left)
    z[basis[basic] - n - 1] = right[basic]
    return z
