"""Coulomb friction from Python: ``solve_friction`` for contacts in the plane, in space, rolling.

Solvers, in the order in which the automatic choice falls through them:

``gauss-seidel``  exact local solutions, contact by contact (``_nsgs.pyx``)
``newton``        semismooth Newton on all contacts at once (``newton_friction.py``)
``admm``          one factorisation for all, where most contacts stick (``admm_friction.py``)
``lemke``         contacts in the plane as a linear complementarity problem
``proximal``      Newton on a sequence of better posed problems (``proximal_friction.py``)

Contacts that share no body are solved apart, in units of their own (``contact_graph.py``). A first
round of the first two runs compiled over all parts; what is left goes on part by part. The
certificate is in ``friction_certificate.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers._parts import FIRST_ROUND_UNKNOWNS, first_round, graph_newton
from nsdgen.solvers.contact_graph import ContactGraph, contact_graph
from nsdgen.solvers.friction_certificate import Measure, friction_residual, measure_of
from nsdgen.solvers.newton_friction import newton
from nsdgen.solvers.problem import Matrix, Solution, Vector, array, matrix, positive
from nsdgen.solvers.proximal_friction import proximal_point

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["SOLVERS", "friction_residual", "solve_friction"]

SOLVERS = ("gauss-seidel", "newton", "admm", "lemke", "proximal")

_LEMKE_CONTACTS = 40  # up to here pivoting on three rows a contact is fast
_FIRST_SWEEPS = 10
_MOST_SWEEPS = 60
_FAST = 0.1  # reduction of the residual in _FIRST_SWEEPS sweeps
_NEWTON_STEPS = 10
_ADMM_ROUNDS = 60
_LARGE_SWEEPS = 100
_MOST_LARGE_SWEEPS = 500
_ROUNDS = 60  # of the proximal method, before others get their turn
_AIM = 0.1  # of the tolerance: what the solvers aim at, so that the certificate passes
_FINEST = 1e-13  # nothing is aimed at below this

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations


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

    in short K* contains u + mu |u_T| e_N, orthogonal to r in the cone K, |r_T| <= mu r_N.
    With ``mu_rolling`` (a length) a contact has five rows (N, T1, T2, R1, R2) and the same
    law holds for the rolling moment r_R and the spin rate u_R besides.

    ``W`` (n, n) is dense or sparse and meant to be positive semidefinite, ``q`` is (n,),
    ``mu`` and ``mu_rolling`` are (contacts,) or one number for all. ``dim`` is 2, 3 or 5;
    ``mu_rolling`` makes 3 mean 5. ``initial`` (n,) is a guess of r. ``solver`` is one of
    ``SOLVERS``, None for the automatic choice. ``max_iterations`` bounds the rounds of the
    last solver that is tried.

    Returns a ``Solution`` with z = r, w = u and residual = ``friction_residual``, at most
    ``tol``; its ``rank_deficiency`` is not examined and 0: reactions need not be unique.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate
    ``z`` and the contacts ``rows`` that are off where no solution was found.
    """
    offset = array("q", q, 1)
    coefficients, dim = _coefficients(mu, mu_rolling, dim, len(offset))
    square = matrix("W", W, len(offset))
    goal = positive("tol", tol)
    if solver is not None and (solver not in SOLVERS or (solver == "lemke" and dim != 2)):
        allowed = ", ".join(name for name in SOLVERS if name != "lemke" or dim == 2)
        raise ParameterError(f"solver must be one of {allowed} for dim {dim}, got {solver!r}")
    if max_iterations < 1:
        raise ParameterError(f"max_iterations must be at least 1, got {max_iterations!r}")
    start = np.zeros(len(offset)) if initial is None else array("initial", initial, 1, offset.shape)
    if not offset.any():
        return Solution(np.zeros(len(offset)), offset.copy(), 0.0, "closed form", 0, 0)
    graph = contact_graph(square, offset, coefficients)
    measure = measure_of(square, offset, graph)
    _refuse_unsupported(graph, square, offset, coefficients, dim)
    work = _Work(graph, measure, (square, offset, coefficients), goal, solver, max_iterations)
    z, residual = work.solve(graph.from_data(start))
    w = square @ z + offset
    if not residual <= goal:
        raise _failure(square, offset, coefficients, z, dim, goal)
    return Solution(z, w, residual, work.method, work.iterations, 0, work.seconds)


