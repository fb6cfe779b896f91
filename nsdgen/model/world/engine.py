"""What makes the steps of a world: a pooled run that fits it, another one when there are more bodies or materials."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.model.world.kernels import world_kernels
from nsdgen.model.world.shapes import numbers
from nsdgen.study.pooled_run import STATE, PooledRun

__all__ = ["WorldEngine"]

_Numbers = NDArray[np.float64]

_FEW_ROWS = 60
"""Steps of up to so many rows are solved by the methods of all models."""

_CERTIFIED = 1e-8
"""Of the load of an island of contacts: what a step may leave where no tolerance is given."""

_CLOSED = 1e-2
"""Of how far a body falls in a step, times two: a gap that counts as closed, or rounding would open a contact."""

_LEAST_ROOM = 16
"""Bodies that there is room for at first."""


class WorldEngine:
    """States of the bodies of a world, and steps from them; ``forces_changed`` are bodies whose forces it is told."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.run: PooledRun | None = None
        self.forces_changed: set[int] = set()
        self._states = np.zeros((_LEAST_ROOM, STATE))

    @property
    def states(self) -> _Numbers:
        """(room, 13): those of bodies come first."""
        return self._states if self.run is None else self.run.states

    @property
    def clock(self) -> float:
        """The time of the run that makes the steps [s]."""
        return self.run.stepper.time if self.run is not None else 0.0

    def fit(self, h: float) -> None:
        """A run with this step, and a law as the surfaces have it."""
        if self.run is None or self.run.step != h or self._rolls != self.world.surfaces.roll:
            self._renew(max(_LEAST_ROOM, len(self.world.bodies)), h)

    def make_room(self, bodies: int) -> None:
        """Room for so many, of which the last is new."""
        if self.run is None and bodies > len(self._states):
            self._states = np.concatenate([self._states, np.zeros_like(self._states)])
        elif self.run is not None and bodies > self.run.room:
            self._renew(2 * self.run.room, self.run.step)

    def step(self, contacts: Any) -> None:
        """Make a step with these contacts; raises ``StepError`` where it fails."""
        assert self.run is not None
        self._tell_forces()
        self.run.open(contacts, self.world.states[:, :3])
        self.run.go()

    def _renew(self, room: int, h: float) -> None:
        """A new run, which goes on from where the last one was."""
        world, old, states = self.world, self.run, self.world.states.copy()
        self._rolls = world.surfaces.roll
        closed = max(_CLOSED * h * (float(np.linalg.norm(world.gravity)) or 1.0), world.tolerance) * h
        self.run = new = PooledRun(world_kernels(self._rolls).compiled, room, world.time, h, closed)
        new.states[: len(states)] = states
        new.states[len(states) :, 3] = 1.0
        certified = 0.0 if world.tolerance > 0.0 else _CERTIFIED
        new.pile_up(certified, world.tolerance, world.sweeps, _FEW_ROWS)
        self.forces_changed.update(range(len(world.bodies)))
        if old is not None and old.step == h and world.contacts[0].arguments.shape[1:] == (world.find.gap_at + 10,):
            new.open(world.contacts, states[:, :3])
            for k in range(2):
                new.pools.recall(k, *old.pools.rows(k))

    def _tell_forces(self) -> None:
        """What acts on bodies, and which of them there are."""
        run, world = self.run, self.world
        assert run is not None
        if self.forces_changed:
            changed = sorted(self.forces_changed)
            for body in (world.bodies[i] for i in changed):
                numbers(body.force, 3, f"body {body.name!r}, force")
                numbers(body.moment, 3, f"body {body.name!r}, moment")
            rows = np.array(
                [
                    [
                        b.mass,
                        *b.moments,
                        *(b.mass * world.gravity + np.asarray(b.force)),
                        *np.asarray(b.moment),
                        run.step,
                    ]
                    for b in (world.bodies[i] for i in changed)
                ]
            )
            run.pools.set_systems(np.array(changed, dtype=np.intc), rows)
            self.forces_changed.clear()
        present = np.zeros(run.room, dtype=np.int8)
        moves = world.shapes.body >= 0
        present[world.shapes.body[moves]] = world.shapes.exists[moves]
        if not np.array_equal(present, run.present):
            run.pools.take_part(present)
            run.present = present
