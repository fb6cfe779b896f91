"""What was derived from a model, typeset for a browser: operators and the expressions of one step, class by class."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import sympy as sp

from nsdgen.derive.derive import Derivation
from nsdgen.derive.kernel import facts
from nsdgen.derive.listing.listing import ListedArray, ListedGroup, groups_of
from nsdgen.derive.listing.notation import display_names
from nsdgen.record.overview import instances
from nsdgen.symbolic.expressions.compact import shown
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.mathml import formula, mathml
from nsdgen.symbolic.expressions.nodes import Let

_ROOM = 8
"""A page is as wide as two panels of a claim and may be as long as it must."""


def derived_formulas(derivation: Derivation) -> str:
    """HTML: a folded part for each class with its arrays, names of intermediate results below each."""
    return "".join(_group(group) for group in groups_of(derivation))


def _group(group: ListedGroup) -> str:
    title = f"{group.kind} class {group.name}"
    who = instances(group.instances) or "the model"
    parts = [
        f"<h4>{heading}</h4>{''.join(map(_array, arrays))}"
        for heading, arrays in (("operators", group.operators), ("one step", group.step))
        if arrays
    ]
    return f"<details><summary>{escape(title)} <small>{escape(who)}</small></summary>{''.join(parts)}</details>"


def _array(array: ListedArray) -> str:
    out = array.output
    name = f"{out.name}({', '.join(array.arguments)})" if array.arguments else out.name
    about = "; ".join([array.shape, *array.properties, f"depends on {facts(out.depends)}"])
    inputs = [s for given in array.kernel.inputs for s in given.symbols]
    values = sp.zeros(out.rows, out.cols)
    named = _NamedExpressions({s: sp.Symbol(n) for s, n in display_names(inputs).items()})
    for i, j, e in out.entries:
        values[i, j] = named.shown(as_expression(e))
    body = shown(values[0] if values.shape == (1, 1) else values, room=_ROOM) if out.entries else formula(sp.Integer(0))
    below = "".join(_definition(s, e) for s, e in named.definitions.items())
    where = f"<p>where</p>{below}" if below else ""
    said = f" <span>{escape(array.formula)}</span>" if array.formula else ""
    head = f"<p><code>{escape(name)}</code>{said} <small>{escape(about)}</small></p>"
    return f'<div class="formula">{head}{body}{where}</div>'


def _definition(symbol: sp.Symbol, value: Any) -> str:
    text = shown(value, room=_ROOM)
    left = f"{mathml(symbol)}<mo>=</mo>"
    if text.startswith("<math"):
        return text.replace('<math display="block">', f'<math display="block">{left}', 1)
    return f'<math display="block">{left}</math>{text}'


class _NamedExpressions:
    """Expressions with symbols as people see them, and a name in place of each ``Let``, its value kept."""

    def __init__(self, names: Mapping[sp.Symbol, sp.Symbol]) -> None:
        self._known: dict[Any, Any] = dict(names)
        self._taken = {s.name for s in names.values()}
        self.definitions: dict[sp.Symbol, Any] = {}

    def shown(self, e: Any) -> Any:
        """The expression, over names."""
        if (found := self._known.get(e)) is None:
            found = self._known[e] = self._defined(e) if isinstance(e, Let) else self._rebuilt(e)
        return found

    def _rebuilt(self, e: Any) -> Any:
        parts = [self.shown(a) for a in e.args]
        return e if all(a is b for a, b in zip(parts, e.args, strict=True)) else e.func(*parts)

    def _defined(self, e: Any) -> sp.Symbol:
        value = self.shown(e.args[1])
        name = next(n for n in _numbered(str(e.args[0])) if n not in self._taken)
        self._taken.add(name)
        symbol = sp.Symbol(name)
        self.definitions[symbol] = value
        return symbol


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
