"""The broad search: pairs of shapes that may meet before the next search.

Shapes are balls around their centres, half spaces, or boxes that stand. A search lists the pairs that are nearer than a
margin, and holds until the shapes that moved most could have used it up: that is looked at in every step, so that no
pair is missed, whatever the margin.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.model.world._shapes import in_order, reaches
from nsdgen.model.world.shapes import BOX, HALF_SPACE

_LARGE = 3.0
"""Times the median radius: larger shapes are compared with all others, which keeps the cells of the tree small."""

_STEPS = 20
"""Steps that a search is meant to hold for: a search costs about as much as looking at its pairs so often."""

_MOST_PAIRS = 5e7
"""A list of so many takes 1 GB; bodies that do not overlap have some tens of near pairs each."""

_AS_A_BALL = (4.0 * np.pi / 3.0) ** (1.0 / 3.0)
"""Times the radius of a ball: the side of a cube of its volume."""

_Numbers = NDArray[np.float64]


class PairSearch:
    """Pairs (n, 2) of shapes that may meet: ``pairs(...)`` before each step. ``margin`` [m] is chosen unless given."""

    def __init__(self, margin: float | None = None) -> None:
        self.given, self.margin, self.made = margin, 0.0, 0
        self._centres: _Numbers | None = None
        self._apart: set[int] = set()
        self._pairs = np.zeros((0, 2), dtype=np.intc)

    def forget(self) -> None:
        """Shapes were added, removed or set elsewhere."""
        self._centres = None

    def keep_apart(self, first: int, second: int) -> None:
        """Shapes of these two bodies do not meet from here on."""
        self._apart.add(int(_of_two(first, second)))
        self.forget()

    def pairs(
        self, shapes: Any, meets: NDArray[np.bool_], speeds: _Numbers, step: float, near: float
    ) -> tuple[NDArray[np.intc], _Numbers]:
        """All pairs of shapes whose groups meet and whose gap may be at most the sum of their reaches [m], and these.

        The reach of a shape is ``step`` [s] times its speed, and the share ``near`` of its size.
        """
        centres, own = shapes.centres, np.empty(shapes.n)
        searched = centres if self._centres is None else self._centres
        largest, moved = reaches(speeds, shapes.around, step, near, centres, searched, own)
        reach = 2.0 * largest
        if self._centres is not None and 2.0 * moved + reach <= self.margin:
            return self._pairs, own
        sizes = shapes.around[shapes.kind != HALF_SPACE]
        middle = float(np.median(sizes)) if len(sizes) else 1.0
        wanted = min(max(_STEPS * 2.0 * reach, 0.05 * middle), 0.5 * middle)
        self.margin = reach + (wanted if self.given is None else self.given)
        self._centres = centres.copy()
        self._pairs, self.made = in_order(self._found(shapes, meets, middle), shapes.kind), self.made + 1
        return self._pairs, own

    def _found(self, shapes: Any, meets: NDArray[np.bool_], middle: float) -> NDArray[np.intp]:
        from scipy.spatial import cKDTree

        moves = shapes.body >= 0
        large = (shapes.around > _LARGE * middle) | (shapes.kind == HALF_SPACE) | ~moves
        small = np.flatnonzero(~large & shapes.exists)
        found = []
        if len(small) > 1:
            within = 2.0 * float(shapes.around[small].max()) + self.margin
            _check_crowd(shapes, small, within)
            pairs = cKDTree(shapes.centres[small]).query_pairs(within, output_type="ndarray")
            a, b = small[pairs[:, 0]], small[pairs[:, 1]]
            apart = shapes.centres[a] - shapes.centres[b]
            limit = shapes.around[a] + shapes.around[b] + self.margin
            found.append(np.stack([a, b], axis=1)[np.einsum("ij,ij->i", apart, apart) <= limit * limit])
        for number in map(int, np.flatnonzero(large & shapes.exists)):
            # Large ones meet each other once; what stands meets what moves.
            others = np.flatnonzero(
                shapes.exists & (~large | (np.arange(len(moves)) > number)) & (moves | moves[number])
            )
            near = others[_distance(shapes, number, others) <= self.margin]
            found.append(np.stack([np.minimum(near, number), np.maximum(near, number)], axis=1))
        pairs = np.concatenate(found) if found else np.zeros((0, 2), dtype=np.intp)
        a, b = pairs[:, 0], pairs[:, 1]
        apart = (shapes.body[a] != shapes.body[b]) & meets[shapes.group[a], shapes.group[b]]
        if self._apart:
            apart &= ~np.isin(_of_two(shapes.body[a], shapes.body[b]), list(self._apart))
        return np.asarray(pairs[apart])


def _of_two(first: Any, second: Any) -> Any:
    """A number of two bodies, whichever comes first; below 0 with what stands."""
    low, high = (np.asarray(which(first, second), dtype=np.int64) for which in (np.minimum, np.maximum))
    return low << 32 | high


def _check_crowd(shapes: Any, small: NDArray[np.intp], within: float) -> None:
    """Refuse so many bodies in one place that a list of their pairs has no room."""
    side = _AS_A_BALL * within  # evenly spread, as many are in a cell as are near one of them
    cells = np.floor(shapes.centres[small] / side).astype(np.int64)
    _, first, count = np.unique(cells, axis=0, return_index=True, return_counts=True)
    pairs = float((count.astype(float) * (count - 1.0) / 2.0).sum())
    if pairs > _MOST_PAIRS:
        worst = int(count.argmax())
        raise ParameterError(
            f"{count[worst]} shapes are within {3**0.5 * side:.3g} m of shape {small[first[worst]]}, "
            f"about {pairs:.3g} near pairs in all; at most {_MOST_PAIRS:g} are looked at",
            where="search",
            fix="place bodies apart from each other, and give large ones as several",
        )


def _distance(shapes: Any, number: int, others: NDArray[np.intp]) -> _Numbers:
    """Of the balls around shapes from a large one, or less."""
    way = shapes.centres[others] - shapes.centres[number]
    axes = shapes.axes[number].reshape(3, 3)
    around = shapes.around[others]
    around = np.where(shapes.kind[others] == HALF_SPACE, np.inf, around)
    if shapes.kind[number] == HALF_SPACE:
        return np.asarray(way @ axes[:, 2] - around)
    if shapes.kind[number] == BOX and shapes.stands[number]:
        beyond = np.maximum(np.abs(way @ axes) - shapes.size[number], 0.0)
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", beyond, beyond)) - around)
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", way, way)) - around - shapes.around[number])
