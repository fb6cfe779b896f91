"""Nonsmooth laws: which combination of rate, remembered rate and multiplier lives in which cone.

A law maps the rate ``u`` at the end of the step, the remembered rate ``u_k`` and the
multiplier to the rows ``y`` of the one-step problem, and names the cone of the pair
(y, lambda). Coefficients are *slots*: symbols whose value every relation gives for itself.
The laws of impacts with friction are in :mod:`nsdgen.symbolic.laws.friction`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import sympy as sp

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.checks import check_dataclass
from nsdgen.errors import ModelError
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.expressions.conversion import as_entries, as_expression
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.laws.characteristic import Characteristic, characteristics_of_cones
from nsdgen.symbolic.laws.disk import Disk, disks_of_cones

__all__ = ["Box", "Complementarity", "Equality", "ImpactLaw", "Law", "Mixed", "NewtonImpact", "Relay", "Slot",
           "coefficient"]

_FIX_VALUE = "give a number, a parameter, or an expression of parameters"


@dataclass(frozen=True)
class Slot:
    """A coefficient or constructor argument of a relation: its symbol, value and range."""

    symbol: sp.Symbol
    value: sp.Expr
    min: float | None = None
    max: float | None = None
    unit: str = ""


def coefficient(law: str, name: str, value: Any, low: float | None = None, high: float | None = None,
                fix: str = "") -> Slot:
    """The slot of a law's coefficient; raises ``ModelError`` for a number outside [low, high].

    ``value`` is a number, a parameter or an expression of parameters, whose value is checked
    against the range whenever a run starts. A coefficient of a friction cone whose ``high`` is
    ``nsdgen.abi.NO_SLIP`` may be infinite.
    """
    where = f"law {law}"
    expr = as_expression(value, where=f"{where}, {name}")
    if not isinstance(expr, sp.Expr):
        raise ModelError(f"{name} {value!r} is not an expression", where=where, fix=_FIX_VALUE)
    if high == NO_SLIP and expr == sp.oo:
        expr = sp.Float(NO_SLIP)
    if expr.is_number:
        number = float(expr) if expr.is_extended_real else None
        if number is None or (low is not None and number < low) or (high is not None and number > high) \
                or not expr.is_finite:
            end = "infinity" if high in (None, NO_SLIP) else format(high, "g")
            wanted = f"[{low:g}, {end}]" if low is not None else "numbers"
            raise ModelError(f"{name} {value} lies outside {wanted}", where=where, fix=fix)
    # "/" keeps it apart from users' names
    return Slot(sp.Symbol(f"law/{name}", real=True), expr, low, high, "1")


@dataclass(frozen=True)
class Law:
    """The base of all laws; ``unilateral`` laws are in play only where the relation is active.

    A law says ``cone`` (or :meth:`cones`), or gives a :meth:`natural_map`; one that does neither is refused.
    ``of_rates`` laws are laws of contacts: they read a rate and the remembered one. Such a law
    takes one of the numbers of ``tangents`` as tangential rates and ``rolling`` rolling rates, the last of them about
    the normal where it is ``drilling``. ``instantaneous`` laws
    are about impacts alone: the schemes that take them have a stage in which no force acts. Laws are frozen
    dataclasses; raises ``ModelError`` for a subclass with fields or a constructor that is none.
    """

    cone: Cone | None = field(init=False, default=None)
    unilateral: bool = field(init=False, default=False)
    of_rates: bool = field(init=False, default=False)
    tangents: tuple[int, ...] = field(init=False, default=())
    rolling: int = field(init=False, default=0)
    drilling: bool = field(init=False, default=False)
    instantaneous: bool = field(init=False, default=False)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The bare law; raises ``ModelError`` for fields that are none because the class is no dataclass."""
        check_dataclass(cls, Law, "law")
        return super().__new__(cls)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The law's coefficients, in the order of its constructor."""
        return ()

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """The cone of each block of rows, in order: (cone, number of rows).

        Raises ``ModelError`` for a law that has none.
        """
        if self.cone is None:
            raise ModelError("has neither a cone nor a natural map", where=f"law {type(self).__name__}",
                             fix="write cone = Cone.EQUALITY, Cone.COMPLEMENTARITY, ..., or give natural_map(rows, "
                                 "multiplier) and return what it finds")
        return ((self.cone, rows),)

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """y as a function of the rate at the end of the step and the remembered one."""
        return rate

    def natural_map(self, rows: sp.Matrix, multiplier: sp.Matrix) -> sp.Matrix | None:
        """A map of y and lambda whose zeros are the law's, where no cone of :class:`nsdgen.abi.Cone` is; else None.

        As many entries as rows, over the slots: it is solved as equality rows by semismooth Newton, differentiated
        branch by branch.
        """
        return None

    def own_multipliers(self, rows: int) -> tuple[str, ...]:
        """The names of multipliers that the law needs besides those of its relation, which solve rows of their own."""
        return ()

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """What the one-step problem imposes: rows in the law's cones, or its natural map as equations.

        ``multiplier`` are those of the relation, then the law's own ones; there are as many rows and cones as of both.
        """
        natural = self.natural_map(rows, multiplier)
        return (rows, self.cones(rows.rows)) if natural is None else (natural, ((Cone.EQUALITY, rows.rows),))

    def sizes(self, multiplier: sp.Matrix) -> tuple[sp.Expr, ...]:
        """What each imposed row is compared with at least, besides its own terms, which may all vanish; none: nothing.

        A row of friction at rest is zero beside its bound.
        """
        return ()

    def disks(self, multiplier: sp.Matrix) -> tuple[Disk, ...] | None:
        """What friction its rows bear while forces act, over the slots: for motion from event to event.

        By default that of its cone of friction; none for laws of complementarity and equality. ``None`` says nothing:
        a scheme that integrates smooth motion between impacts then refuses the law where it has tangents.
        """
        if type(self).natural_map is not Law.natural_map or type(self).imposed is not Law.imposed:
            return None if self.tangents or self.rolling else ()
        return disks_of_cones(self.cones(multiplier.rows), self.bounds(multiplier.rows), list(multiplier))

    def characteristics(self, rows: int, bounds: Sequence[sp.Expr]) -> tuple[Characteristic | None, ...]:
        """The curve of each row, over the slots: for outputs of which forces have no hold but on their derivatives.

        ``bounds`` are what :meth:`bounds` gives. ``None`` for rows that share a cone, and for laws that do not say.
        """
        if type(self).natural_map is not Law.natural_map or type(self).imposed is not Law.imposed:
            return (None,) * rows
        return characteristics_of_cones(self.cones(rows), bounds)

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """The least and the largest impulse that each row passes on in an instant, in which finite forces do nothing.

        Zero both where the multiplier is bounded; ``None`` where that is not known, as of a natural map.
        """
        if type(self).natural_map is not Law.natural_map or type(self).imposed is not Law.imposed:
            return None
        of = {Cone.EQUALITY: (-sp.oo, sp.oo), Cone.COMPLEMENTARITY: (sp.S.Zero, sp.oo)}
        known = [of.get(cone) for cone, height in self.cones(rows) for _ in range(height)]
        return None if None in known else [pair for pair in known if pair]

    @property
    def expansion(self) -> sp.Expr | None:
        """The share of its impulse of compression that an instantaneous law gives back; None: no phases."""
        return None

    def expansion_multipliers(self, rows: int) -> tuple[str, ...]:
        """What is solved for in the phase of expansion, by the names of its columns; see :meth:`expanded`."""
        return ("expansion",) if rows == 1 else tuple(f"expansion[{i}]" for i in range(rows))

    def expanded(self, rate: sp.Matrix, more: sp.Matrix, stored: sp.Matrix) -> tuple[
            sp.Matrix, tuple[tuple[Cone, int], ...], sp.Matrix, tuple[sp.Expr, ...]]:
        """The phase of expansion: rows, their cones, the impulse of the phase, and what the cones take besides.

        Functions of the rates after it, what is solved for (:meth:`expansion_multipliers`), and the impulse of
        compression. Raises ``ModelError`` for a law that states :attr:`expansion` without it.
        """
        raise ModelError("states expansion, but not what its phase is", where=f"law {type(self).__name__}",
                         fix="give expanded(rate, more, stored) too: rows, their cones, the impulse and the bounds")

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """What the cones of :meth:`cones` need besides (see :class:`nsdgen.abi.Cone`), block after block.

        Expressions over the slots; those that move with time are in the user's symbols.
        """
        return ()


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
                raise ModelError(f"the box [{low}, {high}] of row {i} is empty", where="law Box",
                                 fix="give a lower bound that is not above the upper one")

    @staticmethod
    def at(bounds: tuple[sp.Expr, ...], row: int) -> sp.Expr:
        """The bound of a row among ``lower`` or ``upper``."""
        return bounds[row] if row < len(bounds) else bounds[-1]

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """One block; raises ``ModelError`` unless there is one bound for all ``rows`` or one for each."""
        for bounds in (self.lower, self.upper):
            if len(bounds) not in (1, rows):
                raise ModelError(f"{len(bounds)} bounds for {rows} rows", where="law Box",
                                 fix="give one bound for all rows, or one for each")
        return super().cones(rows)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The bounds in which instances may differ, the finite ones that do not move: lower ones, then upper ones."""
        pairs = [(name, bounds) for name, bounds in (("lower", self.lower), ("upper", self.upper))]
        return tuple(Slot(_slot_symbol(name, i, len(bounds)), value)
                     for name, bounds in pairs for i, value in enumerate(bounds) if _is_slot(value))

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """Lower and upper bound of one row after the other: slots, or the infinite or moving bound itself."""

        def at(name: str, bounds: tuple[sp.Expr, ...], row: int) -> sp.Expr:
            i = min(row, len(bounds) - 1)
            return _slot_symbol(name, i, len(bounds)) if _is_slot(bounds[i]) else bounds[i]

        return tuple(e for i in range(rows) for e in (at("lower", self.lower, i), at("upper", self.upper, i)))

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Infinite bounds stay, others are zero."""
        return [tuple(e if (e := self.at(side, i)) in (sp.oo, -sp.oo) else sp.S.Zero  # type: ignore[misc]
                      for side in (self.lower, self.upper)) for i in range(rows)]


