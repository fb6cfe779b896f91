"""Kernels with thousands of equal operations as loops in C, over tables of places where these follow no rule.

Input: the outputs of a kernel. Output: the lines of its body, or ``None`` where loops would not make it shorter: then
:mod:`nsdgen.emit.lower` writes every operation out. Numbers of matrices are entries of the parameters that a
loop reads; which entries these are, the pattern, is part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.base.names import is_reserved, mangle
from nsdgen.derive.kernel import Kernel
from nsdgen.emit.expression_graph import Program
from nsdgen.emit.forms import Data, Form, Forms, find_forms
from nsdgen.emit.indices import Loop, Run
from nsdgen.emit.statements import assignment
from nsdgen.emit.translate import Translator
from nsdgen.errors import EmissionError

__all__ = ["Rolled", "roll"]

LEAST = 200
"""Entries read and written from which on loops are looked for."""

_FEWER = 6  # at least so many times fewer statements than operations
_WIDE = 8  # entries of an array whose entries have no name of their own in loops
_SPELT = 3  # terms of a group that are written one by one,
_REGULAR = 9  # and where no table is needed for it
_FEW = 2000  # operations up to which reading places from tables costs more time than writing out saves the compiler
_SHAPES = 4  # at most so many numbers of terms get a loop of their own


@dataclass
class Rolled:
    """The body of a kernel in C: declarations of tables and arrays, then loops; and its operations."""

    lines: list[str] = field(default_factory=list)
    operations: int = 0


def roll(kernel: Kernel, names: Mapping[sp.Symbol, str]) -> Rolled | None:
    """The kernel as loops; ``names`` are those of its symbols."""
    used = sum(len(out.entries) for out in kernel.outputs) + sum(len(array.symbols) for array in kernel.inputs)
    if used < LEAST:
        return None
    texts = {s: f"in_[{i}][{j}]" for i, array in enumerate(kernel.inputs) for j, s in enumerate(array.symbols)}
    expressions = [e for out in kernel.outputs for _, _, e in out.entries]
    translator = Translator(expressions, texts)
    try:
        roots = [translator.translate(e) for e in expressions]
    except EmissionError:
        return None  # writing it out says where
    program = translator.graph.compact(roots)
    return _Writer(kernel, names, program).run()


class _Writer:
    """Writes one kernel."""

    def __init__(self, kernel: Kernel, names: Mapping[sp.Symbol, str], program: Program) -> None:
        self.kernel, self.program = kernel, program
        self.taken = {"in_", "out", *names.values()}
        self.arrays = [self._free(mangle(array.name)) for array in kernel.inputs]
        places = [(f"in_[{i}][{j}]", i, j, names[s]) for i, array in enumerate(kernel.inputs)
                  for j, s in enumerate(array.symbols)]
        wide = [len(array.symbols) >= _WIDE for array in kernel.inputs]
        self.entries = {text: (i, j) for text, i, j, _ in places if wide[i]}
        self.scalars = {text: (i, j, name) for text, i, j, name in places if not wide[i]}
        self.loaded: dict[str, str] = {}
        self.used: dict[int, None] = {}
        self.tables: list[str] = []
        self.known: dict[tuple[int, ...], str] = {}
        self.body: list[str] = []
        self.of_shared: dict[int, str] = {}
        self.turning: dict[tuple[int, str], int] = {}  # passes and angle -> where in the body a loop over it begins
        self.statements = self.operations = self.numbered = 0

    def run(self) -> Rolled | None:
        """The lines, ``None`` where they are hardly fewer than the operations."""
        forms = find_forms(self.program, self.entries)
        most = max(len(self.program.nodes), len(self.program.roots)) // _FEWER
        if forms is None or len(forms.table) > most:
            return None
        self.forms: Forms = forms
        for number in sorted(forms.shared):
            self._shared(number, forms.shared[number])
        start = 0
        for k, out in enumerate(self.kernel.outputs):
            count = len(out.entries)
            self.body.append(f"/* {out.name} {out.rows}x{out.cols} */")
            self._output(k, forms.roots[start:start + count])
            start += count
        if self.statements > most or self._is_all_places():
            return None
        heads = [f"const double *const {self.arrays[i]} = in_[{i}];" for i in sorted(self.used)]
        loads = [f"const double {name} = {place};" for name, place in self.loaded.items()]
        return Rolled([f"    {line}" for line in (*heads, *loads, *self.tables, *self.body)], self.operations)

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
            self._single(f"const double {name}", number, values[0])
            return
        declaration = f"double {name}[{len(values)}];"
        if self._turns_along(name, number, values):
            self.tables.append(declaration)
            return
        self.body.append(declaration)
        self._loops(name, list(range(len(values))), number, values)

    def _turns_along(self, name: str, number: int, values: Sequence[Data]) -> bool:
        """Put sines of entries into the loop that takes the cosines of the same ones, or the other way round.

        Compilers make one call of both where they stand together. What reads shared values stays behind them.
        """
        if not self._reads_entries_only(number):
            return False
        loop = Loop(self._free(Loop("", 1).letter, keep=False), len(values))
        before, text, count = self._value(number, values, loop, "    ")
        angle = re.search(r"\b(?:sin|cos)\(([^()]*)\)", text)
        if angle is None or before:
            return False
        key = loop.total, angle[1]
        if key not in self.turning:
            self.turning[key] = len(self.body) + 1  # behind the declaration that comes next
            return False
        head = f"for (int {loop.name} = 0; {loop.name} < {len(values)}; {loop.name}++) {{"
        place = self.turning[key]
        if place >= len(self.body) or self.body[place] != head:
            return False
        lines = assignment(f"    {name}[{loop.name}] = ", text, ";")
        self.body[place + 1:place + 1] = lines
        self.turning.update({k: at + len(lines) for k, at in self.turning.items() if at > place})
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
            self._loops(f"out[{k}]", places, number, [roots[place][1] for place in places])

    def _loops(self, target: str, places: list[int], number: int, values: Sequence[Data]) -> None:
        """Values of one form into these places of the target: one loop, or one for each number of terms."""
        shapes: dict[Any, list[int]] = {}
        for i, data in enumerate(values):
            shapes.setdefault(_shape(data), []).append(i)
        parts = list(shapes.values()) if len(shapes) <= _SHAPES else [list(range(len(values)))]
        for part in parts:
            if len(part) == 1:
                self._single(f"{target}[{places[part[0]]}]", number, values[part[0]])
                continue
            loop = Loop(self._free(Loop("", 1).letter, keep=False), len(part))
            before, text, count = self._value(number, [values[i] for i in part], loop, "    ")
            self.operations += count
            to = self._place(loop.every([places[i] for i in part]))
            self.body += [f"for (int {loop.name} = 0; {loop.name} < {len(part)}; {loop.name}++) {{", *before,
                          *assignment(f"    {target}[{to}] = ", text, ";"), "}"]
            self.statements += 2 + len(before)

    def _single(self, target: str, number: int, data: Data) -> None:
        before, text, count = self._value(number, [data], Loop("", 1), "")
        self.operations += count
        self.body += [*before, *assignment(f"{target} = ", text, ";")]
        self.statements += 1 + len(before)

    # -- text -----------------------------------------------------------------------------------

    def _value(self, number: int, values: Sequence[Data], loop: Loop, space: str) -> tuple[list[str], str, int]:
        """Statements that go before, the text of the value, and all operations of the loop."""
        before: list[str] = []
        columns = [loop.every(list(column)) if column and isinstance(column[0], int) else list(column)
                   for column in zip(*values, strict=True)]
        text, _, count, rest = self._text(number, columns, loop, before, space)
        assert not rest
        return before, text, count

    def _text(self, number: int, columns: list[Any], loop: Loop, before: list[str],
              space: str) -> tuple[str, int, int, list[Any]]:
        """Text, how tightly it binds (1 sum, 2 product, 3 atom), operations, and the columns that are left."""
        form = self.forms.table[number]
        match form.kind:
            case "const":
                return self._constant(form.text), 3, 0, columns
            case "load" | "shared":
                return self._entry(form, columns[0]), 3, 0, columns[1:]
            case "negation":
                text, level, count, rest = self._text(form.parts[0], columns, loop, before, space)
                return f"-{_in(text, level, 2)}", 2, count + loop.total, rest
            case "sum":
                return self._sum(form, columns, loop, before, space)
        texts, count, rest = [], 0, columns
        for part in form.parts:
            text, level, more, rest = self._text(part, rest, loop, before, space)
            texts.append((text, level))
            count += more
        if form.kind == "call":
            return f"{form.text}({', '.join(text for text, _ in texts)})", 3, count + loop.total, rest
        count += (len(texts) - 1) * loop.total
        over = [_in(*part, 2 if i == 0 else 3) for i, part in enumerate(texts) if form.signs[i] == "*"]
        under = [_in(*part, 3) for i, part in enumerate(texts) if form.signs[i] == "/"]
        bar = f"/{under[0]}" if len(under) == 1 else f"/({'*'.join(under)})" if under else ""
        return "*".join(over) + bar, 2, count, rest

    def _sum(self, form: Form, columns: list[Any], loop: Loop, before: list[str],
             space: str) -> tuple[str, int, int, list[Any]]:
        """A sum: groups of few terms are spelt out, longer ones are loops of their own before it."""
        groups, rest = columns[:len(form.parts)], columns[len(form.parts):]
        spelt: list[str] = []
        loops: list[tuple[str, str, int, list[list[Data]]]] = []
        count = -loop.total
        for number, sign, group in zip(form.parts, form.signs, groups, strict=True):
            sizes = {len(terms) for terms in group}
            largest = _SPELT if len(sizes) > 1 or not _regular(group, loop) else _REGULAR
            if len(sizes) > 1 or max(sizes) > largest:
                loops.append((sign, "", number, group))
                continue
            for i in range(sizes.pop()):
                inner = [terms[i] for terms in group]
                first, text, more = self._value_at(number, inner, loop, space)
                before += first
                count += more + loop.total
                spelt.append(f" {sign} {text}")
        spelt.sort(key=lambda term: term[1] == "-")
        text = "".join(spelt)
        text = text[3:] if text.startswith(" + ") else f"-{text[3:]}" if text else "0.0"
        if not loops:
            return text, 1, count, rest
        name = self._temporary()
        before.append(f"{space}double {name} = {text};")
        for sign, _, number, group in loops:
            count += self._inner(name, sign, number, group, loop, before, space)
        return name, 3, count, rest

    def _value_at(self, number: int, values: Sequence[Data], loop: Loop, space: str) -> tuple[list[str], str, int]:
        """As :meth:`_value`, as a term of a sum."""
        before: list[str] = []
        columns = [loop.every(list(c)) if c and isinstance(c[0], int) else list(c) for c in zip(*values, strict=True)]
        text, level, count, _ = self._text(number, columns, loop, before, space)
        return before, _in(text, level, 2), count

    def _inner(self, name: str, sign: str, number: int, group: Sequence[Sequence[Data]], loop: Loop,
               before: list[str], space: str) -> int:
        """The loop over the terms of a group, a few for each value of the outer loop."""
        sizes = [len(terms) for terms in group]
        inner = loop.within(self._free(loop.letter, keep=False), sizes)
        first, text, count = self._value_at(number, [data for terms in group for data in terms], inner, space + "    ")
        i = inner.name
        if inner.width:
            head = f"for (int {i} = 0; {i} < {inner.width}; {i}++)"
        else:
            starts = self._table(inner.starts())
            at = loop.flat()
            head = f"for (int {i} = {starts}[{at}]; {i} < {starts}[{at} + 1]; {i}++)"
        before += [f"{space}{head} {{", *first, f"{space}    {name} {sign}= {text};", f"{space}}}"]
        return count + inner.total

    def _constant(self, text: str) -> str:
        if text not in self.scalars:
            return text
        i, j, name = self.scalars[text]
        self.loaded[name] = f"in_[{i}][{j}]"
        return name

    def _entry(self, form: Form, column: Run) -> str:
        if form.kind == "shared":
            name = self.of_shared[int(form.text)]
            single = len(self.forms.shared[int(form.text)]) == 1
            return name if single else f"{name}[{self._place(column)}]"
        self.used[int(form.text)] = None
        return f"{self.arrays[int(form.text)]}[{self._place(column)}]"

    def _place(self, column: Run) -> str:
        """The place in an array as a rule, or as an entry of a table."""
        rule = column.rule()
        return rule if rule is not None else f"{self._table(column.values)}[{column.loop.flat()}]"

    def _table(self, values: Sequence[int]) -> str:
        key = tuple(values)
        if key not in self.known:
            self.known[key] = name = self._free(f"place{len(self.known)}")
            lines, row = [], f"static const int {name}[{len(key)}] = {{"
            for value in key:
                if len(row) > 110:
                    lines.append(row)
                    row = "   "
                row += f" {value},"
            self.tables += [*lines, f"{row.rstrip(',')} }};"]
        return self.known[key]

    def _temporary(self) -> str:
        while True:
            name = f"x{self.numbered}"
            self.numbered += 1
            if name not in self.taken and not is_reserved(name):
                self.taken.add(name)
                return name

    def _free(self, wanted: str, *, keep: bool = True) -> str:
        name, count = wanted, 1
        while name in self.taken or is_reserved(name):
            count += 1
            name = f"{wanted}_{count}"
        if keep:
            self.taken.add(name)
        return name


def _in(text: str, level: int, needed: int) -> str:
    return text if level >= needed else f"({text})"


def _shape(data: Data) -> Any:
    """How many terms the groups of data have."""
    return tuple((len(part), tuple(map(_shape, part))) for part in data if isinstance(part, tuple))


def _regular(group: Sequence[Sequence[Data]], loop: Loop) -> bool:
    """Whether the places of each term of a group follow a rule, all passes having as many terms."""
    columns = [column for terms in zip(*group, strict=True) for column in zip(*terms, strict=True)]
    return all(isinstance(column[0], int) and loop.every(column).rule() is not None for column in columns)


def _stem(label: str) -> str:
    """``v_theta`` for ``v[3]_theta``."""
    return re.sub(r"\[\d+\]", "", label)
