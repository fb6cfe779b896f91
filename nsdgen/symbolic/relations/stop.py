"""Where a run ends before its time: an expression of the state that becomes zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError, of_model
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.relation import Place, Relation
from nsdgen.symbolic.relations.relation_class import RelationClass
from nsdgen.symbolic.relations.reset import risen

DIRECTIONS = ("both", "rising", "falling")


@named_arguments
class StopWhen(Relation):
    """A run ends at the first instant, to rounding, at which ``value`` changes its sign after the start.

    ``value`` is an expression of time, parameters and the coordinates, velocities or states of any systems;
    ``direction`` is ``"both"``, ``"rising"`` or ``"falling"``. It may be a condition, too, inequalities joined by ``&``
    and ``|``: a run ends where it comes true, as with :class:`Reset`; one that is true at the start, or stays true,
    ends nothing. A value that is zero where a step starts is not looked at in that step. Raises ``ModelError`` for what
    is no expression and for another direction.
    """

    def __init__(self, value: Any, direction: str = "both", name: str = "stop") -> None:
        self.name, self.direction, self.law = name, direction, Equality()
        where = f"stop_when {name!r}"
        if isinstance(value, bool | sp.logic.boolalg.Boolean) and not isinstance(value, sp.Symbol):
            if direction not in ("both", "rising"):
                raise ModelError(
                    f"a condition and direction={direction!r}",
                    where=where,
                    fix="leave the direction out: a condition comes true in one",
                )
            value, self.direction = risen(value, "stop_when", where), "rising"
        self.value = as_expression(value, where=where)
        if not isinstance(self.value, sp.Expr):
            raise ModelError(
                f"{value!r} is no expression",
                where=where,
                fix="give an expression whose zero ends the run: stop_when=z - 0.1",
            )
        if direction not in DIRECTIONS:
            raise ModelError(
                f"direction={direction!r} is unknown", where=where, fix=f"use one of {', '.join(map(repr, DIRECTIONS))}"
            )

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The expression: the systems that occur in it are looked at."""
        return [self.value]

    def describe(self, place: Place) -> StopClass:
        """The class of this condition over fresh symbols."""
        value = place.entered([self.value], "value")
        return StopClass(self.name, (), place.participants, self.law, {"value": value}, direction=self.direction)


@dataclass(frozen=True)
class StopClass(RelationClass):
    """A quantity, the term ``value``, that ends a run where it is zero, in a direction; it acts on nothing."""

    needs: ClassVar[tuple[str, ...]] = ("value",)
    own_step: ClassVar[str] = "stop"
    ends_run: ClassVar[bool] = True

    direction: str = field(default="both", kw_only=True)

    def expressions(self) -> tuple[sp.Basic, ...]:
        """The value and the direction."""
        return (*super().expressions(), sp.Symbol(self.direction))


def stops_of(given: Any, model: str) -> list[StopWhen]:
    """What ``stop_when=`` of a model says: one expression or condition, or a list of them, with names of their own."""
    items = list(given) if isinstance(given, list | tuple) else [] if given is None else [given]
    with of_model(model):
        return [
            item if isinstance(item, StopWhen) else StopWhen(item, name="stop" if len(items) == 1 else f"stop {number}")
            for number, item in enumerate(items, 1)
        ]
