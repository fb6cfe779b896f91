"""Coordinates and velocities of a mechanism, and its configuration space: unit quaternions where turning is free."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.base.names import mangle
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.scope import display
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.system_class import Variables
from nsdgen.symbolic.joints.freedom import BallMotion, JointMotion
from nsdgen.symbolic.mechanisms.body_tree import BodyAttachment
from nsdgen.symbolic.mechanisms.held import HeldMotion


@dataclass(frozen=True)
class JointSpace(Configuration):
    """Coordinates with q' = v, and quaternions p with p' = p o (0, Omega) / 2, in the order of the motions.

    ``balls`` says of each motion whether it is a quaternion (4 coordinates, 3 velocities).
    """

    balls: tuple[bool, ...]

    @property
    def flat(self) -> bool:
        """No: quaternions have the norm 1."""
        return False

    @property
    def unit_norm(self) -> tuple[tuple[int, ...], ...]:
        """The quaternions."""
        return tuple(tuple(range(i, i + 4)) for ball, i, _ in self._places() if ball)

    def vectors(self, role: str) -> tuple[tuple[int, ...], ...]:
        """Quaternions; their angular velocities."""
        if role not in ("q", "v"):
            return ()
        of_q = role == "q"
        return tuple(
            tuple(range(i, i + 4)) if of_q else tuple(range(j, j + 3)) for ball, i, j in self._places() if ball
        )

    def _places(self) -> list[tuple[bool, int, int]]:
        """Of each motion: whether it is a ball's, its first coordinate and its first velocity."""
        found, i, j = [], 0, 0
        for ball in self.balls:
            found.append((ball, i, j))
            i, j = i + (4 if ball else 1), j + (3 if ball else 1)
        return found

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        """1 for each coordinate, p o (0, .) / 2 for each quaternion, on the diagonal."""
        return sp.diag(*(quat.twist_block(q[i : i + 4]) if ball else 1 for ball, i, _ in self._places()))

    def moved(self, q: Sequence[sp.Expr], twist: Sequence[sp.Expr]) -> list[sp.Expr]:
        """q + v and p o exp(Omega / 2)."""
        found: list[sp.Expr] = []
        for ball, i, j in self._places():
            found += quat.turned(q[i : i + 4], sp.Matrix(twist[j : j + 3])) if ball else [q[i] + twist[j]]
        return found

    def normalised(self, q: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Quaternions over their norms."""
        found: list[sp.Expr] = []
        for ball, i, _ in self._places():
            found += quat.hat(q[i : i + 4], f"p_{i}")[0] if ball else [q[i]]
        return found


def joint_space(motions: Sequence[Sequence[bool]]) -> Configuration:
    """The space of attachments, by what their motions are; flat where no quaternion is among them."""
    balls = tuple(ball for each in motions for ball in each)
    return JointSpace(balls) if any(balls) else Configuration()


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A function of time, its symbol, its name and its unit; ``initial`` is its value unless given."""

    function: sp.Expr
    symbol: sp.Symbol
    label: str
    unit: str
    initial: float = 0.0


def kinds(attachment: BodyAttachment) -> list[bool]:
    """For each motion of the chain whether it is a ball's."""
    return [isinstance(m, BallMotion) for m in attachment.chain if not isinstance(m, sp.MatrixBase)]


def own_rates(attachment: BodyAttachment) -> list[int]:
    """Which velocities of an attachment are those of freedoms that the joint leaves."""
    found: list[int] = []
    i = 0
    for motion in attachment.chain:
        if not isinstance(motion, sp.MatrixBase):
            count = 3 if isinstance(motion, BallMotion) else 1
            found += [] if isinstance(motion, HeldMotion) else range(i, i + count)
            i += count
    return found


def coordinates_of(name: str, attachment: BodyAttachment) -> tuple[list[Coordinate], list[Coordinate]]:
    """Coordinates and velocities of a joint; of a body that moves freely its own."""
    joint, body = attachment.joint, attachment.body
    if joint is None:
        labels = [display(f).rpartition("/")[2] for f in body.functions]
        units = ["m"] * 3 + ["1"] * 4 + ["m/s"] * 3 + ["rad/s"] * 3
        every = [
            Coordinate(f, s, f"{body.name} {label}", unit, 1.0 if label == "quaternion_0" else 0.0)
            for (f, s), label, unit in zip(body.functions.items(), labels, units, strict=True)
        ]
        return every[:7], every[7:]
    q, v = [], []
    for motion in attachment.chain:
        if isinstance(motion, JointMotion):
            held, label = isinstance(motion, HeldMotion), f"{joint.name} {motion.freedom}"
            unit = ("m" if motion.turn == 0 else "rad") if held else joint.freedoms[motion.freedom].units[0]
            q.append(_coordinate(name, label, unit))
            v.append(_rate(q[-1].function, f"{label} rate", f"{unit}/s"))
        elif isinstance(motion, BallMotion):
            q += [_coordinate(name, f"{joint.name} quaternion_{i}", "1", 1.0 * (i == 0)) for i in range(4)]
            v += [_coordinate(name, f"{joint.name} angular_velocity_{a}", "rad/s") for a in "xyz"]
    return q, v


def _coordinate(name: str, label: str, unit: str, initial: float = 0.0) -> Coordinate:
    function = sp.Function(f"{name}/{label}")(time)
    return Coordinate(function, own_symbol("joint", mangle(label)), label, unit, initial)


def _rate(function: sp.Expr, label: str, unit: str) -> Coordinate:
    return Coordinate(sp.diff(function, time), own_symbol("joint", mangle(label)), label, unit)


def flat(groups: Sequence[Sequence[Coordinate]]) -> list[Coordinate]:
    """The coordinates of all groups, one after the other."""
    return [c for group in groups for c in group]


def variables(role: str, group: Sequence[Coordinate]) -> Variables:
    """A group of them by its role, with labels and units."""
    return Variables(role, tuple(c.symbol for c in group), tuple(c.label for c in group), tuple(c.unit for c in group))
