"""Problems of several cones part by part: rows that nothing connects, each part in natural units and its own load."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.interaction.graph_problem import entries
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.mixed.cone_graph import ConePart, ConeProblem, ContactRows
from nsdgen.solvers.scaling.natural_units import in_units
from nsdgen.solvers.scaling.visible_units import visible_units

Rows = NDArray[np.intp]

ALIKE = 2.0**16  # of positive diagonal entries: units are then those of the data
DOMINATES = 1e3  # an entry beside the root of its diagonal entries, where these say too little
TINY = float(np.finfo(float).tiny)  # counts for nothing but a connection
SMALL = 200  # rows up to which a part of a sparse problem is quicker dense


def cone_parts(whole: ConeProblem) -> tuple[list[ConePart], Rows]:
    """The connected parts with friction, and the rows of all others."""
    n = len(whole.b)
    touched = np.concatenate([contact.rows for contact in whole.contacts])
    others = np.ones(n, dtype=bool)
    others[touched] = False
    order = np.concatenate([touched, np.flatnonzero(others)])
    heights = np.ones(len(whole.contacts) + n - len(touched), dtype=np.intp)
    heights[: len(whole.contacts)] = [len(contact.rows) for contact in whole.contacts]
    sizes = _sizes(whole.A, order, heights)
    first, nodes = connected_parts(sizes)
    rate, unit = _units(sizes)
    ends, result, rest = np.cumsum(heights), [], []
    for a, c in pairwise(first.tolist()):
        mine = np.sort(nodes[a:c])
        rows = order
        if len(mine) < len(heights):
            rows = np.concatenate([order[ends[p] - heights[p] : ends[p]] for p in mine])
        if mine[0] >= len(whole.contacts):
            rest.append(rows)
            continue
        of = np.repeat(mine, heights[mine])
        contacts = [whole.contacts[p] for p in mine[mine < len(whole.contacts)].tolist()]
        result.append(_part(whole, contacts, rows, rate[of], unit[of]))
    return result, np.sort(np.concatenate(rest)) if rest else np.zeros(0, dtype=np.intp)


def _part(whole: ConeProblem, contacts: list[ContactRows], rows: Rows, rate: Vector, unit: Vector) -> ConePart:
    """The rows ``rows``, those of ``contacts`` first, in units rate y and z / unit."""
    A = whole.A[rows[:, None], rows] if isinstance(whole.A, np.ndarray) else whole.A[rows][:, rows]
    if not isinstance(A, np.ndarray) and len(rows) <= SMALL:
        A = A.toarray()
    A = in_units(A, rate, unit)
    b = rate * whole.b[rows]
    load = np.exp2(np.rint(np.log2(np.abs(b).max() or 1.0)))
    unit, ends = unit * load, np.cumsum([len(contact.rows) for contact in contacts])
    inner = [
        ContactRows(np.arange(end - len(contact.rows), end), contact.mu, contact.mu_rolling)
        for contact, end in zip(contacts, ends, strict=True)
    ]
    problem = ConeProblem(A, b / load, whole.lower[rows] / unit, whole.upper[rows] / unit, inner, whole.tol)
    return ConePart(rows, load / rate, unit, problem)


def _sizes(A: Matrix, order: Rows, heights: Rows) -> Matrix:
    """The largest |entry| between any two nodes of ``heights``, whose rows are ``order``; the pattern is symmetric."""
    count, ends = len(heights), np.cumsum(heights)
    if isinstance(A, np.ndarray):
        size, first = np.abs(A[order[:, None], order]), ends - heights
        if len(order) > count:
            size = np.maximum.reduceat(np.maximum.reduceat(size, first, axis=0), first, axis=1)
        return np.where((size == 0.0) & (size.T != 0.0), TINY, size)
    node = np.empty(len(order), dtype=np.intp)
    node[order] = np.repeat(np.arange(count), heights)
    data, i, j = entries(A)
    data, i, j, every = np.abs(data), node[i], node[j], np.arange(count) * (count + 1)
    keys, place = np.unique(np.concatenate([i * count + j, j * count + i, every]), return_inverse=True)
    largest = np.zeros(len(keys))
    np.maximum.at(largest, place[: len(data)], data)
    return csr_array(coo_array((largest, np.divmod(keys, count)), shape=(count, count)))


def _units(sizes: Matrix) -> tuple[Vector, Vector]:
    """Powers of two for y and z of each node."""
    diagonal, one = sizes.diagonal(), np.ones(sizes.shape[0])
    own = diagonal > 0.0
    if own.all() and diagonal.max() < ALIKE * diagonal.min():
        return one / np.exp2(np.rint(np.log2(diagonal.max()))), one
    # Those of masses, and of what moves them, where these say enough: the same for y and z.
    root = np.where(own, np.exp2(np.rint(-0.5 * np.log2(np.where(own, diagonal, 1.0)))), 0.0)
    if own.any() and in_units(sizes, root, root).max() <= DOMINATES:
        reach = np.ravel(_dense(in_units(sizes, one, root).max(axis=1)))
        unit = np.where(own, root, np.exp2(np.rint(-np.log2(np.where(reach > 0.0, reach, 1.0)))))
        if (own | (reach > 0.0)).all() and in_units(sizes, unit, unit).max() <= DOMINATES:
            return unit, unit
    return visible_units(sizes)


def _dense(A: Matrix) -> Vector:
    return A if isinstance(A, np.ndarray) else np.asarray(A.toarray())
