"""How far z is from solving a random problem, in extended precision and natural units.

Shares no code with the solvers. ``np.longdouble`` has 64 bits of mantissa on x86-64.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from random_problems import Contact, RandomProblem, Vector

FLOOR = 1e-4  # of the largest row: a row counts for no less
VISIBLE = 1e-13  # of its terms: q must be at least this in some row

Long = Any  # arrays of np.longdouble


def violation(problem: RandomProblem, z: Vector) -> float:
    """The largest natural map of a row or contact, relative to its terms; at least 1 outside a bound.

    A row is measured against |q_i| + sum_j |M_ij z_j|, or FLOOR of the largest such sum; contacts
    against the largest. The natural map of a row with z_i near its bound is the distance to it, by
    what it does to any row. Where all of q drowns in the terms of z nothing is solved: infinite.
    """
    M, q, z = (np.asarray(part, dtype=np.longdouble) for part in problem.natural(z))
    if not np.isfinite(z).all():
        return float("inf")
    w = M @ z + q
    terms = abs(M) @ abs(z) + abs(q)
    largest = terms.max(initial=0.0)
    if largest == 0.0:
        return 0.0
    if q.any() and (abs(q) < VISIBLE * terms).all():
        return float("inf")
    size = np.maximum(terms, FLOOR * largest)
    lower, upper = problem.lower * problem.column_unit, problem.upper * problem.column_unit
    scalar = np.ones(len(q), dtype=bool)
    worst = 0.0
    for contact in problem.contacts:
        scalar[contact.rows] = False
        block = M[np.ix_(contact.rows, contact.rows)]
        rho = abs(block).max() or abs(M).max()
        off = abs(_contact_map(z[contact.rows], w[contact.rows], contact, rho)).max() * rho / largest
        worst = max(worst, float(off))
    if not scalar.any():
        return worst
    # A z that touches no row is no matter: its influence is small, not zero times infinity.
    influence = np.maximum((abs(M) / size[:, None]).max(axis=0), np.finfo(np.longdouble).tiny)
    above, below = (z - lower) * influence, (upper - z) * influence
    share = w / size
    off = np.where(share > 0.0, np.minimum(share, above), np.minimum(-share, below))
    off = np.where(lower == upper, 0.0, np.where((z < lower) | (z > upper), 1.0, off))
    return max(worst, float(off[scalar].max()))


def _contact_map(r: Long, u: Long, contact: Contact, rho: Long) -> Long:
    """r - P_K(r - u~ / rho) with De Saxcé's velocity u~."""
    disks = [slice(1, min(len(r), 3)), slice(3, 5)][: 2 if len(r) == 5 else 1]
    slopes = (contact.mu, contact.mu_rolling)[: len(disks)]
    x = r - u / rho
    for slope, disk in zip(slopes, disks, strict=True):
        x[0] -= slope * np.sqrt((u[disk] ** 2).sum()) / rho
    return r - _project(x, disks, slopes)


def _project(x: Long, disks: list[slice], slopes: tuple[float, ...]) -> Long:
    """The nearest point of K: at the best height among the minimisers of all pieces of its distance."""
    lengths = [np.sqrt((x[disk] ** 2).sum()) for disk in disks]

    def distance(t: Long) -> Long:
        outside = (max(np.longdouble(0), s - k * t) for k, s in zip(slopes, lengths, strict=True))
        return (t - x[0]) ** 2 + sum(part**2 for part in outside)

    heights = [np.longdouble(0)]
    for chosen in itertools.product((0, 1), repeat=len(disks)):
        top = x[0] + sum(c * k * s for c, k, s in zip(chosen, slopes, lengths, strict=True))
        heights.append(max(np.longdouble(0), top / (1 + sum(c * k**2 for c, k in zip(chosen, slopes, strict=True)))))
    height = min(heights, key=distance)
    result = x.copy()
    result[0] = height
    for disk, slope, length in zip(disks, slopes, lengths, strict=True):
        if length > slope * height:
            result[disk] *= slope * height / length
    return result
