"""SymPy expressions to statements: temporaries, branches, stores.

The stages, each a file of its own:

1. ``translate``: SymPy -> a graph in which equal operations are one node
2. ``factors``:   products share the factors they have in common
3. ``scopes``:    which scope computes what, which branches are one ``if``
4. here:          names and statements, in the order of the outputs (``printer`` composes their values)

``sympy.cse`` is not used. Its canonical order differs between versions of SymPy and its
matching of common sums and products costs minutes where this takes a fraction of a second;
it knows neither branches (it would move the operands of an untaken arm in front
of the branch) nor arguments whose grouping decides ties.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from nsdgen.base.names import free_name, is_reserved, mangle
from nsdgen.emit.expression_graph import CompactGraph, Kind
from nsdgen.emit.factors import share_factors
from nsdgen.emit.printer import Composer
from nsdgen.emit.scopes import Planner, ScopePlan
from nsdgen.emit.text import CYTHON
from nsdgen.emit.translate import HELPERS, Translator
from nsdgen.emit.tree import Arm, Assign, Expression, If, KernelBody, Name, Place, Statement, operations
from nsdgen.symbolic.expressions.conversion import as_expression

SHARED = "shared"


@dataclass(frozen=True, slots=True)
class StoredValue:
    """One value a kernel stores: its place, the expression, a label, and what errors call it."""

    target: Place
    expression: sp.Expr
    group: str = ""
    where: str = ""


def lower(
    outputs: Sequence[StoredValue],
    names: Mapping[Any, str],
    *,
    reserved: frozenset[str] = frozenset(),
    like: Translator | None = None,
) -> KernelBody:
    """Statements that compute all outputs, every shared subexpression once.

    ``names`` gives the text of each symbol; no temporary takes a name that occurs in
    these texts, in a target or in ``reserved``. ``like`` has read the expressions before.
    """
    expressions = [as_expression(item.expression) for item in outputs]
    translator = Translator(expressions, names, like=like)
    roots = [
        translator.translate(expr, item.where or f"output {CYTHON.text(item.target)}")
        for expr, item in zip(expressions, outputs, strict=True)
    ]
    share_factors(translator.graph, roots)
    taken = {word for text in names.values() for word in re.findall(r"[^\W\d]\w*", text)}
    taken.update(t.text if isinstance(t, Name) else t.array for t in (item.target for item in outputs))
    program = translator.graph.compact(roots)
    program.labels.update(_chosen(program, outputs))
    writer = _ProgramWriter(program, set(reserved) | taken | set(HELPERS))
    statements = writer.top(outputs)
    return KernelBody(statements, tuple(writer.temporaries), writer.operations)


def _chosen(program: CompactGraph, items: Sequence[StoredValue]) -> dict[int, str]:
    """Names for branches that are an output of their own: the array's, such as ``mode``."""
    counts = Counter(item.group for item in items)
    return {
        root: item.group
        for item, root in zip(items, program.roots, strict=True)
        if counts[item.group] == 1
        and item.group
        and program.nodes[root].kind is Kind.BRANCH
        and root not in program.labels
    }


class _ProgramWriter:
    """Writes the statements of one program; one per call of ``lower``."""

    def __init__(self, program: CompactGraph, taken: set[str]) -> None:
        self.program = program
        self.planner = Planner(program)
        self.composer = Composer(program)
        self.taken = taken
        self.temporaries: list[str] = []
        self.operations = 0
        self._name: dict[int, Name] = {}
        self._number = 0

    def top(self, items: Sequence[StoredValue]) -> tuple[Statement, ...]:
        """The statements of the kernel: first what several groups share, then the groups."""
        roots = self.program.roots
        scope = self.planner.plan(roots, outer=0)
        groups = _groups(scope, roots, [item.group for item in items])
        visible: dict[int, Name] = {}
        done: set[int] = set()
        shared = [unit for unit in scope.units(roots, set()) if len(groups[unit]) > 1]
        done.update(shared)
        found = self._units(scope, shared, visible, SHARED)
        for group in dict.fromkeys(item.group for item in items):
            for item, root in zip(items, roots, strict=True):
                if item.group == group:
                    found += self._units(scope, scope.units([root], done), visible, group)
                    found.append(Assign(item.target, self._use(root, visible), group))
        return tuple(found)

    def _units(
        self, scope: ScopePlan, units: Iterable[int], visible: dict[int, Name], group: str = ""
    ) -> list[Statement]:
        """Statements for the named ones among these units; their names become visible."""
        found: list[Statement] = []
        for unit in units:
            if unit in scope.chains:
                chain = self._chain(scope, unit, visible)
                found.append(replace(chain, group=group))
            elif unit in scope.named:
                value = self._define(unit, visible)
                visible[unit] = self._named(unit)
                found.append(Assign(visible[unit], value, group))
        return found

    def _chain(self, scope: ScopePlan, unit: int, visible: dict[int, Name]) -> If:
        """One ``if`` that computes all branches of a chain."""
        members = scope.chains[unit]
        results = [self._named(member) for member in members]
        conditions = [self._use(c, visible) for c in self.program.nodes[unit].conditions]
        arms = []
        for place, condition in enumerate([*conditions, None]):
            values = [self.program.nodes[member].values[place] for member in members]
            arms.append(Arm(condition, self._arm(scope, results, values, dict(visible))))
        visible.update(zip(members, results, strict=True))
        return If(tuple(arms))

    def _arm(
        self, outer: ScopePlan, results: Sequence[Name], values: Sequence[int], visible: dict[int, Name]
    ) -> tuple[Statement, ...]:
        scope = self.planner.plan(values, outer.needed)
        done: set[int] = set()
        found: list[Statement] = []
        for name, value in zip(results, values, strict=True):
            found += self._units(scope, scope.units([value], done), visible)
            found.append(Assign(name, self._use(value, visible)))
        return tuple(found)

    def _use(self, index: int, visible: Mapping[int, Name]) -> Expression:
        """A value as an operand: its name, or what it is made of if it has none."""
        return visible[index] if index in visible else self._define(index, visible)

    def _define(self, index: int, visible: Mapping[int, Name]) -> Expression:
        value = self.composer.define(index, visible)
        self.operations += operations(value)
        return value

    def _named(self, index: int) -> Name:
        """The name of a temporary: the user's, or a number in the order of appearance.

        Arms that compute the same node use one name for it.
        """
        if index not in self._name:
            label = self.program.labels.get(index)
            name = free_name(mangle(label), self.taken) if label else self._free_number()
            self._name[index] = Name(name)
            self.taken.add(name)
            self.temporaries.append(name)
        return self._name[index]

    def _free_number(self) -> str:
        while True:
            name = f"x{self._number}"
            self._number += 1
            if name not in self.taken and not is_reserved(name):
                return name


def _groups(scope: ScopePlan, roots: Sequence[int], labels: Sequence[str]) -> dict[int, set[str]]:
    """The groups that need each unit."""
    order = scope.units(roots, set())
    groups: dict[int, set[str]] = {unit: set() for unit in order}
    for root, label in zip(roots, labels, strict=True):
        groups[scope.unit[root]].add(label)
    for unit in reversed(order):
        for needed in scope.dependencies[unit]:
            groups[needed] |= groups[unit]
    return groups
