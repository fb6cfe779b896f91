"""Figures: what is drawn, with expressions of time, states and parameters for where it is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import sympy as sp

from nsdgen.base.solids import Solid
from nsdgen.symbolic.expressions.conversion import as_expression


@dataclass(frozen=True)
class Figure(ABC):
    """Something that is drawn; ``owner`` names the system or relation whose columns are shown with it."""

    name: str
    owner: str = ""

    @property
    def kind(self) -> str:
        """What pictures call it."""
        return type(self).__name__.lower()

    @property
    @abstractmethod
    def entries(self) -> tuple[sp.Expr, ...]:
        """All expressions of it, in an order of its own."""

    def over(self, own: Mapping[sp.Symbol, sp.Expr]) -> Self:
        """The same with numbers in place of symbols of its own."""

        def put(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(put, value))
            if isinstance(value, Solid):
                return value.of(put(tuple(map(as_expression, value.sizes))))
            return value.xreplace(own) if isinstance(value, sp.Basic) else value

        return replace(self, **{f.name: put(getattr(self, f.name)) for f in fields(self)}) if own else self


@dataclass(frozen=True)
class BodyFigure(Figure):
    """What is fixed to a body: position (3) and quaternion (4) of the body, and its solids.

    A solid stands at three body coordinates and is turned by a quaternion. ``by_inertia``: the solids are none
    of the user's, but the box of its mass and inertia.
    """

    pose: tuple[sp.Expr, ...] = ()
    solids: tuple[tuple[Solid, tuple[Any, ...], tuple[Any, ...]], ...] = ()
    mass: tuple[sp.Expr, ...] = ()

    @property
    def kind(self) -> str:
        """A body."""
        return "body"

    @property
    def entries(self) -> tuple[sp.Expr, ...]:
        """The pose; sizes, place and turning of each solid; mass and inertia."""
        solids = [e for solid, at, turn in self.solids for e in (*solid.sizes, *at, *turn)]
        return (*self.pose, *map(as_expression, solids), *self.mass)


@dataclass(frozen=True)
class Curve(Figure):
    """A line through points [(x, y, z), ...]; ``style`` is ``"line"``, ``"spring"``, ``"points"`` or ``"joint"``."""

    points: tuple[tuple[sp.Expr, ...], ...] = ()
    style: str = "line"

    @property
    def kind(self) -> str:
        """Its style."""
        return self.style

    @property
    def entries(self) -> tuple[sp.Expr, ...]:
        """The coordinates, point by point."""
        return tuple(c for p in self.points for c in p)


@dataclass(frozen=True)
class Circle(Figure):
    """A circle in the plane of a sketch, with a radius drawn that turns by ``angle`` [rad]."""

    centre: tuple[sp.Expr, ...] = ()
    radius: sp.Expr = field(default=sp.S.One)
    angle: sp.Expr = field(default=sp.S.Zero)

    @property
    def entries(self) -> tuple[sp.Expr, ...]:
        """Centre, radius, angle."""
        return (*self.centre, self.radius, self.angle)


@dataclass(frozen=True)
class Arrow(Figure):
    """The reaction of a relation: its place, and the axes along which its first entries are counted."""

    place: tuple[sp.Expr, ...] = ()
    axes: tuple[tuple[sp.Expr, ...], ...] = ()

    @property
    def entries(self) -> tuple[sp.Expr, ...]:
        """Place, then axis by axis."""
        return (*self.place, *(c for axis in self.axes for c in axis))


@dataclass(frozen=True)
class Ground(Figure):
    """A plane: normal and offset along it."""

    normal: tuple[sp.Expr, ...] = ()
    offset: sp.Expr = field(default=sp.S.Zero)

    @property
    def entries(self) -> tuple[sp.Expr, ...]:
        """Normal, offset."""
        return (*self.normal, self.offset)
