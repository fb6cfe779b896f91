"""Blocks whose outputs a Python function computes: the run stops at their instants and asks it.

Slow by nature: each instant goes through Python. The order of blocks is kept, since such blocks are the last ones.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.record.model_record import BlockRecord, ModelRecord
from nsdgen.runtime._runs import Stepper
from nsdgen.runtime.failures import failure_error
from nsdgen.runtime.values import RunValues

Function = Callable[[float, dict[str, float]], Any]
"""From time and samples by name to what is held, in order."""

Factories = Mapping[str, Callable[[], Function]]
"""By block: called at the start of a run, gives the function of that run."""


@dataclass(frozen=True)
class _Controller:
    """A block, its function, its instants in steps, and where in the record its samples lie."""

    block: BlockRecord
    number: int
    function: Function
    first: int
    every: int
    samples: Mapping[str, int]


class Controllers:
    """Those of a run. Raises ``ParameterError`` for a block without a function and a function without a block."""

    def __init__(self, record: ModelRecord, values: RunValues, stepper: Stepper, given: Factories) -> None:
        self.record, self.values, self.stepper = record, values, stepper
        check_given(record, given)
        parameters = list(values.parameters.values())
        self.acted = -1  # after so many steps they were last asked
        self.controllers = [
            self._made(number, block, given[block.name], parameters)
            for number, block in enumerate(record.blocks)
            if block.computed
        ]

    def _made(
        self, number: int, block: BlockRecord, factory: Callable[[], Function], parameters: Sequence[float]
    ) -> _Controller:
        relation = self.record.relations[block.relation]
        cls = self.record.relation_classes[relation.cls]
        count = cls.n_memory - len(block.holds)
        at = self.stepper.layout.memory[block.relation]
        own = {theirs: ours for theirs, ours, _ in relation.own_labels}
        samples = {own.get(name, name): at + k for k, name in enumerate(cls.memory_names[:count])}
        assert block.offset is not None and block.period is not None
        first, every = (round(parameters[k] / self.values.step) for k in (block.offset, block.period))
        return _Controller(block, number, self._function(block.name, factory), first, every, samples)

    def _function(self, block: str, factory: Callable[[], Function]) -> Function:
        """What a factory gives for a run; raises ``ParameterError`` where the function itself stands in its place."""
        function = factory() if _takes_nothing(factory) else None
        if not callable(function):
            raise ParameterError(
                "computed_by gives no function",
                model=self.record.name,
                where=f"block {block!r}",
                fix="it is called without arguments at the start of a run, and returns a function of (time, samples)",
            )
        return function

    def next(self, done: int) -> int:
        """The number of steps after which the next one acts, where ``done`` have been made."""
        return min(c.first + c.every * max(0, -(-(done + 1 - c.first) // c.every)) for c in self.controllers)

    def act(self, done: int) -> bool:
        """Those that are due after ``done`` steps compute and hold, once; False where none is."""
        if done == self.acted:  # the run ended within the step after these
            return False
        self.acted = done
        due = [c for c in self.controllers if done >= c.first and (done - c.first) % c.every == 0]
        row = self.stepper.current() if due else []
        now = self.values.start + done * self.values.step
        for c in due:
            held = self._computed(c, now, {name: row[place] for name, place in c.samples.items()})
            if not self.stepper.hold(c.number, held):
                raise failure_error(self.record, self.stepper.failed, now, done)
        return bool(due)

    def _computed(self, c: _Controller, now: float, samples: dict[str, float]) -> list[float]:
        found = c.function(now, samples)
        try:
            numbers = np.atleast_1d(np.asarray(found, dtype=float))
        except (TypeError, ValueError):
            numbers = np.array([])
        wanted = len(c.block.holds)
        if numbers.shape != (wanted,) or not np.isfinite(numbers).all():
            raise ParameterError(
                f"its function gave {found!r} at t = {now:.9g}",
                model=self.record.name,
                where=f"block {c.block.name!r}",
                fix=f"return {wanted} finite number{'s' if wanted > 1 else ''}, in the order of holds",
            )
        values: list[float] = numbers.tolist()
        return values


def _takes_nothing(factory: Callable[..., Any]) -> bool:
    """Whether it can be called without arguments, as far as it says."""
    try:
        inspect.signature(factory).bind()
    except TypeError:
        return False
    except ValueError:  # a builtin does not say
        pass
    return True


def check_given(record: ModelRecord, given: Factories) -> None:
    """Raise ``ParameterError`` unless there is a function for each block that is computed by one, and no other."""
    wanted = [b.name for b in record.blocks if b.computed]
    if missing := [name for name in wanted if name not in given]:
        raise ParameterError(
            "it is computed by a Python function, which a compiled model does not hold",
            model=record.name,
            where=f"block {missing[0]!r}",
            fix=f"run the model itself, or give run(computed={{{missing[0]!r}: factory}}); several "
            "members at once, packages and the command line have no such blocks",
        )
    if strange := [name for name in given if name not in wanted]:
        raise ParameterError(
            f"{strange[0]!r} is no block that a function computes",
            model=record.name,
            where="computed",
            fix=f"there is {', '.join(wanted) or 'none'}",
        )
