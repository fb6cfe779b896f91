"""What a world holds: bodies that move, shapes that stand, and the arrays of all their shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.solids import Solid
from nsdgen.base.suggest import known_attributes
from nsdgen.errors import ModelError
from nsdgen.model.world._shapes import ShapeForm, place_shapes
from nsdgen.model.world.shapes import CollisionShape, Part, numbers, rotation

_Numbers = NDArray[np.float64]
_SQUARE = 1e-12
"""Of the trace of an inertia: axes about which less is off the diagonal are principal ones."""

_TOLD = ("velocity", "spin", "surface")
"""How what stands may move."""


@known_attributes
@dataclass(eq=False)
class WorldBody:
    """A body of a world: its number there, its name, mass [kg], principal moments [kg m^2].

    ``parts`` are its shapes in its frame, that of its centre of mass and principal axes.

    ``force`` [N, inertial frame] and ``moment`` [N m, body frame] act on it beside gravity until they are set again.
    They, its place and velocities can be set. Raises ``ModelError`` for all else, and for numbers that are none.
    """

    world: Any = field(repr=False)
    number: int
    name: str
    solid: Solid
    mass: float
    moments: tuple[float, float, float]
    shapes: tuple[int, ...]
    parts: tuple[Part, ...] = field(repr=False)
    born: _Numbers = field(repr=False)
    exists: bool = True
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)

    def __setattr__(self, name: str, value: Any) -> None:
        where = f"body {self.name!r}, {name}" if "name" in self.__dict__ else ""
        if not self.__dict__.get("exists", True):
            raise ModelError("was taken out of the world", where=where, fix="add another one")
        if name in ("force", "moment"):
            space = self.world.space
            value = (space.vector if name == "force" else space.turn)(value, where).copy()
            value.flags.writeable = False  # what is set in its place would not be seen
            self.world.engine.forces_changed.add(self.number)
        elif name in self.__dict__:
            raise ModelError("is what the body was added with", where=where, fix="remove it, and add another one")
        super().__setattr__(name, value)

    @property
    def state(self) -> _Numbers:
        """A copy of position [m], quaternion, velocity [m/s], angular velocity [rad/s, body frame], as they are now.

        In a planar world x, y, angle and their rates.
        """
        found: _Numbers = self.world.states[self.number].copy()
        return found

    @property
    def asleep(self) -> bool:
        """Whether it takes no part in steps until something meets it."""
        return bool(self.world.sleep.asleep[self.number : self.number + 1].any())

    @property
    def position(self) -> _Numbers:
        """The centre of mass [m]; like all parts of the state it can be set between steps."""
        return self._part(0, self.world.space.dimension)

    @position.setter
    def position(self, value: Any) -> None:
        self._set(0, self.world.space.vector(value, f"body {self.name!r}, position")[: self.world.space.dimension])
        self.world.unchecked.update(self.shapes)

    @property
    def velocity(self) -> _Numbers:
        """Of the centre of mass [m/s]."""
        return self._part(self.world.space.rates, self.world.space.dimension)

    @velocity.setter
    def velocity(self, value: Any) -> None:
        space = self.world.space
        self._set(space.rates, space.vector(value, f"body {self.name!r}, velocity")[: space.dimension])

    @property
    def quaternion(self) -> _Numbers:
        """Of the principal axes, scalar first; in a planar world of a turn by its angle about z."""
        found: _Numbers = self.world.space.poses(self.state[None])[0, 3:7]
        found.flags.writeable = False
        return found

    @property
    def angular_velocity(self) -> Any:
        """About the principal axes [rad/s], three components; in a planar world a number, about z."""
        turning = self._part(self.world.space.rates + self.world.space.dimension, 3)
        return turning if len(turning) == 3 else float(turning[0])

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        space = self.world.space
        turning = space.turn(value, f"body {self.name!r}, angular velocity")
        self._set(space.rates + space.dimension, turning if space.dimension == 3 else turning[2:])

    def _part(self, first: int, count: int) -> _Numbers:
        found = self.state[first : first + count]
        found.flags.writeable = False  # what is set in its place would not be seen
        return found

    def _set(self, first: int, values: _Numbers) -> None:
        self.world.states[self.number, first : first + len(values)] = values


@known_attributes
@dataclass(eq=False)
class Standing:
    """A solid that stands, or moves as it is told: ``velocity`` [m/s] of all of it, ``spin`` [rad/s] about its place.

    ``parts`` are its shapes in the frame of its solid, ``shapes`` their numbers. ``surface`` [m/s] is how fast its
    surface runs while it stands, as that of a belt. Raises ``ModelError`` for what is no three numbers.
    """

    name: str
    solid: Solid | None
    shapes: tuple[int, ...]
    parts: tuple[Part, ...] = field(repr=False)
    velocity: Any = (0.0, 0.0, 0.0)
    spin: Any = (0.0, 0.0, 0.0)
    surface: Any = (0.0, 0.0, 0.0)
    _told: list[str] = field(init=False, repr=False)  # which of these are not zero: each step asks for it

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _TOLD:
            value = numbers(value, 3, f"solid {self.name!r}, {name}")
            value.flags.writeable = False  # they are set as a whole, as those of bodies
        super().__setattr__(name, value)
        if name in _TOLD:
            super().__setattr__("_told", [told for told in _TOLD if any(getattr(self, told))])

    def place(self, shapes: Shapes | _PlacedShapes) -> tuple[_Numbers, _Numbers]:
        """Where the frame of its solid is now [m], and its axes (3, 3)."""
        first, part = self.shapes[0], self.parts[0]
        axes = shapes.axes[first].reshape(3, 3) @ part.axes.T
        return shapes.centres[first] - axes @ part.middle, axes

    @property
    def moves(self) -> bool:
        """Whether its surface does."""
        return bool(self._told)

    def speed(self) -> float:
        """No point of it moves faster [m/s]; its surface may run faster, which brings it nowhere."""
        endless = self.solid is None
        lever = 0.0 if endless else max(p.shape.around + np.linalg.norm(p.middle) for p in self.parts)
        return float(np.linalg.norm(self.velocity) + lever * np.linalg.norm(self.spin))

    def carry(self, shapes: Shapes | _PlacedShapes, h: float) -> bool:
        """Bring it to where it is a step later; whether it has turned."""
        if not self._told:
            return False
        if "velocity" in self._told:
            shapes.centres[list(self.shapes)] += h * self.velocity
        if "spin" not in self._told:
            return False
        w = h * self.spin
        angle = float(np.linalg.norm(w))
        turn = rotation(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * w / angle)]))
        place, axes = self.place(shapes)
        axes = turn @ axes
        for number, part in zip(self.shapes, self.parts, strict=True):
            shapes.axes[number] = (axes @ part.axes).reshape(9)
            shapes.centres[number] = place + axes @ part.middle
        return True


@dataclass(frozen=True)
class Filled:
    """What a body is made of: mass [kg], moments [kg m^2], centre [m] and principal axes where its parts were given.

    ``parts`` are those in the frame of centre and axes.
    """

    mass: float
    moments: tuple[float, float, float]
    centre: _Numbers
    axes: _Numbers
    parts: tuple[Part, ...]


def fill(parts: list[Part], mass: float | None, density: float, principal: bool) -> Filled:
    """Parts of one density [kg/m^3], or of a mass [kg] in all; where parts overlap both count.

    Unless ``principal`` the axes are those that parts were given in, and moments are those about them.
    """
    volumes = np.array([p.shape.volume for p in parts])
    total = float(volumes.sum() * density if mass is None else mass)
    masses = total * volumes / volumes.sum()
    centres = np.array([p.at + p.axes @ p.shape.centre for p in parts])
    centre = masses @ centres / total
    inertia = np.zeros((3, 3))
    for m, place, part in zip(masses, centres - centre, parts, strict=True):
        inertia += m * (part.axes @ part.shape.inertia @ part.axes.T)
        inertia += m * (place @ place * np.eye(3) - np.outer(place, place))
    axes = np.eye(3)
    if principal and np.abs(inertia - np.diag(np.diag(inertia))).max() > _SQUARE * np.trace(inertia):
        axes = np.linalg.eigh(inertia)[1]
        axes[:, 2] *= np.linalg.det(axes)  # right-handed
        inertia = axes.T @ inertia @ axes
    placed = tuple(Part(p.shape, axes.T @ (p.at - centre), axes.T @ p.axes) for p in parts)
    moments = np.diag(inertia).tolist()
    return Filled(total, (moments[0], moments[1], moments[2]), centre, axes, placed)


@dataclass(frozen=True)
class _PlacedShapes:
    """Centres (n, 3) and axes (n, 9) of shapes."""

    centres: _Numbers
    axes: _Numbers


class Shapes:
    """The arrays of all shapes, each a row: kind, sizes, place on its body (number -1: it stands), material, group."""

    def __init__(self) -> None:
        self.n = 0
        self.version = 0  # counts those that come and go
        self._forms: list[ShapeForm] = []  # what addresses lead to
        self._room: dict[str, Any] = {
            "kind": np.zeros(16, dtype=np.intc),
            "body": np.zeros(16, dtype=np.intc),
            "material": np.zeros(16, dtype=np.intp),
            "group": np.zeros(16, dtype=np.intp),
            "exists": np.zeros(16, dtype=bool),
            "stands": np.zeros(16, dtype=bool),
            "around": np.zeros(16),
            "inside": np.zeros(16),
            "size": np.zeros((16, 3)),
            "at": np.zeros((16, 3)),
            "turn": np.zeros((16, 9)),
            "centres": np.zeros((16, 3)),
            "axes": np.zeros((16, 9)),
            "form": np.zeros(16, dtype=np.intp),
        }

        self._show()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _show(self) -> None:
        """The arrays as attributes: of the shapes there are, without the room behind them."""
        vars(self).update({name: found[: self.n] for name, found in self._room.items()})

    def add(self, shape: CollisionShape, body: int, material: int, group: int, at: _Numbers, axes: _Numbers) -> int:
        """A shape of a body, with its place and axes (3, 3) there, or with body=-1 in the world; its number."""
        if self.n == len(self._room["kind"]):
            self._room = {name: np.concatenate([found, np.zeros_like(found)]) for name, found in self._room.items()}
        number, axes = self.n, axes.reshape(9)
        row = {"kind": shape.kind, "body": body, "material": material, "group": group, "exists": True,
               "stands": body < 0, "around": shape.around, "inside": shape.inside, "size": shape.sizes,
               "at": at if body >= 0 else 0.0, "turn": axes, "centres": at, "axes": axes,
               "form": shape.form.address if shape.form is not None else 0}  # fmt: skip
        if shape.form is not None:
            self._forms.append(shape.form)
        for name, value in row.items():
            self._room[name][number] = value
        self.n += 1
        self.version += 1
        self._show()
        return number

    def take_out(self, numbers: tuple[int, ...]) -> None:
        """These are there no more."""
        self.exists[list(numbers)] = False
        self.version += 1

    def place(
        self, states: _Numbers, planar: bool, h: float, awake: NDArray[np.bool_] | None = None
    ) -> tuple[_Numbers, int]:
        """Bring shapes of bodies to where these are; no point of a shape is faster than what is returned [m/s].

        Shapes that are not ``awake`` (all are, unless given) stay, as those do that have no body: their speeds are 0.
        The number of a shape whose state is to be refused in a step ``h`` is returned beside, -1 where there is none.
        """
        return self._placed(states, planar, h, awake, self.centres, self.axes, 0.0)

    def later(
        self, states: _Numbers, planar: bool, h: float, awake: NDArray[np.bool_] | None, standing: list[Standing]
    ) -> tuple[_Numbers, _Numbers]:
        """Centres and axes after a time ``h`` in which all velocities stay as they are."""
        places = _PlacedShapes(self.centres.copy(), self.axes.copy())
        self._placed(states, planar, h, awake, places.centres, places.axes, h)
        for s in standing:
            s.carry(places, h)
        return places.centres, places.axes

    def _placed(
        self,
        states: _Numbers,
        planar: bool,
        h: float,
        awake: NDArray[np.bool_] | None,
        centres: _Numbers,
        axes: _Numbers,
        later: float,
    ) -> tuple[_Numbers, int]:
        speeds = np.zeros(self.n)
        which = (np.ones(self.n, dtype=bool) if awake is None else awake).view(np.int8)
        own = (self.body, self.around, self.at, self.turn)
        exists = self.exists.view(np.int8)
        return speeds, place_shapes(states, planar, which, exists, *own, centres, axes, speeds, h, later)
