"""The steps of a small model for several members of an ensemble at once: one member in each lane of a vector.

Input: the context of the model's own steps (:mod:`nsdgen.emit.steps`). The functions are those, written in C over
vectors of doubles: the same operations in the same order in every lane, branches by masks. Modules hold them
where they are compiled with ``NSDGEN_LANES`` only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nsdgen.emit.table import wrapped
from nsdgen.emit.text import INDENT, Language, assignment
from nsdgen.emit.tree import (
    Arm,
    Assign,
    Call,
    Expression,
    If,
    Integer,
    KernelBody,
    Logic,
    Name,
    Product,
    Statement,
    blocks,
    expressions,
    read_names,
    walk,
)

_EVERYWHERE = "active"  # the mask of a kernel's caller
_CHEAP = 6  # assignments without a call that cost less than asking whether some lane needs them
_DECLARED = 84  # characters: with indent, type and semicolon a line stays within text.WIDTH


def lanes_context(context: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the template of the lanes needs besides ``context``; None where a kernel has no form over vectors."""
    if context["graph"]:  # the problem is most of the step, and one lane's after the other
        return None
    if any(entry["blocks"] for entry in entries):  # in memory already: so many vectors would be as well
        return None
    specials = context["specials"]
    used = context["used"] - {special["replaces"] for special in specials}
    try:
        kernels = [_kernel(entry) for entry in entries if entry["function"] in used]
        kernels += [_kernel(special) for special in specials]
    except _NotOfVectors:
        return None
    vectors = frozenset(a.name for a in context["steps"].arrays.values() if a.in_lanes)
    return {"kernels": kernels, "vector": _lanes(vectors | {"newton"}).value}


