"""What is tried on one part of a friction problem in global variables, and in which order.

``newton``     semismooth Newton in (v, r), full steps, then damped ones (``global_newton.py``)
``proximal``   Newton on a sequence of better posed problems, in the end from other starts
``condensed``  W = H^T M^-1 H: pivoting in the plane with twice the digits (``global_planar.py``), where M is diagonal;
               ``solve_friction``, the last resort, where M is regular
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csc_array, hstack

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix
from nsdgen.solvers.contacts.contact_work import ContactData, solve_contacts
from nsdgen.solvers.global_form.global_newton import (
    FINE_SHIFT,
    SHIFT,
    GlobalNewton,
    State,
    global_proximal,
    with_friction,
)
from nsdgen.solvers.global_form.global_planar import planar_steps
from nsdgen.solvers.global_form.global_problem import GlobalProblem

__all__ = ["SOLVERS", "attempts", "newton_step"]

SOLVERS = ("newton", "proximal", "condensed")  # a later one is the more of a last resort

_FULL, _DAMPED = 30, 15  # Newton steps
# Alart-Curnier's rho beside the inverse of a contact's own stiffness: 1 finds the cases (open, stick, slip) from
# far away in the fewest steps, a large one is surer of them where contacts share freedoms.
_REACHES = (1.0, 30.0)
_ROUNDS = 60  # of the proximal method
_START_UNKNOWNS = 60  # reactions up to which other starts are tried
_STARTS = 12
_FINE_REACTIONS = 180  # up to which a finer shift is tried
_SHORT_ROUNDS = 20
_DETOURS, _PATIENCE = 3, 100  # in the end, when all stalled
_CHUNK, _MOST_ENTRIES, _DENSE_SHARE = 64, 30_000_000, 0.3  # of W: columns at a time, entries, share that is dense
_FINEST_CONDENSED = 1e-12  # asked of the condensed problem, whose certificate has its own measure

Step = tuple[str, State, int]  # solver, iterate in natural units, iterations


def attempts(problem: GlobalProblem, start: State, solver: str | None, tolerance: float, limit: int) -> Iterator[Step]:
    """Iterates to certify; ends when there is nothing left to try."""
    if solver is not None:
        yield from _RUN[solver](problem, start, tolerance, limit)
        return
    best = start
    for run, most in ((_newton, limit), (_proximal, _ROUNDS)):
        for step in run(problem, best, tolerance, min(limit, most)):
            yield step
            best = min(best, step[1], key=lambda state: problem.residual(*state))
    if problem.regular and problem.uneven and problem.b.size <= _FINE_REACTIONS:
        # Not before: where reactions are not unique, with so small a shift they may come out far too large.
        yield newton_step(problem, start, tolerance, limit, FINE_SHIFT)
        yield newton_step(problem, best, tolerance, limit, FINE_SHIFT)
    yield from planar_steps(problem)
    yield from _condensed(problem, best, tolerance, limit)
    if problem.b.size <= _START_UNKNOWNS:
        yield from _from_many_starts(problem, tolerance, limit)
    if not (problem.regular and problem.uneven):  # there it would take a minute, for nothing
        yield from _at_length(problem, best, tolerance, limit)


def newton_step(problem: GlobalProblem, start: State, tolerance: float, limit: int, shift: float = SHIFT) -> Step:
    """Newton's method from ``start``: full steps with each reach, damped ones from the best iterate."""
    method = GlobalNewton(problem, shift=shift)
    best, least = start, np.inf
    for reach in _REACHES:
        method.aimed(0.0, None, reach)
        state, residual = method.run(start, min(limit, _FULL), 0, tolerance)
        if residual < least:
            best, least = state, residual
        if least <= tolerance:
            return "newton", best, method.steps
    for reach in _REACHES:
        method.aimed(0.0, None, reach)
        best, least = method.run(best, 0, min(limit, _DAMPED), tolerance)
    return "newton", best, method.steps


