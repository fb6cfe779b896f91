"""Trees: bodies joined to their parents, down to the ground or to a body that moves freely.

A joint is a chain of motions that carries the frame of its second marker into that of the first. A body is a frame that
follows its parent's by such a chain, run backwards where the body has the second marker.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.families.rigid_body import RigidBody
from nsdgen.symbolic.families.stated_terms import twice
from nsdgen.symbolic.joints.freedom import BallMotion, Chain, JointMotion
from nsdgen.symbolic.joints.joint import Joint
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.mechanisms.held import with_held


@dataclass(frozen=True, eq=False)
class BodyAttachment:
    """A body, the one that it follows (None: the ground) and the joint between them (None: it moves freely).

    ``backwards``: the body has the joint's second marker. ``held``: equations hold what the joint keeps.
    """

    body: RigidBody
    parent: RigidBody | None
    joint: Joint | None
    backwards: bool = False
    held: bool = False

    @property
    def ends(self) -> tuple[Marker, Marker]:
        """The markers on the parent and on the body."""
        if self.joint is None:
            return Marker(), Marker(self.body)
        pair = self.joint.second, self.joint.first
        return pair[::-1] if self.backwards else pair

    @property
    def chain(self) -> Chain:
        """What carries the marker on the parent into that on the body."""
        if self.joint is None:
            return _FREE
        assert self.joint.chain is not None
        chain = with_held(self.joint.chain, f"joint {self.joint.name!r}") if self.held else self.joint.chain
        return tuple(map(_reversed, chain[::-1])) if self.backwards else chain


_FREE: Chain = (*(JointMotion("xyz"[i], i, slide=sp.S.One) for i in range(3)), BallMotion())


def _reversed(motion: JointMotion | BallMotion | sp.ImmutableMatrix) -> JointMotion | BallMotion | sp.ImmutableMatrix:
    """Backwards; a ball turns by the quaternion of the body, whichever marker that has."""
    if isinstance(motion, JointMotion):
        return replace(motion, turn=-motion.turn, slide=-motion.slide)
    return motion if isinstance(motion, BallMotion) else motion.T


def attachments(name: str, joints: Sequence[Any], reactions: Collection[Any] = ()) -> list[BodyAttachment]:
    """The bodies of joints, each after the one it follows; what hangs on the ground first.

    Joints of ``reactions``, and those with a bearing, are held. Raises ``ModelError`` for what is no joint of a tree: a
    joint that closes a loop, one that says nothing of how a body follows another (a rod).
    """
    where = f"mechanism {name!r}"
    for joint in reactions:
        if all(joint is not other for other in joints):
            raise ModelError(
                f"{getattr(joint, 'name', joint)!r} is no joint of it",
                where=f"{where}, reactions",
                fix="give joints of the mechanism; those beside it have their forces as columns anyway",
            )
    for joint in joints:
        _check(joint, where)
    if not joints:
        raise ModelError("has no joints", where=where, fix="list them: nsd.Mechanism(name, [hinge, ...])")
    if len({id(joint) for joint in joints}) < len(joints):
        raise ModelError("lists a joint twice", where=where, fix="list every joint once")
    bodies = dict.fromkeys(m.body for joint in joints for m in (joint.first, joint.second) if m.body is not None)
    for named, what in ((joints, "joints"), (bodies, "bodies")):
        if (name := twice(item.name for item in named)) is not None:
            raise ModelError(
                f"two of its {what} are called {name!r}",
                where=where,
                fix="give each a name of its own: columns have it",
            )
    found: list[BodyAttachment] = []
    reached: set[RigidBody | None] = {None}
    left = list(joints)
    while left:
        again = True
        while again:
            again = False
            for joint in left:
                ends = joint.second.body, joint.first.body
                if (ends[0] in reached) == (ends[1] in reached):
                    continue
                backwards = ends[1] in reached
                parent, body = ends[::-1] if backwards else ends
                held = joint in reactions or not isinstance(joint.law, Equality)
                found.append(BodyAttachment(_body(body, where), parent, joint, backwards, held))
                reached.add(body)
                left.remove(joint)
                again = True
                break
        loop = next((j for j in left if {j.first.body, j.second.body} <= reached), None)
        if loop is not None:
            raise ModelError(
                f"the joint {loop.name!r} closes a loop",
                where=where,
                fix="leave it out here, and list it in the model's relations: its multipliers keep the loop closed",
            )
        if left:  # bodies that hang on nothing: one of them moves freely
            base = _body(left[0].second.body or left[0].first.body, where)
            found.append(BodyAttachment(base, None, None))
            reached.add(base)
    return found


def _check(joint: Any, where: str) -> None:
    if not isinstance(joint, Joint):
        raise ModelError(
            f"{joint!r} is no joint",
            where=where,
            fix="list joints: nsd.Revolute, nsd.Prismatic, ...; what acts on them goes to the model's relations",
        )
    if joint.chain is None:
        raise ModelError(
            f"{joint.name!r}, a {type(joint).__name__}, does not say how one body follows the other",
            where=where,
            fix="list it in the model's relations, and join its bodies otherwise",
        )


def _body(body: Any, where: str) -> RigidBody:
    if not isinstance(body, RigidBody):
        raise ModelError(f"{body!r} is no nsd.RigidBody", where=where, fix="put markers on nsd.RigidBody(...)")
    return body
