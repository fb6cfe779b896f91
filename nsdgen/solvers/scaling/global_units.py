"""Units, loads and parts of a friction problem in global variables.

With S (freedoms) and D (contacts) powers of two, v = S v', r = D r', the problem becomes
(S M S) v' = (S H D) r' + S f, u' = (S H D)^T v' + D b. S brings the diagonal of M near 1, D the
diagonal of each contact's own block H_i^T M^-1 H_i; both changes are exact and leave the law as it is.
They are those of masses and lengths row by row, and the only ones that keep H in both equations.

The own blocks are not formed. The diagonal of W is exact where M is diagonal or there are few contacts. Otherwise,
with M + M^T = 2 G^T G, h^T M^-1 h = |G M^-1 h|^2 is estimated from projections of G M^-1 h on PROBES random
directions, one solution with M each, whatever the number of contacts (W. B. Johnson, J. Lindenstrauss, Extensions of
Lipschitz mappings into a Hilbert space, Contemp. Math. 26, 1984); where there is no such G, by the bound of Cauchy
and Schwarz, (h^T h)^2 / (h^T M h), from below. diag(M) alone would not do: where M is stiff, as one of
finite elements or of an implicit scheme, it underestimates the mobility of a contact by the condition of M.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csc_array, csr_array, eye_array
from scipy.sparse.linalg import SuperLU

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.linalg.sparse_lu import NEARLY_SYMMETRIC, sparse_lu
from nsdgen.solvers.scaling.contact_units import NOISE, contact_units, largest_of_part
from nsdgen.solvers.scaling.natural_units import natural_units

__all__ = ["DenseFactor", "Factor", "GlobalUnits", "factorised", "global_units", "in_units", "solve_with"]

SHIFT = 1e-2  # of the diagonal of S M S: what a singular M is measured with
SINGULAR = 1e-13  # of the largest pivot: a smaller one is rounding
MOST_MOBILE = 1e10  # |(S M S)^-1| from which on M counts as singular
DOMINATES = 1e3  # an entry of M beside the root of its diagonal entries, where the diagonal says nothing
FEW = 150  # reactions whose diagonal is exact whatever it costs
CHEAP = 2e7  # multiplications for all diagonals that are always spent
PROBES = 24  # directions: within a factor of two as a rule
CHUNK = 64  # columns solved for at once: enough for matrix products, and never the full inverse in memory

Labels = NDArray[np.signedinteger]
Factor: TypeAlias = "SuperLU | DenseFactor"


@dataclass(frozen=True)
class GlobalUnits:
    """S (freedoms), D (contacts) and what the problem looks like in them.

    ``stiffness`` (contacts, dim) is the diagonal of D W D. ``factor`` holds the factors of S M S where
    ``regular``, otherwise of S M S + SHIFT I, None where that is singular as well. ``velocity`` (n) is
    M^-1 f with them, in units of the data. ``part_of_freedom``, ``part_of_contact`` number the
    independent parts, ``parts`` in all. ``load`` (parts) is max |D q|, q = b + H^T M^-1 f,
    1 for a part without load.
    """

    freedom: Vector
    contact: Vector
    stiffness: Vector
    factor: Factor | None
    regular: bool
    velocity: Vector
    part_of_freedom: Labels
    part_of_contact: Labels
    parts: int
    load: Vector


def global_units(M: Matrix, f: Vector, H: Matrix, b: Vector) -> GlobalUnits:
    """Units of a checked problem; b is (contacts, dim).

    M (n, n) and H (n, contacts * dim) are both dense or both in compressed columns.
    """
    count, dim = b.shape
    freedom = _freedom_units(M, H)
    mass, directions = in_units(M, freedom, freedom), in_units(H, freedom, np.ones(count * dim))
    factor, regular = factorised(mass)
    diagonal = _own_diagonals(mass, directions, factor).reshape(count, dim)
    contact = contact_units(diagonal.max(axis=1, initial=0.0), float(diagonal.max(initial=0.0)))
    velocity = freedom * solve_with(factor, freedom * f)
    of_freedom, of_contact, parts = _parts(M, H, dim)
    q = b + (H.T @ velocity).reshape(count, dim)
    each = np.abs(q).max(axis=1, initial=0.0)
    each = np.maximum(each, NOISE * each.max(initial=0.0)) * contact
    load = largest_of_part(each, of_contact, parts)
    # Where nothing moves a contact, a part is measured by what moves its freedoms.
    alone = largest_of_part(np.abs(freedom * f), of_freedom, parts)
    load = np.where(load > 0.0, load, np.where(alone > 0.0, alone, 1.0))
    return GlobalUnits(
        freedom, contact, diagonal * contact[:, None] ** 2, factor, regular, velocity,
        of_freedom, of_contact, parts, load,
    )  # fmt: skip


def in_units(A: Matrix, row: Vector, column: Vector) -> Matrix:
    """The matrix with row i times ``row[i]`` and column j times ``column[j]``; dense, or in compressed columns."""
    if isinstance(A, np.ndarray):
        return row[:, None] * A * column
    result = csc_array(A).copy()
    result.data *= row[result.indices] * np.repeat(column, np.diff(result.indptr))
    return result


class DenseFactor:
    """A small regular matrix by its inverse, with the interface of SuperLU."""

    def __init__(self, inverse: Vector) -> None:
        self.inverse = inverse

    def solve(self, right: Vector) -> Vector:
        """x with matrix x = ``right`` (n,) or (n, columns)."""
        return np.asarray(self.inverse @ right)


def factorised(mass: Matrix) -> tuple[Factor | None, bool]:
    """Factors of a scaled M, or of M + SHIFT I where it is singular but for rounding; which one it was."""
    n = mass.shape[0]
    if n == 0:
        return None, True
    if isinstance(mass, np.ndarray):
        factor = _inverted(mass)
        return (factor, True) if factor is not None else (_inverted(mass + SHIFT * np.eye(n)), False)
    options: dict[str, Any] = NEARLY_SYMMETRIC if _symmetric(mass) and mass.diagonal().min() > 0.0 else {}
    sparse = sparse_lu(mass, **options)
    if sparse is not None and _is_regular(sparse):
        return sparse, True
    return sparse_lu(csc_array(mass + SHIFT * eye_array(n))), False


def _inverted(mass: Vector) -> DenseFactor | None:
    """None where the inverse is none, or as large as rounding makes it where the matrix is singular."""
    try:
        inverse = np.asarray(np.linalg.inv(mass), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return DenseFactor(inverse) if np.abs(inverse).max() < MOST_MOBILE else None


def _is_regular(factor: SuperLU) -> bool:
    """Whether no pivot is rounding, and two inverse iterations find no direction that M all but maps to zero.

    Small pivots before it may lift a pivot that is rounding far above it.
    """
    pivot = np.abs(factor.U.diagonal())
    if not pivot.min() > SINGULAR * pivot.max():
        return False
    x = np.random.default_rng(0).choice([-1.0, 1.0], size=len(pivot))  # always the same one
    for _ in range(2):
        x = factor.solve(x)
        size = float(np.abs(x).max())
        if not size < MOST_MOBILE:
            return False
        x /= size
    return True


def solve_with(factor: Factor | None, right: Vector) -> Vector:
    """x of M x = right with the factors of ``factorised``; ``right`` itself without any."""
    return right if factor is None else np.asarray(factor.solve(np.ascontiguousarray(right)))


def _freedom_units(M: Matrix, H: Matrix) -> Vector:
    """S from the diagonal of M; from all entries of M and H where the diagonal says too little."""
    diagonal = M.diagonal()
    if (diagonal > 0.0).all():
        root = np.exp2(np.rint(-0.5 * np.log2(diagonal)))
        if _largest(in_units(M, root, root)) <= DOMINATES:
            return root
    left, right = natural_units(csr_array(block_array([[csr_array(M), csr_array(H)], [csr_array(H.T), None]])))
    n = M.shape[0]
    return np.exp2(np.rint(0.5 * (np.log2(left[:n]) + np.log2(right[:n]))))


def _largest(A: Matrix) -> float:
    return float(np.abs(A if isinstance(A, np.ndarray) else A.data).max(initial=0.0))


def _own_diagonals(mass: Matrix, directions: Matrix, factor: Factor | None) -> Vector:
    """h^T M^-1 h of each column of ``directions``, exact or estimated."""
    if isinstance(factor, SuperLU) and mass.nnz == mass.shape[0] and (mass.diagonal() > 0.0).all():
        return np.asarray(directions.power(2).T @ (1.0 / mass.diagonal()))
    columns = directions.shape[1]
    if factor is None:
        return _squares(directions)
    own = np.empty(columns)
    if isinstance(factor, DenseFactor) or columns <= FEW or columns * factor.nnz <= CHEAP:
        for first in range(0, columns, CHUNK):
            part = directions[:, first : first + CHUNK]
            part = part if isinstance(part, np.ndarray) else part.toarray()
            own[first : first + CHUNK] = (part * factor.solve(part)).sum(axis=0)
        # A singular M may make a mobility infinite, or negative by rounding.
        return own if (own > 0.0).all() else np.where(own > 0.0, own, _least_mobility(mass, directions))
    half = _random_halves(mass, factor)
    if half is None:
        return _least_mobility(mass, directions)
    probed = ((directions.T @ factor.solve(half, "T")) ** 2).mean(axis=1)
    return np.where(_squares(directions) > 0.0, probed, 0.0)


def _squares(directions: Matrix) -> Vector:
    """h^T h of each column."""
    return np.asarray((directions * directions).sum(axis=0)).ravel()


def _least_mobility(mass: Matrix, directions: Matrix) -> Vector:
    """(h^T h)^2 / (h^T M h) of each column."""
    length = _squares(directions)
    energy = np.asarray((directions * (mass @ directions)).sum(axis=0)).ravel()
    return np.divide(length**2, np.abs(energy), out=length.copy(), where=energy != 0.0)


def _random_halves(mass: Matrix, factor: SuperLU) -> Vector | None:
    """Random vectors (n, PROBES) of covariance (M + M^T) / 2, None where that is not definite."""
    other: SuperLU | None = factor
    if not _symmetric(mass):
        half = csc_array(0.5 * (mass + mass.T))
        other = sparse_lu(half, **NEARLY_SYMMETRIC) if half.diagonal().min() > 0.0 else None
    if other is None or not np.array_equal(other.perm_r, other.perm_c):
        return None
    pivot = other.U.diagonal()
    if not (pivot > 0.0).all():
        return None
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(len(pivot), PROBES))  # always the same ones
    # P M P^T = L D L^T, row i of M being row perm_r[i] of P M.
    return np.asarray((other.L @ (np.sqrt(pivot)[:, None] * signs))[other.perm_r])


def _symmetric(mass: Matrix) -> bool:
    gap = abs(mass - mass.T)
    return gap.nnz == 0 or bool(gap.max() <= 1e-12 * abs(mass).max())


def _parts(M: Matrix, H: Matrix, dim: int) -> tuple[Labels, Labels, int]:
    """The independent parts: freedoms joined by M, contacts by the freedoms that they act on."""
    n, count = M.shape[0], H.shape[1] // dim
    size = n + count
    if isinstance(M, np.ndarray):
        graph: Matrix = np.zeros((size, size), dtype=bool)
        graph[:n, :n] = M != 0.0
        graph[:n, n:] = (H != 0.0).reshape(n, count, dim).any(axis=2)
    else:
        own, joined = coo_array(M), coo_array(H)
        row = np.concatenate([own.coords[0], joined.coords[0]])
        column = np.concatenate([own.coords[1], joined.coords[1] // dim + n])
        graph = csr_array(coo_array((np.ones(len(row)), (row, column)), shape=(size, size)))
    first, order = connected_parts(graph)
    label = np.empty(size, dtype=np.intp)
    label[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return label[:n], label[n:], len(first) - 1
