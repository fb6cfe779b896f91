"""Robots: from what a file says to bodies, joints, a mechanism and what acts on its joints."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.base.collecting import seldom_collecting
from nsdgen.base.definiteness import not_inertia
from nsdgen.base.solids import quaternion_of
from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError, ModelWarning
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.families.rigid_body import BodyPoint, RigidBody
from nsdgen.symbolic.joints.joint import Joint
from nsdgen.symbolic.joints.kinds import Planar, Prismatic, Revolute, Spherical
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.mechanisms.mechanism import Mechanism
from nsdgen.symbolic.robots.acting import acting_on
from nsdgen.symbolic.robots.description import HERE, Description, LinkJoint, Placement, RobotLink, solid, turned_about

_JOINTS: dict[str, Callable[[str, Marker, Marker], Joint]] = {
    "revolute": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
    "spherical": Spherical,
}
_NOTHING = 1e-14  # of the largest eigenvalue of an inertia: below it is the rounding of its entries


class Robot:
    """A robot from a file, as statements for a model: ``nsd.Model(name, robot.systems, robot.relations, ...)``.

    ``systems`` are the ``mechanism`` (None where nothing is joined) and free bodies without joints; ``joints`` the
    joints by name, ``bodies`` the bodies by link: links that are welded together are one body, those welded to the
    ground None. ``relations`` are what the file says of joints, which are also there alone: ``limits`` (plastic stops),
    ``springs`` (with damping), ``friction``, ``couplings`` (mimic joints and other equations), ``motors``, whose inputs
    are the symbols ``controls`` by name, with the values of ``parameters``. ``initial`` places free bodies as the file
    does, and joints that follow others. ``description`` is what the file said, shapes included.
    """

    @seldom_collecting()
    def __init__(
        self,
        description: Description,
        gravity: Sequence[Any],
        free: bool,
        operators: Sequence[str],
        frames: Sequence[str],
    ) -> None:
        self.name, self.description = description.name, description
        groups = _Welded(description, free)
        for leader in groups.leaders:
            _check_inertia(groups.members[leader], groups.solid(leader)[2])
        self._places = groups.places
        pull = vector(gravity, where=f"robot {self.name!r}, gravity")
        made = {leader: _body(leader, *groups.solid(leader), pull) for leader in groups.leaders}
        self.bodies: dict[str, RigidBody | None] = {
            name: made.get(leader) if leader is not None else None for name, leader in groups.leader.items()
        }
        self._centres = {
            name: groups.solid(leader)[1] if leader else np.zeros(3) for name, leader in groups.leader.items()
        }
        moving = [joint for joint in description.joints.values() if joint.kind != "fixed"]
        _check_moved(moving, groups)
        self.joints: dict[str, Joint] = {j.name: self._joint(j) for j in moving if j.kind != "floating"}
        armature = {self.joints[j.name]: j.armature for j in moving if j.armature}
        self.mechanism = (
            Mechanism(
                self.name,
                list(self.joints.values()),
                armature=armature,
                operators=operators,
                frames={link: self.marker(link) for link in frames},
            )
            if self.joints
            else None
        )
        joined = set(self.mechanism.bodies) if self.mechanism else set()
        self.systems = [*([self.mechanism] if self.mechanism else []), *(b for b in made.values() if b not in joined)]
        if not self.systems:
            raise ModelError("nothing moves", where=f"robot {self.name!r}", fix="give it joints, or free=True")
        self.initial: dict[Any, Any] = {}
        for leader, place in groups.free.items():
            centre = place @ Placement(np.eye(3), groups.solid(leader)[1])
            self.initial |= {
                made[leader].position: list(centre.origin),
                made[leader].quaternion: list(quaternion_of(centre.rotation)),
            }
        starts = description.starts()
        self.initial |= {self.joints[j.name].freedom().coordinate: starts[j.name] for j in moving if starts[j.name]}
        acting = acting_on(description, self.joints, self.marker)
        self.limits, self.springs, self.friction = acting.limits, acting.springs, acting.friction
        self.couplings, self.motors = acting.couplings, acting.motors
        self.controls, self.parameters = acting.controls, dict.fromkeys(acting.controls.values(), 0.0)

    @property
    def relations(self) -> list[Any]:
        """All that the file says of joints."""
        return [*self.limits, *self.springs, *self.friction, *self.couplings, *self.motors]

    def marker(self, link: str | None, at: Any = (0, 0, 0), axis: Any = (0, 0, 1), reference: Any = None) -> Marker:
        """A marker by coordinates in the frame of a link (None: the ground), as :class:`nsd.Marker`."""
        if link is None:
            return Marker(None, at, axis, reference)
        body, place = self._place(link)
        turn = sp.Matrix(3, 3, list(map(_number, place.rotation.ravel())))
        where = f"marker on {link!r}"
        along = None if reference is None else turn * vector(reference, where=where)
        return Marker(body, self._at(place, at, where), turn * vector(axis, where=where), along)

    def point(self, link: str, at: Any = (0, 0, 0)) -> BodyPoint:
        """A point by coordinates in the frame of a link, for contacts and outputs."""
        body, place = self._place(link)
        if body is None:
            raise ModelError(
                f"the link {link!r} does not move", where=f"robot {self.name!r}", fix="give a link that moves"
            )
        return body.point(self._at(place, at, f"point of {link!r}"))

    def _place(self, link: str) -> tuple[RigidBody | None, Placement]:
        """The body of a link, and the link's frame in the body's, whose origin is its centre of mass."""
        if link not in self.bodies:
            raise ModelError(
                f"there is no link {link!r}",
                where=f"robot {self.name!r}",
                fix=nearest(link, self.bodies) or f"it has {', '.join(self.bodies)}",
            )
        place = self._places[link]
        return self.bodies[link], Placement(place.rotation, place.origin - self._centres[link])

    @staticmethod
    def _at(place: Placement, at: Any, where: str) -> sp.Matrix:
        turn = sp.Matrix(3, 3, list(map(_number, place.rotation.ravel())))
        return sp.Matrix(list(map(_number, place.origin))) + turn * vector(at, where=where)

    def _joint(self, joint: LinkJoint) -> Joint:
        """Over markers whose e3 is the axis; they are one where the coordinate is 0."""
        parent = joint.on_parent
        if joint.at:
            back = turned_about(joint.axis, -joint.at) if joint.kind == "revolute" else np.eye(3)
            parent = parent @ Placement(back, -joint.at * joint.axis if joint.kind == "prismatic" else np.zeros(3))
        axis = joint.axis if joint.axis.any() else np.array([0.0, 0.0, 1.0])
        reference = np.roll(np.eye(3)[np.argmax(np.abs(axis))], 1)
        first, second = (
            self.marker(link, *([*map(_number, v)] for v in (p.origin, p.rotation @ axis, p.rotation @ reference)))
            for link, p in ((joint.child, joint.on_child), (joint.parent, parent))
        )
        return _JOINTS[joint.kind](joint.name, first, second)


class _Welded:
    """Which links are one body: ``leader`` of each link (None: the ground) and ``places``, its frame in the leader's.

    ``members`` are the links of each leader; ``free`` the leaders that move freely, with their places on the ground.
    """

    def __init__(self, description: Description, free: bool) -> None:
        self.leader: dict[str, str | None] = {}
        self.places: dict[str, Placement] = {}
        self.free: dict[str, Placement] = {}
        self.members: dict[str, list[RobotLink]] = {}
        above = {joint.child: joint for joint in description.joints.values()}
        for name in description.links:
            if name not in above:
                self._add(description.links[name], name if free else None, HERE)
                if free:
                    self.free[name] = HERE
        standing: dict[str | None, Placement] = {None: HERE}
        standing.update(self.places)
        for joint in description.joints.values():
            inside = joint.on_parent @ joint.on_child.inverse
            standing[joint.child] = standing[joint.parent] @ inside
            link = description.links[joint.child]
            if joint.kind == "fixed":
                over = self.leader[joint.parent] if joint.parent is not None else None
                self._add(link, over, (self.places[joint.parent] if joint.parent is not None else HERE) @ inside)
                continue
            self._add(link, joint.child, HERE)
            if joint.kind == "floating":
                self.free[joint.child] = standing[joint.child]

    def _add(self, link: RobotLink, leader: str | None, place: Placement) -> None:
        self.leader[link.name], self.places[link.name] = leader, place
        if leader is not None:
            self.members.setdefault(leader, []).append(link)

    @property
    def leaders(self) -> list[str]:
        """Those that are bodies."""
        return list(self.members)

    def solid(self, leader: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre and inertia about it of a body, in the frame of its leader."""
        parts = []
        for link in self.members[leader]:
            place = self.places[link.name]
            inertia = place.rotation @ link.inertia @ place.rotation.T
            parts.append((link.mass, place.origin + place.rotation @ link.centre, (inertia + inertia.T) / 2))
        return solid(parts)


