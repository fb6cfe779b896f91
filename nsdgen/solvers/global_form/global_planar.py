"""Contacts in the plane, M diagonal: W = H^T M^-1 H with twice the digits of a double keeps all masses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csc_array

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.contacts.planar_precise import PRECISE_CONTACTS, planar_reactions
from nsdgen.solvers.global_form.global_newton import State
from nsdgen.solvers.global_form.global_problem import GlobalProblem
from nsdgen.solvers.linalg.double_double import DoubleDouble, outer, product

__all__ = ["planar_steps"]


def planar_steps(problem: GlobalProblem) -> Iterator[tuple[str, State, int]]:
    """The solution by pivoting, as a step of ``global_attempts``; nothing on a ray, or for other problems."""
    count, dim = problem.b.shape
    M = csc_array(problem.M)
    mass = M.diagonal()
    diagonal = M.nnz == len(mass) and bool((mass > 0.0).all())
    if dim != 2 or not 0 < count <= PRECISE_CONTACTS or not diagonal or not problem.mu.max() < NO_SLIP:
        return
    H, force = DoubleDouble.of(problem.H.toarray()), DoubleDouble.of(problem.f)
    rate = DoubleDouble.of(np.ones(len(mass))) / DoubleDouble.of(mass)
    W, q = DoubleDouble.of(np.zeros((2 * count, 2 * count))), DoubleDouble.of(problem.b.ravel())
    for k in range(len(mass)):
        moved = H[k] * rate[k][None]
        W, q = W + outer(H[k], moved), q + moved * force[k][None]
    r, pivots = planar_reactions(W, q, problem.mu[:, 0])
    if r is not None:
        every = DoubleDouble(r.high.ravel(), r.low.ravel())
        v = (product(H, every) + force) * rate
        yield "condensed", (v.high, r.high), pivots
