"""Mechanisms: trees of rigid bodies in joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.checks import finite_number, named
from nsdgen.base.definiteness import DEFINITE
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import enter_matrix, vector
from nsdgen.symbolic.expressions.parameter import as_parameter
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.mass import refuse_mass
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.rigid_body import RigidBody
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import Requirement, SystemClass, Term
from nsdgen.symbolic.graph.computed import computed, stated
from nsdgen.symbolic.graph.node import Node, leaf
from nsdgen.symbolic.joints.freedom import JointMotion
from nsdgen.symbolic.joints.joint import Joint
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.mechanisms.body_tree import attachments
from nsdgen.symbolic.mechanisms.derived_frames import Derived, FramePlace
from nsdgen.symbolic.mechanisms.held import HeldMotion
from nsdgen.symbolic.mechanisms.joint_space import coordinates_of, flat, joint_space, kinds, own_rates, variables
from nsdgen.symbolic.mechanisms.links import Links, constant_quaternion, links_of, square
from nsdgen.symbolic.mechanisms.node_vectors import Vector, cross, plus, times, transposed
from nsdgen.symbolic.mechanisms.recursion import GROUND, FrameMotion, motions
from nsdgen.symbolic.mechanisms.robotics import (
    derivatives_of_force,
    derived_operators,
    inertia_and_forces,
    inertia_forces,
)


@named_arguments
class Mechanism(System):
    """A tree of rigid bodies in joint coordinates: M(q) v' = F(t, q, v) + p, q' = T(q) v, without constraints.

    ``joints`` are those of the same statement in absolute coordinates, over markers on ``nsd.RigidBody``: they and
    their bodies are in the mechanism, and are not listed in the model again. Joints that close loops, limits, springs,
    friction, motors, contacts and everything else of the bodies stay relations of the model, as they are. A joint gives
    its freedoms as coordinates (``joint.angle``, ``joint.rate`` as keys of ``initial``; 0 unless given), a ball joint a
    unit quaternion; of bodies without a way to the ground one moves freely, by its own position and quaternion. Forces
    on bodies are what was applied to them. ``armature`` is what motors and gears add to the inertia of a joint with one
    freedom, as it is felt there [kg m^2 or kg].

    Joints of ``reactions``, and those with a bearing, are held by their equations: their multipliers are columns, named
    and measured as in absolute coordinates, and friction has its bound. They come with the mechanism, as relations of
    the model, and cost what constraints cost.

    ``coordinates="absolute"`` makes the bodies the systems of the model, and all joints its relations, of the same
    statement: initial values are given in the same words, columns are those of bodies and joints.

    Columns are ``<joint> <freedom>`` [m or rad] and ``<joint> <freedom> rate``. The operator ``poses`` is position and
    quaternion of every body, a row for each. Others are asked for: ``operators`` by name (``inverse_dynamics``,
    ``forward_dynamics``, ``solve_mass``, ``joint_forces``, ``coriolis``, ``regressor``, ``centre_of_mass``,
    ``momentum``, ``energy``; with ``_q``, ``_v``, ... their derivatives), ``frames`` as markers by name, which get
    ``<name>_pose``, ``<name>_jacobian``, its ``_rate`` and ``<name>_drift``. Raises ``ModelError`` for joints that are
    no tree.
    Sources: R. Featherstone, Rigid Body Dynamics Algorithms, 2008 (recursive Newton-Euler equations, composite bodies).
    """

    def __init__(
        self,
        name: str,
        joints: Sequence[Joint],
        armature: Mapping[Joint, Any] | None = None,
        reactions: Sequence[Joint] = (),
        coordinates: str = "joint",
        operators: Sequence[str] = (),
        frames: Mapping[str, Marker] | None = None,
    ) -> None:
        where = f"mechanism {name!r}"
        if coordinates not in ("joint", "absolute"):
            raise ModelError(
                f"coordinates={coordinates!r}", where=where, fix='write coordinates="joint" or coordinates="absolute"'
            )
        if armature and coordinates == "absolute":
            raise ModelError(
                "bodies in absolute coordinates have no armature",
                where=where,
                fix="leave armature out, or give the motor a body that a nsd.Coupler drives",
            )
        if (operators or frames) and coordinates == "absolute":
            raise ModelError(
                "operators and frames are of joint coordinates", where=where, fix="leave them out, or coordinates="
            )
        self.name, self.operators, self.frames = name, tuple(operators), dict(frames or {})
        self.attachments = attachments(name, joints, reactions)
        self.joints, self.coordinates = tuple(joints), coordinates
        self.bodies = tuple(a.body for a in self.attachments)
        pairs = [coordinates_of(name, a) for a in self.attachments]
        self._q, self._v = [q for q, _ in pairs], [v for _, v in pairs]
        self.armature = dict(armature or {})
        for joint in self.armature:
            if sum(len(own_rates(a)) for a in self.attachments if a.joint is joint) != 1:
                raise ModelError(
                    f"{joint!r} is no joint of it with one freedom",
                    where=f"{where}, armature",
                    fix="give {joint: inertia} for joints of the mechanism, nsd.Revolute, nsd.Prismatic, ...",
                )
        self._known: tuple[Scope, _BodyTree] | None = None

    @property
    def equations(self) -> int:
        """The number of velocities."""
        return sum(map(len, self._v))

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """Coordinates, then velocities, and the symbols they become."""
        return {c.function: c.symbol for c in (*flat(self._q), *flat(self._v))}

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of coordinates and velocities."""
        return tuple(tuple(c.label for c in flat(groups)) for groups in (self._q, self._v))

    @property
    def contains(self) -> tuple[Joint, ...]:
        """The joints that are no relations of the model."""
        return tuple(joint for joint in self.joints if all(joint is not other for other in self.brings))

    @property
    def brings(self) -> tuple[Joint, ...]:
        """The joints that equations hold."""
        absolute = self.coordinates == "absolute"
        return tuple(a.joint for a in self.attachments if a.joint is not None and (a.held or absolute))

    @property
    def members(self) -> Sequence[System]:
        """Itself, or its bodies."""
        return (self,) if self.coordinates == "joint" else self.bodies

    def start_of_members(self, given: Mapping[Any, Any], parameters: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Of bodies: where the joints put them. What is given of a body itself stays."""
        if self.coordinates == "joint":
            return given
        scope = Scope.of(list(parameters), model="")
        values = {scope.parameters[p]: sp.Float(as_parameter(v).value) for p, v in parameters.items()}
        start = self.initial_values({k: v for k, v in given.items() if not self._follows(k)}, model="")
        symbols = [c.symbol for c in (*flat(self._q), *flat(self._v))]
        numbers = [sp.Float(finite_number(value, where="initial")) for value in start]
        values |= dict(zip(symbols, numbers, strict=True))
        placed = {f: float(sp.N(e.xreplace(values))) for f, e in self._tree(scope).functions.items()}
        own = {e for e in (*self._freedoms(), *self.functions) if e not in placed}
        return {**placed, **{k: v for k, v in given.items() if k not in own}}

    def _follows(self, key: Any) -> bool:
        """Whether a key is that of a body whose motion follows from the joints."""
        first = next(iter(key)) if isinstance(key, sp.MatrixBase) else key
        return first not in self.functions and any(first in body.functions for body in self.bodies)

    @property
    def stands_for(self) -> tuple[sp.Expr, ...]:
        """The functions of time of its bodies, and coordinates and rates of its joints."""
        own = self.functions
        every = (*(f for body in self.bodies for f in body.functions), *self._freedoms())
        return tuple(e for e in dict.fromkeys(every) if e not in own)  # a displacement may be that of a body itself

    def values(self, scope: Scope) -> Mapping[sp.Expr, sp.Expr]:
        """What :attr:`stands_for` are, in its own symbols."""
        own, known = self.functions, self._tree(scope).functions | self._freedoms()
        return {f: e for f, e in known.items() if f not in own}

    def _freedoms(self) -> dict[sp.Expr, sp.Expr]:
        """Coordinates and rates of joints as users write them."""
        found: dict[sp.Expr, sp.Expr] = {}
        for attachment, q, v in zip(self.attachments, self._q, self._v, strict=True):
            motions_ = [m for m in attachment.chain if isinstance(m, JointMotion)]
            if attachment.joint is None or len(motions_) != len(q):
                continue
            for motion, coordinate, rate in zip(motions_, q, v, strict=True):
                if isinstance(motion, HeldMotion):
                    continue
                freedom = attachment.joint.freedoms[motion.freedom]
                found |= {freedom.coordinate: coordinate.symbol, freedom.rate: rate.symbol}
                if freedom.cosine is not None and freedom.sine is not None:
                    found |= {freedom.cosine: sp.cos(coordinate.symbol), freedom.sine: sp.sin(coordinate.symbol)}
        return {e: s for e, s in found.items() if not e.is_number}

    def _tree(self, scope: Scope) -> _BodyTree:
        """The tree over the symbols of ``scope``, kept for the relations of one description."""
        if self._known is not None and self._known[0] is scope:
            return self._known[1]
        symbols = [([c.symbol for c in q], [c.symbol for c in v]) for q, v in zip(self._q, self._v, strict=True)]

        def entered(m: sp.Matrix, what: str) -> sp.Matrix:
            return enter_matrix(sp.Matrix(m), scope.parameters, where=f"system {self.name!r}, {what}")

        links = links_of(self.attachments, symbols, entered, self.name)
        self._known = scope, _BodyTree(self.bodies, links, motions(links.frames))
        return self._known[1]

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this mechanism over fresh symbols."""
        tree = self._tree(scope)
        pulled = any(part.has(AppliedUndef) for body in self.bodies for part in body.applied)
        of_bodies = tree.functions if pulled else {}
        symbols = {**scope.parameters, **of_bodies, **self._freedoms(), **self.functions}
        acting = self._acting(tree, symbols)
        n = self.equations
        q, v = flat(self._q), flat(self._v)
        rates = sp.Matrix([c.symbol for c in v])
        space = joint_space([kinds(a) for a in self.attachments])
        derived = Derived(
            self.bodies,
            tree.links,
            tree.moving,
            acting,
            dict(self._rotors(scope)),
            tuple(c.symbol for c in q),
            tuple(rates),
            space,
            self._pushes(symbols),
        )
        (inertia, pushed), applied = inertia_and_forces(derived), inertia_forces(derived)
        entries = {place: computed(e) for place, e in inertia.items()}
        mass = sp.Matrix(sp.SparseMatrix(n, n, entries))
        force = sp.Matrix([computed(e) for e in pushed])
        poses = self._poses(derived, tree)
        markers = {name: self._marker(tree, name, marker, scope) for name, marker in self.frames.items()}
        further = derived_operators(derived, self.operators, markers, f"system {self.name!r}")
        return mechanical_class(
            self.name,
            scope.used([mass, force, poses, *(operator.values for operator in further)]),
            variables("q", q),
            variables("v", v),
            mass,
            force,
            configuration=space,
            energies={"kinetic_energy": _kinetic_energy(rates, mass, applied)},
            extra={"poses": Term(poses, ("q",), "X", "position and quaternion of every body")},
            further=further,
            slopes=derivatives_of_force(derived, pushed),
            inertia_forces=applied,
            requirements=(Requirement("mass", DEFINITE, 0, n),),
        )

    def _marker(self, tree: _BodyTree, name: str, marker: Any, scope: Scope) -> FramePlace:
        """Where a marker is in the tree; raises ``ModelError`` where it is on none of its bodies."""
        where = f"system {self.name!r}, frame {name!r}"
        if not isinstance(marker, Marker) or marker.body not in self.bodies:
            raise ModelError(
                f"{named(marker)} is no marker on one of its bodies",
                where=where,
                fix=f"give nsd.Marker(body, at, axis) on {' or '.join(body.name for body in self.bodies[:5])}",
            )
        link = tree.links.links[marker.body.name]
        at = enter_matrix(vector(marker.at, where=where), scope.parameters, where=where)
        turn = constant_quaternion(sp.Matrix.hstack(*marker.local_axes), self.name)
        body = [tree.functions[f] for f in marker.body.quaternion]
        place = plus(stated(link.centre), times(square(link.axes), stated(at)))
        return FramePlace(link.frame, place, stated(quat.compose(body, list(turn))))

    def _rotors(self, scope: Scope) -> list[tuple[int, Node]]:
        """The armature of joints, by the number of the velocity."""
        found, i = [], 0
        for attachment, v in zip(self.attachments, self._v, strict=True):
            if attachment.joint in self.armature:
                given = sp.Matrix([[as_expression(self.armature[attachment.joint])]])
                entered = enter_matrix(given, scope.parameters, where=f"system {self.name!r}, armature")
                refuse_mass(entered, where=f"system {self.name!r}, armature", fix="give an inertia")
                found.append((i + own_rates(attachment)[0], stated(entered)[0]))
            i += len(v)
        return found

    def _poses(self, derived: Derived, tree: _BodyTree) -> sp.Matrix:
        """Position and quaternion of every body, a row for each."""
        loops = derived.loops
        rows = None if loops is None else loops.poses([leaf(s) for s in derived.q])
        if rows is not None:
            return sp.Matrix([[computed(e) for e in row] for row in rows])
        return sp.Matrix([[tree.functions[f] for f in (*b.position, *b.quaternion)] for b in self.bodies])

    def _pushes(self, symbols: Mapping[sp.Basic, sp.Expr]) -> tuple[Vector, ...]:
        """The force on every body, inertial axes."""
        return tuple(
            stated(enter_matrix(body.applied[0], symbols, where=f"system {body.name!r}, force")) for body in self.bodies
        )

    def _acting(self, tree: _BodyTree, symbols: Mapping[sp.Basic, sp.Expr]) -> list[tuple[Vector, Vector]]:
        """Force and moment on every frame, in its own axes."""
        nothing = stated([sp.S.Zero] * 3)
        found = [(nothing, nothing) for _ in tree.links.frames]
        for body in self.bodies:
            link = tree.links.links[body.name]
            if link.frame < 0:
                continue
            f, m = body.applied
            where = f"system {body.name!r}"
            push = stated(enter_matrix(f, symbols, where=f"{where}, force"))
            torque = stated(enter_matrix(m, symbols, where=f"{where}, moment"))
            own = times(transposed(tree.moving[link.frame].turn), push)
            before = found[link.frame]
            turned = plus(times(square(link.axes), torque), cross(stated(link.centre), own))
            found[link.frame] = plus(before[0], own), plus(before[1], turned)
        return found

    @property
    def given_as(self) -> dict[sp.Expr, sp.Expr]:
        """Coordinates and rates of joints."""
        function = {symbol: f for f, symbol in self.functions.items()}
        return {e: function[s] for e, s in self._freedoms().items() if s in function}

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[float]:
        """Coordinates and rates; those that are not given are 0, quaternions (1, 0, 0, 0)."""
        own = self.given_as
        values: dict[sp.Expr, Any] = {}
        for key, value in given.items():
            entries, numbers = (list(key), list(value)) if isinstance(key, sp.MatrixBase) else ([key], [value])
            values |= {own.get(f, f): number for f, number in zip(entries, numbers, strict=True)}
        return [values.get(c.function, c.initial) for c in (*flat(self._q), *flat(self._v))]


def _kinetic_energy(
    rates: sp.Matrix, mass: sp.Matrix, inertia: tuple[tuple[sp.Symbol, ...], sp.Matrix] | None
) -> sp.Expr:
    momentum = mass * rates if inertia is None else inertia[1].xreplace(dict(zip(inertia[0], rates, strict=True)))
    return rates.dot(momentum) / 2


@dataclass(frozen=True)
class _BodyTree:
    """Bodies, their links and the motion of their frames."""

    bodies: tuple[RigidBody, ...]
    links: Links
    moving: list[FrameMotion]

    @cached_property
    def functions(self) -> dict[sp.Expr, sp.Expr]:
        """The functions of time of all bodies, in the symbols of the mechanism."""
        return {f: e for body in self.bodies for f, e in self._functions_of(body).items()}

    def _functions_of(self, body: RigidBody) -> dict[sp.Expr, sp.Expr]:
        """Position, quaternion, velocity and angular velocity of a body, in the symbols of the mechanism."""
        link = self.links.links[body.name]
        motion = self.moving[link.frame] if link.frame >= 0 else GROUND
        centre, axes = stated(link.centre), square(link.axes)
        position = plus(motion.origin, times(motion.turn, centre))
        velocity = times(motion.turn, plus(motion.velocity, cross(motion.omega, centre)))
        omega = times(transposed(axes), motion.omega)
        found = zip(
            (*body.position, *body.quaternion, *body.velocity, *body.angular_velocity),
            (*position, *self.quaternions[body.name], *velocity, *omega),
            strict=True,
        )
        return {f: computed(node) for f, node in found}

    @cached_property
    def quaternions(self) -> dict[str, list[Node]]:
        """From body to ground: the quaternions of its ancestors, composed."""
        found: dict[str, list[Node]] = {}
        for name, link in self.links.links.items():  # parents first
            own = stated(link.quaternion)
            if link.parent is not None:
                own = stated(quat.compose([*map(computed, found[link.parent])], [*map(computed, own)]))
            found[name] = own
        return found
