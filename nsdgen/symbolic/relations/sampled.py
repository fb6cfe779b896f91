"""Sampled blocks: what a digital controller does, at instants of its own, beside continuous systems.

At an instant that is due all pending samples are taken from the state there, then states are updated and outputs held,
block after block (design, section 4). What a block holds is to everybody else a parameter that changes at instants.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from nsdgen.base.checks import finite_number
from nsdgen.base.names import as_vector
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import column, own_symbol
from nsdgen.symbolic.expressions.scope import display, function_symbols
from nsdgen.symbolic.expressions.time import period as period_of_block
from nsdgen.symbolic.expressions.time import sampled
from nsdgen.symbolic.laws.check_law import check_law
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.dependent_bounds import rewritten
from nsdgen.symbolic.relations.relation import Clock, Held, Place, Relation, checked_law
from nsdgen.symbolic.relations.relation_class import RelationClass

__all__ = ["Sampled", "SampledClass"]


@named_arguments
class Sampled(Relation):
    """A block with a discrete state z: z+ = update(t, z, samples, lambda), and outputs held until the next instant.

    Due at offset, offset + period, ... [s] after the start of a run, counted by index. ``samples`` maps names to
    expressions of any system and of held values; ``nsd.sampled(name)`` is the value that was taken. ``state`` lists
    symbols z, ``update`` maps them to their new values, ``holds`` maps symbols u to outputs: functions of samples, of
    the state *before* the update, of what other blocks hold (those before it in the list have acted already), of time,
    parameters and ``nsd.period``. All z and u may be used in every expression of the model; until the first instant
    that is due they are what ``initial`` says (0 by default). With ``multipliers``, ``output`` and ``law`` the block
    solves a one-step problem of its own, e.g. an implicit sliding-mode controller.

    ``guard`` is a condition without which an instant passes and everything stays as it is. ``resets`` maps states of
    systems (states, coordinates, their ``.diff()``) to the values they jump to, functions as those of ``holds``.

    ``computed_by`` is for what has no expressions: a function without arguments that is called at the start of each
    run and gives the function of that run, which is called as f(time, {sample: value}) at each instant and returns
    what ``holds``, then a list of symbols, is from there on. Slow: every instant goes through Python.

    Where the period is no multiple of the run's step, ``between="cut"`` ends steps at instants that are due and
    ``"refuse"`` (the default) refuses the run. ``<name>.period``, ``<name>.offset`` and the initial values
    ``<name>.<z>`` are parameters of the model. Raises ``ModelError`` for what does not fit together.
    """

    clock: Clock

    def __init__(
        self,
        name: str,
        period: float,
        *,
        samples: Mapping[str, Any] | None = None,
        holds: Mapping[sp.Symbol, Any] | Sequence[sp.Symbol] = MappingProxyType({}),
        state: Sequence[sp.Symbol] = (),
        update: Mapping[sp.Symbol, Any] | None = None,
        initial: Mapping[sp.Symbol, Any] | None = None,
        multipliers: Any = (),
        output: Any = (),
        law: Law | None = None,
        offset: float = 0.0,
        between: str = "refuse",
        units: Mapping[Any, str] | None = None,
        resets: Mapping[sp.Expr, Any] | None = None,
        guard: Any = True,
        computed_by: Callable[[], Callable[..., Any]] | None = None,
    ) -> None:
        self.name = name
        where = f"block {name!r}"
        self.computed_by = computed_by
        if computed_by is not None:
            alone = not (state or update or multipliers or output or law or resets) and guard is True
            holds = _computed_holds(holds, computed_by, alone and between == "refuse", where)
        self.period = finite_number(period, model="", where=f"{where}, period")
        self.offset = finite_number(offset, model="", where=f"{where}, offset")
        if self.period <= 0 or self.offset < 0:
            raise ModelError(
                f"period {self.period:g} s, offset {self.offset:g} s",
                where=where,
                fix="give a period > 0 and an offset >= 0",
            )
        if between not in ("refuse", "cut"):
            raise ModelError(f"between={between!r} is unknown", where=where, fix="use 'refuse' or 'cut'")
        self.between, self.units = between, dict(_pairs(units, "units", where))
        self.samples = {
            _named(key, where): as_expression(value, where=f"{where}, samples")
            for key, value in _pairs(samples, "samples", where)
        }
        listed = [state] if isinstance(state, sp.Expr | str) else state
        self.state = tuple(_symbol(z, "state", where) for z in listed)
        self.update = _mapping(update or {}, "update", where)
        self.holds = _mapping(holds, "holds", where)
        self.resets = _resets(resets or {}, where)
        self.guard = _condition(guard, where)
        self._check(where)
        known = {*self.state, *self.holds}
        self.initial = {
            _symbol(key, "initial", where): finite_number(value, model="", where=f"{where}, initial {key}")
            for key, value in _pairs(initial, "initial", where)
        }
        if strangers := [s for s in self.initial if s not in known]:
            raise ModelError(
                f"{strangers[0]} is neither a state nor held",
                where=f"{where}, initial",
                fix="the keys are those of state and holds",
            )
        many = isinstance(multipliers, Sequence | sp.MatrixBase)
        self.multipliers = tuple(multipliers) if many else (multipliers,)
        self.output = (
            column(output, where=f"{where}, output", rows=len(self.multipliers)) if self.multipliers else sp.zeros(0, 1)
        )
        self.law = Equality() if law is None else checked_law(law, where)
        if (law is None) != (not self.multipliers) or self.law.of_rates:
            raise ModelError(
                "multipliers, output and law belong together",
                where=where,
                fix="give all three, with a law that is not about rates, or none",
            )
        if self.multipliers:
            check_law(self.law, len(self.multipliers), where)
        varying = {*map(sampled, self.samples), *self.state, *self.holds}
        self.own = len(self.multipliers)
        if (found := rewritten(self.law, self.multipliers, self.output, varying)) is not None:
            self.multipliers += found.multipliers
            self.output, self.law = found.output, found.law
        self.variables = function_symbols(self.multipliers, where=f"{where}, multipliers") if self.multipliers else ()
        self.clock = Clock(
            Held(own_symbol("period", name), f"{name}.period", self.period, "s"),
            Held(own_symbol("offset", name), f"{name}.offset", self.offset, "s"),
            tuple(
                Held(s, f"{name}.{s.name}", self.initial.get(s, 0.0), self.units.get(s, ""))
                for s in (*self.state, *self.holds)
            ),
            between == "cut",
            computed_by is not None,
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
        """The samples, and the states that are reset: the systems that occur in them take part."""
        return [*self.samples.values(), *self.resets]

    def describe(self, place: Place) -> SampledClass:
        """The class of this block over fresh symbols."""
        taken = {sampled(name): own_symbol("sample", name) for name in self.samples}
        known = {**place.symbols, period_of_block: place.symbols[self.clock.period.symbol]}
        inside = (
            {s: e for s, e in known.items() if isinstance(s, sp.Symbol)}
            | taken
            | dict(zip(self.multipliers, self.variables, strict=True))
        )
        terms = {"samples": replace(place, symbols=known).entered(_column(self.samples.values()), "samples")}
        kept = [(z, self.update[z]) for z in self.state] + list(self.holds.items())
        acts = self.guard is sp.true
        new = {symbol: value if acts else sp.Piecewise((value, self.guard), (symbol, True)) for symbol, value in kept}
        for what, values in (
            ("output", self.output),
            ("update", _column(new[z] for z in self.state)),
            ("holds", _column(new[u] for u in self.holds)),
            ("resets", _column(self.resets.values())),
            ("acted", _column([] if acts else [sp.Piecewise((1, self.guard), (0, True))])),
        ):
            terms[what] = _entered(replace(place, symbols=inside), values, what)
        terms["given"] = _column(place.symbols[h.symbol] for h in self.clock.holds)
        named = (*self.multipliers, *self.samples, *self.state, *self.holds)
        return SampledClass(
            self.name,
            (),
            place.participants,
            self.law,
            terms,
            (),
            self.variables,
            samples=tuple(taken.values()),
            own=self.own,
            held=tuple(s.name for s in (*self.state, *self.holds)),
            reset=tuple(f"{_label(x)}_reset" for x in self.resets),
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
class SampledClass(RelationClass):
    """Samples of participants; then output, update and held outputs as functions of samples, multipliers, parameters.

    ``samples`` are the symbols of samples in the other terms, ``held`` names what is held: states, then outputs; the
    first ``own`` multipliers are the user's; ``reset`` names the values that states jump to.
    """

    own_step: ClassVar[str] = "block"

    samples: tuple[sp.Symbol, ...] = ()
    held: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    own: int = 0
    reset: tuple[str, ...] = ()

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Those of every relation, and the samples."""
        return super().symbols + self.samples

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


