"""What operators of robotics are derived from: frames of a tree, how they move, and what acts on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.rigid_body import RigidBody
from nsdgen.symbolic.families.system_class import Operator
from nsdgen.symbolic.graph.computed import stated
from nsdgen.symbolic.graph.node import Node
from nsdgen.symbolic.mechanisms.link_loops import LinkLoops, link_loops
from nsdgen.symbolic.mechanisms.links import Links
from nsdgen.symbolic.mechanisms.node_vectors import Vector, plus, times
from nsdgen.symbolic.mechanisms.recursion import GROUND, Frame, FrameMotion
from nsdgen.symbolic.mechanisms.slopes import ConstantForce

Acting = Sequence[tuple[Vector, Vector]]


@dataclass(frozen=True)
class FramePlace:
    """A marker: its place in frame ``frame`` of the tree (-1: the ground), and its quaternion in the inertial frame."""

    frame: int
    place: Vector
    quaternion: list[Node]


@dataclass(frozen=True)
class Derived:
    """What operators are derived from: the frames and how they move, what acts on them, symbols, armature."""

    bodies: tuple[RigidBody, ...]
    links: Links
    moving: Sequence[FrameMotion]
    acting: Acting
    rotors: Mapping[int, Node]
    q: tuple[sp.Symbol, ...]
    v: tuple[sp.Symbol, ...]
    space: Configuration
    pushes: tuple[Vector, ...]  # the force on each body, inertial axes

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the tree."""
        return self.links.frames

    @property
    def loads(self) -> list[ConstantForce] | None:
        """Forces that stay as they are while bodies move; None where others act, or where balls turn."""
        state, found = {*self.q, *self.v}, []
        if not self.space.flat or any(len(frame.columns) != 1 for frame in self.frames):
            return None
        for body, force in zip(self.bodies, self.pushes, strict=True):
            link = self.links.links[body.name]
            if link.frame < 0:
                continue
            if any(not e.free.isdisjoint(state) for e in force) or body.applied[1] != sp.zeros(3, 1):
                return None
            found.append(ConstantForce(link.frame, force, stated(link.centre)))
        return found

    @cached_property
    def loops(self) -> LinkLoops | None:
        """The loops of a long chain."""
        return link_loops(self.frames, self.q, self.loads, self.links.links)

    def centre(self, body: str) -> Vector:
        """Where the centre of mass of a body is in the inertial frame."""
        link = self.links.links[body]
        motion = self.moving[link.frame] if link.frame >= 0 else GROUND
        return plus(motion.origin, times(motion.turn, stated(link.centre)))

    def operator(self, name: str, values: sp.Matrix, of: str, meaning: str, **more: tuple[sp.Symbol, ...]) -> Operator:
        """At a normalised configuration; ``of`` are the operands."""
        operands = {"t": (NOW,), "q": self.q, "v": self.v, **more}
        unit, _ = self.space.normalisation(self.q)
        return Operator(name, values.xreplace(unit), tuple((key, operands[key]) for key in of.split()), meaning)
