"""Frictional contacts as nodes of a graph, in units of their own, part by part.

Contacts that share no body, directly or through others, are independent problems (parts).
With D_i a power of two near the inverse root of the largest entry of a contact's own
block, D W D has diagonal blocks near 1 whatever the masses are, and each part is solved
in its own load max |D q|. Both changes of units are exact and leave the law as it is, so that
a part is the same problem whatever stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import CONES, block_rows, entries
from nsdgen.solvers.linalg._linalg import split
from nsdgen.solvers.linalg.ordering import minimum_degree

SMALL = 16  # contacts: up to here any order of elimination is quicker than to look for a good one
NOISE = 1e-13  # of max |q|: what the rounding of common motions may leave in a part

Indices = NDArray[np.intc]


@dataclass(frozen=True)
class ContactPart:
    """Contacts in normalised units: the rows of ``column`` are those of W, block ``start[i]`` is on the diagonal.

    ``blocks`` (blocks, dim, dim), ``column`` (blocks,), ``start`` (contacts + 1,), ``q`` (contacts, dim), ``mu``
    (contacts, disks), and the ``order`` of elimination (contacts,).
    """

    blocks: Vector
    column: Indices
    start: Indices
    q: Vector
    mu: Vector
    order: Indices

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The same as ``solve_arrays`` takes it."""
        count, dim = self.q.shape
        cone, bound = np.full((count, dim), FOLLOWS, dtype=np.intc), np.zeros((count, dim, 2))
        cone[:, 0], bound[:, 0, : self.mu.shape[1]] = CONES[dim], self.mu
        places = np.arange(len(self.column), dtype=np.int64) * dim**2
        row = np.arange(count + 1, dtype=np.intc) * np.intc(dim)
        return (
            row, self.start, self.column, places, self.blocks.ravel(), self.order, cone.ravel(), bound.ravel(),
            self.q.ravel(),
        )  # fmt: skip

    @property
    def dense(self) -> Vector:
        """W (n, n)."""
        count, d = self.q.shape
        W = np.zeros((count, count, d, d))
        W[np.repeat(np.arange(count), np.diff(self.start)), self.column] = self.blocks
        return W.transpose(0, 2, 1, 3).reshape(count * d, count * d)


@dataclass(frozen=True)
class ContactGraph:
    """All parts one after the other: contacts ``first[k]`` ... ``first[k + 1] - 1`` of ``whole`` are part k.

    ``order`` (contacts) are their numbers in the data. r of the data is ``unit`` (contacts) times r of ``whole``;
    ``load`` (parts) is what q of each part was divided by after D, ``size`` (parts) the largest entry of D W D in it.
    ``seconds`` were spent on finding the parts.
    """

    whole: ContactPart
    order: Indices
    first: Indices
    unit: Vector
    load: Vector
    size: Vector
    seconds: float

    def part(self, k: int) -> ContactPart:
        """Part k by itself."""
        whole, a, b = self.whole, self.first[k], self.first[k + 1]
        blocks = slice(whole.start[a], whole.start[b])
        return ContactPart(
            whole.blocks[blocks], whole.column[blocks] - a, whole.start[a : b + 1] - whole.start[a], whole.q[a:b],
            whole.mu[a:b], whole.order[a:b] - a,
        )  # fmt: skip

    def to_data(self, r: Vector) -> Vector:
        """r (contacts, dim) of ``whole`` as r (n,) of the data."""
        result = np.empty_like(r)
        result[self.order] = r * self.unit[:, None]
        return result.ravel()

    def from_data(self, r: Vector) -> Vector:
        """The inverse of ``to_data``."""
        return np.ascontiguousarray(r.reshape(self.whole.q.shape)[self.order] / self.unit[:, None])


def contact_graph(W: Matrix, q: Vector, mu: Vector) -> ContactGraph:
    """Parts and units of a checked problem; ``mu`` is (contacts, disks), W and q are not zero."""
    count = len(mu)
    dim = len(q) // count
    start, column, _, value = block_rows(*entries(W), np.arange(count + 1) * dim)
    blocks = value.reshape(-1, dim, dim)
    order, first = np.empty(count, dtype=np.intc), np.empty(count + 1, dtype=np.intc)
    parts, seconds = split(start, column, order, first)
    first = first[: parts + 1].copy()
    sizes = largest_entries(blocks)
    own = sizes[start[:-1]]
    scale = np.exp2(np.rint(-0.5 * np.log2(np.where(own > 0.0, own, float(sizes.max()) or 1.0))))
    factors = np.repeat(scale, np.diff(start)) * scale[column]
    blocks, sizes = blocks * factors[:, None, None], sizes * factors
    q = q.reshape(count, dim) * scale[:, None]
    if parts > 1:
        start, column, taken = _reordered(start, column, order)
        blocks, sizes, q, mu, scale = blocks[taken], sizes[taken], q[order], mu[order], scale[order]
    load = _loads(q, scale, first)
    each = np.repeat(load, np.diff(first))
    order_of_elimination = _elimination(start, column, first)
    whole = ContactPart(blocks, column, start, q / each[:, None], mu, order_of_elimination)
    return ContactGraph(whole, order, first, scale * each, load, np.maximum.reduceat(sizes, start[first[:-1]]), seconds)


def _reordered(start: Indices, column: Indices, order: Indices) -> tuple[Indices, Indices, NDArray[np.intp]]:
    """Starts and columns of the rows in another order, and which block comes where."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    lengths = np.diff(start)[order]
    ends = np.cumsum(lengths)
    taken = np.repeat(start[:-1][order] - ends + lengths, lengths) + np.arange(len(column))
    return np.concatenate([[0], ends]).astype(np.intc), place[column[taken]], taken


def largest_entries(blocks: Vector) -> Vector:
    """max |entry| of each block (blocks,); ``blocks`` (blocks, ...)."""
    entries = np.abs(blocks).reshape(len(blocks), -1)
    largest = entries[:, 0].copy()
    for j in range(1, entries.shape[1]):  # much quicker than a reduction over short axes
        np.maximum(largest, entries[:, j], out=largest)
    return largest


def _loads(q: Vector, scale: Vector, first: Indices) -> Vector:
    """max |D q| of each part, a power of two, from D q (contacts, dim) and D (contacts,).

    A part without q is measured as if it had NOISE of that of the others.
    """
    each = np.abs(q).max(axis=1)
    noise = NOISE * float((each / scale).max()) * np.maximum.reduceat(scale, first[:-1])
    load = np.maximum.reduceat(each, first[:-1])
    return np.exp2(np.rint(np.log2(np.where(load > 0.0, load, noise))))


def _elimination(start: Indices, column: Indices, first: Indices) -> Indices:
    """The contacts, those of each large part in an order of small fill."""
    order = np.arange(len(start) - 1, dtype=np.intc)
    for k in np.flatnonzero(np.diff(first) > SMALL):
        a, b = first[k], first[k + 1]
        order[a:b] = a + minimum_degree(start[a : b + 1] - start[a], column[start[a] : start[b]] - a)
    return order
