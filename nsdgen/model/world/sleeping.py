"""Islands of bodies at rest that take no part in steps until something meets, pushes or moves one of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.model.world.sensors import ContactImpulses, contact_impulses

_QUIET_STEPS = 50
"""Steps in a row in which nothing of an island moves faster than the limit: what is thrown up is slow in one or two."""

_EVERY = 10
"""Steps between looks for islands that may sleep: finding them costs as much as a step of few contacts."""

_Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class _Island:
    """Bodies that sleep; what their contacts remember by key, pool by pool; and the impulses that hold them."""

    bodies: NDArray[np.intp]
    kept: tuple[tuple[Any, Any, Any], ...]
    made: ContactImpulses


class Sleep:
    """Which bodies sleep. ``limit`` [m/s]: no point of an island moved faster for a while; 0: none ever sleeps.

    ``version`` counts changes. A body that sleeps keeps its place to the last bit, its velocity is zero.
    """

    def __init__(self, world: Any, limit: float) -> None:
        self.world, self.limit, self.version = world, limit, 0
        self.asleep = np.zeros(0, dtype=bool)
        self._quiet = np.zeros(0, dtype=np.intp)
        self._island = np.zeros(0, dtype=np.intp)
        self._islands: dict[int, _Island] = {}
        self._states: _Numbers = np.zeros((0, world.space.width))
        self._woken: list[_Island] = []
        self._steps = self._made = 0

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Of each shape, whether it may begin to move: of a body that is awake, or moving as told."""
        shapes = self.world.shapes
        body = shapes.body
        found: NDArray[np.bool_] = body >= 0
        if len(self.asleep):
            found &= ~self.asleep[np.maximum(body, 0)]
        for s in self.world.standing:
            found[list(s.shapes)] = s.moves
        return found

    @property
    def any(self) -> bool:
        """Whether any body sleeps."""
        return bool(self._islands)

    @property
    def impulses(self) -> list[ContactImpulses]:
        """Those of a step that hold what sleeps."""
        return [island.made for island in self._islands.values()]

    def fit(self) -> None:
        """Room for the bodies there are; new ones are awake."""
        new = len(self.world.bodies) - len(self.asleep)
        if new > 0:
            self.asleep = np.append(self.asleep, np.zeros(new, dtype=bool))
            self._quiet = np.append(self._quiet, np.zeros(new, dtype=np.intp))
            self._island = np.append(self._island, np.full(new, -1))

    def look(self) -> None:
        """Wake islands of which a body was moved, pushed or taken away by somebody since the last step."""
        if not self._islands:
            return
        n = len(self._states)
        changed = (self.world.states[:n] != self._states).any(axis=1)
        self.wake(np.flatnonzero(self.asleep[:n] & changed))
        self.wake([k for k in self.world.engine.forces_changed if self.asleep[k]])
        self.wake(b.number for b in self.world.bodies if self.asleep[b.number] and not b.exists)

    def wake(self, bodies: Iterable[int]) -> bool:
        """Wake the islands of these; whether any slept."""
        self.fit()
        islands = {int(self._island[k]) for k in bodies if self.asleep[k]}
        for number in islands:
            island = self._islands.pop(number)
            self.asleep[island.bodies] = False
            self._quiet[island.bodies] = 0
            self._woken.append(island)
        self.version += bool(islands)
        return bool(islands)

    def wake_all(self) -> None:
        """What bodies rest on may have changed."""
        self.wake(np.flatnonzero(self.asleep))

    def wake_met(self, contacts: Any) -> bool:
        """Wake islands that something awake meets; whether there are any: their own contacts are to be found then."""
        met = [c.bodies[self.asleep[c.bodies]] for c in contacts] if self._islands else []
        return any(len(m) for m in met) and self.wake(np.concatenate(met).tolist())

    def recall(self) -> None:
        """Give contacts of islands that have just woken what they remembered."""
        pools = self.world.engine.run.pools
        for number, contacts in enumerate(self.world.contacts if self._woken else ()):
            rows = pools.rows(number)
            for island in self._woken:
                keys, *kept = island.kept[number]
                at = np.minimum(np.searchsorted(contacts.keys, keys), max(len(contacts.keys) - 1, 0))
                same = contacts.keys[at] == keys if len(contacts.keys) else np.zeros(len(keys), dtype=bool)
                for own, was in zip(rows, kept, strict=True):
                    if own.shape[1:] == was.shape[1:]:  # else surfaces resist rolling since then, or no more
                        own[at[same]] = was[same]
            pools.recall(number, *rows)
        self._woken.clear()

    def after_step(self, speeds: _Numbers, before: _Numbers) -> None:
        """Let islands sleep that were quiet for long; ``speeds`` of shapes, states ``before`` are its start."""
        world = self.world
        moves = world.shapes.body >= 0
        fast = np.zeros(len(self.asleep), dtype=bool)
        fast[world.shapes.body[moves & (speeds > self.limit)]] = True
        pair, rest = world.contacts
        driven = np.array([number for s in world.standing if s.moves for number in s.shapes], dtype=np.intp)
        fast[rest.bodies[np.isin(rest.shapes[:, 1], driven), 0]] = True
        fast[list(world.joints.bodies | world.springs.bodies)] = True  # an island ends where no contact goes on
        self._quiet[fast] = 0
        self._quiet[~fast] += 1
        self._steps += 1
        if self._steps % _EVERY == 0 and (self._quiet[~self.asleep] > _QUIET_STEPS).any():
            self._let_sleep(pair, before)

    def _let_sleep(self, pair: Any, before: _Numbers) -> None:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.asleep)
        ones = np.ones(len(pair.keys))
        _, label = connected_components(coo_array((ones, (pair.bodies[:, 0], pair.bodies[:, 1])), shape=(n, n)), False)
        # What is in the air is at rest only where nothing pulls: it would have been fast.
        restless = np.zeros(n, dtype=bool)
        restless[label[self._quiet <= _QUIET_STEPS]] = True
        exists = np.array([b.exists for b in self.world.bodies])
        ready = np.flatnonzero(~restless[label] & ~self.asleep & exists)
        if not len(ready):
            return
        made, rows = contact_impulses(self.world, before), [self.world.engine.run.pools.rows(k) for k in range(2)]
        body = self.world.shapes.body
        for own in _by_label(ready, label):
            number = self._made = self._made + 1
            here = np.isin(body[made.shapes[:, 0]], own)
            kept = tuple(
                (c.keys[which], *(r[which] for r in row))
                for c, row in zip(self.world.contacts, rows, strict=True)
                for which in (np.flatnonzero(np.isin(c.bodies[:, 0], own)),)
            )
            self._islands[number] = _Island(own, kept, made.held(here))
            self._island[own], self.asleep[own] = number, True
            self.world.states[own, self.world.space.rates :] = 0.0
        self._states = self.world.states.copy()
        self.version += 1


def _by_label(bodies: NDArray[np.intp], label: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Bodies of one label together."""
    order = bodies[np.argsort(label[bodies], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
