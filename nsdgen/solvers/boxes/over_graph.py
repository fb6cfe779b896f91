"""Sparse problems of rows by the solver of a step, each row a node of its graph.

1. ``newton``: primal-dual active sets, with proximal rounds where these circle; the shortest of many solutions.
2. ``interior point``: the central path of M + eps I, in some forty steps whatever the size. Where it ends is the
   guess of active sets; where they do not finish, it is a solution by itself, one of many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.interaction.graph_problem import solve_graph
from nsdgen.solvers.scaling.natural_units import in_units, natural_units

ITERATIONS = ("newton", "interior point")
"""By name, in the order in which they are tried."""

FAR_APART = 2.0**8  # units of rows or columns that are worth a change: which solution is the shortest depends on them
SHIFT = 1e-7  # of the diagonal: half the digits


@dataclass(frozen=True)
class IterationEnd:
    """z (n,) within its bounds, what ended it, how many multipliers are open, steps made."""

    z: Vector
    solver: str
    deficiency: int
    iterations: int


def iterate(problem: RowProblem, names: tuple[str, ...] = ITERATIONS) -> IterationEnd | None:
    """What the first of the methods ``names`` finds that passes the certificate; M is in compressed rows."""
    units, steps = _units(problem), 0
    if "newton" in names:
        found = _over_graph(problem, units, problem.start, None)
        steps = found.iterations
        if problem.residual(found.z) <= problem.tol:
            return found
    if "interior point" not in names:
        return None
    inside = _over_graph(problem, units, problem.start, "interior point")
    end = _over_graph(problem, units, inside.z, None)
    steps += inside.iterations + end.iterations
    if problem.residual(end.z) <= problem.tol:
        return IterationEnd(end.z, "interior point", end.deficiency, steps)
    if problem.residual(inside.z) <= problem.tol:
        return IterationEnd(inside.z, "interior point", max(end.deficiency, 1), steps)
    return None


def _units(problem: RowProblem) -> tuple[Vector, Vector]:
    """Units R, C of rows and columns in which R M C is near 1, those of the data where these are not far apart.

    An equality may carry any sign: one without a diagonal entry that couples symmetrically to the others is turned.
    """
    M = problem.M
    row, column = natural_units(M)
    if max(row.max() / row.min(), column.max() / column.min()) < FAR_APART:
        row, column = np.ones(len(row)), np.ones(len(row))
    diagonal = M.diagonal()
    coupling = np.ravel(M.multiply(M.T).sum(axis=1)) - diagonal**2
    turned = (diagonal < 0.0) | ((diagonal == 0.0) & (coupling > 0.0))
    return np.where(turned & np.isinf(problem.lower) & np.isinf(problem.upper), -row, row), column


def _over_graph(problem: RowProblem, units: tuple[Vector, Vector], z: Vector, solver: str | None) -> IterationEnd:
    """Where ``solve_graph`` ends from the guess z, at worst its best iterate; from inside for M + eps I."""
    row, column = units
    lower, upper = problem.lower / column, problem.upper / column
    A = in_units(problem.M, row, column)
    if solver:
        own = np.abs(A.diagonal())
        A = csr_array(A + diags_array(SHIFT * np.where(own > 0.0, own, 1.0)))
    cone = np.where(np.isinf(upper) & (lower == 0.0), Cone.COMPLEMENTARITY, Cone.BOX)
    cone[np.isinf(lower) & np.isinf(upper)] = Cone.EQUALITY
    bound, deficiency, iterations = np.column_stack([lower, upper]), 0, 0
    try:
        found = solve_graph(A, row * problem.q, cone, bound, initial=z / column, tol=problem.tol, solver=solver)
        end, deficiency, iterations = found.z, found.rank_deficiency, found.iterations
    except SolverError as error:
        end = np.asarray(error.z)
    return IterationEnd(np.clip(end * column, problem.lower, problem.upper), "newton", deficiency, iterations)
