"""Sensors: what contacts do to a body, or to what stands, as impulses of the steps that were made."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.record.columns import Column

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class ContactImpulses:
    """Of the contacts that acted in a step, inertial frame: what the first shape gets; the second gets the opposite.

    ``shapes`` (n, 2); ``points`` (n, 2, 3) [m] where the ``impulse`` (n, 3) [N s] acts on both; ``moment`` (n, 3) [N m
    s] of rolling friction alone; ``friction`` and ``normal`` (n,) [J] are the works of tangential and of normal
    impulses, each times the mean of the relative velocities before and after: below 0 where energy is lost.
    """

    shapes: NDArray[np.intc]
    points: _Numbers
    impulse: _Numbers
    moment: _Numbers
    friction: _Numbers
    normal: _Numbers

    def held(self, which: NDArray[np.bool_]) -> ContactImpulses:
        """Those of some contacts, of bodies that do not move: they do no work."""
        none = np.zeros(int(which.sum()))
        parts = (self.shapes[which], self.points[which], self.impulse[which], self.moment[which])
        return ContactImpulses(*parts, none, none)

    def with_others(self, others: list[ContactImpulses]) -> ContactImpulses:
        """All together."""
        names = [f.name for f in fields(self)]
        return ContactImpulses(*(np.concatenate([getattr(c, name) for c in (self, *others)]) for name in names))


def contact_impulses(world: Any, before: _Numbers) -> ContactImpulses:
    """Of the step that was just made from the states ``before``."""
    mean = world.space.poses(before).copy()  # places and turns of the start, from which points are seen
    mean[:, 7:] = 0.5 * (mean[:, 7:] + world.poses[:, 7:])
    parts = []
    for number, contacts in enumerate(world.contacts):
        multipliers, acts = world.engine.run.pools.rows(number)
        which = np.flatnonzero(acts)
        p, points, n = multipliers[which], contacts.points[which], contacts.normals[which]
        frame = np.stack([n, *world.space.tangents(n)], axis=1)  # contact, vector, component
        slides, turns = velocities_at(mean, contacts.bodies[which, 0], points[:, 0])
        if number == 0:
            slid, turned = velocities_at(mean, contacts.bodies[which, 1], points[:, 1])
            slides, turns = slides - slid, turns - turned
        rates = np.einsum("nij,nj->ni", frame, slides - contacts.velocities[which])
        moment = np.zeros_like(n)
        if p.shape[1] > frame.shape[1]:
            about = world.space.turning(frame, world.surfaces.roll, world.surfaces.drill)
            moment = np.einsum("ni,nij->nj", p[:, 3:], about)
            p = p[:, : frame.shape[1]]
        friction = (p[:, 1:] * rates[:, 1:]).sum(axis=1) + (moment * turns).sum(axis=1)
        impulse = np.einsum("ni,nij->nj", p, frame)
        parts.append((contacts.shapes[which], points, impulse, moment, friction, p[:, 0] * rates[:, 0]))
    return ContactImpulses(*(np.concatenate(own) for own in zip(*parts, strict=True)))


class Sensor:
    """Force, moment, contacts and works of the contacts of some shapes, with all others or with some.

    ``force`` [N] and ``moment`` [N m], inertial frame, about the centre of mass of a body or the place of what stands,
    act on it, as means over the steps since the last record. ``contacts`` are those that acted in the last step.
    ``friction_work`` and ``normal_work`` [J] are sums since the sensor was made, of both sides of the contacts: below 0
    for what is lost. ``of`` and ``on`` are numbers of shapes, ``on=None`` all.
    """

    def __init__(self, name: str, of: tuple[int, ...], on: tuple[int, ...] | None, place: Any) -> None:
        self.name, self._of, self._on, self.place = name, list(of), on if on is None else list(on), place
        self.force, self.moment = np.zeros(3), np.zeros(3)
        self.contacts, self.friction_work, self.normal_work = 0, 0.0, 0.0
        self._impulse, self._moment, self._time = np.zeros(3), np.zeros(3), 0.0

    def see(self, made: ContactImpulses, place: _Numbers, h: float) -> None:
        """Take in a step of length h [s]. Moments are about ``place``, from which points are seen."""
        first, second = (np.isin(made.shapes[:, k], self._of) for k in (0, 1))
        if self._on is not None:
            first, second = first & np.isin(made.shapes[:, 1], self._on), second & np.isin(made.shapes[:, 0], self._on)
        for number, side, sign in ((0, first, 1.0), (1, second, -1.0)):
            impulse = sign * made.impulse[side]
            self._impulse += impulse.sum(axis=0)
            arms = made.points[side, number] - place
            self._moment += (np.cross(arms, impulse) + sign * made.moment[side]).sum(axis=0)
        both = first | second
        self.contacts = int(both.sum())
        self.friction_work += float(made.friction[both].sum())
        self.normal_work += float(made.normal[both].sum())
        self._time += h

    def row(self) -> list[float]:
        """The row of a record, in the order of :meth:`columns`; means begin again."""
        if self._time > 0.0:
            self.force, self.moment = self._impulse / self._time, self._moment / self._time
            self._impulse, self._moment, self._time = np.zeros(3), np.zeros(3), 0.0
        return [*self.force, *self.moment, self.contacts, self.friction_work, self.normal_work]

    def columns(self) -> list[Column]:
        """Of its rows."""
        parts = [(f"force[{k}]", "N", "of contacts, a mean since the last row") for k in range(3)]
        parts += [(f"moment[{k}]", "N m", "of contacts, a mean since the last row") for k in range(3)]
        parts += [
            ("contacts", "", "that acted in the last step"),
            ("friction_work", "J", "of friction on both sides, since the start"),
            ("normal_work", "J", "of normal impulses on both sides, since the start"),
        ]
        return [Column(f"{self.name}.{name}", unit, meaning) for name, unit, meaning in parts]


def velocities_at(states: _Numbers, bodies: NDArray[np.intc], points: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Velocities [m/s] of bodies at points, and their angular velocities [rad/s], both in the inertial frame."""
    from scipy.spatial.transform import Rotation

    own = states[bodies]
    if not len(own):
        return np.zeros((0, 3)), np.zeros((0, 3))
    omega = Rotation.from_quat(own[:, [4, 5, 6, 3]]).apply(own[:, 10:])
    return own[:, 7:10] + np.cross(omega, points - own[:, :3]), omega
