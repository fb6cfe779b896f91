"""The work on a friction problem in global variables: all parts at once, then each that is left, judged as it goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.best_answer import BestAnswer
from nsdgen.solvers.certify.contact_certificate import FINE
from nsdgen.solvers.certify.global_certificate import GlobalMeasure, global_measure
from nsdgen.solvers.certify.global_infeasible import excluding_contacts
from nsdgen.solvers.global_form.global_attempts import SOLVERS, attempts, newton_step
from nsdgen.solvers.global_form.global_newton import State
from nsdgen.solvers.global_form.global_problem import GlobalProblem, scaled_problem
from nsdgen.solvers.scaling.contact_units import largest_of_part

__all__ = ["GlobalData", "GlobalWork"]

Rows = NDArray[np.signedinteger]

_AIM = 0.01  # of the tolerance: what the solvers aim at, so that the certificate passes
_SINGULAR_AIM = 1e-4  # the same for a singular M, where the load is known from the solution only
_FINEST = 1e-13  # nothing is aimed at below this


@dataclass(frozen=True)
class GlobalData:
    """The checked problem; M and H in compressed columns, b (contacts, dim), mu (contacts, disks)."""

    M: Matrix
    f: Vector
    H: Matrix
    b: Vector
    mu: Vector


class GlobalWork:
    """One problem on its way to a solution: Newton's method on all parts, then each that is left."""

    def __init__(self, data: GlobalData, goal: float, solver: str | None, limit: int) -> None:
        self.data, self.goal, self.solver, self.limit = data, goal, solver, limit
        self.measure: GlobalMeasure = global_measure(data.M, data.f, data.H, data.b)
        self.problem = scaled_problem(data.M, data.f, data.H, data.b, data.mu, self.measure.units)
        self.iterations = 0
        self.methods: set[str] = set()

    @property
    def method(self) -> str:
        """The last resort that any part needed."""
        if not self.methods:
            return self.solver or SOLVERS[0]
        return max(self.methods, key=lambda name: (SOLVERS.index(name.split()[0]), name))

    def solve(self, guess: Vector) -> State:
        """v (n,) and r (contacts * dim,) of the data."""
        units = self.measure.units
        scale = units.contact * units.load[units.part_of_contact]
        r = self.problem.law.project(guess.reshape(self.data.b.shape) / scale[:, None])
        state: State = (self.problem.follow(r), r)
        tolerance = self._tolerances()
        if units.parts == 1:
            v, r = self._part(0, slice(None), slice(None), state, float(tolerance[0]))
            return v, r.ravel()
        if self.solver is None:
            _, state, self.iterations = newton_step(self.problem, state, float(tolerance.min()), self.limit)
        whole = _Part(self.data, self.measure, slice(None), slice(None))
        (v, r), residual = whole.judged(self.problem, state)
        left = np.flatnonzero(residual > self.goal)
        if len(left):
            freedoms = _members(units.part_of_freedom, units.parts)
            contacts = _members(units.part_of_contact, units.parts)
        for k in left:
            mine, own = freedoms[k], contacts[k]
            begin = state[0][mine], state[1][own]
            v[mine], r[own] = self._part(int(k), mine, own, begin, float(tolerance[k]))
        return v, r.ravel()

    def _part(self, k: int, freedoms: Rows | slice, contacts: Rows | slice, start: State, tolerance: float) -> State:
        """The best v and r of part k, in the data, that the methods find from ``start``."""
        if isinstance(freedoms, slice) or isinstance(contacts, slice):
            problem, data = self.problem, self.data
        else:
            problem, data = self.problem.part(freedoms, contacts), _rows_of(self.data, freedoms, contacts)
        judge = _Part(data, self.measure, freedoms, contacts)
        answer, residual = judge.judged(problem, start)
        best = BestAnswer(answer, residual[k], self.goal)
        if best.good:
            return answer
        suspected = False
        for name, state, count in attempts(problem, start, self.solver, tolerance, self.limit):
            answer, residual = judge.judged(problem, state)
            if residual[k] > self.goal and problem.residual(*state) <= tolerance:
                # The load was overestimated, as it may be where M is singular: on with what it turned out to be.
                finer = tolerance * max(_AIM * self.goal / residual[k], _FINEST)
                _, state, more = newton_step(problem, state, finer, self.limit)
                count += more
                answer, residual = judge.judged(problem, state)
            if best.offer(answer, residual[k], count):
                self.methods.add(name)
                break
            if name != "newton" and not suspected and self.solver is None:
                # Before more is spent: there may be nothing to find.
                suspected, units = True, self.measure.units
                if len(excluding_contacts(data.H, data.b, units.freedom[freedoms], units.contact[contacts])):
                    break
        self.iterations += best.iterations
        return best.answer

    def residuals(self, v: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Of the rows of the dynamics and of the contacts."""
        data = self.data
        return self.measure.dynamics(data.M, data.f, data.H, v, r), self.measure.law(data.H, data.b, data.mu, v, r)

    def _tolerances(self) -> Vector:
        """What the natural map in natural units must fall to, part by part, for both measures of a contact."""
        measure, units = self.measure, self.measure.units
        unit = units.contact * units.load[units.part_of_contact]
        coarsest = largest_of_part(unit, units.part_of_contact, units.parts)
        common = np.divide(measure.load, measure.m * coarsest, out=np.ones(units.parts), where=coarsest > 0.0)
        aim = _AIM * np.minimum(1.0, common) if units.regular else np.full(units.parts, _SINGULAR_AIM)
        return np.maximum(aim * self.goal, _FINEST)


@dataclass(frozen=True)
class _Part:
    """Some freedoms and contacts, or all, and what judges them: ``data`` holds their rows."""

    data: GlobalData
    measure: GlobalMeasure
    freedoms: Rows | slice
    contacts: Rows | slice

    def judged(self, problem: GlobalProblem, state: State) -> tuple[State, Vector]:
        """v, r (contacts, dim) in the data, r inside its cones, and the residual of each part (parts).

        The velocities of ``state`` satisfy the law best, those that follow from r the dynamics; each part takes the
        better ones.
        """
        r = problem.law.project(state[1])
        best, least = self._tried(state[0], r)
        if problem.regular and least.max() > FINE:
            (v, _), residual = self._tried(problem.follow(r), r)
            better = (residual < least)[self.measure.units.part_of_freedom[self.freedoms]]
            best, least = (np.where(better, v, best[0]), best[1]), np.minimum(residual, least)
        return best, least

    def _tried(self, v: Vector, r: Vector) -> tuple[State, Vector]:
        data, measure, units = self.data, self.measure, self.measure.units
        part_of_freedom, part_of_contact = units.part_of_freedom[self.freedoms], units.part_of_contact[self.contacts]
        v = v * units.freedom[self.freedoms] * units.load[part_of_freedom]
        r = r * (units.contact[self.contacts] * units.load[part_of_contact])[:, None]
        dynamics = measure.dynamics(data.M, data.f, data.H, v, r.ravel(), self.freedoms)
        law = measure.law(data.H, data.b, data.mu, v, r.ravel(), self.contacts)
        residual = np.maximum(
            largest_of_part(dynamics, part_of_freedom, units.parts), largest_of_part(law, part_of_contact, units.parts)
        )
        return (v, r), residual


def _rows_of(data: GlobalData, freedoms: Rows, contacts: Rows) -> GlobalData:
    """The problem of some freedoms and contacts that nothing joins to others."""
    dim = data.b.shape[1]
    columns = (contacts[:, None] * dim + np.arange(dim)).ravel()
    return GlobalData(
        csc_array(data.M[freedoms][:, freedoms]), data.f[freedoms], csc_array(data.H[freedoms][:, columns]),
        data.b[contacts], data.mu[contacts],
    )  # fmt: skip


def _members(part: Rows, parts: int) -> list[Rows]:
    """What belongs to each part."""
    order = np.argsort(part, kind="stable")
    return np.split(order, np.searchsorted(part[order], np.arange(1, parts)))
