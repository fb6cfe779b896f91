"""The steps of a small model for several members of an ensemble at once: one member in each lane of a vector.

Input: the context of the model's own steps (:mod:`nsdgen.emit.steps`). The functions are those, written in C over
vectors of doubles: the same operations in the same order in every lane, branches by masks. Modules hold them
where they are compiled with ``NSDGEN_LANES`` only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from nsdgen.emit.statements import Arm, Assign, Body, If, Statement, Store, assignment
from nsdgen.emit.table import wrapped

__all__ = ["lanes_context"]

_CALL = re.compile(r"\b([A-Za-z_]\w*)\(")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_LOAD = re.compile(r"(?:cdef|const) double (\w+) = (.+?);?$")
_ARRAY = re.compile(r"double\[(\d+)\] (\w+)$")
_PIVOT = re.compile(r"int\[(?P<size>\d+)\] (?P<name>pivot_\w+)$")
_UNUSED = ("y", "A_play")  # arrays that lanes do without
_NUMBERS = {"deficiency": "0.0"}  # of a one-step problem that is dense
_EVERYWHERE = "active"  # the mask of a kernel's caller
_CHEAP = 6  # assignments without a call that cost less than asking whether some lane needs them
_DECLARED = 84
_INDENT = "    "


def lanes_context(context: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the template of the lanes needs besides ``context``; None where a kernel has no form over vectors."""
    if context["graph"]:  # the problem is most of the step, and one lane's after the other
        return None
    if any(entry["blocks"] for entry in entries):  # in memory already: so many vectors would be as well
        return None
    specials = context.get("specials", ())
    in_place = {special["function"].removesuffix("_at_start") for special in specials}
    kernels = [_kernel(entry, entry["lowered"], entry["loads"]) for entry in entries
               if entry["function"] in context["used"] - in_place]
    kernels += [_kernel(special, special["lowered"], special["loads"], special["pairs"]) for special in specials]
    if any(kernel is None for kernel in kernels):
        return None
    arrays = [match.groups() for text in context["arrays"] if (match := _ARRAY.match(text))]
    vectors = {name: int(size) for size, name in arrays if re.sub(r"_\d+$", "", name) not in _UNUSED}
    outputs = {call["name"]: [(name, vectors[name]) for name in call["outputs"]] for call in context["calls"]}
    return {"kernels": kernels, "vectors": [f"{name}[{size}]" for name, size in vectors.items()],
            "pivots": [(match["name"], match["size"]) for text in context["arrays"] if (match := _PIVOT.match(text))],
            "stored": [_stored(line) for line in context["record"]],
            "copies": [{**copy, "source": copy["source"].replace("run.", "run[lane]->", 1)}
                       for copy in context["loads"]],
            "lanes": _call, "only": _only, "bounded": _bounded,
            "written": lambda call: outputs[call[call.index("(") + 1:call.index("_in,")]]}


def _call(call: str, mask: str) -> str:
    """A call of a kernel, ``f(in, out)``, in lanes: those of the mask are asked for, the others have what comes."""
    return call.replace("(", f"_lanes({mask}, ", 1)


def _only(line: str, mask: str) -> str:
    """``target = value`` in the lanes of a mask."""
    target, _, value = line.partition(" = ")
    return f"{target} = nsd_pick_lanes({mask}, {value}, {target})"


def _bounded(line: str) -> str:
    """``target = value``, where the value is one number or a vector."""
    target, _, value = line.partition(" = ")
    return line if "[" in value else f"{target} = nsd_all({value})"


def _stored(line: str) -> dict[str, Any]:
    match = re.fullmatch(r"row\[(\d+)\] = (.+)", line)
    assert match is not None
    vector = "[" in match[2] or match[2] == "newton"
    return {"at": int(match[1]), "value": match[2] if vector else f"nsd_all({_NUMBERS.get(match[2], match[2])})"}


def _kernel(entry: Mapping[str, Any], body: Body | None, loads: Sequence[Mapping[str, Any]],
            pairs: Sequence[tuple[str, str]] = ()) -> dict[str, Any] | None:
    """A kernel over vectors; None where it is not made of statements, or a condition is not one of vectors."""
    if body is None:
        return None
    lines = [match.groups() for load in loads for line in load["lines"] if (match := _LOAD.match(line))]
    writer = _Writer(frozenset(body.temporaries) | {name for name, _ in lines})
    try:
        text = writer.block(body.statements, _EVERYWHERE, 1, frozenset(name for _, name in pairs))
    except _NotOfVectors:
        return None
    blended = [name for name in body.temporaries if name in writer.blended]
    plain = [name for name in body.temporaries if name not in writer.blended]
    return {"function": entry["function"], "title": entry["title"], "body": text, "pairs": pairs,
            "completions": entry.get("completions", ()),
            "loads": [f"const nsd_lanes {name} = {value};" for name, value in lines],
            "declarations": [f"nsd_lanes {line};" for line in wrapped([*plain, *(f"{b} = {{0}}" for b in blended)],
                                                                     _DECLARED)] + (
                [f"nsd_mask {line};" for line in wrapped(writer.masks, _DECLARED)])}


class _NotOfVectors(Exception):
    """A condition compares numbers alone."""