def _newton(problem: GlobalProblem, start: State, tolerance: float, limit: int) -> Iterator[Step]:
    """From the guess, and from no reactions."""
    yield newton_step(problem, start, tolerance, limit)
    if start[1].any():
        none = np.zeros_like(problem.b)
        yield newton_step(problem, (problem.follow(none), none), tolerance, limit)


def _proximal(problem: GlobalProblem, start: State, tolerance: float, limit: int) -> Iterator[Step]:
    """From the best iterate, with friction that rises from none, and by a detour."""
    state, _, steps = global_proximal(problem, start, limit, tolerance)
    yield "proximal", state, steps
    none = np.zeros_like(problem.b)
    state, steps = (problem.follow(none), none), 0
    for share in (0.0, 0.25, 0.5, 0.75, 0.9, 1.0):
        state, _, more = global_proximal(with_friction(problem, share), state, limit, tolerance)
        steps += more
    yield "proximal", state, steps
    state, _, steps = global_proximal(problem, start, limit, tolerance, 1)
    yield "proximal", state, steps


def _from_many_starts(problem: GlobalProblem, tolerance: float, limit: int) -> Iterator[Step]:
    """Short attempts from reactions far and wide: what a method circles around depends on where it comes from."""
    rng = np.random.default_rng(0)  # always the same starts
    for k in range(_STARTS):
        r = rng.normal(size=problem.b.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
        r[:, 0] = np.abs(r[:, 0])
        r = problem.law.project(r)
        _, state, first = newton_step(problem, (problem.follow(r), r), tolerance, limit)
        if problem.residual(*state) <= tolerance:
            yield "newton", state, first
            continue
        state, _, steps = global_proximal(problem, state, min(limit, _SHORT_ROUNDS), tolerance, k)
        yield "proximal", state, first + steps


def _condensed(problem: GlobalProblem, start: State, tolerance: float, limit: int) -> Iterator[Step]:
    """W and q from the factors of M; nothing where M is singular or W too large."""
    W = _mobility(problem)
    if W is None:
        return
    count, dim = problem.b.shape
    q = problem.velocity(problem.follow(np.zeros_like(problem.b))).ravel()
    data = ContactData(W, q, problem.mu)
    try:
        solution = solve_contacts(data, start[1].ravel(), max(tolerance, _FINEST_CONDENSED), None, limit)
        z, name, steps = solution.z, f"condensed {solution.solver}", solution.iterations
    except SolverError as error:
        z, name, steps = np.asarray(error.z), "condensed", 0
    r = z.reshape(count, dim)
    yield name, (problem.follow(r), r), steps


def _mobility(problem: GlobalProblem) -> Matrix | None:
    """W = H^T M^-1 H, dense or sparse, some columns at a time; None where M is singular or W has too many entries."""
    if not problem.regular or problem.factor is None:
        return None
    parts, entries = [], 0
    for first in range(0, problem.H.shape[1], _CHUNK):
        columns = problem.factor.solve(problem.H[:, first : first + _CHUNK].toarray())
        parts.append(csc_array(problem.H.T @ columns))
        entries += parts[-1].nnz
        if entries > _MOST_ENTRIES:
            return None
    W = hstack(parts, format="csr")
    return W.toarray() if entries > _DENSE_SHARE * problem.b.size**2 else W


def _at_length(problem: GlobalProblem, start: State, tolerance: float, limit: int) -> Iterator[Step]:
    """What stalled goes on all the same: where M is singular it may arrive."""
    for detour in range(_DETOURS):
        state, _, steps = global_proximal(problem, start, limit, tolerance, detour, _PATIENCE)
        yield "proximal", state, steps


_RUN: dict[str, Callable[[GlobalProblem, State, float, int], Iterator[Step]]] = {
    "newton": _newton,
    "proximal": _proximal,
    "condensed": _condensed,
}
