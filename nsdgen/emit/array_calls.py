"""Kernels that call functions over arrays: arguments into arrays, the loops, then what is made of their results.

Input: a kernel with entries of calls (:mod:`nsdgen.symbolic.graph.array_function`) in its expressions. Output: one body
in C. Calls whose arguments and loops are the same run these once, for all that is read of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import gcd

import sympy as sp

from nsdgen.abi import Quantity
from nsdgen.base.names import free_name, mangle
from nsdgen.derive.kernel import Input, Kernel, Output
from nsdgen.emit.identifiers import identifiers
from nsdgen.emit.indices import Loop
from nsdgen.emit.loops import roll
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.tree import (
    Array,
    ArrayEntry,
    Assign,
    Expression,
    For,
    Integer,
    KernelBody,
    Name,
    Statement,
    Table,
    View,
    flat,
    product,
    rewritten,
    total,
)
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.array_function import ArrayFunction, Pass, needed
from nsdgen.symbolic.graph.computed import Computed, computed
from nsdgen.symbolic.graph.node import Node, add, leaf
from nsdgen.symbolic.graph.sympy_graph import in_operations, to_sympy


@dataclass
class _Evaluation:
    """Loops over these arguments, and the symbols of the results that are read."""

    function: ArrayFunction
    arguments: tuple[Node, ...]
    results: dict[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)


def with_calls(kernel: Kernel) -> KernelBody | None:
    """The body of a kernel that calls functions over arrays; None where it calls none."""
    values = [e for out in kernel.outputs for _, _, e in out.entries]
    found = [e for e in below(values, lambda e: e.args) if isinstance(e, Computed)]
    calls: dict[tuple[int, tuple[Node, ...]], _Evaluation] = {}

    def entries(call: Node) -> list[Node]:
        function: ArrayFunction = call.func
        known = calls.setdefault((id(function.passes), call.args), _Evaluation(function, call.args))
        if function.result not in known.results:
            number = list(calls).index((id(function.passes), call.args))
            symbols = (own_symbol("loops", f"{function.result}{number}_{k}") for k in range(function.size))
            known.results[function.result] = tuple(symbols)
        return [leaf(s) for s in known.results[function.result]]

    nodes = in_operations([e.node for e in found], entries)
    if not calls:
        return None
    rule = {e: computed(node) for e, node in zip(found, nodes, strict=True) if node is not e.node}
    outputs = tuple(
        replace(out, entries=tuple((i, j, e.xreplace(rule)) for i, j, e in out.entries)) for out in kernel.outputs
    )
    return _CallsWriter(replace(kernel, outputs=outputs), list(calls.values())).run()


class _CallsWriter:
    """Writes one kernel."""

    def __init__(self, kernel: Kernel, calls: Sequence[_Evaluation]) -> None:
        self.kernel, self.calls, self.given = kernel, calls, len(kernel.inputs)
        results = [
            Input(name, kernel.inputs[0].role, symbols) for call in calls for name, symbols in call.results.items()
        ]
        self.inputs = (*kernel.inputs, *results)
        self.names = identifiers(self.inputs)
        self.taken = {"in_", "out", *self.names.values()}
        self.arrays: list[str] = []  # of results, in the order of the inputs they become
        self.heads: dict[Statement, None] = {}
        self.tables: dict[tuple[str, tuple[float, ...]], str] = {}
        self.loaded: set[str] = set()
        self.body: list[Statement] = []
        self.temporaries: dict[str, None] = {}
        self.operations = 0

    def run(self) -> KernelBody:
        """All calls, then the outputs."""
        for call in self.calls:
            self._call(call)
        self._outputs(self.kernel.outputs, [ArrayEntry("out", (Integer(k),)) for k in range(len(self.kernel.outputs))])
        tables = [Table(name, values) for (_, values), name in self.tables.items()]
        return KernelBody((*self.heads, *tables, *self.body), tuple(self.temporaries), self.operations)

    def _call(self, call: _Evaluation) -> None:
        """Arguments, and the loops that the results need."""
        function = call.function
        passes, live = needed(function.passes, call.results)
        arrays = {name: self._free(f"{name}_all") for name, _ in (*function.inputs, *function.arrays)}
        given, outputs = list(call.arguments), []
        for name, size in function.inputs:
            entries = tuple((k, 0, computed(value)) for k, value in enumerate(given[:size]))
            given = given[size:]
            if name in live:
                self.body.append(Array(arrays[name], size))
                outputs.append(Output(name, Quantity.PARAMETERS, size, 1, entries))
        self._outputs(outputs, [ArrayEntry(arrays[out.name], ()) for out in outputs])
        for name, values in function.constants:
            if name in live:
                arrays[name] = self._table("numbers", [float(sp.N(to_sympy(value), 17)) for value in values])
        self.body += [Array(arrays[name], size) for name, size in function.arrays if name in live]
        for body in passes:
            self._loop(body, arrays, f"{function.title}: {body.meaning}")
        self.arrays += [arrays[name] for name in call.results]

    # -- expressions over arrays ----------------------------------------------------------------

    def _outputs(self, outputs: Sequence[Output], to: Sequence[ArrayEntry]) -> None:
        """Store values: as loops where these are shorter, else one by one."""
        kernel = replace(self.kernel, inputs=self.inputs[: self.given + len(self.arrays)], outputs=tuple(outputs))
        body = roll(kernel, self.names, taken=self.taken, least=0)
        if body is None:
            body = self._one_by_one(kernel)
        self.operations += body.operations
        self.temporaries |= dict.fromkeys(body.temporaries)
        kept: list[Statement] = []
        views: dict[str, str] = {}
        for s in body.statements:
            match s:
                case View(name, number) if number >= self.given:
                    views[name] = self.arrays[number - self.given]
                case View():
                    self.heads[s] = None
                case Assign(Name(name), ArrayEntry("in_")) if name in self.loaded:
                    continue
                case _:
                    kept.append(s)
            if isinstance(s, Assign) and isinstance(s.value, ArrayEntry) and s.value.array == "in_":
                assert isinstance(s.target, Name)
                self.loaded.add(s.target.text)

        def change(e: Expression) -> Expression | None:
            match e:
                case ArrayEntry("out", (Integer(k), index)):
                    return ArrayEntry(to[k].array, (*to[k].index, index))
                case ArrayEntry("in_", (Integer(i), index)) if i >= self.given:
                    return ArrayEntry(self.arrays[i - self.given], (index,))
                case ArrayEntry(array, index) if array in views:
                    return ArrayEntry(views[array], index)
            return None

        self.body += rewritten(kept, change)
        self._take(kept)

    def _one_by_one(self, kernel: Kernel) -> KernelBody:
        """The operations of outputs written out, with what they load."""
        stored = [
            StoredValue(ArrayEntry("out", (Integer(i), Integer(k))), e, out.name, f"{out.name} ({row}, {col})")
            for i, out in enumerate(kernel.outputs)
            for k, (row, col, e) in enumerate(out.entries)
        ]
        body = lower(stored, self.names, reserved=frozenset(self.taken))
        used = {s for out in kernel.outputs for *_, e in out.entries for s in e.free_symbols}
        loads = [
            Assign(Name(self.names[s]), ArrayEntry("in_", (Integer(i), Integer(j))), declared="const double")
            for i, array in enumerate(kernel.inputs)
            for j, s in enumerate(array.symbols)
            if s in used
        ]
        return replace(body, statements=(*loads, *body.statements))

    # -- loops ----------------------------------------------------------------------------------

    def _loop(self, body: Pass, arrays: Mapping[str, str], group: str) -> None:
        """A pass as a loop, one in another where it has groups; one that is executed once as it is."""
        outer = Loop(self._free("i", keep=False) if body.count > 1 else "", max(body.count, 1))
        loop, starts = outer, body.starts
        if starts:
            sizes = tuple(b - a for a, b in pairwise(starts))
            outer = replace(outer, total=len(sizes))
            loop = Loop(self._free("j", keep=False), body.count, outer, 0, sizes)
        names = {s: self._free(mangle(s.name), keep=False) for read in body.reads for s in read.symbols}
        before: dict[sp.Symbol, ArrayEntry] = {}
        loads: dict[sp.Symbol, ArrayEntry] = {}
        for read in body.reads:
            once = bool(starts) and all(len(set(read.places[a:b])) == 1 for a, b in pairwise(starts))
            places = [read.places[a] for a in starts[:-1]] if once else read.places
            for i, symbol in enumerate(read.symbols):
                entry = ArrayEntry(arrays[read.array], (self._place(outer if once else loop, places, i),))
                (before if once else loads)[symbol] = entry
        stored = []
        for write in body.writes:
            for i, value in enumerate(write.values):
                target, sum_ = ArrayEntry(arrays[write.array], (self._place(loop, write.places, i),)), computed(value)
                if write.added:
                    known = own_symbol("loops", f"before_{write.array}_{i}")
                    loads[known], names[known] = target, self._free(f"before_{write.array}_{i}", keep=False)
                    sum_ = computed(add((leaf(known), value)))
                stored.append(StoredValue(target, sum_, "", group))
        used = frozenset().union(*(item.expression.free_symbols for item in stored))
        found = lower(stored, names, reserved=frozenset(self.taken))

        def loaded(entries: Mapping[sp.Symbol, ArrayEntry]) -> list[Statement]:
            return [Assign(Name(names[s]), e, declared="const double") for s, e in entries.items() if s in used]

        statements = [*loaded(loads), *map(_declared, found.statements)]
        if starts:
            table = self._table("at", starts)
            ends = (
                ArrayEntry(table, (Name(outer.name),)),
                ArrayEntry(table, (total([("+", Name(outer.name)), ("+", Integer(1))]),)),
            )
            statements = [*loaded(before), For(loop.name, *ends, tuple(statements))]
        self.operations += found.operations * body.count
        if outer.name:
            self.body.append(For(outer.name, Integer(0), Integer(outer.total), tuple(statements), group))
        else:
            self.body += [replace(s, group=group) for s in statements]

    def _place(self, loop: Loop, places: Sequence[int], offset: int) -> Expression:
        """A place in each pass, by a rule or from a table."""
        rule = loop.every([place + offset for place in places]).rule()
        if rule is not None:
            return rule
        width = gcd(*places)
        entry: Expression = ArrayEntry(self._table("at", [place // width for place in places]), (Name(loop.name),))
        entry = product([("*", Integer(width)), ("*", entry)]) if width > 1 else entry
        return total([("+", entry), ("+", Integer(offset))]) if offset else entry

    # -- names ----------------------------------------------------------------------------------

    def _table(self, word: str, values: Sequence[float]) -> str:
        key = word, tuple(values)
        if key not in self.tables:
            self.tables[key] = self._free(f"{word}_{len(self.tables)}")
        return self.tables[key]

    def _free(self, wanted: str, *, keep: bool = True) -> str:
        name = free_name(wanted, self.taken)
        if keep:
            self.taken.add(name)
        return name

    def _take(self, statements: Iterable[Statement]) -> None:
        """The names that statements declare are no others'."""
        for s in flat(statements):
            match s:
                case Assign(Name(name)) | Array(name) | View(name) | Table(name):
                    self.taken.add(name)


def _declared(s: Statement) -> Statement:
    """A statement of a loop, its temporaries declared where they are assigned."""
    if isinstance(s, Assign) and isinstance(s.target, Name):
        return replace(s, group="", declared="const double")
    return replace(s, group="")
