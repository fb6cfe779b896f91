"""A derivation as a list of formulas, and that list as plain text or JSON.

Input: :class:`~nsdgen.derive.derive.Derivation`. What a kernel repeats of an earlier one of
its class (``linearize`` repeats the residual) is listed once.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.abi import ClassKind, KernelRole, Role
from nsdgen.derive.derive import Derivation
from nsdgen.derive.kernel import Kernel, KernelClass, Output, facts
from nsdgen.derive.listing.notation import Plain, Typeset, display_names
from nsdgen.record.overview import instances, schemes
from nsdgen.symbolic.expressions.conversion import as_expression


@dataclass(frozen=True)
class ListedArray:
    """An array of a class: its kernel, its entries, and the formula unless it was said before."""

    kernel: Kernel
    output: Output
    formula: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The operands of an operator; nothing for expressions of a scheme."""
        return tuple(a.name.rstrip("_") for a in self.kernel.inputs if a.role == Role.OPERAND)

    @property
    def shape(self) -> str:
        """Rows and columns, and how many nonzeros where not all are: ``3x3, 5 nonzeros``."""
        out = self.output
        size = f"{out.rows}x{out.cols}"
        return size if out.dense else f"{size}, {len(out.entries)} nonzeros" if out.entries else f"{size}, zero"

    @property
    def properties(self) -> list[str]:
        """Symmetric, diagonal, ...: what the derivation found."""
        return [word for word in self.output.properties() if word != "affine"]

    def printed(self, printer: type[Plain] | type[Typeset]) -> tuple[list[tuple[int, int, str]], dict[str, str]]:
        """The entries as text, and the definitions their text uses."""
        inputs = [s for array in self.kernel.inputs for s in array.symbols]
        free = {s for _, _, e in self.output.entries for s in as_expression(e).free_symbols}
        shown = printer(display_names([s for s in inputs if s in free]))
        entries = [(i, j, shown.formula(e)) for i, j, e in self.output.entries]
        return entries, shown.where()


@dataclass(frozen=True)
class ListedGroup:
    """A class of systems or relations: who shares it, its operators, its scheme's expressions."""

    kind: str
    name: str
    instances: tuple[str, ...]
    operators: tuple[ListedArray, ...]
    step: tuple[ListedArray, ...]


def groups_of(derivation: Derivation) -> list[ListedGroup]:
    """One group per class, systems first, in the order of the model."""
    record, groups = derivation.record, []
    n_systems = len(record.system_classes)
    for number, cls in enumerate(derivation.module.classes):
        if cls.kind == ClassKind.SYSTEM:
            members = tuple(s.name for s in record.systems if s.cls == number)
        else:
            members = tuple(r.name for r in record.relations if r.cls == number - n_systems)
        quantities = list(_quantities(cls))
        groups.append(
            ListedGroup(
                cls.kind.name.lower(),
                cls.name,
                members,
                tuple(q for q in quantities if q.kernel.role == KernelRole.OPERATOR),
                tuple(q for q in quantities if q.kernel.role != KernelRole.OPERATOR),
            )
        )
    return groups


def _quantities(cls: KernelClass) -> Iterator[ListedArray]:
    seen: set[Any] = set()
    said: set[str] = set()
    for kernel in cls.kernels:
        for out in kernel.outputs:
            key = (kernel.role == KernelRole.OPERATOR, kernel.stage, out.name, out.entries)
            if key not in seen:
                seen.add(key)
                yield ListedArray(kernel, out, _news(kernel.formula, {*said, out.name}))
                said.add(kernel.formula)


def _news(formula: str, said: set[str]) -> str:
    """What a formula says besides those that were said: ``W = dR/dw`` after the residual's."""
    if formula in said:
        return ""
    known = max((text for text in said if formula.startswith(f"{text}; ")), key=len, default="")
    return formula.removeprefix(f"{known}; ")


def as_text(derivation: Derivation) -> str:
    """Every formula, entry by entry, as plain text."""
    lines = [f"{derivation.record.name}: derived for {schemes(derivation.record)}"]
    for group in groups_of(derivation):
        lines += ["", f"{group.kind} class {group.name}: {instances(group.instances) or 'the model'}"]
        for title, quantities in (("operators", group.operators), ("one step", group.step)):
            if quantities:
                lines += ["", f"  {title}"]
            for number, quantity in enumerate(quantities):
                lines += ["", *_paragraph(quantity)] if number else _paragraph(quantity)
    return "\n".join(lines) + "\n"


def _paragraph(quantity: ListedArray) -> list[str]:
    out = quantity.output
    name = f"{out.name}({', '.join(quantity.arguments)})" if quantity.arguments else out.name
    about = [quantity.shape, *quantity.properties, f"depends on {facts(out.depends)}"]
    lines = [f"    {name}: {quantity.formula}" if quantity.formula else f"    {name}", f"      {'; '.join(about)}"]
    entries, definitions = quantity.printed(Plain)
    lines += _equations(out, entries)
    return lines + [f"        where {key} = {value}" for key, value in definitions.items()]


def _equations(out: Output, entries: Sequence[tuple[int, int, str]]) -> list[str]:
    if out.rows == out.cols == 1:
        return [f"      = {text}" for _, _, text in entries]
    if out.cols == 1:
        return [f"      [{i}] = {text}" for i, _, text in entries]
    return [f"      [{i}, {j}] = {text}" for i, j, text in entries]


def as_json(derivation: Derivation) -> str:
    """The same as data: classes, their quantities, shapes, facts and entries."""
    data = {
        "model": derivation.record.name,
        "scheme": schemes(derivation.record),
        "classes": [_group_data(group) for group in groups_of(derivation)],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _group_data(group: ListedGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "name": group.name,
        "instances": list(group.instances),
        "operators": [_data(q) for q in group.operators],
        "step": [_data(q) for q in group.step],
    }


def _data(quantity: ListedArray) -> dict[str, Any]:
    out = quantity.output
    entries, definitions = quantity.printed(Plain)
    return {
        "name": out.name,
        "kernel": quantity.kernel.name,
        "stage": quantity.kernel.stage,
        "formula": quantity.formula,
        "arguments": list(quantity.arguments),
        "shape": [out.rows, out.cols],
        "properties": quantity.properties,
        "depends": [role.name.lower() for role in Role if out.depends >> role & 1],
        "entries": [list(entry) for entry in entries],
        "definitions": definitions,
    }
