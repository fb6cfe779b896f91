"""Lemke's method in decimal numbers of forty digits: small linear complementarity problems that rounding decides.

w = M z + q, w >= 0, z >= 0, w . z = 0, with z_0 added to all rows until it leaves. Ties are broken lexicographically,
so that the method ends: with a solution, or on a ray. For positive semidefinite M a ray says that there is none, as
far as the digits reach. Sources: C. E. Lemke, 1965; B. C. Eaves, 1971.
"""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

DIGITS = 40  # more than twice those of a double
MOST_PIVOTS = 20  # for each row
NOTHING = Decimal("1e-32")  # of the largest entry of a column: rounding
REFINEMENTS = 2  # each wins the digits that pivots have left
TIE = Decimal("1e-34")  # of a ratio, or of 1: rounding

Decimals = NDArray[np.object_]
Rows = NDArray[np.signedinteger]

_decimals = np.frompyfunc(Decimal, 1, 1)


def decimals(x: Any) -> Decimals:
    """Doubles as decimal numbers, exactly; sums and products of these have the digits of the context at hand."""
    return np.asarray(_decimals(x), dtype=object)


def pivoted_precisely(M: Decimals, q: Decimals) -> tuple[Decimals | None, int]:
    """z (n,), None on a ray, and the pivots; ``M`` (n, n) and ``q`` (n,) in units near 1."""
    with localcontext(prec=DIGITS):
        return _pivoted(M, q)


def _pivoted(M: Decimals, q: Decimals) -> tuple[Decimals | None, int]:
    n = len(q)
    if (q >= 0).all():
        return decimals(np.zeros(n)), 0
    # Columns: the right side, w, z, z_0; basic variables by the numbers of their columns.
    table = np.hstack([q[:, None], decimals(np.eye(n)), -M, decimals(-np.ones((n, 1)))])
    basis, last = np.arange(1, n + 1), 2 * n + 1
    row, entering = _least(table, np.arange(n), decimals(np.ones(n))), last
    for pivots in range(1, MOST_PIVOTS * n + 1):
        leaving = int(basis[row])
        basis[row] = entering
        _pivot(table, row, entering)
        if leaving == last:
            return _refined(M, q, table, basis), pivots
        entering = leaving + n if leaving <= n else leaving - n
        column = table[:, entering]
        rows = np.flatnonzero(column > NOTHING * np.abs(column).max())
        if not len(rows):
            return None, pivots
        row = _least(table, rows, column[rows], int(np.flatnonzero(basis == last)[0]))
    return None, MOST_PIVOTS * n


def _pivot(table: Decimals, row: int, column: int) -> None:
    """Make ``column`` the unit vector of ``row``."""
    table[row] = table[row] / table[row, column]
    used = np.flatnonzero(table[:, column] != 0)
    used = used[used != row]
    across = np.flatnonzero(table[row] != 0)
    table[np.ix_(used, across)] -= np.outer(table[used, column], table[row, across])


def _least(table: Decimals, rows: Rows, divisors: Decimals, preferred: int = -1) -> int:
    """The row of the lexicographically least ratio to ``divisors``; ``preferred`` where its first one ties."""
    for j in range(len(table) + 1):
        ratio = table[rows, j] / divisors
        best = ratio.min()
        near = ratio - best <= TIE * (1 + abs(best))
        rows, divisors = rows[near], divisors[near]
        if j == 0 and preferred in rows:
            return preferred
        if len(rows) == 1:
            break
    return int(rows[0])


def _refined(M: Decimals, q: Decimals, table: Decimals, basis: Rows) -> Decimals:
    """z (n,) of the last basis: its inverse, in the table, takes off what pivots have left of its equations."""
    n = len(basis)
    inverse, right = table[:, 1 : n + 1], table[:, 0]
    moves = basis > n
    for turn in range(REFINEMENTS + 1):
        z = decimals(np.zeros(n))
        z[basis[moves] - n - 1] = right[moves]
        if turn < REFINEMENTS:
            left = q + M @ z
            left[basis[~moves] - 1] -= right[~moves]
            right = right + inverse @ left
    return z
