"""The contacts that may act in a step: what the search and the shapes give, as arguments of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.model.world._shapes import touching
from nsdgen.model.world.checks import check_speeds
from nsdgen.model.world.shapes import HALF_SPACE
from nsdgen.study.pooled_run import Contacts

_Numbers = NDArray[np.float64]

_NEAR = 1e-6
"""Of the sizes of two shapes: a gap in which a contact is kept, so that one at rest is not lost by rounding."""

_HALF_A_STEP = 0.505
"""Of a step: what can close in half of it may act, and 1 % for rounding."""


class ContactFinder:
    """Contacts of a world where its bodies are: ``ContactFinder(world)(h)``.

    ``table`` (n, n, k) are the coefficients of materials on each other, the first arguments of a contact; ``speeds``
    those of shapes when contacts were found last [m/s]. Pairs of shapes that sleep or stand still are left out.
    """

    def __init__(self, world: Any) -> None:
        self.world = world
        inertia = float(np.median([b.moments for b in world.bodies])) if world.bodies else 1.0
        self.table = world.surfaces.table(inertia)
        self.speeds = np.zeros(0)
        self._awake_of: Any = None
        self._awake_pairs = np.zeros((0, 2), dtype=np.intc)

    def __call__(self, h: float) -> tuple[Contacts, Contacts]:
        """Contacts of two bodies, and with what stands, whose gap is at most what can close in half of a step h."""
        world = self.world
        shapes = world.shapes
        asleep = world.sleep.asleep.any()
        self.speeds = speeds = shapes.place(world.poses, world.sleep.awake if asleep else None)
        self._add_standing(speeds)
        check_speeds(world, speeds, h)
        reach = _HALF_A_STEP * h * speeds + _NEAR * np.where(shapes.kind == HALF_SPACE, 0.0, shapes.around)
        pairs = world.search.pairs(shapes, world.groups.meet, 2.0 * float(reach.max(initial=0.0)))
        if asleep:
            pairs = self._awake(pairs)
        keys, found, gap, normal, point = touching(
            pairs,
            reach[pairs[:, 0]] + reach[pairs[:, 1]],
            shapes.kind,
            shapes.size,
            shapes.centres,
            shapes.axes,
            shapes.form,
            2 * sum(len(c.keys) for c in world.contacts),
        )
        keys, found, gap, normal, point = world.space.seen(shapes.around, keys, found, gap, normal, point)
        # What stands comes second: its shapes are turned around where they came first.
        bodies = shapes.body[found]
        swap = bodies[:, 0] < 0
        bodies[swap], found[swap], normal[swap] = bodies[swap, ::-1], found[swap, ::-1], -normal[swap]
        return self._pair(keys, found, bodies, gap, normal, point), self._rest(keys, found, bodies, gap, normal, point)

    def _add_standing(self, speeds: _Numbers) -> None:
        """The speeds of shapes that move as told [m/s]."""
        for s in self.world.standing:
            speeds[s.shape] = s.speed(self.world.shapes)
            if not np.isfinite(speeds[s.shape]):
                raise ParameterError(
                    f"the velocity or spin of {s.name!r} is not finite",
                    model=self.world.name,
                    fix="look at what was set",
                )

    def _awake(self, pairs: NDArray[np.intc]) -> NDArray[np.intc]:
        """Pairs of which one at least may begin to move, kept as long as these are the same."""
        world = self.world
        now = (world.search.made, world.sleep.version, tuple(s.moves for s in world.standing))
        if self._awake_of != now:
            self._awake_of = now
            self._awake_pairs = np.ascontiguousarray(pairs[world.sleep.awake[pairs].any(axis=1)])
        return self._awake_pairs

    def _pair(self, keys: Any, found: Any, bodies: Any, gap: Any, normal: Any, point: Any) -> Contacts:
        which = np.flatnonzero(bodies[:, 1] >= 0)
        own, place = np.ascontiguousarray(bodies[which]), point[which]
        law, states = self._coefficients(found[which]), self.world.states
        arguments = self.world.space.pair(states, law, own, gap[which], normal[which], place)
        still = np.zeros((len(which), 3))
        return Contacts(keys[which], own, arguments, found[which], gap[which], normal[which], place, still)

    def _rest(self, keys: Any, found: Any, bodies: Any, gap: Any, normal: Any, point: Any) -> Contacts:
        which = np.flatnonzero(bodies[:, 1] < 0)
        own, place = np.ascontiguousarray(bodies[which, :1]), point[which]
        velocity = np.zeros((len(which), 3))
        for s in self.world.standing:
            if s.moves:
                here = found[which, 1] == s.shape
                levers = place[here] - s.place(self.world.shapes)[0]
                velocity[here] = np.asarray(s.velocity) + np.cross(np.asarray(s.spin, dtype=float), levers)
                velocity[here] += np.asarray(s.surface)
        law, states, now = self._coefficients(found[which]), self.world.states, self.world.engine.clock
        arguments = self.world.space.rest(states, law, own, gap[which], normal[which], place, velocity, now)
        return Contacts(keys[which], own, arguments, found[which], gap[which], normal[which], place, velocity)

    def _coefficients(self, shapes: NDArray[np.intc]) -> _Numbers:
        material = self.world.shapes.material
        found: _Numbers = self.table[material[shapes[:, 0]], material[shapes[:, 1]]]
        return found


def no_contacts(bodies: int) -> Contacts:
    """None between so many bodies."""
    none = np.zeros((0, 3))
    return Contacts(
        np.zeros(0, dtype=np.int64),
        np.zeros((0, bodies), dtype=np.intc),
        np.zeros((0, 0)),
        np.zeros((0, 2), dtype=np.intc),
        np.zeros(0),
        none,
        none,
        none,
    )
