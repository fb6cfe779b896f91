"""Coulomb friction from Python: ``solve_friction`` for contacts in the plane, in space, rolling.

Plain dense arrays, and few compressed rows, go to a compiled function of checks, solution and certificate
(``_dense_contacts.pxi``), which stands before the one written here. What it does not take or solve is a problem of
cones as all others (``mixed/cone_parts.py``), with the same certificate (``mixed_certificate.py``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.certify.friction_failure import of_contacts
from nsdgen.solvers.contacts._contacts import dense_first, solve_dense
from nsdgen.solvers.input.friction_input import friction_coefficients
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.mixed.cone_graph import PRECISE
from nsdgen.solvers.mixed.cone_parts import friction_residual, solve_cones
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.scaling.tempered import tempered
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix


SOLVERS = ("newton", PRECISE)  # the later one is the last resort, in the plane


def solve_friction(
    W: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    mu: ArrayLike,
    dim: int = 3,
    *,
    mu_rolling: ArrayLike | None = None,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find reactions r and velocities u = W r + q that satisfy Coulomb's law at every contact.

    Contact i has rows ``dim * i`` ... ``dim * (i + 1) - 1``, normal first, and one of

    - take-off: r = 0, u_N >= 0;
    - stick: u = 0, |r_T| <= mu r_N;
    - slip: u_N = 0, r_T = -mu r_N u_T / |u_T|;

    in short K* contains u + mu |u_T| e_N, orthogonal to r in the cone K, |r_T| <= mu r_N
    (De Saxcé and Feng, 1998). u_N > 0 opens the contact, r_N > 0 pushes it apart.
    With ``mu_rolling`` (a length) a contact has five rows (N, T1, T2, R1, R2) and the same
    law holds for the rolling moment r_R and the rolling rate u_R besides: |r_R| <= mu_rolling r_N,
    and K* contains u + (mu |u_T| + mu_rolling |u_R|) e_N.

    ``W`` (n, n) is dense or sparse and meant to be positive semidefinite, ``q`` is (n,),
    ``mu`` and ``mu_rolling`` are (contacts,) or one number for all. An infinite one (1e100 or more) means that
    a contact with r_N > 0 does not slide, or roll, and that one with r_N = 0 has no friction. ``dim`` is 2, 3 or 5;
    ``mu_rolling`` makes 3 mean 5. ``initial`` (n,) is a guess of r. ``solver`` is one of
    ``SOLVERS``, None for the automatic choice.

    Returns a ``Solution`` with z = r, w = u and residual = ``friction_residual``, at most
    ``tol``; ``rank_deficiency`` counts the reactions that it leaves undetermined in parts of up to
    ``_undetermined.MOST_ROWS`` rows, and not in larger ones. The r returned is then one of many.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate
    ``z``, the contact furthest off in ``rows``, where no solution was found; its ``reason`` is "infeasible" where
    it is proved that no reactions keep the contacts ``rows`` from closing. Newton's method is that of
    the function of Alart and Curnier, 1991.
    """
    return _solve_checked(False, W, q, mu, dim, mu_rolling, tol, solver, initial)


def _solve_checked(found: Any, *given: Any) -> Solution:
    """What the compiled function did not solve, which ``found`` False, no guess or one."""
    W, q, mu, dim, mu_rolling, tol, solver, initial = given
    with np.errstate(all="ignore"):  # what is no number is refused, or fails the certificate
        offset = vector("q", q)
        mus, dim = friction_coefficients(mu, mu_rolling, dim, len(offset))
        square, goal = matrix("W", W, len(offset)), tolerance(tol)
        solver = one_of("solver", solver, SOLVERS if dim == 2 else SOLVERS[:1], f" for dim {dim}")
        start, rows = guess(initial, len(offset)), np.arange(len(offset)).reshape(-1, dim)
        if solver is None and found is False:
            found = solve_dense(square, offset, mus, dim, goal, start)
            if type(found) is Solution:
                return found
        if type(found) is np.ndarray:
            start = found
        free = np.full(len(offset), np.inf)
        return _solve(ConeProblem(square, offset, -free, free, [(rows, mus)], goal), start, solver)


if not TYPE_CHECKING:  # the same types
    solve_friction = dense_first(solve_friction, _solve_checked)


def _solve(problem: ConeProblem, start: Vector, solver: str | None) -> Solution:
    """The checked problem, where its numbers are far from 1 in units of its own."""
    W, q, (rows, mu) = problem.A, problem.b, problem.contacts[0]
    dim = rows.shape[1]
    if not q.any():
        return Solution(np.zeros(len(q)), q.copy(), 0.0, "closed form", 0, 0)
    own = tempered(W, q)
    if own is None:
        return _solve_near(problem, start, solver)
    inner = replace(problem, A=own.matrix, b=own.offset)
    return own.solution(
        lambda: _solve_near(inner, own.inner(start), solver),
        problem.tol, lambda r: float(friction_residual(inner.A, inner.b, mu, r, dim).max()),
    )  # fmt: skip


def _solve_near(problem: ConeProblem, start: Vector, solver: str | None) -> Solution:
    """The same in units near 1; errors speak of contacts."""
    W, q, (rows, mu) = problem.A, problem.b, problem.contacts[0]
    try:
        found = solve_cones(problem, start, solver)
    except SolverError as error:
        raise of_contacts(error, mu, rows.shape[1], W.diagonal()[rows[:, 0]]) from None
    return replace(found, w=W @ found.z + q)