def _pairs(given: Any, what: str, where: str) -> ItemsView[Any, Any]:
    """The entries of a mapping, which may be left out."""
    if given is not None and not isinstance(given, Mapping):
        key = "name" if what == "samples" else "symbol"
        raise ModelError(f"{what} is {given!r}, not a mapping", where=where, fix=f"give {what}={{{key}: value}}")
    return dict(given or {}).items()


def _mapping(given: Any, what: str, where: str) -> dict[sp.Symbol, sp.Expr]:
    return {
        _symbol(key, what, where): as_expression(value, where=f"{where}, {what}")
        for key, value in _pairs(given, what, where)
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


def _computed_holds(holds: Any, factory: Any, alone: bool, where: str) -> dict[sp.Symbol, sp.Expr]:
    """What a function computes stays what it is in between; raises ``ModelError`` for what does not go together."""
    if not callable(factory):
        raise ModelError(
            f"computed_by={factory!r} cannot be called",
            where=where,
            fix="give a function without arguments that gives the function f(time, samples) of a run",
        )
    if isinstance(holds, Mapping) or not isinstance(holds, Sequence) or not alone:
        raise ModelError(
            "a function computes it, and expressions besides",
            where=where,
            fix="with computed_by=..., holds is a list of symbols; states and conditions are the "
            "function's own, and between='refuse'",
        )
    return {_symbol(u, "holds", where): u for u in holds}


def _condition(given: Any, where: str) -> Boolean:
    if isinstance(given, bool) or (isinstance(given, Boolean) and not isinstance(given, sp.Symbol)):
        return (sp.true if given else sp.false) if isinstance(given, bool) else given
    raise ModelError(f"guard={given!r} is no condition", where=where, fix="give e.g. guard=nsd.sampled('x') > 1")


def _label(state: sp.Expr) -> str:
    """x, or x_dot for a rate."""
    return f"{display(state.args[0])}_dot" if isinstance(state, sp.Derivative) else display(state)


def _symbol(given: Any, what: str, where: str) -> sp.Symbol:
    if not isinstance(given, sp.Symbol):
        raise ModelError(f"{given!r} is no symbol", where=f"{where}, {what}", fix="use sympy.Symbol('u'), without time")
    return given


def _named(given: Any, where: str) -> str:
    if not isinstance(given, str) or not given.isidentifier():
        raise ModelError(
            f"{given!r} is no name of a sample", where=f"{where}, samples", fix="use e.g. samples={'e': r - x}"
        )
    return given


def _column(values: Any) -> sp.Matrix:
    entries = list(values)
    return sp.Matrix(len(entries), 1, entries)
