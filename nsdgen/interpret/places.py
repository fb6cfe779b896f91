"""Indices of emitted loops: sums of multiples of counters, perhaps looked up in a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nsdgen.interpret.expressions import Tree, Unreadable

__all__ = ["Place", "place"]


@dataclass(frozen=True)
class Place:
    """``first + sum of factor * counter``; with a ``table`` (where it begins) what stands there in it."""

    table: int
    first: int
    factors: tuple[tuple[int, int], ...]

    @property
    def fixed(self) -> bool:
        """Whether it is one and the same in all passes."""
        return self.table < 0 and not self.factors

    def words(self) -> list[int]:
        """As operands of the machine: table, first, how many counters, (factor, counter) of each."""
        return [self.table, self.first, len(self.factors), *(word for pair in self.factors for word in pair)]

    def next(self) -> Place:
        """The place behind this one."""
        return Place(self.table, self.first + 1, self.factors)


def place(tree: Tree, counters: Mapping[str, int], tables: Mapping[str, int]) -> Place:
    """The place that an index names; raises ``Unreadable`` where it is none."""
    if tree[0] == "entry" and len(tree) == 3 and tree[1] in tables:
        inner = _affine(tree[2], counters)
        return Place(tables[tree[1]], *_sorted(inner))
    return Place(-1, *_sorted(_affine(tree, counters)))


def _sorted(affine: Mapping[int, int]) -> tuple[int, tuple[tuple[int, int], ...]]:
    return affine.get(-1, 0), tuple((f, c) for c, f in sorted(affine.items()) if c >= 0 and f)


def _affine(tree: Tree, counters: Mapping[str, int]) -> dict[int, int]:
    """The factor of each counter, and of -1 what is added."""
    match tree:
        case ("integer", number):
            return {-1: number}
        case ("name", name) if name in counters:
            return {counters[name]: 1}
        case ("negate", inner):
            return _scaled(_affine(inner, counters), -1)
        case ("sum", head, *terms):
            total = dict(_affine(head, counters))
            for sign, term in terms:
                for counter, factor in _scaled(_affine(term, counters), 1 if sign == "+" else -1).items():
                    total[counter] = total.get(counter, 0) + factor
            return total
        case ("product", ("integer", number), ("*", inner)):
            return _scaled(_affine(inner, counters), number)
    raise Unreadable("an index that is no sum of multiples of counters")


def _scaled(affine: Mapping[int, int], factor: int) -> dict[int, int]:
    return {counter: factor * value for counter, value in affine.items()}
