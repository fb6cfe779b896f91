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
from dataclasses import dataclass

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

__all__ = ["METHODS", "PRECISE", "SOLVERS", "Method", "attempts", "polished"]

SOLVERS = ("gauss-seidel", "newton", "admm", "lemke", "proximal")  # a later one is the more of a last resort
PRECISE = "lemke with twice the digits"  # the step whose reactions are right before they are rounded; last in the plane

_LEMKE_CONTACTS = 40  # up to here pivoting on three rows a contact is fast
_ADMM_ROUNDS = 60  # where most contacts slip it converges slowly: then no more than this is lost before the next method
_SWEEPS = 100  # cheap beside a factorisation of the graph, which starts from where they get to
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
    for step in _in_turn(ContactAttempt(problem, start, r, tolerance, limit)):
        yield step
        # The natural map is small but the certificate refuses it: a contact with small terms, or slow sliding.
        if problem.residual(step[1])[0] <= tolerance:
            yield polished(problem, step[1])


def polished(problem: ContactProblem, r: Vector) -> Step:
    """Newton's method from r, as far as it comes."""
    return _graph(problem, np.ascontiguousarray(r), _FINEST)


@dataclass(frozen=True)
class ContactAttempt:
    """One part on its way: the caller's guess ``start``, ``r`` where the first round ended, what is asked for."""

    problem: ContactProblem
    start: Vector
    r: Vector
    tolerance: float
    limit: int

    @property
    def unknowns(self) -> int:
        """The number of rows."""
        return self.problem.count * self.problem.dim

    @property
    def planar(self) -> bool:
        """Whether it is linear complementarity."""
        return self.problem.dim == 2 and bool(self.problem.mu.max() < NO_SLIP)


@dataclass(frozen=True)
class Method:
    """What may be tried, ``run``, and the condition under which it is, ``fits``."""

    name: str
    fits: Callable[[ContactAttempt], bool]
    run: Callable[[ContactAttempt], Iterator[Step]]


def _in_turn(given: ContactAttempt) -> Iterator[Step]:
    """Every method that fits, the quickest first."""
    for method in METHODS:
        if method.fits(given):
            yield from method.run(given)


def _sweeps_then_graph(given: ContactAttempt) -> Iterator[Step]:
    yield (swept := _gauss_seidel(given.problem, given.r, given.tolerance, _SWEEPS))
    yield _graph(given.problem, swept[1], given.tolerance)


def _proximal_rounds(given: ContactAttempt) -> Iterator[Step]:
    """From both iterates: what a method circles around depends on where it comes from."""
    rounds = min(given.limit, _ROUNDS) if given.unknowns <= _START_UNKNOWNS else given.limit
    yield _proximal(given.problem, given.r, given.tolerance, rounds)
    yield _proximal(given.problem, given.start, given.tolerance, rounds)


def _at_length(given: ContactAttempt) -> Iterator[Step]:
    if given.unknowns <= _START_UNKNOWNS:
        yield _proximal(given.problem, given.start, given.tolerance, given.limit)
    else:
        yield _gauss_seidel(given.problem, given.r, given.tolerance, given.limit)


def _one(step: Callable[[ContactAttempt], Step]) -> Callable[[ContactAttempt], Iterator[Step]]:
    """A method of one step."""
    return lambda given: iter((step(given),))


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


# The order in which they are tried. ``benchmarks/friction_methods.py`` shows what each one alone solves.
METHODS: tuple[Method, ...] = (
    Method(
        "first round", lambda given: given.problem.residual(given.r)[0] <= given.tolerance,
        _one(lambda given: ("gauss-seidel", given.r, 0)),
    ),
    Method(
        "admm", lambda given: given.unknowns > FIRST_ROUND_UNKNOWNS,
        _one(lambda given: _admm(given.problem, given.start, given.tolerance, _ADMM_ROUNDS)),
    ),
    Method("sweeps, graph", lambda given: given.unknowns > FIRST_ROUND_UNKNOWNS, _sweeps_then_graph),
    Method(
        "graph", lambda given: given.unknowns <= FIRST_ROUND_UNKNOWNS,
        _one(lambda given: _graph(given.problem, given.start, given.tolerance)),
    ),
    Method(
        "lemke", lambda given: given.planar and given.problem.count <= _LEMKE_CONTACTS,
        _one(lambda given: _lemke(given.problem, given.r, given.tolerance, given.limit)),
    ),
    Method("proximal", lambda given: True, _proximal_rounds),
    # Not before: where reactions are not unique, with so small a shift they may come out far too large.
    Method(
        "finer shift", lambda given: given.unknowns <= _FINE_UNKNOWNS,
        _one(lambda given: _newton(given.problem, given.start, given.tolerance, _FINE_STEPS, shift=_FINE_SHIFT)),
    ),
    Method(
        "twice the digits", lambda given: given.planar and given.problem.count <= PRECISE_CONTACTS,
        lambda given: _precise(given.problem),
    ),
    Method(
        "many starts", lambda given: given.unknowns <= _START_UNKNOWNS,
        lambda given: _from_many_starts(given.problem, given.tolerance),
    ),
    Method("at length", lambda given: True, _at_length),
)  # fmt: skip

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
