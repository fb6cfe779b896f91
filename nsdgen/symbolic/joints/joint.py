"""The base of all joints: constraint rows between two markers, and what acts on the freedoms that they leave."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import sympy as sp

from nsdgen.base.suggest import named_arguments, nearest
from nsdgen.errors import ModelError, at_place
from nsdgen.symbolic.drawing.figure import Curve
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.joints.freedom import BallMotion, Chain, Freedom, JointMotion, turned
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.laws.bearing import Bearing, BearingFriction, Rubbing
from nsdgen.symbolic.laws.impacts import NewtonImpact
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Equality, Relay
from nsdgen.symbolic.relations.along import ForceElement, Observed, RateForce, VelocityConstraint
from nsdgen.symbolic.relations.contact import Bilateral, Contact
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.relation import Place, Relation

Acting = TypeVar("Acting", bound=Relation)

_ALONG = 1e-9  # the sine of an angle between axes that are one: some roundings


@named_arguments
class Joint(Relation):
    """Rows of constraint between two markers; ``freedoms`` are what the joint leaves free, by name.

    All coordinates are those of the first marker relative to the second. What acts on a freedom is a relation of its
    own, to be listed with the joint: :meth:`limits`, :meth:`spring`, :meth:`friction`, :meth:`motor`. A joint with
    several freedoms takes ``of="angle"``, ... there, which the names then hold: "sleeve angle spring". A joint of one's
    own is a subclass that calls this constructor.
    With a ``bearing`` the joint rubs under its own load: ``loads`` says how, ``rubbing`` lists the rates that rub,
    those of lengths first, and ``slope`` multiplies the forces of ``loads``. ``units`` are those of the forces behind
    the rows, ``"N"`` or ``"N m"``. ``rows`` may be a function that gives them: a joint of a tree in joint coordinates
    never asks. ``chain`` says how the first marker follows the second, in motions: what a
    mechanism in joint coordinates needs (``nsd.Mechanism``); None where nothing does.
    """

    chain: Chain | None = None

    def __init__(
        self,
        name: str,
        first: Marker,
        second: Marker,
        rows: Sequence[Any] | Callable[[], Sequence[Any]],
        freedoms: Sequence[Freedom] = (),
        bearing: Bearing | None = None,
        loads: Rubbing | None = None,
        rubbing: Sequence[Any] = (),
        slope: Any = 1,
        units: Sequence[str] = (),
    ) -> None:
        self.first, self.second = first, second
        if first.body is None and second.body is None:
            raise ModelError(
                "joins the ground to itself",
                where=f"relation {name!r}",
                fix="give one marker a body: nsd.Marker(body, at, axis)",
            )
        if first.body is second.body:
            raise ModelError(
                f"joins {first.body.name!r} to itself", where=f"relation {name!r}", fix="give markers on two bodies"
            )
        for marker in (first, second):
            if hasattr(marker.body, "joints"):
                marker.body.joints.add(self)
        self.freedoms = {freedom.name: freedom for freedom in freedoms}
        self.name, self.law, self._rows, self._units = name, Equality(), rows, units
        self._sliding, self._turning = list[Any](), list[Any]()
        if bearing is not None:
            if loads is None:
                raise ModelError(
                    f"a {type(self).__name__} has no bearing",
                    where=f"relation {name!r}",
                    fix="leave bearing= out; a joint of your own gives loads= and rubbing=, too",
                )
            self.law = _bearing_law(bearing, loads, (first, second), slope, f"relation {name!r}")
            self._sliding, self._turning = list(rubbing[: loads.sliding]), list(rubbing[loads.sliding :])
        if not callable(rows):
            self._contact  # noqa: B018  refuses what are no rows

    def holds_axis(self, body: Any, axis: sp.Matrix) -> bool:
        """Whether it keeps a body from turning about this axis of the body; False where ``chain`` does not tell."""
        if self.chain is None or any(isinstance(motion, BallMotion) for motion in self.chain):
            return False
        own = (self.first if self.first.body is body else self.second).local_axes[2]
        turns = any(isinstance(motion, JointMotion) and motion.turn != 0 for motion in self.chain)
        return not (turns and all(e.is_number and abs(e) < _ALONG for e in own.cross(axis)))

    @property
    def leaves(self) -> int:
        """How many motions it leaves; where ``chain`` does not tell, as many as one row does."""
        if self.chain is None:
            return 5
        return sum(3 if isinstance(m, BallMotion) else isinstance(m, JointMotion) for m in self.chain)

    @cached_property
    def figures(self) -> list[Curve]:  # type: ignore[override]
        """From body to body over both markers, and the place of the first, for pictures."""
        ends = [[m.body.position] if m.body is not None else [] for m in (self.first, self.second)]
        through = [*ends[0], self.first.position, self.second.position, *ends[1]]
        return [
            Curve(self.name, self.name, tuple(map(tuple, through)), "joint"),
            Curve(self.name, self.name, (tuple(self.first.position),), "points"),
        ]

    @cached_property
    def _contact(self) -> Contact:
        """Its rows as gaps that stay closed."""
        rows = self._rows() if callable(self._rows) else self._rows
        units, sliding, turning = self.units_of(len(rows)), self._sliding or None, self._turning or None
        return Contact(self.name, list(rows), self.law, tangent=sliding, rolling=turning, units=units)

    def units_of(self, rows: int) -> Sequence[str]:
        """Units of the forces behind so many rows."""
        return self._units

    @property
    def gap(self) -> sp.Matrix:
        """The rows, a column."""
        return self._contact.gap

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The rows, and the rates that rub."""
        return self._contact.entries

    def describe(self, place: Place) -> GapClass:
        """The class of its rows over fresh symbols."""
        return self._contact.describe(place)

    @named_arguments
    def freedom(self, of: str | None = None) -> Freedom:
        """The freedom of this name, or the only one; raises ``ModelError`` where there is none or several."""
        where = f"relation {self.name!r}"
        if of is None and len(self.freedoms) == 1:
            return next(iter(self.freedoms.values()))
        if of is None:
            raise ModelError(
                f"leaves {len(self.freedoms)} freedoms",
                where=where,
                fix=f"say which: of={' or '.join(repr(n) for n in self.freedoms)}"
                if self.freedoms
                else "act on expressions of your own: nsd.Contact for a limit, nsd.RateForce for friction (or "
                "bearing= of the joint), nsd.Bushing or nsd.ForceElement for a spring or a motor",
            )
        if of not in self.freedoms:
            raise ModelError(
                f"leaves no freedom {of!r}",
                where=where,
                fix=f"{nearest(of, self.freedoms)} it leaves {', '.join(self.freedoms) or 'none'}".strip(),
            )
        return self.freedoms[of]

    @property
    def angle(self) -> sp.Expr:
        """The angle [rad] in (-pi, pi], of a joint that leaves one; stops, springs and motors count turns."""
        return self.freedom("angle").coordinate

    @property
    def displacement(self) -> sp.Expr:
        """The displacement along the axis [m], of a joint that leaves one."""
        return self.freedom("displacement").coordinate

    @property
    def rate(self) -> sp.Expr:
        """The rate of the only freedom [rad/s or m/s]."""
        return self.freedom().rate

    @named_arguments
    def limits(
        self, lower: Any = None, upper: Any = None, law: Law | None = None, of: str | None = None
    ) -> list[Contact]:
        """Stops at ``lower`` and ``upper``, plastic ones unless a law says otherwise.

        Turns of an angle are counted from the start on, where it is within (-pi, pi].
        """
        freedom, where = self.freedom(of), f"relation {self.name!r}"
        given = {
            which: as_expression(value, where=f"{where}, {which}")
            for which, value in (("lower", lower), ("upper", upper))
            if value is not None
        }
        found = self.stops(freedom, given, law)
        if freedom.turns:
            for stop, (which, value) in zip(found, given.items(), strict=True):
                text = f"the {which} limit {value} is more than a turn: it is in radians, sympy.pi / 2 for 90 degrees"
                stop.doubtful = [(2 * sp.pi - abs(value), text)]
        if len(found) == 2:
            above = given["upper"] - given["lower"]
            if above.is_negative:
                raise ModelError(
                    f"the lower limit {given['lower']} lies above the upper one, {given['upper']}",
                    where=where,
                    fix="exchange them",
                )
            found[0].doubtful = [*found[0].doubtful, (above, "the lower limit lies above the upper one")]
        return found

    def stops(self, freedom: Freedom, bounds: Mapping[str, sp.Expr], law: Law | None = None) -> list[Contact]:
        """Contacts that keep a freedom above ``"lower"`` and below ``"upper"``, whether an angle gets there or not."""
        s = freedom.coordinate
        gaps = {which: s - bound if which == "lower" else bound - s for which, bound in bounds.items()}
        return [
            self._acting(
                Contact(self._called(f"{which} limit", freedom), gap, law or NewtonImpact(0), units=freedom.units[1:]),
                freedom,
            )
            for which, gap in gaps.items()
        ]

    def _acting(self, relation: Acting, counted: Freedom | None = None) -> Acting:
        """What acts on a freedom of this joint; turns of one are ``counted`` in it."""
        relation.of, relation.counted = self, counted
        return relation

    def _called(self, what: str, freedom: Freedom) -> str:
        """The name of what acts on a freedom: with that of the freedom where the joint leaves several."""
        return f"{self.name} {what}" if len(self.freedoms) == 1 else f"{self.name} {freedom.name} {what}"

    def motion(self) -> Observed:
        """Columns of its freedoms and their rates, to be listed with it: ``hinge motion.angle``, ``angle_rate``.

        Angles [rad] are in (-pi, pi], of the first marker relative to the second. Raises ``ModelError`` for a joint
        that leaves no freedom by name.
        """
        if not self.freedoms:
            raise ModelError(
                "leaves no freedom that has a name",
                where=f"relation {self.name!r}",
                fix="write nsd.Observed(name, {column: expression})",
            )
        columns = {f.name: f.coordinate for f in self.freedoms.values()}
        columns |= {f"{f.name}_rate": f.rate for f in self.freedoms.values()}
        units = [f.units[0] for f in self.freedoms.values()]
        return self._acting(Observed(f"{self.name} motion", columns, [*units, *(f"{u}/s" for u in units)]))

    @named_arguments
    def spring(self, stiffness: Any, damping: Any = 0, rest: Any = 0, of: str | None = None) -> ForceElement:
        """-stiffness (s - rest) - damping s': linear, also in an angle, whose turns are counted from the start on.

        There it is within (-pi, pi].
        """
        freedom = self.freedom(of)
        force = (
            -as_expression(stiffness) * (freedom.coordinate - as_expression(rest))
            - as_expression(damping) * freedom.rate
        )
        found = self._pushing("spring", freedom, force)
        found.doubtful = negative(stiffness=stiffness, damping=damping)
        return found

    def _pushing(self, what: str, freedom: Freedom, force: sp.Expr) -> ForceElement:
        """A force on a freedom, in which an angle goes on over any number of turns."""
        found = ForceElement(self._called(what, freedom), freedom.rate, force, units=freedom.units[1:])
        return self._acting(found, freedom)

    @named_arguments
    def friction(self, level: Any, of: str | None = None) -> RateForce:
        """Coulomb friction with a constant bound: a force or moment in -level Sgn(s')."""
        freedom = self.freedom(of)
        name = self._called("friction", freedom)
        with at_place(f"relation {name!r}"):
            law = Relay(level)
        return self._acting(RateForce(name, freedom.rate, law, units=freedom.units[1:]))

    @named_arguments
    def motor(self, *, position: Any = None, speed: Any = None, force: Any = None, of: str | None = None) -> Relation:
        """A prescribed coordinate, speed, or force (moment): an expression of time and parameters, one of the three.

        A prescribed angle may go round: it is kept by the sine of the difference. The multiplier of a prescribed motion
        is the impulse of the motor; a force may depend on states, too, and on the angle as that of :meth:`spring` does.
        """
        given = {k: v for k, v in (("position", position), ("speed", speed), ("force", force)) if v is not None}
        if len(given) != 1:
            raise ModelError(
                f"a motor with {', '.join(given) or 'nothing'}",
                where=f"relation {self.name!r}",
                fix="give one of position=..., speed=... and force=...",
            )
        freedom = self.freedom(of)
        name, units = self._called("motor", freedom), freedom.units[1:]
        if position is not None:
            row, ahead = turned(freedom, as_expression(position))
            found = self._acting(Bilateral(name, row, units=units))
            found.doubtful = [(ahead, f"the start is half a turn from {position}, and it stays so far off")]
            return found
        if speed is not None:
            return self._acting(VelocityConstraint(name, freedom.rate - as_expression(speed), units=units))
        return self._pushing("motor", freedom, as_expression(force))


