"""Connected parts of a block of equality rows, factored: regular ones by LU, singular ones with their null spaces.

A part is singular where a pivot of its LU in natural units is rounding. Of a small singular part everything is left to
a singular value decomposition; of a large one the rows and columns of small pivots, once
a shift has brought these to light, and the rest, its core, is regular.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve, qr, solve_triangular
from scipy.sparse import coo_array, csr_array, diags_array, eye_array

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.face import ZERO_PIVOT
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.linalg.sparse_lu import sparse_lu
from nsdgen.solvers.scaling.visible_units import visible_units

__all__ = ["EqualityPart", "RegularPart", "SingularPart", "equality_parts"]

TOGETHER = 4_000_000  # numbers: up to here parts of all widths are factored together
DENSE_ROWS = 64  # a part with more rows that is full is factored dense
DENSE_SHARE = 0.25  # of nonzero entries
SMALL = 200  # rows of a singular part that are decomposed as they are
SHIFT = 1e-9  # of the entries in natural units: makes the LU of a singular part exist
SHIFTED_PIVOT = 1e-6  # a smaller pivot is seen as made by the shift: what it hides is decided dense
FAR_APART = 2.0**10  # units of unknowns that a shortest x does not mix
RANK = 1e-12  # of the largest terms: a smaller singular value is rounding
ROUNDS = 4  # of looking for a regular core

Rows = NDArray[np.intp]
Solve = Callable[[Vector, str], Vector]  # right-hand sides, "N" or "T" for the transposed matrix


@dataclass(frozen=True)
class Factors:
    """LU of a matrix: its solver, and the rows and columns whose pivots are at most a share of their columns."""

    solve: Solve
    weak_rows: Rows
    weak_columns: Rows


@dataclass(frozen=True)
class EqualityPart(ABC):
    """Rows and columns ``rows`` of the equality block, ``block`` their matrix in its own units.

    ``label`` (rows) numbers the connected parts that are factored together.
    """

    rows: Rows
    block: csr_array
    label: Rows
    row_scale: Vector
    column_scale: Vector

    @property
    def one(self) -> bool:
        """Whether it is one connected part."""
        return not self.label.any()

    def solve(self, right: Vector) -> Vector:
        """x with block x = ``right`` (rows,) or (rows, columns), refined once."""
        x = self._once(right)
        return x + self._once(right - self.block @ x)

    def bound(self, x: Vector) -> Vector:
        """What of x (rows, columns) rounding is to be measured by: the largest of its part in natural units.

        Of a velocity that joints hold at zero nothing is left but the roundings of their multipliers.
        """
        order = np.argsort(self.label, kind="stable")
        first = np.searchsorted(self.label[order], np.arange(self.label.max() + 1))
        largest = np.maximum.reduceat((np.abs(x) / self.column_scale[:, None])[order], first, axis=0)
        return largest[self.label] * self.column_scale[:, None]

    @abstractmethod
    def _once(self, right: Vector) -> Vector:
        """The same, unrefined."""


@dataclass(frozen=True)
class RegularPart(EqualityPart):
    """One or more connected parts with one LU."""

    factors: Factors

    def _once(self, right: Vector) -> Vector:
        return (self.factors.solve((right.T * self.row_scale).T, "N").T * self.column_scale).T


@dataclass(frozen=True)
class SingularPart(EqualityPart):
    """One singular part, split into a regular core and weak rows and columns, which carry the null spaces.

    ``right`` (rows, deficiency) spans the null space of its block, ``left`` that of the transpose, orthonormal once
    divided by ``column_scale`` and ``row_scale``; ``pull`` x (deficiency,) are the coordinates of what of x lies in
    the span of ``right``.
    """

    core: Factors | None
    core_rows: Rows
    core_columns: Rows
    weak_rows: Rows
    weak_columns: Rows
    front: csr_array  # weak rows, core columns
    tail: Vector  # core^-1 times core rows, weak columns
    inverse: Vector  # of what the core leaves of the weak rows and columns, generalised
    right: Vector
    left: Vector
    pull: Vector

    @property
    def deficiency(self) -> int:
        """The dimension of the null spaces."""
        return self.right.shape[1]

    def _once(self, right: Vector) -> Vector:
        scaled = (right.T * self.row_scale).T
        inner = _core_solve(self.core, scaled[self.core_rows], "N")
        x = np.empty_like(scaled)
        x[self.weak_columns] = self.inverse @ (scaled[self.weak_rows] - self.front @ inner)
        x[self.core_columns] = inner - self.tail @ x[self.weak_columns]
        return (x.T * self.column_scale).T

    def shortest(self, x: Vector) -> Vector:
        """The x nearest to zero with the same block x, as ``_pull`` understands it."""
        return x - self.right @ (self.pull @ x)


def equality_parts(inner: csr_array, outer: csr_array) -> list[EqualityPart]:
    """The parts of ``inner`` (n, n), those of like numbers of coupled columns in ``outer`` (n, others) together."""
    n = inner.shape[0]
    if n == 0:
        return []
    row_scale, column_scale = visible_units(inner)
    first, order = connected_parts(inner)
    label = np.empty(n, dtype=np.intp)
    label[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    result: list[EqualityPart] = []
    for chosen in _alike(label, outer):
        rows = np.flatnonzero(chosen[label])
        result += _factored(inner, rows, label, row_scale, column_scale)
    return result


def _alike(label: Rows, outer: csr_array) -> Iterator[NDArray[np.bool_]]:
    """Groups of parts whose numbers of coupled columns have the same binary exponent."""
    entries = coo_array(outer)
    width = outer.shape[1]
    keys = np.unique(label[entries.coords[0]] * width + entries.coords[1])
    counts = np.bincount(keys // max(width, 1), minlength=label.max() + 1)
    if counts.max() * len(label) <= TOGETHER:
        yield np.ones(len(counts), dtype=bool)
        return
    exponent = np.frexp(counts)[1]
    for value in np.unique(exponent):
        yield exponent == value


def _factored(
    inner: csr_array, rows: Rows, label: Rows, row_scale: Vector, column_scale: Vector
) -> Iterator[EqualityPart]:
    """The parts on ``rows``: all regular ones together, the singular ones one by one."""
    every, places = np.unique(label[rows], return_inverse=True)
    block = inner[rows][:, rows]
    data = rows, block, places, row_scale[rows], column_scale[rows]
    scaled = _scaled(block, *data[3:])
    factors = _factors(scaled, len(every) == 1)
    if factors is not None and not len(factors.weak_rows):
        yield RegularPart(*data, factors)
        return
    weak = _shifted(scaled, len(every) == 1)
    if factors is not None:
        weak = np.union1d(weak[0], factors.weak_rows), np.union1d(weak[1], factors.weak_columns)
    singular = np.zeros(len(every), dtype=bool)
    singular[places[np.concatenate(weak)]] = True
    if not singular.any():
        singular[:] = True
    if not singular.all():
        yield from _factored(inner, rows[~singular[places]], label, row_scale, column_scale)
    for k in np.flatnonzero(singular):
        mine = rows[places == k]
        yield _singular(inner[mine][:, mine], mine, row_scale[mine], column_scale[mine])


def _singular(block: csr_array, rows: Rows, row_scale: Vector, column_scale: Vector) -> EqualityPart:
    """One part that seems singular, small ones decomposed as they are."""
    n = len(rows)
    data = rows, block, np.zeros(n, dtype=np.intp), row_scale, column_scale
    every = np.arange(n)
    if n <= SMALL:
        return _split(data, every, every, None)
    scaled = _scaled(block, row_scale, column_scale)
    weak_rows, weak_columns = _shifted(scaled, True)
    for _ in range(ROUNDS):
        core_rows, core_columns = np.setdiff1d(every, weak_rows), np.setdiff1d(every, weak_columns)
        core = scaled[core_rows][:, core_columns]
        factors = _factors(core, True)
        if factors is not None and not len(factors.weak_rows):
            return _split(data, weak_rows, weak_columns, factors)
        more = _shifted(core, True)
        if not len(more[0]):
            break
        weak_rows = np.union1d(weak_rows, core_rows[more[0]])
        weak_columns = np.union1d(weak_columns, core_columns[more[1]])
    return _split(data, every, every, None)


def _split(
    data: tuple[Rows, csr_array, Rows, Vector, Vector], weak_rows: Rows, weak_columns: Rows, core: Factors | None
) -> SingularPart:
    """A part whose null spaces are found in what its core leaves of the weak rows and columns."""
    _, block, _, row_scale, column_scale = data
    n = block.shape[0]
    scaled = _scaled(block, row_scale, column_scale)
    core_rows, core_columns = np.setdiff1d(np.arange(n), weak_rows), np.setdiff1d(np.arange(n), weak_columns)
    edge = scaled[weak_rows][:, weak_columns].toarray()
    front = scaled[weak_rows][:, core_columns]
    tail = _core_solve(core, scaled[core_rows][:, weak_columns].toarray(), "N")
    other_tail = _core_solve(core, front.T.toarray(), "T")
    # Where all of the rest is rounding, its own singular values would not tell.
    size = float((np.abs(edge) + abs(front) @ np.abs(tail)).max(initial=0.0))
    rest = edge - front @ tail
    if np.abs(rest).max(initial=0.0) <= RANK * size:  # as a rule: nothing but redundant rows
        u, values, v = np.eye(len(rest)), np.zeros(len(rest)), np.eye(len(rest))
    else:
        u, values, v = np.linalg.svd(rest)
    rank = int((values > RANK * max(size, values.max(initial=0.0))).sum())
    inverse = (v[:rank].T / values[:rank]) @ u[:, :rank].T
    right, left = np.empty((n, len(values) - rank)), np.empty((n, len(values) - rank))
    right[weak_columns], right[core_columns] = v[rank:].T, -tail @ v[rank:].T
    left[weak_rows], left[core_rows] = u[:, rank:], -other_tail @ u[:, rank:]
    right = column_scale[:, None] * np.linalg.qr(right)[0]
    left = row_scale[:, None] * np.linalg.qr(left)[0]
    pull = _pull(right, column_scale)
    return SingularPart(
        *data, core, core_rows, core_columns, weak_rows, weak_columns, front, tail, inverse, right, left, pull
    )


def _pull(right: Vector, scale: Vector) -> Vector:
    """P (deficiency, n): x - right P x is the shortest x, in natural units where those of the data are far apart.

    ``right`` (n, deficiency) is orthonormal once divided by ``scale``.
    """
    if not right.shape[1]:
        return right.T
    natural = right / scale[:, None]
    concerned = scale[np.abs(natural).max(axis=1) > RANK]
    # In units far apart the shortest x is the difference of numbers that are large beside it.
    if concerned.max() > FAR_APART * concerned.min():
        return natural.T / scale
    # Large rows first: Householder's method with exchanges of columns is then accurate row by row.
    order = np.argsort(-scale, kind="stable")
    q, r, columns = qr(right[order], mode="economic", pivoting=True)
    result = np.empty(right.T.shape)
    result[columns[:, None], order] = solve_triangular(r, q.T)
    return result


def _core_solve(core: Factors | None, right: Vector, way: str) -> Vector:
    return right if core is None or not right.size else core.solve(np.ascontiguousarray(right), way)


def _shifted(scaled: csr_array, one: bool) -> tuple[Rows, Rows]:
    """Rows and columns whose pivots are small once a shift has made the matrix regular."""
    factors = _factors(csr_array(scaled + SHIFT * eye_array(scaled.shape[0])), one, SHIFTED_PIVOT)
    none = np.zeros(0, dtype=np.intp)
    return (none, none) if factors is None else (factors.weak_rows, factors.weak_columns)


def _scaled(block: csr_array, row_scale: Vector, column_scale: Vector) -> csr_array:
    return csr_array(diags_array(row_scale) @ block @ diags_array(column_scale))


def _factors(matrix: csr_array, one: bool, share: float = ZERO_PIVOT) -> Factors | None:
    """LU of a matrix in natural units, dense for one full part; None where sparse LU fails."""
    n = matrix.shape[0]
    largest = np.ravel(abs(matrix).max(axis=0).toarray())
    if one and n > DENSE_ROWS and matrix.nnz > DENSE_SHARE * n * n:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)
            lu, swaps = lu_factor(matrix.toarray())
        order = np.arange(n)
        for i, j in enumerate(swaps):
            order[[i, j]] = order[[j, i]]
        weak = np.flatnonzero(np.abs(np.diagonal(lu)) <= share * largest)
        return Factors(lambda right, way: lu_solve((lu, swaps), right, trans=int(way == "T")), order[weak], weak)
    factor = sparse_lu(matrix.tocsc())
    if factor is None:
        return None
    small = np.abs(factor.U.diagonal())[factor.perm_c] <= share * largest
    columns = np.flatnonzero(small)
    rows = np.argsort(factor.perm_r)[factor.perm_c[columns]]
    return Factors(lambda right, way: factor.solve(right, way), rows, columns)
