"""Nonsmooth laws: which combination of rate, remembered rate and multiplier lives in which cone.

A law maps the rate ``u`` at the end of the step, the remembered rate ``u_k`` and the
multiplier to the rows ``y`` of the one-step problem, and names the cone of the pair
(y, lambda). Coefficients are *slots*: symbols whose value every relation gives for itself.
Those for rows that each stand alone are in :mod:`nsdgen.symbolic.laws.rows`, of rows with a law each in
:mod:`nsdgen.symbolic.laws.mixed`, of impacts in :mod:`nsdgen.symbolic.laws.impacts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

import sympy as sp

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.base.checks import check_dataclass
from nsdgen.base.names import numbered
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.laws.characteristic import Characteristic, characteristics_of_cones
from nsdgen.symbolic.laws.disk import Disk, disks_of_cones

_FIX_VALUE = "give a number, a parameter, or an expression of parameters"


@dataclass(frozen=True)
class Slot:
    """A coefficient or constructor argument of a relation: its symbol, value and range."""

    symbol: sp.Symbol
    value: sp.Expr
    min: float | None = None
    max: float | None = None
    unit: str = ""


def coefficient(
    law: str, name: str, value: Any, low: float | None = None, high: float | None = None, fix: str = ""
) -> Slot:
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
        if (
            number is None
            or (low is not None and number < low)
            or (high is not None and number > high)
            or not expr.is_finite
        ):
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

    not_for_contacts: ClassVar[tuple[str, str]] = ("", "")
    """Of laws that contacts cannot have: why, and what to use instead."""

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
            raise ModelError(
                "has neither a cone nor a natural map",
                where=f"law {type(self).__name__}",
                fix="write cone = Cone.EQUALITY, Cone.COMPLEMENTARITY, ..., or give natural_map(rows, "
                "multiplier) and return what it finds",
            )
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

    def in_steps(self) -> Law:
        """The same law as schemes impose it that make steps of all rows together; by default itself."""
        return self

    def own_bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """What the cones of its own multipliers need besides, after :meth:`bounds`."""
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
        return numbered("expansion", rows)

    def expanded(
        self, rate: sp.Matrix, more: sp.Matrix, stored: sp.Matrix
    ) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...], sp.Matrix, tuple[sp.Expr, ...]]:
        """The phase of expansion: rows, their cones, the impulse of the phase, and what the cones take besides.

        Functions of the rates after it, what is solved for (:meth:`expansion_multipliers`), and the impulse of
        compression. Raises ``ModelError`` for a law that states :attr:`expansion` without it.
        """
        raise ModelError(
            "states expansion, but not what its phase is",
            where=f"law {type(self).__name__}",
            fix="give expanded(rate, more, stored) too: rows, their cones, the impulse and the bounds",
        )

    def each(self, rows: int) -> Sequence[Law]:
        """The law of each row, where these stand alone."""
        return [self] * rows

    def boxes(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr] | None]:
        """Lower and upper bound of the multiplier of each row as the user wrote them; None for a row in no box."""
        return [None] * rows

    @property
    def polytope(self) -> tuple[sp.Matrix, sp.Matrix] | None:
        """H and K of the set {lambda: H lambda <= K} that all multipliers together are in, as the user wrote them."""
        return None

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """What the cones of :meth:`cones` need besides (see :class:`nsdgen.abi.Cone`), block after block.

        Expressions over the slots; those that move with time are in the user's symbols.
        """
        return ()


FRICTION = "a friction coefficient is not negative"
RANGES: Mapping[str, tuple[float, float | None, str]] = {
    "restitution": (0.0, 1.0, "0 is a plastic impact, 1 conserves the relative speed"),
    "friction": (0.0, NO_SLIP, FRICTION),
    "rolling_friction": (0.0, NO_SLIP, FRICTION),
    "torsional_friction": (0.0, None, FRICTION),
    "tangential_restitution": (-1.0, 1.0, "1 reverses the rate of a contact that sticks, 0 stops it, -1 keeps it"),
    "exchange": (1e-300, None, "give about the mass of the bodies"),
    "radius": (1e-300, None, "give a length in m that is above 0"),
}
"""Of the coefficients of laws of impacts: least and largest value, and what to give."""


@dataclass(frozen=True)
class ImpactLaw(Law):
    """What laws of impacts share: rows are rates of contacts, and what cannot be a coefficient is refused at once.

    ``ranges`` are those of coefficients that have others than :data:`RANGES`: least and largest value, what to give.
    The rates of normals are weighed by a ``restitution`` e, those of tangents by a ``tangential_restitution`` e_T.
    """

    ranges: ClassVar[Mapping[str, tuple[float, float | None, str]]] = {}

    unilateral: bool = field(init=False, default=True)
    of_rates: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self.slots  # noqa: B018  refuses what cannot be a coefficient

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The coefficients of the constructor that have a range, in its order: other fields are written into the rows.

        Raises ``ModelError`` for numbers out of range.
        """
        ranges = {**RANGES, **self.ranges}
        return self.checked(*(f.name for f in fields(self) if f.init and f.name in ranges))

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """One cone for all rows; Coulomb's for two rows is that of a contact in the plane."""
        ((cone, _),) = super().cones(rows)
        return ((Cone.COULOMB_2D if (cone, rows) == (Cone.COULOMB_3D, 2) else cone, rows),)

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """y = (u_N + e u_N,k, u_T + e_T u_T,k, u_R): rates of rotation as they are, all of instantaneous laws."""
        if self.instantaneous:
            return rate
        e, e_t = (self._coefficients.get(name, sp.S.Zero) for name in ("restitution", "tangential_restitution"))
        turning = self.rolling
        weights = [e, *[e_t] * (rate.rows - 1 - turning), *[sp.S.Zero] * turning] if self.tangents else [e] * rate.rows
        return sp.Matrix([u + w * u_k for u, u_k, w in zip(rate, last_rate, weights, strict=True)])

    @property
    def _coefficients(self) -> dict[str, sp.Symbol]:
        """The symbols of the slots, by the names of the constructor."""
        return {str(s.symbol).rpartition("/")[2]: s.symbol for s in self.slots}

    def checked(self, *names: str) -> tuple[Slot, ...]:
        """The slots of these coefficients."""
        ranges, law = {**RANGES, **self.ranges}, type(self).__name__
        return tuple(coefficient(law, name, getattr(self, name), *ranges[name]) for name in names)
