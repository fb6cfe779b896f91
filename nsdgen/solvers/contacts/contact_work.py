"""The work on a friction problem in the contacts' own variables: all parts at once, then each that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import undetermined_reactions
from nsdgen.solvers.certify.contact_certificate import Measure
from nsdgen.solvers.certify.friction_failure import (
    beyond_doubles,
    excluded_by_reactions,
    masses_hint,
    no_slip_hint,
    not_converged,
    unsupported_by_reactions,
)
from nsdgen.solvers.contacts._contacts import solve_dense
from nsdgen.solvers.contacts.contact_attempts import FINEST, PRECISE, SOLVERS, attempts
from nsdgen.solvers.contacts.contact_graph import ContactGraph, contact_graph, largest_entries
from nsdgen.solvers.contacts.contact_measure import friction_residual, measure_of
from nsdgen.solvers.contacts.no_slip_cases import no_slip_cases
from nsdgen.solvers.interaction._interaction import solve_islands
from nsdgen.solvers.one_contact._one_contact import projected
from nsdgen.solvers.solution import Solution

Indices = NDArray[np.intc]

_AIM = 1e-2  # of the tolerance: what the solver of a step aims at, whose measure is another than the certificate's


@dataclass(frozen=True)
class ContactData:
    """The checked problem; W (n, n) dense or in compressed rows, q (n,), mu (contacts, disks)."""

    W: Matrix
    q: Vector
    mu: Vector


def solve_contacts(data: ContactData, start: Vector, goal: float, solver: str | None, tried: bool = False) -> Solution:
    """The certified solution of a checked problem from the guess ``start`` (n,); ``goal`` bounds its residual.

    ``solver`` is one of ``contact_attempts.SOLVERS``, None for the automatic choice; ``tried`` says that
    ``solve_dense`` was. Raises ``SolverError`` with the best iterate and the contacts that are off.
    """
    W, q, mu = data.W, data.q, data.mu
    if not q.any():
        return Solution(np.zeros(len(q)), q.copy(), 0.0, "closed form", 0, 0)
    if solver is None and not tried and isinstance(W, np.ndarray):
        found = solve_dense(W, q, mu, len(q) // len(mu), goal, start)[1]
        if found is not None:
            return found  # type: ignore[no-any-return]
    work = ContactWork(data, goal, solver)
    if len(lost := work.unsupported()):
        raise unsupported_by_reactions(lost, np.zeros(len(q)))
    r, residual = work.solve(start)
    u = W @ r + q
    if not residual <= goal:
        if len(work.excluding):
            raise excluded_by_reactions(work.excluding, r, work.proved)
        law = friction_residual(W, q, mu, r, len(q) // len(mu))
        if work.rounded:
            raise beyond_doubles(law, r, goal)
        raise not_converged(law, r, goal, hint=no_slip_hint(mu) or masses_hint(work.graph.unit))
    undetermined = undetermined_reactions(W, r, u, mu, work.measure)
    of_load = work.measure.of_load(u, mu, r)
    return Solution(r, u, residual, work.method, work.iterations, undetermined, work.seconds, of_load)


class ContactWork:
    """One problem on its way to a solution: all parts at once, then each that is left."""

    def __init__(self, data: ContactData, goal: float, solver: str | None) -> None:
        self.data, self.goal, self.solver = data, goal, solver
        self.graph: ContactGraph = contact_graph(data.W, data.q, data.mu)
        self.measure: Measure = measure_of(data.W, data.q, self.graph)
        self.seconds = self.graph.seconds
        self.iterations = 0
        self.methods = {SOLVERS[0] if solver is None else solver}
        self.excluding: NDArray[np.signedinteger] = np.zeros(0, dtype=np.intp)  # contacts that no reactions keep open
        self.proved = False
        self.rounded = False  # a solution of a part was found, but no doubles hold it

    @property
    def method(self) -> str:
        """The last resort that any part needed."""
        return max(self.methods, key=SOLVERS.index)

    def solve(self, start: Vector) -> tuple[Vector, float]:
        """r (n,) of the data and its residual, from the guess ``start`` (n,)."""
        graph, first = self.graph, self.graph.first
        begin = graph.from_data(start)
        tolerance = self._tolerances()
        r = begin.copy()
        if self.solver is None:
            iterations, seconds = solve_islands(*graph.whole.arrays, first, r.ravel(), tolerance)
            self.iterations += iterations
            self.seconds += seconds
        z, residual = self._judged(r)
        left = np.flatnonzero(~((residual <= self.goal) & (self.solver is None)))
        for k in left:
            rows = slice(first[k], first[k + 1])
            r[rows] = self._part(int(k), begin[rows], r[rows], float(tolerance[k]))
            if len(self.excluding):
                break
        if len(left):
            z, residual = self._judged(r)
        return z, float(residual.max())

    def unsupported(self) -> Indices:
        """Contacts that close, q_N < 0, though no reaction changes their normal velocity: W_NN.. = 0."""
        whole = self.graph.whole
        closing = np.flatnonzero(whole.q[:, 0] < 0.0)
        if not len(closing):
            return np.zeros(0, dtype=np.intc)
        largest = np.maximum.reduceat(largest_entries(whole.blocks[:, 0]), whole.start[:-1])
        return np.sort(self.graph.order[closing[largest[closing] == 0.0]])

    def _judged(self, r: Vector) -> tuple[Vector, Vector]:
        """r in the data, put into its cones to the last digit, and the residual of each part."""
        r = projected(self.graph.whole.mu, r)
        z = self.graph.to_data(r)
        residual = self.measure.residual(self.data.W, self.data.q, self.data.mu, z)
        return z, np.maximum.reduceat(residual[self.graph.order], self.graph.first[:-1])

    def _tolerances(self) -> Vector:
        """What the solver of a step must reach in the graph's units, part by part, for both measures."""
        measure, graph = self.measure, self.graph
        coarsest = np.maximum.reduceat(graph.unit, graph.first[:-1])
        some = graph.order[graph.first[:-1]]  # a contact of each part
        own = measure.own_load[some] / (graph.load * measure.own_size[some])
        aim = np.minimum(own, measure.load / (measure.m * coarsest))
        return np.maximum(_AIM * self.goal * aim, FINEST)

    def _judge(self, k: int) -> Callable[[Vector], float]:
        """The certificate of part k at r (contacts, dim) in its units."""
        contacts, matrix, offset = self._data(k)
        unit = self.graph.unit[self.graph.first[k] : self.graph.first[k + 1], None]
        mu = self.data.mu[contacts]
        return lambda r: float(self.measure.residual(matrix, offset, mu, (r * unit).ravel(), contacts).max())

    def _data(self, k: int) -> tuple[Indices, Matrix, Vector]:
        """The contacts of part k, their matrix and their offset."""
        contacts = self.graph.order[self.graph.first[k] : self.graph.first[k + 1]]
        dim = self.graph.whole.q.shape[1]
        rows = (contacts[:, None] * dim + np.arange(dim)).ravel()
        return contacts, self.data.W[rows][:, rows], self.data.q[rows]

    def _part(self, k: int, start: Vector, r: Vector, tolerance: float) -> Vector:
        """The best r of part k that the methods find, from the guess ``start`` and the iterate ``r``."""
        judged = self._judge(k)
        best, least = r, np.inf
        for iterate in self._held(k):
            if (residual := judged(iterate)) < least:
                best, least = iterate, residual
            if least <= self.goal:
                self.methods.add("newton")
                return best
        before = perf_counter()
        asked = False
        for name, iterate, count in attempts(self.graph.part(k), start, self.solver, tolerance):
            self.seconds += perf_counter() - before
            self.iterations += count
            if (residual := judged(iterate)) < least:
                best, least = iterate, residual
            if least <= self.goal:
                self.methods.add(name)
                break
            self.rounded |= name == PRECISE
            # What comes after Newton's method takes long where there is no solution at all.
            if name == "newton" and not asked:
                asked = True
                if self._excluded(k):
                    break
            before = perf_counter()
        return best

    def _held(self, k: int) -> Iterator[Vector]:
        """r (contacts, dim) of part k, in its units, in the cases that its contacts of infinite friction allow."""
        if self.solver is not None or not (self.data.mu >= NO_SLIP).any():
            return
        contacts, W, q = self._data(k)
        unit = self.graph.unit[self.graph.first[k] : self.graph.first[k + 1], None]

        def finite(W: Vector, q: Vector, mu: Vector) -> Vector:
            return solve_contacts(ContactData(W, q, mu), np.zeros(len(q)), self.goal, None).z

        for r in no_slip_cases(W if isinstance(W, np.ndarray) else W.toarray(), q, self.data.mu[contacts], finite):
            iterate = np.ascontiguousarray(r.reshape(len(contacts), -1) / unit)
            yield projected(self.graph.part(k).mu, iterate)

    def _excluded(self, k: int) -> bool:
        """Whether the contacts of part k exclude each other; remembers which, and whether that is a proof."""
        # Imported late: SciPy's linear programs take a while, and few problems need them.
        from nsdgen.solvers.certify.feasible import Feasibility
        from nsdgen.solvers.certify.friction_infeasible import excluding_rows

        contacts, W, q = self._data(k)
        rows, free = np.arange(len(q)).reshape(len(contacts), -1), np.full(len(q), np.inf)
        known, lost = excluding_rows(W, q, -free, free, [(rows, self.data.mu[contacts])])
        self.excluding, self.proved = np.sort(contacts[lost // rows.shape[1]]), known == Feasibility.EXCLUDED
        return known != Feasibility.UNKNOWN
