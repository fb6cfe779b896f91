"""Blocks: relations that act at instants, hold values in between, and set states of systems; what all of them share.

A block reads systems, then computes from what it read: states of its own, values that it holds, values that states of
systems jump to. To everybody else what it holds is a parameter that changes at instants.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from nsdgen.base.checks import finite_number
from nsdgen.base.names import as_vector
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.scope import display
from nsdgen.symbolic.expressions.time import period as period_of_block
from nsdgen.symbolic.expressions.time import sampled
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.relation import Clock, Held, Place, Relation
from nsdgen.symbolic.relations.relation_class import RelationClass


class BlockRelation(Relation):
    """The base of blocks: ``keep`` takes what they have in common.

    ``conditions`` are expressions at whose rises through zero it acts, besides the instants of its clock, as events
    called ``crossings``; ``flags`` are symbols that are 1 where each of them did so, of a block that asks. What it
    holds for others to read is ``meant``.
    """

    clock: Clock
    samples: Mapping[str, sp.Expr] = {}
    output = sp.zeros(0, 1)
    law: Law = Equality()
    own = 0
    conditions: tuple[sp.Expr, ...] = ()
    crossings: tuple[str, ...] = ()
    flags: tuple[sp.Symbol, ...] = ()
    meant: Collection[sp.Symbol] = ()
    reads_others = True

    def keep(
        self, where: str, *, state: Any, update: Any, holds: Any, resets: Any, guard: Any, initial: Any, units: Any
    ) -> tuple[Held, ...]:
        """What it holds, states first; raises ``ModelError`` for what does not fit together."""
        self.units = dict(pairs(units, "units", where))
        self.state = tuple(
            as_symbol(z, "state", where) for z in ([state] if isinstance(state, sp.Expr | str) else state)
        )
        self.update = _mapping(update or {}, "update", where)
        self.meant = self.holds = _mapping(holds, "holds", where)
        self.resets = _resets(resets or {}, where)
        self.guard = _condition(guard, where)
        self._check(where)
        known = {*self.state, *self.holds}
        self.initial = {
            as_symbol(key, "initial", where): finite_number(value, where=f"{where}, initial {key}")
            for key, value in pairs(initial, "initial", where)
        }
        if strangers := [s for s in self.initial if s not in known]:
            raise ModelError(
                f"{strangers[0]} is neither a state nor held",
                where=f"{where}, initial",
                fix="the keys are those of state and holds",
            )
        return tuple(
            Held(s, f"{self.name}.{s.name}", self.initial.get(s, 0.0), self.units.get(s, ""))
            for s in (*self.state, *self.holds)
        )

    def _check(self, where: str) -> None:
        if not (self.holds or self.state or self.resets):
            raise ModelError("it has neither a state nor outputs", where=where, fix="give holds={symbol: expression}")
        if set(self.update) != set(self.state):
            odd = sorted(map(str, set(self.update) ^ set(self.state)))
            raise ModelError(
                f"{odd[0]} has no update or is no state",
                where=where,
                fix="list each symbol of update in state, and the other way round",
            )
        if twice := [s for s in self.holds if s in self.state]:
            raise ModelError(
                f"{twice[0]} is a state and held", where=where, fix="a state is held, too: leave it out of holds"
            )

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """Samples, conditions, and states that are reset: the systems that occur in them take part."""
        return [*self.samples.values(), *self.conditions, *self.resets]

    def describe(self, place: Place) -> BlockClass:
        """The class of this block over fresh symbols."""
        taken = {sampled(name): own_symbol("sample", name) for name in self.samples}
        known = dict(place.symbols)
        if self.clock.period is not None:
            known[period_of_block] = known[self.clock.period.symbol]
        flags = {s: own_symbol("flag", s.name) for s in self.flags}
        inside = (
            {s: e for s, e in known.items() if isinstance(s, sp.Symbol)}
            | taken
            | flags
            | dict(zip(self.multipliers, self.variables, strict=True))
        )
        terms = {"samples": replace(place, symbols=known).entered(_column(self.samples.values()), "samples")}
        within, acts = replace(place, symbols=inside), self.guard is sp.true
        guarded = _entered(within, _column([] if acts else [sp.Piecewise((1, self.guard), (0, True))]), "guard")
        kept = [(z, self.update[z]) for z in self.state] + list(self.holds.items())
        new = {symbol: value if acts else sp.Piecewise((value, self.guard), (symbol, True)) for symbol, value in kept}
        for what, values in (
            ("output", self.output),
            ("update", _column(new[z] for z in self.state)),
            ("holds", _column(new[u] for u in self.holds)),
            ("resets", _column(self.resets.values())),
        ):
            terms[what] = _entered(within, values, what)
        terms["acted"] = guarded
        terms["conditions"] = place.entered(_column(self.conditions), "condition")
        reads = [s for s in place.symbols.values() if isinstance(s, sp.Symbol) and s.name.startswith("read/")]
        free = {s for part in ("samples", "conditions") for e in terms[part] for s in e.free_symbols}
        terms["reads"] = _column(s for s in reads if s in free)
        terms["flags"] = _column(flags.values())
        terms["given"] = _column(place.symbols[h.symbol] for h in self.clock.holds)
        named = (*self.multipliers, *self.samples, *self.state, *self.holds)
        return BlockClass(
            self.name,
            (),
            place.participants,
            self.law,
            terms,
            (),
            self.variables,
            samples=tuple(taken.values()),
            flags=tuple(flags.values()),
            reads=tuple(terms["reads"]),
            crossings=self.crossings,
            own=self.own,
            held=tuple(s.name for s in (*self.state, *self.holds)),
            reset=tuple(f"{label(x)}_reset" for x in self.resets),
            units=tuple(self.units.get(s, "") for s in named),
        )


def _entered(place: Place, values: sp.Matrix, what: str) -> sp.Matrix:
    """What a block computes over fresh symbols; raises ``ModelError`` for quantities of systems, which are sampled."""
    try:
        return place.entered(values, what)
    except ModelError as error:
        if any(not isinstance(s, sp.Symbol) for s in error.strangers):
            error.fix = "take it as a sample: samples={'x': ...}, and write nsd.sampled('x') here"
        raise


@dataclass(frozen=True)
class BlockClass(RelationClass):
    """Samples of participants; then output, update and held outputs as functions of samples, multipliers, parameters.

    ``samples`` are the symbols of samples in the other terms, ``held`` names what is held: states, then outputs; the
    first ``own`` multipliers are the user's; ``reset`` names the values that states jump to; ``flags`` are symbols that
    say which of ``conditions`` rose through zero, where they are asked for, ``reads`` those of multipliers of others.
    """

    own_step: ClassVar[str] = "block"

    samples: tuple[sp.Symbol, ...] = ()
    held: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    own: int = 0
    reset: tuple[str, ...] = ()
    flags: tuple[sp.Symbol, ...] = ()
    reads: tuple[sp.Symbol, ...] = ()
    crossings: tuple[str, ...] = ()

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Those of every relation, the samples, the flags and what is read of other relations."""
        return super().symbols + self.samples + self.flags + self.reads

    @property
    def height(self) -> int:
        """The rows of the law: those of the output."""
        return int(self.terms["output"].rows)

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Multipliers, samples, states and held outputs, as the user named them."""
        names = [s.name for s in self.multipliers]
        names[: self.own] = as_vector(names[: self.own])
        names += [s.name.rpartition("/")[2] for s in self.samples] + list(self.held)
        return tuple(zip(names, self.units or ("",) * len(names), strict=True))


def pairs(given: Any, what: str, where: str) -> ItemsView[Any, Any]:
    """The entries of a mapping, which may be left out."""
    if given is not None and not isinstance(given, Mapping):
        key = "name" if what == "samples" else "symbol"
        raise ModelError(f"{what} is {given!r}, not a mapping", where=where, fix=f"give {what}={{{key}: value}}")
    return dict(given or {}).items()


def _mapping(given: Any, what: str, where: str) -> dict[sp.Symbol, sp.Expr]:
    return {
        as_symbol(key, what, where): as_expression(value, where=f"{where}, {what}")
        for key, value in pairs(given, what, where)
    }


def _resets(given: Any, where: str) -> dict[sp.Expr, sp.Expr]:
    """States and what they jump to; raises ``ModelError`` for keys that are no functions of time."""
    if not isinstance(given, Mapping):
        raise ModelError(f"resets is {given!r}, not a mapping", where=where, fix="give resets={state: expression}")
    for key in given:
        if not isinstance(key, AppliedUndef | sp.Derivative):
            raise ModelError(
                f"{key!r} is no state of a system",
                where=f"{where}, resets",
                fix="the keys are states, coordinates or their .diff(); a block's own state has an update",
            )
    return {key: as_expression(value, where=f"{where}, resets") for key, value in given.items()}


def _condition(given: Any, where: str) -> Boolean:
    if isinstance(given, bool) or (isinstance(given, Boolean) and not isinstance(given, sp.Symbol)):
        return (sp.true if given else sp.false) if isinstance(given, bool) else given
    raise ModelError(f"guard={given!r} is no condition", where=where, fix="give e.g. guard=nsd.sampled('x') > 1")


def label(state: sp.Expr) -> str:
    """x, or x_dot for a rate."""
    return f"{display(state.args[0])}_dot" if isinstance(state, sp.Derivative) else display(state)


def as_symbol(given: Any, what: str, where: str) -> sp.Symbol:
    """The symbol given; raises ``ModelError`` for anything else."""
    if not isinstance(given, sp.Symbol):
        raise ModelError(f"{given!r} is no symbol", where=f"{where}, {what}", fix="use sympy.Symbol('u'), without time")
    return given


def _column(values: Any) -> sp.Matrix:
    entries = list(values)
    return sp.Matrix(len(entries), 1, entries)
