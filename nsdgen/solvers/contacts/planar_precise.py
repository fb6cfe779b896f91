"""Contacts in the plane as a linear complementarity problem, pivoted with twice the digits of a double.

The last word on a small problem whose masses or coefficients are many orders of magnitude apart: where this ends on a
ray, the numbers given have no solution, or more digits than two doubles would decide.
"""

from __future__ import annotations

import numpy as np

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.precise_pivoting import pivoted_precisely
from nsdgen.solvers.linalg.double_double import DoubleDouble

__all__ = ["PRECISE_CONTACTS", "planar_reactions"]

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