@named_arguments
def Relay(level: Any = 1) -> Box:
    """lambda in -level Sgn(y): a box [-level, level], ``level`` >= 0 as for :class:`Box`."""
    values = tuple(_bound("level", v) for row in as_entries(level, where="law Relay") for v in row)
    return Box(tuple(-v for v in values), values)


@named_arguments
@dataclass(frozen=True)
class Mixed(Law):
    """One law for each row of a relation: ``Mixed([Equality()] * 5 + [Box(-1, 1)] * 4)``."""

    parts: Sequence[Law] = ()

    def __post_init__(self) -> None:
        wrong = [p for p in self.parts if not isinstance(p, Law) or p.of_rates or _has_multipliers(p)]
        if wrong or not self.parts:
            what = (type(wrong[0]).__name__ if isinstance(wrong[0], Law) else repr(wrong[0])) if wrong else "nothing"
            raise ModelError(f"{what} cannot be mixed", where="law Mixed",
                             fix="list nsd.Equality(), nsd.Complementarity(), nsd.Box(...) or laws of your own that "
                                 "are not about rates, one for each row; a law of several rows wants a relation of its "
                                 "own")
        object.__setattr__(self, "parts", tuple(self.parts))

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """A block of one row for each law; raises ``ModelError`` where these are not as many as ``rows``."""
        self.check_count(rows)
        return tuple(block for part in self.parts for block in part.cones(1))

    def check_count(self, rows: int) -> None:
        """Raise ``ModelError`` where there are not as many laws as ``rows``."""
        if len(self.parts) != rows:
            raise ModelError(f"{len(self.parts)} laws for {rows} rows", where="law Mixed",
                             fix="give one law for each row of the output")

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """The row of each law, over the numbered slots."""
        return sp.Matrix([e for i, part in enumerate(self.parts)
                          for e in sp.Matrix(part.rows(rate[i:i + 1, :], last_rate[i:i + 1, :])).xreplace(
                              self._number(i))])

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """What each law imposes on its row, over the numbered slots; as many rows as laws."""
        self.check_count(rows.rows)
        found = [part.imposed(rows[i:i + 1, :], multiplier[i:i + 1, :]) for i, part in enumerate(self.parts)]
        values = [e for i, (value, _) in enumerate(found) for e in sp.Matrix(value).xreplace(self._number(i))]
        return sp.Matrix(values), tuple(block for _, blocks in found for block in blocks)

    def characteristics(self, rows: int, bounds: Sequence[sp.Expr]) -> tuple[Characteristic | None, ...]:
        """The curve of each law, over the numbered slots."""
        self.check_count(rows)
        found: list[Characteristic | None] = []
        given = list(bounds)
        for i, part in enumerate(self.parts):
            count = len(part.bounds(1))
            curve, = part.characteristics(1, given[:count])
            given = given[count:]
            found.append(None if curve is None else curve.replaced(self._number(i)))
        return tuple(found)

    def _number(self, row: int) -> dict[sp.Symbol, sp.Symbol]:
        """The symbols of the slots of a row, and what they are called here."""
        return {s.symbol: _numbered(s.symbol, row) for s in self.parts[row].slots}

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of all laws, row after row, their symbols numbered by the row."""
        return tuple(Slot(_numbered(s.symbol, i), s.value, s.min, s.max, s.unit)
                     for i, part in enumerate(self.parts) for s in part.slots)

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """The bounds of all laws, row after row, over the numbered slots."""
        return tuple(e.xreplace(self._number(i)) for i, part in enumerate(self.parts) for e in part.bounds(1))

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Those of each law; not known where one of them is not."""
        found = [part.impulses(1) for part in self.parts]
        return None if None in found else [pair for pairs in found if pairs for pair in pairs]


