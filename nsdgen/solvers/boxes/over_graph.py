"""Sparse problems of rows by the solver of a step, each row a node of its graph.

That is primal-dual active sets, with proximal rounds where these circle; the shortest of many solutions.
"""

import numpy as np

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.interaction.graph_problem import solve_graph
from nsdgen.solvers.scaling.natural_units import in_units, natural_units

FAR_APART = 2.0**8  # units of rows or columns that are worth a change: which solution is the shortest depends on them


def iterate(problem: RowProblem) -> tuple[Vector, int, int] | None:
    """z (n,) that passes the certificate, how many multipliers are open, steps made; M is in compressed rows.

    None where Newton's method ends elsewhere.
    """
    row, column = _units(problem)
    lower, upper = problem.lower / column, problem.upper / column
    A = in_units(problem.M, row, column)
    cone = np.where(np.isinf(upper) & (lower == 0.0), Cone.COMPLEMENTARITY, Cone.BOX)
    cone[np.isinf(lower) & np.isinf(upper)] = Cone.EQUALITY
    bound, deficiency, iterations = np.column_stack([lower, upper]), 0, 0
    try:
        found = solve_graph(A, row * problem.q, cone, bound, initial=problem.start / column, tol=problem.tol)
        end, deficiency, iterations = found.z, found.rank_deficiency, found.iterations
    except SolverError as error:
        end = np.asarray(error.z)
    z = np.clip(end * column, problem.lower, problem.upper)
    return (z, deficiency, iterations) if problem.residual(z) <= problem.tol else None


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
