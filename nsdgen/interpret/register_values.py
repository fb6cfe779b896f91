"""Values of expressions: the operations that compute them, and the registers that hold them.

Every operation on doubles of the text is one of the code, in the same order; none is left out, none is moved across
another where that could be seen in a bit. What is merged computes the same: a b + c is one operation of the
machine with two roundings, -a b + c is c - a b, and -a + b is b - a, which are equal for all doubles.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.tree import ArrayEntry, Call, Expression, Integer, Name, Negation, Number, Product, Sum
from nsdgen.interpret.places import MovingPlace, Word, place
from nsdgen.interpret.registers import Census, Registers

CONSTANTS = {"M_PI": math.pi, "M_E": math.e, "INFINITY": math.inf}

Register: TypeAlias = int | MovingPlace
"""A register, or in a loop one that depends on the pass."""


@dataclass(frozen=True, slots=True)
class _SumTerm:
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


class GrowingCode:
    """The code of one kernel as it grows, and what its names stand for."""

    def __init__(
        self, known: Census, inputs: Sequence[int], operations: Mapping[str, int], arities: Mapping[str, int]
    ) -> None:
        self.inputs, self.operations, self.arities = inputs, operations, arities
        values = dict.fromkeys([*known.numbers, *(CONSTANTS[n] for n in CONSTANTS if n in known.last)])
        self.constants = {value: register for register, value in enumerate(values)}
        self.names: dict[str, int] = {n: self.constants[v] for n, v in CONSTANTS.items() if n in known.last}
        self.registers = Registers(len(values))
        self.views: dict[str, int] = {}  # names of inputs
        self.arrays: dict[str, tuple[int, int]] = {}  # first register and size, where all entries are registers
        self.tables: dict[str, tuple[int, ...]] = {}
        self.counters: dict[str, int] = {}
        self.code: list[Word] = []
        self.load_at = -1  # where a load stands that the next one may become part of
        self.emitted: list[tuple[str, int, int]] = []  # operations outside of loops, where they begin and end

    def emit(self, operation: str, *operands: Register) -> None:
        """Append an operation; outside of loops, it may become one half of a pair."""
        self.load_at, start = -1, len(self.code)
        self.code.append(self.operations[operation])
        self.code += operands
        if not self.counters:
            self.emitted.append((operation, start, len(self.code)))

    def load(self, register: Register, i: int, j: int) -> None:
        """An entry of an input; entries in a row are one operation."""
        if not (i < len(self.inputs) and j < self.inputs[i]):
            raise Unreadable(f"entry {j} of input {i}")
        at, code = self.load_at, self.code
        last: list[Any] = code[at + 1 : at + 5] if at >= 0 else []
        if last and (last[0] + last[3], last[1], last[2] + last[3]) == (register, i, j):
            code[at + 4] = last[3] + 1
            return
        self.emit("load", register, i, j, 1)
        self.load_at = len(code) - 5

    def pair(self) -> None:
        """Let two operations that follow each other be one, where the machine has such a one."""
        free = 0
        for (first, start, end), (second, next_start, next_end) in pairwise(self.emitted):
            both = self.operations.get(f"{first}_then_{second}")
            if both is not None and start >= free and end == next_start:
                self.code[start], free = both, next_end

    def value(self, tree: Expression, target: Register | None = None) -> Register:
        """The register that holds a value: ``target`` where one is given."""
        match tree:
            case Number(number):
                return self.at(self.constants[number], target)
            case Name(name):
                if name not in self.names:
                    self.unknown(name)
                return self.at(self.names[name], target)
            case ArrayEntry():
                return self.entry(tree, target)
            case Negation(inner):
                return self.operate("negate", target, self.value(inner))
            case Sum(terms, signs):
                return self.sum(list(zip(signs, terms, strict=True)), target)
            case Product(factors, operators):
                return self.product(list(zip(operators, factors, strict=True)), target)
            case Call(name, arguments):
                return self.call(name, arguments, target)
        raise Unreadable(f"{type(tree).__name__} where a double is meant")

    def at(self, register: Register, target: Register | None) -> Register:
        """The register itself, or a copy in the target."""
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
        """Refuse a name that nothing was assigned to."""
        raise Unreadable(f"{name!r} has no value")

    def entry(self, tree: ArrayEntry, target: Register | None) -> Register:
        """An entry of an input, of an array, or of an input under a name of its own."""
        match tree:
            case ArrayEntry("in_", (Integer(i), Integer(j))):
                register = self.registers.passing() if target is None else target
                self.load(register, i, j)
                return register
            case ArrayEntry(array, (Integer(j),)) if array in self.arrays:
                return self.at(self.arrays[array][0] + j, target)
            case ArrayEntry(array, (index,)) if array in self.arrays:
                return self.at(place(index, self.counters, self.tables, self.arrays[array][0]).word, target)
            case ArrayEntry(view, (Integer() as j,)) if view in self.views:
                return self.entry(ArrayEntry("in_", (Integer(self.views[view]), j)), target)
        raise Unreadable(f"{tree.array!r} is no array that can be read")

    def call(self, name: str, arguments: Sequence[Expression], target: Register | None) -> Register:
        """A function of doubles, with as many arguments as the machine knows it by."""
        match name, arguments:
            case "nsd_stumpff", (Integer(order), argument):
                value = self.value(argument)
                self.registers.used(value)
                register = self.registers.passing() if target is None else target
                self.emit("stumpff", register, order, value)
                return register
        if self.arities.get(name) != len(arguments):
            raise Unreadable(f"the function {name} of {len(arguments)} arguments")
        return self.operate(name, target, *[self.value(argument) for argument in arguments])

    def product(self, factors: Sequence[tuple[str, Expression]], target: Register | None) -> Register:
        """Factors from left to right; three that are multiplied in a row are one operation."""
        rest = deque(factors)
        total = self.value(rest.popleft()[1])
        while rest:
            word, factor = rest.popleft()
            operands = [total, self.value(factor)]
            if word == "*" and rest and rest[0][0] == "*":
                operands.append(self.value(rest.popleft()[1]))
            operation = "divide" if word == "/" else "multiply" if len(operands) == 2 else "multiply_three"
            total = self.operate(operation, None if rest else target, *operands)
        return total

    def sum(self, terms: Sequence[tuple[str, Expression]], target: Register | None) -> Register:
        """Terms from left to right; a product of two values is computed by the operation that adds it."""
        rest = deque(terms)
        total = self.term(rest.popleft()[1])
        while rest:
            sign, tree = rest.popleft()
            term = self.term(tree)
            if sign == "-":
                term = replace(term, negative=not term.negative)
            if rest and rest[0][0] == "+" and total.plain and term.plain and _is_plain(rest[0][1]):
                last = self.value(rest.popleft()[1])
                operation, operands = "add_three", (*total.registers, *term.registers, last)
            else:
                operation, operands = self.added(total, term)
            total = _SumTerm((self.operate(operation, None if rest else target, *operands),))
        return total.registers[0]

    def term(self, tree: Expression) -> _SumTerm:
        """A term of a sum: a value, or the two values whose product it is; a sign before it is kept apart."""
        match tree:
            case Negation(inner):
                term = self.term(inner)
                return replace(term, negative=not term.negative)
            case Product((Negation(inner), *factors), operators) if operators[-1] == "*":
                term = self.term(Product((inner, *factors), operators))
                return replace(term, negative=not term.negative)
            case Product((first, last), "**"):
                return _SumTerm((self.value(first), self.value(last)))
            case Product((*factors, last), operators) if operators[-1] == "*":
                return _SumTerm((self.product(list(zip(operators, factors, strict=False)), None), self.value(last)))
        return _SumTerm((self.value(tree),))

    def added(self, total: _SumTerm, term: _SumTerm) -> tuple[str, tuple[Register, ...]]:
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

    def computed(self, term: _SumTerm) -> _SumTerm:
        """The term as one value without a sign of its own."""
        value = self.operate("multiply", None, *term.registers) if term.pair else term.registers[0]
        return _SumTerm((self.operate("negate", None, value) if term.negative else value,))


def _is_plain(tree: Expression) -> bool:
    """Whether a term is a value as it stands: no product that what adds it computes, and no sign."""
    return not isinstance(tree, Negation) and not (isinstance(tree, Product) and tree.operators[-1] == "*")
