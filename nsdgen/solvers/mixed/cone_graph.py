"""Rows of several cones, friction among them, as nodes of the graph of a step: one contact or one other row each.

Parts that nothing connects are problems of their own, in natural units and their own load; a part without friction is
one of bounded rows. The solver of a step starts from the guess, then from rest, then from many other places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import MOST_ROWS, undetermined_reactions
from nsdgen.solvers.certify.contact_certificate import Measure
from nsdgen.solvers.certify.mixed_certificate import Contacts, mixed_certificate
from nsdgen.solvers.contacts._contacts import solve_dense
from nsdgen.solvers.contacts.planar_precise import planar_on_bodies
from nsdgen.solvers.interaction._interaction import solve_arrays
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import CONES, NEWTON, entries, graph_arrays
from nsdgen.solvers.mixed.condensed_rows import OWN, CondensedRows, condensed_rows
from nsdgen.solvers.one_contact._one_contact import projected
from nsdgen.solvers.solution import Solution, failure

Rows = NDArray[np.intp]
Attempt = tuple[Vector, int, int, float, str]  # z, iterations, deficiency, seconds, method
UNCOUNTED = -1  # a deficiency that is counted where z passes

SOLVERS = ("condensed", "newton")  # equality rows left out, or kept
AIMS = (1e-2, 1e-4)  # of the tolerance: what the natural map of a step is asked for, whose measure is another one
KEPT_AIM = 1e-3  # the same for Newton's method alone
FINEST = 1e-13  # nothing is aimed at below this
ANY_ORDER = 16  # nodes up to which any order of elimination is quicker than to look for a good one
STARTS = 3_000  # divided by the rows: starts far and wide
MOST_STARTED = 60  # rows up to which there are any
SUSPECTED = 4  # attempts after which it is asked whether the signs exclude each other: a linear program costs as much
MOST_SHORTENED = 1000  # equality rows up to which their shortest multipliers are looked for: dense work
FAR_APART = 2.0**10  # units of multipliers that a shortest one does not mix
RANK = 1e-12  # of the largest singular value: a smaller one is rounding


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

    def solution(self, start: Vector, solver: str | None) -> Solution:
        """The certified solution from a guess (n,) in the data, z and w in the data; ``solver`` is one of SOLVERS."""
        problem, best, least = self.problem, np.zeros(len(self.rows)), np.inf
        y, steps, seconds = best, 0, 0.0
        for tried, (z, count, deficiency, took, name) in enumerate(
            self._attempts(start[self.rows] / self.unit, solver)
        ):
            if tried == SUSPECTED and self._excluded[1]:
                break
            steps, seconds = steps + count, seconds + took
            for rows, mu in self.laws:
                z[rows] = projected(mu, z[rows])
            found, off = self.judged(z)
            if float(off.max()) < least:
                open_ = deficiency if deficiency >= 0 else self._open_reactions(z)
                best, y, least, worst = z, found, float(off.max()), int(off.argmax())
            if least <= problem.tol:
                if open_:
                    best, y, least = self._shortest(best, y, least)
                z, w, of_load = self.unit * best, self.rate * y, self._of_load(best, y)
                return Solution(z, w, least, name, steps, open_, seconds, of_load)
        raise self._refusal(best, y, least, worst)

    def judged(self, z: Vector) -> tuple[Vector, Vector]:
        """y (n,) with exact signs and what each row is off by (n,), at z (n,) in these units."""
        problem = self.problem
        return mixed_certificate(
            problem.A, problem.b, problem.lower, problem.upper, self.laws, z, problem.tol, self._load
        )  # fmt: skip

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
        found, off = self.judged(short)
        if off.max() <= self.problem.tol:
            return short, found, float(off.max())
        return z, y, residual

    @cached_property
    def laws(self) -> list[Contacts]:
        """Rows and coefficients of the contacts of each dimension."""
        result = []
        for dim in CONES:
            chosen = [contact for contact in self.problem.contacts if len(contact.rows) == dim]
            mu = np.array([(contact.mu, contact.mu_rolling) for contact in chosen])
            if chosen:
                rows = np.array([contact.rows for contact in chosen])
                result.append((rows, np.minimum(mu[:, : 2 if dim == 5 else 1], NO_SLIP)))
        return result

    def _attempts(self, start: Vector, solver: str | None) -> Iterator[Attempt]:
        """What is tried, one after the other, from a guess (n,)."""
        less, unknown = self._graph[2], self._unknown
        kept = unknown.any() and solver != SOLVERS[0]
        if kept and (less is None or solver):
            yield from self._with_unknowns(start)
        if solver and (kept or less is None):
            return
        if less is not None and len(self.laws) == 1 and np.array_equal(less.kept, np.sort(self.laws[0][0].ravel())):
            yield from self._as_contacts(less, start)
        yield from self._over_graph(start)
        if less is not None and not solver:
            if kept:
                yield from self._with_unknowns(start)
            yield from self._precise(less)
        yield from self._from_many_starts()

    def _as_contacts(self, less: CondensedRows, start: Vector) -> Iterator[Attempt]:
        """Contacts alone are left, of one dimension."""
        rows, mu = self.laws[0]  # rows of contacts come first, in order
        r = start[less.kept]
        for aim in AIMS:
            goal = max(aim * self.problem.tol, FINEST)
            found = solve_dense(less.A, less.b, np.ascontiguousarray(mu), rows.shape[1], goal, r)[1]
            if found is None:
                return
            r = found.z
            yield less.whole(r), found.iterations, found.rank_deficiency, found.seconds, SOLVERS[0]

    def _over_graph(self, start: Vector) -> Iterator[Attempt]:
        """The solver of a step from the guess, from rest, from where it came to, and with a finer shift."""
        aim = max(AIMS[0] * self.problem.tol, FINEST)
        first = self._from(start, aim)
        yield first
        if start.any():
            yield self._from(np.zeros_like(start), aim)
        yield self._from(first[0], FINEST)
        yield (finer := self._from(start, aim, finer=True))
        yield self._from(finer[0], FINEST)

    def _from(self, z: Vector, tolerance: float, finer: bool = False) -> Attempt:
        """Where the solver of a step comes to; ``finer`` as in ``solve_arrays``."""
        arrays, less = self._arrays, self._graph[2]
        z = z.copy() if less is None else z[less.kept]
        found = solve_arrays(*arrays, z, np.zeros(len(z)), tolerance, finer=finer)
        whole = z if less is None else less.whole(z)
        left = self.problem.A if less is None else less.A
        hidden = self._has_contacts_alone and not (np.abs(left.diagonal()) > OWN).all()
        return whole, found[2] + found[3], UNCOUNTED if hidden else found[4], found[6], SOLVERS[less is None]

    def _with_unknowns(self, start: Vector) -> Iterator[Attempt]:
        """Newton's method alone, the equality rows kept: what condensing them rounds away, or fills, is still there."""
        problem, unknown, (cone, bound, less) = self.problem, self._unknown, self._graph
        own = problem.A.diagonal()
        own = np.where(unknown | (np.abs(own) > OWN), own, 1.0)
        arrays = _arrays(problem.A, problem.b, cone, bound)
        nodes = np.ascontiguousarray(unknown[cone != FOLLOWS], dtype=np.intc)
        for first in (start, np.zeros_like(start)) if start.any() else (start,):
            z = first.copy() if less is None else less.whole(first[less.kept])
            tolerance = max(KEPT_AIM * problem.tol, FINEST)
            found = solve_arrays(*arrays, z, np.zeros(len(z)), tolerance, 1, NEWTON, nodes, own)
            yield z, found[2], UNCOUNTED, found[6], SOLVERS[1]

    @cached_property
    def _has_contacts_alone(self) -> bool:
        """Whether contacts of one dimension stand beside equality rows that they move, and nothing else."""
        return bool(self._unknown.any()) and self.laws[0][0].size + self._unknown.sum() == len(self.rows)

    def _open_reactions(self, z: Vector) -> int:
        """How many reactions are open: those that no equality row feels, whatever definite block these rows have."""
        rows, mu = self.laws[0]
        if not self._has_contacts_alone or rows.size > MOST_ROWS:
            return 0
        rows = rows.ravel()
        across, one = self.problem.A[np.flatnonzero(self._unknown)][:, rows], np.ones(len(mu))
        u = (self.problem.A @ z + self.problem.b)[rows]
        return int(undetermined_reactions(across.T @ across, z[rows], u, mu, Measure(1.0, 1.0, one, one, one)))

    def _precise(self, less: CondensedRows) -> Iterator[Attempt]:
        """Contacts in the plane on bodies without coupling, pivoted with twice the digits, which hold their masses."""
        rows, mu = self.laws[0]
        if len(self.laws) > 1 or rows.shape[1] != 2 or not np.array_equal(rows.ravel(), less.kept):
            return
        z, pivots = planar_on_bodies(self.problem.A, self.problem.b, less.left, mu)
        if z is not None:
            yield z, pivots, UNCOUNTED, 0.0, SOLVERS[0]

    def _from_many_starts(self) -> Iterator[Attempt]:
        """The same from reactions far and wide."""
        problem, n = self.problem, len(self.rows)
        rng = np.random.default_rng(0)  # always the same starts
        for _ in range(STARTS // n if n <= MOST_STARTED else 0):
            z = rng.normal(size=n) * 10.0 ** rng.uniform(-1.0, 1.0)
            z[rng.random(n) < rng.uniform(0.0, 0.8)] = 0.0
            yield self._from(np.clip(z, problem.lower, problem.upper), max(AIMS[0] * problem.tol, FINEST))

    @cached_property
    def _arrays(self) -> tuple[object, ...]:
        """What is left, as the solver of a step takes it."""
        problem, (cone, bound, less) = self.problem, self._graph
        if less is None:
            return _arrays(problem.A, problem.b, cone, bound)
        return _arrays(less.A, less.b, cone[less.kept], bound[less.kept])

    @cached_property
    def _load(self) -> float | None:
        """What contacts on bodies are loaded with, their velocities without reactions; None for other problems."""
        less = self._graph[2]
        if not self._has_contacts_alone:
            return None
        free = np.zeros(1) if less is None else less.b[np.searchsorted(less.kept, self.laws[0][0].ravel())]
        return float(np.abs(free).max()) or 1.0

    @cached_property
    def _unknown(self) -> NDArray[np.bool_]:
        """The equality rows (n,), where others move through them alone; else none."""
        cone, own = self._graph[0], np.abs(self.problem.A.diagonal()) > OWN
        equality = cone == Cone.EQUALITY
        return equality & ((equality & own).any() and not (equality | own).all())

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
        return float((self.rate * off).max() / (self.rate * np.abs(self.problem.b)).max()) if off.any() else 0.0

    def _refusal(self, z: Vector, y: Vector, residual: float, worst: int) -> SolverError:
        """The error where nothing solved it: rows whose signs exclude each other, or the worst one."""
        lost, proved = self._excluded
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

    @cached_property
    def _excluded(self) -> tuple[Rows, bool]:
        """Rows whose signs exclude each other whatever frictions are, and whether that is proved."""
        # Imported late: SciPy's linear programs take a while, and few problems need them.
        from nsdgen.solvers.certify.feasible import Feasibility
        from nsdgen.solvers.certify.friction_infeasible import excluding_rows

        problem = self.problem
        known, lost = excluding_rows(problem.A, problem.b, problem.lower, problem.upper, self.laws)
        return lost, known == Feasibility.EXCLUDED


def _arrays(A: Matrix, b: Vector, cone: Rows, bound: Vector) -> tuple[object, ...]:
    """A problem as ``solve_arrays`` takes it; the pattern of a graph is symmetric."""
    stored = data, i, j = entries(A)
    if len(data) < len(b) ** 2:
        stored = np.concatenate([np.zeros(len(data)), data]), np.concatenate([j, i]), np.concatenate([i, j])
    count = int((cone != FOLLOWS).sum())
    order = np.arange(count, dtype=np.intc) if count <= ANY_ORDER else None
    return graph_arrays(stored, b, cone, bound, order)
