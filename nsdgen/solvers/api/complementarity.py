"""Linear complementarity problems from Python: ``solve_lcp`` and ``solve_mlcp``.

Both return a certified ``Solution`` or raise ``SolverError``; nothing unconverged is
passed on. What is tried is listed in ``boxes/attempts.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.solvers.api.bounded import solve_given
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.vectors import booleans, vector
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_lcp(
    M: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    *,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with 0 <= w = M z + q, 0 <= z, w . z = 0.

    ``M`` (n, n), dense or sparse, is meant to be positive semidefinite or a P-matrix, ``q``
    is (n,). ``initial`` (n,) may hold a guess: its positive entries are tried as the active
    set. ``tol`` bounds the residual of the solution. ``solver`` is one of ``SOLVERS`` in
    ``boxes/attempts.py``, or None for the automatic choice.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate. Source: Cottle, Pang and Stone, The Linear
    Complementarity Problem, 1992, section 1.1; pivoting is Lemke's of 1965, made lexicographic.
    """
    offset = vector("q", q)
    n = len(offset)
    square = matrix("M", M, n)
    return solve_given(square, offset, np.zeros(n), np.full(n, np.inf), tol, solver, initial)


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_mlcp(
    M: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    is_equality: ArrayLike,
    *,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with w = M z + q, where w_i = 0 and z_i is free if ``is_equality[i]``.

    The other rows are complementary: 0 <= w_i, 0 <= z_i, w_i z_i = 0. ``is_equality``
    is (n,) of booleans; everything else is as in ``solve_lcp``. Redundant equalities
    that agree are allowed; the shortest multiplier is returned.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no solution (also
    where equalities contradict each other) or none passed the certificate. Source: Cottle,
    Pang and Stone, 1992, chapter 1 (mixed problems); free rows are pivoted first, then Lemke's method.
    """
    offset = vector("q", q)
    n = len(offset)
    square = matrix("M", M, n)
    lower = np.where(booleans("is_equality", is_equality, n), -np.inf, 0.0)
    return solve_given(square, offset, lower, np.full(n, np.inf), tol, solver, initial)
