"""A model as it was stated, typeset for a browser: the equations of each class, and its terms and law."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import sympy as sp

from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.expressions.compact import shown
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.mathml import mathml
from nsdgen.symbolic.expressions.named_lets import NamedLets
from nsdgen.symbolic.families.system_class import SystemClass, Term
from nsdgen.symbolic.relations.relation_class import RelationClass

_MOTION = "<mi>M</mi><mover><mi>v</mi><mo>˙</mo></mover><mo>=</mo><mi>F</mi>"
_POSITIONS = "<mover><mi>q</mi><mo>˙</mo></mover><mo>=</mo>"
_FIRST_ORDER = "<mi>M</mi><mover><mi>x</mi><mo>˙</mo></mover><mo>=</mo><mi>f</mi>"
_REACTIONS = "<mo>+</mo><mi>r</mi>"
_ROOM = 8
"""A page is as wide as two panels of a claim and may be as long as it must."""

_FIRST = 6
"""Of a long list of members so many are named."""


def stated_equations(description: ModelDescription) -> str:
    """HTML: one part for each class, its members by name, its equations, its terms over its own symbols."""
    parts = [
        _part("system", cls.name, [s.name for s in description.systems if s.cls == number], _system(cls))
        for number, cls in enumerate(description.system_classes)
    ]
    for number, cls in enumerate(description.relation_classes):
        members = [r for r in description.relations if r.cls == number]
        about = [f"{r.name} on {' and '.join(description.systems[i].name for i in r.participants)}" for r in members]
        parts.append(_part("relation", cls.name, about, _relation(cls)))
    return "".join(parts)


def _part(kind: str, name: str, members: Sequence[str], lines: Iterator[str]) -> str:
    named = ", ".join(members[:_FIRST]) + (f", … ({len(members)})" if len(members) > _FIRST else "")
    who = f" <small>{escape(named)}</small>" if members != [name] else ""
    return f'<section class="class"><h3>{kind} {escape(name)}{who}</h3>{"".join(lines)}</section>'


def _system(cls: SystemClass) -> Iterator[str]:
    equations = []
    if cls.group("q"):
        identity = cls.configuration.identity
        equations.append(f"{_POSITIONS}{'' if identity else '<mi>T</mi><mo>(</mo><mi>q</mi><mo>)</mo>'}<mi>v</mi>")
    if "mass" in cls.terms and "force" in cls.terms:
        equations.append(_MOTION + _REACTIONS)
    elif "mass" in cls.terms and "rhs" in cls.terms:
        equations.append(_FIRST_ORDER + _REACTIONS)
    if equations:
        yield _display("<mo>,</mo><mspace width='1.5em'/>".join(equations))
    for group in cls.variables:
        names = ", ".join(f"{n} [{u}]" if u else n for n, u in zip(group.names, group.units, strict=True))
        yield f"<p><em>{escape(group.role)}</em>: {escape(names)}</p>"
    for name, term in cls.terms.items():
        yield _term(term.notation or name, term.values, "" if _plain(term) else term.meaning, term.of)


def _relation(cls: RelationClass) -> Iterator[str]:
    for name, values in cls.terms.items():
        if values.rows:
            yield _term(name, values, "")
    if cls.multipliers:
        yield _term("lambda", sp.Matrix(cls.multipliers), "multipliers")
    for place, reaction in enumerate(cls.reactions):
        yield _term("r" if len(cls.reactions) == 1 else f"r_{place + 1}", reaction, "reaction")
    if cls.bounds.rows:
        yield _term("bounds", cls.bounds, "of the law")
    law = cls.law
    said = (type(law).__doc__ or "").strip().split("\n", 1)[0]
    yield f"<p><em>law</em>: {escape(type(law).__name__)}. {escape(said)}</p>"
    for slot in law.slots:
        yield _term(slot.symbol.name.rpartition("/")[2], slot.value, slot.unit if slot.unit != "1" else "")


def _plain(term: Term) -> bool:
    """Whether its meaning is but its symbol with operands: M(q)."""
    return term.meaning.partition("(")[0] == term.notation and term.meaning.endswith(")")


def _term(name: str, values: Any, meaning: str, of: Sequence[str] = ()) -> str:
    value = sp.Matrix(values)[0] if getattr(values, "shape", None) == (1, 1) else values
    note = f"<small>{escape(meaning)}</small>" if meaning else ""
    left = mathml(sp.Function(name)(*map(sp.Symbol, of)) if of else sp.Symbol(name))
    named = NamedLets(_labels(value))
    text = shown(value.applyfunc(named.shown) if isinstance(value, sp.MatrixBase) else named.shown(value), room=_ROOM)
    below = named.below(_ROOM)
    if text.startswith("<math"):
        text = text.replace('<math display="block">', f'<math display="block">{left}<mo>=</mo>', 1)
        return f'<div class="formula">{text}{note}{below}</div>'
    return f'<div class="formula">{_display(left + "<mo>=</mo>")}{text}{note}{below}</div>'


def _labels(value: Any) -> dict[sp.Symbol, sp.Symbol]:
    """The labels of its symbols, where these differ."""
    labels = {s: label_of(s) for s in value.free_symbols}
    unique = len(set(labels.values())) == len(labels)
    return {s: sp.Symbol(name) if unique else s for s, name in labels.items()}


def _display(inner: str) -> str:
    return f'<math display="block">{inner}</math>'
