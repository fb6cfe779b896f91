"""Laws whose rows each stand alone: equality, complementarity, a box, a relay."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_entries, as_expression
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.laws.law import Law, Slot


@named_arguments
@dataclass(frozen=True)
class Equality(Law):
    """y = 0, the multiplier is free."""

    cone: Cone | None = field(init=False, default=Cone.EQUALITY)


@named_arguments
@dataclass(frozen=True)
class Complementarity(Law):
    """0 <= y orthogonal to lambda >= 0; for a contact, a plastic (restitution 0) one."""

    cone: Cone | None = field(init=False, default=Cone.COMPLEMENTARITY)
    unilateral: bool = field(init=False, default=True)


@named_arguments
@dataclass(frozen=True)
class Box(Law):
    """-y in N_[lower, upper](lambda): lambda = lower where y > 0, upper where y < 0, between them y = 0.

    ``lower`` and ``upper`` are one value for all rows or a list of one for each row: numbers (also
    infinite ones), parameters, or expressions of time and parameters. Of a relation by output and reaction they
    may also depend on its states and multipliers: that is rewritten
    (:mod:`nsdgen.symbolic.relations.dependent_bounds`). The convention is that of
    ``nsdgen.solvers.solve_box`` with w = y, z = lambda. Raises ``ModelError`` where a lower bound
    lies above the upper one; bounds given by parameters are compared when a run starts.
    """

    not_for_contacts = (
        "a contact cannot have bounds of its multiplier",
        "use nsd.Box in a nsd.FirstOrderRelation; for friction use nsd.NewtonImpactFriction",
    )

    lower: Any = 0
    upper: Any = 0
    cone: Cone | None = field(init=False, default=Cone.BOX)

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            values = [e for row in as_entries(getattr(self, name), where=f"law Box, {name}") for e in row]
            if not values:
                raise ModelError(f"{name} is an empty list", where="law Box", fix="give one bound for each row")
            object.__setattr__(self, name, tuple(_bound(name, v) for v in values))
        for i in range(max(len(self.lower), len(self.upper))):
            low, high = self.at(self.lower, i), self.at(self.upper, i)
            if low == sp.oo or high == -sp.oo or (low.is_number and high.is_number and not low <= high):
                raise ModelError(
                    f"the box [{low}, {high}] of row {i} is empty",
                    where="law Box",
                    fix="give a lower bound that is not above the upper one",
                )

    @staticmethod
    def at(bounds: tuple[sp.Expr, ...], row: int) -> sp.Expr:
        """The bound of a row among ``lower`` or ``upper``."""
        return bounds[row] if row < len(bounds) else bounds[-1]

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """One block; raises ``ModelError`` unless there is one bound for all ``rows`` or one for each."""
        for bounds in (self.lower, self.upper):
            if len(bounds) not in (1, rows):
                raise ModelError(
                    f"{len(bounds)} bounds for {rows} rows",
                    where="law Box",
                    fix="give one bound for all rows, or one for each",
                )
        return super().cones(rows)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The bounds in which instances may differ, the finite ones that do not move: lower ones, then upper ones."""
        pairs = [(name, bounds) for name, bounds in (("lower", self.lower), ("upper", self.upper))]
        return tuple(
            Slot(_slot_symbol(name, i, len(bounds)), value)
            for name, bounds in pairs
            for i, value in enumerate(bounds)
            if _is_slot(value)
        )

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """Lower and upper bound of one row after the other: slots, or the infinite or moving bound itself."""

        def at(name: str, bounds: tuple[sp.Expr, ...], row: int) -> sp.Expr:
            i = min(row, len(bounds) - 1)
            return _slot_symbol(name, i, len(bounds)) if _is_slot(bounds[i]) else bounds[i]

        return tuple(e for i in range(rows) for e in (at("lower", self.lower, i), at("upper", self.upper, i)))

    def boxes(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr] | None]:
        """The bounds of each row."""
        return [(self.at(self.lower, i), self.at(self.upper, i)) for i in range(rows)]

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Infinite bounds stay, others are zero."""
        return [
            tuple(
                e if (e := self.at(side, i)) in (sp.oo, -sp.oo) else sp.S.Zero  # type: ignore[misc]
                for side in (self.lower, self.upper)
            )
            for i in range(rows)
        ]


@named_arguments
def Relay(level: Any = 1) -> Box:
    """lambda in -level Sgn(y): a box [-level, level], ``level`` >= 0 as for :class:`Box`."""
    values = tuple(_bound("level", v) for row in as_entries(level, where="law Relay") for v in row)
    negative = [v for v in values if v.is_number and v < 0]
    if negative:
        raise ModelError(
            f"the level {negative[0]} is negative",
            where="law Relay",
            fix="give a level of at least 0; for the other sign change that of the reaction",
        )
    return Box(tuple(-v for v in values), values)


def _bound(name: str, value: Any) -> sp.Expr:
    expr = as_expression(value, where=f"law Box, {name}")
    if not isinstance(expr, sp.Expr) or expr is sp.nan or (expr.is_number and not expr.is_extended_real):
        raise ModelError(
            f"the bound {name} = {value!r} is no real number",
            where="law Box",
            fix="give numbers, parameters or expressions of time and parameters; sympy.oo is infinity",
        )
    return expr


def _is_slot(value: sp.Expr) -> bool:
    """Whether instances may differ in this bound: it is finite and does not move."""
    return value not in (sp.oo, -sp.oo) and not value.has(time)


def _slot_symbol(name: str, row: int, count: int) -> sp.Symbol:
    return sp.Symbol(f"law/{name}" if count == 1 else f"law/{name}{row}", real=True)
