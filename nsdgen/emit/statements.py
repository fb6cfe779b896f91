"""The statements of a lowered kernel, and their text as lines of Cython."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from nsdgen.names import comment

__all__ = ["Arm", "Assign", "Body", "If", "Statement", "Store", "render"]

INDENT = "    "
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Assign:
    """``name = text``: a temporary, a double declared by the function."""

    name: str
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """``target = text``: one output."""

    target: str
    text: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of an ``If``; ``condition`` is None for the last one."""

    condition: str | None
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """The first arm whose condition holds."""

    arms: tuple[Arm, ...]
    group: str = ""


Statement: TypeAlias = Assign | Store | If


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a kernel: its statements, what it must declare, and what it costs.

    ``operations`` counts every operation once where it stands, over all arms; a call of
    a function counts one.
    """

    statements: tuple[Statement, ...]
    temporaries: tuple[str, ...]
    operations: int


def render(body: Body, indent: int = 0) -> list[str]:
    """The lines of a body, ``indent`` levels deep; a comment opens each group.

    Declarations are left to the caller (``cdef double`` and ``body.temporaries``):
    Cython allows them at the level of the function only.
    """
    lines: list[str] = []
    group = ""
    for statement in body.statements:
        if statement.group != group:
            group = statement.group
            lines += [f"{INDENT * indent}# {comment(group)}"] if group else []
        lines += _lines(statement, indent)
    return lines


def _lines(statement: Statement, depth: int) -> list[str]:
    space = INDENT * depth
    match statement:
        case Assign(name=left, text=right) | Store(target=left, text=right):
            return _wrapped(f"{space}{left} = ", right)
    lines: list[str] = []
    for place, arm in enumerate(statement.arms):
        word = "if" if place == 0 else "elif"
        lines.append(f"{space}{word} {arm.condition}:" if arm.condition else f"{space}else:")
        lines += [line for inner in arm.statements for line in _lines(inner, depth + 1)]
    return lines


def _wrapped(start: str, text: str) -> list[str]:
    """An assignment, in parentheses over several lines if it is too long for one."""
    if len(start) + len(text) <= WIDTH:
        return [start + text]
    terms = re.split(r" (?=[-+] )", text)
    if len(terms) == 1:
        return [start + text]
    lines = [f"{start}({terms[0]}"]
    for term in terms[1:]:
        if len(lines[-1]) + len(term) + 1 < WIDTH:
            lines[-1] += f" {term}"
        else:
            lines.append(" " * (len(start) + 1) + term)
    return [*lines[:-1], f"{lines[-1]})"]
