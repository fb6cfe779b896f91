"""A proof that nothing fits, checked in rational numbers: for the doubles given, not for numbers near them."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nsdgen.solvers.arrays import Vector

MOST_ROWS = 40  # of a proof: elimination in rational numbers takes a fraction of a second
ROUNDING = 1e-9  # of the terms of a column: it may be meant to vanish

Combination = dict[int, Fraction]  # multipliers by row, or entries by column


def proves(M: csr_array, q: Vector, lower: Vector, upper: Vector, u: Vector) -> bool:
    """Whether multipliers u (n,) of w = M z + q, or some nearby, exclude all z in their bounds, exactly.

    They do where u . w < 0 for all of these z although u . w >= 0 for the signs that w must have: w >= 0 where only
    ``lower`` is finite, w <= 0 where only ``upper`` is, w = 0 where neither is. u is tried as it is; then with
    the columns that are rounding made to vanish, as many multipliers as that leaves free kept as they are.
    """
    rows = np.flatnonzero(u)
    if not 0 < len(rows) <= MOST_ROWS:
        return False
    part = csr_array(M[rows])
    entries = [_exact(part.indices, part.data, part.indptr, k) for k in range(len(rows))]
    given = {int(i): Fraction(float(u[i])) for i in rows}
    by_row = dict(zip((int(i) for i in rows), entries, strict=True))
    if _excludes(by_row, q, lower, upper, given):
        return True
    columns, terms = part.T @ u[rows], abs(part).T @ np.abs(u[rows])
    tight = np.flatnonzero((terms > 0.0) & (np.abs(columns) <= ROUNDING * terms))
    changed = _vanishing(by_row, tight, given)
    return changed is not None and _excludes(by_row, q, lower, upper, changed)


def _exact(indices: NDArray[np.intc], data: Vector, ends: NDArray[np.intc], k: int) -> Combination:
    """Row k of a sparse matrix."""
    row: Combination = {}
    for j, value in zip(indices[ends[k] : ends[k + 1]], data[ends[k] : ends[k + 1]], strict=True):
        row[int(j)] = row.get(int(j), Fraction(0)) + Fraction(float(value))
    return row


def _excludes(by_row: dict[int, Combination], q: Vector, lower: Vector, upper: Vector, u: Combination) -> bool:
    """Whether u . w < 0 for all z in their bounds, and u has the signs of w."""
    total = Fraction(0)
    columns: Combination = {}
    for i, value in u.items():
        below, above = bool(np.isfinite(lower[i])), bool(np.isfinite(upper[i]))
        if (below and above) or (below and value < 0) or (above and value > 0):
            return False
        total += value * Fraction(float(q[i]))
        for j, entry in by_row[i].items():
            columns[j] = columns.get(j, Fraction(0)) + value * entry
    for j, value in columns.items():
        bound = float(upper[j] if value > 0 else lower[j])
        if value:
            if not np.isfinite(bound):
                return False
            total += value * Fraction(bound)
    return total < 0


def _vanishing(by_row: dict[int, Combination], tight: NDArray[np.intp], u: Combination) -> Combination | None:
    """Multipliers for which the columns ``tight`` vanish, free ones as in u; None where all are zero."""
    equations = [{i: by_row[i][int(j)] for i in u if by_row[i].get(int(j))} for j in tight]
    solved: list[tuple[int, Combination]] = []  # u_i = - sum over the others
    for equation in equations:
        for pivot, others in solved:
            if pivot in equation:
                _add(equation, others, -equation.pop(pivot))
        if not equation:
            continue
        pivot = max(equation, key=lambda i: abs(equation[i] * u[i]))
        scale = equation.pop(pivot)
        others = {i: value / scale for i, value in equation.items()}
        for _, earlier in solved:
            if pivot in earlier:
                _add(earlier, others, -earlier.pop(pivot))
        solved.append((pivot, others))
    result = dict(u)
    for pivot, others in solved:
        result[pivot] = -sum((value * u[i] for i, value in others.items()), Fraction(0))
    return {i: value for i, value in result.items() if value} or None


def _add(row: Combination, other: Combination, factor: Fraction) -> None:
    """row += factor other, without the entries that vanish."""
    for i, value in other.items():
        total = row.get(i, Fraction(0)) + factor * value
        if total:
            row[i] = total
        else:
            row.pop(i, None)
