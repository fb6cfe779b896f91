"""Joints of a world: rows that hold two bodies, or a body and the ground, at a place; motors and stops.

What they ask of a step is compiled: rows along directions that are taken in the middle of a step (``_joints.pxi``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number
from nsdgen.base.suggest import known_attributes, named_arguments
from nsdgen.errors import ModelError
from nsdgen.model.world._shapes import joint_look, joint_rows
from nsdgen.model.world.bodies import WorldBody
from nsdgen.model.world.links import WorldLinks, bodies_of, place_of
from nsdgen.record.columns import Column

_Numbers = NDArray[np.float64]

_KINDS = {
    "hinge": ((0, 1, 2, 3, 4), 5),
    "slider": ((0, 1, 3, 4, 5), 2),
    "ball": ((0, 1, 2), None),
    "weld": ((0, 1, 2, 3, 4, 5), None),
}
"""Rows that are held along x, y, z of the joint (3 + k: turns about them), z its axis; and the row that is free."""

_ROWS = {kind: (sum(1 << k for k in held), -1 if free is None else free) for kind, (held, free) in _KINDS.items()}
"""The same as compiled code reads them."""

_RANGES = {"lower": (-np.inf, 0.0), "upper": (0.0, np.inf), "speed": (-np.inf, np.inf), "limit": (0.0, np.inf)}
"""Of what users set."""


@known_attributes
@dataclass(eq=False)
class WorldJoint:
    """A joint: ``first`` relative to ``second``, None the ground. Its axis is that of the second.

    ``speed`` [rad/s or m/s] is what a motor along the free direction aims at with at most ``limit`` [N m or N]: none
    where that is 0; with the speed 0 it is dry friction. ``lower`` and ``upper`` are stops [rad or m], without
    restitution. ``coordinate`` [rad, turns are counted, or m] and its ``rate`` are 0 at first, where nothing is free,
    and where a body was taken out.
    ``force`` [N] and ``moment`` [N m] act on the first body at the joint, inertial frame, in the last step. Raises
    ``ModelError`` for stops and motors that are none.
    """

    name: str
    number: int
    kind: str
    first: WorldBody
    second: WorldBody | None
    places: tuple[_Numbers, _Numbers]
    axes: tuple[_Numbers, _Numbers]
    lower: float
    upper: float
    speed: float = 0.0
    limit: float = 0.0
    force: Any = (0.0, 0.0, 0.0)
    moment: Any = (0.0, 0.0, 0.0)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and name not in _RANGES:
            fix = "set speed and limit of its motor, lower and upper"
            raise ModelError("is what the joint was made with, or gives", where=f"joint {self.name!r}, {name}", fix=fix)
        super().__setattr__(name, self._in_range(name, value) if name in _RANGES else value)

    def _in_range(self, name: str, value: Any) -> float:
        """A stop, or a number of the motor; raises ``ModelError`` for one that this joint cannot have."""
        (low, high), where = _RANGES[name], f"joint {self.name!r}, {name}"
        endless = isinstance(value, float) and np.isinf(value) and name != "speed"
        number = float(value) if endless else finite_number(value, where=where)
        if _KINDS[self.kind][1] is None and number != ({"lower": low, "upper": high}.get(name, 0.0)):
            raise ModelError(f"is {number:g}", where=where, fix=f"a {self.kind} is not free: use a hinge or a slider")
        if not low <= number <= high:
            fix = "give a number of at least 0" if name == "limit" else "give lower <= 0 <= upper: it was made at 0"
            raise ModelError(f"is {number:g}", where=where, fix=fix)
        return number

    @property
    def coordinate(self) -> float:
        """Along or about the free axis, now."""
        free = _KINDS[self.kind][1]
        return 0.0 if free is None else float(self.look()[0][free])

    @property
    def rate(self) -> float:
        """Of the coordinate, now."""
        free = _KINDS[self.kind][1]
        return 0.0 if free is None else float(self.look()[1][free])

    def parted(self, length: float) -> float:
        """How far what it holds is off now: as a share of this length [m], and in radians."""
        off = self.look()[0] / np.repeat([length, 1.0], 3)
        return float(np.abs(off[list(_KINDS[self.kind][0])]).max())

    def columns(self) -> list[Column]:
        """What a run records of it: coordinate, rate, force, moment."""
        unit = {"hinge": "rad", "slider": "m"}.get(self.kind, "")
        parts = [("coordinate", unit), ("rate", f"{unit}/s" if unit else "")]
        parts += [(f"force[{k}]", "N") for k in range(3)] + [(f"moment[{k}]", "N m") for k in range(3)]
        return [Column(f"{self.name}.{name}", unit, "of a joint") for name, unit in parts]

    def row(self) -> list[float]:
        """Values of these columns."""
        return [self.coordinate, self.rate, *self.force, *self.moment]

    def look(self) -> tuple[_Numbers, _Numbers]:
        """What it is off along and about its axes (6) [m, rad] now, and the rates of these."""
        world, bodies = self.first.world, bodies_of([self])[0]
        if bodies[0] < 0:
            return np.zeros(6), np.zeros(6)
        planar, free, turned = world.space.dimension == 2, _ROWS[self.kind][1], world.joints.turned[self.number]
        return joint_look(world.states, planar, bodies, free, self.fixed, turned)

    @cached_property
    def fixed(self) -> _Numbers:
        """Places on both bodies and axes there (24), as compiled code reads them."""
        return np.concatenate([np.reshape(part, -1) for part in (*self.places, *self.axes)])


@dataclass(frozen=True)
class JointRows:
    """Rows of joints in the order of their keys: bodies (n, 1 or 2), arguments, joint, directions (n, 6)."""

    keys: NDArray[np.int64]
    bodies: NDArray[np.intc]
    arguments: _Numbers
    joint: NDArray[np.intp]
    along: _Numbers


class Joints(WorldLinks):
    """The joints of a world: ``world.joints.hinge(...)``, ``slider``, ``ball``, ``weld``.

    ``at`` [m] and ``axis`` are in the inertial frame, where bodies are now. ``second=None`` is the ground. Bodies that
    a joint connects do not meet each other unless ``meet`` says so. Raises ``ModelError`` for joints that are none.
    """

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.turned = np.zeros(0)  # angles of hinges in the middle of the last step, with their turns
        self.rows: tuple[JointRows, JointRows] = self._rows(1.0)

    @named_arguments
    def hinge(
        self,
        first: WorldBody,
        second: WorldBody | None = None,
        at: Sequence[float] = (0, 0, 0),
        axis: Sequence[float] = (0, 0, 1),
        lower: float = -np.inf,
        upper: float = np.inf,
        meet: bool = False,
        name: str = "",
    ) -> WorldJoint:
        """Turns about an axis alone; stops at ``lower`` and ``upper`` [rad], 0 being the angle now."""
        return self._add("hinge", first, second, at, axis, lower, upper, meet, name)

    @named_arguments
    def slider(
        self,
        first: WorldBody,
        second: WorldBody | None = None,
        at: Sequence[float] = (0, 0, 0),
        axis: Sequence[float] = (0, 0, 1),
        lower: float = -np.inf,
        upper: float = np.inf,
        meet: bool = False,
        name: str = "",
    ) -> WorldJoint:
        """Moves along an axis alone; stops at ``lower`` and ``upper`` [m], 0 being where it is now."""
        return self._add("slider", first, second, at, axis, lower, upper, meet, name)

    @named_arguments
    def ball(
        self,
        first: WorldBody,
        second: WorldBody | None = None,
        at: Sequence[float] = (0, 0, 0),
        meet: bool = False,
        name: str = "",
    ) -> WorldJoint:
        """A place that both have in common."""
        return self._add("ball", first, second, at, (0, 0, 1), -np.inf, np.inf, meet, name)

    @named_arguments
    def weld(
        self,
        first: WorldBody,
        second: WorldBody | None = None,
        at: Sequence[float] = (0, 0, 0),
        meet: bool = False,
        name: str = "",
    ) -> WorldJoint:
        """Nothing is free."""
        return self._add("weld", first, second, at, (0, 0, 1), -np.inf, np.inf, meet, name)

    def _add(
        self, kind: str, first: Any, second: Any, at: Any, axis: Any, lower: Any, upper: Any, meet: bool, name: str
    ) -> WorldJoint:
        name = self.world.names.free(name, kind, "joint")
        where = f"joint {name!r}"
        self.check(first, second, where)
        place = self.world.space.vector(at, f"{where}, at")
        z = self.world.space.axis(axis, kind == "slider", f"{where}, axis")
        if not np.any(z):
            raise ModelError("the axis is zero", where=where, fix="give a direction")
        frame = _frame(z / np.linalg.norm(z))
        now = [place_of(b) for b in (first, second)]
        places = [own.T @ (place - origin) for origin, own in now]
        axes = [own.T @ frame for _, own in now]
        number, both = len(self.all), ((places[0], places[1]), (axes[0], axes[1]))
        joint = WorldJoint(name, number, kind, first, second, *both, lower, upper)
        self.turned = np.append(self.turned, 0.0)
        if second is not None and not meet:
            self.world.search.keep_apart(first.number, second.number)
        self.keep(joint)
        return joint

    def begin(self, h: float) -> None:
        """The rows of a step of length h [s] from where bodies are."""
        self.rows = self._rows(h)

    def _rows(self, h: float) -> tuple[JointRows, JointRows]:
        space, n = self.world.space, len(self.all)
        kinds = np.array([_ROWS[j.kind] for j in self.all], dtype=np.intc).reshape(n, 2)
        fixed = np.array([j.fixed for j in self.all]).reshape(n, 24)
        told = np.array([(j.lower, j.upper, j.speed, j.limit) for j in self.all], dtype=float).reshape(n, 4)
        here = self.world.states, space.dimension == 2, bodies_of(self.all)
        pair, ground = joint_rows(*here, kinds, fixed, told, self.turned, h)
        return JointRows(*pair), JointRows(*ground)

    def end(self, h: float, multipliers: tuple[_Numbers, _Numbers]) -> None:
        """Take in forces after a step, from the impulses of both pools."""
        wrench = np.zeros((len(self.all), 6))
        for rows, impulses in zip(self.rows, multipliers, strict=True):
            np.add.at(wrench, rows.joint, rows.along * impulses / h)
        for joint, own in zip(self.all, wrench, strict=True):
            vars(joint).update(force=own[:3], moment=own[3:])


def _frame(z: _Numbers) -> _Numbers:
    """Axes (3, 3) of which this is the third."""
    x = np.eye(3)[int(np.abs(z).argmin())]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