def _number(value: float) -> sp.Number:
    """Whole numbers exactly, so that what is 0 or 1 costs nothing."""
    return sp.Integer(int(value)) if value == int(value) else sp.Float(value)


def _body(name: str, mass: float, centre: np.ndarray, inertia: np.ndarray, gravity: sp.Matrix) -> RigidBody:
    body = RigidBody(name, _number(mass), sp.Matrix(3, 3, list(map(_number, inertia.ravel()))))
    return body.apply_force(as_expression(_number(mass)) * gravity) if mass and any(gravity) else body


def _check_inertia(links: Sequence[RobotLink], together: np.ndarray) -> None:
    """Raise ``ModelError`` for links of a body without such a mass or inertia; warn where only one of them has none."""
    for link in links:
        reason = f"the mass is {link.mass}" if link.mass < 0 else not_inertia(link.inertia)
        if reason and (link.mass < 0 or not_inertia(together)):
            raise ModelError(
                reason, where=link.where, fix="give mass [kg] and inertia [kg m^2] about the centre of mass"
            )
        if reason:
            warnings.warn(
                f"{link.where}: {reason}; taken as it is, since with what is welded to it it is a body's",
                ModelWarning,
                stacklevel=2,
            )


def _check_moved(joints: Sequence[LinkJoint], groups: _Welded) -> None:
    """Raise ``ModelError`` for a joint that moves no mass: whatever acts on it, it has no acceleration."""
    below: dict[str, list[str]] = {}
    for joint in joints[::-1]:
        carried = [joint.child, *(c for leader in [joint.child] for c in below.get(leader, []))]
        over = groups.leader[joint.parent] if joint.parent is not None else None
        if over is not None:
            below.setdefault(over, []).extend(carried)
        if joint.armature:
            continue
        solids = [groups.solid(leader) for leader in carried]
        idle = not any(m or inertia.any() for m, _, inertia in solids)
        if idle or (len(solids) == 1 and _singular(joint, *solids[0])):
            raise ModelError(
                "moves no mass" if idle else "moves a mass that has no inertia about its axis",
                where=joint.where,
                fix=f"give {joint.child!r}, or what hangs on it, mass and inertia, or weld the joint: type fixed",
            )


def _singular(joint: LinkJoint, mass: float, centre: np.ndarray, inertia: np.ndarray) -> bool:
    """Whether a joint moves a body at some rate without energy."""
    r = centre - joint.on_child.origin
    axis, eye, none = joint.on_child.rotation @ joint.axis, np.eye(3), np.zeros(3)
    turning = {"revolute": [axis], "prismatic": [], "planar": [axis]}.get(joint.kind, list(eye))
    moving = {"revolute": [], "prismatic": [axis], "spherical": []}.get(joint.kind, list(eye))
    if joint.kind == "planar":
        moving = [np.cross(axis, e) for e in eye[np.argsort(np.abs(axis))[:2]]]
    rates = [(w, np.cross(w, r)) for w in turning] + [(none, v) for v in moving]
    energy = np.array([[a @ inertia @ b + mass * (u @ v) for b, v in rates] for a, u in rates])
    values = np.linalg.eigvalsh(energy)
    return bool(values[0] <= _NOTHING * values[-1])
