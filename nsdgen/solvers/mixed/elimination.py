"""Equality rows of a mixed problem eliminated: what is left is a problem of the other rows alone.

With the equality rows e and the others r, A_ee z_e = -(A_er z_r + b_e) leaves the Schur complement
A_rr - A_re A_ee^-1 A_er. Rows that A_ee does not connect (``connected_parts``) are eliminated apart, by sparse
LU and only for the columns that couple with them, so that chains and bodies with their masses cost
time in proportion to their number.

A singular part has null spaces N (of columns) and Y (of rows). Where neither couples with the other rows, the
equalities are redundant and get the shortest z, or contradict each other. Otherwise z_e = ... + N t has
free unknowns t, and Yᵀ (A_er z_r + b_e) = 0 are equality rows of the problem that is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csr_array, issparse

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import relative_violation
from nsdgen.solvers.mixed.equality_parts import EqualityPart, SingularPart, equality_parts
from nsdgen.solvers.solution import failure

__all__ = ["Reduced", "eliminate"]

CANCELLED = 64.0 * np.finfo(float).eps
CHUNK = 4_000_000  # numbers: columns are eliminated in groups of this size
DENSE_SHARE = 0.25  # of nonzero entries: from here on dense products are quicker
ROUNDING = 1e-13  # of what a coupling could be
RANK = 1e-10  # of the largest singular value of a coupling

Rows = NDArray[np.intp]
Triplets = tuple[Vector, Rows, Rows]  # entries, rows, columns


@dataclass(frozen=True)
class Free:
    """Unknowns t of one singular part: z_e = ... + N t, and the rows Yᵀ (A_er z_r + b_e) = 0 beside them."""

    part: SingularPart
    columns: Vector  # N (rows of the part, count)
    rows: Vector  # Y (rows of the part, count)

    @property
    def count(self) -> int:
        """The number of free unknowns."""
        return self.columns.shape[1]


@dataclass(frozen=True)
class Reduced:
    """y = ``matrix`` z + ``offset`` for the rows that are left: ``rest`` and one for each free unknown.

    ``deficiency`` counts the unknowns of equality rows that nothing determines and that moves nothing.
    """

    matrix: Matrix
    offset: Vector
    deficiency: int
    equality: Rows
    outer: csr_array
    inner_offset: Vector
    parts: list[EqualityPart]
    free: list[Free]

    @property
    def free_rows(self) -> list[int]:
        """For each free unknown a row of A that its equality came from."""
        return [int(self.equality[f.part.rows[k]]) for f in self.free for k in np.abs(f.rows).argmax(axis=0)]

    def back(self, z: Vector) -> Vector:
        """z of the equality rows from z of the rows left, free unknowns last."""
        count = self.outer.shape[1]
        right = self.outer @ z[:count] + self.inner_offset
        result = np.zeros(len(self.equality))
        for part in self.parts:
            found = -part.solve(right[part.rows])
            result[part.rows] = part.shortest(found) if isinstance(part, SingularPart) else found
        for free in self.free:
            result[free.part.rows] += free.columns @ z[count : count + free.count]
            count += free.count
        return result

    def guess(self, z: Vector) -> Vector:
        """The free unknowns nearest to a guess of z of the equality rows."""
        found = [np.linalg.lstsq(free.columns, z[free.part.rows], rcond=None)[0] for free in self.free]
        return np.concatenate([*found, np.zeros(0)])


def eliminate(A: Matrix, b: Vector, equality: Rows, rest: Rows, tol: float) -> Reduced:
    """The problem that the rows ``equality`` leave to ``rest``; dense where A is.

    Raises ``SolverError`` with the reason "inconsistent" where equality rows contradict each
    other whatever the other unknowns are, by more than ``tol`` of their terms.
    """
    sparse = csr_array(A)
    above, below = sparse[equality], sparse[rest]
    inner, outer, lower, whole = above[:, equality], above[:, rest], below[:, equality], below[:, rest]
    inner.eliminate_zeros()
    parts = equality_parts(inner, outer)
    by_column = lower.tocsc()
    moved: list[Triplets] = []
    terms: list[Triplets] = []
    offset, offset_terms = b[rest].copy(), np.abs(b[rest])
    free: list[Free] = []
    deficiency = 0
    for part in parts:
        coupling, reach = outer[part.rows], csr_array(by_column[:, part.rows])
        for product, size in _products(part, coupling, reach):
            moved.append(product)
            terms.append(size)
        constant = part.solve(b[equality][part.rows])
        offset -= reach @ constant
        offset_terms += abs(reach) @ part.bound(constant[:, None])[:, 0]
        if isinstance(part, SingularPart):
            found = _free(part, coupling, reach, b, equality, tol)
            deficiency += part.deficiency - found.count
            if found.count:
                free.append(found)
    # What is left of terms that cancel is rounding: a contact held by the equalities must not seem to close.
    reduced = whole - _gathered(moved, whole.shape)
    size = abs(whole) + _gathered(terms, whole.shape)
    reduced = csr_array(reduced.multiply(abs(reduced) > CANCELLED * size))
    offset[np.abs(offset) <= CANCELLED * offset_terms] = 0.0
    reduced, offset = _bordered(reduced, offset, free, outer, lower, b[equality])
    reduced.eliminate_zeros()
    matrix = reduced if issparse(A) else reduced.toarray()
    return Reduced(matrix, offset, deficiency, equality, outer, b[equality], parts, free)


def _gathered(triplets: list[Triplets], shape: tuple[int, int]) -> csr_array:
    if not triplets:
        return csr_array(shape)
    data, rows, columns = (np.concatenate(list(column)) for column in zip(*triplets, strict=True))
    return csr_array(coo_array((data, (rows, columns)), shape=shape))


# ----------------------------------------------------------------------- what parts leave behind


def _products(part: EqualityPart, coupling: csr_array, reach: csr_array) -> Iterator[tuple[Triplets, Triplets]]:
    """A_re A_ee^-1 A_er of one part and the sizes of its terms, in chunks of columns.

    A part may be many that share nothing: column ``place`` of the packed right-hand side
    holds one column of each of them.
    """
    if not coupling.nnz or not reach.nnz:
        return
    entries = coo_array(coupling)
    row, column = entries.coords
    width = coupling.shape[1]
    keys, key = np.unique(part.label[row] * width + column, return_inverse=True)
    first = np.searchsorted(keys, np.arange(part.label.max() + 2) * width)
    place = key - first[part.label[row]]
    begin, counts = first[part.label], np.diff(first)[part.label]  # of the packed columns, row by row
    touched = np.flatnonzero(np.diff(reach.indptr))
    near = reach[touched]
    full = near.nnz > DENSE_SHARE * near.shape[0] * near.shape[1]
    near = near.toarray() if full else near
    step = max(1, CHUNK // len(begin))
    for start in range(0, int(counts.max()), step):
        packed = np.arange(start, min(start + step, int(counts.max())))
        inside = (place >= start) & (place <= packed[-1])
        right = np.zeros((len(begin), len(packed)))
        right[row[inside], place[inside] - start] = entries.data[inside]
        given = part.solve(right)
        bound = part.bound(given)
        if full and part.one:
            chosen = keys[packed] % width
            yield tuple(
                (product.ravel(), np.repeat(touched, len(chosen)), np.tile(chosen, len(touched)))
                for product in (near @ given, np.abs(near) @ bound)
            )  # type: ignore[misc]
            continue
        mask = packed < counts[:, None]
        indices = keys[(begin[:, None] + packed)[mask]] % width
        ends = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
        unpacked, size = (csr_array((x[mask], indices, ends), shape=coupling.shape) for x in (given, bound))
        products = coo_array(csr_array(near) @ unpacked), coo_array(abs(csr_array(near)) @ size)
        yield tuple((found.data, touched[found.coords[0]], found.coords[1]) for found in products)  # type: ignore[misc]


def _free(part: SingularPart, coupling: csr_array, reach: csr_array, b: Vector, equality: Rows, tol: float) -> Free:
    """The free unknowns of a singular part, those alone that have to do with the other rows."""
    rows, paired = _coupled(part.left, coupling.T, part.row_scale)
    columns, moving = _coupled(part.right, reach, part.column_scale)
    _refuse_contradiction(part, rows[:, paired:], b, equality, tol)
    count = max(paired, moving)
    return Free(part, columns[:, :count], rows[:, :count] * (np.arange(count) < paired))


def _refuse_contradiction(part: SingularPart, left: Vector, b: Vector, equality: Rows, tol: float) -> None:
    """What combinations of rows that hold no unknown at all leave of b must be rounding."""
    inner = b[equality][part.rows]
    gap = np.abs(left @ (left.T @ inner)) / part.row_scale**2
    z, size = -part.solve(inner), abs(part.block)
    off = relative_violation(size, size @ np.abs(z) + np.abs(inner), gap, tol)
    wrong = np.flatnonzero(off > tol)
    if len(wrong):
        rows = equality[part.rows]
        best = np.zeros(len(b))
        best[rows] = z
        left_over = np.zeros(len(b))
        left_over[rows] = part.block @ z + inner
        error = failure("inconsistent", best, left_over, float(off.max()), int(rows[off.argmax()]))
        error.rows = tuple(int(i) for i in rows[wrong])
        raise error


def _coupled(basis: Vector, coupling: Matrix, scale: Vector) -> tuple[Vector, int]:
    """The basis turned so that its first vectors, as many as the number says, couple with other rows.

    Its vectors are orthonormal once divided by ``scale``.
    """
    if not basis.shape[1] or not coupling.nnz:
        return basis, 0
    image, unit = _image(coupling, basis, scale)
    values, turn = np.linalg.svd(image[unit > 0.0] / unit[unit > 0.0, None])[1:]
    return basis @ turn.T, int((values > RANK).sum())


def _image(coupling: Matrix, basis: Vector, scale: Vector) -> tuple[Vector, Vector]:
    """``coupling`` times the basis without rounding, and what entries of the basis near 1 would give at most."""
    image, unit = coupling @ basis, abs(coupling) @ scale
    image[np.abs(image) <= ROUNDING * unit[:, None]] = 0.0
    return image, unit


def _bordered(
    reduced: csr_array, offset: Vector, free: list[Free], outer: csr_array, lower: csr_array, inner: Vector
) -> tuple[csr_array, Vector]:
    """The reduced problem with its free unknowns and their rows."""
    if not free:
        return reduced, offset
    by_column = lower.tocsc()
    sides = [_image(by_column[:, f.part.rows], f.columns, f.part.column_scale)[0] for f in free]
    bottoms = [_image(outer[f.part.rows].T, f.rows, f.part.row_scale)[0] for f in free]
    ends = []
    for f in free:
        end, terms = f.rows.T @ inner[f.part.rows], np.abs(f.rows).T @ np.abs(inner[f.part.rows])
        ends.append(np.where(np.abs(end) <= ROUNDING * terms, 0.0, end))
    side, bottom = csr_array(np.column_stack(sides)), csr_array(np.column_stack(bottoms).T)
    matrix = csr_array(block_array([[reduced, side], [bottom, None]]))
    return matrix, np.concatenate([offset, *ends])
