"""What is tried on one part of a friction problem that the first round left over, and in which order.

``gauss-seidel``  exact local solutions, contact by contact (``_nsgs.pyx``)
``newton``        semismooth Newton on all contacts at once, dense (``newton_friction.py``) or over the
                  graph, with sweeps in between (``_parts.pyx``)
``admm``          one factorisation for all, where most contacts stick (``admm_friction.py``)
``lemke``         contacts in the plane as a linear complementarity problem
``proximal``      Newton on a sequence of better posed problems (``proximal_friction.py``), in the end
                  from other starts
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nsdgen.errors import SolverError
from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers._parts import FIRST_ROUND_UNKNOWNS, graph_newton
from nsdgen.solvers.newton_friction import REACH, newton
from nsdgen.solvers.problem import Vector
from nsdgen.solvers.proximal_friction import proximal_point

__all__ = ["SOLVERS", "attempts"]

SOLVERS = ("gauss-seidel", "newton", "admm", "lemke", "proximal")  # a later one is the more of a last resort

_LEMKE_CONTACTS = 40  # up to here pivoting on three rows a contact is fast
_FIRST_SWEEPS = 10
_MOST_SWEEPS = 60
_FAST = 0.1  # reduction of the residual in _FIRST_SWEEPS sweeps
_NEWTON_STEPS = 10
_ADMM_ROUNDS = 60
_LARGE_SWEEPS = 100
_MOST_LARGE_SWEEPS = 500
_ROUNDS = 60  # of the proximal method, before others get their turn
_START_UNKNOWNS = 60  # up to here the last resort is another start
_STARTS = 100
_START_STEPS = 30  # of Newton's method from each of them: cheap, and now and then the only way
_START_REACHES = (REACH, 0.1 * REACH, 0.01 * REACH)
_SHORT_ROUNDS = 20  # of the proximal method, from each of them

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations


def attempts(
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
        yield (step := _gauss_seidel(problem, r, tolerance, _LARGE_SWEEPS))
        yield (step := _graph(problem, step[1], tolerance))
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
    if problem.count * problem.dim <= _START_UNKNOWNS:
        yield from _from_many_starts(problem, tolerance)
        yield _graph(problem, np.zeros_like(r), tolerance)
        yield (step := _gauss_seidel(problem, step[1], tolerance, limit))
        yield _proximal(problem, step[1], tolerance, limit, 1)
        return
    yield (step := _gauss_seidel(problem, step[1], tolerance, limit))
    # What a method circles around depends on where it comes from: other ways, ever longer.
    rounds, detour = _ROUNDS, 1
    while rounds < limit:
        yield (step := _proximal(problem, step[1], tolerance, rounds, detour))
        rounds, detour = 2 * rounds, detour + 1
    yield _proximal(problem, swept, tolerance, limit, detour)


def _from_many_starts(problem: ContactProblem, tolerance: float) -> Iterator[Step]:
    """Short attempts from reactions far and wide: what a method circles around depends on where it comes from."""
    rng = np.random.default_rng(0)  # always the same starts
    order = np.arange(problem.count, dtype=np.intc)
    for k in range(_STARTS):
        r = rng.normal(size=problem.q.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
        r[:, 0] = np.abs(r[:, 0])
        problem.project(r)
        for reach in _START_REACHES:
            yield _newton(problem, r, tolerance, _START_STEPS, reach)
        if k % 2 == 0:
            graph_newton(problem, order, r, np.inf)  # full steps alone
        yield _proximal(problem, r, tolerance, _SHORT_ROUNDS, k)


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


def _newton(problem: ContactProblem, r: Vector, tolerance: float, limit: int, reach: float = REACH) -> Step:
    r, _, steps = newton(problem, r, limit, tolerance, reach=reach)
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