# ------------------------------------------------------------------------------- input


def _coefficients(mu: ArrayLike, mu_rolling: ArrayLike | None, dim: int, n: int) -> tuple[Vector, int]:
    """Friction coefficients (contacts, disks) and the number of rows of a contact."""
    if dim not in (2, 3, 5):
        raise ParameterError(f"dim must be 2, 3 or 5, got {dim!r}")
    if mu_rolling is not None and dim == 2:
        raise ParameterError("rolling friction needs contacts in space: dim 3 or 5")
    if mu_rolling is None and dim == 5:
        raise ParameterError("contacts of five rows need mu_rolling")
    dim = dim if mu_rolling is None else 5
    count, left = divmod(n, dim)
    if left:
        raise ParameterError(f"q has {n} entries, not a multiple of the {dim} rows of a contact")
    columns = []
    for name, value in (("mu", mu), ("mu_rolling", mu_rolling)):
        if value is None:
            continue
        given = np.full(count, value) if np.ndim(value) == 0 else value
        column = array(name, given, 1, (count,))
        if (column < 0.0).any():
            worst = int(column.argmin())
            raise ParameterError(f"{name}[{worst}] is {column[worst]}, a friction coefficient is not negative")
        columns.append(column)
    return np.column_stack(columns), dim


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
        size = measure.own_size[graph.order[graph.first[:-1]]]
        aim = np.minimum(1.0 / size, measure.load / (measure.m * coarsest))
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
        for name, iterate, count in _attempts(problem, start, r, self.solver, tolerance, self.limit):
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


def _attempts(
    problem: ContactProblem, start: Vector, r: Vector, solver: str | None, tolerance: float, limit: int
) -> Iterator[Step]:
    """Iterates to certify, each from the best one before; ends when there is nothing left to try.

    ``start`` is the guess of the caller, ``r`` where the first round ended.
    """
    start, r = np.ascontiguousarray(start), np.ascontiguousarray(r)
    if solver is not None:
        yield _RUN[solver](problem, start, tolerance, limit)
        return
    if problem.residual(r)[0] <= tolerance:
        yield "gauss-seidel", r, 0
    if problem.count * problem.dim > FIRST_ROUND_UNKNOWNS:
        yield _admm(problem, start, tolerance, _ADMM_ROUNDS)
        yield (step := _graph(problem, r, tolerance))
        yield (step := _more_sweeps(problem, step[1], tolerance))
        yield (step := _newton(problem, step[1], tolerance, _NEWTON_STEPS))
        r = step[1]
    if problem.dim == 2 and problem.count <= _LEMKE_CONTACTS:
        yield _lemke(problem, r, tolerance, limit)
    yield (step := _proximal(problem, r, tolerance, min(limit, _ROUNDS)))
    swept = _first_sweeps(problem, start, tolerance)[1]
    others = (
        lambda: _with_rising_friction(problem, tolerance, min(limit, _ROUNDS)),
        lambda: _proximal(problem, swept, tolerance, min(limit, 2 * _ROUNDS), 2),
    )
    for attempt in others:
        yield (other := attempt())
        step = min(step, other, key=lambda tried: problem.residual(tried[1])[0])
    yield (step := _gauss_seidel(problem, step[1], tolerance, limit))
    # What a method circles around depends on where it comes from: other ways, ever longer.
    rounds, detour = _ROUNDS, 1
    while rounds < limit:
        yield (step := _proximal(problem, step[1], tolerance, rounds, detour))
        rounds, detour = 2 * rounds, detour + 1
    yield _proximal(problem, swept, tolerance, limit, detour)


