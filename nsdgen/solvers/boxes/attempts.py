"""Problems of rows by the automatic choice: one method after the other, each where its condition holds.

==================  =======================================================  ==============================
attempt             what it does                                             where
==================  =======================================================  ==============================
dense               active sets, then pivoting, compiled (``_box.pxi``)      small or full matrices
structure           part by part, sparse methods (``structured.py``)         unless that is proved in vain
other orders        ties broken in another way: another path                 pivoting ended on a ray
twice the digits    pivoting in forty digits (``precise_pivoting.py``)       few complementarity rows
==================  =======================================================  ==============================

Everything returned has passed the certificate (``row_certificate.py``); a failure that is proved ends the search.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import TypeAlias

import numpy as np

from nsdgen.errors import SolverError
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.rows._row_methods import solve_dense
from nsdgen.solvers.scaling.natural_units import natural_units
from nsdgen.solvers.scaling.tempered import tempered_rows
from nsdgen.solvers.solution import METHODS, REASONS, Solution

SOLVERS = ("newton", "pivoting")
"""The methods of ``structured.py`` that callers may ask for by name."""

SMALL = 100  # rows up to which the structure of a dense matrix is not looked at: that would take longer than solving
DENSE_SHARE = 0.25  # of nonzero entries, from which on sparse factors fill anyway
ORDERS = 3  # that rows are tried in: what these do not solve others hardly ever do
REORDERED_ROWS = 400  # up to which another order takes less than seconds
PRECISE_ROWS = 120  # up to which pivots take twice the digits: a pivot takes 12 ms there

PROOFS = ("infeasible", "inconsistent")


RowAttempt: TypeAlias = tuple[Callable[[RowProblem, SolverError | None], bool], Callable[[RowProblem], Solution | None]]
"""Whether a method applies to a problem after the failure so far; its solution, None or its own failure."""


def solve_rows(problem: RowProblem) -> Solution:
    """The solution; raises ``SolverError`` where there is none or none passed the certificate."""
    if (own := tempered_rows(problem.M, problem.q)) is None:
        return _first_of(ATTEMPTS, problem)
    inner = replace(
        problem, M=own.matrix, q=own.offset, lower=own.inner(problem.lower), upper=own.inner(problem.upper),
        start=own.inner(problem.start),
    )  # fmt: skip
    return own.solution(lambda: solve_rows(inner), problem.tol, inner.residual)


def _first_of(attempts: Sequence[RowAttempt], problem: RowProblem) -> Solution:
    """The solution of the first attempt that finds one; raises the failure of the last that says why not."""
    error: SolverError | None = None
    for applies, solve in attempts:
        if applies(problem, error):
            try:
                if (solution := solve(problem)) is not None:
                    return solution
            except SolverError as failed:
                error = failed
    assert error is not None  # dense or structure applies to every problem
    raise error


# -- conditions --------------------------------------------------------------------------------


def _is_dense(problem: RowProblem, _: SolverError | None) -> bool:
    """Small enough, or full enough, for the compiled dense solver."""
    n = len(problem.q)
    few_zeros = problem.dense and (n <= SMALL or np.count_nonzero(problem.M) > DENSE_SHARE * n * n)
    return bool(n and problem.solver is None and few_zeros)


def _is_open(problem: RowProblem, error: SolverError | None) -> bool:
    """Nothing tried yet, or what a failure says is not proved; what a ray says is checked once more."""
    if error is None or error.reason not in PROOFS:
        return True
    # Imported late: hardly any problem fails.
    from nsdgen.solvers.boxes.structured import is_excluded

    return error.reason == "infeasible" and not is_excluded(problem)


def _ended_on_a_ray(problem: RowProblem, error: SolverError | None) -> bool:
    """On a ray, which need not mean that there is no solution."""
    few = len(problem.q) <= REORDERED_ROWS and problem.solver is None
    return few and error is not None and error.reason == "ray" and _has_no_caps(problem)


def _is_small_complementarity(problem: RowProblem, error: SolverError | None) -> bool:
    """Few complementarity rows, and no proof: doubles may have ended where twice their digits do not."""
    if error is None or error.reason in PROOFS or problem.solver is not None:
        return False
    return 0 < len(problem.q) <= PRECISE_ROWS and _has_no_caps(problem) and not problem.lower.any()


def _has_no_caps(problem: RowProblem) -> bool:
    """Whether there are complementarity and equality rows only."""
    return bool(np.isinf(problem.upper).all() and ((problem.lower == 0.0) | np.isinf(problem.lower)).all())


# -- methods -----------------------------------------------------------------------------------


def _dense(problem: RowProblem) -> Solution:
    z, w = problem.start.copy(), np.zeros(len(problem.q))
    status, method, pivots, deficiency, worst, seconds = solve_dense(
        problem.M, problem.q, problem.lower, problem.upper, z, w, problem.tol
    )
    return problem.solution(z, METHODS[method], pivots, deficiency, seconds, REASONS[status], worst)


def _structure(problem: RowProblem) -> Solution:
    # Imported late: a small dense problem needs nothing of it.
    from nsdgen.solvers.boxes.structured import solve_structured

    return solve_structured(problem)


def _other_orders(problem: RowProblem) -> Solution | None:
    dense = problem if problem.dense else replace(problem, M=problem.M.toarray())
    rng = np.random.default_rng(0)  # always the same orders
    for _ in range(ORDERS):
        order = rng.permutation(len(problem.q))
        with suppress(SolverError):
            found = _first_of(BASIC, dense.in_order(order))
            back = np.argsort(order)
            return replace(found, z=found.z[back], w=found.w[back])
    return None


def _twice_the_digits(problem: RowProblem) -> Solution | None:
    # Imported late: hardly any problem needs it.
    from nsdgen.solvers.boxes.precise_pivoting import decimals, pivoted_precisely

    dense = problem if problem.dense else replace(problem, M=problem.M.toarray())
    rows, columns = natural_units(dense.M)
    inner = dense.in_units(rows, columns)
    load = float(np.exp2(np.rint(np.log2(np.abs(inner.q).max())))) if problem.q.any() else 1.0
    started = perf_counter()
    found, pivots = pivoted_precisely(decimals(inner.M), decimals(inner.q / load))
    if found is None:
        return None
    z = np.maximum(found.astype(float), 0.0) * columns * load
    return dense.solution(z, "pivoting", pivots, 0, perf_counter() - started, "beyond doubles")


BASIC = ((_is_dense, _dense), (_is_open, _structure))
ATTEMPTS = (*BASIC, (_ended_on_a_ray, _other_orders), (_is_small_complementarity, _twice_the_digits))
