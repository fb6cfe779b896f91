"""Contacts and constraints: gaps between bodies, by formula or from features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.checks import shown
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.drawing.figure import Arrow, Ground
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import column, label_of, own_symbol, vector
from nsdgen.symbolic.expressions.product import dot
from nsdgen.symbolic.expressions.scope import unit_labels
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.rigid_body import BodyPoint
from nsdgen.symbolic.laws.check_law import check_counts, check_law
from nsdgen.symbolic.laws.law import Law, Slot
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.frame import Body, frame_of, normal_of, orthonormal, pair_of, relative_rates
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.relation import Place, Relation, checked_law
from nsdgen.symbolic.relations.sliding import sliding_rates
from nsdgen.symbolic.relations.turns import counting_turns


@named_arguments
class Contact(Relation):
    """A unilateral contact: gap(t, q) >= 0, positive when open, with a nonsmooth law.

    ``gap`` is an expression in the coordinates of one or more systems and time. A law with friction
    wants ``tangent``: one expression in the plane, two in space, each a velocity where it contains a
    velocity (and then linear in velocities), else a coordinate whose time derivative is the sliding
    rate; rolling and drilling friction want ``rolling`` in the same way, rates of rotation along the tangents and about
    the normal. For rigid bodies they follow from ``bodies`` and the ``point`` where they touch (a body point or a
    position), along the tangents of ``frame``: a normal in the inertial frame, pointing to the first body, or
    (n, t1, t2), orthonormal. By default the normal is the gradient of the gap in the position of the first body.
    ``arguments`` maps symbols of the expressions to expressions of parameters: contacts that
    differ in their arguments only share one class of kernels. ``units`` are those of the forces along the gap, newtons
    unless said: ``"N m"`` where it is an angle. With friction the gap is a distance and tangents are lengths orthogonal
    to its gradient, since impulses along both are compared; what coordinates show to be none is refused when a model is
    made. ``scale`` is the length of the gradient of another gap, gap / scale the distance; scale=1 says that it is one
    where coordinates mislead. Raises ``ModelError`` for a law and tangents that do not fit together.
    """

    def __init__(
        self,
        name: str,
        gap: Any,
        law: Law,
        arguments: Mapping[sp.Symbol, Any] | None = None,
        *,
        tangent: Any = None,
        rolling: Any = None,
        frame: Any = None,
        point: Any = None,
        bodies: Any = None,
        units: Sequence[str] = (),
        scale: Any = None,
    ) -> None:
        self.name = name
        where = f"relation {name!r}"
        checked_law(law, where)
        problem, fix = law.not_for_contacts
        if problem:
            raise ModelError(problem, where=where, fix=fix)
        self.law = law
        self.scale = scale
        self.gap = column(gap, where=f"{where}, gap")
        if scale is not None:
            self.gap = self.gap / _positive(scale, f"{where}, scale")
        self.units = unit_labels(units, self.gap.rows, where) if units else ()
        if law.unilateral and self.gap.rows != 1:
            raise ModelError(
                f"the gap has {self.gap.rows} rows, expected 1", where=where, fix="write one contact for each gap"
            )
        if law.unilateral and _never_negative(self.gap[0]):
            raise ModelError(
                f"the gap {shown(self.gap[0])} is never negative, so that nothing is kept apart",
                where=where,
                fix="a gap changes its sign where one would enter the other: y, not Abs(y) or y**2; from both sides "
                "these are two contacts",
            )
        given = {s: as_expression(v, where=f"{where}, argument {s}") for s, v in (arguments or {}).items()}
        self.arguments = {s: own_symbol("slot", label_of(s)) for s in given}
        self.slots = tuple(Slot(self.arguments[s], v) for s, v in given.items())
        if frame is not None or point is not None or bodies is not None:
            if tangent is not None or rolling is not None:
                raise ModelError(
                    "has a frame and tangents",
                    where=where,
                    fix="give either tangent=... (and rolling=...) or point=, bodies= (and frame=)",
                )
            axes = frame_of(normal_of(self.gap[0], bodies, where=where) if frame is None else frame, where=where)
            if law.tangents:
                _refuse_one_sided(self.gap, pair_of(bodies, where=where), where)
            if point is not None:
                self.figures = [reaction_arrow(name, point, axes)]
            tangent, turning = relative_rates(axes, point, bodies, where=where)
            rolling = _turning(law, turning)
        check_counts(law, f"{where}, law {type(law).__name__}")
        self.tangent, self.rolling = _tangential(law, tangent, rolling, where)
        check_law(law, self.gap.rows + self.tangent.rows + self.rolling.rows, where)

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """Gap, tangents, rolling rates."""
        return [*self.gap, *self.tangent, *self.rolling]

    def describe(self, place: Place) -> GapClass:
        """The class of this contact over fresh symbols."""
        for system, participant in zip(place.systems, place.participants, strict=True):
            if not participant.group("v"):
                raise ModelError(
                    f"a contact on {system.name!r}, which is not a mechanical system",
                    where=place.where,
                    fix="use nsd.FirstOrderRelation for first-order systems",
                )
        sliding = sliding_rates(self.tangent, self.rolling, place)
        place, terms, memory = counting_turns(self.counted, self.gap, place)
        return GapClass(
            self.name,
            (),
            place.participants,
            self.law,
            {"gap": place.entered(self.gap, "gap"), "sliding": sliding, **terms},
            memory=memory,
            units=self.units + ("N",) * (self.tangent.rows if self.units else 0),
        )


def _refuse_one_sided(gap: sp.Matrix, bodies: Sequence[Body], where: str) -> None:
    """Raise ``ModelError`` where what a gap moves with would be pushed along it, and not by friction."""
    own = {f for b in bodies for f in (*b.position, *b.rotation)}
    known = {f for e in own for f in e.atoms(AppliedUndef)}
    if others := sorted(gap.atoms(AppliedUndef) - known, key=str):
        raise ModelError(
            f"the gap moves with {others[0]}, and friction would not push it",
            where=where,
            fix="give both bodies, bodies=(first, second), or on=body for a surface; for other coordinates write "
            "nsd.Contact(name, gap=..., law=..., tangent=...)",
        )


def reaction_arrow(name: str, point: Any, axes: Sequence[sp.Matrix]) -> Arrow:
    """The reaction of a contact of this name at a body point, or a place, counted along these axes."""
    place = point.position if isinstance(point, BodyPoint) else vector(point, where=f"relation {name!r}, point")
    return Arrow(name, name, tuple(place), tuple(map(tuple, axes)))


def _positive(value: Any, where: str) -> sp.Expr:
    found = as_expression(value, where=where)
    if found.is_number and not found > 0:
        raise ModelError(f"the scale {found} is not positive", where=where, fix="give the length of the gap's gradient")
    return found


def _never_negative(e: sp.Expr) -> bool:
    """Whether that is plain to see: asking SymPy what it knows may take minutes of a long expression."""
    if isinstance(e, sp.Add | sp.Mul | sp.Max):
        return (any if isinstance(e, sp.Max) else all)(map(_never_negative, e.args))
    if isinstance(e, sp.Pow):
        return bool(e.exp.is_even or e.exp == sp.Rational(1, 2)) or _never_negative(e.base)
    return isinstance(e, sp.Abs | sp.exp) or (e.is_Atom and bool(e.is_nonnegative))


def _turning(law: Law, rates: Sequence[sp.Expr]) -> list[sp.Expr] | None:
    """The rates of rotation that a law takes, of those along the tangents and about the normal."""
    rolling = list(rates[:-1]) if law.rolling > law.drilling else []
    return [*rolling, *(rates[-1:] if law.drilling else ())] or None


def _tangential(law: Law, tangent: Any, rolling: Any, where: str) -> tuple[sp.Matrix, sp.Matrix]:
    """Tangents and rolling rates as columns, as many as the law takes."""
    found = [
        sp.zeros(0, 1) if given is None else column(given, where=f"{where}, {what}")
        for given, what in ((tangent, "tangent"), (rolling, "rolling"))
    ]
    count, turns = found[0].rows, found[1].rows
    kind = type(law).__name__
    if count and not law.tangents:
        raise ModelError(
            f"has a tangent, but {kind} is a law without friction",
            where=where,
            fix="use nsd.NewtonImpactFriction(restitution, friction), or leave the tangent out",
        )
    if law.tangents and not count:
        raise ModelError(
            f"{kind} needs tangents",
            where=where,
            fix="give tangent=... (one expression in the plane, a list of two in space), or for rigid "
            "bodies bodies= and point=",
        )
    if law.tangents and count not in law.tangents:
        raise ModelError(
            f"has {count} tangents, {kind} takes {' or '.join(map(str, law.tangents))}",
            where=where,
            fix="one tangent in the plane, two in space",
        )
    if turns != law.rolling:
        raise ModelError(
            f"has {turns} rolling rates, {kind} takes {law.rolling}",
            where=where,
            fix="give rolling=[...], the relative angular velocities along the two tangents, or about the "
            "normal where the law is about drilling"
            if law.rolling
            else "use nsd.NewtonImpactRollingFriction, or leave rolling= out",
        )
    return found[0], found[1]


@named_arguments
class Bilateral(Contact):
    """A bilateral constraint c(t, q) = 0 (one or more rows), imposed at velocity level; ``units`` of its forces."""

    def __init__(
        self, name: str, constraint: Any, arguments: Mapping[sp.Symbol, Any] | None = None, units: Sequence[str] = ()
    ) -> None:
        super().__init__(name, constraint, Equality(), arguments, units=units)


@named_arguments
@dataclass(frozen=True)
class Plane:
    """The half space on the side of ``normal`` (inertial frame) of the plane normal . x = offset [m]."""

    name: str
    normal: Sequence[Any]
    offset: Any = 0

    def gap(self, position: sp.Matrix) -> sp.Expr:
        """The signed distance [m] of a point from the plane, positive outside."""
        n = self._normal()
        return (n.dot(position) - as_expression(self.offset, where=f"plane {self.name!r}, offset")) / sp.sqrt(n.dot(n))

    @property
    def frame(self) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """(n, t1, t2), orthonormal and right-handed; the normal z gives the tangents x and y."""
        return orthonormal(self._normal())

    @property
    def figure(self) -> Ground:
        """What a picture shows of it."""
        return Ground(self.name, "", tuple(self._normal()), as_expression(self.offset))

    def _normal(self) -> sp.Matrix:
        n = vector(self.normal, where=f"plane {self.name!r}, normal")
        if n.dot(n) == 0:
            raise ModelError("the normal is zero", where=f"plane {self.name!r}", fix="give the direction away from it")
        return n


@named_arguments
def contacts_between(points: Sequence[BodyPoint] | BodyPoint, plane: Plane, law: Law) -> list[Contact]:
    """One contact of each body point with the plane: one class, as many instances as points.

    A law with friction slides along the tangents of ``plane.frame``; the plane itself has no velocity along them.
    """
    if isinstance(points, BodyPoint):
        points = [points]
    coordinates = [own_symbol("slot", f"point_{axis}") for axis in "xyz"]
    contacts = []
    for i, point in enumerate(points):
        moving = BodyPoint(point.body, sp.Matrix(coordinates))
        gap, tangent, rolling = plane.gap(moving.position), None, None
        if law.tangents:
            _refuse_one_sided(sp.Matrix([gap]), (point.body,), f"plane {plane.name!r}")
            tangents = plane.frame[1:]
            tangent = [dot(t, moving.position) for t in tangents]
            turns = any(t.has(time) for t in tangents)
            if law.rolling or turns:  # a plane that turns moves along its normal, and drags nothing along
                rates, turning = relative_rates(plane.frame, moving, point.body, where=f"plane {plane.name!r}")
                tangent, rolling = rates if turns else tangent, _turning(law, turning)
        contact = Contact(
            f"{point.body.name} {plane.name} {i}",
            gap=gap,
            law=law,
            arguments=dict(zip(coordinates, point.local, strict=True)),
            tangent=tangent,
            rolling=rolling,
        )
        contact.figures = [reaction_arrow(contact.name, point, plane.frame), plane.figure]
        contacts.append(contact)
    return contacts
