"""What makes the steps of a world: a pooled run that fits it, another one when there are more bodies or materials."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.study.pooled_run import PooledRun

_Numbers = NDArray[np.float64]

_FEW_ROWS = 60
"""Steps of up to so many rows are solved by the methods of all models."""

_FEW_ROLLING_ROWS = 1500
"""The same where contacts in space resist rolling, for which piles have nothing but sweeps."""

_ALIKE = 1e4
"""Of masses, at most, for these methods: exact to rounding of the largest impulse, which is much for a light body."""

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
        self._states = np.zeros((_LEAST_ROOM, world.space.width))
        self._present_of: Any = None
        self._opened: Any = ()  # what the run remembers: rows of its last step

    @property
    def states(self) -> _Numbers:
        """(room, 13), in a plane (room, 6): those of bodies come first."""
        return self._states if self.run is None else self.run.states

    @property
    def clock(self) -> float:
        """The time of the run that makes the steps [s]."""
        return self.run.stepper.time if self.run is not None else 0.0

    def fit(self, h: float) -> None:
        """A run with this step, and a law as the surfaces have it."""
        if self.run is None or self.run.step != h or self._kind != self._kind_now:
            self._renew(max(_LEAST_ROOM, len(self.world.bodies)), h)
        self.world.springs.check_step(h)

    @property
    def _kind_now(self) -> tuple[bool, bool, bool, bool, tuple[float, ...]]:
        """Whether surfaces resist rolling, drilling, whether there are joints, and masses are alike; what is asked."""
        world = self.world
        masses = [body.mass for body in world.bodies if body.exists]
        alike = max(masses, default=1.0) <= _ALIKE * min(masses, default=1.0)
        asked = (world.tolerance, world.sweeps, *world.gravity)
        return world.surfaces.roll, world.surfaces.drill, bool(world.joints.all), alike, asked

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
        joints, h = self.world.joints, self.run.step
        if joints.all:
            joints.begin(h)
        self._opened = (*contacts, *joints.rows) if joints.all else contacts
        self.run.open(self._opened, self.world.states[:, :3])
        self.world.sleep.recall()
        self.run.go()
        if joints.all:
            joints.end(h, tuple(self.run.pools.rows(k)[0] for k in (2, 3)))

    def _renew(self, room: int, h: float) -> None:
        """A new run, which goes on from where the last one was."""
        world, old, states = self.world, self.run, self.world.states.copy()
        self._kind = self._kind_now
        closed = max(_CLOSED * h * (float(np.linalg.norm(world.gravity)) or 1.0), world.tolerance) * h
        self.run = new = PooledRun(world.space.kernels(*self._kind[:3]), room, world.time, h, closed)
        new.states[: len(states)] = states
        new.states[len(states) :] = world.space.still
        if not world.surfaces.drill:  # a pile has contacts with one cone alone, and rows of joints
            certified = 0.0 if world.tolerance > 0.0 else _CERTIFIED
            few = _FEW_ROWS if self._kind[3] else 0
            if world.surfaces.roll:  # in a plane rows are there more than once: for piles alone
                few = 0 if world.space.dimension == 2 else _FEW_ROLLING_ROWS
            new.pile_up(certified, world.tolerance, world.sweeps, few)
        self.forces_changed.update(range(len(world.bodies)))
        if old is None or old.step != h or old.record.relation_classes != new.record.relation_classes:
            self._opened = ()
        elif self._opened:
            new.open(self._opened, states[:, :3])
            for k in range(len(self._opened)):
                new.pools.recall(k, *old.pools.rows(k))

    def _arguments(self, body: Any, h: float) -> list[float]:
        """Those of a body in kernels, without springs."""
        return self.world.space.body(body, body.force + body.mass * self.world.gravity, body.moment, h)

    def _tell_forces(self) -> None:
        """What acts on bodies, and which of them there are."""
        run, world = self.run, self.world
        assert run is not None
        pulled = world.springs.wrenches(run.step) if world.springs.all else {}
        self.forces_changed.update(pulled)
        if self.forces_changed:
            changed = sorted(self.forces_changed)
            rows = np.array([self._arguments(world.bodies[i], run.step) for i in changed])
            for row, number in zip(rows, changed, strict=True):
                if number in pulled:
                    world.space.pull(row, pulled[number])
            run.pools.set_systems(np.array(changed, dtype=np.intc), rows)
            self.forces_changed.clear()
        if self._present_of == (now := (run, world.shapes.version, world.sleep.version)):
            return
        self._present_of = now
        present = np.zeros(run.room, dtype=np.int8)
        moves = world.shapes.body >= 0
        present[world.shapes.body[moves]] = world.shapes.exists[moves]
        present[: len(world.sleep.asleep)][world.sleep.asleep] = 0
        run.pools.take_part(present)
