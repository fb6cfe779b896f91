r"""Long formulas in LaTeX, broken over several rows of an ``align*``.

A row ends before a plus or a minus: of the whole formula where that is enough, else of a
sum in parentheses. ``\left(`` and ``\right)`` must stand in one row, so the parentheses
around a break become ``\Bigl(`` and ``\Bigr)``. Fractions, roots and cases are never broken.
"""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

_TOKEN = re.compile(
    r"(?P<left>\\left\()|(?P<right>\\right\))|(?P<open>\\(?:left|begin)(?![a-z])|(?<!\\)\{)"
    r"|(?P<close>\\(?:right|end)(?![a-z])|(?<!\\)\})|(?P<sign> [+-] )"
)
_NO_SUM = re.compile(r"(?:\\,|\\leq|\\geq|\\neq|\\bmod|\\cdot|[=<>&(+-]|^)$")
"""What stands before a minus that is a sign: nothing is added there."""


@dataclass(frozen=True)
class _Break:
    """A place where a row may begin, and the pairs of parentheses (left, right) around it."""

    place: int
    around: tuple[tuple[int, int], ...]


def broken(text: str, width: int = 120) -> list[str]:
    """The rows of a formula: each at most ``width`` characters long, where sums allow it."""
    if len(text) <= width:
        return [text]
    breaks = _breaks(text)
    taken: list[_Break] = []
    _choose(breaks, 0, len(text), 0, width, taken)
    pairs = {pair for b in taken for pair in b.around}
    sizes = {left: r"\Bigl(" for left, _ in pairs} | {right: r"\Bigr)" for _, right in pairs}
    places = [0, *sorted(b.place for b in taken), len(text)]
    return [_resized(text, start, end, sizes).strip() for start, end in pairwise(places)]


def _breaks(text: str) -> list[_Break]:
    """All places outside braces and environments, each with the parentheses around it."""
    closed, depth, found = 0, list[int](), list[_Break]()
    ends: dict[int, int] = {}
    for match in _TOKEN.finditer(text):
        kind, place = match.lastgroup, match.start()
        if kind == "left" and not closed:
            depth.append(place)
        elif kind == "right" and not closed and depth:
            ends[depth.pop()] = place
        elif kind in ("open", "left"):
            closed += 1
        elif kind in ("close", "right"):
            closed -= 1
        elif not closed and not _NO_SUM.search(text[max(place - 8, 0) : place]):
            found.append(_Break(place + 1, tuple((left, -1) for left in depth)))
    return [
        replace(b, around=tuple((left, ends[left]) for left, _ in b.around))
        for b in found
        if all(left in ends for left, _ in b.around)
    ]


def _choose(breaks: list[_Break], start: int, end: int, level: int, width: int, taken: list[_Break]) -> None:
    """Fill rows between ``start`` and ``end`` with breaks of one level; what stays long gets deeper ones."""
    if end - start <= width or not any(start < b.place < end for b in breaks):
        return
    row, last = start, None
    rows = []
    for b in [b for b in breaks if start < b.place < end and len(b.around) == level]:
        if b.place - row > width and last is not None:
            taken.append(last)
            rows.append((row, last.place))
            row = last.place
        last = b
    if last is not None and end - row > width:
        taken.append(last)
        rows.append((row, last.place))
        row = last.place
    for first, until in [*rows, (row, end)]:
        _choose(breaks, first, until, level + 1, width, taken)


def _resized(text: str, start: int, end: int, sizes: dict[int, str]) -> str:
    """A part of the text with the parentheses at some places replaced."""
    parts, at = [], start
    for place in sorted(place for place in sizes if start <= place < end):
        parts += [text[at:place], sizes[place]]
        at = place + len(r"\left(" if text.startswith(r"\left(", place) else r"\right)")
    return "".join([*parts, text[at:end]])
