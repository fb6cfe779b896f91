"""Alternating direction method of multipliers in global variables, from one factorisation.

The rounds are those of ``admm_friction``; the r of each is had from

    [ M    -H    ] [v]   [ f                       ]
    [ H^T  rho I ] [r] = [ rho (y - x) - b - s     ]

without W, whether M is regular or not.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, csc_array, eye_array
from scipy.sparse.linalg import SuperLU

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.global_form.global_newton import State
from nsdgen.solvers.global_form.global_problem import GlobalProblem
from nsdgen.solvers.linalg.sparse_lu import sparse_lu

__all__ = ["global_admm"]

_CHECK = 4  # rounds between two looks at the residual
_STALLED = 0.7  # of the least residual before: what each look must bring
_LOOKS = 4  # in a row without it


def global_admm(
    problem: GlobalProblem, start: State, rounds: int, tolerance: float, penalty: float, patience: int = _LOOKS
) -> tuple[State, float, int]:
    """At most ``rounds`` rounds from ``start``: best iterate, its residual, the rounds.

    ``penalty`` is rho. Ends early after ``patience`` looks in a row at a residual that stalls.
    """
    count, dim = problem.b.shape
    n = len(problem.f)
    best, least = start, problem.residual(*start)
    factor = _factor(problem, penalty)
    if factor is None:
        return best, least, 0
    disks = [slice(1, min(dim, 3)), slice(3, 5)][: problem.mu.shape[1]]
    v, y = start
    x = np.zeros_like(y)
    right = np.empty(n + count * dim)
    right[:n] = problem.f
    looks, k = 0, 0
    for k in range(1, rounds + 1):
        pull = penalty * (y - x) - problem.b
        for j, disk in enumerate(disks):
            pull[:, 0] -= penalty * problem.mu[:, j] * np.linalg.norm(x[:, disk], axis=1)
        right[n:] = pull.ravel()
        answer = factor.solve(right)
        v = answer[:n]
        x = x + answer[n:].reshape(count, dim)
        y = problem.law.project(x)
        x = x - y
        if k % _CHECK == 0 or k == rounds:
            # v belongs to the r before the projection.
            state = (problem.follow(y) if problem.regular else v, y)
            residual = problem.residual(*state)
            looks = 0 if residual < _STALLED * least else looks + 1
            if residual < least:
                best, least = state, residual
            if least <= tolerance or looks == patience:
                break
    return best, least, k


def _factor(problem: GlobalProblem, penalty: float) -> SuperLU | None:
    size = problem.H.shape[1]
    matrix: Vector = block_array([[problem.M, -problem.H], [problem.H.T, penalty * eye_array(size)]], format="csc")
    return sparse_lu(csc_array(matrix))