def _admm(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    # Imported late: only large problems need it.
    from nsdgen.solvers.admm_friction import admm

    r, _, rounds = admm(problem, r, limit, tolerance)
    return "admm", r, rounds


def _graph(problem: ContactProblem, r: Vector, tolerance: float) -> Step:
    # Imported late: only large problems need it.
    from nsdgen.solvers.ordering import minimum_degree

    r = r.copy()
    _, sweeps, steps = graph_newton(problem, minimum_degree(problem.start, problem.column), r, tolerance)
    return "newton", r, sweeps + steps


def _more_sweeps(problem: ContactProblem, r: Vector, tolerance: float) -> Step:
    """Sweeps that cost about what a few factorisations do, and on where their rate promises to arrive."""
    r = r.copy()
    residual, sweeps = problem.sweep(r, _LARGE_SWEEPS, tolerance)
    while tolerance < residual and sweeps < _MOST_LARGE_SWEEPS:
        before = residual
        residual, more = problem.sweep(r, _FIRST_SWEEPS, tolerance)
        sweeps += more
        rate = (residual / before) ** (1.0 / _FIRST_SWEEPS)
        if not residual * rate ** (_MOST_LARGE_SWEEPS - sweeps) <= tolerance:
            break
    return "gauss-seidel", r, sweeps


def _first_sweeps(problem: ContactProblem, r: Vector, tolerance: float) -> Step:
    """Sweeps as long as they converge so fast that nothing else would be cheaper."""
    r = r.copy()
    residual, sweeps = problem.sweep(r, _FIRST_SWEEPS, tolerance)
    before = np.inf
    while tolerance < residual < _FAST * before and sweeps < _MOST_SWEEPS:
        before = residual
        residual, more = problem.sweep(r, _FIRST_SWEEPS, tolerance)
        sweeps += more
    return "gauss-seidel", r, sweeps


def _gauss_seidel(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r = r.copy()
    _, sweeps = problem.sweep(r, limit, tolerance)
    return "gauss-seidel", r, sweeps


def _newton(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r, _, steps = newton(problem, r, limit, tolerance)
    return "newton", r, steps


def _proximal(problem: ContactProblem, r: Vector, tolerance: float, limit: int, detour: int = 0) -> Step:
    r, _, steps = proximal_point(problem, r, limit, tolerance, detour)
    return "proximal", r, steps


def _with_rising_friction(problem: ContactProblem, tolerance: float, limit: int) -> Step:
    """Proximal from the solution for smaller coefficients: without friction the problem is convex."""
    r, rounds = np.zeros_like(problem.q), 0
    for share in (0.0, 0.25, 0.5, 0.75, 0.9, 1.0):
        part = ContactProblem(
            problem.blocks, problem.column, problem.start, problem.diagonal, problem.q, share * problem.mu
        )
        r, _, steps = proximal_point(part, r, limit, tolerance)
        rounds += steps
    return "proximal", r, rounds


def _lemke(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    """Contacts in the plane as an LCP in (r_N, mu r_N - r_T, sliding velocity to the right).

    Their partners are u_N, the sliding velocity to the left and mu r_N + r_T.
    """
    from nsdgen.solvers.mlcp import solve_lcp

    n = problem.count
    W = _dense(problem).reshape(n, 2, n, 2)
    nn, nt, tn, tt = W[:, 0, :, 0], W[:, 0, :, 1], W[:, 1, :, 0], W[:, 1, :, 1]
    mu, one, none = problem.mu[:, 0], np.eye(n), np.zeros((n, n))
    M = np.block([[nn + nt * mu, -nt, none], [-(tn + tt * mu), tt, one], [2.0 * np.diag(mu), -one, none]])
    offset = np.concatenate([problem.q[:, 0], -problem.q[:, 1], np.zeros(n)])
    try:
        solution = solve_lcp(M, offset, tol=tolerance)
        z, count = solution.z, solution.iterations
    except SolverError as error:
        z, count = np.asarray(error.z), 0
    normal = z[:n]
    return "lemke", np.column_stack([normal, mu * normal - z[n : 2 * n]]), count


_RUN: dict[str, Callable[[ContactProblem, Vector, float, int], Step]] = {
    "gauss-seidel": _gauss_seidel,
    "newton": _newton,
    "admm": _admm,
    "lemke": _lemke,
    "proximal": _proximal,
}


def _dense(problem: ContactProblem) -> Vector:
    """The normalised W (n, n)."""
    count, d = problem.count, problem.dim
    W = np.zeros((count, count, d, d))
    W[np.repeat(np.arange(count), np.diff(problem.start)), problem.column] = problem.blocks
    return W.transpose(0, 2, 1, 3).reshape(count * d, count * d)


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
