"""Kernels with thousands of equal operations as loops, over tables of places where these follow no rule.

Input: the outputs of a kernel. Output: its body as statements, or ``None`` where loops would not make it shorter: then
:mod:`nsdgen.emit.lower` writes every operation out. Numbers of matrices are entries of the parameters that a
loop reads; which entries these are, the pattern, is part of the text.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from nsdgen.base.names import free_name, is_reserved, mangle
from nsdgen.derive.kernel import Kernel
from nsdgen.emit.expression_graph import CompactGraph
from nsdgen.emit.forms import Data, Form, Forms, find_forms
from nsdgen.emit.indices import Loop, Run
from nsdgen.emit.printer import leaf
from nsdgen.emit.translate import Translator
from nsdgen.emit.tree import (
    Array,
    ArrayEntry,
    Assign,
    Call,
    Expression,
    For,
    Integer,
    KernelBody,
    Name,
    Number,
    Place,
    Statement,
    Table,
    View,
    blocks,
    negated,
    product,
    total,
    walk,
)
from nsdgen.errors import EmissionError

LEAST = 200
"""Entries read and written from which on loops are looked for."""

_FEWER = 6  # at least so many times fewer statements than operations
_WIDE = 8  # entries of an array whose entries have no name of their own in loops
_SPELT = 3  # terms of a group that are written one by one,
_REGULAR = 9  # and where no table is needed for it
_FEW = 2000  # operations up to which reading places from tables costs more time than writing out saves the compiler
_SHAPES = 4  # at most so many numbers of terms get a loop of their own


def roll(
    kernel: Kernel,
    names: Mapping[sp.Symbol, str],
    like: Translator | None = None,
    *,
    taken: Collection[str] = (),
    least: int = LEAST,
) -> KernelBody | None:
    """The kernel as loops; ``names`` are those of its symbols, ``like`` has read its expressions before.

    ``taken`` are names that it must not declare, ``least`` is the number of entries from which on loops are looked for.
    """
    used = sum(len(out.entries) for out in kernel.outputs) + sum(len(array.symbols) for array in kernel.inputs)
    if used < least:
        return None
    texts = {s: f"in_[{i}][{j}]" for i, array in enumerate(kernel.inputs) for j, s in enumerate(array.symbols)}
    expressions = [e for out in kernel.outputs for _, _, e in out.entries]
    translator = Translator(expressions, texts, like=like)
    wide = {s: k for k, array in enumerate(kernel.inputs) if len(array.symbols) >= _WIDE for s in array.symbols}
    if 2 * translator.forms(wide) > max(translator.size, len(expressions)):  # far from as few as loops need
        return None
    try:
        roots = [translator.translate(e) for e in expressions]
    except EmissionError:
        return None  # writing it out says where
    program = translator.graph.compact(roots)
    return _LoopsWriter(kernel, names, program, taken).run(few=least < LEAST)


class _LoopsWriter:
    """Writes one kernel."""

    def __init__(
        self, kernel: Kernel, names: Mapping[sp.Symbol, str], program: CompactGraph, taken: Collection[str]
    ) -> None:
        self.kernel, self.program = kernel, program
        self.taken = {"in_", "out", *names.values(), *taken}
        self.arrays = [self._free(mangle(array.name)) for array in kernel.inputs]
        places = [
            (f"in_[{i}][{j}]", i, j, names[s])
            for i, array in enumerate(kernel.inputs)
            for j, s in enumerate(array.symbols)
        ]
        wide = [len(array.symbols) >= _WIDE for array in kernel.inputs]
        self.entries = {text: (i, j) for text, i, j, _ in places if wide[i]}
        self.scalars = {text: (i, j, name) for text, i, j, name in places if not wide[i]}
        self.loaded: dict[str, ArrayEntry] = {}
        self.used: dict[int, None] = {}
        self.tables: list[Statement] = []
        self.known: dict[tuple[int, ...], str] = {}
        self.body: list[Statement] = []
        self.of_shared: dict[int, str] = {}
        self.turning: dict[tuple[int, Expression], int] = {}  # passes and angle -> where their loop is
        self.statements = self.operations = self.numbered = 0

    def run(self, few: bool) -> KernelBody | None:
        """The statements, ``None`` where they are hardly fewer than the operations, or slower unless few are wanted."""
        forms = find_forms(self.program, self.entries)
        most = max(len(self.program.nodes), len(self.program.roots)) // _FEWER
        if forms is None or len(forms.table) > most:
            return None
        self.forms: Forms = forms
        for number in sorted(forms.shared):
            self._shared(number, forms.shared[number])
        start = 0
        for k, out in enumerate(self.kernel.outputs):
            first, count = len(self.body), len(out.entries)
            self._output(k, forms.roots[start : start + count])
            self.body[first:] = [replace(s, group=f"{out.name} {out.rows}x{out.cols}") for s in self.body[first:]]
            start += count
        if self.statements > most or (not few and self._is_all_places()):
            return None
        heads = [View(self.arrays[i], i) for i in sorted(self.used)]
        loads = [Assign(Name(name), entry, declared="const double") for name, entry in self.loaded.items()]
        return KernelBody((*heads, *loads, *self.tables, *self.body), (), self.operations)

    def _is_all_places(self) -> bool:
        """Whether places read from tables are half as many as operations, of which there are few: M of a pendulum of 16
        links takes 1.6 times as long so as written out."""
        return self.operations < _FEW and 2 * sum(map(len, self.known)) > self.operations

    # -- what is computed ---------------------------------------------------------------------

    def _shared(self, number: int, values: list[Data]) -> None:
        """An array of shared values of one form, or one value with a name."""
        label = self.forms.labels.get(number)
        name = self._temporary() if label is None else self._free(mangle(_stem(label)))
        self.of_shared[number] = name
        if len(values) == 1:
            self._single(Name(name), number, values[0], "const double")
            return
        if self._turns_along(name, number, values):
            self.tables.append(Array(name, len(values)))
            return
        self.body.append(Array(name, len(values)))
        self._loops(name, (), list(range(len(values))), number, values)

    def _turns_along(self, name: str, number: int, values: Sequence[Data]) -> bool:
        """Put sines of entries into the loop that takes the cosines of the same ones, or the other way round.

        Compilers make one call of both where they stand together. What reads shared values stays behind them.
        """
        if not self._reads_entries_only(number):
            return False
        passes = Loop(self._free(Loop("", 1).letter, keep=False), len(values))
        before, value, count = self._value(number, values, passes)
        turned = (e.arguments[0] for e in walk(value) if isinstance(e, Call) and e.function in ("sin", "cos"))
        angle = next(turned, None)
        if angle is None or before:
            return False
        place = self.turning.setdefault((passes.total, angle), len(self.body) + 1)  # behind its declaration
        loop = self.body[place] if place < len(self.body) else None
        if not isinstance(loop, For) or (loop.name, loop.end) != (passes.name, Integer(len(values))):
            return False
        one = Assign(ArrayEntry(name, (Name(passes.name),)), value)
        self.body[place] = replace(loop, statements=(one, *loop.statements))
        self.operations += count
        self.statements += 1
        return True

    def _reads_entries_only(self, number: int) -> bool:
        """Whether a form is made of entries of the kernel's arrays by products and functions alone."""
        form = self.forms.table[number]
        return form.kind not in ("shared", "sum") and all(map(self._reads_entries_only, form.parts))

    def _output(self, k: int, roots: Sequence[tuple[int, Data]]) -> None:
        """The stores of one output, one loop for each form of its entries."""
        of_form: dict[int, list[int]] = {}
        for place, (number, _) in enumerate(roots):
            of_form.setdefault(number, []).append(place)
        for number, places in of_form.items():
            self._loops("out", (Integer(k),), places, number, [roots[place][1] for place in places])

    def _loops(
        self, array: str, index: tuple[Integer, ...], places: list[int], number: int, values: Sequence[Data]
    ) -> None:
        """Values of one form into these places of an array: one loop, or one for each number of terms."""
        shapes: dict[Any, list[int]] = {}
        for i, data in enumerate(values):
            shapes.setdefault(_shape(data), []).append(i)
        parts = list(shapes.values()) if len(shapes) <= _SHAPES else [list(range(len(values)))]
        for part in parts:
            if len(part) == 1:
                self._single(ArrayEntry(array, (*index, Integer(places[part[0]]))), number, values[part[0]])
                continue
            passes = Loop(self._free(Loop("", 1).letter, keep=False), len(part))
            before, value, count = self._value(number, [values[i] for i in part], passes)
            self.operations += count
            to = self._place(passes.every([places[i] for i in part]))
            self.body.append(
                For(
                    passes.name,
                    Integer(0),
                    Integer(len(part)),
                    (*before, Assign(ArrayEntry(array, (*index, to)), value)),
                )
            )
            self.statements += 2 + _lines(before)

    def _single(self, target: Place, number: int, data: Data, declared: str = "") -> None:
        before, value, count = self._value(number, [data], Loop("", 1))
        self.operations += count
        self.body += [*before, Assign(target, value, declared=declared)]
        self.statements += 1 + _lines(before)

    # -- values -------------------------------------------------------------------------------

    def _value(self, number: int, values: Sequence[Data], passes: Loop) -> tuple[list[Statement], Expression, int]:
        """Statements that go before, the value, and all operations of the loop."""
        before: list[Statement] = []
        columns = [
            passes.every(list(column)) if column and isinstance(column[0], int) else list(column)
            for column in zip(*values, strict=True)
        ]
        value, count, rest = self._expression(number, columns, passes, before)
        assert not rest
        return before, value, count

    def _expression(
        self, number: int, columns: list[Any], passes: Loop, before: list[Statement]
    ) -> tuple[Expression, int, list[Any]]:
        """A value of a form, its operations, and the columns that are left."""
        form = self.forms.table[number]
        match form.kind:
            case "const":
                return self._constant(form.text), 0, columns
            case "load" | "shared":
                return self._entry(form, columns[0]), 0, columns[1:]
            case "negation":
                value, count, rest = self._expression(form.parts[0], columns, passes, before)
                return negated(value), count + passes.total, rest
            case "sum":
                return self._sum(form, columns, passes, before)
        parts: list[Expression] = []
        count, rest = 0, columns
        for part in form.parts:
            value, more, rest = self._expression(part, rest, passes, before)
            parts.append(value)
            count += more
        if form.kind == "call":
            return Call(form.text, tuple(parts)), count + passes.total, rest
        over, under = (
            [("*", value) for value, sign in zip(parts, form.signs, strict=True) if sign == operator]
            for operator in "*/"
        )
        top = product(over)
        value = product([("*", top), ("/", product(under))]) if under else top
        return value, count + (len(parts) - 1) * passes.total, rest

    def _sum(
        self, form: Form, columns: list[Any], passes: Loop, before: list[Statement]
    ) -> tuple[Expression, int, list[Any]]:
        """A sum: groups of few terms are spelt out, longer ones are loops of their own before it."""
        groups, rest = columns[: len(form.parts)], columns[len(form.parts) :]
        spelt: list[tuple[str, Expression]] = []
        loops: list[tuple[str, int, list[list[Data]]]] = []
        count = -passes.total
        for number, sign, group in zip(form.parts, form.signs, groups, strict=True):
            sizes = {len(terms) for terms in group}
            largest = _SPELT if len(sizes) > 1 or not _regular(group, passes) else _REGULAR
            if len(sizes) > 1 or max(sizes) > largest:
                loops.append((sign, number, group))
                continue
            for i in range(sizes.pop()):
                first, value, more = self._value(number, [terms[i] for terms in group], passes)
                before += first
                count += more + passes.total
                spelt.append((sign, value))
        spelt.sort(key=lambda term: term[0] == "-")
        value = total(spelt) if spelt else Number(0.0)
        if not loops:
            return value, count, rest
        name = Name(self._temporary())
        before.append(Assign(name, value, declared="double"))
        for sign, number, group in loops:
            count += self._inner(name, sign, number, group, passes, before)
        return name, count, rest

    def _inner(
        self, name: Name, sign: str, number: int, group: Sequence[Sequence[Data]], passes: Loop, before: list[Statement]
    ) -> int:
        """The loop over the terms of a group, a few for each value of the outer loop."""
        inner = passes.within(self._free(passes.letter, keep=False), [len(terms) for terms in group])
        first, value, count = self._value(number, [data for terms in group for data in terms], inner)
        begin: Expression = Integer(0)
        end: Expression = Integer(inner.width)
        if not inner.width:
            starts, at = self._table(inner.starts()), passes.flat()
            begin, end = ArrayEntry(starts, (at,)), ArrayEntry(starts, (total([("+", at), ("+", Integer(1))]),))
        before.append(For(inner.name, begin, end, (*first, Assign(name, value, operator=f"{sign}="))))
        return count + inner.total

    def _constant(self, text: str) -> Expression:
        if text not in self.scalars:
            return leaf(text)
        i, j, name = self.scalars[text]
        self.loaded[name] = ArrayEntry("in_", (Integer(i), Integer(j)))
        return Name(name)

    def _entry(self, form: Form, column: Run) -> Expression:
        if form.kind == "shared":
            name = self.of_shared[int(form.text)]
            single = len(self.forms.shared[int(form.text)]) == 1
            return Name(name) if single else ArrayEntry(name, (self._place(column),))
        self.used[int(form.text)] = None
        return ArrayEntry(self.arrays[int(form.text)], (self._place(column),))

    def _place(self, column: Run) -> Expression:
        """The place in an array as a rule, or as an entry of a table."""
        rule = column.rule()
        return rule if rule is not None else ArrayEntry(self._table(column.values), (column.loop.flat(),))

    def _table(self, values: Sequence[int]) -> str:
        key = tuple(values)
        if key not in self.known:
            self.known[key] = self._free(f"place{len(self.known)}")
            self.tables.append(Table(self.known[key], key))
        return self.known[key]

    def _temporary(self) -> str:
        while True:
            name = f"x{self.numbered}"
            self.numbered += 1
            if name not in self.taken and not is_reserved(name):
                self.taken.add(name)
                return name

    def _free(self, wanted: str, *, keep: bool = True) -> str:
        name = free_name(wanted, self.taken)
        if keep:
            self.taken.add(name)
        return name


def _lines(statements: Iterable[Statement]) -> int:
    """How many lines statements take, with the ends of loops."""
    return sum(1 + sum(1 + _lines(block) for block in blocks(s)) for s in statements)


def _shape(data: Data) -> Any:
    """How many terms the groups of data have."""
    return tuple((len(part), tuple(map(_shape, part))) for part in data if isinstance(part, tuple))


def _regular(group: Sequence[Sequence[Data]], passes: Loop) -> bool:
    """Whether the places of each term of a group follow a rule, all passes having as many terms."""
    columns = [column for terms in zip(*group, strict=True) for column in zip(*terms, strict=True)]
    return all(isinstance(column[0], int) and passes.every(column).rule() is not None for column in columns)


def _stem(label: str) -> str:
    """``v_theta`` for ``v[3]_theta``."""
    name, _, rest = label.partition("[")
    return name + rest.partition("]")[2]
