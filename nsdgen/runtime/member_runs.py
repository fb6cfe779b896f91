"""Many runs of one model: values in, what is kept of each member out, whatever the number of threads.

A member is a run of its own: its numbers depend on its values alone. Threads take members in turn, as many at once as
the model's module has lanes, and step without the lock; a member that fails is reported and the others go on.
"""

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from nsdgen.record.model_record import ModelRecord
from nsdgen.runtime._lanes import Lanes, lanes_of
from nsdgen.runtime._runs import Stepper
from nsdgen.runtime.controllers import check_given
from nsdgen.runtime.member import Keep, Member, MemberResult
from nsdgen.runtime.values import RunValues
from nsdgen.solvers._attention import end_threads

_STEPS = 100_000
"""Steps between two looks at whether to stop."""

# of results, per lane: written between two returns from the compiled loop, a few hundred kB for ten columns
_ROWS = 4096

_FEW = 8
"""Steps in lanes for each that a lane left to the general stepper, on average, below which members go on alone."""


def run_members(
    record: ModelRecord,
    table: Any,
    count: int,
    values_of: Callable[[int], RunValues],
    keep: Keep,
    *,
    threads: int,
    watch: Callable[[int], None] | None = None,
) -> list[MemberResult | None]:
    """All members, in order; None for those that an interrupt kept from being run.

    ``values_of(i)`` are the values of a member; what it raises is that member's error. ``watch(steps)`` is told
    every so often how many steps were made in all; what it raises, and an interrupt, stops all members and is raised
    with ``.outcomes``. Raises ``ParameterError`` for a model with a block that a Python function computes.
    """
    check_given(record, {})
    crew = _Crew(record, table, count, values_of, keep)
    workers = [threading.Thread(target=crew.work, daemon=True) for _ in range(min(threads, count))]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers):
            for worker in workers:
                worker.join(0.05)
            if watch is not None:
                watch(crew.steps)
    except BaseException as error:
        crew.stop, idents = True, [worker.ident for worker in workers]
        end_threads(idents)
        for worker in workers:
            worker.join()
        end_threads(idents, False)
        error.outcomes = crew.outcomes  # type: ignore[attr-defined]
        raise
    if crew.broken is not None:
        raise crew.broken
    return crew.outcomes


def _cut_short(record: ModelRecord) -> bool:
    """Whether a step may end early, where other members' steps go on."""
    return (
        any(b.cut for b in record.blocks)
        or any(c.cuts for c in record.system_classes)
        or any(c.cuts for c in record.relation_classes)
    )


class _Crew:
    """What the threads share: who is next, and what came of the members so far."""

    def __init__(
        self, record: ModelRecord, table: Any, count: int, values_of: Callable[[int], RunValues], keep: Keep
    ) -> None:
        self.record, self.table, self.values_of, self.keep = record, table, values_of, keep
        self.width = 1 if _cut_short(record) else lanes_of(table) or 1
        self.outcomes: list[MemberResult | None] = [None] * count
        self.steps = 0
        self.stop = False
        self.broken: BaseException | None = None
        self._next = iter(range(count))
        self._lock = threading.Lock()

    def work(self) -> None:
        """Run members until none is left: as many at once as the module has lanes."""
        steppers: list[Stepper] = []
        columns = len(self.keep.columns)
        rows, times = np.empty((self.width, _ROWS, columns)), np.empty((self.width, _ROWS))
        while not self.stop:
            with self._lock:
                numbers = list(itertools.islice(self._next, self.width))
            if not numbers:
                return
            try:
                steppers = [s for s in steppers if s.reusable]
                steppers += [Stepper(self.record, self.table) for _ in numbers[len(steppers) :]]
                self._run(numbers, steppers, rows, times)
            except BaseException as error:  # of nsdgen itself, or no memory
                self.broken, self.stop = error, True

    def _run(self, numbers: list[int], steppers: list[Stepper], rows: np.ndarray, times: np.ndarray) -> None:
        members = [Member(i, stepper, self.keep) for i, stepper in zip(numbers, steppers, strict=False)]
        for member in members:
            member.start(self.record, self.table, self.values_of)
        if self.width > 1:
            self._abreast(members, rows, times)
        for member in members:
            while not (member.ended or self.stop):
                self._count(member.step(self.record, _STEPS, rows[0], times[0]))
            if member.ended and not (self.stop and member.error):  # made to stop it looks as if it had failed
                self.outcomes[member.number] = member.outcome()

    def _abreast(self, members: list[Member], rows: np.ndarray, times: np.ndarray) -> None:
        """Step members together as long as that is worth it: a step that one lane cannot make, all make one by one."""
        written = np.zeros(self.width, dtype=int)
        going, together, alone = [m for m in members if not m.ended], 0, 0
        lanes = Lanes([m.stepper for m in going]) if len(going) > 1 else None
        while lanes is not None and not self.stop and together >= _FEW * (alone - 2 * self.width):
            made, single, failed = lanes.advance(min(_STEPS, going[0].steps - going[0].done), rows, times, written)
            together, alone = together + made - single, alone + single
            self._count(made * len(going) - len(failed))
            for i, member in enumerate(going):
                member.stepped(made - (i in failed), rows[i, : written[i]].copy(), times[i, : written[i]].copy())
            for i in failed:
                going[i].failed(self.record)
            if any(m.ended for m in going):
                going = [m for m in going if not m.ended]
                lanes = Lanes([m.stepper for m in going]) if len(going) > 1 else None

    def _count(self, made: int) -> None:
        with self._lock:
            self.steps += made
