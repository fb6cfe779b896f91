"""What a robot's file says, whichever its format: links with shapes, joints between them, what acts. Data only.

Lengths in m, angles in rad, masses in kg; places of links are those at the joints' values ``at``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_ROUNDING = 4e-16  # of a product of two rotations by quarter turns


@dataclass(frozen=True, eq=False)
class Placement:
    """A frame in another: its axes are the columns of ``rotation`` (3, 3), its origin is ``origin`` (3,) [m]."""

    rotation: np.ndarray
    origin: np.ndarray

    def __matmul__(self, inner: Placement) -> Placement:
        """``inner``, given in this frame, in the outer one; quarter turns stay exact."""
        return Placement(_exact(self.rotation @ inner.rotation), self.origin + self.rotation @ inner.origin)

    @property
    def inverse(self) -> Placement:
        """The outer frame in this one."""
        return Placement(self.rotation.T, -self.rotation.T @ self.origin)


def _exact(rotation: np.ndarray) -> np.ndarray:
    """Entries that are 0 and +-1 up to rounding, as these."""
    nearest = np.round(rotation)
    return np.where(np.abs(rotation - nearest) < _ROUNDING, nearest, rotation)


HERE = Placement(np.eye(3), np.zeros(3))


def turned(steps: Sequence[tuple[int, float]]) -> np.ndarray:
    """The rotation by angles about the axes (0, 1, 2) of the frame as it turns, one after the other."""
    found = np.eye(3)
    for axis, angle in steps:
        c, s, (j, k) = np.cos(angle), np.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
        one = np.eye(3)
        one[j, j], one[j, k], one[k, j], one[k, k] = c, -s, s, c
        found = found @ _exact(one)
    return found


def turned_about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a unit vector (Rodrigues' formula)."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return _exact(np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew)


@dataclass(frozen=True, eq=False)
class LinkShape:
    """A shape on a link: ``kind`` (box, sphere, cylinder, capsule, ellipsoid, plane, mesh, hfield), ``sizes`` [m].

    Sizes are half edges, radii, a radius and half a length along z, whatever the format; of a mesh its scale. ``mesh``
    is its file. ``seen`` and ``touches`` say what the shape is for; ``colour`` is (r, g, b, a), 0 to 1; ``data`` holds
    what else the file says of it, as text.
    """

    name: str
    kind: str
    sizes: tuple[float, ...]
    place: Placement
    line: int
    seen: bool
    touches: bool
    mesh: Path | None = None
    colour: tuple[float, ...] | None = None
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RobotLink:
    """A link: mass, centre of mass (3,), inertia (3, 3) about it, both along the axes of the link, and its shapes."""

    name: str
    where: str
    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    shapes: tuple[LinkShape, ...] = ()


@dataclass(frozen=True, eq=False)
class LinkJoint:
    """A joint: frames on parent (None: the ground) and child, which are one where the coordinate is ``at``.

    ``kind`` is fixed, revolute, prismatic, planar, spherical or floating; ``axis`` is in these frames. ``limits`` are
    (lower, upper), None where it has none; ``data`` holds what else the file says, as text by ``tag/attribute``.
    """

    name: str
    where: str
    kind: str
    parent: str | None
    child: str
    on_parent: Placement
    on_child: Placement
    axis: np.ndarray
    at: float = 0.0
    limits: tuple[float, float] | None = None
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    effort: float | None = None
    speed: float | None = None
    data: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Closure:
    """An equation between coordinates, ``polynomial`` (a0, a1, ...), or between frames on two links.

    Coordinates: joint - its ``at`` = a0 + a1 (other - its ``at``) + ...; ``frames`` are those that are one (weld), or
    whose origins are (connect); ``joints`` or ``links`` are the names of both, None for nothing or the ground.
    """

    name: str
    where: str
    kind: str
    joints: tuple[str, str | None] = ("", None)
    polynomial: tuple[float, ...] = ()
    links: tuple[str | None, str | None] = (None, None)
    frames: tuple[Placement, Placement] = (HERE, HERE)


@dataclass(frozen=True, eq=False)
class Actuator:
    """gear (gain u + b0 + b1 s + b2 s'), s = gear q, on a joint; u and the force stay within their ranges, if given."""

    name: str
    where: str
    joint: str
    gear: float
    gain: float
    bias: tuple[float, float, float]
    range: tuple[float, float] | None = None
    force_range: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Description:
    """A robot: its links, its joints with parents before children, and what is beside the tree.

    ``pairs`` and ``excluded`` are those of shapes and of links between which a file states or forbids contacts;
    ``sites`` are named frames on links (None: the ground).
    """

    name: str
    source: str
    links: dict[str, RobotLink]
    joints: dict[str, LinkJoint]
    closures: tuple[Closure, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    ground: tuple[LinkShape, ...] = ()
    pairs: tuple[Mapping[str, Any], ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()
    sites: Mapping[str, tuple[str | None, Placement]] = field(default_factory=dict)

    def starts(self) -> dict[str, float]:
        """Where joints start: at their ``at``, and those that follow others where these put them."""
        found = {name: joint.at for name, joint in self.joints.items()}
        following = [c for c in self.closures if set(c.joints) <= {*found, None} and c.polynomial]
        for _ in following:  # one may follow another that follows
            for c in following:
                name, other = c.joints
                way = found[other] - self.joints[other].at if other else 0.0
                found[name] = self.joints[name].at + sum(a * way**i for i, a in enumerate(c.polynomial))
        return found


def solid(parts: Sequence[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia about it of parts (mass, centre, inertia about that), along the same axes."""
    heavy = [part for part in parts if part[0] or part[2].any()]
    if len(heavy) == 1:
        return heavy[0]
    total = sum(m for m, _, _ in heavy)
    centre = sum((m * c for m, c, _ in heavy), np.zeros(3)) / total if total else np.zeros(3)
    inertia = np.zeros((3, 3))
    for m, c, own in heavy:
        d = c - centre
        inertia = inertia + own + m * (d @ d * np.eye(3) - np.outer(d, d))
    return float(total), centre, inertia
