"""Coulomb friction from Python: ``solve_friction`` for contacts in the plane, in space, rolling.

Contacts that share no body are solved apart, in units of their own (``contact_graph.py``). A first
round runs compiled over all parts (``_first_round.pyx``); what is left goes on part by part
(``contact_attempts.py``). The certificate is in ``contact_certificate.py``.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.contact_certificate import Measure, friction_residual, measure_of
from nsdgen.solvers.certify.undetermined import undetermined_reactions
from nsdgen.solvers.contacts._first_round import first_round
from nsdgen.solvers.contacts.contact_attempts import SOLVERS, attempts
from nsdgen.solvers.contacts.contact_graph import ContactGraph, contact_graph
from nsdgen.solvers.input.friction_input import friction_coefficients
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import iterations, one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["SOLVERS", "friction_residual", "solve_friction"]

_AIM = 0.1  # of the tolerance: what the solvers aim at, so that the certificate passes
_FINEST = 1e-13  # nothing is aimed at below this


def solve_friction(
    W: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    mu: ArrayLike,
    dim: int = 3,
    *,
    mu_rolling: ArrayLike | None = None,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
    max_iterations: int = 1000,
) -> Solution:
    """Find reactions r and velocities u = W r + q that satisfy Coulomb's law at every contact.

    Contact i has rows ``dim * i`` ... ``dim * (i + 1) - 1``, normal first, and one of

    - take-off: r = 0, u_N >= 0;
    - stick: u = 0, |r_T| <= mu r_N;
    - slip: u_N = 0, r_T = -mu r_N u_T / |u_T|;

    in short K* contains u + mu |u_T| e_N, orthogonal to r in the cone K, |r_T| <= mu r_N
    (De Saxcé and Feng, 1998). u_N > 0 opens the contact, r_N > 0 pushes it apart.
    With ``mu_rolling`` (a length) a contact has five rows (N, T1, T2, R1, R2) and the same
    law holds for the rolling moment r_R and the rolling rate u_R besides: |r_R| <= mu_rolling r_N,
    and K* contains u + (mu |u_T| + mu_rolling |u_R|) e_N.

    ``W`` (n, n) is dense or sparse and meant to be positive semidefinite, ``q`` is (n,),
    ``mu`` and ``mu_rolling`` are (contacts,) or one number for all. ``dim`` is 2, 3 or 5;
    ``mu_rolling`` makes 3 mean 5. ``initial`` (n,) is a guess of r. ``solver`` is one of
    ``SOLVERS``, None for the automatic choice. ``max_iterations`` bounds the rounds of the
    last solver that is tried.

    Returns a ``Solution`` with z = r, w = u and residual = ``friction_residual``, at most
    ``tol``; ``rank_deficiency`` counts the reactions that it leaves undetermined, up to
    ``undetermined.MOST_ROWS`` rows, and is 0 beyond. The r returned is then one of many.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate
    ``z`` and the contacts ``rows`` that are off where no solution was found. Newton's method is
    that of the function of Alart and Curnier, 1991.
    """
    offset = vector("q", q)
    mus, dim = friction_coefficients(mu, mu_rolling, dim, len(offset))
    square, goal = matrix("W", W, len(offset)), tolerance(tol)
    names = SOLVERS if dim == 2 else tuple(name for name in SOLVERS if name != "lemke")
    solver, limit = one_of("solver", solver, names, f" for dim {dim}"), iterations(max_iterations)
    start = guess(initial, len(offset))
    if not offset.any():
        return Solution(np.zeros(len(offset)), offset.copy(), 0.0, "closed form", 0, 0)
    graph = contact_graph(square, offset, mus)
    measure = measure_of(square, offset, graph)
    _refuse_unsupported(graph, square, offset, mus, dim)
    work = _Work(graph, measure, (square, offset, mus), goal, solver, limit)
    z, residual = work.solve(graph.from_data(start))
    w = square @ z + offset
    if not residual <= goal:
        raise _failure(square, offset, mus, z, dim, goal)
    undetermined = undetermined_reactions(square, z, w, mus, measure)
    return Solution(z, w, residual, work.method, work.iterations, undetermined, work.seconds)


def _refuse_unsupported(graph: ContactGraph, W: Matrix, q: Vector, mu: Vector, dim: int) -> None:
    """A contact that nothing can push apart, W_NN.. = 0, cannot have its q_N < 0 mended."""
    problem = graph.problem
    closing = np.flatnonzero(problem.q[:, 0] < 0.0)
    largest = np.maximum.reduceat(np.abs(problem.blocks[:, 0]).max(axis=1), problem.start[:-1])
    lost = np.sort(graph.order[closing[largest[closing] == 0.0]])
    if len(lost):
        error = _failure(W, q, mu, np.zeros(len(q)), dim, 0.0)
        error.reason, error.rows = "infeasible", tuple(int(i) for i in lost)
        error.message = f"no reaction changes the normal velocity of contact {lost[0]}, which closes"
        error.fix = "take the contact out, or give its bodies a finite mass"
        raise error


# ----------------------------------------------------------------------------- solvers


class _Work:
    """One problem on its way to a solution: all parts at once, then each that is left."""

    def __init__(
        self, graph: ContactGraph, measure: Measure, data: tuple[Matrix, Vector, Vector], goal: float,
        solver: str | None, limit: int,
    ) -> None:  # fmt: skip
        self.graph, self.measure, self.data, self.goal = graph, measure, data, goal
        self.solver, self.limit = solver, limit
        self.seconds = graph.seconds
        self.iterations = 0
        self.methods = {SOLVERS[0] if solver is None else solver}

    @property
    def method(self) -> str:
        """The last resort that any part needed."""
        return max(self.methods, key=SOLVERS.index)

    def solve(self, start: Vector) -> tuple[Vector, float]:
        """r (n,) of the data and its residual, from ``start`` (contacts, dim) in the units of the graph."""
        graph, first = self.graph, self.graph.first
        tolerance = self._tolerances()
        r, reached = start.copy(), np.full(graph.parts, np.inf)
        if self.solver is None:
            sweeps, steps, seconds = first_round(graph.problem, first, r, tolerance, reached)
            self.iterations += sweeps + steps
            self.seconds += seconds
            if steps:
                self.methods.add("newton")
        z, residual = self._judged(r)
        # What a method calls solved is not until the certificate says so.
        left = np.flatnonzero(~((reached <= tolerance) & (residual <= self.goal)))
        for k in left:
            rows = slice(first[k], first[k + 1])
            r[rows] = self._part(int(k), start[rows], r[rows], float(tolerance[k]))
        if len(left):
            z, residual = self._judged(r)
        return z, float(residual.max())

    def _judged(self, r: Vector) -> tuple[Vector, Vector]:
        """r in the data, put into its cones to the last digit, and the residual of each part."""
        self.graph.problem.project(r)
        z = self.graph.to_data(r)
        residual = self.measure.residual(*self.data, z)
        return z, np.maximum.reduceat(residual[self.graph.order], self.graph.first[:-1])

    def _tolerances(self) -> Vector:
        """What the natural map in the graph's units must fall to, part by part, for both measures."""
        measure, graph = self.measure, self.graph
        coarsest = np.maximum.reduceat(graph.unit, graph.first[:-1])
        some = graph.order[graph.first[:-1]]  # a contact of each part
        own = measure.own_load[some] / (graph.load * measure.own_size[some])
        aim = np.minimum(own, measure.load / (measure.m * coarsest))
        return np.maximum(_AIM * self.goal * aim, _FINEST)

    def _part(self, k: int, start: Vector, r: Vector, tolerance: float) -> Vector:
        """The best r of part k that the methods find, from the guess ``start`` and the iterate ``r``."""
        graph = self.graph
        problem = graph.part(k)
        rows = graph.order[graph.first[k] : graph.first[k + 1]]
        unit = graph.unit[graph.first[k] : graph.first[k + 1], None]
        W, q, mu = self.data
        d = problem.dim
        entries = (rows[:, None] * d + np.arange(d)).ravel()
        matrix, offset = W[entries][:, entries], q[entries]
        best, least = r, np.inf
        before = perf_counter()
        for name, iterate, count in attempts(problem, start, r, self.solver, tolerance, self.limit):
            self.seconds += perf_counter() - before
            self.iterations += count
            residual = float(self.measure.residual(matrix, offset, mu[rows], (iterate * unit).ravel(), rows).max())
            if residual < least:
                best, least = iterate, residual
            if least <= self.goal:
                self.methods.add(name)
                break
            before = perf_counter()
        return best


def _failure(W: Matrix, q: Vector, mu: Vector, r: Vector, dim: int, tol: float) -> SolverError:
    """The error for a problem that nothing solved; the worst contacts come first."""
    residual = friction_residual(W, q, mu, r, dim)
    order = np.argsort(-residual)
    rows: tuple[Any, ...] = tuple(int(i) for i in order[residual[order] > tol])
    error = SolverError(
        f"no solution passed the certificate; residual {residual.max(initial=0.0):.3g}",
        where=f"contact {rows[0]}" if rows else "",
        fix="rescale the problem, raise `max_iterations` or `tol`",
    )
    error.reason, error.z, error.rows = "not converged", r, rows
    return error
