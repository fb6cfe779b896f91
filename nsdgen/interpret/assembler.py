"""Statements of a kernel to code of the register machine (``include/nsdgen_machine.h`` lists its operations)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.tree import (
    Arm,
    Array,
    ArrayEntry,
    Assign,
    Call,
    Comparison,
    Do,
    Expression,
    For,
    If,
    Integer,
    Logic,
    Name,
    Statement,
    Table,
    View,
    expressions,
    flat,
    read_names,
    signed,
)
from nsdgen.interpret.places import Passes, Stored, Word, place, write_out
from nsdgen.interpret.register_values import CONSTANTS, GrowingCode, Register
from nsdgen.interpret.registers import census

_DEEPEST = 8  # loops inside one another
_TRUE, _FALSE = (Name("True"), Integer(1)), (Name("False"), Integer(0))
_COMPARED = {
    "<": ("less", False),
    "<=": ("less_equal", False),
    "==": ("equal", False),
    ">": ("less", True),
    ">=": ("less_equal", True),
}


@dataclass(frozen=True)
class MachineProgram:
    """A kernel as code, with the constants its frame begins with, and the frame's size."""

    code: tuple[int, ...]
    constants: tuple[float, ...]
    frame: int


def assemble(
    body: Sequence[Statement],
    sizes: tuple[Sequence[int], Sequence[int]],
    operations: Mapping[str, int],
    arities: Mapping[str, int],
) -> MachineProgram:
    """The program of a body whose inputs and outputs have these sizes.

    ``operations`` numbers those of the machine, ``arities`` are its functions of doubles. Raises ``Unreadable``.
    """
    return _CodeWriter(body, sizes, operations, arities).run()


class _JumpTarget:
    """A place in the code that jumps name before it is known."""

    def __init__(self) -> None:
        self.mentioned: list[int] = []


