"""Contacts and constraints: gaps between bodies, by formula or from features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.entry import column, label_of, own_symbol
from nsdgen.symbolic.laws import Equality, Law, Mixed, Slot
from nsdgen.symbolic.rigid_body import BodyPoint

__all__ = ["Bilateral", "Contact", "Plane", "contacts_between"]


class Contact:
    """A unilateral contact: gap(t, q) >= 0, positive when open, with a nonsmooth law.

    ``gap`` is an expression in the coordinates of one or more systems and time.
    ``arguments`` maps symbols of the gap to expressions of parameters: contacts that
    differ in their arguments only share one class of kernels.
    """

    def __init__(self, name: str, gap: Any, law: Law,
                 arguments: Mapping[sp.Symbol, Any] | None = None) -> None:
        self.name = name
        where = f"relation {name!r}"
        if not isinstance(law, Law):
            raise ModelError(f"{law!r} is not a law", where=where,
                             fix="use nsd.NewtonImpact(restitution) or nsd.Complementarity()")
        if isinstance(law, Mixed):
            raise ModelError("a contact has one law, Mixed joins several", where=where,
                             fix="write one contact or constraint for each law")
        self.law = law
        self.gap = column(gap, where=f"{where}, gap")
        if law.unilateral and self.gap.rows != 1:
            raise ModelError(f"the gap has {self.gap.rows} rows, expected 1", where=where,
                             fix="write one contact for each gap")
        given = {s: sp.sympify(v) for s, v in (arguments or {}).items()}
        self.arguments = {s: own_symbol("slot", label_of(s)) for s in given}
        self.slots = tuple(Slot(self.arguments[s], v) for s, v in given.items())


class Bilateral(Contact):
    """A bilateral constraint c(t, q) = 0 (one or more rows), imposed at velocity level."""

    def __init__(self, name: str, constraint: Any,
                 arguments: Mapping[sp.Symbol, Any] | None = None) -> None:
        super().__init__(name, constraint, Equality(), arguments)


@dataclass(frozen=True)
class Plane:
    """The half space on the side of ``normal`` (inertial frame) of the plane normal . x = offset [m]."""

    name: str
    normal: Sequence[Any]
    offset: Any = 0

    def gap(self, position: sp.Matrix) -> sp.Expr:
        """The signed distance [m] of a point from the plane, positive outside."""
        n = column(self.normal, where=f"plane {self.name!r}, normal", rows=3)
        length_squared = n.dot(n)
        if length_squared == 0:
            raise ModelError("the normal is zero", where=f"plane {self.name!r}")
        return (n.dot(position) - sp.sympify(self.offset)) / sp.sqrt(length_squared)


def contacts_between(points: Sequence[BodyPoint] | BodyPoint, plane: Plane, law: Law) -> list[Contact]:
    """One contact of each body point with the plane: one class, as many instances as points."""
    if isinstance(points, BodyPoint):
        points = [points]
    coordinates = [own_symbol("slot", f"point_{axis}") for axis in "xyz"]
    contacts = []
    for i, point in enumerate(points):
        moving = BodyPoint(point.body, sp.Matrix(coordinates))
        contacts.append(Contact(
            f"{point.body.name} {plane.name} {i}", gap=plane.gap(moving.position), law=law,
            arguments=dict(zip(coordinates, point.local, strict=True))))
    return contacts
