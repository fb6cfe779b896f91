"""Statements of a kernel to code of the register machine (``include/nsdgen_machine.h`` lists its operations).

Every operation on doubles of the text is one of the code, in the same order; none is left out, none is moved across
another where that could be seen in a bit. What is merged computes the same: a b + c is one operation of the
machine with two roundings, -a b + c is c - a b, and -a + b is b - a, which are equal for all doubles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

from nsdgen.interpret.expressions import Tree, Unreadable
from nsdgen.interpret.places import Passes, Place, Stored, Word, place, write_out
from nsdgen.interpret.registers import Registers, arrays_in, census
from nsdgen.interpret.statements import Add, Array, Choice, Completion, Loop, Put, Set, Statement, Table, View

__all__ = ["Program", "assemble"]

CONSTANTS = {"M_PI": math.pi, "M_E": math.e, "INFINITY": math.inf}
_DEEPEST = 8  # loops inside one another
_TRUE, _FALSE = (("name", "True"), ("integer", 1)), (("name", "False"), ("integer", 0))
_COMPARED = {"<": ("less", False), "<=": ("less_equal", False), "==": ("equal", False),
             ">": ("less", True), ">=": ("less_equal", True)}


Register: TypeAlias = int | Place
"""A register, or in a loop one that depends on the pass."""


@dataclass(frozen=True)
class Program:
    """A kernel as code, with the constants its frame begins with, and the frame's size."""

    code: tuple[int, ...]
    constants: tuple[float, ...]
    frame: int


def assemble(body: Sequence[Statement], sizes: tuple[Sequence[int], Sequence[int]], operations: Mapping[str, int],
             arities: Mapping[str, int]) -> Program:
    """The program of a body whose inputs and outputs have these sizes.

    ``operations`` numbers those of the machine, ``arities`` are its functions of doubles. Raises ``Unreadable``.
    """
    return _Assembler(body, sizes, operations, arities).run()


