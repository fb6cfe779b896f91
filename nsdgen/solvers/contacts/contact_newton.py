"""Semismooth Newton for frictional contacts, on the Alart-Curnier function.

A polisher: it takes the iterate of a few Gauss-Seidel sweeps to rounding where those
are slow. Each step solves J dr = -F, J = F_r + F_u (W + eps I), dense for small and over
the graph for large systems. The shift eps makes J regular where contacts share fewer
degrees of freedom than they have reactions; F itself is not shifted, so that the solution
is that of the problem as given. Everything is in the normalised units of ``ContactProblem``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.contacts._dense_newton import newton_dense
from nsdgen.solvers.contacts._gauss_seidel import ContactProblem
from nsdgen.solvers.contacts._graph_factors import GraphFactors
from nsdgen.solvers.linalg.ordering import minimum_degree

__all__ = ["REACH", "factors_of", "newton"]

_SMALL_UNKNOWNS = 180  # up to here the compiled method with its own LU is the faster one
_HALVINGS = 8  # to 1/128 of a step: where that does not help either, shorter ones lead nowhere and others take over
_SOFT = 1e-8  # of the mean stiffness of a contact: a direction without its own scale
# Alart-Curnier's rho beside the inverse of a contact's own stiffness. Above 1 the cases
# (open, stick, slip) follow the velocities rather than the reactions, which settles in
# fewer steps; between 10 and 100 it matters little.
REACH = 30.0

Array = NDArray[np.float64]


def factors_of(problem: ContactProblem) -> GraphFactors | None:
    """What solves for the steps of all problems on this graph; None where the compiled method needs none."""
    if problem.count * problem.dim <= _SMALL_UNKNOWNS:
        return None
    return GraphFactors(problem, minimum_degree(problem.start, problem.column))


def newton(
    problem: ContactProblem,
    r: Array,
    limit: int,
    tolerance: float,
    shift: float = 1e-9,
    reach: float = REACH,
    factors: GraphFactors | None = None,
) -> tuple[Array, float, int]:
    """At most ``limit`` steps from r (contacts, dim): the best iterate, its residual, the steps.

    ``shift`` is eps relative to the mean diagonal of each contact's own block, ``reach``
    rho relative to the inverse of that diagonal. ``factors`` may be ``factors_of`` a problem on
    the same graph, made before.
    """
    factors = factors or factors_of(problem)
    if factors is None:
        best = r.copy()
        residual, steps = newton_dense(problem, best, limit, tolerance, shift, reach)
        return best, residual, steps
    return _over_graph(problem, factors, r, limit, tolerance, shift, reach)


def _over_graph(
    problem: ContactProblem, factors: GraphFactors, r: Array, limit: int, tolerance: float, shift: float, reach: float
) -> tuple[Array, float, int]:
    """``newton`` on many contacts.

    Ends where the natural map is at most ``tolerance``, where J is singular, or where
    no step along its direction helps.
    """
    n, d = r.shape
    rho, own_shift = _scales(problem, shift, reach)
    f, by_r, by_u = np.empty((n, d)), np.empty((n, d, d)), np.empty((n, d, d))
    best, least, steps = r.copy(), problem.residual(r)[0], 0
    problem.linearize(rho, r, f, by_r, by_u)
    merit = float(np.linalg.norm(f))
    while steps < limit and least > tolerance:
        step = factors.solve(problem, own_shift, by_r, by_u, f)
        if step is None:
            break
        steps += 1
        length = 1.0
        for _ in range(_HALVINGS):
            trial = r - length * step
            problem.linearize(rho, trial, f, by_r, by_u)
            new = float(np.linalg.norm(f))
            if new <= (1.0 - 1e-4 * length) * merit:
                break
            length *= 0.5
        else:
            break
        r, merit = trial, new
        residual = problem.residual(r)[0]
        if residual < least:
            best, least = r.copy(), residual
    return best, least, steps


def _scales(problem: ContactProblem, shift: float, reach: float) -> tuple[Array, Array]:
    """rho (contacts, 2), normal and tangential, and eps (contacts,)."""
    diagonal = np.einsum("kii->ki", problem.blocks[problem.diagonal])
    mean = diagonal.mean(axis=1)
    scale = np.where(mean > 0.0, mean, 1.0)
    own = np.column_stack([diagonal[:, 0], diagonal[:, 1:].mean(axis=1)])
    return reach / np.where(own > _SOFT * scale[:, None], own, scale[:, None]), shift * scale
