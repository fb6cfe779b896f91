"""Frictional contacts in units of their own, part by part.

Contacts that share no body, directly or through others, are independent problems (parts).
With D_i a power of two near the inverse root of the largest entry of a contact's own
block, D W D has diagonal blocks near 1 whatever the masses are, and each part is solved
in its own load max |D q|. Both changes of units are exact and leave the law as it is, so that
a part is the same problem whatever stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.contacts._contacts import ContactProblem
from nsdgen.solvers.linalg._linalg import split
from nsdgen.solvers.linalg.ordering import minimum_degree
from nsdgen.solvers.scaling.contact_units import contact_units, part_loads

__all__ = ["ContactGraph", "contact_graph", "largest_entries"]

SMALL = 16  # contacts: up to here any order of elimination is quicker than to look for a good one

Indices = NDArray[np.intc]
Rows = NDArray[np.signedinteger]


@dataclass(frozen=True)
class ContactGraph:
    """Contacts in block rows, part after part: contacts ``first[k]`` ... ``first[k + 1] - 1`` are part k.

    ``order`` (contacts) are their numbers in the data. Columns of ``problem`` are counted
    from the start of a part. r of the data is ``unit`` (contacts) times r of ``problem``;
    ``load`` (parts) is what q of each part was divided by after D. ``seconds`` were spent on finding the parts.
    """

    problem: ContactProblem
    order: Indices
    first: Indices
    unit: Vector
    load: Vector
    seconds: float

    @property
    def parts(self) -> int:
        """The number of parts."""
        return len(self.first) - 1

    def part(self, k: int) -> ContactProblem:
        """Part k by itself."""
        whole = self.problem
        a, b = self.first[k], self.first[k + 1]
        c, d = whole.start[a], whole.start[b]
        return ContactProblem(
            whole.blocks[c:d], whole.column[c:d], whole.start[a : b + 1] - c, whole.diagonal[a:b] - c,
            whole.q[a:b], whole.mu[a:b],
        )  # fmt: skip

    def elimination_order(self) -> Indices:
        """The contacts of each part in an order of small fill, counted from its start."""
        start, column = self.problem.start, self.problem.column
        sizes = np.diff(self.first)
        order = np.arange(len(self.order), dtype=np.intc) - np.repeat(self.first[:-1], sizes)
        for k in np.flatnonzero(sizes > SMALL):
            a, b = self.first[k], self.first[k + 1]
            order[a:b] = minimum_degree(start[a : b + 1] - start[a], column[start[a] : start[b]])
        return order.astype(np.intc)

    def to_data(self, r: Vector) -> Vector:
        """r (contacts, dim) of ``problem`` as r (n,) of the data."""
        result = np.empty_like(r)
        result[self.order] = r * self.unit[:, None]
        return result.ravel()

    def from_data(self, r: Vector) -> Vector:
        """The inverse of ``to_data``."""
        return np.ascontiguousarray(r.reshape(self.problem.q.shape)[self.order] / self.unit[:, None])


def contact_graph(W: Matrix, q: Vector, mu: Vector) -> ContactGraph:
    """Parts and units of a checked problem; ``mu`` is (contacts, disks), W and q are not zero."""
    count = len(mu)
    blocks, row, column = _block_rows(W, count)
    start = np.searchsorted(row, np.arange(count + 1)).astype(np.intc)
    column = column.astype(np.intc)
    order, first = np.empty(count, dtype=np.intc), np.empty(count + 1, dtype=np.intc)
    parts, seconds = split(start, column, order, first)
    first = first[: parts + 1].copy()
    sizes = largest_entries(blocks)
    scale = contact_units(sizes[row == column], float(sizes.max()))
    q = q.reshape(count, -1)
    if len(first) > 2:
        place = np.empty(count, dtype=np.intc)
        place[order] = np.arange(count)
        place -= np.repeat(first[:-1], np.diff(first))[place]
        lengths = np.diff(start)[order]
        ends = np.cumsum(lengths)
        taken = np.repeat(start[:-1][order] - ends + lengths, lengths) + np.arange(len(row))
        blocks, row, column = blocks[taken], row[taken], column[taken]
        start = np.concatenate([[0], ends]).astype(np.intc)
        q, mu = q[order], mu[order]
        diagonal = np.flatnonzero(row == column).astype(np.intc)
        factors = (scale[row] * scale[column])[:, None, None]
        column, scale = place[column], scale[order]
    else:
        diagonal = np.flatnonzero(row == column).astype(np.intc)
        factors = (scale[row] * scale[column])[:, None, None]
    q = q * scale[:, None]
    load = part_loads(q, scale, first)
    each = np.repeat(load, np.diff(first))
    problem = ContactProblem(
        np.ascontiguousarray(blocks * factors), column, start, diagonal, np.ascontiguousarray(q / each[:, None]),
        np.ascontiguousarray(mu),
    )  # fmt: skip
    return ContactGraph(problem, order, first, scale * each, load, seconds)


def largest_entries(blocks: Vector) -> Vector:
    """max |entry| of each block (blocks,); ``blocks`` (blocks, ...)."""
    entries = np.abs(blocks).reshape(len(blocks), -1)
    largest = entries[:, 0].copy()
    for j in range(1, entries.shape[1]):  # much quicker than a reduction over short axes
        np.maximum(largest, entries[:, j], out=largest)
    return largest


def _block_rows(W: Matrix, count: int) -> tuple[Vector, Rows, Rows]:
    """The blocks of W with an entry, and all diagonal ones, row by row; their rows and columns."""
    n = W.shape[0]
    d = n // count
    if isinstance(W, np.ndarray):
        every = W.reshape(count, d, count, d).transpose(0, 2, 1, 3)
        stored = np.eye(count, dtype=bool)
        for i, j in product(range(d), repeat=2):  # much quicker than a reduction over short axes
            stored |= W[i::d, j::d] != 0.0
        row, column = np.nonzero(stored)
        return every[row, column], row, column
    entry = np.repeat(np.arange(n), np.diff(W.indptr))
    own = np.arange(count) * (count + 1)
    key = np.concatenate([entry // d * count + W.indices // d, own])
    keys, place = np.unique(key, return_inverse=True)
    row, column = np.divmod(keys, count)
    blocks = np.zeros((len(keys), d, d))
    blocks[place[: len(entry)], entry % d, W.indices % d] = W.data
    return blocks, row, column
