"""What is tried on one part of a friction problem that the first round left over, and in which order.

``gauss-seidel``  exact local solutions, contact by contact (``_gauss_seidel.pyx``)
``newton``        semismooth Newton on all contacts at once (``contact_newton.py``), or the solver of a
                  step over the graph (``_first_round.pyx``); from other starts where the problem is small
``admm``          one factorisation for all, where most contacts stick (``contact_admm.py``)
``lemke``         contacts in the plane as a linear complementarity problem
``proximal``      Newton on a sequence of better posed problems (``contact_proximal.py``)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nsdgen.abi import NO_SLIP
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.contacts._first_round import FIRST_ROUND_UNKNOWNS, graph_newton
from nsdgen.solvers.contacts._gauss_seidel import ContactProblem
from nsdgen.solvers.contacts.contact_newton import REACH, newton
from nsdgen.solvers.contacts.contact_proximal import proximal_point
from nsdgen.solvers.contacts.planar_precise import PRECISE_CONTACTS, planar_reactions
from nsdgen.solvers.linalg.double_double import DoubleDouble
from nsdgen.solvers.rows.attempts import solve_rows
from nsdgen.solvers.rows.row_problem import RowProblem

__all__ = ["PRECISE", "SOLVERS", "attempts", "polished"]

SOLVERS = ("gauss-seidel", "newton", "admm", "lemke", "proximal")  # a later one is the more of a last resort
PRECISE = "lemke with twice the digits"  # the step whose reactions are right before they are rounded; last in the plane

_LEMKE_CONTACTS = 40  # up to here pivoting on three rows a contact is fast
_ADMM_ROUNDS = 60
_SWEEPS = 100
_START_UNKNOWNS = 60  # up to here the last resort is another start
_ROUNDS = 60  # of the proximal method, before that
_STARTS = 20_000  # divided by the unknowns
_OPEN = (-0.2, 0.8)  # of the contacts: between these shares, none below 0
_START_STEPS = 30  # of Newton's method from each of them: cheap, and now and then the only way
_START_REACHES = (REACH, 0.1 * REACH, 0.01 * REACH)
_PROXIMAL_STARTS = 5  # one in so many is worth more
_FINE_SHIFT = 1e-14  # where masses are far apart a larger one drowns the mobility of the heavy ones
_FINE_STEPS, _FINE_UNKNOWNS = 60, 180
_SHORT_ROUNDS = 20  # of the proximal method
_FINEST = 1e-13  # of the load: no iterate is asked for more

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations


def attempts(
    problem: ContactProblem, start: Vector, r: Vector, solver: str | None, tolerance: float, limit: int
) -> Iterator[Step]:
    """Iterates to certify; ends when there is nothing left to try.

    ``start`` is the guess of the caller, ``r`` where the first round ended.
    """
    start, r = np.ascontiguousarray(start), np.ascontiguousarray(r)
    if solver is not None:
        yield (step := _RUN[solver](problem, start, tolerance, limit))
        yield _RUN[solver](problem, step[1], _FINEST, limit)
        return
    for step in _in_turn(problem, start, r, tolerance, limit):
        yield step
        # The natural map is small but the certificate refuses it: a contact with small terms, or slow sliding.
        if problem.residual(step[1])[0] <= tolerance:
            yield polished(problem, step[1])


def polished(problem: ContactProblem, r: Vector) -> Step:
    """Newton's method from r, as far as it comes."""
    return _graph(problem, np.ascontiguousarray(r), _FINEST)