def negative(**values: Any) -> list[tuple[sp.Expr, str]]:
    """Coefficients that are hardly meant to be negative, as :attr:`Relation.doubtful`."""
    return [(as_expression(v), f"the {name} {as_expression(v)} is negative") for name, v in values.items()]


def _bearing_law(
    bearing: Bearing, loads: Rubbing, markers: tuple[Marker, Marker], slope: Any, where: str
) -> BearingFriction:
    """The law of a bearing between two bodies; raises ``ModelError`` for what is no bearing, or has no radius."""
    if not isinstance(bearing, Bearing):
        raise ModelError(f"{bearing!r} is no bearing", where=where, fix="give nsd.Bearing(friction, radius)")
    if loads.turning and bearing.radius is None:
        raise ModelError("the bearing has no radius", where=where, fix="give nsd.Bearing(friction, radius) [m]")
    radius = sp.S.One if bearing.radius is None else as_expression(bearing.radius, where=f"{where}, radius")
    return BearingFriction(loads, bearing.friction, radius, bearing.length, _moved_mass(markers, loads, radius), slope)


def _moved_mass(markers: tuple[Marker, Marker], loads: Rubbing, radius: sp.Expr) -> sp.Expr:
    """About the mass that a force at the lever moves: that of the lighter body where the other is heavy."""
    mobility = sp.S.Zero
    for marker in markers:
        body = marker.body
        if hasattr(body, "mass") and hasattr(body, "inertia"):
            mobility += 1 / body.mass if loads.sliding else 3 * radius**2 / body.inertia.trace()
    return 1 / mobility if mobility != 0 else sp.S.One
