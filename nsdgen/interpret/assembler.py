"""Statements of a kernel to code of the register machine (``include/nsdgen_machine.h`` lists its operations).

Every operation on doubles of the text is one of the code, in the same order; none is left out, none is moved
across another where that could be seen in a bit. What is merged computes the same: ``a*b + c`` is one operation of the machine with two
roundings, -a*b + c is c - a*b, and -a + b is b - a, which are equal for all doubles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nsdgen.interpret.expressions import Tree, Unreadable
from nsdgen.interpret.places import Place, place
from nsdgen.interpret.registers import Registers, census
from nsdgen.interpret.statements import Add, Array, Choice, Completion, Loop, Put, Set, Statement, Table, View

__all__ = ["Program", "assemble"]

CONSTANTS = {"M_PI": math.pi, "M_E": math.e, "INFINITY": math.inf}
_TRUE, _FALSE = (("name", "True"), ("integer", 1)), (("name", "False"), ("integer", 0))
_COUNTERS = 8  # NSD_COUNTERS
_COMPARED = {"<": ("less", False), "<=": ("less_equal", False), "==": ("equal", False),
             ">": ("less", True), ">=": ("less_equal", True)}


@dataclass(frozen=True)
class Program:
    """A kernel as code, with the tables of its places, the constants its frame begins with, and the frame's size."""

    code: tuple[int, ...]
    tables: tuple[int, ...]
    constants: tuple[float, ...]
    frame: int


def assemble(body: Sequence[Statement], operations: Mapping[str, int], arities: Mapping[str, int]) -> Program:
    """The program of a body; ``operations`` numbers those of the machine, ``arities`` are its functions of doubles.

    Raises ``Unreadable``.
    """
    return _Assembler(body, operations, arities).run()


