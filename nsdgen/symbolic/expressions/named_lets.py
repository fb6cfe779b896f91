"""Formulas over the names of their intermediate results, and what stands below them: where name = value."""

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.compact import shown
from nsdgen.symbolic.expressions.mathml import mathml
from nsdgen.symbolic.expressions.nodes import Let


class NamedLets:
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

    def below(self, room: int) -> str:
        """The HTML of the definitions; formulas ``room`` times as long as in a panel are typeset."""
        lines = "".join(_definition(s, e, room) for s, e in self.definitions.items())
        return f"<p>where</p>{lines}" if lines else ""

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


def _definition(symbol: sp.Symbol, value: Any, room: int) -> str:
    text = shown(value, room=room)
    left = f"{mathml(symbol)}<mo>=</mo>"
    if text.startswith("<math"):
        return text.replace('<math display="block">', f'<math display="block">{left}', 1)
    return f'<math display="block">{left}</math>{text}'


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