def _kernel(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A kernel over vectors; raises where it is not made of statements, or a condition is not one of vectors."""
    body: KernelBody | None = entry["lowered"]
    if body is None:
        raise _NotOfVectors
    loaded = [loaded for load in entry["loads"] for loaded in load["entries"]]
    pairs: Sequence[tuple[str, str]] = entry.get("pairs", ())
    writer = _LanesWriter(frozenset(body.temporaries) | {name for name, _, _ in loaded})
    text = writer.block(body.statements, _EVERYWHERE, 1, frozenset(name for _, name in pairs))
    blended = [f"{name} = {{0}}" for name in body.temporaries if name in writer.blended]
    plain = [name for name in body.temporaries if name not in writer.blended]
    return {
        "function": entry["function"],
        "title": entry["title"],
        "body": text,
        "special": "pairs" in entry,
        "pairs": pairs,
        "completions": entry.get("completions", ()),
        "loads": [f"const nsd_lanes {name} = in_[{i}][{j}];" for name, i, j in loaded],
        "declarations": [f"nsd_lanes {line};" for line in wrapped([*plain, *blended], _DECLARED)]
        + [f"nsd_mask {line};" for line in wrapped(writer.masks, _DECLARED)],
    }


class _NotOfVectors(Exception):
    """A kernel without statements, or a condition that compares numbers alone."""


@dataclass(frozen=True)
class _LaneLanguage(Language):
    """C over vectors: functions of all lanes, asked for those of a mask; conditions are masks.

    In C, too, comparisons bind tighter than ``&``, and that tighter than ``|``.
    """

    vectors: frozenset[str] = frozenset()
    mask: str = _EVERYWHERE

    def value(self, e: Expression) -> str:
        """A value: one vector, whatever it is made of."""
        return self.text(e) if self.is_vector(e) else f"nsd_all({self.text(e)})"

    def call(self, e: Call) -> str:
        """A function of vectors in place of one of numbers."""
        arguments = [self.text(a) if isinstance(a, Integer) else self.value(a) for a in e.arguments]
        return f"nsd_lanes_{e.function.removeprefix('nsd_')}({', '.join([self.mask, *arguments])})"

    def condition(self, e: Expression) -> str:
        """A condition as a mask; raises where a part of it compares numbers alone."""
        if not all(map(self.is_vector, _parts(e))):
            raise _NotOfVectors(e)
        return self.text(e)

    def is_vector(self, e: Expression) -> bool:
        """Whether a value is one of all lanes."""
        return any(isinstance(part, Call) for part in walk(e)) or not self.vectors.isdisjoint(read_names(e))


def _lanes(vectors: frozenset[str]) -> _LaneLanguage:
    """C where these names, or entries of arrays of these names, hold vectors."""
    return _LaneLanguage("/* {} */", ";", "", "", "", "}", ("&", "|", "~"), {}, vectors)


def _parts(condition: Expression) -> Iterator[Expression]:
    """The conditions that a condition joins."""
    if isinstance(condition, Logic):
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


class _LanesWriter:
    """Statements over vectors; ``vectors`` are the names that hold one."""

    def __init__(self, vectors: frozenset[str]) -> None:
        self.language = _lanes(vectors)
        self.masks: list[str] = []
        self.blended: set[str] = set()

    def block(self, statements: Sequence[Statement], mask: str, depth: int, outside: frozenset[str]) -> list[str]:
        """The lines of a list of statements; ``outside`` are the names that are read after it."""
        lines: list[str] = []
        angles = _angles(statements, frozenset() if mask == _EVERYWHERE else outside)
        language = replace(self.language, mask=mask)
        for number, s in enumerate(statements):
            if isinstance(s, If):
                lines += self._branches(s, language, depth, outside | _exposed(statements[number + 1 :]))
            elif number in angles:
                lines += [
                    f"{INDENT * depth}nsd_lanes_sincos({mask}, {language.value(angle)}, &{sine}, &{cosine});"
                    for angle, sine, cosine in angles[number]
                ]
            elif isinstance(s, Assign):
                lines += self._assign(s, language, depth, outside)
            else:
                raise _NotOfVectors(s)
        return lines

    def _assign(self, s: Assign, language: _LaneLanguage, depth: int, outside: frozenset[str]) -> list[str]:
        target, text = language.text(s.target), language.value(s.value)
        if language.mask != _EVERYWHERE and target in outside:
            self.blended.add(target)
            text = f"nsd_pick_lanes({language.mask}, {text}, {target})"
        return assignment(f"{INDENT * depth}{target} = ", text, ";")

    def _branches(self, statement: If, language: _LaneLanguage, depth: int, outside: frozenset[str]) -> list[str]:
        """Every arm for the lanes that take it: ``left`` are those that no arm before has taken."""
        space = INDENT * depth
        left, arm = (self._free(f"{word}_{len(self.masks)}") for word in ("left", "arm"))
        self.masks += [left, arm]
        lines = [f"{space}{left} = {language.mask};"]
        for number, part in enumerate(statement.arms):
            here = left if part.condition is None else arm
            lines += [f"{space}{left} &= ~{arm};"] if number else []
            if part.condition is not None:
                lines.append(f"{space}{arm} = {left} & ({language.condition(part.condition)});")
            others = tuple(other for other in statement.arms if other is not part)
            read = outside | _exposed((If(others),))
            if _cheap(part):
                lines += self.block(part.statements, here, depth, read)
            else:
                lines += [
                    f"{space}if (nsd_any({here})) {{",
                    *self.block(part.statements, here, depth + 1, read),
                    f"{space}}}",
                ]
        return lines

    def _free(self, name: str) -> str:
        """The name of a mask, other than those of the user's."""
        while name in self.language.vectors:
            name += "_"
        return name


def _cheap(arm: Arm) -> bool:
    """Whether an arm costs less than asking whether a lane takes it."""
    return len(arm.statements) <= _CHEAP and all(
        isinstance(s, Assign)
        and not any(isinstance(e, Call) or (isinstance(e, Product) and "/" in e.operators) for e in walk(s.value))
        for s in arm.statements
    )


def _angles(statements: Sequence[Statement], outside: frozenset[str]) -> dict[int, list[tuple[Expression, str, str]]]:
    """Sines and cosines of one angle: (angle, name of the sine, of the cosine) by the place of the first; nothing at
    the place of the other."""
    found: dict[Expression, dict[str, tuple[int, str]]] = {}
    for number, s in enumerate(statements):
        match s:
            case Assign(Name(name), Call(("sin" | "cos") as function, (angle,))) if name not in outside:
                found.setdefault(angle, {})[function] = number, name
    pairs: dict[int, list[tuple[Expression, str, str]]] = {}
    for angle, both in found.items():
        if len(both) == 2:
            first, second = sorted(number for number, _ in both.values())
            pairs[first], pairs[second] = [(angle, both["sin"][1], both["cos"][1])], []
    return pairs


def _exposed(statements: Sequence[Statement]) -> frozenset[str]:
    """The names whose values from before the statements are read in them."""
    read: set[str] = set()
    known: set[str] = set()
    for s in statements:
        read |= set(read_names(*expressions(s))) - known
        for block in blocks(s):
            read |= _exposed(block) - known
        if isinstance(s, Assign) and isinstance(s.target, Name):
            known.add(s.target.text)
    return frozenset(read)
