"""Mechanisms of published benchmarks as bodies in space, whose hinges say more than what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

import nsdgen as nsd

GRAVITY = 9.81


class Plane:
    """Bodies in the plane of x and y, which hinges about z hold there; ``redundant=False`` lets closing hinges hold
    two coordinates alone.
    """

    def __init__(self, redundant: bool = True) -> None:
        self.redundant = redundant
        self.bodies: dict[str, nsd.RigidBody] = {}
        self.at: dict[str, np.ndarray] = {}
        self.angle: dict[str, float] = {}
        self.relations: list[Any] = []
        self.initial: dict[Any, Any] = {}

    def body(
        self, name: str, mass: float, inertia: float, at: Sequence[float], angle: float = 0.0,
        velocity: Sequence[float] = (0, 0), spin: float = 0.0, weight: float = 0.0,
    ) -> None:  # fmt: skip
        """``inertia`` about z, ``velocity`` of the centre."""
        made = nsd.RigidBody(name, mass=mass, inertia=inertia * sp.diag(0.5, 0.6, 1.0))
        if weight:
            made.apply_force([0, -mass * weight, 0])
        self.bodies[name], self.at[name], self.angle[name] = made, np.array(at, float), float(angle)
        self.initial[made.position] = [float(at[0]), float(at[1]), 0.0]
        self.initial[made.quaternion] = nsd.from_axis_angle([0, 0, 1], float(angle))
        self.initial[made.velocity] = [float(velocity[0]), float(velocity[1]), 0.0]
        self.initial[made.angular_velocity] = [0.0, 0.0, float(spin)]

    def marker(self, name: str | None, place: Sequence[float]) -> nsd.Marker:
        """Of a body, at a place of the plane; of the ground where no body is named."""
        if name is None:
            return nsd.Marker(at=[float(place[0]), float(place[1]), 0.0])
        c, s = np.cos(self.angle[name]), np.sin(self.angle[name])
        way = np.array(place, float) - self.at[name]
        return nsd.Marker(self.bodies[name], [float(c * way[0] + s * way[1]), float(-s * way[0] + c * way[1]), 0.0])

    def hinge(self, first: str, second: str | None, place: Sequence[float], closing: bool = False) -> None:
        i, j = self.marker(first, place), self.marker(second, place)
        name = f"{first}-{second or 'ground'}"
        if closing and not self.redundant:
            self.relations.append(nsd.Bilateral(name, [*(i.position - j.position)[:2]]))
        else:
            self.relations.append(nsd.Revolute(name, i, j))

    def model(self, name: str, scheme: nsd.Scheme, step: float, end: float) -> nsd.Model:
        return nsd.Model(
            name, list(self.bodies.values()), self.relations, scheme=scheme, step=step, end=end, initial=self.initial
        )


def four_bars(count: int, scheme: nsd.Scheme, step: float, end: float, redundant: bool = True) -> nsd.Model:
    """``count`` windows side by side of rods of 1 m and 1 kg (the "n four-bar mechanism"); upright bars start at 1 m/s.

    All rods lie on one line where the upright ones have fallen by a quarter of a turn: there the loops lose a freedom.
    """
    plane = Plane(redundant)
    for k in range(count + 1):
        plane.body(f"bar_{k}", 1, 1 / 12, (k, 0.5), np.pi / 2, (0.5, 0), -1.0, GRAVITY)
        plane.hinge(f"bar_{k}", None, (k, 0))
    for k in range(count):
        plane.body(f"top_{k}", 1, 1 / 12, (k + 0.5, 1), 0, (1, 0), 0, GRAVITY)
        plane.hinge(f"top_{k}", f"bar_{k}", (k, 1))
        plane.hinge(f"top_{k}", f"bar_{k + 1}", (k + 1, 1), closing=True)
    return plane.model(f"four_bars_{count}", scheme, step, end)


SQUEEZER = {"beta": -0.0617138900142764496358948458001, "theta": 0.0, "gamma": 0.455279819163070380255912382449,
            "phi": 0.222668390165885884674473185609, "delta": 0.487364979543842550225598953530,
            "omega": -0.222668390165885884674473185609, "epsilon": 1.23054744454982119249735015568}  # fmt: skip
SQUEEZER_AFTER = {"beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101,
                  "phi": -0.5347301163226948, "delta": 0.5244099658805304, "omega": 0.5347301163226948,
                  "epsilon": 1.048080741042263}  # fmt: skip
"""At 0.03 s, of the Test Set for IVP Solvers (Mazzia and Magherini, 2008; Hairer and Wanner II, section VII.7)."""


def squeezer(scheme: nsd.Scheme, step: float, end: float = 0.03, redundant: bool = True) -> nsd.Model:
    """Andrews' squeezing mechanism: seven bodies, ten hinges, a spring and a motor of 0.033 N m."""
    beta, theta, gamma, phi, delta, omega, epsilon = SQUEEZER.values()
    a, b, fixed = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), [0.014, 0.072, 0]
    rr, ra, d, da, sa, sb, sc, sd = 0.007, 0.00092, 0.028, 0.0115, 0.01874, 0.01043, 0.018, 0.02
    e, ea, zt, ta, tb, zf, fa, u, ua, ub = 0.02, 0.01421, 0.04, 0.02308, 0.00916, 0.02, 0.01421, 0.04, 0.01228, 0.00449

    def way(angle: float) -> tuple[np.ndarray, np.ndarray]:
        """Along an angle and across it."""
        c, s = np.cos(angle), np.sin(angle)
        return np.array([c, s]), np.array([-s, c])

    plane = Plane(redundant)
    along, across = way(beta)
    plane.body("k1", 0.04325, 2.194e-6, ra * along, beta)
    crank = rr * along
    along, across = way(beta + theta)
    plane.body("k2", 0.00365, 4.410e-7, crank - da * along, beta + theta)
    meeting = crank - d * along
    along, across = way(gamma)
    plane.body("k3", 0.02373, 5.255e-6, b - sa * across + sb * along, gamma)
    spring = b + sd * along - sc * across
    along, across = way(delta)
    plane.body("k5", 0.07050, 1.169e-5, a + ta * along + tb * across, delta)
    elbow = a + zt * along
    plane.body("k4", 0.00706, 5.667e-7, elbow - (e - ea) * way(phi + delta)[1], phi + delta)
    along, across = way(epsilon)
    plane.body("k7", 0.05498, 1.912e-5, a - ua * across - ub * along, epsilon)
    knee = a - u * across
    plane.body("k6", 0.00706, 5.667e-7, knee + (zf - fa) * way(omega + epsilon)[0], omega + epsilon)
    for name, place in (("k1", (0, 0)), ("k3", b), ("k5", a), ("k7", a)):
        plane.hinge(name, None, place)
    plane.hinge("k2", "k1", crank)
    plane.hinge("k4", "k5", elbow)
    plane.hinge("k6", "k7", knee)
    for name in ("k3", "k4", "k6"):
        plane.hinge(name, "k2", meeting, closing=True)
    end_of_spring = plane.marker("k3", spring)
    plane.relations.append(nsd.Spring("spring", end_of_spring, nsd.Marker(at=fixed), stiffness=4530, length=0.07785))
    plane.relations.append(plane.relations[0].motor(force=0.033))
    return plane.model("squeezer", scheme, step, end)


