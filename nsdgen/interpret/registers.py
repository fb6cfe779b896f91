"""Which register holds what: names as long as something reads them, values on the way to one for a moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nsdgen.emit.tree import ArrayEntry, Assign, Expression, If, Integer, Name, Number, Statement, Table, flat, operands


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
        loads: set[str] = set()
        for statement in body:
            match statement:
                case Assign(Name(name), ArrayEntry("in_", _)):
                    loads.add(name)
        for statement in body:
            match statement:
                case Assign(ArrayEntry("out", (Integer(k), Integer(j))), Name(name)):
                    if len(self.assigned.get(name, ())) == 1 and name not in loads:
                        found.setdefault(name, (k, j))
        return found


def census(body: Sequence[Statement]) -> Census:
    """What there is in a body."""
    found = Census()
    for at, statement in enumerate(body):
        for inner in flat([statement]):
            match inner:
                case Assign(Name(name), value):
                    found.assigned.setdefault(name, set()).add(at)
                    found.last[name] = at
                    _visit(value, at, found)
                case Assign(_, value):
                    _visit(value, at, found)
                case Table(values=values) if inner.of_doubles:
                    found.numbers |= dict.fromkeys(map(abs, values))
                case If(arms):
                    for arm in arms:
                        if arm.condition is not None:
                            _visit(arm.condition, at, found)
    return found


def _visit(value: Expression, at: int, found: Census) -> None:
    """Note what a value mentions; indices of arrays are none of it."""
    stack = [value]
    while stack:
        e = stack.pop()
        match e:
            case Number(number):
                found.numbers[number] = None
            case Name(name):
                found.last[name] = at
            case ArrayEntry():
                pass
            case _:
                stack += operands(e)
