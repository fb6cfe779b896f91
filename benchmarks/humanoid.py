"""A humanoid of 24 hinges on a free pelvis that stands on four points of its feet; and the same as MuJoCo's text.

Two legs of six hinges, a waist of two, two arms of five on it; springs and dampers hold every joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd

GRAVITY, STIFFNESS, DAMPING, FRICTION, INERTIA = 9.81, 300.0, 10.0, 0.8, 0.02
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
LEG = ((Z, 0.0), (X, 0.0), (Y, 0.4), (Y, 0.4), (Y, 0.0), (X, 0.05))  # axis and length below the hinge
ARM = ((Y, 0.0), (X, 0.0), (Z, 0.25), (Y, 0.25), (Z, 0.1))
WAIST = ((Z, 0.0), (Y, 0.4))
SOLES = tuple((f"{side}leg5", x) for side in "lr" for x in (-0.1, 0.15))
HEIGHT = 0.9  # of the pelvis


@dataclass(frozen=True)
class Part:
    """A body: its parent, where its hinge is from the parent's hinge, axis, centre of mass from its own hinge."""

    name: str
    parent: str
    at: tuple[float, float, float]
    axis: tuple[int, int, int]
    centre: float
    mass: float


def parts() -> Iterator[Part]:
    """Parents first."""
    limbs = [("waist", "pelvis", (0.0, 0.0, 0.1), WAIST, 1)]
    for side, y in (("l", 1), ("r", -1)):
        limbs.append((f"{side}leg", "pelvis", (0.0, 0.1 * y, -0.05), LEG, -1))
        limbs.append((f"{side}arm", "waist1", (0.0, 0.2 * y, 0.4), ARM, -1))
    for name, parent, at, joints, way in limbs:
        for k, (axis, length) in enumerate(joints):
            yield Part(f"{name}{k}", parent, at, axis, way * length / 2, 0.3 + 4 * length)
            parent, at = f"{name}{k}", (0.0, 0.0, way * length)


def humanoid(scheme: nsd.schemes.scheme.Scheme) -> nsd.Model:
    """In joint coordinates."""
    pelvis = nsd.RigidBody("pelvis", 10, sp.eye(3) / 10).apply_force([0, 0, -10 * GRAVITY])
    bodies, centres, hinges = {"pelvis": pelvis}, {"pelvis": 0.0}, []
    for part in parts():
        body = nsd.RigidBody(part.name, part.mass, INERTIA * sp.eye(3)).apply_force([0, 0, -part.mass * GRAVITY])
        there = [*part.at[:2], part.at[2] - centres[part.parent]]
        above = nsd.Marker(bodies[part.parent], there, axis=list(part.axis))
        here = nsd.Marker(body, [0, 0, -part.centre], axis=list(part.axis))
        hinges.append(nsd.Revolute(f"{part.name} joint", here, above))
        bodies[part.name], centres[part.name] = body, part.centre
    springs = [hinge.spring(STIFFNESS, damping=DAMPING) for hinge in hinges]
    soles = [bodies[foot].point([x, 0, -0.05 - centres[foot]]) for foot, x in SOLES]
    floor = nsd.contacts_between(soles, nsd.Plane("floor", Z), nsd.NewtonImpactFriction(0, FRICTION))
    tree, start = nsd.Mechanism("humanoid", hinges), {pelvis.position: [0, 0, HEIGHT]}
    return nsd.Model("humanoid", [tree], [*floor, *springs], scheme=scheme, step=1e-3, end=20, initial=start)


def mujoco_humanoid() -> str:
    """The same as MuJoCo's text; what touches are spheres of 1 mm."""
    every = {part.name: part for part in parts()}

    def text(part: Part) -> str:
        touching = "".join(
            f'<geom type="sphere" size="0.001" pos="{x} 0 -0.049" friction="{FRICTION}"/>'
            for foot, x in SOLES
            if foot == part.name
        )
        return (
            f'<body pos="{part.at[0]} {part.at[1]} {part.at[2]}"><joint type="hinge" stiffness="{STIFFNESS}" '
            f'damping="{DAMPING}" axis="{part.axis[0]} {part.axis[1]} {part.axis[2]}"/>'
            f'<inertial pos="0 0 {part.centre}" mass="{part.mass}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
            f"{touching}{below(part.name)}</body>"
        )

    def below(name: str) -> str:
        return "".join(text(part) for part in every.values() if part.parent == name)

    return (
        f'<geom type="plane" size="9 9 1" friction="{FRICTION}"/><body pos="0 0 {HEIGHT}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="10" diaginertia="0.1 0.1 0.1"/>{below("pelvis")}</body>'
    )