_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
_EDGES = np.roll(_CORNERS, -1, axis=0) - _CORNERS
BRICARD = {k: (1 - np.abs(_EDGES[k])) / 12 + 1e-3 for k in range(1, 6)}
"""Moments of inertia of each rod, at the start along the axes of space."""


def bricard(scheme: nsd.Scheme, step: float, end: float) -> nsd.Model:
    """Bricard's mechanism: six rods of 1 m and 1 kg along edges of a cube, one of them the ground.

    It has one freedom though the count of its hinges says none.
    """
    bodies, initial, hinges = {}, {}, []
    for k, inertia in BRICARD.items():
        bodies[k] = nsd.RigidBody(f"rod_{k}", mass=1, inertia=sp.diag(*inertia.tolist()))
        bodies[k].apply_force([0, -GRAVITY, 0])
        initial[bodies[k].position] = (_CORNERS[k] + 0.5 * _EDGES[k]).tolist()
    for k in range(6):
        axis = np.cross(_EDGES[k - 1], _EDGES[k]).tolist()
        ends = []
        for rod in ((k - 1) % 6, k):
            if rod == 0:
                ends.append(nsd.Marker(at=_CORNERS[k].tolist(), axis=axis))
            else:
                ends.append(nsd.Marker(bodies[rod], (_CORNERS[k] - _CORNERS[rod] - 0.5 * _EDGES[rod]).tolist(), axis))
        hinges.append(nsd.Revolute(f"hinge_{k}", *ends))
    return nsd.Model("bricard", list(bodies.values()), hinges, scheme=scheme, step=step, end=end, initial=initial)


def epicyclic(scheme: nsd.Scheme, step: float, end: float, planets: int = 3, redundant: bool = True) -> nsd.Model:
    """A sun of 20 teeth, planets of 10 and a ring of 40 that stands: carrier and sun turn as 20 : 60."""
    plane = Plane(redundant)
    sun, planet, ring, speed = 20, 10, 40, 6.0
    slow = speed * sun / (sun + ring)
    plane.body("sun", 1, 0.01, (0, 0), 0, (0, 0), speed)
    plane.body("carrier", 2, 0.05, (0, 0), 0, (0, 0), slow)
    plane.hinge("sun", None, (0, 0))
    plane.hinge("carrier", None, (0, 0))
    suns, carriers = plane.relations
    plane.relations.append(suns.motor(force=0.3))
    for k in range(planets):
        angle = 2 * np.pi * k / planets
        place, name = 0.3 * np.array([np.cos(angle), np.sin(angle)]), f"planet_{k}"
        plane.body(name, 0.3, 0.001, place, 0, slow * 0.3 * np.array([-np.sin(angle), np.cos(angle)]),
                   slow * (1 - ring // planet))  # fmt: skip
        plane.hinge(name, "carrier", place)
        pin = plane.relations[-1]
        plane.relations.append(nsd.Coupler(f"ring {k}", [(pin, 1), (carriers, ring // planet)]))
        if k == 0 or redundant:
            plane.relations.append(nsd.Coupler(f"mesh {k}", [(suns, 2), (carriers, -2), (pin, 1)]))
    return plane.model("epicyclic", scheme, step, end)
