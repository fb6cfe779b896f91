"""Contacts in the plane as a linear complementarity problem, pivoted with twice the digits of a double.

The last word on a small problem whose masses or coefficients are many orders of magnitude apart: where this ends on a
ray, the numbers given have no solution, or more digits than two doubles would decide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.boxes.precise_pivoting import pivoted_precisely
from nsdgen.solvers.linalg.double_double import DoubleDouble, outer, product

AT_REST = 1e-11  # of its terms: a force that is less, a thousandth of a tolerance, moves nothing
PRECISE_CONTACTS = 40  # 120 rows: a pivot takes 12 ms there


def planar_reactions(W: DoubleDouble, q: DoubleDouble, mu: Vector) -> tuple[DoubleDouble | None, int]:
    """r (contacts, 2) that satisfies Coulomb's law with u = W r + q, None on a ray, and the pivots.

    ``W`` is (2 contacts, 2 contacts), ``q`` (2 contacts,), in units near 1, ``mu`` (contacts,). Unknowns are r_N,
    mu r_N - r_T and the speed of sliding to the right; their partners u_N, that to the left, and mu r_N + r_T.
    """
    n = len(mu)
    slope = DoubleDouble.of(mu)
    M = DoubleDouble.of(np.zeros((3 * n, 3 * n)))
    offset = DoubleDouble.of(np.zeros(3 * n))
    normal, tangent, right = slice(0, n), slice(n, 2 * n), slice(2 * n, 3 * n)
    by_normal, by_tangent = W[:, ::2], W[:, 1::2]
    held = by_normal + by_tangent * slope[None, :]  # by r_N, with friction at its limit to the right
    M[normal, normal], M[normal, tangent] = held[::2], -by_tangent[::2]
    M[tangent, normal], M[tangent, tangent] = -held[1::2], by_tangent[1::2]
    one = DoubleDouble.of(np.eye(n))
    M[tangent, right], M[right, tangent] = one, -one
    M[right, normal] = DoubleDouble.of(2.0 * np.diag(mu))
    offset[normal], offset[tangent] = q[::2], -q[1::2]
    z, pivots = pivoted_precisely(M, offset)
    if z is None:
        return None, pivots
    r = DoubleDouble.of(np.zeros((n, 2)))
    r[:, 0], r[:, 1] = z[normal], slope * z[normal] - z[tangent]
    return r, pivots


def planar_on_bodies(A: Matrix, b: Vector, bodies: NDArray[np.intp], mu: Vector) -> tuple[Vector | None, int]:
    """z (n,) with y = A z + b, y = 0 on rows ``bodies``, Coulomb's law on the others, None on a ray; and the pivots.

    The others are contacts, (contacts, 2) rows one after the other with ``mu`` (contacts, 1). Without them the rows
    ``bodies`` are eliminated with twice the digits, which holds masses far apart: they must not be coupled among each
    other. None, too, where they are, where contacts are many or not to slide.
    """
    contacts, count = np.setdiff1d(np.arange(len(b)), bodies), len(mu)
    if not 0 < count <= PRECISE_CONTACTS or len(contacts) != 2 * count or not mu.max() < NO_SLIP:
        return None, 0
    dense = A if isinstance(A, np.ndarray) else A.toarray()
    own = dense[np.ix_(bodies, bodies)]
    mass = own.diagonal()
    if np.count_nonzero(own) > len(mass) or not mass.all():
        return None, 0
    rate = DoubleDouble.of(np.ones(len(mass))) / DoubleDouble.of(mass)
    across, load = DoubleDouble.of(dense[np.ix_(bodies, contacts)]), DoubleDouble.of(b[bodies])
    W, q = DoubleDouble.of(dense[np.ix_(contacts, contacts)]), DoubleDouble.of(b[contacts])
    for k, body in enumerate(bodies):
        moved = DoubleDouble.of(dense[contacts, body]) * rate[k][None]
        W, q = W - outer(moved, across[k]), q - moved * load[k][None]
    r, pivots = planar_reactions(W, q, mu[:, 0])
    if r is None:
        return None, pivots
    z, every = np.empty(len(b)), DoubleDouble(r.high.ravel(), r.low.ravel())
    force = (product(across, every) + load).high
    terms = np.abs(across.high) @ np.abs(every.high) + np.abs(load.high)
    z[contacts], z[bodies] = every.high, np.where(np.abs(force) > AT_REST * terms, -force * rate.high, 0.0)
    return z, pivots
