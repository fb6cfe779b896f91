"""The work on a friction problem in global variables: what is tried, in which order, judged as it goes.

``condensed``  W = H^T M^-1 H and q = H^T M^-1 f + b by ``solve_contacts``; where masses are far apart in the plane
               first by pivoting with twice the digits, which keeps them
``proximal``   where M is singular: the same for M + s I and f + s v_k, whose solution is v_k+1, until v stays where it
               is (the proximal point method; R. T. Rockafellar, SIAM J. Control Optim. 14, 1976)
``newton``     Newton's method on (v, r), where W would fill, and at last
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array

from nsdgen.abi import NO_SLIP
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.best_answer import BestAnswer
from nsdgen.solvers.certify.global_certificate import GlobalMeasure, global_measure
from nsdgen.solvers.certify.global_infeasible import excluding_contacts
from nsdgen.solvers.contacts.contact_work import ContactData, solve_contacts
from nsdgen.solvers.contacts.planar_precise import PRECISE_CONTACTS, planar_reactions
from nsdgen.solvers.global_form.global_problem import GlobalData, GlobalProblem, scaled_problem
from nsdgen.solvers.global_form.mass_kept import State, newton
from nsdgen.solvers.linalg.double_double import DoubleDouble, outer, product
from nsdgen.solvers.one_contact._friction_cone import projected
from nsdgen.solvers.scaling.contact_units import largest_of_part
from nsdgen.solvers.scaling.global_units import factorised, solve_with

__all__ = ["SOLVERS", "GlobalWork"]

SOLVERS = ("condensed", "proximal", "newton")

Rows = NDArray[np.signedinteger]
Step = tuple[str, State, int]  # method, iterate in natural units, iterations

AIMS = (1e-2, 1e-4)  # of the tolerance: what the condensed problem is solved to, whose certificate has its own measure
FINEST = 1e-13  # nothing is aimed at below this
KEPT_AIM = 1e-3  # of the tolerance: what Newton's method aims at
SHIFTS = ((1e-2, 10), (1e-4, 20), (1e-3, 40))  # s of the proximal method, beside M_ii near 1, and its rounds with it
STANDS = 1e-12  # of v: a round that changes less is the last one with its shift
STARTS = 12  # reactions far and wide from which Newton's method is tried at last
MOST_STARTED = 60  # reactions up to which it is


class GlobalWork:
    """One problem on its way to a solution."""

    def __init__(self, data: GlobalData, goal: float, solver: str | None) -> None:
        self.data, self.goal, self.solver = data, goal, solver
        self.measure: GlobalMeasure = global_measure(data.M, data.f, data.H, data.b)
        self.problem = scaled_problem(data, self.measure.units)
        self.iterations, self.residual = 0, np.inf
        self.method = solver or ("condensed" if self.measure.units.regular else "proximal")

    def solve(self, guess: Vector) -> State:
        """v (n,) and r (contacts * dim,) of the data."""
        units = self.measure.units
        scale = units.contact * units.load[units.part_of_contact]
        r = projected(self.data.mu, guess.reshape(self.data.b.shape) / scale[:, None])
        answer, residual = self._judged((self.problem.follow(r), r))
        best = BestAnswer(answer, residual, self.goal)
        suspected = best.good
        for name, state, count in () if best.good else self._attempts(r):
            if best.offer(*self._judged(state), count):
                self.method = name
                break
            if not suspected and self.solver is None:
                # Before more is spent: there may be nothing to find.
                suspected = True
                if len(excluding_contacts(self.data.H, self.data.b, units.freedom, units.contact)):
                    break
        self.iterations, self.residual = best.iterations, best.residual
        v, r = best.answer
        return v, r.ravel()

    def residuals(self, v: Vector, r: Vector) -> tuple[Vector, Vector]:
        """Of the rows of the dynamics and of the contacts."""
        data = self.data
        return self.measure.dynamics(data.M, data.f, data.H, v, r), self.measure.law(data.H, data.b, data.mu, v, r)

    def _attempts(self, r: Vector) -> Iterator[Step]:
        """Iterates to certify; ends when there is nothing left to try."""
        problem = self.problem
        if self.solver is not None:
            run = {"condensed": self._condensed, "proximal": self._proximal, "newton": self._newton}[self.solver]
            yield from run(r)
            return
        if problem.uneven:  # W may have lost masses, and would be searched long for what is not in it
            yield from self._newton(r)
            yield from self._proximal(r)
            yield from _planar(problem)
        yield from self._condensed(r) if problem.regular else self._proximal(r)
        if not problem.uneven:
            yield from self._newton(r)
        yield from self._from_many_starts()

    def _condensed(self, r: Vector) -> Iterator[Step]:
        """By ``solve_contacts``, twice where its certificate is content too early."""
        problem = self.problem
        W = problem.mobility(problem.factor) if problem.regular else None
        if W is None:
            return
        q = problem.velocity(problem.follow(np.zeros_like(r)))
        for aim in AIMS:
            name, r, count = self._reactions(W, q, r, aim)
            yield f"condensed {name}".strip(), (problem.follow(r), r), count

    def _proximal(self, r: Vector) -> Iterator[Step]:
        """Rounds with a mass added, which holds v where it was."""
        problem, v = self.problem, np.zeros_like(self.problem.f)
        for shift, rounds in SHIFTS:
            mass = problem.M + shift * _identity(problem.M)
            factor, _ = factorised(mass)
            W = problem.mobility(factor)
            if W is None or (factor is None and len(v)):
                return
            for _ in range(rounds):
                q = problem.velocity(solve_with(factor, problem.f + shift * v))
                _, r, count = self._reactions(W, q, r, AIMS[0])
                right = problem.H @ r.ravel() + problem.f + shift * v
                before, v = v, solve_with(factor, right)
                v = v + solve_with(factor, right - mass @ v)
                yield "proximal", (v, r), count
                if not np.abs(v - before).max(initial=0.0) > STANDS * np.abs(v).max(initial=0.0):
                    break

    def _reactions(self, W: Matrix, q: Vector, r: Vector, aim: float) -> tuple[str, Vector, int]:
        """What solves the contacts by themselves, from the guess r: the method, r (contacts, dim), iterations."""
        data = ContactData(W, q.ravel(), self.problem.mu)
        try:
            part = solve_contacts(data, r.ravel(), max(aim * self.goal, FINEST), None)
        except SolverError as error:
            return "", np.asarray(error.z).reshape(r.shape), 0
        return part.solver, part.z.reshape(r.shape), part.iterations

    def _newton(self, r: Vector) -> Iterator[Step]:
        problem, tolerance = self.problem, max(KEPT_AIM * self.goal, FINEST)
        starts = [r, np.zeros_like(r)] if r.any() else [r]
        for start in starts:
            state, steps = newton(problem, (problem.follow(start), start), tolerance)
            yield "newton", state, steps

    def _from_many_starts(self) -> Iterator[Step]:
        """Newton's method from reactions far and wide: what it circles around depends on where it comes from."""
        problem = self.problem
        if problem.b.size > MOST_STARTED:
            return
        rng = np.random.default_rng(0)  # always the same starts
        for _ in range(STARTS):
            r = rng.normal(size=problem.b.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
            r[:, 0] = np.abs(r[:, 0])
            r = projected(problem.mu, r)
            state, steps = newton(problem, (problem.follow(r), r), max(KEPT_AIM * self.goal, FINEST))
            yield "newton", state, steps

    def _judged(self, state: State) -> tuple[State, float]:
        """v, r (contacts, dim) in the data, r inside its cones, and the residual.

        The velocities of ``state`` satisfy the law best, those that follow from r the dynamics; each part takes the
        better ones.
        """
        problem, units = self.problem, self.measure.units
        r = projected(problem.mu, np.ascontiguousarray(state[1]))
        best, least = self._tried(state[0], r)
        if problem.regular and not least.max(initial=0.0) <= self.goal:
            (v, _), residual = self._tried(problem.follow(r), r)
            better = (residual < least)[units.part_of_freedom]
            best, least = (np.where(better, v, best[0]), best[1]), np.minimum(residual, least)
        return best, float(least.max(initial=0.0))

    def _tried(self, v: Vector, r: Vector) -> tuple[State, Vector]:
        """v and r in the data, and the residual of each part."""
        units = self.measure.units
        v = v * units.freedom * units.load[units.part_of_freedom]
        r = r * (units.contact * units.load[units.part_of_contact])[:, None]
        dynamics, law = self.residuals(v, r.ravel())
        residual = np.maximum(
            largest_of_part(dynamics, units.part_of_freedom, units.parts),
            largest_of_part(law, units.part_of_contact, units.parts),
        )
        return (v, r), residual


def _identity(M: Matrix) -> Matrix:
    return np.eye(len(M)) if isinstance(M, np.ndarray) else eye_array(M.shape[0], format="csc")


def _planar(problem: GlobalProblem) -> Iterator[Step]:
    """W = H^T M^-1 H with twice the digits of a double and pivoting; nothing on a ray, or for other problems."""
    count, dim = problem.b.shape
    M = csc_array(problem.M)
    mass = M.diagonal()
    diagonal = M.nnz == len(mass) and bool((mass > 0.0).all())
    if dim != 2 or not 0 < count <= PRECISE_CONTACTS or not diagonal or not problem.mu.max() < NO_SLIP:
        return
    directions = problem.H if isinstance(problem.H, np.ndarray) else problem.H.toarray()
    H, force = DoubleDouble.of(directions), DoubleDouble.of(problem.f)
    rate = DoubleDouble.of(np.ones(len(mass))) / DoubleDouble.of(mass)
    W, q = DoubleDouble.of(np.zeros((2 * count, 2 * count))), DoubleDouble.of(problem.b.ravel())
    for k in range(len(mass)):
        moved = H[k] * rate[k][None]
        W, q = W + outer(H[k], moved), q + moved * force[k][None]
    r, pivots = planar_reactions(W, q, problem.mu[:, 0])
    if r is not None:
        every = DoubleDouble(r.high.ravel(), r.low.ravel())
        v = (product(H, every) + force) * rate
        yield "condensed", (v.high, r.high), pivots
