"""How many reactions a solution with friction leaves undetermined."""

from __future__ import annotations

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.contact_certificate import Measure
from nsdgen.solvers.linalg._min_norm import rank

__all__ = ["MOST_ROWS", "undetermined_reactions"]

MOST_ROWS = 300  # of the matrix: up to here the count is cheap beside the solution
FEW = 30  # columns, up to which the count is as quick as a look
REGULAR = 1e-3  # of the largest one: a pivot of Cholesky's method that is no matter of rounding
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
    closed = np.flatnonzero((r * size / (unit * load)).reshape(count, d)[:, 0] > CLOSED)
    if not len(closed):
        return 0
    velocity = (u * unit / load).reshape(count, d)[closed]
    change, sticking = np.zeros((len(closed), d)), []  # of r, for each closed contact; rows that may change alone
    change[:, 0] = 1.0
    for k in range(disks):
        disk = slice(1 + 2 * k, min(d, 3 + 2 * k))
        speed = np.sqrt((velocity[:, disk] ** 2).sum(axis=1))
        slides = speed > MOVING
        change[slides, disk] = -(mu[closed, k] / np.where(slides, speed, 1.0))[slides, None] * velocity[slides, disk]
        held = closed[~slides & (mu[closed, k] > 0.0)]
        sticking.append((held[:, None] * d + np.arange(disk.start, disk.stop)).ravel())
    rows = np.concatenate(sticking)
    scaled = (W if isinstance(W, np.ndarray) else W.toarray()) * unit[:, None] * unit
    alone, normal = scaled[rows], closed * d
    every = np.vstack([sum(change[:, j, None] * scaled[normal + j] for j in range(d)), alone])
    gram = np.hstack([sum(change[:, j] * every[:, normal + j] for j in range(d)), every[:, rows]])
    return 0 if len(gram) > FEW and _surely_regular(gram) else len(gram) - rank(np.ascontiguousarray(gram))


def _surely_regular(gram: Vector) -> bool:
    """Whether a factorisation alone shows that a symmetric matrix has full rank."""
    try:
        pivots = np.linalg.cholesky(0.5 * (gram + gram.T)).diagonal()
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() > REGULAR * np.sqrt(np.abs(gram.diagonal()).max()))
