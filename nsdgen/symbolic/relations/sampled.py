"""Sampled blocks: what a digital controller does, at instants of its own, beside continuous systems.

At an instant that is due all pending samples are taken from the state there, then states are updated and outputs held,
block after block (design, section 4). What a block holds is to everybody else a parameter that changes at instants.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import sympy as sp

from nsdgen.base.checks import finite_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import column, own_symbol
from nsdgen.symbolic.expressions.scope import function_symbols
from nsdgen.symbolic.expressions.time import sampled
from nsdgen.symbolic.laws.check_law import check_law
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.block import BlockRelation, as_symbol, pairs
from nsdgen.symbolic.relations.dependent_bounds import rewritten
from nsdgen.symbolic.relations.output_relation import listed_multipliers
from nsdgen.symbolic.relations.relation import Clock, Held, checked_law


@named_arguments
class Sampled(BlockRelation):
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
        self.period = finite_number(period, where=f"{where}, period")
        self.offset = finite_number(offset, where=f"{where}, offset")
        if self.period <= 0 or self.offset < 0:
            raise ModelError(
                f"period {self.period:g} s, offset {self.offset:g} s",
                where=where,
                fix="give a period > 0 and an offset >= 0",
            )
        if between not in ("refuse", "cut"):
            raise ModelError(f"between={between!r} is unknown", where=where, fix="use 'refuse' or 'cut'")
        self.between = between
        self.samples = {
            _named(key, where): as_expression(value, where=f"{where}, samples")
            for key, value in pairs(samples, "samples", where)
        }
        held = self.keep(
            where, state=state, update=update, holds=holds, resets=resets, guard=guard, initial=initial, units=units
        )
        self.multipliers = listed_multipliers(multipliers, where)
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
            held,
            between == "cut",
            computed_by is not None,
        )


def _named(given: Any, where: str) -> str:
    if not isinstance(given, str) or not given.isidentifier():
        raise ModelError(
            f"{given!r} is no name of a sample", where=f"{where}, samples", fix="use e.g. samples={'e': r - x}"
        )
    return given


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
    return {as_symbol(u, "holds", where): u for u in holds}