def _in_turn(problem: ContactProblem, start: Vector, r: Vector, tolerance: float, limit: int) -> Iterator[Step]:
    """Every method, the quickest first."""
    if problem.residual(r)[0] <= tolerance:
        yield "gauss-seidel", r, 0
    unknowns = problem.count * problem.dim
    if unknowns > FIRST_ROUND_UNKNOWNS:
        yield _admm(problem, start, tolerance, _ADMM_ROUNDS)
        yield (swept := _gauss_seidel(problem, r, tolerance, _SWEEPS))
        yield _graph(problem, swept[1], tolerance)
    else:
        yield _graph(problem, start, tolerance)
    planar = problem.dim == 2 and problem.mu.max() < NO_SLIP
    if planar and problem.count <= _LEMKE_CONTACTS:
        yield _lemke(problem, r, tolerance, limit)
    # What a method circles around depends on where it comes from.
    rounds = min(limit, _ROUNDS) if unknowns <= _START_UNKNOWNS else limit
    yield _proximal(problem, r, tolerance, rounds)
    yield _proximal(problem, start, tolerance, rounds)
    if unknowns <= _FINE_UNKNOWNS:
        # Not before: where reactions are not unique, with so small a shift they may come out far too large.
        yield _newton(problem, start, tolerance, _FINE_STEPS, shift=_FINE_SHIFT)
    if planar and problem.count <= PRECISE_CONTACTS:
        yield from _precise(problem)
    if unknowns <= _START_UNKNOWNS:
        yield from _from_many_starts(problem, tolerance)
        yield _proximal(problem, start, tolerance, limit)
    else:
        yield _gauss_seidel(problem, r, tolerance, limit)


def _from_many_starts(problem: ContactProblem, tolerance: float) -> Iterator[Step]:
    """Short attempts from reactions far and wide, some contacts open; only those that arrive."""
    rng = np.random.default_rng(0)  # always the same starts
    for k in range(_STARTS // problem.q.size):
        r = rng.normal(size=problem.q.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
        r[:, 0] = np.abs(r[:, 0])
        r[rng.random(problem.count) < rng.uniform(*_OPEN)] = 0.0
        problem.project(r)
        for reach in _START_REACHES:
            iterate, residual, steps = newton(problem, r, _START_STEPS, tolerance, reach=reach)
            if residual <= tolerance:
                yield "newton", iterate, steps
        if k % _PROXIMAL_STARTS == 0:
            iterate, residual, steps = proximal_point(problem, r, _SHORT_ROUNDS, tolerance)
            if residual <= tolerance:
                yield "proximal", iterate, steps


def _admm(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    # Imported late: only large problems need it.
    from nsdgen.solvers.contacts.contact_admm import admm

    r, _, rounds = admm(problem, r, limit, tolerance)
    return "admm", r, rounds


def _graph(problem: ContactProblem, r: Vector, tolerance: float) -> Step:
    # Imported late: only large problems need it.
    from nsdgen.solvers.linalg.ordering import minimum_degree

    r = r.copy()
    _, sweeps, steps = graph_newton(problem, minimum_degree(problem.start, problem.column), r, tolerance)
    return "newton", r, sweeps + steps


def _gauss_seidel(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r = r.copy()
    _, sweeps = problem.sweep(r, limit, tolerance)
    return "gauss-seidel", r, sweeps


def _newton(problem: ContactProblem, r: Vector, tolerance: float, limit: int, shift: float = 1e-9) -> Step:
    r, _, steps = newton(problem, r, limit, tolerance, shift)
    return "newton", r, steps


def _precise(problem: ContactProblem) -> Iterator[Step]:
    """Pivoting in the plane with twice the digits; nothing on a ray."""
    W, q = DoubleDouble.of(_dense(problem)), DoubleDouble.of(problem.q.ravel())
    r, pivots = planar_reactions(W, q, problem.mu[:, 0])
    if r is not None:
        yield PRECISE, r.high, pivots


def _proximal(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r, _, steps = proximal_point(problem, r, limit, tolerance)
    return "proximal", r, steps


def _lemke(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    """Contacts in the plane as an LCP in (r_N, mu r_N - r_T, sliding velocity to the right).

    Their partners are u_N, the sliding velocity to the left and mu r_N + r_T.
    """
    n = problem.count
    W = _dense(problem).reshape(n, 2, n, 2)
    nn, nt, tn, tt = W[:, 0, :, 0], W[:, 0, :, 1], W[:, 1, :, 0], W[:, 1, :, 1]
    mu, one, none = problem.mu[:, 0], np.eye(n), np.zeros((n, n))
    M = np.block([[nn + nt * mu, -nt, none], [-(tn + tt * mu), tt, one], [2.0 * np.diag(mu), -one, none]])
    offset = np.concatenate([problem.q[:, 0], -problem.q[:, 1], np.zeros(n)])
    try:
        zero = np.zeros(3 * n)
        solution = solve_rows(RowProblem(M, offset, zero, np.full(3 * n, np.inf), zero, tolerance))
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
