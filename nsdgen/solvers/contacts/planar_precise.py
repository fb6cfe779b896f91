"""Contacts in the plane as a linear complementarity problem, pivoted in decimal numbers of forty digits.

The last word on a small problem whose masses or coefficients are many orders of magnitude apart: where this ends on a
ray, the numbers given have no solution, or more digits than these would decide.
"""

from decimal import localcontext

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.boxes.precise_pivoting import DIGITS, Decimals, decimals, pivoted_precisely

AT_REST = 1e-11  # of its terms: a force that is less, a thousandth of a tolerance, moves nothing
PRECISE_CONTACTS = 40  # 120 rows: a pivot takes 12 ms there


def planar_reactions(W: Decimals, q: Decimals, mu: Vector) -> tuple[Decimals | None, int]:
    """r (contacts, 2) that satisfies Coulomb's law with u = W r + q, None on a ray, and the pivots.

    ``W`` is (2 contacts, 2 contacts), ``q`` (2 contacts,), in units near 1, ``mu`` (contacts,). Unknowns are r_N,
    mu r_N - r_T and the speed of sliding to the right; their partners u_N, that to the left, and mu r_N + r_T.
    """
    n, slope = len(mu), decimals(mu)
    one, none = decimals(np.eye(n)), decimals(np.zeros((n, n)))
    by_normal, by_tangent = W[:, ::2], W[:, 1::2]
    held = by_normal + by_tangent * slope  # by r_N, with friction at its limit to the right
    M = np.block([
        [held[::2], -by_tangent[::2], none],
        [-held[1::2], by_tangent[1::2], one],
        [decimals(2.0 * np.diag(mu)), -one, none],
    ])  # fmt: skip
    z, pivots = pivoted_precisely(M, np.concatenate([q[::2], -q[1::2], none[0]]))
    if z is None:
        return None, pivots
    return np.column_stack([z[:n], slope * z[:n] - z[n : 2 * n]]), pivots


def planar_on_bodies(A: Matrix, b: Vector, bodies: NDArray[np.intp], mu: Vector) -> tuple[Vector | None, int]:
    """z (n,) with y = A z + b, y = 0 on rows ``bodies``, Coulomb's law on the others, None on a ray; and the pivots.

    The others are contacts, (contacts, 2) rows one after the other with ``mu`` (contacts, 1). Without them the rows
    ``bodies`` are eliminated with as many digits, which hold masses far apart: they must not be coupled among each
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
    with localcontext(prec=DIGITS):
        return _on_bodies(dense, b, bodies, contacts, decimals(mass), mu[:, 0])


def _on_bodies(
    A: Vector, b: Vector, bodies: NDArray[np.intp], contacts: NDArray[np.intp], mass: Decimals, mu: Vector
) -> tuple[Vector | None, int]:
    across, load = decimals(A[np.ix_(bodies, contacts)]), decimals(b[bodies])
    W, q = decimals(A[np.ix_(contacts, contacts)]), decimals(b[contacts])
    for k, body in enumerate(bodies):
        moved = A[contacts, body].nonzero()[0]
        moves = A[body, contacts].nonzero()[0]
        share = decimals(A[contacts[moved], body]) / mass[k]
        W[np.ix_(moved, moves)] -= np.outer(share, across[k, moves])
        q[moved] -= share * load[k]
    r, pivots = planar_reactions(W, q, mu)
    if r is None:
        return None, pivots
    z, every = np.empty(len(b)), r.ravel()
    force, terms = across @ every + load, np.abs(across) @ np.abs(every) + np.abs(load)
    at_rest = np.abs(force).astype(float) <= AT_REST * terms.astype(float)
    z[contacts], z[bodies] = every.astype(float), np.where(at_rest, 0.0, (-force / mass).astype(float))
    return z, pivots
