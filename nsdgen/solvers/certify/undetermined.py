"""How many reactions a solution with friction leaves undetermined."""

from __future__ import annotations

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.contact_certificate import Measure
from nsdgen.solvers.linalg._min_norm import rank

__all__ = ["MOST_ROWS", "undetermined_reactions"]

MOST_ROWS = 300  # of the matrix: up to here the count is cheap beside the solution
CLOSED = 1e-9  # of the load: a smaller normal reaction is rounding
MOVING = 1e-7  # of the load: a smaller velocity is none


def undetermined_reactions(W: Matrix, r: Vector, u: Vector, mu: Vector, measure: Measure) -> int:
    """The dimension of the null space of W over the reactions that may change while no contact changes its case.

    ``r`` and ``u`` (n,) are the solution, ``mu`` is (contacts, disks). A closed contact may change
    its normal reaction, together with the friction of each disk that slides, and the friction of
    each disk that does not. All such changes leave u as it is. 0 for more than ``MOST_ROWS`` rows.
    """
    count, disks = mu.shape
    n = len(r)
    if n > MOST_ROWS or not count:
        return 0
    d = n // count
    unit = np.repeat(measure.unit, d)
    load = np.repeat(measure.own_load, d)
    size = np.repeat(measure.own_size, d)
    reaction = (r * size / (unit * load)).reshape(count, d)
    velocity = (u * unit / load).reshape(count, d)
    columns = []
    for i in np.flatnonzero(reaction[:, 0] > CLOSED):
        normal = np.zeros(n)
        normal[i * d] = 1.0
        for k in range(disks):
            rows = slice(i * d + 1 + 2 * k, i * d + min(d, 3 + 2 * k))
            disk = velocity[i, rows.start - i * d : rows.stop - i * d]
            speed = np.linalg.norm(disk)
            if speed > MOVING:
                normal[rows] = -mu[i, k] * disk / speed
            elif mu[i, k] > 0.0:
                columns += list(np.eye(n)[rows])
        columns.append(normal)
    if not columns:
        return 0
    free = np.array(columns)
    scaled = (W if isinstance(W, np.ndarray) else W.toarray()) * unit[:, None] * unit
    return len(free) - rank(np.ascontiguousarray(free @ scaled @ free.T))
