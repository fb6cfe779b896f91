"""Worlds: many bodies with shapes that meet, found while they move."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number, number_from_zero, whole_number
from nsdgen.base.counted import counted
from nsdgen.base.solids import Solid
from nsdgen.base.suggest import known_attributes, named_arguments
from nsdgen.errors import ModelError, ParameterError
from nsdgen.model.world._shapes import ContactPool
from nsdgen.model.world.bodies import Shapes, Standing, WorldBody, fill
from nsdgen.model.world.contact_finder import ContactFinder
from nsdgen.model.world.engine import WorldEngine
from nsdgen.model.world.joints import Joints
from nsdgen.model.world.links import place_of
from nsdgen.model.world.moving_apart import move_apart
from nsdgen.model.world.recording import WorldRecording
from nsdgen.model.world.refusals import check_overlap, check_surfaces
from nsdgen.model.world.search import PairSearch
from nsdgen.model.world.sensors import Sensor, contact_impulses
from nsdgen.model.world.shapes import (
    HALF_SPACE,
    CollisionShape,
    Part,
    movable,
    parts_of,
    rotation,
    turn_to,
    turned_after,
)
from nsdgen.model.world.sleeping import Sleep
from nsdgen.model.world.space import PLANE, SPACE
from nsdgen.model.world.springs import Springs
from nsdgen.model.world.surfaces import Groups, Surfaces
from nsdgen.model.world.taken_names import TakenNames
from nsdgen.study.trajectory import Trajectory

_Numbers = NDArray[np.float64]

_WATER = 1000.0
"""The density [kg/m^3] of bodies of which neither it nor a mass is given."""


@known_attributes
@named_arguments
class World:
    """Bodies with shapes, gravity, and what stands: contacts are found while they move.

    ``gravity`` [m/s^2]; ``friction``, ``restitution``, ``rolling_friction`` and ``drilling_friction`` [m] are those of
    all pairs of materials that :meth:`surface` says nothing of. Steps are solved with a certificate: relative
    velocities and impulses obey their laws to 1e-8 of the largest relative velocity that there would be without
    contacts. ``tolerance`` [m/s] above 0 asks for less: sweeps over the contacts until no velocity is off by more, at
    most ``sweeps`` of them there and back. A step that reaches neither, as in dense piles at rest, is taken as it is:
    ``left`` records what it leaves, and the run warns (``docs/how-to/worlds.md``). ``margin`` [m] is how far the search
    looks ahead: it is chosen unless given, and changes no number. Bodies that touch each other and of which no point
    moved faster than ``sleep`` [m/s] for 50 steps sleep: they cost next to nothing until something meets them; 0 keeps
    all awake. In a ``planar`` world bodies move in the plane z = 0 with three coordinates, and gravity points along -y
    unless told otherwise. Contacts are Newton's law with Coulomb's friction, on velocities, by Moreau and Jean's
    scheme with directions of the end of a step.
    """

    def __init__(
        self,
        name: str = "world",
        gravity: Sequence[float] | None = None,
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_friction: float = 0.0,
        drilling_friction: float = 0.0,
        tolerance: float = 0.0,
        sweeps: int = 50,
        margin: float | None = None,
        sleep: float = 0.0,
        planar: bool = False,
    ) -> None:
        self.name = name
        self.space = PLANE if planar else SPACE
        down = (0.0, -9.81) if planar else (0.0, 0.0, -9.81)
        self.gravity: Any = down if gravity is None else gravity
        self.tolerance, self.sweeps = tolerance, sweeps
        self._check_numbers()
        self.surfaces = Surfaces(friction, restitution, rolling_friction, drilling_friction)
        self.groups = Groups()
        self.bodies: list[WorldBody] = []
        self.standing: list[Standing] = []
        self.shapes = Shapes()
        self.time = 0.0
        self.search = PairSearch(None if margin is None else number_from_zero(margin, model=name, where="margin"))
        self.engine = WorldEngine(self)
        self.sensors: list[Sensor] = []
        self.joints, self.springs = Joints(self), Springs(self)
        self.sleep = Sleep(self, number_from_zero(sleep, model=name, where="sleep"))
        self.columns: Any = None  # of the last record, and of what they are
        self.names = TakenNames()
        self.unchecked: set[int] = set()  # shapes that were placed since the last step
        self.contacts = (ContactPool(0, 2, 0), ContactPool(0, 1, 0))
        self.find = ContactFinder(self)

    # -- what there is --------------------------------------------------------------------------

    @property
    def states(self) -> _Numbers:
        """Of all bodies (n, 13): position [m], quaternion, velocity [m/s], angular velocity [rad/s, body frame].

        In a planar world (n, 6): x, y, angle and their rates.
        """
        return self.engine.states[: len(self.bodies)]

    @property
    def poses(self) -> _Numbers:
        """States as those in space (n, 13), to be read."""
        return self.space.poses(self.states)

    @named_arguments
    def surface(
        self,
        first: str,
        second: str,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        drilling_friction: float | None = None,
    ) -> None:
        """The coefficients of two materials on each other, those of the world where they are not given.

        Those of rolling and drilling are lengths [m].
        """
        self.surfaces.set(first, second, friction, restitution, rolling_friction, drilling_friction)
        self.sleep.wake_all()

    @named_arguments
    def ignore(self, first: str, second: str) -> None:
        """Bodies of these groups do not meet."""
        self.groups.ignore(first, second)
        self.sleep.wake_all()
        self.search.forget()

    @named_arguments
    def plane(
        self, normal: Sequence[float] | None = None, offset: float = 0.0, material: str = "", name: str = ""
    ) -> Standing:
        """A half space that stands: nothing comes below normal . x = offset [m]. The ground, unless told otherwise."""
        name = self.names.free(name, "plane", "plane")
        where = f"plane {name!r}"
        up = (0, 1) if self.space.dimension == 2 else (0, 0, 1)
        n = self.space.vector(up if normal is None else normal, f"{where}, normal")
        size = float(np.linalg.norm(n))
        if size == 0.0:
            raise ModelError("the normal is zero", where=where, fix="give the direction away from it")
        shape = CollisionShape(HALF_SPACE, (0.0, 0.0, 0.0), 0.0, np.inf, 0.0, np.zeros((3, 3)))
        return self._stand(None, [Part(shape)], n / size * offset, turn_to(n / size), material, "", name)

    @named_arguments
    def stand(
        self,
        solid: Solid,
        position: Sequence[float] | None = None,
        quaternion: Sequence[float] = (1, 0, 0, 0),
        angle: float = 0.0,
        material: str = "",
        group: str = "",
        name: str = "",
    ) -> Standing:
        """A solid that stands, or moves as it is told (:class:`Standing`): a wall, a table, a chute, a finger.

        In a planar world it is turned by ``angle`` [rad]. Its velocity and spin have three components in any world.
        """
        name = self.names.free(name, type(solid).__name__.lower(), "solid")
        where = f"solid {name!r}"
        parts = parts_of(solid, where, self.space.shape)
        self.space.check_parts(parts, where)
        at = np.zeros(3) if position is None else self.space.vector(position, f"{where}, position")
        turned = self.space.turned(quaternion, angle, where)
        return self._stand(solid, parts, at, turned, material, group, name)

    @named_arguments
    def add(
        self,
        solid: Solid,
        position: Sequence[float],
        quaternion: Sequence[float] = (1, 0, 0, 0),
        velocity: Sequence[float] | None = None,
        angular_velocity: Any = (0, 0, 0),
        angle: float = 0.0,
        mass: float | None = None,
        density: float | None = None,
        material: str = "",
        group: str = "",
        name: str = "",
    ) -> WorldBody:
        """A body made of a solid, evenly filled: of this ``mass`` [kg] or ``density`` [kg/m^3], 1000 unless given.

        ``position``, ``quaternion`` and ``angular_velocity`` are those of the frame of the solid, ``velocity`` and the
        state that of its centre of mass about principal axes; for solids about their own centre both are the same.
        In a planar world positions and velocities have two components, ``angle`` [rad] and ``angular_velocity`` are
        numbers, and solids are what lies between two planes. Raises ``ModelError`` for what is no body.
        """
        number, name = len(self.bodies), self.names.free(name, f"body {len(self.bodies)}", "body")
        where = f"body {name!r}"
        if mass is not None and density is not None:
            raise ModelError("has a mass and a density", where=where, fix="give one of them")
        what, value = ("mass", mass) if mass is not None else ("density", _WATER if density is None else density)
        if not finite_number(value, model=self.name, where=f"{where}, {what}") > 0.0:
            raise ModelError(f"has the {what} {value:g}", where=where, fix=f"give a {what} above 0")
        space = self.space
        parts = parts_of(solid, where, lambda own, part: movable(own, part, space.shape))
        body_ = fill(parts, mass, value, space.dimension == 3)
        space.check_parts(body_.parts, where)
        turned = space.turned(quaternion, angle, where)
        pose = [
            space.vector(position, f"{where}, position") + rotation(turned) @ body_.centre,
            turned_after(turned, body_.axes),
            np.zeros(3) if velocity is None else space.vector(velocity, f"{where}, velocity"),
            body_.axes.T @ space.turn(angular_velocity, f"{where}, angular velocity"),
        ]
        state = space.state(np.concatenate(pose), angle)
        rows = tuple(
            self.shapes.add(p.shape, number, *self._kinds(material, group), p.middle, p.axes) for p in body_.parts
        )
        body = WorldBody(self, number, name, solid, body_.mass, body_.moments, rows, body_.parts, state)
        self.names.take(name)
        self.engine.make_room(number + 1)
        self.bodies.append(body)
        self.states[number] = state
        self.engine.forces_changed.add(number)
        self.unchecked.update(rows)
        self.search.forget()
        return body

    @named_arguments
    def sensor(self, of: WorldBody | Standing, on: WorldBody | Standing | None = None, name: str = "") -> Sensor:
        """What contacts do to a body or to what stands, with all or with one other; recorded in runs from here on.

        Columns ``name.force`` [N] and ``name.moment`` [N m] (inertial frame, about the centre of mass of a body, or the
        place of what stands), both means over the steps since the last row, ``name.contacts``, ``name.friction_work``
        and ``name.normal_work`` [J]: :class:`~nsdgen.model.world.sensors.Sensor`. Raises ``ModelError`` for a name that
        is taken.
        """
        for item in (of,) if on is None else (of, on):
            if not self._holds(item):
                fix = "give what add, stand or plane returned"
                raise ModelError("is of what is not in this world", where=f"sensor {name!r}", fix=fix)
        name = self.names.free(name or (f"{of.name} sensor" if on is None else f"{of.name} on {on.name}"), "", "sensor")
        self.names.take(name)

        def place(h: float) -> _Numbers:  # from which points of contacts are seen: those of what stands are of the end
            if isinstance(of, WorldBody):
                return place_of(of)[0]
            return of.place(self.shapes)[0] + h * of.velocity

        self.sensors.append(Sensor(name, of.shapes, None if on is None else on.shapes, place))
        return self.sensors[-1]

    def remove(self, item: WorldBody | Standing) -> None:
        """Take a body out, or what stands: it meets nothing and stays where it is."""
        if not self._holds(item):
            raise ModelError("is to take out what is not in it", where=self.name, fix="give what add or stand returned")
        if isinstance(item, WorldBody):
            vars(item)["exists"] = False
        else:
            self.sleep.wake_all()
        self.shapes.take_out(item.shapes)
        self.search.forget()

    # -- a run ----------------------------------------------------------------------------------

    @named_arguments
    def run(
        self,
        end: float,
        step: float = 1e-3,
        every: int = 1,
        before: Callable[[Self], Any] | None = None,
        allow_overlap: bool = False,
        resolve: bool = False,
    ) -> Trajectory:
        """Go on from where the world is until ``end`` [s] is reached, by whole steps; each ``every``-th one is a row.

        ``before(world)`` is called before each step that follows a recorded one: it may add and remove bodies, and
        set what can be set: forces, velocities, surfaces, gravity, motors. ``resolve`` moves new bodies and others
        apart where they are inside each other, by the least motion. Raises ``ParameterError`` for new shapes inside
        others, or set there, unless that is allowed, and for a step in which a body moves farther than it is thick.
        """
        if before is not None and not callable(before):
            raise ParameterError("is no function", model=self.name, where="before", fix="give a function of the world")
        h = finite_number(step, model=self.name, where="step")
        every = whole_number(every, 1, 2**31, model=self.name, where="every")
        count = (finite_number(end, model=self.name, where="end") - self.time) / h if h > 0 else 0.0
        steps = math.ceil(count - 1e-6)  # times are sums of steps, and off by their rounding
        if steps < 1:
            raise ParameterError(
                f"from {self.time:g} s to {end:g} s there is no step of {h:g} s",
                model=self.name,
                where="end",
                fix="give an end after the time of the world, and a step above 0",
            )
        start = self.time
        if resolve and self.space.dimension == 2:
            raise ParameterError(
                "bodies of a planar world are not moved apart", model=self.name, where="resolve", fix="place them apart"
            )
        self.begin(h, allow_overlap, resolve)
        recording = WorldRecording(self)
        recording.take()
        for number in range(steps):
            if before is not None and number % every == 0:
                before(self)
                self.begin(h, allow_overlap, resolve)
            self._step(h)
            self.time = start + (number + 1) * h
            recording.after_step()
            if (number + 1) % every == 0 or number + 1 == steps:
                recording.take()
        return recording.trajectory()

    def begin(self, h: float, allow_overlap: bool = True, resolve: bool = False) -> None:
        """Make ready for steps of this length [s] with all that there is now; raises what :meth:`run` does."""
        self._check_numbers()
        check_surfaces(self)
        self.sleep.fit()
        self.sleep.look()  # what woke is looked at where it is
        self.find = ContactFinder(self)
        if self.unchecked and resolve:
            move_apart(self)
        if self.unchecked and not allow_overlap:
            check_overlap(self, self.unchecked)
        self.unchecked.clear()
        self.engine.fit(h)  # which takes longest: what is refused is refused before
        self.sleep.look()

    def _check_numbers(self) -> None:
        """Refuse numbers that are none, whether given or set."""
        self.gravity = self.space.vector(self.gravity, "world, gravity")
        self.tolerance = number_from_zero(self.tolerance, model=self.name, where="tolerance")
        self.sweeps = whole_number(self.sweeps, 1, 1_000_000, model=self.name, where="sweeps")

    def name_of(self, shape: int) -> str:
        """The name of the body, or of what stands, that a shape belongs to."""
        body = int(self.shapes.body[shape])
        return self.bodies[body].name if body >= 0 else next(s.name for s in self.standing if shape in s.shapes)

    # -- a step ---------------------------------------------------------------------------------

    def _step(self, h: float) -> None:
        contacts = self.find(h)
        while self.sleep.wake_met(contacts):
            contacts = self.find(h)
        self.contacts = contacts
        before = self.states.copy() if self.sensors or self.sleep.limit > 0.0 else self.states
        places = [sensor.place(h) for sensor in self.sensors]
        self.engine.step(contacts)
        if self.sensors:
            made = contact_impulses(self, before).with_others(self.sleep.impulses)
            for sensor, place in zip(self.sensors, places, strict=True):
                sensor.see(made, place, h)
        if self.sleep.limit > 0.0:
            self.sleep.after_step(self.find.speeds, before)
        self._carry(h)

    def _carry(self, h: float) -> None:
        """Bring shapes that are told to move to where they are at the end of the step."""
        for s in self.standing:
            if s.carry(self.shapes, h):
                self.search.forget()

    # -- names ----------------------------------------------------------------------------------

    def _stand(
        self, solid: Any, parts: list[Part], at: _Numbers, turned: _Numbers, material: str, group: str, name: str
    ) -> Standing:
        axes, kinds = rotation(turned), self._kinds(material, group)
        rows = tuple(self.shapes.add(p.shape, -1, *kinds, at + axes @ p.middle, axes @ p.axes) for p in parts)
        found = Standing(name, solid, rows, tuple(parts))
        self.names.take(name)
        self.standing.append(found)
        self.unchecked.update(rows)
        self.sleep.wake_all()
        self.search.forget()
        return found

    def _kinds(self, material: str, group: str) -> tuple[int, int]:
        """Numbers of a material and of a group."""
        return self.surfaces.number(material), self.groups.number(group)

    def _holds(self, item: Any) -> bool:
        """Whether it is in this world."""
        known = any(item is other for other in (*self.bodies, *self.standing))
        return known and bool(self.shapes.exists[item.shapes[0]])

    def __repr__(self) -> str:
        return f"<world {self.name!r}: {counted(len(self.bodies), 'body', 'bodies')} at {self.time:g} s>"
