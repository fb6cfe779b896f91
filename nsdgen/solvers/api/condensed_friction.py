"""Coulomb friction from Python: ``solve_friction`` for contacts in the plane, in space, rolling.

Plain dense arrays go to a compiled function of checks, solution and certificate (``_dense_contacts.pxi``). What it
does not take or solve is looked at here. Contacts that share no body are solved apart, in units of their own
(``contact_graph.py``), all parts by the solver of a step (``_one_step.pxi``); what is left goes on part by
part (``contact_attempts.py``). The certificate is in ``contact_certificate.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.contacts._contacts import solve_dense
from nsdgen.solvers.contacts.contact_attempts import SOLVERS
from nsdgen.solvers.contacts.contact_measure import friction_residual
from nsdgen.solvers.contacts.contact_work import ContactData, solve_contacts
from nsdgen.solvers.input.friction_input import friction_coefficients
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.scaling.tempered import tempered
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix


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
    ``tol``; ``rank_deficiency`` counts the reactions that it leaves undetermined, up to
    ``_undetermined.MOST_ROWS`` rows, and is 0 beyond. The r returned is then one of many.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate
    ``z`` and the contacts ``rows`` that are off where no solution was found; its ``reason`` is "infeasible" where
    it is proved that no reactions keep the contacts ``rows`` from closing. Newton's method is that of
    the function of Alart and Curnier, 1991.
    """
    tried = False
    if solver is None and mu_rolling is None and type(dim) is int and type(tol) is float:
        tried, found = solve_dense(W, q, mu, dim, tol, initial)
        if found is not None:
            return found  # type: ignore[no-any-return]
    with np.errstate(all="ignore"):  # what is no number is refused, or fails the certificate
        offset = vector("q", q)
        mus, dim = friction_coefficients(mu, mu_rolling, dim, len(offset))
        data, goal = ContactData(matrix("W", W, len(offset)), offset, mus), tolerance(tol)
        names = SOLVERS if dim == 2 else tuple(name for name in SOLVERS if name != "lemke")
        solver = one_of("solver", solver, names, f" for dim {dim}")
        return _solve(data, guess(initial, len(offset)), goal, solver, tried)


def _solve(data: ContactData, start: Vector, goal: float, solver: str | None, tried: bool) -> Solution:
    """The checked problem, where its numbers are far from 1 in units of its own."""
    own = tempered(data.W, data.q)
    if own is None:
        return solve_contacts(data, start, goal, solver, tried)
    inner, dim = ContactData(own.matrix, own.offset, data.mu), len(data.q) // len(data.mu)
    return own.solution(
        lambda: solve_contacts(inner, own.inner(start), goal, solver),
        goal, lambda r: float(friction_residual(inner.W, inner.q, inner.mu, r, dim).max()),
    )  # fmt: skip
