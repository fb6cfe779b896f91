"""Joints of a world: rows that hold two bodies, or a body and the ground, at a place; motors and stops.

Rows are velocities of one body relative to the other along directions that are taken in the middle of a step, where
velocities lead to from its start. What places are off there is brought back, by half of it in each step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number
from nsdgen.base.suggest import known_attributes, named_arguments
from nsdgen.errors import ModelError
from nsdgen.model.world.bodies import WorldBody
from nsdgen.model.world.body_motion import cross, is_body_of, motion_of
from nsdgen.model.world.space import Space
from nsdgen.record.columns import Column

_Numbers = NDArray[np.float64]

_SHARE = 0.5
"""Of what is off, taken back in a step: with theta = 1/2 errors then fall by half in each, and do not swing."""

_ROWS = 16
"""Rows of a joint are numbered below."""

_MOVES, _TURNS = 0, 3
"""Numbers of the first of three rows of displacement, and of rotation."""

_KINDS = {
    "hinge": ((0, 1, 2, 3, 4), 5),
    "slider": ((0, 1, 3, 4, 5), 2),
    "ball": ((0, 1, 2), None),
    "weld": ((0, 1, 2, 3, 4, 5), None),
}
"""Rows that are held along x, y, z of the joint (3 + k: turns about them), z its axis; and the row that is free."""


@known_attributes
@dataclass(eq=False)
class WorldJoint:
    """A joint: ``first`` relative to ``second``, None the ground. Its axis is that of the second.

    ``speed`` [rad/s or m/s] is what a motor along the free direction aims at with at most ``limit`` [N m or N]: none
    where that is 0; with the speed 0 it is dry friction. ``lower`` and ``upper`` are stops [rad or m], without
    restitution. ``coordinate`` [rad in (-pi, pi], or m] and its ``rate`` are 0 at first, and where nothing is free.
    ``force`` [N] and ``moment`` [N m] act on the first body at the joint, inertial frame, in the last step.
    """

    name: str
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

    @property
    def coordinate(self) -> float:
        """Along or about the free axis, now."""
        free = _KINDS[self.kind][1]
        return 0.0 if free is None else float(self.look().off[free])

    @property
    def rate(self) -> float:
        """Of the coordinate, now."""
        free = _KINDS[self.kind][1]
        return 0.0 if free is None else float(self.look().rates[free])

    def parted(self, length: float) -> float:
        """How far what it holds is off now: as a share of this length [m], and in radians."""
        off = self.look().off / np.repeat([length, 1.0], 3)
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

    def look(self, ahead: float = 0.0) -> _JointState:
        """Where it is now, or so many seconds ahead by the velocities that there are now."""
        one, other = motion_of(self.first, ahead), motion_of(self.second, ahead)
        at, there = (m.at + m.axes @ place for m, place in zip((one, other), self.places, strict=True))
        first, second = (m.axes @ axes for m, axes in zip((one, other), self.axes, strict=True))
        if self.kind == "hinge":
            across = second.T @ cross(second[:, 2], first[:, 2])
            angle = float(np.arctan2(first[:, 0] @ second[:, 1], first[:, 0] @ second[:, 0]))
            turned = np.array([across[0], across[1], angle])
        else:
            turned = second.T @ _turn_of(first @ second.T)
        velocity = one.velocity + cross(one.turn, at - one.at) - other.velocity - cross(other.turn, at - other.at)
        rates = np.concatenate([second.T @ velocity, second.T @ (one.turn - other.turn)])
        return _JointState(at, second, np.concatenate([second.T @ (at - there), turned]), rates)


@dataclass(frozen=True)
class _JointState:
    """A place [m], axes (3, 3), and six coordinates along and about them with their rates."""

    at: _Numbers
    axes: _Numbers
    off: _Numbers
    rates: _Numbers


@dataclass(frozen=True)
class JointRows:
    """Rows of joints in the order of their keys: bodies (n, 1 or 2), arguments, joint, directions (n, 6)."""

    keys: NDArray[np.int64]
    bodies: NDArray[np.intc]
    arguments: _Numbers
    joint: NDArray[np.intp]
    along: _Numbers


@named_arguments
class Joints:
    """The joints of a world: ``world.joints.hinge(...)``, ``slider``, ``ball``, ``weld``.

    ``at`` [m] and ``axis`` are in the inertial frame, where bodies are now. ``second=None`` is the ground. Bodies that
    a joint connects do not meet each other unless ``meet`` says so. Raises ``ModelError`` for joints that are none.
    """

    def __init__(self, world: Any) -> None:
        self.world = world
        self.all: list[WorldJoint] = []
        self.rows: tuple[JointRows, JointRows] = (_stack([], 2, world.space), _stack([], 1, world.space))

    @property
    def bodies(self) -> set[int]:
        """Numbers of bodies that have one."""
        return {b.number for j in self.all for b in (j.first, j.second) if b is not None}

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
        """Turns about an axis alone; stops at ``lower`` and ``upper`` within (-pi, pi) [rad], 0 being the angle now."""
        return self._add("hinge", first, second, at, axis, lower, upper, meet, name)

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
        name = self.world.take_name(name or kind)
        where = f"joint {name!r}"
        is_body_of(self.world, first, second, where)
        place = self.world.space.vector(at, f"{where}, at")
        z = self.world.space.axis(axis, kind == "slider", f"{where}, axis")
        if not np.any(z):
            raise ModelError("the axis is zero", where=where, fix="give a direction")
        for value, low in ((lower, -np.inf), (upper, np.inf)):
            if value != low:
                finite_number(value, where=f"{where}, stops")
        if (
            not lower <= 0 <= upper
            or (kind == "hinge" and not (lower == -np.inf or lower > -np.pi))
            or (kind == "hinge" and not (upper == np.inf or upper < np.pi))
        ):
            raise ModelError(
                f"has the stops {lower:g} and {upper:g}",
                where=where,
                fix="give lower <= 0 <= upper, for the joint is at 0 now; angles within (-pi, pi)",
            )
        frame = _frame(z / np.linalg.norm(z))
        motions = [motion_of(b) for b in (first, second)]
        places = [m.axes.T @ (place - m.at) for m in motions]
        axes = [m.axes.T @ frame for m in motions]
        joint = WorldJoint(
            name, kind, first, second, (places[0], places[1]), (axes[0], axes[1]), float(lower), float(upper)
        )
        self.all.append(joint)
        if second is not None and not meet:
            self.world.search.keep_apart(first.number, second.number)
        self.world.sleep.wake(self.bodies)
        return joint

    def begin(self, h: float) -> None:
        """The rows of a step of length h [s] from where bodies are."""
        pair: list[Any] = []
        ground: list[Any] = []
        for number, joint in enumerate(self.all):
            if not joint.first.exists or not (joint.second is None or joint.second.exists):
                continue
            (ground if joint.second is None else pair).extend(_rows_of(number, joint, h, self.world.space))
        space = self.world.space
        self.rows = _stack(pair, 2, space), _stack(ground, 1, space)

    def end(self, h: float, multipliers: tuple[_Numbers, _Numbers]) -> None:
        """Take in forces after a step, from the impulses of both pools."""
        wrench = np.zeros((len(self.all), 6))
        for rows, impulses in zip(self.rows, multipliers, strict=True):
            np.add.at(wrench, rows.joint, rows.along * impulses / h)
        for joint, own in zip(self.all, wrench, strict=True):
            joint.force, joint.moment = own[:3], own[3:]


def _rows_of(number: int, joint: WorldJoint, h: float, space: Space) -> list[Any]:
    """Key, bodies, arguments, number and direction of each row of a joint."""
    look = joint.look(0.5 * h)
    held, free = _KINDS[joint.kind]
    wanted = [(k, k, 1.0, -np.inf, np.inf, -_SHARE * look.off[k] / h) for k in held]
    if free is not None:
        if joint.limit > 0.0:
            wanted.append((6, free, 1.0, -joint.limit * h, joint.limit * h, joint.speed))
        for row, sign, stop in ((7, 1.0, joint.lower), (8, -1.0, joint.upper)):
            if np.isfinite(stop):
                gap = sign * (look.off[free] - stop)
                wanted.append((row, free, sign, 0.0, np.inf, -(gap if gap > 0.0 else _SHARE * gap) / h))
    ends = [joint.first] if joint.second is None else [joint.first, joint.second]
    # Kernels turn arms as bodies are turned at the start of the step
    frames, arms = [motion_of(b).axes for b in ends], [look.at - motion_of(b, 0.5 * h).at for b in ends]
    found = []
    for row, k, sign, low, high, rate in wanted:
        along = np.zeros(6)
        along[3 * (k // 3) : 3 * (k // 3) + 3] = sign * look.axes[:, k % 3]
        if space.moved_along(along):
            arguments = space.joint_row((low, high), along, frames, arms, rate)
            found.append((number * _ROWS + row, [b.number for b in ends], arguments, number, along))
    return found


def _stack(rows: list[Any], bodies: int, space: Space) -> JointRows:
    none = [np.zeros(3)] * bodies
    width = len(space.joint_row((0.0, 0.0), np.zeros(6), [np.eye(3)] * bodies, none, 0.0))
    return JointRows(
        np.array([r[0] for r in rows], dtype=np.int64),
        np.array([r[1] for r in rows], dtype=np.intc).reshape(-1, bodies),
        np.array([r[2] for r in rows], dtype=float).reshape(-1, width),
        np.array([r[3] for r in rows], dtype=np.intp),
        np.array([r[4] for r in rows], dtype=float).reshape(-1, 6),
    )


def _frame(z: _Numbers) -> _Numbers:
    """Axes (3, 3) of which this is the third."""
    x = np.eye(3)[int(np.abs(z).argmin())]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.column_stack([x, cross(z, x), z])


_HALF_TURN = 1e-3
"""Sine of an angle near pi: below it the axis is lost by rounding, and looked for otherwise."""


def _turn_of(R: _Numbers) -> _Numbers:
    """The rotation vector of a matrix."""
    x, y, z = 0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    if sine < _HALF_TURN and cosine < 0.0:
        from scipy.spatial.transform import Rotation

        return np.asarray(Rotation.from_matrix(R).as_rotvec())
    size = math.atan2(sine, cosine) / sine if sine > 0.0 else 1.0
    return size * np.array([x, y, z])