class _Label:
    """A place in the code that jumps name before it is known."""

    def __init__(self) -> None:
        self.mentioned: list[int] = []


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a sum: the register of its value, or the two of a product; ``negative``: less so much."""

    registers: tuple[int, ...]
    negative: bool = False

    @property
    def pair(self) -> bool:
        """Whether it is the product of two values."""
        return len(self.registers) == 2

    @property
    def plain(self) -> bool:
        """Whether it is a value without a sign."""
        return not (self.pair or self.negative)


class _Assembler:
    def __init__(self, body: Sequence[Statement], operations: Mapping[str, int], arities: Mapping[str, int]) -> None:
        self.body, self.operations, self.arities = body, operations, arities
        self.census = census(body)
        values = dict.fromkeys([*self.census.numbers, *(CONSTANTS[n] for n in CONSTANTS if n in self.census.last)])
        self.constants = {value: register for register, value in enumerate(values)}
        self.registers = Registers(len(values))
        self.names: dict[str, int] = {n: self.constants[v] for n, v in CONSTANTS.items() if n in self.census.last}
        self.views: dict[str, int] = {}
        self.arrays: dict[str, tuple[int, int]] = {}
        self.table_places: dict[str, int] = {}
        self.tables: list[int] = []
        self.counters: dict[str, int] = {}
        self.code: list[int] = []
        self.load_at = -1  # where a load stands that the next one may become part of
        self.nested = 0
        self._place_outputs()

    def _place_outputs(self) -> None:
        """Registers in a row for the entries of each output that are stored one by one."""
        self.stored: dict[tuple[int, int], int] = {}
        entries: list[tuple[int, int]] = []
        for statement in self.body:
            match statement:
                case Put(target=("entry", "out", ("integer", k), ("integer", j))):
                    entries.append((k, j))
        if len(set(entries)) != len(entries):
            raise Unreadable("an entry of an output that is stored twice")
        first = self.registers.block(len(entries))
        self.stored = {entry: first + i for i, entry in enumerate(sorted(entries))}
        self.results = self.census.results(self.body)
        self.kept = {*self.names, *self.results}

    def run(self) -> Program:
        ending = self.census.ending()
        completions = [s for s in self.body if isinstance(s, Completion)]
        if list(self.body[len(self.body) - len(completions):]) != completions:
            raise Unreadable("a completion before the end of a kernel")
        for at, statement in enumerate(self.body):
            self.statement(statement)
            for name in ending.get(at, ()):
                if name not in self.kept and name in self.names:
                    self.registers.give(self.names[name])
        self._store_outputs()
        for completion in completions:
            self.emit("hold", completion.number, completion.size)
        self.emit("end")
        return Program(tuple(self.code), tuple(self.tables), tuple(self.constants), self.registers.count)

    def _store_outputs(self) -> None:
        """Entries of an output that follow each other at once."""
        runs: list[tuple[int, int, int, int]] = []
        for (k, j), register in self.stored.items():
            if runs and runs[-1][0] == k and runs[-1][1] + runs[-1][3] == j:
                runs[-1] = (*runs[-1][:3], runs[-1][3] + 1)
            else:
                runs.append((k, j, register, 1))
        for run in runs:
            self.emit("store", *run)

    # -- code ------------------------------------------------------------------------------------

    def emit(self, operation: str, *operands: int) -> None:
        self.load_at = -1
        self.code.append(self.operations[operation])
        self.code += operands

    def jump(self, operation: str, label: _Label, *operands: int) -> None:
        """An operation whose last operand is a label."""
        self.emit(operation, *operands, 0)
        label.mentioned.append(len(self.code) - 1)

    def bind(self, label: _Label) -> None:
        """The label is here."""
        self.load_at = -1
        for at in label.mentioned:
            self.code[at] = len(self.code)

    def load(self, register: int, i: int, j: int) -> None:
        """An entry of an input; entries in a row are one operation."""
        at = self.load_at
        if at >= 0:
            d, known, first, n = self.code[at + 1:at + 5]
            if known == i and first + n == j and d + n == register:
                self.code[at + 4] += 1
                return
        self.emit("load", register, i, j, 1)
        self.load_at = len(self.code) - 5

    # -- statements ------------------------------------------------------------------------------

    def statement(self, statement: Statement) -> None:
        match statement:
            case Set(name=name, value=tree):
                self.assign(name, tree)
            case Add(name=name, sign=sign, value=tree):
                register = self.names[name] if name in self.names else self.unknown(name)
                self.sum([("name", name), (sign, tree)], register)
            case Put():
                self.put(statement)
            case Choice(arms=arms):
                self.choice(arms)
            case Loop():
                self.loop(statement)
            case Array(name=name, size=size):
                self.arrays[name] = (self.registers.block(size), size)
            case View(name=name, number=number):
                self.views[name] = number
            case Table(name=name, values=values):
                self.table_places[name] = len(self.tables)
                self.tables += values

    def assign(self, name: str, tree: Tree) -> None:
        if name in CONSTANTS or name in self.counters:
            raise Unreadable(f"{name!r} is assigned")
        if name not in self.names:
            self.names[name] = self.stored[self.results[name]] if name in self.results else self.registers.take()
        self.value(tree, self.names[name])

    def put(self, statement: Put) -> None:
        match statement.target:
            case ("entry", "out", ("integer", k), ("integer", j)):
                if self.nested:
                    raise Unreadable("an output that is stored where not every evaluation comes")
                register = self.stored[k, j]
                if statement.value[0] != "name" or self.names.get(statement.value[1]) != register:
                    self.value(statement.value, register)
            case ("entry", "out", ("integer", k), index):
                value = self.value(statement.value)
                self.emit("put_output", k, value, *self.place(index).words())
                self.registers.used(value)
            case ("entry", array, index) if array in self.arrays:
                at = self.place(index)
                if at.fixed:
                    self.value(statement.value, self.arrays[array][0] + at.first)
                    return
                value = self.value(statement.value)
                self.emit("put", value, self.arrays[array][0], *at.words())
                self.registers.used(value)
            case _:
                raise Unreadable("a place where no value can be stored")

    def choice(self, arms: Sequence[tuple[Tree | None, Sequence[Statement]]]) -> None:
        self.nested += 1
        done = _Label()
        for number, (condition, body) in enumerate(arms):
            otherwise = _Label()
            if condition is not None:
                self.go(condition, otherwise, on=False)
            for statement in body:
                self.statement(statement)
            if number + 1 < len(arms):
                self.jump("jump", done)
            self.bind(otherwise)
        self.bind(done)
        self.nested -= 1

    def loop(self, loop: Loop) -> None:
        counter = len(self.counters)
        if loop.name in self.counters or counter == _COUNTERS:
            raise Unreadable(f"the loop over {loop.name!r} inside {counter} others")
        done, again = _Label(), _Label()
        match loop.first, loop.end:
            case ("integer", first), ("integer", end):
                self.jump("loop", done, counter, first, end)
            case _:
                at = self.place(loop.first)
                if at.table < 0 or self.place(loop.end) != at.next():
                    raise Unreadable(f"the ends of the loop over {loop.name!r}")
                self.emit("loop_table", counter, 0, at.table, *at.words()[1:])
                done.mentioned.append(len(self.code) - len(at.words()) - 1)
        self.counters[loop.name] = counter
        self.nested += 1
        start = len(self.code)
        for statement in loop.body:
            self.statement(statement)
        self.jump("again", again, counter)
        again.mentioned, self.code[-1] = [], start
        self.nested -= 1
        del self.counters[loop.name]
        self.bind(done)

    # -- conditions ------------------------------------------------------------------------------

    def go(self, tree: Tree, label: _Label, *, on: bool) -> None:
        """Go on at the label where the condition is ``on``, else with what follows."""
        match tree:
            case ("compare", word, left, right):
                a, b = self.value(left), self.value(right)
                if word == "!=":
                    word, on = "==", not on
                name, turned = _COMPARED[word]
                self.jump(f"{'if' if on else 'unless'}_{name}", label, *((b, a) if turned else (a, b)))
                self.registers.used(a, b)
            case ("not", inner):
                self.go(inner, label, on=not on)
            case (("and" | "or") as word, left, right):
                if (word == "or") == on:
                    self.go(left, label, on=on)
                    self.go(right, label, on=on)
                else:
                    past = _Label()
                    self.go(left, past, on=not on)
                    self.go(right, label, on=on)
                    self.bind(past)
            case _ if tree in _TRUE or tree in _FALSE:
                if (tree in _TRUE) == on:
                    self.jump("jump", label)
            case _:
                raise Unreadable("a condition that is none")

    # -- values ----------------------------------------------------------------------------------

    def value(self, tree: Tree, target: int | None = None) -> int:
        """The register that holds a value: ``target`` where one is given."""
        match tree:
            case ("number", number):
                return self.at(self.constants[number], target)
            case ("name", name):
                if name not in self.names:
                    self.unknown(name)
                return self.at(self.names[name], target)
            case ("entry", *_):
                return self.entry(tree, target)
            case ("negate", inner):
                return self.operate("negate", target, self.value(inner))
            case ("sum", *terms):
                return self.sum(terms, target)
            case ("product", *factors):
                return self.product(factors, target)
            case ("call", name, *arguments):
                return self.call(name, arguments, target)
        raise Unreadable(f"{tree[0]} where a double is meant")

    def at(self, register: int, target: int | None) -> int:
        if target is not None and target != register:
            self.emit("copy", target, register)
            return target
        return register

    def operate(self, operation: str, target: int | None, *operands: int) -> int:
        """An operation on registers; those of passing values are free after it."""
        self.registers.used(*operands)
        register = self.registers.passing() if target is None else target
        self.emit(operation, register, *operands)
        return register

    def unknown(self, name: str) -> int:
        raise Unreadable(f"{name!r} has no value")

    def entry(self, tree: Tree, target: int | None) -> int:
        match tree:
            case ("entry", "in_", ("integer", i), ("integer", j)):
                register = self.registers.passing() if target is None else target
                self.load(register, i, j)
                return register
            case ("entry", array, index) if array in self.arrays:
                at, (base, size) = self.place(index), self.arrays[array]
                if at.fixed and at.first < size:
                    return self.at(base + at.first, target)
                register = self.registers.passing() if target is None else target
                self.emit("take", register, base, *at.words())
                return register
            case ("entry", view, index) if view in self.views:
                register = self.registers.passing() if target is None else target
                self.emit("take_input", register, self.views[view], *self.place(index).words())
                return register
        raise Unreadable(f"{tree[1]!r} is no array that can be read")

    def place(self, index: Tree) -> Place:
        return place(index, self.counters, self.table_places)

    def call(self, name: str, arguments: Sequence[Tree], target: int | None) -> int:
        if name == "nsd_stumpff" and len(arguments) == 2 and arguments[0][0] == "integer":
            value = self.value(arguments[1])
            self.registers.used(value)
            register = self.registers.passing() if target is None else target
            self.emit("stumpff", register, arguments[0][1], value)
            return register
        if self.arities.get(name) != len(arguments):
            raise Unreadable(f"the function {name} of {len(arguments)} arguments")
        return self.operate(name, target, *[self.value(argument) for argument in arguments])

    def product(self, factors: Sequence[Any], target: int | None) -> int:
        first, *rest = factors
        total = self.value(first)
        while rest:
            (word, factor), *rest = rest
            operands = [total, self.value(factor)]
            if word == "*" and rest and rest[0][0] == "*":
                (_, factor), *rest = rest
                operands.append(self.value(factor))
            operation = "divide" if word == "/" else "multiply" if len(operands) == 2 else "multiply_three"
            total = self.operate(operation, None if rest else target, *operands)
        return total

    def sum(self, terms: Sequence[Any], target: int | None) -> int:
        """Terms from left to right; a product of two values is computed by the operation that adds it."""
        first, *rest = terms
        total = self.term(first)
        while rest:
            (sign, tree), *rest = rest
            term = self.term(tree)
            if sign == "-":
                term = replace(term, negative=not term.negative)
            if rest and rest[0][0] == "+" and total.plain and term.plain and _is_plain(rest[0][1]):
                (_, tree), *rest = rest
                added = "add_three", *total.registers, *term.registers, self.value(tree)
            else:
                added = self.added(total, term)
            total = _Term((self.operate(added[0], None if rest else target, *added[1:]),))
        return total.registers[0]

    def term(self, tree: Tree) -> _Term:
        """A term of a sum: a value, or the two values whose product it is; a sign before it is kept apart."""
        match tree:
            case ("negate", inner):
                term = self.term(inner)
                return replace(term, negative=not term.negative)
            case ("product", ("negate", inner), *factors, ("*", last)):
                return replace(self.term(("product", inner, *factors, ("*", last))), negative=True)
            case ("product", first, ("*", last)):
                return _Term((self.value(first), self.value(last)))
            case ("product", first, *factors, ("*", last)):
                return _Term((self.product([first, *factors], None), self.value(last)))
        return _Term((self.value(tree),))

    def added(self, total: _Term, term: _Term) -> tuple[Any, ...]:
        """The operation that adds a term, with its operands."""
        if total.pair and term.pair and not (total.negative or term.negative):
            return "sum_of_products", *total.registers, *term.registers
        if total.negative and term.negative or total.pair and term.pair:
            total = self.computed(total)
        if total.pair:  # a b + v, a b - v, v - a b
            word = "subtract_product" if total.negative else "multiply_subtract" if term.negative else "multiply_add"
            return word, *total.registers, *term.registers
        if term.pair:  # v + a b, v - a b, -v + a b
            word = "subtract_product" if term.negative else "multiply_subtract" if total.negative else "multiply_add"
            return word, *term.registers, *total.registers
        if total.negative:
            return "subtract", *term.registers, *total.registers
        return "subtract" if term.negative else "add", *total.registers, *term.registers

    def computed(self, term: _Term) -> _Term:
        """The term as one value without a sign of its own."""
        value = self.operate("multiply", None, *term.registers) if term.pair else term.registers[0]
        return _Term((self.operate("negate", None, value) if term.negative else value,))


def _is_plain(tree: Tree) -> bool:
    """Whether a term is a value as it stands: no product that what adds it computes, and no sign."""
    return tree[0] != "negate" and not (tree[0] == "product" and tree[-1][0] == "*")
