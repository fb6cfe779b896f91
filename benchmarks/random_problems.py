"""Random one-step problems with a solution known by construction, or known to have none.

Signs, active rows and, at contacts, the cases (open, sticking, slipping, and the borders between
them) are drawn first, then q = w - M z. ``row_unit`` and ``column_unit`` are powers of two: with
M = diag(row_unit) M0 diag(column_unit) the problem in its natural units, M0, is got back
without rounding, whatever the scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Rng = np.random.Generator

LARGEST = 30  # unknowns, about
BAD_SCALE = 26.6  # binary digits: units from 1e-8 to 1e8
DENSE_DEGENERACY = 0.35  # share of rows with z = w = 0 in degenerate problems


@dataclass(frozen=True)
class Contact:
    """Rows of one contact, normal first, with its friction coefficients."""

    rows: NDArray[np.intp]
    mu: float
    mu_rolling: float = 0.0


@dataclass(frozen=True)
class RandomProblem:
    """w = M z + q with bounds row by row (rows of contacts have none), and ``contacts``.

    ``known`` is a solution, None where there is none; ``motion`` says that w is unique then.
    """

    kind: str
    M: Vector
    q: Vector
    lower: Vector
    upper: Vector
    contacts: tuple[Contact, ...]
    known: Vector | None
    motion: bool
    row_unit: Vector
    column_unit: Vector

    def natural(self, z: Vector) -> tuple[Vector, Vector, Vector]:
        """M, q and z in natural units, exactly."""
        return self.M / self.row_unit[:, None] / self.column_unit, self.q / self.row_unit, z * self.column_unit

    def solve(self, **options: Any) -> Any:
        """A ``Solution`` by the public function for this kind of problem."""
        from nsdgen import solvers

        if self.kind == "lcp":
            return solvers.solve_lcp(self.M, self.q, **options)
        if self.kind == "mlcp":
            return solvers.solve_mlcp(self.M, self.q, np.isinf(self.lower), **options)
        if self.kind == "box":
            return solvers.solve_box(self.M, self.q, self.lower, self.upper, **options)
        if self.kind == "mixed":
            return solvers.solve_mixed(self.M, self.q, self.blocks(), **options)
        dim = len(self.contacts[0].rows)
        mu = np.array([contact.mu for contact in self.contacts])
        if dim == 5:
            options["mu_rolling"] = np.array([contact.mu_rolling for contact in self.contacts])
        return solvers.solve_friction(self.M, self.q, mu, dim, **options)

    def blocks(self) -> list[tuple[str, Any, Any]]:
        """The blocks of this problem for ``solve_mixed``."""
        free = np.ones(len(self.q), dtype=bool)
        result: list[tuple[str, Any, Any]] = []
        for contact in self.contacts:
            free[contact.rows] = False
            data = (contact.mu, contact.mu_rolling) if len(contact.rows) == 5 else contact.mu
            result.append(("friction", contact.rows, data))
        for row in np.flatnonzero(free):
            low, high = self.lower[row], self.upper[row]
            if np.isinf(low) and np.isinf(high):
                result.append(("equality", row, None))
            elif low == 0.0 and np.isinf(high):
                result.append(("complementarity", row, None))
            else:
                result.append(("box", row, (low, high)))
        return result


# -- matrices: each (n, n), meant as M in natural units ----------------------------------------


def p_matrix(rng: Rng, n: int) -> Vector:
    """Positive definite and unsymmetric; or triangular, shuffled: a P-matrix that is not definite."""
    if rng.random() < 0.5:
        root, skew = rng.normal(size=(n, n)), rng.normal(size=(n, n))
        return root @ root.T / n + 0.1 * np.eye(n) + skew - skew.T
    order = rng.permutation(n)
    triangle = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < min(1.0, 4.0 / n)), 1)
    return (triangle + np.diag(rng.uniform(0.5, 2.0, n)))[np.ix_(order, order)]


def semidefinite(rng: Rng, n: int) -> Vector:
    """Of any rank, one time in three with a skew part."""
    root = rng.normal(size=(n, rng.integers(1, n + 1)))
    M = root @ root.T
    if rng.random() < 1.0 / 3.0:
        skew = rng.normal(size=(n, n))
        M += skew - skew.T
    return M


def delassus(rng: Rng, n: int) -> Vector:
    """H M^-1 H^T of n rows on n / 3 degrees of freedom."""
    directions = rng.normal(size=(n, max(1, n // 3)))
    return (directions / rng.uniform(0.5, 2.0, directions.shape[1])) @ directions.T


def copositive_plus(rng: Rng, n: int) -> Vector:
    """Strictly copositive (nonnegative, indefinite) and semidefinite parts, coupled skew-symmetrically."""
    first = int(rng.integers(1, n + 1))
    M = np.zeros((n, n))
    M[:first, :first] = rng.uniform(0.0, 3.0, (first, first)) + np.diag(rng.uniform(0.1, 1.0, first))
    if first < n:
        M[first:, first:] = semidefinite(rng, n - first) if rng.random() < 0.5 else 0.0
        coupling = rng.normal(size=(first, n - first))
        M[:first, first:], M[first:, :first] = -coupling, coupling.T
    return M


def small_integers(rng: Rng, n: int) -> Vector:
    """Semidefinite, of integers: ties are exact."""
    root = rng.integers(-2, 3, (n, int(rng.integers(1, n + 1)))).astype(float)
    return root @ root.T


MATRICES: dict[str, Callable[[Rng, int], Vector]] = {
    "P-matrix": p_matrix,
    "semidefinite": semidefinite,
    "copositive-plus": copositive_plus,
    "degenerate": small_integers,
    "rank-deficient": delassus,
}
NOT_FOR_BOXES = ("copositive-plus",)


# -- rows with bounds ----------------------------------------------------------------------------


def _bounds(rng: Rng, kind: str, n: int) -> tuple[Vector, Vector]:
    lower, upper = np.zeros(n), np.full(n, np.inf)
    if kind == "mlcp":
        lower[rng.random(n) < rng.choice([0.1, 0.3, 0.6])] = -np.inf
    elif kind == "box":
        lower = np.where(rng.random(n) < 0.8, rng.integers(-3, 2, n).astype(float), -np.inf)
        width = np.where(rng.random(n) < 0.1, 0.0, rng.integers(1, 5, n))
        upper = np.where(rng.random(n) < 0.7, np.where(np.isinf(lower), 1.0, lower) + width, np.inf)
    return lower, upper


def _signs(rng: Rng, lower: Vector, upper: Vector, degenerate: bool) -> tuple[Vector, Vector]:
    """(z, w) with -w in N_[lower,upper](z)."""
    n = len(lower)
    case = rng.choice([-1, 0, 1], n, p=[0.35, 0.4, 0.25])
    case[(case == -1) & np.isinf(lower)] = 0
    case[(case == 1) & np.isinf(upper)] = 0
    size = rng.integers(1, 4, n).astype(float) if degenerate else rng.exponential(1.0, n)
    share = rng.choice([0.25, 0.5, 0.75], n) if degenerate else rng.uniform(0.05, 0.95, n)
    low = np.where(np.isinf(lower), np.where(np.isinf(upper), 0.0, upper) - 2.0 * size, lower)
    high = np.where(np.isinf(upper), low + 2.0 * size, upper)
    inside = np.where(np.isinf(lower) & np.isinf(upper), (2.0 * share - 1.0) * size, low + share * (high - low))
    z = np.where(case < 0, lower, np.where(case > 0, upper, inside))
    w = np.where(case < 0, size, np.where(case > 0, -size, 0.0))
    if degenerate:
        w[rng.random(n) < DENSE_DEGENERACY] = 0.0
    return z, w


def _make_saddle(rng: Rng, M: Vector, free: NDArray[np.bool_]) -> None:
    """Free rows as multipliers of equalities: no block of their own, coupled in either sign convention."""
    M[np.ix_(free, free)] = 0.0
    M[np.ix_(free, ~free)] = rng.choice([-1.0, 1.0]) * M[np.ix_(~free, free)].T


def bounded(rng: Rng, kind: str, matrix: str, scaled: bool = False) -> RandomProblem:
    """A solvable LCP, MLCP or box problem."""
    n = int(rng.integers(1, LARGEST + 1))
    M = MATRICES[matrix](rng, n)
    lower, upper = _bounds(rng, kind, n)
    free = np.isinf(lower) & np.isinf(upper)
    if matrix == "copositive-plus" or (kind == "mlcp" and matrix != "P-matrix" and rng.random() < 0.3):
        _make_saddle(rng, M, free)
    z, w = _signs(rng, lower, upper, matrix == "degenerate" or rng.random() < 0.1)
    # Of a symmetric semidefinite M all solutions share w; turned equality rows do not change that.
    symmetric = kind != "mlcp" and matrix in ("degenerate", "rank-deficient")
    one = np.ones(n)
    problem = RandomProblem(kind, M, w - M @ z, lower, upper, (), z, symmetric, one, one)
    return badly_scaled(rng, problem) if scaled else problem


def badly_scaled(rng: Rng, problem: RandomProblem) -> RandomProblem:
    """Rows and columns in units between 1e-8 and 1e8: the same problem."""
    n = len(problem.q)
    row, column = (np.exp2(np.rint(rng.uniform(-BAD_SCALE, BAD_SCALE, n))) for _ in range(2))
    if rng.random() < 0.5:
        column = row
    for contact in problem.contacts:
        row[contact.rows] = column[contact.rows] = row[contact.rows[0]]
    return rescaled(problem, row, column)


def rescaled(problem: RandomProblem, row: Vector, column: Vector) -> RandomProblem:
    """M -> diag(row) M diag(column); rows of w and z change their units."""
    return replace(
        problem,
        M=problem.M * row[:, None] * column,
        q=problem.q * row,
        lower=problem.lower / column,
        upper=problem.upper / column,
        known=None if problem.known is None else problem.known / column,
        row_unit=problem.row_unit * row,
        column_unit=problem.column_unit * column,
    )


def excluded(rng: Rng, n: int) -> tuple[Vector, Vector]:
    """(root, q) of M = root root^T with u >= 0, M u = 0 and u . q < 0, of integers."""
    root = rng.integers(-2, 3, (n, int(rng.integers(1, n)))).astype(float)
    u = rng.integers(0, 3, n).astype(float)
    u[0] = 1.0
    root[0] = -u[1:] @ root[1:]
    q = rng.integers(-3, 4, n).astype(float)
    q[0] = -1.0 - u[1:] @ q[1:]
    return root, q


def impossible(rng: Rng, kind: str) -> RandomProblem:
    """No solution: u >= 0 with M^T u = 0 and u . q < 0 (for equality rows: != 0), of integers."""
    n = int(rng.integers(2, LARGEST + 1))
    root, q = excluded(rng, n)
    lower = np.zeros(n)
    if kind == "mlcp":
        lower[rng.random(n) < 0.3] = -np.inf
    one = np.ones(n)
    return RandomProblem(kind, root @ root.T, q, lower, np.full(n, np.inf), (), None, False, one, one)


# -- contacts ------------------------------------------------------------------------------------


def _disk(rng: Rng, size: int) -> Vector:
    """A unit vector."""
    x = rng.normal(size=size)
    return x / np.linalg.norm(x)


def _contact_state(rng: Rng, dim: int, mu: tuple[float, ...]) -> tuple[Vector, Vector]:
    """(r, u) of one contact: open, sticking, slipping in each disk, or on a border."""
    r, u = np.zeros(dim), np.zeros(dim)
    disks = [slice(1, min(dim, 3)), slice(3, 5)][: len(mu)]
    case = rng.choice(["open", "closed", "nothing"], p=[0.25, 0.7, 0.05])
    if case == "open":
        u[0] = rng.exponential()
        u[1:] = rng.normal(size=dim - 1)
    if case != "closed":
        return r, u
    r[0] = rng.exponential()
    for disk, radius in zip(disks, mu, strict=True):
        direction = _disk(rng, disk.stop - disk.start)
        share, speed = rng.choice([(0.5, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)], p=[0.4, 0.5, 0.05, 0.05])
        r[disk] = share * radius * r[0] * direction
        u[disk] = -speed * rng.exponential() * direction
    return r, u


def frictional(rng: Rng, dim: int, freedom: str, scaled: bool = False, constructed: bool = True) -> RandomProblem:
    """Contacts of dim 2, 3 or 5: on as many degrees of freedom as rows, or on a third of the contacts'.

    With ``constructed`` False q is in the range of H, as bodies make it, and the problem may
    have no solution.
    """
    contacts = int(rng.integers(1, LARGEST // dim + 1))
    if freedom == "rank-deficient":
        contacts = 3 * max(1, round(contacts / 3))
        directions = rng.normal(size=(contacts * dim, contacts // 3 if rng.random() < 0.5 else contacts))
    else:
        directions = rng.normal(size=(contacts * dim, contacts * dim))
    n = contacts * dim
    W = (directions / rng.uniform(0.5, 2.0, directions.shape[1])) @ directions.T
    disks = 2 if dim == 5 else 1
    limit = rng.choice([0.3, 1.0, 2.0])
    mu = rng.uniform(0.0, limit, (contacts, disks)) * (rng.random((contacts, disks)) > 0.05)
    states = [_contact_state(rng, dim, tuple(row)) for row in mu]
    r, u = (np.concatenate(part) for part in zip(*states, strict=True))
    q = u - W @ r if constructed else directions @ rng.normal(size=directions.shape[1])
    free, one = np.full(n, np.inf), np.ones(n)
    laws = tuple(Contact(np.arange(k * dim, (k + 1) * dim), *map(float, mu[k])) for k in range(contacts))
    problem = RandomProblem("friction", W, q, -free, free, laws, r if constructed else None, False, one, one)
    return badly_scaled(rng, problem) if scaled else problem


def several_cones(rng: Rng, boxes: bool) -> RandomProblem:
    """Equality, complementarity, box and friction rows on common degrees of freedom."""
    sizes = [int(rng.choice([1, 2, 3, 5], p=[0.5, 0.2, 0.2, 0.1])) for _ in range(int(rng.integers(1, 13)))]
    n = sum(sizes)
    directions = rng.normal(size=(n, int(rng.integers(max(1, n // 2), n + 1))))
    A = directions @ directions.T
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    contacts: list[Contact] = []
    z, w = np.zeros(n), np.zeros(n)
    for first, size in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True):
        rows = np.arange(first, first + size)
        if size > 1:
            mu = tuple(float(x) for x in rng.uniform(0.0, 1.0, 2 if size == 5 else 1))
            contacts.append(Contact(rows, *mu))
            z[rows], w[rows] = _contact_state(rng, size, mu)
            continue
        kinds = ["lcp", "mlcp", "box"] if boxes else ["lcp", "mlcp"]
        lower[rows], upper[rows] = _bounds(rng, str(rng.choice(kinds)), 1)
        z[rows], w[rows] = _signs(rng, lower[rows], upper[rows], False)
    one = np.ones(n)
    return RandomProblem("mixed", A, w - A @ z, lower, upper, tuple(contacts), z, False, one, one)


# -- all types -----------------------------------------------------------------------------------


def _types() -> dict[str, Callable[[Rng], RandomProblem]]:
    result: dict[str, Callable[[Rng], RandomProblem]] = {}
    for kind in ("lcp", "mlcp", "box"):
        for matrix in MATRICES:
            if kind == "box" and matrix in NOT_FOR_BOXES:
                continue
            result[f"{kind} {matrix}"] = lambda rng, kind=kind, matrix=matrix: bounded(rng, kind, matrix)
        for matrix in ("P-matrix", "semidefinite"):
            result[f"{kind} {matrix}, badly scaled"] = lambda rng, kind=kind, matrix=matrix: bounded(
                rng, kind, matrix, True
            )
        if kind != "box":
            result[f"{kind} without solution"] = lambda rng, kind=kind: impossible(rng, kind)
    for dim, name in ((2, "2-D"), (3, "3-D"), (5, "rolling")):
        result[f"{name} friction"] = lambda rng, dim=dim: frictional(rng, dim, "full")
        result[f"{name} friction, rank-deficient"] = lambda rng, dim=dim: frictional(rng, dim, "rank-deficient")
        result[f"{name} friction, badly scaled"] = lambda rng, dim=dim: frictional(rng, dim, "full", True)
        result[f"{name} friction, q of motions"] = lambda rng, dim=dim: frictional(
            rng, dim, "rank-deficient", constructed=False
        )
    result["mixed"] = lambda rng: several_cones(rng, False)
    result["mixed with boxes"] = lambda rng: several_cones(rng, True)
    return result


TYPES = _types()
