"""Worlds: many bodies with shapes that meet, found while they move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number, whole_number
from nsdgen.base.solids import Solid
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError, ParameterError
from nsdgen.model.world._narrow import arms, touching
from nsdgen.model.world.bodies import Shapes, Standing, WorldBody, fill
from nsdgen.model.world.kernels import world_kernels
from nsdgen.model.world.moving_apart import move_apart
from nsdgen.model.world.recording import WorldRecording
from nsdgen.model.world.search import PairSearch
from nsdgen.model.world.shapes import (
    HALF_SPACE,
    MESH,
    CollisionShape,
    numbers,
    parts_of,
    quaternion,
    rotation,
    shape_of,
)
from nsdgen.study.pooled_run import STATE, Contacts, PooledRun
from nsdgen.study.trajectory import Trajectory

__all__ = ["World"]

_Numbers = NDArray[np.float64]
_FEW_ROWS = 60
"""Steps of up to so many rows are solved by the methods of all models."""

_CERTIFIED = 1e-8
"""Of the load of an island of contacts: what a step may leave where no tolerance is given."""

_CLOSED = 1e-2
"""Of how far a body falls in a step, times two: a gap that counts as closed, or rounding would open a contact."""

_NEAR = 1e-6
"""Of the sizes of two shapes: a gap in which a contact is kept, so that one at rest is not lost by rounding."""


_NO_TURN = 1e-12
"""Square of the length of a quaternion that has no direction but by rounding."""


@named_arguments
class World:
    """Bodies with shapes, gravity, and what stands: contacts are found while they move.

    ``gravity`` [m/s^2]; ``friction``, ``restitution`` and ``rolling_friction`` [m] are those of all pairs of materials
    that :meth:`surface` says nothing of. Steps are solved with a certificate: relative velocities and impulses obey
    their laws to 1e-8 of the largest relative velocity that there would be without contacts. ``tolerance`` [m/s] above
    0 asks for less: sweeps over the contacts until no velocity is off by more, at most ``sweeps`` of them there and
    back. A step that reaches neither, as in dense piles at rest, is taken as it is: ``left`` records what it leaves,
    and the run warns (``docs/how-to/worlds.md``). ``margin`` [m] is how far the search looks ahead: it is chosen
    unless given, and changes no number. Contacts are Newton's law with Coulomb's friction, on velocities, by Moreau
    and Jean's scheme with gradients at the start of a step.
    """

    def __init__(
        self,
        name: str = "world",
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        friction: float = 0.5,
        restitution: float = 0.0,
        rolling_friction: float = 0.0,
        tolerance: float = 0.0,
        sweeps: int = 50,
        margin: float | None = None,
    ) -> None:
        self.name = name
        self.gravity = numbers(gravity, 3, "world, gravity")
        self.tolerance = finite_number(tolerance, model=name, where="tolerance")
        self.sweeps = whole_number(sweeps, 1, 1_000_000, model=name, where="sweeps")
        self.materials: dict[str, int] = {}
        self.groups: dict[str, int] = {"": 0}
        self.meets = np.ones((1, 1), dtype=bool)
        self._default = _surface(friction, restitution, rolling_friction, "world")
        self._surfaces: dict[tuple[int, int], tuple[float, float, float]] = {}
        self.bodies: list[WorldBody] = []
        self.standing: list[Standing] = []
        self.shapes = Shapes()
        self.forces_changed: set[int] = set()
        self.time = 0.0
        self.search = PairSearch(margin)
        self._states = np.zeros((16, STATE))
        self._engine: PooledRun | None = None
        self._names: set[str] = set()
        self._unchecked: set[int] = set()
        self.contacts: tuple[Contacts, Contacts] = (_none(2), _none(1))

    # -- what there is --------------------------------------------------------------------------

    @property
    def states(self) -> _Numbers:
        """Of all bodies (n, 13): position [m], quaternion, velocity [m/s], angular velocity [rad/s, body frame]."""
        return (self._states if self._engine is None else self._engine.states)[: len(self.bodies)]

    def surface(
        self, first: str, second: str, friction: float = 0.5, restitution: float = 0.0, rolling_friction: float = 0.0
    ) -> None:
        """The coefficients of two materials on each other; ``rolling_friction`` is a length [m]."""
        pair = sorted((self._material(first), self._material(second)))
        where = f"surface of {first!r} on {second!r}"
        self._surfaces[pair[0], pair[1]] = _surface(friction, restitution, rolling_friction, where)

    def ignore(self, first: str, second: str) -> None:
        """Bodies of these groups do not meet."""
        a, b = self._group(first), self._group(second)
        self.meets[a, b] = self.meets[b, a] = False
        self.search.forget()

    def plane(
        self, normal: Sequence[float] = (0, 0, 1), offset: float = 0.0, material: str = "", name: str = ""
    ) -> Standing:
        """A half space that stands: nothing comes below normal . x = offset [m]. The ground, unless told otherwise."""
        where = f"plane {name!r}"
        n = numbers(normal, 3, f"{where}, normal")
        size = float(np.linalg.norm(n))
        if size == 0.0:
            raise ModelError("the normal is zero", where=where, fix="give the direction away from it")
        shape = CollisionShape(HALF_SPACE, (0.0, 0.0, 0.0), 0.0, np.inf, 0.0, np.zeros((3, 3)))
        return self._stand(None, shape, n / size * offset, _turn_to(n / size), material, "", name or "plane")

    def stand(
        self,
        solid: Solid,
        position: Sequence[float] = (0, 0, 0),
        quaternion_: Sequence[float] = (1, 0, 0, 0),
        material: str = "",
        group: str = "",
        name: str = "",
    ) -> Standing:
        """A solid that stands, or moves as it is told (:class:`Standing`): a wall, a table, a chute, a finger."""
        where = f"solid {name!r}"
        shape = shape_of(solid, where)
        at, turned = numbers(position, 3, f"{where}, position"), quaternion(quaternion_, f"{where}, quaternion")
        return self._stand(solid, shape, at, turned, material, group, name or type(solid).__name__.lower())

    def add(
        self,
        solid: Solid,
        position: Sequence[float],
        quaternion_: Sequence[float] = (1, 0, 0, 0),
        velocity: Sequence[float] = (0, 0, 0),
        angular_velocity: Sequence[float] = (0, 0, 0),
        mass: float | None = None,
        density: float = 1000.0,
        material: str = "",
        group: str = "",
        name: str = "",
    ) -> WorldBody:
        """A body made of a solid of this ``density`` [kg/m^3], or of this ``mass`` [kg], evenly filled.

        ``position``, ``quaternion_`` and ``angular_velocity`` are those of the frame of the solid, ``velocity`` and the
        state that of its centre of mass about principal axes; for solids about their own centre both are the same.
        Raises ``ModelError`` for what is no body.
        """
        number, name = len(self.bodies), self._name(name or "body", always=not name)
        where = f"body {name!r}"
        for value, what in ((density if mass is None else mass, "density" if mass is None else "mass"),):
            if not finite_number(value, model=self.name, where=f"{where}, {what}") > 0.0:
                raise ModelError(f"has the {what} {value:g}", where=where, fix=f"give a {what} above 0")
        body_ = fill(parts_of(solid, where), mass, density)
        turned = quaternion(quaternion_, f"{where}, quaternion")
        state = np.concatenate(
            [
                numbers(position, 3, f"{where}, position") + rotation(turned) @ body_.centre,
                _after(turned, body_.axes),
                numbers(velocity, 3, f"{where}, velocity"),
                body_.axes.T @ numbers(angular_velocity, 3, f"{where}, angular velocity"),
            ]
        )
        rows = tuple(
            self.shapes.add(
                p.shape, number, self._material(material), self._group(group), p.at + p.axes @ p.shape.origin, p.axes
            )
            for p in body_.parts
        )
        body = WorldBody(self, number, name, solid, body_.mass, body_.moments, rows, body_.parts, state)
        self.bodies.append(body)
        self._make_room()
        self.states[number] = state
        self.forces_changed.add(number)
        self._unchecked.update(rows)
        self.search.forget()
        return body

    def remove(self, body: WorldBody) -> None:
        """Take a body out: it meets nothing and stays where it is."""
        body.exists = False
        self.shapes.exists[list(body.shapes)] = False
        self.search.forget()

    # -- a run ----------------------------------------------------------------------------------

    def run(
        self,
        end: float,
        step: float = 1e-3,
        every: int = 1,
        before: Callable[[World], Any] | None = None,
        allow_overlap: bool = False,
        resolve: bool = False,
    ) -> Trajectory:
        """Go on to the time ``end`` [s] from where the world is; the trajectory has each ``every``-th step.

        ``before(world)`` is called before each step that follows a recorded one: it may add and remove bodies, and
        change forces and velocities. ``resolve`` moves new bodies and others apart where they are inside each other, by
        the least motion. Raises ``ParameterError`` for shapes inside each other at the start, unless that is allowed,
        and for a step in which a body moves farther than it is thick.
        """
        h = finite_number(step, model=self.name, where="step")
        every = whole_number(every, 1, 2**31, model=self.name, where="every")
        steps = round((finite_number(end, model=self.name, where="end") - self.time) / h) if h > 0 else 0
        if steps < 1:
            raise ParameterError(
                f"from {self.time:g} s to {end:g} s there is no step of {h:g} s",
                model=self.name,
                where="end",
                fix="give an end after the time of the world, and a step above 0",
            )
        self._begin(h)
        start = self.time
        if self._unchecked and resolve:
            move_apart(self)
        elif self._unchecked and not allow_overlap:
            self.check_overlap()
        self._unchecked.clear()
        recording = WorldRecording(self, steps, every)
        recording.take()
        for number in range(steps):
            if before is not None and number % every == 0:
                before(self)
            self._step(h)
            self.time = start + (number + 1) * h
            recording.after_step()
            if (number + 1) % every == 0 or number + 1 == steps:
                recording.take()
        return recording.trajectory()

    def check_overlap(self) -> None:
        """Raise ``ParameterError`` for shapes of new bodies that are inside others, with their names and the depth."""
        contacts = self._find(0.0)
        gaps = np.concatenate([c.arguments[:, self._gap_at] for c in contacts])
        shapes = np.concatenate([c.shapes for c in contacts])
        new = np.isin(shapes, sorted(self._unchecked)).any(axis=1)
        gaps, shapes = gaps[new], shapes[new]
        if not len(gaps) or gaps.min() >= -1e-9 * self.shapes.around[self.shapes.body >= 0].max(initial=1.0):
            return
        worst = int(gaps.argmin())
        a, b = (self.name_of(int(k)) for k in shapes[worst])
        raise ParameterError(
            f"{a!r} and {b!r} are inside each other by {-gaps[worst]:.6g} m ({(gaps < 0).sum()} places in all)",
            model=self.name,
            where="start",
            fix="move them apart, run(resolve=True), which does it by the least motion, or run(allow_overlap=True): "
            "contacts keep the overlap, they do not undo it",
        )

    def name_of(self, shape: int) -> str:
        """The name of the body, or of what stands, that a shape belongs to."""
        body = int(self.shapes.body[shape])
        return self.bodies[body].name if body >= 0 else next(s.name for s in self.standing if s.shape == shape)

    # -- a step ---------------------------------------------------------------------------------

    def _step(self, h: float) -> None:
        engine = self._engine
        assert engine is not None
        self._tell_forces(h)
        self.contacts = self._find(h)
        engine.open(self.contacts, self.states[:, :3])
        engine.go()
        self._carry(h)

    def _find(self, h: float) -> tuple[Contacts, Contacts]:
        """The contacts that may act in a step: their gap is at most what can close in half of it."""
        shapes, states = self.shapes, self.states
        shapes.place(states)
        standing = np.zeros(shapes.n)
        for s in self.standing:
            lever = 0.0 if np.isinf(shapes.inside[s.shape]) else shapes.around[s.shape] + np.linalg.norm(s.origin)
            standing[s.shape] = np.linalg.norm(s.velocity) + lever * np.linalg.norm(s.spin)
            if not np.isfinite(standing[s.shape]):
                raise ParameterError(
                    f"the velocity or spin of {s.name!r} is not finite", model=self.name, fix="look at what was set"
                )
        speeds = shapes.speeds(states, standing)
        self._check_speeds(speeds, h)
        reach = 0.505 * h * speeds + _NEAR * np.where(shapes.kind == HALF_SPACE, 0.0, shapes.around)
        pairs = self.search.pairs(_WorldView(self), 2.0 * float(reach.max(initial=0.0)))
        keys, found, gap, normal, point = touching(
            pairs,
            reach[pairs[:, 0]] + reach[pairs[:, 1]],
            shapes.kind,
            shapes.size,
            shapes.centres,
            shapes.axes,
            shapes.form,
            2 * sum(len(c.keys) for c in self.contacts),
        )
        # What stands comes second: its shapes are turned around where they came first.
        bodies = shapes.body[found]
        swap = bodies[:, 0] < 0
        bodies[swap], found[swap], normal[swap] = bodies[swap, ::-1], found[swap, ::-1], -normal[swap]
        return self._pair(keys, found, bodies, gap, normal, point), self._rest(keys, found, bodies, gap, normal, point)

    def _pair(self, keys: Any, found: Any, bodies: Any, gap: Any, normal: Any, point: Any) -> Contacts:
        which = np.flatnonzero(bodies[:, 1] >= 0)
        own = np.ascontiguousarray(bodies[which])
        both = [self._arms(own[:, k], point[which]) for k in (0, 1)]
        arguments = np.hstack([self._coefficients(found[which]), gap[which, None], normal[which], *both])
        return Contacts(keys[which], own, arguments, found[which])

    def _rest(self, keys: Any, found: Any, bodies: Any, gap: Any, normal: Any, point: Any) -> Contacts:
        which = np.flatnonzero(bodies[:, 1] < 0)
        own, place = np.ascontiguousarray(bodies[which, :1]), point[which]
        velocity = np.zeros((len(which), 3))
        for s in self.standing:
            if np.any(s.velocity) or np.any(s.spin) or np.any(s.surface):
                here = found[which, 1] == s.shape
                levers = place[here] - s.place(self.shapes)[0]
                velocity[here] = np.asarray(s.velocity) + np.cross(np.asarray(s.spin, dtype=float), levers)
                velocity[here] += np.asarray(s.surface)
        since = np.full((len(which), 1), self._engine.stepper.time if self._engine else 0.0)
        parts = [self._coefficients(found[which]), gap[which, None], normal[which], self._arms(own[:, 0], place), place]
        return Contacts(keys[which], own, np.hstack([*parts, velocity, since]), found[which])

    def _arms(self, bodies: NDArray[np.intc], places: _Numbers) -> _Numbers:
        found = np.empty_like(places)
        arms(self.states, np.ascontiguousarray(bodies), np.ascontiguousarray(places), found)
        return found

    def _coefficients(self, shapes: NDArray[np.intc]) -> _Numbers:
        material = self.shapes.material
        found: _Numbers = self._table[material[shapes[:, 0]], material[shapes[:, 1]]]
        return found

    def _check_speeds(self, speeds: _Numbers, h: float) -> None:
        """Refuse states that are no numbers, and steps in which a shape moves through itself: it might pass others."""
        numbers_ = np.isfinite(self.states).all(axis=1)
        if not numbers_.all():
            raise ParameterError(
                f"the state of {self.bodies[int(numbers_.argmin())].name!r} is not finite",
                model=self.name,
                fix="look at what was set, and at forces",
            )
        sizes = np.einsum("ij,ij->i", self.states[:, 3:7], self.states[:, 3:7])
        if sizes.min(initial=1.0) < _NO_TURN:
            raise ParameterError(
                f"the quaternion of {self.bodies[int(sizes.argmin())].name!r} is zero",
                model=self.name,
                fix="set one of length 1 (nsd.from_axis_angle makes it)",
            )
        fast = h * speeds > self.shapes.around
        fast &= (self.shapes.body >= 0) & self.shapes.exists
        if fast.any():
            worst = int(np.flatnonzero(fast)[0])
            raise ParameterError(
                f"{self.name_of(worst)!r} moves {h * speeds[worst]:.3g} m in a step, farther than its radius",
                model=self.name,
                where=f"time {self.time:.6g} s",
                fix=f"give a step of at most {0.5 * self.shapes.around[worst] / speeds[worst]:.3g} s",
            )

    def _carry(self, h: float) -> None:
        """Bring shapes that are told to move to where they are at the end of the step."""
        for s in self.standing:
            if np.any(s.velocity):
                self.shapes.centres[s.shape] += h * np.asarray(s.velocity, dtype=float)
            if np.any(s.spin):
                w = h * np.asarray(s.spin, dtype=float)
                angle = float(np.linalg.norm(w))
                turn = rotation(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * w / angle)]))
                place, axes = s.place(self.shapes)
                self.shapes.axes[s.shape] = (turn @ axes).reshape(9)
                self.shapes.centres[s.shape] = place + turn @ axes @ s.origin
                self.search.forget()

    # -- engines --------------------------------------------------------------------------------

    def _begin(self, h: float) -> None:
        """An engine that fits this step and the materials there are."""
        self._check_meshes()
        self._fill_table()
        if self._engine is None or self._engine.step != h or self._rolls != self._rolls_now():
            self._renew(max(16, len(self.bodies)), h)

    def _check_meshes(self) -> None:
        """Refuse surfaces of triangles that would have to meet each other."""
        own = self.shapes
        which = np.flatnonzero((own.kind == MESH) & own.exists)
        for k in which[own.body[which] >= 0].tolist():
            others = which[(own.body[which] != own.body[k]) & self.meets[own.group[k], own.group[which]]]
            if len(others):
                raise ModelError(
                    f"{self.name_of(k)!r} and {self.name_of(int(others[0]))!r} are both surfaces of triangles, which "
                    "do not meet each other",
                    model=self.name,
                    fix="make the one that moves a Hull, or a Compound of hulls, or let their groups ignore each other",
                )

    def _rolls_now(self) -> bool:
        return any(rolling > 0.0 for _, _, rolling in (self._default, *self._surfaces.values()))

    def _fill_table(self) -> None:
        n = max(1, len(self.materials))
        rolls = self._rolls_now()
        table = np.zeros((n, n, 4 if rolls else 3))
        for i in range(n):
            for j in range(n):
                mu, e, rolling = self._surfaces.get((min(i, j), max(i, j)), self._default)
                table[i, j, :2] = e, mu
                if rolls:
                    table[i, j, 2] = rolling
        self._table, self._gap_at = table, table.shape[2]

    def _renew(self, room: int, h: float) -> None:
        """A new engine, which goes on from where the last one was."""
        old, states, n = self._engine, self.states.copy(), len(self.states)
        self._rolls = self._rolls_now()
        closed = max(_CLOSED * h * (float(np.linalg.norm(self.gravity)) or 1.0), self.tolerance) * h
        self._engine = engine = PooledRun(world_kernels(self._rolls).compiled, room, self.time, h, closed)
        engine.states[:n] = states
        engine.states[n:, 3] = 1.0
        certified = 0.0 if self.tolerance > 0.0 else _CERTIFIED
        engine.pile_up(certified, self.tolerance, self.sweeps, _FEW_ROWS)
        self.forces_changed.update(range(len(self.bodies)))
        if old is not None and old.step == h and self.contacts[0].arguments.shape[1:] == (self._gap_at + 10,):
            engine.open(self.contacts, states[:, :3])
            for k in range(2):
                engine.pools.recall(k, *old.pools.rows(k))

    def _make_room(self) -> None:
        n = len(self.bodies)
        if self._engine is None and n > len(self._states):
            self._states = np.concatenate([self._states, np.zeros_like(self._states)])
        elif self._engine is not None and n > self._engine.room:
            last = self.bodies.pop()
            self._renew(2 * self._engine.room, self._engine.step)
            self.bodies.append(last)

    def _tell_forces(self, h: float) -> None:
        """What acts on bodies, and which of them there are."""
        engine = self._engine
        assert engine is not None
        if self.forces_changed:
            changed = sorted(self.forces_changed)
            for body in (self.bodies[i] for i in changed):
                numbers(body.force, 3, f"body {body.name!r}, force")
                numbers(body.moment, 3, f"body {body.name!r}, moment")
            rows = np.array(
                [
                    [b.mass, *b.moments, *(b.mass * self.gravity + np.asarray(b.force)), *np.asarray(b.moment), h]
                    for b in (self.bodies[i] for i in changed)
                ]
            )
            engine.pools.set_systems(np.array(changed, dtype=np.intc), rows)
            self.forces_changed.clear()
        present = np.zeros(engine.room, dtype=np.int8)
        moves = self.shapes.body >= 0
        present[self.shapes.body[moves]] = self.shapes.exists[moves]
        if not np.array_equal(present, engine.present):
            engine.pools.take_part(present)
            engine.present = present

    # -- names ----------------------------------------------------------------------------------

    def _stand(
        self, solid: Any, shape: CollisionShape, at: _Numbers, turned: _Numbers, material: str, group: str, name: str
    ) -> Standing:
        axes = rotation(turned)
        row = self.shapes.add(shape, -1, self._material(material), self._group(group), at + axes @ shape.origin, axes)
        found = Standing(self._name(name), solid, row, shape.origin)
        self.standing.append(found)
        self.search.forget()
        return found

    def _name(self, name: str, always: bool = False) -> str:
        """A name of its own, with a number where it is taken."""
        found, number = f"{name} {len(self.bodies)}" if always else name, 1
        while found in self._names:
            found, number = f"{name} {number}", number + 1
        self._names.add(found)
        return found

    def _material(self, name: str) -> int:
        return self.materials.setdefault(name, len(self.materials))

    def _group(self, name: str) -> int:
        number = self.groups.setdefault(name, len(self.groups))
        if number >= len(self.meets):
            grown = np.ones((number + 1, number + 1), dtype=bool)
            grown[: len(self.meets), : len(self.meets)] = self.meets
            self.meets = grown
        return number

    def __repr__(self) -> str:
        return f"<world {self.name!r}: {len(self.bodies)} bodies at {self.time:g} s>"


class _WorldView:
    """What the search reads of a world."""

    def __init__(self, world: World) -> None:
        self._shapes, self.meets = world.shapes, world.meets

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shapes, name)


def _none(bodies: int) -> Contacts:
    return Contacts(
        np.zeros(0, dtype=np.int64),
        np.zeros((0, bodies), dtype=np.intc),
        np.zeros((0, 0)),
        np.zeros((0, 2), dtype=np.intc),
    )


def _surface(friction: Any, restitution: Any, rolling: Any, where: str) -> tuple[float, float, float]:
    """Checked coefficients; an infinite friction is one that holds whatever pulls."""
    mu = 1e100 if friction == np.inf else finite_number(friction, model="", where=f"{where}, friction")
    e, r = (
        finite_number(v, model="", where=f"{where}, {n}")
        for v, n in ((restitution, "restitution"), (rolling, "rolling"))
    )
    if mu < 0 or r < 0 or not 0 <= e <= 1:
        raise ModelError(
            f"has friction {mu:g}, restitution {e:g}, rolling friction {r:g}",
            where=where,
            fix="give friction and rolling friction >= 0, restitution from 0 to 1",
        )
    return mu, e, r


def _after(turned: _Numbers, axes: _Numbers) -> _Numbers:
    """The quaternion of axes (3, 3) in a frame that is turned itself; the same where they are those of the frame."""
    from scipy.spatial.transform import Rotation

    if np.array_equal(axes, np.eye(3)):
        return turned
    x, y, z, w = Rotation.from_matrix(rotation(turned) @ axes).as_quat()
    return np.array([w, x, y, z])


def _turn_to(n: _Numbers) -> _Numbers:
    """The quaternion that turns z into a unit vector."""
    if n[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    found = np.array([1.0 + n[2], -n[1], n[0], 0.0])
    return found / np.linalg.norm(found)
