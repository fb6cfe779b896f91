"""Tables of event-driven runs: rows are instants of the grid and both sides of events, found again by their times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["matched"]

CLOSE = 1e-9
"""Seconds that an instant of the table may lie from ours and still be the same one."""


def matched(theirs: NDArray[np.float64], ours: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the table and our rows for the same instants: (table rows, our rows), both (n,).

    ``theirs`` and ``ours`` are times that never fall. Rows of one instant are the sides of an event: the first of the
    table is our first there, its last one our last.
    """
    found: list[tuple[int, int]] = []
    for first, last in _instants(theirs):
        low, high = np.searchsorted(ours, [theirs[first] - CLOSE, theirs[first] + CLOSE])
        if high > low:
            nearest = low + int(np.argmin(np.abs(ours[low:high] - theirs[first])))
            at = np.flatnonzero(ours[low:high] == ours[nearest]) + low
            found += [(row, int(at[0])) for row in range(first, last)] + [(last, int(at[-1]))]
    rows = np.array(found, dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _instants(times: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The first and the last row of every instant."""
    starts = [0, *(np.flatnonzero(np.diff(times)) + 1).tolist(), len(times)]
    return [(first, end - 1) for first, end in pairwise(starts)]
