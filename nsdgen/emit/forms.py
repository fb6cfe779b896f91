"""Operations of the same form over different entries of arrays: what loops can compute.

The equations of a chain, a mesh or a matrix repeat one another with other indices. Here every value gets a *form*:
its operations, with each entry of a long array replaced by the array. The *data* of a value say which entries they
are. Values that several others need are entries of arrays of their own, one for each form.

In a sum, terms of one form are a group of any size, so that rows with two and with three neighbours have one form.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from nsdgen.emit.expression_graph import CompactGraph, ExpressionNode, Kind

Data: TypeAlias = "tuple[Any, ...]"
"""Places in arrays, in the order of the form; of a sum, for each of its groups the tuple of the data of its terms."""

_ROLLED = (Kind.NUMBER, Kind.SYMBOL, Kind.NEGATION, Kind.SUM, Kind.PRODUCT, Kind.CALL)


@dataclass(frozen=True)
class Form:
    """One kind of operation on values of these ``parts`` (numbers of forms), with a sign or bar for each part.

    ``load``: an entry of an array of the kernel, ``shared``: one of an array of shared values, ``const``: a text.
    """

    kind: str
    text: str = ""
    parts: tuple[int, ...] = ()
    signs: str = ""


@dataclass
class Forms:
    """All forms in the order in which they can be computed, and the values that are computed in each.

    ``reads`` says of each form whether its values differ in the entries that they read,
    ``shared`` maps a form to the data of its shared values, ``roots`` holds form and data of each output.
    """

    table: list[Form] = field(default_factory=list)
    reads: list[bool] = field(default_factory=list)
    shared: dict[int, list[Data]] = field(default_factory=dict)
    roots: list[tuple[int, Data]] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)


def find_forms(program: CompactGraph, entries: Mapping[str, tuple[int, int]]) -> Forms | None:
    """The forms of a program; ``entries`` maps the text of a symbol to its array and its place there.

    ``None`` where it has branches, or operations whose order is fixed.
    """
    if any(node.kind not in _ROLLED or node.fixed for node in program.nodes):
        return None
    return _Finder(program, entries).run()


class _Finder:
    """Goes through the nodes, operands first."""

    def __init__(self, program: CompactGraph, entries: Mapping[str, tuple[int, int]]) -> None:
        self.program, self.entries = program, entries
        self.forms = Forms()
        self.number: dict[Form, int] = {}
        self.found: list[tuple[int, Data]] = []  # of each node, as its users see it
        self.uses = Counter(program.roots)
        for node in program.nodes:
            self.uses.update(node.args)

    def run(self) -> Forms:
        """Forms and data of all values."""
        for index, node in enumerate(self.program.nodes):
            form, data = self._of(node)
            number = self._numbered(form)
            if self.uses[index] > 1 and form.kind not in ("load", "const", "negation"):
                values = self.forms.shared.setdefault(number, [])
                if label := self.program.labels.get(index):
                    self.forms.labels.setdefault(number, label)
                values.append(data)
                number, data = self._numbered(Form("shared", str(number))), (len(values) - 1,)
            self.found.append((number, data))
        self.forms.roots = [self.found[root] for root in self.program.roots]
        return self.forms

    def _numbered(self, form: Form) -> int:
        known = self.number.setdefault(form, len(self.forms.table))
        if known == len(self.forms.table):
            self.forms.table.append(form)
            self.forms.reads.append(
                form.kind in ("load", "shared", "sum") or any(self.forms.reads[part] for part in form.parts)
            )
        return known

    def _of(self, node: ExpressionNode) -> tuple[Form, Data]:
        parts = [self.found[arg] for arg in node.args]
        match node.kind:
            case Kind.SYMBOL if node.text in self.entries:
                array, place = self.entries[node.text]
                return Form("load", str(array)), (place,)
            case Kind.NUMBER | Kind.SYMBOL:
                return Form("const", node.text), ()
            case Kind.NEGATION:
                return Form("negation", "", (parts[0][0],)), parts[0][1]
            case Kind.SUM:
                return self._sum(node.text, parts)
            case Kind.PRODUCT:
                return self._ordered(
                    "product",
                    sorted(
                        zip(node.text, parts, strict=True),
                        key=lambda part: (part[0], self.forms.reads[part[1][0]], part[1]),
                    ),
                )
        return self._ordered("call", list(zip(" " * len(parts), parts, strict=True)), node.text)

    def _ordered(self, kind: str, parts: Sequence[tuple[str, tuple[int, Data]]], text: str = "") -> tuple[Form, Data]:
        """An operation on parts in this order; its data are theirs, one after the other."""
        data = tuple(place for _, (_, of_part) in parts for place in of_part)
        return Form(kind, text, tuple(number for _, (number, _) in parts), "".join(sign for sign, _ in parts)), data

    def _sum(self, signs: str, parts: Sequence[tuple[int, Data]]) -> tuple[Form, Data]:
        """A sum: its terms in groups of one form and sign, those without data first."""
        groups: dict[tuple[bool, int, str], list[Data]] = {}
        for sign, (number, data) in zip(signs, parts, strict=True):
            groups.setdefault((self.forms.reads[number], number, sign), []).append(data)
        ordered = sorted(groups)
        return (
            Form("sum", "", tuple(number for _, number, _ in ordered), "".join(sign for *_, sign in ordered)),
            tuple(tuple(sorted(groups[group])) for group in ordered),
        )
