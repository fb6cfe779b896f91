"""Very long kernels in blocks: what is read far from where it is computed lies in an array, in memory.

A compiler that looks for registers for thousands of values at once takes time with the square of their number. Between
blocks it is told to forget what it holds of the array, so that it looks within one block at a time. The order,
grouping and rounding of all operations stay what they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from nsdgen.base.names import free_name
from nsdgen.emit.tree import Arm, Assign, Call, Do, Expression, If, KernelBody, Name, Statement, expressions, read_names

_BLOCK = 60  # assignments; with half or twice as many kernels run as fast
_ARRAY = "kept"


def in_blocks(body: KernelBody, taken: set[str]) -> tuple[KernelBody, str, dict[str, str]]:
    """The body in blocks, the array in which temporaries lie that several blocks use, with its size, and their places.

    Places are what these temporaries are called where the body is printed. ``taken`` are names that the array must not
    have. Where it would be empty: the body as it is, and nothing.
    """
    users: dict[str, set[int]] = {}
    for number, read in _numbered(body.statements, count()):
        for name in read_names(*read):
            users.setdefault(name, set()).add(number // _BLOCK)
    far = [name for name in body.temporaries if name[0] == "x" and name[1:].isdigit() and len(users[name]) > 1]
    if not far:
        return body, "", {}
    array = free_name(_ARRAY, {*taken, *body.temporaries})
    places = {name: f"{array}[{k}]" for k, name in enumerate(far)}
    near = tuple(name for name in body.temporaries if name not in places)
    ended = _ended(body.statements, Call("NSD_IN_MEMORY", (Name(array),)), count())
    return KernelBody(tuple(ended), near, body.operations), f"{array}[{len(far)}]", places


def _ended(statements: Sequence[Statement], end: Call, numbers: count[int]) -> Iterator[Statement]:
    """The statements, and what ends each block of assignments."""
    for s in statements:
        if isinstance(s, If):
            arms = [Arm(arm.condition, tuple(_ended(arm.statements, end, numbers))) for arm in s.arms]
            yield replace(s, arms=tuple(arms))
            continue
        yield s
        if isinstance(s, Assign) and next(numbers) % _BLOCK == _BLOCK - 1:
            yield Do(end, s.group)


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
