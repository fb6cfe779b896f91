"""Blocks that act where a condition comes true: states that jump there, and values that switch."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.time import sampled, time
from nsdgen.symbolic.relations.block import BlockRelation, as_symbol, label
from nsdgen.symbolic.relations.relation import Clock


@named_arguments
class Reset(BlockRelation):
    """Where ``when`` comes true, states of systems jump and held values change: x+ = resets(t, x-, z), z+ = update.

    ``when`` is a condition over states of any systems, multipliers of relations, held values, time and parameters:
    inequalities, joined by ``&`` and ``|``. It comes true where its quantity rises through zero (x - 1 of ``x >= 1``;
    the least of those joined by ``&``, the largest of those joined by ``|``): the instant is found to rounding, by a
    step that ends there or as an event, called ``when``. One that is true at the start, or stays true, does nothing.

    ``resets`` maps states of systems (states, coordinates, their ``.diff()``) to what they jump to, ``state`` lists
    symbols z and ``update`` what they become, ``holds`` maps further symbols to new values: functions of states of
    systems just before, of z before, of time and parameters. Held symbols may be used in every expression of the model;
    until the first instant they are what ``initial`` says (0 by default). ``guard`` is a condition without which
    nothing happens at the instant.

    Blocks whose conditions come true by what others set act at the same instant, each once. Raises ``ModelError`` for
    what does not fit together; a run raises ``NotConverged`` where a block would act again at once, or again and again.
    """

    def __init__(
        self,
        name: str,
        when: Any,
        resets: Mapping[sp.Expr, Any] = MappingProxyType({}),
        *,
        state: Sequence[sp.Symbol] = (),
        update: Mapping[sp.Symbol, Any] | None = None,
        holds: Mapping[sp.Symbol, Any] = MappingProxyType({}),
        initial: Mapping[sp.Symbol, Any] | None = None,
        guard: Any = True,
        units: Mapping[Any, str] | None = None,
    ) -> None:
        self.name = name
        where = f"block {name!r}"
        self.conditions, self.crossings = (risen(when, "when", where),), ("when",)
        held = self.keep(
            where, state=state, update=update, holds=holds, resets=resets, guard=guard, initial=initial, units=units
        )
        _leads_away(self.conditions[0], {**self.resets, **self.update, **self.holds}, where)
        parts = [*self.update.values(), *self.holds.values(), *self.resets.values(), self.guard]
        read = {f: label(f) for part in parts for f in _functions(part)}
        self.samples = {name: f for f, name in read.items()}
        self.taken = {f: sampled(name) for f, name in read.items()}
        self.update, self.holds, self.resets = (
            {key: value.xreplace(self.taken) for key, value in part.items()}
            for part in (self.update, self.holds, self.resets)
        )
        self.guard = self.guard.xreplace(self.taken)
        self.clock = Clock(None, None, held)


@named_arguments
class Latch(BlockRelation):
    """A value that is 1 from where ``on`` comes true, and 0 from where ``off`` does: it remembers which did last.

    ``symbol`` may be used in every expression of the model. ``on`` and ``off`` are conditions as those of
    :class:`Reset`: a relay with hysteresis has ``on=x <= low, off=x >= high``. At the start it is what ``initial`` says
    (0 by default), unless one of them holds there. Where both come true at one instant it is 0. Events are called
    ``on`` and ``off``. Raises ``ModelError`` for what is no symbol or no condition; a run raises ``NotConverged`` where
    it goes on and off without end: thresholds that are one (that is a :class:`nsd.Relay`).
    """

    def __init__(self, name: str, symbol: sp.Symbol, *, on: Any, off: Any, initial: float = 0.0) -> None:
        self.name = name
        where = f"block {name!r}"
        self.conditions, self.crossings = (risen(on, "on", where), risen(off, "off", where)), ("on", "off")
        if any((self.conditions[0] + way * self.conditions[1]).expand() == 0 for way in (1, -1)):
            raise ModelError(
                "on and off have one threshold", where=where, fix="give two that are apart, or use nsd.Relay"
            )
        self.flags = on_now, off_now = sp.symbols("flag/on flag/off", real=True)
        symbol = as_symbol(symbol, "symbol", where)
        if symbol.name in self.crossings:
            raise ModelError(
                f"its symbol is called {symbol.name}, as an event of it is",
                where=where,
                fix="call the symbol another name",
            )
        if initial not in (0, 1):
            raise ModelError(f"initial={initial!r} is neither 0 nor 1", where=where, fix="it is on (1) or off (0)")
        value = sp.Piecewise((0, off_now > 0), (1, on_now > 0), (symbol, True))
        held = self.keep(
            where,
            state=[symbol],
            update={symbol: value},
            holds={},
            resets={},
            guard=True,
            initial={symbol: initial},
            units=None,
        )
        self.meant = self.state
        self.clock = Clock(None, None, held, at_start=True)


def risen(given: Any, what: str, where: str) -> sp.Expr:
    """The quantity that is negative before a condition comes true; raises ``ModelError`` for what is no condition."""
    if isinstance(given, GreaterThan | StrictGreaterThan):
        return given.lhs - given.rhs
    if isinstance(given, LessThan | StrictLessThan):
        return given.rhs - given.lhs
    if isinstance(given, sp.And | sp.Or):
        parts = sorted((risen(part, what, where) for part in given.args), key=sp.default_sort_key)
        sums = [sp.expand(a + b) for a, b in combinations(parts, 2)]
        if isinstance(given, sp.And) and not any(e.is_nonpositive for e in sums):
            return sp.Min(*parts)
        if isinstance(given, sp.Or) and not any(e.is_nonnegative for e in sums):
            return sp.Max(*parts)
        why = f"{what}={given} " + ("always holds" if isinstance(given, sp.Or) else "holds at a point, or nowhere")
    elif isinstance(given, bool | sp.logic.boolalg.BooleanAtom):
        why = f"{what} is always {bool(given)}"
    elif isinstance(given, Boolean) and not isinstance(given, sp.Symbol):
        why = f"{what}={given} holds at a point, or nowhere"
    else:
        why = f"{what}={given!r} is no condition"
    raise ModelError(why, where=where, fix=f"give inequalities, joined by & and |: {what}=x >= 1; both ways are two")


def _leads_away(condition: sp.Expr, jumps: Mapping[sp.Expr, sp.Expr], where: str) -> None:
    """Refuse jumps that leave a quantity on its threshold, or at rest there: it would pass it and do nothing more.

    Of several joined by ``&`` another one may lead away: one that jumps, too.
    """
    parts = condition.args if isinstance(condition, sp.Min | sp.Max) else (condition,)
    for quantity in parts:
        rate = quantity.diff(time)
        after, rate_after = (_jumped(e, jumps) for e in (quantity, rate))
        if isinstance(condition, sp.Min) and any(_jumped(p, jumps) not in (p, 0) for p in parts if p != quantity):
            continue
        if after == 0 or (after == quantity and rate_after == 0 and rate != 0):
            what = "its quantity" if after == 0 else "the rate of its quantity"
            raise ModelError(
                f"{what}, {quantity if after == 0 else rate}, is zero after the reset: it would pass the condition and "
                "nothing would happen again",
                where=where,
                fix="reset to values that lead away from the condition; what stays on a threshold is nsd.Contact for a "
                "position, nsd.FirstOrderRelation with nsd.Complementarity for a state",
            )


def _jumped(value: sp.Expr, jumps: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    """A function of states and held values after jumps, rates first: a state within its rate is not one."""
    rates = {d: jumps.get(d, sp.Dummy()) for d in value.atoms(sp.Derivative)}
    back = {v: d for d, v in rates.items() if isinstance(v, sp.Dummy)}
    found = value.xreplace(rates).xreplace({k: v for k, v in jumps.items() if not isinstance(k, sp.Derivative)})
    return found.xreplace(back) if found.xreplace(back) == value else sp.expand(found.xreplace(back))


def _functions(part: sp.Basic) -> Iterator[sp.Expr]:
    """The functions of time in an expression, and their derivatives: of these not what is derived."""
    if isinstance(part, AppliedUndef | sp.Derivative):
        yield part
        return
    for inner in part.args:
        yield from _functions(inner)
