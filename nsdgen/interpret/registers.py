"""Which register holds what: names as long as something reads them, values on the way to one for a moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nsdgen.interpret.expressions import Tree
from nsdgen.interpret.statements import Add, Choice, Loop, Put, Set, Statement

__all__ = ["Census", "Registers", "arrays_in", "census"]


class Registers:
    """The registers of one program, counted from ``first``; those given back are used again."""

    def __init__(self, first: int) -> None:
        self.count = first
        self._free: list[int] = []
        self._passing: set[int] = set()

    def take(self) -> int:
        """A register until it is given back."""
        return self._free.pop() if self._free else self.block(1)

    def block(self, size: int) -> int:
        """The first of so many registers in a row, that nobody has had."""
        self.count += size
        return self.count - size

    def give(self, register: int) -> None:
        """Free a register for others."""
        self._free.append(register)

    def passing(self) -> int:
        """A register for a value that the next operation uses up."""
        register = self.take()
        self._passing.add(register)
        return register

    def used(self, *registers: object) -> None:
        """Operations have read these: those of passing values are free again."""
        for register in registers:
            if isinstance(register, int) and register in self._passing:
                self._passing.discard(register)
                self.give(register)


@dataclass
class Census:
    """What a body holds: its numbers, and of each name where at the top level it is mentioned, and is assigned."""

    numbers: dict[float, None] = field(default_factory=dict)
    constants: dict[str, None] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    assigned: dict[str, set[int]] = field(default_factory=dict)

    def ending(self) -> dict[int, list[str]]:
        """The names that nothing mentions after a statement of the top level."""
        found: dict[int, list[str]] = {}
        for name, at in self.last.items():
            found.setdefault(at, []).append(name)
        return found

    def results(self, body: Sequence[Statement]) -> dict[str, tuple[int, int]]:
        """Names that are computed once and then stored as an entry of an output, with that entry."""
        found: dict[str, tuple[int, int]] = {}
        loads = Counter(s.name for s in body if isinstance(s, Set) and s.value[:2] == ("entry", "in_"))
        for statement in body:
            match statement:
                case Put(target=("entry", "out", ("integer", k), ("integer", j)), value=("name", name)):
                    if len(self.assigned.get(name, ())) == 1 and name not in loads:
                        found.setdefault(name, (k, j))
        return found


def census(body: Sequence[Statement]) -> Census:
    """What there is in a body."""
    found = Census()
    for at, statement in enumerate(body):
        for inner in _all(statement):
            match inner:
                case Set(name=name, value=tree) | Add(name=name, value=tree):
                    found.assigned.setdefault(name, set()).add(at)
                    found.last[name] = at
                    _visit(tree, at, found)
                case Put(value=tree):
                    _visit(tree, at, found)
                case Choice(arms=arms):
                    for condition, _ in arms:
                        if condition is not None:
                            _visit(condition, at, found)
    return found


def arrays_in(loop: Loop) -> Iterator[str]:
    """The arrays that a loop reads, some more than once."""
    for statement in _all(loop):
        stack: list[Any] = [statement.value] if isinstance(statement, Set | Add | Put) else []
        while stack:
            node = stack.pop()
            if isinstance(node, tuple):
                if node[:1] == ("entry",):
                    yield node[1]
                stack += node


def _all(statement: Statement) -> Iterator[Statement]:
    """A statement and those inside it."""
    yield statement
    blocks: Sequence[Sequence[Statement]] = ()
    if isinstance(statement, Choice):
        blocks = [block for _, block in statement.arms]
    elif isinstance(statement, Loop):
        blocks = [statement.body]
    for block in blocks:
        for inner in block:
            yield from _all(inner)


def _visit(tree: Tree, at: int, found: Census) -> None:
    """Note what a tree mentions; indices of arrays are none of it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = node[0]
        if kind == "number":
            found.numbers[node[1]] = None
        elif kind == "name":
            found.last[node[1]] = at
        elif kind == "call":
            stack += node[2:]
        elif kind == "negate" or kind == "not":
            stack.append(node[1])
        elif kind in ("sum", "product"):
            stack.append(node[1])
            stack += [part for _, part in node[2:]]
        elif kind == "compare":
            stack += node[2:]
        elif kind in ("and", "or"):
            stack += node[1:]
