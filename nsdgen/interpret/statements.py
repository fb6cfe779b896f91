"""Lines of the body of an emitted kernel, in Cython or in C, as statements of the tree that they were printed from."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.tree import Arm, Array, ArrayEntry, Assign, Call, Do, For, If, Integer, Name, Statement, Table, View
from nsdgen.interpret.expressions import parse

Line: TypeAlias = tuple[int, int, str]
"""Its number in the text, how deep it stands, and its words; a colon opens a block in both languages."""

_NAME = r"[^\W\d]\w*"
_DECLARED = re.compile(r"(?:cdef |const )?double (?!\*)")
_NAMES_ONLY = re.compile(rf"{_NAME}(?:, {_NAME})*")
_ASSIGNED = re.compile(rf"({_NAME}) = (.+)", re.DOTALL)
_ADDED = re.compile(rf"({_NAME}) ([-+])= (.+)", re.DOTALL)
_PUT = re.compile(rf"({_NAME}(?:\[[^=]*\])) = (.+)", re.DOTALL)
_VIEW = re.compile(rf"const double \*const ({_NAME}) = in_\[(\d+)\]")
_ARRAY = re.compile(rf"({_NAME})\[(\d+)\]")
_TABLE = re.compile(rf"static const (int|double) ({_NAME})\[(\d+)\] = {{([-+.\de,\s]*)}}")
_FOR = re.compile(rf"for \(int ({_NAME}) = (.+); (\1) < (.+); (\1)\+\+\):")
_IN_MEMORY = re.compile(rf"NSD_IN_MEMORY\({_NAME}\)")
_HOLD = re.compile(r"nsd_hold\((\d+), out\[(\d+)\]\)")


def statements(lines: Sequence[str], first: int, *, in_c: bool) -> tuple[Statement, ...]:
    """The statements of a body whose first line has the number ``first``; raises ``Unreadable``, with the line."""
    reader = _BlockReader(list(_c_lines(lines, first) if in_c else _cython_lines(lines, first)))
    found = reader.block(1)
    reader.finish()
    return found


def _whole(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Statements with what their parentheses and tables continue; comments and empty lines are left out."""
    held, start = "", 0
    for number, line in enumerate(lines, first):
        words = line.strip()
        if not held and (not words or words.startswith("#") or (words.startswith("/*") and words.endswith("*/"))):
            continue
        start = start if held else number
        held = f"{held} {words}" if held else line.rstrip()
        if held.count("(") == held.count(")") and ("static const " not in held or held.endswith("};")):
            yield start, held
            held = ""
    if held:
        raise Unreadable(f"line {start}: {held.strip()[:60]!r} has no end")


def _cython_lines(lines: Sequence[str], first: int) -> Iterator[Line]:
    for number, text in _whole(lines, first):
        depth, rest = divmod(len(text) - len(text.lstrip()), 4)
        if rest:
            raise Unreadable(f"line {number}: {text.strip()[:60]!r} is indented by no multiple of four")
        yield number, depth, text.strip()


def _c_lines(lines: Sequence[str], first: int) -> Iterator[Line]:
    depth = 1
    for number, text in _whole(lines, first):
        words = text.strip()
        if words.startswith("}"):
            depth -= 1
            words = words[1:].lstrip()
            if not words:
                continue
        if words.endswith("{"):
            head = words[:-1].rstrip()
            if match := re.fullmatch(r"(else )?if \((.*)\)", head, re.DOTALL):
                head = f"{'el' if match[1] else ''}if {match[2]}"
            yield number, depth, f"{head}:"
            depth += 1
        elif words.endswith(";"):
            yield number, depth, words[:-1]
        else:
            raise Unreadable(f"line {number}: {words[:60]!r} is no statement")


class _BlockReader:
    """Reads lines block by block."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.at = 0

    def finish(self) -> None:
        """Raise ``Unreadable`` where lines are left over."""
        if self.at < len(self.lines):
            number, _, words = self.lines[self.at]
            raise Unreadable(f"line {number}: {words[:60]!r} stands where no statement can")

    def block(self, depth: int) -> tuple[Statement, ...]:
        """The statements at this depth from here on."""
        found: list[Statement] = []
        while self.at < len(self.lines) and self.lines[self.at][1] == depth:
            number, _, words = self.lines[self.at]
            try:
                found += self.statement(words, depth)
            except Unreadable as error:
                raise error if str(error).startswith("line ") else Unreadable(f"line {number}: {error}") from None
        return tuple(found)

    def statement(self, words: str, depth: int) -> list[Statement]:
        """The line at hand, with the blocks that belong to it."""
        self.at += 1
        if words.startswith("if ") and words.endswith(":"):
            return [self.choice(words, depth)]
        if match := _FOR.fullmatch(words):
            return [For(match[1], parse(match[2]), parse(match[4]), self.block(depth + 1))]
        return _simple(words)

    def choice(self, words: str, depth: int) -> If:
        """``if`` and what follows it at the same depth."""
        arms = [Arm(parse(words[3:-1]), self.block(depth + 1))]
        while self.at < len(self.lines) and self.lines[self.at][1] == depth and arms[-1].condition is not None:
            words = self.lines[self.at][2]
            if not (words == "else:" or words.startswith("elif ")):
                break
            self.at += 1
            arms.append(Arm(None if words == "else:" else parse(words[5:-1]), self.block(depth + 1)))
        return If(tuple(arms))


def _simple(words: str) -> list[Statement]:
    """A statement of one line; declarations alone are none, nor is what only compilers are told."""
    if words == "pass" or _IN_MEMORY.fullmatch(words):
        return []
    if match := _VIEW.fullmatch(words):
        return [View(match[1], int(match[2]))]
    if match := _TABLE.fullmatch(words):
        number = int if match[1] == "int" else float
        values = tuple(number(v) for v in match[4].split(",") if v.strip())
        if len(values) != int(match[3]):
            raise Unreadable(f"the table {match[2]} has {len(values)} entries instead of {match[3]}")
        return [Table(match[2], values)]
    if match := _HOLD.fullmatch(words):
        return [Do(Call("nsd_hold", (Integer(int(match[1])), ArrayEntry("out", (Integer(int(match[2])),)))))]
    declared = _DECLARED.match(words)
    if declared:
        words = words[declared.end() :]
        if _NAMES_ONLY.fullmatch(words):
            return []
        if match := _ARRAY.fullmatch(words):
            return [Array(match[1], int(match[2]))]
    if match := _ASSIGNED.fullmatch(words):
        return [Assign(Name(match[1]), parse(match[2]))]
    if not declared and (match := _ADDED.fullmatch(words)):
        return [Assign(Name(match[1]), parse(match[3]), operator=f"{match[2]}=")]
    if not declared and (match := _PUT.fullmatch(words)):
        target = parse(match[1])
        if isinstance(target, ArrayEntry):
            return [Assign(target, parse(match[2]))]
    raise Unreadable(f"{words[:60]!r} is no statement of emitted text")
