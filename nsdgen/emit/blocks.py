"""Very long kernels in blocks: what is read far from where it is computed lies in an array, in memory.

A compiler that looks for registers for thousands of values at once takes time with the square of their number. Between
blocks it is told to forget what it holds of the array, so that it looks within one block at a time. The order,
grouping and rounding of all operations stay what they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count

from nsdgen.emit.statements import Arm, Assign, Body, If, Statement, Store

__all__ = ["in_blocks"]

_BLOCK = 60  # assignments; with half or twice as many kernels run as fast
_ARRAY = "kept"
_NAME = re.compile(r"\b[^\W\d]\w*")
_NUMBERED = re.compile(r"x\d+")


def in_blocks(body: Body, taken: set[str]) -> tuple[Body, str]:
    """The body with numbered temporaries in an array where several blocks use them, and this array with its size.

    ``taken`` are names that the array must not have. Where it would be empty: the body as it is, and nothing.
    """
    users: dict[str, set[int]] = {}
    for number, text in _numbered(body.statements, count()):
        for name in _NAME.findall(text):
            users.setdefault(name, set()).add(number // _BLOCK)
    far = [name for name in body.temporaries if _NUMBERED.fullmatch(name) and len(users[name]) > 1]
    if not far:
        return body, ""
    array = _free({*taken, *body.temporaries})
    places = {name: f"{array}[{k}]" for k, name in enumerate(far)}
    statements = _moved(body.statements, count(), places, array)
    near = tuple(name for name in body.temporaries if name not in places)
    return Body(statements, near, body.operations), f"{array}[{len(far)}]"


def _free(taken: set[str]) -> str:
    return next(name for name in chain([_ARRAY], (f"{_ARRAY}_{k}" for k in count(2))) if name not in taken)


def _numbered(statements: Sequence[Statement], numbers: count[int]) -> Iterator[tuple[int, str]]:
    """The text of each assignment with its number, and each condition with that of the assignment behind it."""
    for statement in statements:
        match statement:
            case Assign(name=target, text=text) | Store(target=target, text=text):
                yield next(numbers), f"{target} {text}"
            case If(arms=arms):
                for arm in arms:
                    inside = list(_numbered(arm.statements, numbers))
                    yield inside[0][0], arm.condition or ""
                    yield from inside


def _moved(statements: Sequence[Statement], numbers: count[int], places: Mapping[str, str], array: str
           ) -> tuple[Statement, ...]:
    """The statements with names replaced by their places; the last one of each block says so."""

    def words(text: str) -> str:
        return _NAME.sub(lambda found: places.get(found[0], found[0]), text)

    def closing() -> str:
        return array if next(numbers) % _BLOCK == _BLOCK - 1 else ""

    moved: list[Statement] = []
    for statement in statements:
        match statement:
            case Assign(name=name, text=text, group=group):
                moved.append(Assign(words(name), words(text), group, closing()))
            case Store(target=target, text=text, group=group):
                moved.append(Store(target, words(text), group, closing()))
            case If(arms=arms, group=group):
                moved.append(If(tuple(Arm(arm.condition and words(arm.condition),
                                          _moved(arm.statements, numbers, places, array)) for arm in arms), group))
    return tuple(moved)
