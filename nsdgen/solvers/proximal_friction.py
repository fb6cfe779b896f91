"""Proximal point method for frictional contacts, where Newton alone does not get through.

Each round solves the better posed problem (W + alpha I) r + q - alpha r_before by
semismooth Newton from the last iterate. A solution is a fixed point for every alpha;
alpha falls while the rounds are easy, so that the last ones converge superlinearly, and
rises again after a round that failed. Semidefinite W with many solutions are no
obstacle. Everything is in the normalised units of ``ContactProblem``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers.newton_friction import REACH, layout_of, newton

__all__ = ["proximal_point"]

Array = NDArray[np.float64]

_FIRST = 1e-3  # alpha, beside max |W_ij| = 1
_LEAST, _LARGEST = 1e-9, 10.0
_FALL, _RISE = 0.2, 10.0
_EASY = 8  # Newton steps of a round after which alpha falls
_STEPS = 15  # Newton steps of a round at most
_SWEEPS = 10  # after a round that failed
_DETOURS = (1.0, 0.1, 3.0)  # factors of Newton's reach, in turn after failures
_NEAR = 8.0
_PATIENCE = 4
_ACCURACY = 1e-2  # of a round, relative to the residual it starts from


def shifted(problem: ContactProblem, alpha: float, center: Array) -> ContactProblem:
    """The problem with W + alpha I and q - alpha ``center`` (contacts, dim)."""
    blocks = problem.blocks.copy()
    blocks[problem.diagonal] += alpha * np.eye(problem.dim)
    return ContactProblem(
        blocks, problem.column, problem.start, problem.diagonal, problem.q - alpha * center, problem.mu
    )


def proximal_point(
    problem: ContactProblem, r: Array, rounds: int, tolerance: float, detour: int = 0
) -> tuple[Array, float, int]:
    """At most ``rounds`` proximal rounds from r (contacts, dim).

    Returns the best iterate, its natural map (at most ``tolerance`` where it converged)
    and the number of Newton steps. Ends early where roundings bar the way: near enough to
    ``tolerance``, and no nearer for some rounds. ``detour`` numbers the ways to go on
    after a failure: another number, another path.
    """
    residual = problem.residual(r)[0]
    best, least = r, residual
    layout = layout_of(problem)
    alpha, steps, failures, idle = _FIRST, 0, detour, 0
    for _ in range(rounds):
        if least <= tolerance or (idle >= _PATIENCE and least <= _NEAR * tolerance):
            break
        part = shifted(problem, alpha, r)
        before = part.residual(r)[0]
        goal = max(0.1 * tolerance, min(_ACCURACY * residual, 0.3 * before))
        reach = REACH * _DETOURS[failures % len(_DETOURS)]
        trial, reached, count = newton(part, r, _STEPS, goal, 1e-12, reach, layout)
        steps += count
        if reached > goal:
            reached, _ = part.sweep(trial, _SWEEPS, goal)
        if reached > goal:
            alpha = min(alpha * _RISE, _LARGEST)
            failures += 1
        elif count <= _EASY:
            alpha = max(alpha * _FALL, _LEAST)
        if reached <= goal or reached < before:
            r, residual = trial, problem.residual(trial)[0]
        idle += 1
        if residual < least:
            best, least, idle = r, residual, 0
    return best, least, steps
