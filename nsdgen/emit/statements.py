"""The statements of a lowered kernel, and their text as lines of Cython, or of C."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from nsdgen.base.names import comment

__all__ = ["CYTHON", "Arm", "Assign", "Body", "C", "If", "Language", "Statement", "Store", "assignment", "render"]

INDENT = "    "
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Assign:
    """``name = text``: a temporary, a double declared by the function.

    ``in_memory`` is an array whose values are in memory afterwards, and in no register.
    """

    name: str
    text: str
    group: str = ""
    in_memory: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """``target = text``: one output; ``in_memory`` as for ``Assign``."""

    target: str
    text: str
    group: str = ""
    in_memory: str = ""


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


@dataclass(frozen=True)
class Language:
    """How statements look; ``words`` are Cython's where another language has other ones."""

    comment: str
    end: str
    first: str
    next: str
    otherwise: str
    close: str
    words: tuple[tuple[str, str], ...] = ()

    def condition(self, text: str) -> str:
        """A condition, written in Cython, in this language."""
        for word, ours in self.words:
            text = re.sub(rf"\b{word}\b ?", ours, text)
        return text


CYTHON = Language("# {}", "", "if {}:", "elif {}:", "else:", "")
C = Language("/* {} */", ";", "if ({}) {{", "}} else if ({}) {{", "}} else {{", "}",
             (("and", "&& "), ("or", "|| "), ("not", "!"), ("True", "1"), ("False", "0")))


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a kernel: its statements, what it must declare, and what it costs.

    ``operations`` counts every operation once where it stands, over all arms; a call of
    a function counts one.
    """

    statements: tuple[Statement, ...]
    temporaries: tuple[str, ...]
    operations: int


def render(body: Body, indent: int = 0, language: Language = CYTHON) -> list[str]:
    """The lines of a body, ``indent`` levels deep; a comment opens each group.

    Declarations are left to the caller (doubles for ``body.temporaries``): Cython allows them
    at the level of the function only.
    """
    lines: list[str] = []
    group = ""
    for statement in body.statements:
        if statement.group != group:
            group = statement.group
            lines += [INDENT * indent + language.comment.format(comment(group))] if group else []
        lines += _lines(statement, indent, language)
    return lines


def _lines(statement: Statement, depth: int, language: Language) -> list[str]:
    space = INDENT * depth
    match statement:
        case Assign(name=left, text=right, in_memory=array) | Store(target=left, text=right, in_memory=array):
            return [*assignment(f"{space}{left} = ", right, language.end),
                    *([f"{space}NSD_IN_MEMORY({array}){language.end}"] if array else [])]
    lines: list[str] = []
    for place, arm in enumerate(statement.arms):
        word = language.otherwise if arm.condition is None else language.next if place else language.first
        lines.append(space + word.format(language.condition(arm.condition or "")))
        lines += [line for inner in arm.statements for line in _lines(inner, depth + 1, language)]
    return [*lines, space + language.close] if language.close else lines


def assignment(start: str, text: str, end: str) -> list[str]:
    """An assignment, in parentheses over several lines if it is too long for one."""
    if len(start) + len(text) <= WIDTH:
        return [start + text + end]
    terms = re.split(r" (?=[-+] )", text)
    if len(terms) == 1:
        return [start + text + end]
    lines = [f"{start}({terms[0]}"]
    for term in terms[1:]:
        if len(lines[-1]) + len(term) + 1 < WIDTH:
            lines[-1] += f" {term}"
        else:
            lines.append(" " * (len(start) + 1) + term)
    return [*lines[:-1], f"{lines[-1]}){end}"]