@dataclass(frozen=True)
class ImpactLaw(Law):
    """What laws of impacts share: rows are rates of contacts, and what cannot be a coefficient is refused at once."""

    unilateral: bool = field(init=False, default=True)
    of_rates: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self.slots  # noqa: B018  refuses what cannot be a coefficient


@named_arguments
@dataclass(frozen=True)
class NewtonImpact(ImpactLaw):
    """Newton's impact law: 0 <= u + e u_k orthogonal to the impulse >= 0 (developer notes, eq. 12.2).

    ``restitution`` e is a number, a parameter or an expression of parameters; its
    value must lie in [0, 1] and is checked whenever a run starts.
    """

    restitution: Any = 0
    cone: Cone | None = field(init=False, default=Cone.COMPLEMENTARITY)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """e; raises ``ModelError`` for a number outside [0, 1]."""
        return (coefficient("NewtonImpact", "restitution", self.restitution, 0.0, 1.0,
                            "0 is a plastic impact, 1 conserves the relative speed"),)

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """y = u + e u_k."""
        return rate + self.slots[0].symbol * last_rate


def _bound(name: str, value: Any) -> sp.Expr:
    expr = as_expression(value, where=f"law Box, {name}")
    if not isinstance(expr, sp.Expr) or expr is sp.nan or (expr.is_number and not expr.is_extended_real):
        raise ModelError(f"the bound {name} = {value!r} is no real number", where="law Box",
                         fix="give numbers, parameters or expressions of time and parameters; sympy.oo is infinity")
    return expr


def _has_multipliers(law: Law) -> bool:
    """Whether a law is stated with multipliers of its own, and so for a whole relation."""
    return type(law).own_multipliers is not Law.own_multipliers


def _is_slot(value: sp.Expr) -> bool:
    """Whether instances may differ in this bound: it is finite and does not move."""
    return value not in (sp.oo, -sp.oo) and not value.has(time)


def _slot_symbol(name: str, row: int, count: int) -> sp.Symbol:
    return sp.Symbol(f"law/{name}" if count == 1 else f"law/{name}{row}", real=True)


def _numbered(symbol: sp.Symbol, row: int) -> sp.Symbol:
    return sp.Symbol(f"{symbol.name}_{row}", real=True)
