"""Very long kernels in blocks: what is read far from where it is computed lies in an array, in memory.

A compiler that looks for registers for thousands of values at once takes time with the square of their number. Between
blocks it is told to forget what it holds of the array, so that it looks within one block at a time. The order,
grouping and rounding of all operations stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count

from nsdgen.emit.tree import (
    Arm,
    ArrayEntry,
    Assign,
    Call,
    Do,
    Expression,
    If,
    Integer,
    KernelBody,
    Name,
    Statement,
    changed,
    changed_place,
    expressions,
    read_names,
)

_BLOCK = 60  # assignments; with half or twice as many kernels run as fast
_ARRAY = "kept"


def in_blocks(body: KernelBody, taken: set[str]) -> tuple[KernelBody, str]:
    """The body with numbered temporaries in an array where several blocks use them, and this array with its size.

    ``taken`` are names that the array must not have. Where it would be empty: the body as it is, and nothing.
    """
    users: dict[str, set[int]] = {}
    for number, read in _numbered(body.statements, count()):
        for name in read_names(*read):
            users.setdefault(name, set()).add(number // _BLOCK)
    far = [name for name in body.temporaries if _is_numbered(name) and len(users[name]) > 1]
    if not far:
        return body, ""
    array = _free({*taken, *body.temporaries})
    places = {name: ArrayEntry(array, (Integer(k),)) for k, name in enumerate(far)}

    def place(e: Expression) -> Expression | None:
        return places.get(e.text) if isinstance(e, Name) else None

    def moved(statements: Sequence[Statement]) -> Iterator[Statement]:
        for s in statements:
            if isinstance(s, If):
                yield replace(
                    s,
                    arms=tuple(
                        Arm(arm.condition and changed(arm.condition, place), tuple(moved(arm.statements)))
                        for arm in s.arms
                    ),
                )
            elif isinstance(s, Assign):
                yield replace(s, target=changed_place(s.target, place), value=changed(s.value, place))
                if next(numbers) % _BLOCK == _BLOCK - 1:
                    yield Do(Call("NSD_IN_MEMORY", (Name(array),)), s.group)

    numbers = count()
    near = tuple(name for name in body.temporaries if name not in places)
    return KernelBody(tuple(moved(body.statements)), near, body.operations), f"{array}[{len(far)}]"


def _is_numbered(name: str) -> bool:
    return name[0] == "x" and name[1:].isdigit()


def _free(taken: set[str]) -> str:
    return next(name for name in chain([_ARRAY], (f"{_ARRAY}_{k}" for k in count(2))) if name not in taken)


def _numbered(statements: Sequence[Statement], numbers: count[int]) -> Iterator[tuple[int, Sequence[Expression]]]:
    """What each assignment mentions, with its number, and each condition with that of the assignment behind it."""
    for statement in statements:
        if isinstance(statement, Assign):
            yield next(numbers), (statement.target, *expressions(statement))
        elif isinstance(statement, If):
            for arm in statement.arms:
                inside = list(_numbered(arm.statements, numbers))
                yield inside[0][0], () if arm.condition is None else (arm.condition,)
                yield from inside
