"""What the function of a model's steps declares and calls, while it is put together stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from nsdgen.abi import KernelRole, Role
from nsdgen.derive.kernel import Kernel, KernelModule
from nsdgen.emit.tree import ArrayEntry, Expression, Integer, Name, Number
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout

RUN, STEP = 0, 1
"""How often a value changes: once for a run, or with each step (:func:`nsdgen.abi.level_of`)."""


@dataclass(frozen=True)
class ArrayOf:
    """An array that the function declares; its text is what Cython declares. Lanes may do without it."""

    name: str
    size: int
    kind: str = "double"
    values: tuple[int, ...] = ()
    in_lanes: bool = True

    def at(self, arrays: Sequence[ArrayOf]) -> int:
        """Where it begins, one array after the other."""
        return sum(a.size for a in arrays[: arrays.index(self)])

    def __str__(self) -> str:
        values = f" = [{', '.join(map(str, self.values))}]" if self.values else ""
        return f"{self.kind}[{self.size}] {self.name}{values}"


@dataclass(frozen=True)
class Recorded:
    """A column of the record of a step, and the value that goes there."""

    column: int
    value: Expression


@dataclass(frozen=True)
class StepCall:
    """A call of a kernel by the name of the arrays of its arrays, with the arrays that it writes; as Cython has it."""

    function: str
    name: str
    outputs: tuple[tuple[str, int], ...] = ()
    carried: str = ""

    def __str__(self) -> str:
        return f"{self.function}({self._arguments})"

    @property
    def _arguments(self) -> str:
        return f"{self.name}_in, {self.name}_out" + (f", {self.carried}" if self.carried else "")

    def lanes(self, mask: str) -> str:
        """The same in lanes: those of the mask are asked for, the others have what comes."""
        return f"{self.function}_lanes({mask}, {self._arguments})"


@dataclass
class StepFunction:
    """What the function declares, while it is put together."""

    module: KernelModule
    record: ModelRecord
    entries: Mapping[tuple[int, int], Mapping[str, Any]]
    layout: Layout
    stages: Sequence[int]
    arrays: dict[str, ArrayOf] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    loads: list[dict[str, Any]] = field(default_factory=list)
    zeroed: list[str] = field(default_factory=list)
    kept: list[ArrayOf] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    @cached_property
    def of_run(self) -> StepFunction:
        """The function that computes what changes with the run only.

        It stands apart from the steps, so that the address of what these read is given to nobody: compilers then know
        that it stays as it is.
        """
        return StepFunction(self.module, self.record, self.entries, self.layout, self.stages)

    def array(self, name: str, count: int, source: str = "", first: int = 0) -> str:
        """Declare an array of doubles, filled from ``source`` [first:] or with zeros; its name."""
        if name not in self.arrays:
            self.declare(name, max(count, 1))
            if source and count:
                self.loads.append({"to": name, "source": source, "first": first, "count": count})
            else:
                self.zeroed.append(name)
        return name

    def declare(
        self, name: str, size: int, kind: str = "double", values: Sequence[int] = (), *, in_lanes: bool = True
    ) -> None:
        """Declare an array that is filled where it is used."""
        self.arrays[name] = ArrayOf(name, size, kind, tuple(values), in_lanes)

    def anything(self, count: int) -> str:
        """An array whose values do not matter; its name."""
        name = "anything"
        self.array(name, count)
        self.declare(name, max(count, self.arrays[name].size))
        return name

    def keep(self, *names: str) -> None:
        """Let steps read what ``of_run`` left in arrays of these names."""
        for name in names:
            self.arrays[name] = self.of_run.arrays[name]
            if self.arrays[name] not in self.kept:
                self.kept.append(self.arrays[name])
            if name in self.zeroed:
                self.zeroed.remove(name)

    def kernel(self, cls: int, role: KernelRole, stage: int) -> tuple[Kernel, str] | None:
        """The kernel of a class with this role in a stage, and its function."""
        for number, k in enumerate(self.module.classes[cls].kernels):
            if k.role == role and k.stage == stage:
                return k, str(self.entries[cls, number]["function"])
        return None

    def call(self, name: str, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> StepCall:
        """Enter a call of a kernel."""
        self.calls.append({"name": name, "inputs": list(inputs), "outputs": list(outputs)})
        self.used.add(function)
        return StepCall(function, name, tuple((out, self.arrays[out].size) for out in outputs))


@dataclass(frozen=True)
class StageNames:
    """A stage and the end of the names that belong to it."""

    number: int
    place: int
    suffix: str


def entry(array: str, j: int) -> ArrayEntry:
    """An entry of an array."""
    return ArrayEntry(array, (Integer(j),))


def stored(at: int, array: str, count: int) -> list[Recorded]:
    """An array as columns of the record."""
    return [Recorded(at + j, entry(array, j)) for j in range(count)]


def counters(layout: Layout, deficiency: Expression) -> list[Recorded]:
    """The columns of a step as a whole: Newton's iterations, multipliers that are not determined, what was kept."""
    kept = [Recorded(layout.kept, Number(0.0))] if layout.kept is not None else []
    return [Recorded(layout.counters, Name("newton")), Recorded(layout.counters + 1, deficiency), *kept]


def of_the_run(record: ModelRecord, kind: str, i: int, role: Role) -> tuple[str, str] | None:
    """An array that a run does not change, and where it is loaded from: parameters, or h and the scheme's options."""
    if role == Role.PARAMETERS:
        return f"{kind}_parameters_{i}", f"{kind}[{i}]"
    if role != Role.RUN:
        return None
    classes: Sequence[Any] = record.system_classes if kind == "system" else record.relation_classes
    number = classes[(record.systems if kind == "system" else record.relations)[i].cls].scheme
    return f"options_{number}", f"run[{number}]"


def source_of(
    f: StepFunction,
    stage: StageNames,
    kind: str,
    i: int,
    role: Role,
    count: int,
    participants: Sequence[int],
    participant: int,
    *,
    once: bool = False,
) -> str:
    """The array that a kernel reads; ``once``: of what changes with steps any values will do."""
    t = stage.suffix
    if loaded := of_the_run(f.record, kind, i, role):
        return f.array(loaded[0], count, loaded[1])
    if once:
        frozen = f"frozen_step_{participants[participant]}{t}"
        return frozen if role == Role.FROZEN_STEP and frozen in f.arrays else f.anything(count)
    if role == Role.STATE:
        return f"state_{participants[participant]}"
    staged = {Role.UNKNOWN: "unknown", Role.FROZEN_STEP: "frozen_step", Role.FROZEN_ITERATION: "frozen"}.get(role)
    if staged:
        return f.array(f"{staged}_{participants[participant]}{t}", count)
    if role == Role.MODE:
        return f"&mode_{i}_{mode_owner(f, stage, i)}"
    return {Role.TIME: "clock", Role.MULTIPLIER: f"multiplier_{i}{t}", Role.MEMORY: f"memory_{i}"}[role]


def mode_owner(f: StepFunction, stage: StageNames, i: int) -> int:
    """The place of the stage whose mode a relation follows: the last one, up to this, that activates it."""
    cls = len(f.record.system_classes) + f.record.relations[i].cls
    owner = -1
    for place, number in enumerate(f.stages[: stage.place + 1]):
        has = f.kernel(cls, KernelRole.EVALUATE, number) is not None
        if has and (owner < 0 or f.kernel(cls, KernelRole.ACTIVATION, number) is not None):
            owner = place
    return owner
