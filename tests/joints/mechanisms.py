"""A gear in the plane as bodies in space, whose hinges and meshes say more than what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

import nsdgen as nsd


class Plane:
    """Bodies in the plane of x and y, not turned, which hinges about z hold there."""

    def __init__(self) -> None:
        self.bodies: dict[str, nsd.RigidBody] = {}
        self.at: dict[str, np.ndarray] = {}
        self.relations: list[Any] = []
        self.initial: dict[Any, Any] = {}

    def body(
        self, name: str, mass: float, inertia: float, at: Sequence[float], velocity: Sequence[float] = (0, 0),
        spin: float = 0.0,
    ) -> None:  # fmt: skip
        """``inertia`` about z, ``velocity`` of the centre."""
        made = nsd.RigidBody(name, mass=mass, inertia=inertia * sp.diag(0.5, 0.6, 1.0))
        self.bodies[name], self.at[name] = made, np.array(at, float)
        self.initial[made.position] = [float(at[0]), float(at[1]), 0.0]
        self.initial[made.velocity] = [float(velocity[0]), float(velocity[1]), 0.0]
        self.initial[made.angular_velocity] = [0.0, 0.0, float(spin)]

    def hinge(self, first: str, second: str | None, place: Sequence[float]) -> None:
        """At a place of the plane; with the ground where no second body is named."""
        i, j = (
            nsd.Marker(self.bodies.get(name or ""), [*(np.array(place, float) - self.at.get(name or "", 0)), 0.0])
            for name in (first, second)
        )
        self.relations.append(nsd.Revolute(f"{first}-{second or 'ground'}", i, j))


def epicyclic(scheme: nsd.Scheme, step: float, end: float, planets: int = 3, redundant: bool = True) -> nsd.Model:
    """A sun of 20 teeth, planets of 10 and a ring of 40 that stands: carrier and sun turn as 20 : 60."""
    plane = Plane()
    sun, planet, ring, speed = 20, 10, 40, 6.0
    slow = speed * sun / (sun + ring)
    plane.body("sun", 1, 0.01, (0, 0), (0, 0), speed)
    plane.body("carrier", 2, 0.05, (0, 0), (0, 0), slow)
    plane.hinge("sun", None, (0, 0))
    plane.hinge("carrier", None, (0, 0))
    suns, carriers = plane.relations
    plane.relations.append(suns.motor(force=0.3))
    for k in range(planets):
        angle = 2 * np.pi * k / planets
        place, name = 0.3 * np.array([np.cos(angle), np.sin(angle)]), f"planet_{k}"
        plane.body(name, 0.3, 0.001, place, slow * 0.3 * np.array([-np.sin(angle), np.cos(angle)]),
                   slow * (1 - ring // planet))  # fmt: skip
        plane.hinge(name, "carrier", place)
        pin = plane.relations[-1]
        plane.relations.append(nsd.Coupler(f"ring {k}", [(pin, 1), (carriers, ring // planet)]))
        if k == 0 or redundant:
            plane.relations.append(nsd.Coupler(f"mesh {k}", [(suns, 2), (carriers, -2), (pin, 1)]))
    return nsd.Model(
        "epicyclic",
        list(plane.bodies.values()),
        plane.relations,
        scheme=scheme,
        step=step,
        end=end,
        initial=plane.initial,
    )
