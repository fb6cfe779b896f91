"""Proximal point method for frictional contacts, where Newton alone does not get through.

Each round solves the better posed problem (W + alpha I) r + q - alpha c by semismooth Newton, with
its center c at the last iterate. A solution is a fixed point for every alpha; alpha falls after a round
that succeeded, so that the last ones converge superlinearly, and rises after one that failed. Semidefinite
W with many solutions are no obstacle. Where contacts share fewer degrees of freedom than they have
reactions, rounds may all go the same small way, r - c, until a contact comes loose or slips: the center
is then put ahead by ever more of it. Everything is in the normalised units of ``ContactProblem``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.contacts._gauss_seidel import ContactProblem
from nsdgen.solvers.contacts.contact_newton import factors_of, newton

__all__ = ["proximal_point"]

Array = NDArray[np.float64]

_FIRST = 1e-2  # alpha, beside max |W_ij| = 1
# alpha: below, W + alpha I is as singular as W to a factorisation; above, a round moves almost nothing
_LEAST, _LARGEST = 1e-9, 10.0
# of alpha after success and failure: the last rounds converge superlinearly, and a failure undoes part of a success
_FALL, _RISE = 0.1, 4.0
_FORGET = 0.3  # after a success, of the alpha that was too small
_STEPS = 25  # Newton steps of a round at most
_SAME_WAY = 0.9  # cosine of two rounds
_WORSE = 1.5  # times the residual before: what a center put ahead may cost
_BACK = 4  # after a failure, the center is ahead by so much less
_NEAR = 8.0  # times the tolerance: in reach of a last polishing, where rounds have stopped to bring anything
_PATIENCE = 4  # rounds in a row that bring nothing: a single one may only have changed alpha
_ACCURACY = 1e-2  # of a round, relative to the residual it starts from


def shifted(problem: ContactProblem, alpha: float, center: Array) -> ContactProblem:
    """The problem with W + alpha I and q - alpha ``center`` (contacts, dim)."""
    blocks = problem.blocks.copy()
    blocks[problem.diagonal] += alpha * np.eye(problem.dim)
    return ContactProblem(
        blocks, problem.column, problem.start, problem.diagonal, problem.q - alpha * center, problem.mu
    )


def proximal_point(problem: ContactProblem, r: Array, rounds: int, tolerance: float) -> tuple[Array, float, int]:
    """At most ``rounds`` proximal rounds from r (contacts, dim).

    Returns the best iterate, its natural map (at most ``tolerance`` where it converged)
    and the number of Newton steps. Ends early where roundings bar the way: near enough to
    ``tolerance``, and no nearer for some rounds.
    """
    residual = problem.residual(r)[0]
    best, least = r, residual
    factors = factors_of(problem)
    alpha, hard, steps, idle = _FIRST, 0.0, 0, 0
    way, ahead = np.zeros_like(r), 0  # r - c of the last round, and how often it is added to r
    for _ in range(rounds):
        if least <= tolerance or (idle >= _PATIENCE and least <= _NEAR * tolerance):
            break
        center = r + ahead * way
        problem.project(center)
        part = shifted(problem, alpha, center)
        goal = max(0.1 * tolerance, min(_ACCURACY * residual, 0.3 * part.residual(center)[0]))
        trial, reached, count = newton(part, center, _STEPS, goal, 1e-12, factors=factors)
        steps += count
        new = problem.residual(trial)[0]
        idle += 1
        if ahead and (reached > goal or new > _WORSE * residual):
            ahead //= _BACK
        elif reached > goal:
            way, hard, alpha = np.zeros_like(r), alpha, min(_RISE * alpha, _LARGEST)
        else:
            before, way = way, trial - center
            r, residual = trial, new
            if _same_way(way, before):
                ahead = 2 * ahead + 1
            else:
                lower = _lower(alpha, hard)
                ahead, way, alpha, hard = 0, way * (alpha / lower), lower, _FORGET * hard
        if new < least:
            best, least, idle = trial, new, 0
    return best, least, steps


def _same_way(way: Array, before: Array) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):  # of iterates that run away, any answer will do
        size = float(np.linalg.norm(way) * np.linalg.norm(before))
        return size > 0.0 and float((way * before).sum()) > _SAME_WAY * size


def _lower(alpha: float, hard: float) -> float:
    """The next alpha after a success: for a while no less than ``hard``, which was too small."""
    lower = _FALL * alpha
    if lower <= hard:
        lower = float(np.sqrt(alpha * hard)) if alpha > 2.0 * hard else alpha
    return max(lower, _LEAST)
