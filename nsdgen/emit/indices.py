"""The indices of emitted loops: which places of an array a loop visits, as a rule where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from nsdgen.emit.tree import Expression, Integer, Name, product, total

_NAMES = "ijklmn"


@dataclass(frozen=True)
class Loop:
    """A loop of ``total`` passes, all passes of the loop around it counted; without a ``name`` there is one pass.

    Inside ``outer``: ``width`` passes for each of its passes, or where these differ (``width`` 0) ``sizes``.
    """

    name: str
    total: int
    outer: Loop | None = None
    width: int = 0
    sizes: tuple[int, ...] = ()

    @property
    def depth(self) -> int:
        """How many loops there are around this one, those of one pass not counted."""
        return 0 if self.outer is None else self.outer.depth + bool(self.outer.name)

    @property
    def letter(self) -> str:
        """What a loop inside this one is called: i, j, k, ..."""
        return _NAMES[min(self.depth + bool(self.name), len(_NAMES) - 1)]

    def within(self, name: str, sizes: Sequence[int]) -> Loop:
        """The loop inside this one that makes so many passes in each of its passes."""
        same = len(set(sizes)) == 1
        return Loop(name, sum(sizes), self, sizes[0] if same else 0, tuple(sizes))

    def flat(self) -> Expression:
        """The number of a pass among all of them."""
        if not self.name:
            return Integer(0)
        if self.outer is None or not self.width or not self.outer.name:
            return Name(self.name)
        return _affine(0, [(self.width, self.outer.flat()), (1, Name(self.name))])

    def starts(self) -> list[int]:
        """The first pass in each pass of the outer loop, and behind the last one all of them."""
        return [0, *accumulate(self.sizes)]

    def every(self, values: Sequence[int]) -> Run:
        """What a place is in each pass."""
        return Run(self, tuple(values))


@dataclass(frozen=True)
class Run:
    """The values that a place takes in the passes of a loop."""

    loop: Loop
    values: tuple[int, ...]

    def rule(self) -> Expression | None:
        """The place as an expression of indices; ``None`` where it is not affine in them."""
        values, loop = self.values, self.loop
        first = values[0]
        if len(values) == 1 or all(v == first for v in values):
            return Integer(first)
        if loop.outer is None or not loop.width or not loop.outer.name:
            step = values[1] - first
            if all(v == first + step * r for r, v in enumerate(values)):
                return _affine(first, [(step, Name(loop.name))])
            return None
        width = loop.width
        across = values[width] - first
        step = values[1] - first if width > 1 else 0
        if all(v == first + across * (r // width) + step * (r % width) for r, v in enumerate(values)):
            return _affine(first, [(across, loop.outer.flat()), (step, Name(loop.name))])
        return None


def _affine(first: int, terms: Sequence[tuple[int, Expression]]) -> Expression:
    """``a*i+b*j+first``, without what is zero."""
    found = [
        ("-" if c < 0 else "+", index if abs(c) == 1 else product([("*", Integer(abs(c))), ("*", index)]))
        for c, index in terms
        if c
    ]
    return total([*found, *([("-" if first < 0 else "+", Integer(abs(first)))] if first else [])])