class _CodeWriter(GrowingCode):
    def __init__(
        self,
        body: Sequence[Statement],
        sizes: tuple[Sequence[int], Sequence[int]],
        operations: Mapping[str, int],
        arities: Mapping[str, int],
    ) -> None:
        known = census(body)
        super().__init__(known, sizes[0], operations, arities)
        self.body, self.outputs = body, sizes[1]
        self.first_of_output = [self.registers.block(size) for size in self.outputs]
        self.results = known.results(body)
        self.kept = {*self.names, *self.results}
        self.ending = known.ending()
        self.stored: set[tuple[int, int]] = set()
        self.choices = 0

    def run(self) -> MachineProgram:
        """The program: all statements, then the outputs, completions, and pairs of operations made one."""
        completions = [s for s in self.body if isinstance(s, Do)]
        if list(self.body[len(self.body) - len(completions) :]) != completions:
            raise Unreadable("a completion before the end of a kernel")
        for at, statement in enumerate(self.body):
            self.statement(statement)
            for name in self.ending.get(at, ()):
                if name not in self.kept and name in self.names:
                    self.registers.give(self.names[name])
        self._store_outputs()
        for completion in completions:
            match completion.call:
                case Call("nsd_hold", (Integer(size), ArrayEntry("out", (Integer(k),)))) if (
                    2 * size**2 == self.outputs[k]
                ):
                    self.emit("hold", k, size)
                case _:
                    raise Unreadable("a completion of an output of another size")
        self.emit("end")
        self.pair()
        assert all(isinstance(word, int) for word in self.code)
        return MachineProgram(tuple(self.code), tuple(self.constants), self.registers.count)  # type: ignore[arg-type]

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

    # -- jumps -----------------------------------------------------------------------------------

    def jump(self, operation: str, label: _JumpTarget, *operands: Register) -> None:
        """An operation whose last operand is a label."""
        if self.counters:
            raise Unreadable("a choice in a loop")
        self.emit(operation, *operands, 0)
        label.mentioned.append(len(self.code) - 1)

    def bind(self, label: _JumpTarget) -> None:
        """The label is here."""
        self.load_at = -1
        for at in label.mentioned:
            self.code[at] = len(self.code)

    # -- statements ------------------------------------------------------------------------------

    def statement(self, statement: Statement) -> None:
        """The code of one statement; declarations only note where what they declare lies."""
        match statement:
            case Assign(Name(name), value, operator="="):
                self.assign(name, value)
            case Assign(Name(name) as total, value, operator=operator):
                register = self.names[name] if name in self.names else self.unknown(name)
                self.sum([("+", total), (operator[0], value)], register)
            case Assign(ArrayEntry() as target, value):
                self.put(target, value)
            case If(arms):
                self.choice(arms)
            case For():
                self.loop(statement)
            case Array(name=name, size=size):
                self.arrays[name] = (self.registers.block(size), size)
            case View(name=name, number=number):
                self.views[name] = number
            case Table(name=name, values=values) if statement.of_doubles:
                first = self.registers.block(len(values))
                self.arrays[name] = first, len(values)
                for k, number_ in enumerate(values):
                    self.value(signed(number_), first + k)
            case Table(name=name, values=values):
                self.tables[name] = values  # type: ignore[assignment]

    def assign(self, name: str, tree: Expression) -> None:
        """A name has a value from here on; the register of an output where that is what becomes of it."""
        if name in CONSTANTS or name in self.counters:
            raise Unreadable(f"{name!r} is assigned")
        if name not in self.names:
            k, j = self.results.get(name, (-1, 0))
            self.names[name] = self.first_of_output[k] + j if k >= 0 else self.registers.take()
        self.value(tree, self.names[name])

    def put(self, target: ArrayEntry, value: Expression) -> None:
        """Store into an output (known when the code is, so that its entries are stored at once) or into an array."""
        match target:
            case ArrayEntry("out", (Integer(k), index)) if k < len(self.outputs):
                if self.choices:
                    raise Unreadable("an output that is stored where not every evaluation comes")
                entry = place(index, self.counters, self.tables)
                register = replace(entry, base=self.first_of_output[k]).word
                if not (isinstance(value, Name) and self.names.get(value.text) == register):
                    self.value(value, register)
                if self.counters:
                    self.code.append(Stored(k, entry.word))
                elif (k, entry.at(())) in self.stored:
                    raise Unreadable("an entry of an output that is stored twice")
                else:
                    self.stored.add((k, entry.at(())))
            case ArrayEntry(array, (index,)) if array in self.arrays:
                self.value(value, place(index, self.counters, self.tables, self.arrays[array][0]).word)
            case _:
                raise Unreadable("a place where no value can be stored")

    def choice(self, arms: Sequence[Arm]) -> None:
        """The first arm whose condition holds; the last may have none."""
        self.choices += 1
        done = _JumpTarget()
        for number, arm in enumerate(arms):
            otherwise = _JumpTarget()
            if arm.condition is not None:
                self.go(arm.condition, otherwise, on=False)
            for statement in arm.statements:
                self.statement(statement)
            if number + 1 < len(arms):
                self.jump("jump", done)
            self.bind(otherwise)
        self.bind(done)
        self.choices -= 1

    def loop(self, loop: For) -> None:
        """The loop written out; one inside others is when they are."""
        if loop.name in self.counters:
            raise Unreadable(f"the loop over {loop.name!r} inside one over {loop.name!r}")
        if not self.counters:
            self.load_whole(
                name for inner in flat([loop]) if isinstance(inner, Assign) for name in read_names(*expressions(inner))
            )
        first, end = (place(tree, self.counters, self.tables).word for tree in (loop.first, loop.end))
        counter = self.counters[loop.name] = len(self.counters)
        outer, self.code = self.code, []
        for statement in loop.statements:
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

    def go(self, tree: Expression, label: _JumpTarget, *, on: bool) -> None:
        """Go on at the label where the condition is ``on``, else with what follows."""
        match tree:
            case Comparison(word, left, right):
                a, b = self.value(left), self.value(right)
                if word == "!=":
                    word, on = "==", not on
                name, turned = _COMPARED[word]
                self.jump(f"{'if' if on else 'unless'}_{name}", label, *((b, a) if turned else (a, b)))
                self.registers.used(a, b)
            case Logic("not", (inner,)):
                self.go(inner, label, on=not on)
            case Logic(word, (*parts, last)):
                past = _JumpTarget()
                for part in parts:
                    self.go(part, label if (word == "or") == on else past, on=word == "or")
                self.go(last, label, on=on)
                self.bind(past)
            case _ if tree in _TRUE or tree in _FALSE:
                if (tree in _TRUE) == on:
                    self.jump("jump", label)
            case _:
                raise Unreadable("a condition that is none")