class _Writer:
    """Statements over vectors; ``vectors`` are the names that hold one."""

    def __init__(self, vectors: frozenset[str]) -> None:
        self.vectors = vectors
        self.masks: list[str] = []
        self.blended: set[str] = set()

    def block(self, statements: Sequence[Statement], mask: str, depth: int, outside: frozenset[str]) -> list[str]:
        """The lines of a list of statements; ``outside`` are the names that are read after it."""
        lines: list[str] = []
        angles = _angles(statements, frozenset() if mask == _EVERYWHERE else outside)
        for number, statement in enumerate(statements):
            if isinstance(statement, If):
                lines += self._branches(statement, mask, depth, outside | _exposed(statements[number + 1:]))
            elif number in angles:
                angle, sine, cosine = angles[number]
                lines += [f"{_INDENT * depth}nsd_lanes_sincos({mask}, {self.value(angle, mask)}, &{sine}, &{cosine});"
                          ] if angle else []
            else:
                lines += self._assign(statement, mask, depth, outside)
        return lines

    def _assign(self, statement: Assign | Store, mask: str, depth: int, outside: frozenset[str]) -> list[str]:
        target = statement.name if isinstance(statement, Assign) else statement.target
        text = self.value(statement.text, mask)
        if mask != _EVERYWHERE and target in outside:
            self.blended.add(target)
            text = f"nsd_pick_lanes({mask}, {text}, {target})"
        return assignment(f"{_INDENT * depth}{target} = ", text, ";")

    def _branches(self, statement: If, mask: str, depth: int, outside: frozenset[str]) -> list[str]:
        """Every arm for the lanes that take it: ``left`` are those that no arm before has taken."""
        space = _INDENT * depth
        left, arm = (self._free(f"{word}_{len(self.masks)}") for word in ("left", "arm"))
        self.masks += [left, arm]
        lines = [f"{space}{left} = {mask};"]
        for number, part in enumerate(statement.arms):
            here = left if part.condition is None else arm
            lines += [f"{space}{left} &= ~{arm};"] if number else []
            if part.condition is not None:
                lines.append(f"{space}{arm} = {left} & ({self.condition(part.condition, mask)});")
            others = tuple(other for other in statement.arms if other is not part)
            read = outside | _exposed((If(others),))
            if _cheap(part):
                lines += self.block(part.statements, here, depth, read)
            else:
                lines += [f"{space}if (nsd_any({here})) {{", *self.block(part.statements, here, depth + 1, read),
                          f"{space}}}"]
        return lines

    def _free(self, name: str) -> str:
        """The name of a mask, other than those of the user's."""
        while name in self.vectors:
            name += "_"
        return name

    def condition(self, text: str, mask: str) -> str:
        """A condition as a mask: in C, too, comparisons bind tighter than ``&``, and that tighter than ``|``."""
        parts = [part for part in re.split(r"\b(?:and|or|not)\b", text) if re.search(r"\w", part)]
        if not all(map(self._is_vector, parts)):
            raise _NotOfVectors(text)
        for word, ours in ((r"\band\b", "&"), (r"\bor\b", "|"), (r"\bnot ", "~")):
            text = re.sub(word, ours, text)
        return self._calls(text, mask)

    def value(self, text: str, mask: str) -> str:
        """A value: one vector, whatever it is made of."""
        if not self._is_vector(text):
            return f"nsd_all({text})"
        return self._calls(text, mask)

    def _is_vector(self, text: str) -> bool:
        return bool(self.vectors.intersection(_WORD.findall(text)) or _CALL.search(text) or "carried[" in text)

    def _calls(self, text: str, mask: str) -> str:
        """The text with functions of vectors in place of functions of numbers."""
        match = _CALL.search(text)
        if match is None:
            return text
        end = _closing(text, match.end() - 1)
        arguments = [part if match[1] == "nsd_stumpff" and not number else self.value(part, mask)
                     for number, part in enumerate(_split(text[match.end():end]))]
        name = f"nsd_lanes_{match[1].removeprefix('nsd_')}"
        return f"{text[:match.start()]}{name}({', '.join([mask, *arguments])}){self._calls(text[end + 1:], mask)}"


def _cheap(arm: Arm) -> bool:
    """Whether an arm costs less than asking whether a lane takes it."""
    return len(arm.statements) <= _CHEAP and all(
        not isinstance(s, If) and not _CALL.search(s.text) and "/" not in s.text for s in arm.statements)


def _angles(statements: Sequence[Statement], outside: frozenset[str]) -> dict[int, tuple[str, str, str]]:
    """Sines and cosines of one angle: (angle, name of the sine, of the cosine) by the place of the first; empty at the
    place of the other."""
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for number, s in enumerate(statements):
        match = re.fullmatch(r"(sin|cos)\((.*)\)", s.text) if isinstance(s, Assign) else None
        if match and isinstance(s, Assign) and s.name not in outside and _closing(s.text, 3) == len(s.text) - 1:
            found.setdefault(match[2], {})[match[1]] = number, s.name
    pairs: dict[int, tuple[str, str, str]] = {}
    for angle, both in found.items():
        if len(both) == 2:
            first, second = sorted(number for number, _ in both.values())
            pairs[first], pairs[second] = (angle, both["sin"][1], both["cos"][1]), ("", "", "")
    return pairs


def _exposed(statements: Sequence[Statement]) -> frozenset[str]:
    """The names whose values from before the statements are read in them."""
    read: set[str] = set()
    known: set[str] = set()
    for s in statements:
        if isinstance(s, If):
            for arm in s.arms:
                read |= (set(_WORD.findall(arm.condition or "")) | _exposed(arm.statements)) - known
        else:
            read |= set(_WORD.findall(s.text)) - known
            known |= {s.name} if isinstance(s, Assign) else set()
    return frozenset(read)


def _closing(text: str, opening: int) -> int:
    """Where the parenthesis closes that opens at a place."""
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    raise ValueError(text)


def _split(text: str) -> list[str]:
    """The arguments of a call."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
