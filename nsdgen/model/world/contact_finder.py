"""The contacts that may act in a step: what the search and the shapes give, as arguments of kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ParameterError
from nsdgen.model.world._shapes import ContactPool, contacts_of, moving_pairs, touching
from nsdgen.model.world.refusals import held_alone, refuse_passed, refuse_passing, refuse_state

_Numbers = NDArray[np.float64]

_NEAR = 1e-6
"""Of the sizes of two shapes: a gap in which a contact is kept, so that one at rest is not lost by rounding."""

_HALF_A_STEP = 0.505
"""Of a step: what can close in half of it may act, and 1 % for rounding."""


class ContactFinder:
    """Contacts of a world where its bodies are: ``ContactFinder(world)(h)``.

    ``table`` (n, n, k) are the coefficients of materials on each other, the first arguments of a contact; ``speeds``
    those of shapes when contacts were found last [m/s], ``deepest`` the least gap then, 0 where none is below [m],
    ``held`` how far shapes may come without a look at what they pass [m]. Pairs of shapes that sleep or stand still are
    left out.
    """

    def __init__(self, world: Any) -> None:
        self.world = world
        inertia = float(np.median([b.moments for b in world.bodies])) if world.surfaces.drill and world.bodies else 1.0
        self.table = world.surfaces.table(inertia)
        self.speeds, self.deepest, self.held, self._least_inside = np.zeros(0), 0.0, np.zeros(0), np.inf
        self._held_of = -1  # the version of the shapes that these are of
        self._awake_of: Any = None
        self._awake_pairs = np.zeros((0, 2), dtype=np.intc)

    def __call__(self, h: float) -> tuple[ContactPool, ContactPool]:
        """Contacts of two bodies, and with what stands, whose gap is at most what can close in half of a step h."""
        world, shapes = self.world, self.world.shapes
        states, planar, asleep = world.states, world.space.dimension == 2, world.sleep.any
        self.speeds, wrong = shapes.place(states, planar, h, world.sleep.awake if asleep else None)
        if wrong >= 0:
            refuse_state(world, wrong, self.speeds, h)
        driven = self._driven()
        if self._held_of != shapes.version:
            self._held_of, self.held = shapes.version, held_alone(shapes)
            self._least_inside = shapes.inside.min(initial=np.inf)
        pairs, reach = world.search.pairs(shapes, world.groups.meet, self.speeds, _HALF_A_STEP * h, _NEAR)
        if asleep:
            pairs = self._awake(pairs)
        refuse_passing(world, pairs, reach, h)
        room = 2 * sum(len(c.keys) for c in world.contacts)
        found = touching(pairs, reach, shapes.kind, shapes.size, shapes.centres, shapes.axes, shapes.form, room)
        try:
            pair, rest, self.deepest = contacts_of(
                found,
                self._later(found, reach, h),
                states,
                planar,
                shapes.body,
                shapes.material,
                self.table,
                shapes.around,
                self.speeds,
                driven,
                world.engine.clock,
                h,
            )
        except ValueError as error:
            first, second = error.args
            raise ParameterError(
                f"{world.name_of(first)!r} and {world.name_of(second)!r} are in the same place: nothing in the plane "
                "parts them",
                model=world.name,
                where="contact",
                fix="place bodies apart from each other",
            ) from None
        if -self.deepest > self._least_inside:
            refuse_passed(world, (pair, rest), h)
        return pair, rest

    def _later(self, found: Any, reach: _Numbers, h: float) -> Any:
        """The points of contacts that move, where shapes would be at the end of the step with the rates of now."""
        shapes, room = self.world.shapes, len(found[0])
        moving = moving_pairs(found[1], self.speeds, shapes.around, h)
        if not len(moving):
            return tuple(part[:0] for part in found)
        world = self.world
        awake = world.sleep.awake if world.sleep.any else None
        centres, axes = shapes.later(world.states, world.space.dimension == 2, h, awake, world.standing)
        return touching(moving, reach + h * self.speeds, shapes.kind, shapes.size, centres, axes, shapes.form, room)

    def _driven(self) -> _Numbers:
        """Shapes that move as told (n, 13): number, place, velocity, spin, velocity of the surface; their speeds."""
        rows = []
        for s in self.world.standing:
            if not s.moves:
                continue
            told = (*s.place(self.world.shapes)[0], *s.velocity, *s.spin, *s.surface)
            self.speeds[list(s.shapes)] = s.speed()
            rows += [[number, *told] for number in s.shapes]
        return np.array(rows, dtype=float).reshape(-1, 13)

    def _awake(self, pairs: NDArray[np.intc]) -> NDArray[np.intc]:
        """Pairs of which one at least may begin to move, kept as long as these are the same."""
        world = self.world
        now = (world.search.made, world.sleep.version, tuple(s.moves for s in world.standing))
        if self._awake_of != now:
            self._awake_of = now
            self._awake_pairs = np.ascontiguousarray(pairs[world.sleep.awake[pairs].any(axis=1)])
        return self._awake_pairs
