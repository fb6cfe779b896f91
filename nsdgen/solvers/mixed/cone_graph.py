"""Rows of several cones, friction among them, as nodes of the graph of a step: one contact or one other row each.

Parts that nothing connects are problems of their own, in natural units and their own load; a part without friction is
one of bounded rows. The solver of a step starts from the guess, then from rest, then from many other places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.mixed_certificate import Contacts, mixed_certificate
from nsdgen.solvers.interaction._one_step import solve_arrays
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import graph_arrays
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.mixed.condensed_rows import CondensedRows, condensed_rows
from nsdgen.solvers.scaling.visible_units import visible_units
from nsdgen.solvers.solution import Solution, failure

__all__ = ["ConePart", "ConeProblem", "ContactRows", "cone_parts"]

Rows = NDArray[np.intp]

CONES = {2: Cone.COULOMB_2D, 3: Cone.COULOMB_3D, 5: Cone.ROLLING}
ALIKE = 2.0**16  # of positive diagonal entries: units are then those of the data
SMALL = 200  # rows up to which a part of a sparse problem is quicker dense
AIM = 1e-2  # of the tolerance: what the natural map of a step is asked for, whose measure is another one
FINEST = 1e-13  # nothing is aimed at below this
ANY_ORDER = 16  # nodes up to which any order of elimination is quicker than to look for a good one
STARTS = 3_000  # divided by the rows: starts far and wide
MOST_STARTED = 60  # rows up to which there are any
MOST_EXCLUDED = 300_000  # entries up to which a linear program says whether the signs exclude each other
MOST_SHORTENED = 1000  # equality rows up to which their shortest multipliers are looked for: dense work
FAR_APART = 2.0**10  # units of multipliers that a shortest one does not mix
RANK = 1e-12  # of the largest singular value: a smaller one is rounding
PULLS = 1e-7  # of the largest multiplier: a row with less is not among those that exclude each other
DROWNS = 1e13  # times b: terms beside which it is no longer seen


@dataclass(frozen=True)
class ContactRows:
    """Rows of one contact, normal first, and its coefficients."""

    rows: Rows
    mu: float
    mu_rolling: float = 0.0


@dataclass(frozen=True)
class ConeProblem:
    """y = A z + b, to the residual ``tol``, with bounds on all rows but those of ``contacts``, whose are infinite."""

    A: Matrix
    b: Vector
    lower: Vector
    upper: Vector
    contacts: list[ContactRows]
    tol: float


@dataclass(frozen=True)
class ConePart:
    """A connected part in natural units and its load, node after node, contacts first.

    ``rows`` (n,) are its rows in the data, where y is ``rate`` (n,) and z is ``unit`` (n,) times that of here.
    """

    rows: Rows
    rate: Vector
    unit: Vector
    problem: ConeProblem

    def solution(self, start: Vector) -> Solution:
        """The certified solution from a guess (n,) in the data, z and w in the data."""
        problem, best, least = self.problem, np.zeros(len(self.rows)), np.inf
        y, steps, seconds = best, 0, 0.0
        for attempt in self._attempts(start[self.rows] / self.unit):
            z, count, deficiency, took = attempt
            steps, seconds = steps + count, seconds + took
            found, off = self._judged(z)
            if float(off.max()) < least:
                best, y, least, worst, open_ = z, found, float(off.max()), int(off.argmax()), deficiency
            if least <= problem.tol:
                if open_:
                    best, y, least = self._shortest(best, y, least)
                z, w, of_load = self.unit * best, self.rate * y, self._of_load(best, y)
                return Solution(z, w, least, "newton", steps, open_, seconds, of_load)
        raise self._refusal(best, y, least, worst)

    def _judged(self, z: Vector) -> tuple[Vector, Vector]:
        problem = self.problem
        return mixed_certificate(problem.A, problem.b, problem.lower, problem.upper, self.laws, z, problem.tol)

    def _shortest(self, z: Vector, y: Vector, residual: float) -> tuple[Vector, Vector, float]:
        """The shortest multipliers of equality rows that do the same, where these are a solution, too."""
        cone, _, less = self._graph
        rows = np.arange(len(z)) if less is None else less.kept
        rows = rows[cone[rows] == Cone.EQUALITY]
        if not 0 < len(rows) <= MOST_SHORTENED:
            return z, y, residual
        block = self.problem.A[:, rows]
        block = block if isinstance(block, np.ndarray) else block.toarray()
        unit = self.unit[rows]
        unit = unit if unit.max() < FAR_APART * unit.min() else np.ones(len(rows))
        short = z.copy()
        short[rows] = np.linalg.lstsq(block / unit, block @ z[rows], rcond=RANK)[0] / unit
        found, off = self._judged(short)
        if off.max() <= self.problem.tol:
            return short, found, float(off.max())
        return z, y, residual

    @property
    def laws(self) -> list[Contacts]:
        """Rows and coefficients of the contacts of each dimension."""
        result = []
        for dim in CONES:
            chosen = [contact for contact in self.problem.contacts if len(contact.rows) == dim]
            mu = np.array([(contact.mu, contact.mu_rolling) for contact in chosen])
            if chosen:
                rows = np.array([contact.rows for contact in chosen])
                result.append((rows, np.ascontiguousarray(mu[:, : 2 if dim == 5 else 1])))
        return result

    def _attempts(self, start: Vector) -> Iterator[tuple[Vector, int, int, float]]:
        """z, iterations, deficiency and seconds of each attempt."""
        problem, n = self.problem, len(start)
        cone, bound, less = self._graph
        A, b, kept = (problem.A, problem.b, np.arange(n)) if less is None else (less.A, less.b, less.kept)
        arrays = _arrays(A, b, cone[kept], bound[kept])

        def from_here(z: Vector, tolerance: float) -> tuple[Vector, int, int, float]:
            z = z[kept].copy()
            found = solve_arrays(*arrays, z, np.zeros(len(z)), tolerance)
            return z if less is None else less.whole(z), found[2] + found[3], found[4], found[6]

        aim = max(AIM * problem.tol, FINEST)
        first = from_here(start, aim)
        yield first
        if start.any():
            yield from_here(np.zeros(n), aim)
        yield from_here(first[0], FINEST)
        if n > MOST_STARTED:
            return
        rng = np.random.default_rng(0)  # always the same starts
        for _ in range(STARTS // n):
            z = rng.normal(size=n) * 10.0 ** rng.uniform(-1.0, 1.0)
            z[rng.random(n) < rng.uniform(0.0, 0.8)] = 0.0
            yield from_here(np.clip(z, problem.lower, problem.upper), aim)

    @cached_property
    def _graph(self) -> tuple[Rows, Vector, CondensedRows | None]:
        """Cones (n,), bounds or coefficients (n, 2), and the rows that are left where some are condensed."""
        lower, upper = self.problem.lower, self.problem.upper
        equality, one_sided = np.isinf(lower) & np.isinf(upper), (lower == 0.0) & np.isinf(upper)
        for contact in self.problem.contacts:
            equality[contact.rows] = False
        cone = np.where(equality, Cone.EQUALITY, np.where(one_sided, Cone.COMPLEMENTARITY, Cone.BOX))
        bound = np.column_stack([lower, upper])
        for contact in self.problem.contacts:
            cone[contact.rows], bound[contact.rows] = FOLLOWS, 0.0
            cone[contact.rows[0]] = CONES[len(contact.rows)]
            bound[contact.rows[0]] = contact.mu, contact.mu_rolling
        return cone, bound, condensed_rows(self.problem.A, self.problem.b, equality)

    def _of_load(self, z: Vector, y: Vector) -> float:
        """What the signs changed most, beside the largest b, in the data."""
        off = np.abs(self.problem.A @ z + self.problem.b - y)
        return float((self.rate * off).max() / (self.rate * np.abs(self.problem.b)).max())

    def _refusal(self, z: Vector, y: Vector, residual: float, worst: int) -> SolverError:
        """The error where nothing solved it: rows whose signs exclude each other, or the worst one."""
        lost, proved = self._excluded()
        reason = "not converged"
        if proved:
            reason = "inconsistent" if (self._graph[0][lost] == Cone.EQUALITY).all() else "infeasible"
        error = failure(reason, z, y, residual, worst)
        error.z, error.rows = self.unit * z, tuple(int(i) for i in np.sort(self.rows[lost])) or (self._named(worst),)
        return error

    def _named(self, row: int) -> int:
        """The row of the data that stands for ``row``: for a contact the normal one."""
        firsts = [contact.rows[0] for contact in self.problem.contacts if row in contact.rows]
        return int(self.rows[firsts[0] if firsts else row])

    def _excluded(self) -> tuple[Rows, bool]:
        """Rows whose signs exclude each other whatever frictions are, and whether that is proved."""
        # Imported late: SciPy's linear programs take a while, and few problems need them.
        from nsdgen.solvers.certify.feasible import Feasibility, exclusion

        problem, none = self.problem, np.zeros(0, dtype=np.intp)
        if (problem.A.size if isinstance(problem.A, np.ndarray) else problem.A.nnz) > MOST_EXCLUDED:
            return none, False
        lower, upper, asked = problem.lower.copy(), problem.upper.copy(), np.ones(len(problem.b), dtype=bool)
        for contact in problem.contacts:
            asked[contact.rows[1:]] = False
            lower[contact.rows[0]] = 0.0
            for k, mu in ((1, contact.mu), (3, contact.mu_rolling)):
                if not mu > 0.0:
                    lower[contact.rows[k : k + 2]] = upper[contact.rows[k : k + 2]] = 0.0
        known, pull = exclusion(problem.A, problem.b, lower, upper, asked, DROWNS)
        if known == Feasibility.UNKNOWN:
            return none, False
        weight = np.abs(pull) * np.ravel(abs(problem.A).sum(axis=1))
        return np.flatnonzero(weight > PULLS * weight.max()), known == Feasibility.EXCLUDED


def cone_parts(whole: ConeProblem) -> tuple[list[ConePart], Rows]:
    """The connected parts with friction, and the rows of all others."""
    n = len(whole.b)
    touched = np.concatenate([contact.rows for contact in whole.contacts])
    others = np.ones(n, dtype=bool)
    others[touched] = False
    order = np.concatenate([touched, np.flatnonzero(others)])
    heights = np.ones(len(whole.contacts) + n - len(touched), dtype=np.intp)
    heights[: len(whole.contacts)] = [len(contact.rows) for contact in whole.contacts]
    sizes = _sizes(whole.A, order, heights)
    first, nodes = connected_parts(sizes)
    rate, unit = _units(sizes)
    ends, result, rest = np.cumsum(heights), [], []
    for a, c in pairwise(first):
        mine = np.sort(nodes[a:c])
        rows = np.concatenate([order[ends[p] - heights[p] : ends[p]] for p in mine])
        if mine[0] >= len(whole.contacts):
            rest.append(rows)
            continue
        height = heights[mine]
        result.append(_part(whole, [whole.contacts[p] for p in mine[mine < len(whole.contacts)]], rows,
                            np.repeat(rate[mine], height), np.repeat(unit[mine], height)))  # fmt: skip
    return result, np.sort(np.concatenate(rest)) if rest else np.zeros(0, dtype=np.intp)


def _part(whole: ConeProblem, contacts: list[ContactRows], rows: Rows, rate: Vector, unit: Vector) -> ConePart:
    """The rows ``rows``, those of ``contacts`` first, in units rate y and z / unit."""
    A = whole.A[rows[:, None], rows] if isinstance(whole.A, np.ndarray) else whole.A[rows][:, rows]
    if not isinstance(A, np.ndarray) and len(rows) <= SMALL:
        A = A.toarray()
    if isinstance(A, np.ndarray):
        A = rate[:, None] * A * unit
    else:
        A = csr_array(A.multiply(rate[:, None]).multiply(unit[None, :]))
    b = rate * whole.b[rows]
    load = np.exp2(np.rint(np.log2(np.abs(b).max() or 1.0)))
    unit, ends = unit * load, np.cumsum([len(contact.rows) for contact in contacts])
    inner = [
        ContactRows(np.arange(end - len(contact.rows), end), contact.mu, contact.mu_rolling)
        for contact, end in zip(contacts, ends, strict=True)
    ]
    problem = ConeProblem(A, b / load, whole.lower[rows] / unit, whole.upper[rows] / unit, inner, whole.tol)
    return ConePart(rows, load / rate, unit, problem)


def _arrays(A: Matrix, b: Vector, cone: Rows, bound: Vector) -> tuple[object, ...]:
    """A problem as ``solve_arrays`` takes it; the pattern of a graph is symmetric."""
    entries = data, i, j = _entries(A)
    if len(data) < len(b) ** 2:
        entries = np.concatenate([np.zeros(len(data)), data]), np.concatenate([j, i]), np.concatenate([i, j])
    count = int((cone != FOLLOWS).sum())
    order = np.arange(count, dtype=np.intc) if count <= ANY_ORDER else None
    return graph_arrays(entries, b, cone, bound, order)


def _entries(A: Matrix) -> tuple[Vector, Rows, Rows]:
    """Values, rows and columns of the entries."""
    if isinstance(A, np.ndarray):
        i, j = np.nonzero(A)
        return A[i, j], i, j
    return A.data, np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)), A.indices


def _sizes(A: Matrix, order: Rows, heights: Rows) -> Matrix:
    """The largest |entry| between any two nodes of ``heights``, whose rows are ``order``; the pattern is symmetric."""
    count, ends = len(heights), np.cumsum(heights)
    if isinstance(A, np.ndarray):
        size, first = np.abs(A[order[:, None], order]), ends - heights
        if len(order) > count:
            size = np.maximum.reduceat(np.maximum.reduceat(size, first, axis=0), first, axis=1)
        # So small that it counts for nothing but a connection.
        return np.where((size == 0.0) & (size.T != 0.0), np.finfo(float).tiny, size)
    node = np.empty(len(order), dtype=np.intp)
    node[order] = np.repeat(np.arange(count), heights)
    data, i, j = _entries(A)
    data, i, j, every = np.abs(data), node[i], node[j], np.arange(count) * (count + 1)
    keys, place = np.unique(np.concatenate([i * count + j, j * count + i, every]), return_inverse=True)
    largest = np.zeros(len(keys))
    np.maximum.at(largest, place[: len(data)], data)
    return csr_array(coo_array((largest, np.divmod(keys, count)), shape=(count, count)))


def _units(sizes: Matrix) -> tuple[Vector, Vector]:
    """Powers of two for y and z of each node."""
    diagonal, one = sizes.diagonal(), np.ones(sizes.shape[0])
    if diagonal.min() > 0.0 and diagonal.max() < ALIKE * diagonal.min():
        return one / np.exp2(np.rint(np.log2(diagonal.max()))), one
    return visible_units(sizes)
