"""A run whose contacts appear and vanish: so many bodies at most, and the contacts that are open.

Input: states of bodies, contacts by key. Output: states a step later. When there are more bodies than a run has room
for, its owner takes another one, which goes on from its states and multipliers.
"""

import dataclasses
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import StepError
from nsdgen.runtime._runs import RelationPools, Stepper
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values
from nsdgen.study.compiled_model import CompiledModel

_Numbers = NDArray[np.float64]
_ROWS = 3
"""Of a contact, at least."""

_POOLS = ("contacts of two bodies", "contacts with what stands", "rows of joints", "rows of joints to the ground")


class Pooled(Protocol):
    """Of a pool, in the order of keys that rise: bodies (n, 1 or 2) and arguments."""

    keys: NDArray[np.int64]
    bodies: NDArray[np.intc]
    arguments: _Numbers


class PooledRun:
    """A model of bodies of one class, all of whose relations are pools: up to ``room`` bodies.

    ``states`` (room, n) are those that the next step starts from.
    """

    def __init__(self, compiled: CompiledModel, room: int, start: float, step: float, closed: float) -> None:
        self.room, self.step = room, step
        table, first = compiled.table, compiled.record
        self.record = dataclasses.replace(
            first, systems=tuple(dataclasses.replace(first.systems[0], name=f"body {i}") for i in range(room))
        )
        self.stepper = Stepper(self.record, table, pooled=True)
        self.stepper.use_fused(False)
        options = {"activation_gap": closed, "deactivation_gap": closed}
        values = run_values(self.record, table, start=start, end=start + 1e6 * step, step=step, options=options)
        prepare(self.record, table, values, self.stepper)
        self.pools = RelationPools(self.stepper)
        self.piled_from: float = np.inf
        layout = self.stepper.layout
        size = layout.state[1]
        assert layout.state == tuple(range(0, size * room, size)), "states of bodies lie one after the other"
        self.states: _Numbers = np.asarray(self.stepper.values)[: size * room].reshape(room, size)

    def pile_up(self, tolerance: float, goal: float, most: int, rows: int) -> None:
        """How steps of more than so many rows are solved; see :meth:`RelationPools.pile_up`."""
        self.pools.pile_up(tolerance, goal, most, rows)
        self.piled_from = rows

    def open(self, pools: Sequence[Pooled], positions: _Numbers) -> None:
        """What may act in the next step, pool by pool; multipliers stay with the keys."""
        for number, found in enumerate(pools):
            self.pools.fill(number, found.keys, found.bodies, found.arguments)
        if self.pools.changed:
            few = sum(len(found.keys) for found in pools) * _ROWS <= self.piled_from
            self.pools.commit(order_of_elimination(pools, positions) if few else None)

    def go(self) -> None:
        """Make a step; raises ``StepError`` where it fails."""
        made, _, failed, _ = self.stepper.advance(1)
        if failed or made < 1:
            raise self._failure()

    def _failure(self) -> StepError:
        found = self.stepper.failed
        at = self.pools.relation_of(found["item"])
        where = f"body {found['item']}" if at is None else f"number {at[1]} of the {_POOLS[at[0]]}"
        return StepError(
            f"the step at {self.stepper.time:.6g} s failed (code {found['code']}, residual {found['value']:.3g})",
            model="world",
            where=where,
            fix="look for bodies that start inside each other, or give a shorter step",
        )


def order_of_elimination(pools: Sequence[Pooled], positions: _Numbers) -> NDArray[np.intc]:
    """All in pools by nested dissection: bodies are halved along x, y, z in turn, what crosses a half after both."""
    n = len(positions)
    levels = max(int(np.ceil(np.log2(max(n, 1) / 4.0))), 0) if n > 4 else 0
    path = np.zeros(n, dtype=np.int64)
    for level in range(levels):
        order = np.lexsort((positions[:, level % 3], path))
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.arange(n)
        first = np.searchsorted(path[order], path[order])
        count = np.bincount(path, minlength=1 << level)[path]
        within = rank - first[rank]
        path = 2 * path + (2 * within >= count)
    first, second = (
        np.concatenate([path[c.bodies[:, 0]] if len(c.keys) else path[:0] for c in pools]),
        np.concatenate([path[c.bodies[:, -1]] if len(c.keys) else path[:0] for c in pools]),
    )
    differ = np.frexp((first ^ second).astype(float))[1]  # levels, from the last, at which they part
    last = ((first >> differ) + 1 << differ) - 1
    return np.lexsort((differ, last)).astype(np.intc)
