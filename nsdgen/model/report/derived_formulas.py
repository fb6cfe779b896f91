"""What was derived from a model, typeset for a browser: operators and the expressions of one step, class by class."""

from html import escape

import sympy as sp

from nsdgen.derive.derive import Derivation
from nsdgen.derive.kernel import facts
from nsdgen.derive.listing.listing import ListedArray, ListedGroup, groups_of
from nsdgen.derive.listing.notation import display_names
from nsdgen.record.overview import instances
from nsdgen.symbolic.expressions.compact import shown
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.mathml import formula
from nsdgen.symbolic.expressions.named_lets import NamedLets

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
    named = NamedLets({s: sp.Symbol(n) for s, n in display_names(inputs).items()})
    for i, j, e in out.entries:
        values[i, j] = named.shown(as_expression(e))
    body = shown(values[0] if values.shape == (1, 1) else values, room=_ROOM) if out.entries else formula(sp.Integer(0))
    said = f" <span>{escape(array.formula)}</span>" if array.formula else ""
    head = f"<p><code>{escape(name)}</code>{said} <small>{escape(about)}</small></p>"
    return f'<div class="formula">{head}{body}{named.below(_ROOM)}</div>'
