"""Semismooth Newton for frictional contacts in global variables (v, r), on the Alart-Curnier function F.

Each step solves, with a sparse LU,

    [ M        -H            ] [dv]     [ M v - H r - f ]
    [ F_u H^T  F_r + eps F_u ] [dr] = - [ F(r, u)       ]

with u = H^T v + b. W = H^T M^-1 H is never formed, which is full where M is a chain or of finite elements, and M need
not be regular, nor symmetric. eps, in the matrix only, makes it regular where contacts share fewer freedoms than they
have reactions; a singular M gets such a shift as well. Everything is in the natural units of ``GlobalProblem``.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import block_array, bsr_array, csc_array, eye_array

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.global_form.global_problem import GlobalProblem
from nsdgen.solvers.linalg.sparse_lu import NEARLY_SYMMETRIC, sparse_lu
from nsdgen.solvers.one_contact._friction_cone import linearized, natural_map

__all__ = ["FINE_SHIFT", "SHIFT", "State", "newton"]

State = tuple[Vector, Vector]  # v (n), r (contacts, dim)

SHIFT = 1e-9  # eps, beside W_ii near 1
FINE_SHIFT = 1e-14  # where masses are far apart a larger one drowns the mobility of the heavy ones
MASS_SHIFT = 1e-8  # of the diagonal of M where M is singular
SOFT = 1e-8  # of the stiffest direction of a contact: one without a scale of its own
# Alart-Curnier's rho beside the inverse of a contact's own stiffness: 1 finds the cases (open, stick, slip) from
# far away in the fewest steps, a large one is surer of them where contacts share freedoms.
REACHES = (1.0, 30.0)
FULL_STEPS, DAMPED_STEPS = 30, 15
PATIENCE = 10  # full steps in a row that bring nothing
HALVINGS = 8  # to 1/128 of a step: shorter ones would bring nothing that the next method does not
DECREASE = 1e-4  # of the merit, for the length of a step: what it must fall by


def newton(problem: GlobalProblem, start: State, tolerance: float, shift: float = SHIFT) -> tuple[State, int]:
    """The best iterate and the steps: full ones with each reach from ``start``, then damped ones from the best."""
    best, least, steps = start, _residual(problem, start), 0
    for reach in REACHES:
        state, residual, made = _full(problem, start, tolerance, shift, reach)
        steps += made
        if residual < least:
            best, least = state, residual
        if least <= tolerance:
            return best, steps
    for reach in REACHES:
        best, made = _damped(problem, best, tolerance, shift, reach)
        steps += made
    return best, steps


def _full(
    problem: GlobalProblem, start: State, tolerance: float, shift: float, reach: float
) -> tuple[State, float, int]:
    """Full steps, until ``PATIENCE`` of them in a row bring nothing: best iterate, residual, steps."""
    rho = _rates(problem, reach)
    best, least, state, idle, steps = start, _residual(problem, start), start, 0, 0
    while steps < FULL_STEPS and idle < PATIENCE and least > tolerance:
        step = _direction(problem, state, rho, shift)
        if step is None:
            break
        state = state[0] + step[0], state[1] + step[1]
        residual = _residual(problem, state)
        steps, idle = steps + 1, idle + 1
        if residual < least:
            best, least, idle = state, residual, 0
    return best, least, steps


def _damped(problem: GlobalProblem, state: State, tolerance: float, shift: float, reach: float) -> tuple[State, int]:
    """Steps as long as the rows fall, until no length along the direction helps: the best iterate, steps."""
    rho = _rates(problem, reach)
    best, least, merit, steps = state, _residual(problem, state), _merit(problem, state, rho), 0
    while steps < DAMPED_STEPS and least > tolerance:
        step = _direction(problem, state, rho, shift)
        if step is None:
            break
        steps += 1
        for k in range(HALVINGS):
            length = 0.5**k
            trial = state[0] + length * step[0], state[1] + length * step[1]
            new = _merit(problem, trial, rho)
            if new <= (1.0 - DECREASE * length) * merit:
                break
        else:
            break
        state, merit = trial, new
        residual = _residual(problem, state)
        if residual < least:
            best, least = state, residual
    return best, steps


def _rates(problem: GlobalProblem, reach: float) -> Vector:
    """rho of each contact (contacts, 2), normal and tangential, from its own stiffness."""
    stiffness = problem.stiffness
    largest = stiffness.max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    pair = stiffness[:, 0], stiffness[:, 1:].mean(axis=1)
    return reach / np.column_stack([np.where(own > SOFT * scale, own, scale) for own in pair])


def _residual(problem: GlobalProblem, state: State) -> float:
    """The largest natural map or imbalance."""
    v, r = state
    balance = float(np.abs(problem.imbalance(v, r)).max(initial=0.0))
    value = max(balance, natural_map(problem.mu, r, problem.velocity(v)))
    return value if np.isfinite(value) else np.inf


def _merit(problem: GlobalProblem, state: State, rho: Vector) -> float:
    """2-norm of all rows; in natural units they compare."""
    v, r = state
    f = linearized(problem.mu, rho, r, problem.velocity(v))[0]
    return float(np.hypot(np.linalg.norm(f), np.linalg.norm(problem.imbalance(v, r))))


def _direction(problem: GlobalProblem, state: State, rho: Vector, shift: float) -> State | None:
    """(dv, dr), or None where the matrix is singular."""
    v, r = state
    f, by_r, by_u = linearized(problem.mu, rho, r, problem.velocity(v))
    n, every = len(v), np.arange(len(r) + 1)
    mass = problem.M if problem.regular else problem.M + MASS_SHIFT * eye_array(n)
    size = (r.size, r.size)
    coupling = bsr_array((by_u, every[:-1], every), shape=size) @ csc_array(problem.H).T
    own = bsr_array((by_r + shift * by_u, every[:-1], every), shape=size)
    matrix: Matrix = csc_array(block_array([[mass, -problem.H], [coupling, own]]))
    factor = sparse_lu(matrix, **NEARLY_SYMMETRIC)
    if factor is None:
        return None
    x = factor.solve(-np.concatenate([problem.imbalance(v, r), f.ravel()]))
    return (x[:n], x[n:].reshape(r.shape)) if np.isfinite(x).all() else None