class _Label:
    """A place in the code that jumps name before it is known."""

    def __init__(self) -> None:
        self.mentioned: list[int] = []


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a sum: the register of its value, or the two of a product; ``negative``: less so much."""

    registers: tuple[Register, ...]
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
    def __init__(self, body: Sequence[Statement], sizes: tuple[Sequence[int], Sequence[int]],
                 operations: Mapping[str, int], arities: Mapping[str, int]) -> None:
        self.body, self.operations, self.arities = body, operations, arities
        self.inputs, self.outputs = sizes
        known = census(body)
        values = dict.fromkeys([*known.numbers, *(CONSTANTS[n] for n in CONSTANTS if n in known.last)])
        self.constants = {value: register for register, value in enumerate(values)}
        self.names: dict[str, int] = {n: self.constants[v] for n, v in CONSTANTS.items() if n in known.last}
        self.registers = Registers(len(values))
        self.first_of_output = [self.registers.block(size) for size in self.outputs]
        self.results = known.results(body)
        self.kept = {*self.names, *self.results}
        self.ending = known.ending()
        self.views: dict[str, int] = {}  # names of inputs
        self.arrays: dict[str, tuple[int, int]] = {}  # first register and size, where all entries are registers
        self.tables: dict[str, tuple[int, ...]] = {}
        self.counters: dict[str, int] = {}
        self.code: list[Word] = []
        self.stored: set[tuple[int, int]] = set()
        self.load_at = -1  # where a load stands that the next one may become part of
        self.choices = 0
        self.emitted: list[tuple[str, int, int]] = []  # operations outside of loops, where they begin and end

    def run(self) -> Program:
        completions = [s for s in self.body if isinstance(s, Completion)]
        if list(self.body[len(self.body) - len(completions):]) != completions:
            raise Unreadable("a completion before the end of a kernel")
        for at, statement in enumerate(self.body):
            self.statement(statement)
            for name in self.ending.get(at, ()):
                if name not in self.kept and name in self.names:
                    self.registers.give(self.names[name])
        self._store_outputs()
        for completion in completions:
            if 2 * completion.size**2 != self.outputs[completion.number]:
                raise Unreadable("a completion of an output of another size")
            self.emit("hold", completion.number, completion.size)
        self.emit("end")
        self._pair()
        assert all(isinstance(word, int) for word in self.code)
        return Program(tuple(self.code), tuple(self.constants), self.registers.count)  # type: ignore[arg-type]

    def _pair(self) -> None:
        """Let two operations that follow each other be one, where the machine has such a one."""
        free = 0
        for (first, start, end), (second, next_start, next_end) in pairwise(self.emitted):
            both = self.operations.get(f"{first}_then_{second}")
            if both is not None and start >= free and end == next_start:
                self.code[start], free = both, next_end

    def _store_outputs(self) -> None:
        """Entries of an output that follow each other at once."""
        runs: list[list[int]] = []
        for k, j in sorted(self.stored):
            if not 0 <= j < self.outputs[k]:
                raise Unreadable(f"entry {j} of output {k}, which has {self.outputs[k]}")
            if runs and runs[-1][0] == k and runs[-1][1] + runs[-1][3] == j:
                runs[-1][3] += 1
            else:
                runs.append([k, j, self.first_of_output[k] + j, 1])
        for run in runs:
            self.emit("store", *run)

    # -- code ------------------------------------------------------------------------------------

    def emit(self, operation: str, *operands: Register) -> None:
        self.load_at, start = -1, len(self.code)
        self.code.append(self.operations[operation])
        self.code += operands
        if not self.counters:
            self.emitted.append((operation, start, len(self.code)))

    def jump(self, operation: str, label: _Label, *operands: Register) -> None:
        """An operation whose last operand is a label."""
        if self.counters:
            raise Unreadable("a choice in a loop")
        self.emit(operation, *operands, 0)
        label.mentioned.append(len(self.code) - 1)

    def bind(self, label: _Label) -> None:
        """The label is here."""
        self.load_at = -1
        for at in label.mentioned:
            self.code[at] = len(self.code)

    def load(self, register: Register, i: int, j: int) -> None:
        """An entry of an input; entries in a row are one operation."""
        if not (i < len(self.inputs) and j < self.inputs[i]):
            raise Unreadable(f"entry {j} of input {i}")
        at, code = self.load_at, self.code
        last: list[Any] = code[at + 1:at + 5] if at >= 0 else []
        if last and (last[0] + last[3], last[1], last[2] + last[3]) == (register, i, j):
            code[at + 4] = last[3] + 1
            return
        self.emit("load", register, i, j, 1)
        self.load_at = len(code) - 5

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
                self.tables[name] = values

    def assign(self, name: str, tree: Tree) -> None:
        if name in CONSTANTS or name in self.counters:
            raise Unreadable(f"{name!r} is assigned")
        if name not in self.names:
            k, j = self.results.get(name, (-1, 0))
            self.names[name] = self.first_of_output[k] + j if k >= 0 else self.registers.take()
        self.value(tree, self.names[name])

    def put(self, statement: Put) -> None:
        match statement.target:
            case ("entry", "out", ("integer", k), index) if k < len(self.outputs):
                if self.choices:
                    raise Unreadable("an output that is stored where not every evaluation comes")
                entry = place(index, self.counters, self.tables)
                register = replace(entry, base=self.first_of_output[k]).word
                if not (statement.value[0] == "name" and self.names.get(statement.value[1]) == register):
                    self.value(statement.value, register)
                if self.counters:
                    self.code.append(Stored(k, entry.word))
                elif (k, entry.at(())) in self.stored:
                    raise Unreadable("an entry of an output that is stored twice")
                else:
                    self.stored.add((k, entry.at(())))
            case ("entry", array, index) if array in self.arrays:
                self.value(statement.value, place(index, self.counters, self.tables, self.arrays[array][0]).word)
            case _:
                raise Unreadable("a place where no value can be stored")

    def choice(self, arms: Sequence[tuple[Tree | None, Sequence[Statement]]]) -> None:
        self.choices += 1
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
        self.choices -= 1

    def loop(self, loop: Loop) -> None:
        """The loop written out; one inside others is when they are."""
        if loop.name in self.counters:
            raise Unreadable(f"the loop over {loop.name!r} inside one over {loop.name!r}")
        if not self.counters:
            self.load_whole(arrays_in(loop))
        first, end = (place(tree, self.counters, self.tables).word for tree in (loop.first, loop.end))
        counter = self.counters[loop.name] = len(self.counters)
        outer, self.code = self.code, []
        for statement in loop.body:
            self.statement(statement)
        body = self.code
        self.code, self.load_at = outer, -1
        passes = Passes(counter, first, end, *self.gathered(body))
        del self.counters[loop.name]
        if self.counters:
            self.code.append(passes)
        else:
            write_out(passes, [0] * _DEEPEST, self.code, self.stored)  # type: ignore[arg-type]

    def load_whole(self, names: Iterable[str]) -> None:
        """All entries of inputs, for loops."""
        for name in names:
            if name in self.views and name not in self.arrays:
                size = self.inputs[self.views[name]]
                self.arrays[name] = self.registers.block(size), size
                self.emit("load", self.arrays[name][0], self.views[name], 0, size)

    def gathered(self, body: list[Word]) -> tuple[list[Word], tuple[int, ...]]:
        """The body of a loop and the operation that all its passes are: copies, or what adds products to a sum."""
        if body[:1] == [self.operations["copy"]] and all(isinstance(word, Stored) for word in body[3:]):
            return body[1:], (self.operations["copies"],)
        if len(body) == 5 and isinstance(total := body[1], int) and body[4] == total not in body[2:4]:
            for one, many in (("multiply_add", "add_products"), ("subtract_product", "subtract_products")):
                if body[0] == self.operations[one]:
                    return body[2:4], (self.operations[many], total)
        return body, ()

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

    def value(self, tree: Tree, target: Register | None = None) -> Register:
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

    def at(self, register: Register, target: Register | None) -> Register:
        if target is not None and target != register:
            self.emit("copy", target, register)
            return target
        return register

    def operate(self, operation: str, target: Register | None, *operands: Register) -> Register:
        """An operation on registers; those of passing values are free after it."""
        self.registers.used(*operands)
        register = self.registers.passing() if target is None else target
        self.emit(operation, register, *operands)
        return register

    def unknown(self, name: str) -> int:
        raise Unreadable(f"{name!r} has no value")

    def entry(self, tree: Tree, target: Register | None) -> Register:
        match tree:
            case ("entry", "in_", ("integer", i), ("integer", j)):
                register = self.registers.passing() if target is None else target
                self.load(register, i, j)
                return register
            case ("entry", array, index) if array in self.arrays:
                return self.at(place(index, self.counters, self.tables, self.arrays[array][0]).word, target)
            case ("entry", view, ("integer", j)) if view in self.views:
                return self.entry(("entry", "in_", ("integer", self.views[view]), ("integer", j)), target)
        raise Unreadable(f"{tree[1]!r} is no array that can be read")

    def call(self, name: str, arguments: Sequence[Tree], target: Register | None) -> Register:
        if name == "nsd_stumpff" and len(arguments) == 2 and arguments[0][0] == "integer":
            value = self.value(arguments[1])
            self.registers.used(value)
            register = self.registers.passing() if target is None else target
            self.emit("stumpff", register, arguments[0][1], value)
            return register
        if self.arities.get(name) != len(arguments):
            raise Unreadable(f"the function {name} of {len(arguments)} arguments")
        return self.operate(name, target, *[self.value(argument) for argument in arguments])

    def product(self, factors: Sequence[Any], target: Register | None) -> Register:
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

    def sum(self, terms: Sequence[Any], target: Register | None) -> Register:
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
                operation, operands = "add_three", (*total.registers, *term.registers, self.value(tree))
            else:
                operation, operands = self.added(total, term)
            total = _Term((self.operate(operation, None if rest else target, *operands),))
        return total.registers[0]

    def term(self, tree: Tree) -> _Term:
        """A term of a sum: a value, or the two values whose product it is; a sign before it is kept apart."""
        match tree:
            case ("negate", inner):
                term = self.term(inner)
                return replace(term, negative=not term.negative)
            case ("product", ("negate", inner), *factors, ("*", last)):
                return self.term(("negate", ("product", inner, *factors, ("*", last))))
            case ("product", first, ("*", last)):
                return _Term((self.value(first), self.value(last)))
            case ("product", first, *factors, ("*", last)):
                return _Term((self.product([first, *factors], None), self.value(last)))
        return _Term((self.value(tree),))

    def added(self, total: _Term, term: _Term) -> tuple[str, tuple[Register, ...]]:
        """The operation that adds a term, and its operands."""
        if total.pair and term.pair and not (total.negative or term.negative):
            return "sum_of_products", (*total.registers, *term.registers)
        if (total.negative and term.negative) or (total.pair and term.pair):
            total = self.computed(total)
        if total.pair:  # a b + v, a b - v, v - a b
            word = "subtract_product" if total.negative else "multiply_subtract" if term.negative else "multiply_add"
            return word, (*total.registers, *term.registers)
        if term.pair:  # v + a b, v - a b, -v + a b
            word = "subtract_product" if term.negative else "multiply_subtract" if total.negative else "multiply_add"
            return word, (*term.registers, *total.registers)
        if total.negative:
            return "subtract", (*term.registers, *total.registers)
        return "subtract" if term.negative else "add", (*total.registers, *term.registers)

    def computed(self, term: _Term) -> _Term:
        """The term as one value without a sign of its own."""
        value = self.operate("multiply", None, *term.registers) if term.pair else term.registers[0]
        return _Term((self.operate("negate", None, value) if term.negative else value,))


def _is_plain(tree: Tree) -> bool:
    """Whether a term is a value as it stands: no product that what adds it computes, and no sign."""
    return tree[0] != "negate" and not (tree[0] == "product" and tree[-1][0] == "*")
