"""Whether a record fits itself and its kernels: checked once, before any size or index of it becomes a pointer.

A record may come from a package that was edited or a cache that was damaged; the kernels tell what is right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from nsdgen.abi import ClassKind, Cone, Flag, KernelRole, Quantity, Role, block_height, bound_count
from nsdgen.base.definiteness import DEFINITE, INERTIA
from nsdgen.errors import ModuleMismatch
from nsdgen.record.fused_record import graph_digest
from nsdgen.record.instances import ArgumentRecord
from nsdgen.record.model_record import ModelRecord, RelationClassRecord, StageRecord, SystemClassRecord

_WORDS = {
    "measure": ("all", "dynamics", "absolute"),
    "on_limit": ("raise", "keep"),
    "line_search": ("on_failure", "never"),
    "activation_at": ("step", "iteration"),
    "at": ("step", "start", "rate", "event"),
    "without_relations": ("run", "skip", "skip_constraints"),
}
_OF_SYSTEMS = (Role.UNKNOWN, Role.STATE, Role.FROZEN_STEP, Role.FROZEN_ITERATION)
_ON_SYSTEMS = (
    Quantity.REACTION,
    Quantity.REACTION_SCALE,
    Quantity.REACTION_X,
    Quantity.REACTION_LAMBDA,
    Quantity.OUTPUT_X,
)
_SCALE_OF = {
    Quantity.RESIDUAL: Quantity.RESIDUAL_SCALE,
    Quantity.OUTPUT: Quantity.OUTPUT_SCALE,
    Quantity.REACTION: Quantity.REACTION_SCALE,
}


def check_fit(record: ModelRecord, table: Any) -> None:
    """Raise ``ModuleMismatch``, naming the place, where a record contradicts itself or the kernels of ``table``."""
    for problem in _problems(record, _KernelsByRole(table)):
        raise ModuleMismatch(
            f"the record and the kernels do not fit together: {problem}",
            model=record.name,
            fix="compile the model again, and do not edit model.json",
        )


class _KernelsByRole:
    """The kernels of a table by class, role and stage."""

    def __init__(self, table: Any) -> None:
        self.graph = table.hash.partition("-")[2] if table.has_steps else None
        self.kinds = [cls.kind for cls in table.classes]
        self.operators = [k for cls in table.classes for k in cls.kernels if k.role == KernelRole.OPERATOR]
        self.of = {(k.cls, k.role, k.stage): k for cls in table.classes for k in cls.kernels}

    def written(self, cls: int, role: KernelRole, stage: int, quantity: Quantity | None = None) -> int:
        """How many values a kernel writes (of a quantity), 0 where there is no such kernel."""
        found = self.of.get((cls, int(role), stage))
        return sum(out.nnz for out in (found.outputs if found else ()) if quantity is None or out.quantity == quantity)

    def tested(self) -> set[int]:
        """The stages in which Newton's method has a test: those that are not affine."""
        return {
            k.stage
            for k in self.of.values()
            if k.role == KernelRole.LINEARIZE
            and any(
                out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in _SCALE_OF and not out.flags & Flag.AFFINE)
                for out in k.outputs
            )
        }

    def participants(self, cls: int) -> int:
        """How many systems a relation of this class has at least."""
        own = [k for k in self.of.values() if k.cls == cls]
        seen = [a.participant for k in own for a in k.inputs if a.role in _OF_SYSTEMS]
        seen += [out.participant for k in own for out in k.outputs if out.quantity in _ON_SYSTEMS]
        return 1 + max(seen, default=-1)


def _problems(record: ModelRecord, kernels: _KernelsByRole) -> Iterator[str]:
    classes = [ClassKind.SYSTEM] * len(record.system_classes) + [ClassKind.RELATION] * len(record.relation_classes)
    if kernels.kinds not in (classes, [*classes, ClassKind.MODEL]):
        yield f"it has {len(classes)} classes, the kernels others"
    if not record.identifier.isidentifier():
        yield f"{record.identifier!r} is no identifier"
    if not (record.stages and record.systems and record.schemes):
        yield "it lacks stages, systems or schemes"
    numbers = [
        record.step,
        record.start,
        record.end,
        *(p.value for p in record.parameters),
        *(o.value for s in record.schemes for o in s.options),
    ]
    if not all(map(math.isfinite, numbers)):
        yield "a default is not finite"
    for what, names in (
        ("parameters", [p.name for p in record.parameters]),
        ("instances", [s.name for s in record.systems] + [r.name for r in record.relations]),
    ):
        if twice := [n for n, count in Counter(names).items() if count > 1]:
            yield f"two {what} are called {twice[0]!r}"
    if record.n_derived != kernels.written(len(classes), KernelRole.ARGUMENTS, -1):
        yield f"it has {record.n_derived} derived arguments"
    for number, stage in enumerate(record.stages):
        yield from _of_stage(record, stage, number, kernels.written(len(classes), KernelRole.SKIP, number))
    yield from _of_repeats(record)
    for number, system_class in enumerate(record.system_classes):
        yield from _of_class(record, system_class, number, kernels)
        yield from _of_system_class(system_class, number, kernels)
        yield from _of_requirements(system_class, number, kernels)
        yield from _of_algebraic(system_class, number, kernels)
    for number, relation_class in enumerate(record.relation_classes):
        yield from _of_class(record, relation_class, len(record.system_classes) + number, kernels)
        yield from _of_relation_class(relation_class, len(record.system_classes) + number, kernels)
    yield from _of_scales(kernels)
    yield from _of_instances(record, kernels)
    yield from _of_outputs(record, kernels)
    yield from _of_events(record)
    yield from _of_blocks(record)
    if kernels.graph is not None and kernels.graph != graph_digest(record):
        yield "its systems, relations and stages are not those that the function of the steps was written for"


def _of_stage(record: ModelRecord, stage: StageRecord, number: int, skips: int) -> Iterator[str]:
    where = f"stage {number}"
    if not stage.schemes or any(not 0 <= s < len(record.schemes) for s in stage.schemes):
        yield f"{where} has the schemes {stage.schemes}"
    if (
        not 0 < stage.tolerance < math.inf
        or stage.max_iterations < 1
        or (stage.fixed_iterations is not None and stage.fixed_iterations < 1)
    ):
        yield f"{where} has Newton options that cannot be used"
    for name, words in _WORDS.items():
        if getattr(stage, name) not in words:
            yield f"{where} has {name}={getattr(stage, name)!r}"
    if stage.skipped != (skips == 1):
        yield f"{where} has skipped={stage.skipped}"


def _of_events(record: ModelRecord) -> Iterator[str]:
    """Stages of steps and of events do not go together; what ends a run is a quantity that is cut."""
    at = [stage.at for stage in record.stages if stage.block is None]
    if at.count("rate") > 1 or ("rate" in at and {"step", "start"} & set(at)) or ("event" in at and "rate" not in at):
        yield f"its stages run at {', '.join(at)}"
    owners = [(record.system_classes, s.cls) for s in record.systems] + [
        (record.relation_classes, r.cls) for r in record.relations
    ]
    count = sum(len(classes[cls].cuts) for classes, cls in owners if 0 <= cls < len(classes))
    looked_at = [*record.stops, *(k for block in record.blocks for k in block.conditions)]
    if any(not 0 <= k < count for k in looked_at):
        yield f"it looks at {looked_at} of {count} quantities"


def _of_blocks(record: ModelRecord) -> Iterator[str]:
    count, held = len(record.parameters), [k for b in record.blocks for k in b.holds]
    if any(
        not 0 <= cls < len(record.system_classes) + len(record.relation_classes) or slot < 0
        for cls, slot, _ in record.passing
    ):
        yield "passing arguments of no class"
    for b in record.blocks:
        relation = record.relations[b.relation] if 0 <= b.relation < len(record.relations) else None
        memory = (
            record.relation_classes[relation.cls].n_memory
            if relation and 0 <= relation.cls < len(record.relation_classes)
            else -1
        )
        sizes = [
            len(record.systems),
            *(
                record.system_classes[record.systems[i].cls].n_state
                if 0 <= i < len(record.systems) and 0 <= record.systems[i].cls < len(record.system_classes)
                else 0
                for i, _ in b.resets
            ),
        ]
        if any(not 0 <= i < sizes[0] or not 0 <= k < n for (i, k), n in zip(b.resets, sizes[1:], strict=True)):
            yield f"block {b.name!r} resets {b.resets}"
        kept = len(b.holds) + len(b.resets) + b.guarded + b.flags + len(b.reads)
        if not all(_has_multiplier(record, i, row) for i, row in b.reads):
            yield f"block {b.name!r} reads {b.reads}"
        clock = [k for k in (b.period, b.offset) if k is not None]
        if (
            kept > memory
            or len(clock) == 1
            or b.flags not in (0, len(b.conditions))
            or not all(0 <= k < count for k in (*clock, *b.holds))
        ):
            yield f"block {b.name!r} holds {len(b.holds)} values of relation {b.relation}"
    if len(set(held)) < len(held):
        yield "two blocks hold one parameter"
    if record.step_parameter is not None and not 0 <= record.step_parameter < count:
        yield f"its step is parameter {record.step_parameter}"
    for number, stage in enumerate(record.stages):
        if stage.block is not None and (
            not 0 <= stage.block < len(record.blocks)
            or stage.at != "step"
            or any(g.first <= number < g.end for g in record.repeats)
        ):
            yield f"stage {number} belongs to block {stage.block}"


def _of_outputs(record: ModelRecord, kernels: _KernelsByRole) -> Iterator[str]:
    """What is observed of instants fits its kernel and reads what stands before it."""
    for o in record.outputs:
        if not 0 <= o.relation < len(record.relations):
            yield f"it observes relation {o.relation}"
            continue
        relation = record.relations[o.relation]
        cls = len(record.system_classes) + relation.cls
        kernel = kernels.of.get((cls, int(KernelRole.OBSERVE), -1))
        read = sum(a.size for a in kernel.inputs if a.role == Role.MULTIPLIER) if kernel else -1
        written = kernels.written(cls, KernelRole.OBSERVE, -1)
        if read != len(o.reads) or not 0 < len(o.labels) == written or not all(column >= 0 for column in o.reads):
            yield f"relation {relation.name!r} observes {len(o.labels)} values of {len(o.reads)} columns"


def _has_multiplier(record: ModelRecord, relation: int, row: int) -> bool:
    if not 0 <= relation < len(record.relations):
        return False
    cls = record.relations[relation].cls
    if not 0 <= cls < len(record.relation_classes):
        return False
    return 0 <= row < next((n for n in record.relation_classes[cls].n_multiplier if n), 0)


def _of_repeats(record: ModelRecord) -> Iterator[str]:
    last = 0
    for g in record.repeats:
        if not last <= g.first < g.end <= len(record.stages):
            yield f"it repeats stages {g.first} to {g.end} of {len(record.stages)}"
        if any(stage.at != "step" for stage in record.stages[g.first : g.end]):
            yield f"it repeats stages {g.first} to {g.end}, not all of the step"
        if (
            g.maximum < 1
            or g.minimum not in (0, 1)
            or g.on_limit not in _WORDS["on_limit"]
            or (g.tolerance is not None and not 0 < g.tolerance < math.inf)
        ):
            yield f"the options of the repetition of stages {g.first} to {g.end} cannot be used"
        last = g.end


def _of_class(
    record: ModelRecord, cls: SystemClassRecord | RelationClassRecord, number: int, kernels: _KernelsByRole
) -> Iterator[str]:
    """What classes of systems and of relations have in common."""
    if not 0 <= cls.scheme < len(record.schemes):
        yield f"class {cls.name!r} has the scheme {cls.scheme}"
    staged = [(name, value) for name, value in vars(cls).items() if name in _PER_STAGE]
    for name, value in staged:
        if len(value) != len(record.stages):
            yield f"{name} of class {cls.name!r} has {len(value)} entries for {len(record.stages)} stages"
    if list(map(len, cls.observed_names)) != list(map(len, cls.observed_units)):
        yield f"class {cls.name!r} has other numbers of observed names and units"
    if kernels.written(number, KernelRole.CUT, -1) != len(cls.cuts) or any(
        d not in (-2, -1, 0, 1) for _, d in cls.cuts
    ):
        yield f"class {cls.name!r} has the cuts {cls.cuts}"


_PER_STAGE = (
    "unknown",
    "n_frozen_step",
    "n_frozen_iteration",
    "observed_names",
    "observed_units",
    "n_multiplier",
    "n_observed",
    "cones",
    "held",
    "multiplier_names",
    "multiplier_units",
)


def _of_system_class(cls: SystemClassRecord, number: int, kernels: _KernelsByRole) -> Iterator[str]:
    where = f"class {cls.name!r}"
    if not cls.n_state == len(cls.state_names) == len(cls.state_units):
        yield f"{where} has {cls.n_state} states, {len(cls.state_names)} names, {len(cls.state_units)} units"
    for stage, unknowns in enumerate(cls.n_unknown):
        if unknowns != kernels.written(number, KernelRole.LINEARIZE, stage, Quantity.RESIDUAL):
            yield f"{where} has {unknowns} unknowns in stage {stage}"
        for name, role in (("n_frozen_step", KernelRole.FREEZE_STEP), ("n_frozen_iteration", KernelRole.FREEZE_START)):
            if (size := getattr(cls, name)[stage]) != kernels.written(number, role, stage):
                yield f"{where} has {name} {size} in stage {stage}"
        if len(cls.observed_names[stage]) != kernels.written(number, KernelRole.OBSERVE, stage):
            yield f"{where} has {len(cls.observed_names[stage])} observed values in stage {stage}"


def _of_requirements(cls: SystemClassRecord, number: int, kernels: _KernelsByRole) -> Iterator[str]:
    operators = {k.name: k for k in kernels.operators if k.cls == number}
    for r in cls.requirements:
        kernel = operators.get(r.operator)
        sizes = [a.size for a in kernel.inputs if a.role == Role.OPERAND] if kernel else []
        total = _size_of_initial(number, cls, kernels)
        if (
            kernel is None
            or r.kind not in (DEFINITE, INERTIA)
            or len(sizes) != len(r.operands)
            or any(
                not (at == -1 and size == 1) and not 0 <= at <= total - size
                for at, size in zip(r.operands, sizes, strict=True)
            )
        ):
            yield f"class {cls.name!r} requires {r.operator!r} to be {r.kind!r}"
        elif not 0 <= r.first < r.end <= min(kernel.outputs[0].rows, kernel.outputs[0].cols) or (
            r.kind == INERTIA and r.end - r.first != 3
        ):
            yield f"class {cls.name!r} requires something of the rows {r.first} to {r.end} of {r.operator!r}"


_OF_ALGEBRAIC = ("mass", "rhs_x")


def _of_algebraic(cls: SystemClassRecord, number: int, kernels: _KernelsByRole) -> Iterator[str]:
    """What is said of equations without a derivative is said of a mass [n, n] of time and state alone."""
    if not cls.algebraic and cls.mass_rank is None:
        return
    n, own = cls.n_state, {k.name: k for k in kernels.operators if k.cls == number}
    read = [
        {(a.name.rstrip("_"), a.size) for a in own[name].inputs if a.role == Role.OPERAND}
        for name in _OF_ALGEBRAIC
        if name in own
    ]
    shapes = [(own[name].outputs[0].rows, own[name].outputs[0].cols) for name in _OF_ALGEBRAIC if name in own]
    if (
        "mass" not in own
        or _size_of_initial(number, cls, kernels) != n
        or any(s != (n, n) for s in shapes)
        or any(not operands <= {("t", 1), ("x", n)} for operands in read)
    ):
        yield f"class {cls.name!r} has equations without a derivative, and no mass of time and state"
    if not 0 <= (cls.mass_rank or 0) <= n or any(
        not group or not all(0 <= i < n for i in group) for group in cls.algebraic
    ):
        yield f"class {cls.name!r} has the rank {cls.mass_rank} and the equations {cls.algebraic} for {n} states"


def _of_scales(kernels: _KernelsByRole) -> Iterator[str]:
    """Where iterations are tested, each row of R, y and of the reactions comes with its scale."""
    tested = kernels.tested()
    for kernel in kernels.of.values():
        if kernel.role in (KernelRole.RESIDUAL, KernelRole.EVALUATE) and kernel.stage in tested:
            rows: Counter[tuple[int, int]] = Counter()
            for out in kernel.outputs:
                scale = _SCALE_OF.get(out.quantity)
                rows[scale or out.quantity, out.participant] += out.nnz if scale else -out.nnz
            if any(rows.values()):
                yield f"the kernel {kernel.name!r} of stage {kernel.stage} does not give the scales of its rows"


def _of_relation_class(cls: RelationClassRecord, number: int, kernels: _KernelsByRole) -> Iterator[str]:
    where = f"class {cls.name!r}"
    if not cls.n_memory == len(cls.memory_names) == len(cls.memory_units):
        yield f"{where} has {cls.n_memory} memories, {len(cls.memory_names)} names, {len(cls.memory_units)} units"
    if not 0 <= cls.zero_rows <= cls.n_memory or not (cls.gap is None or 0 <= cls.gap < cls.n_memory):
        yield f"{where} has the gap {cls.gap} and {cls.zero_rows} rows that vanish among {cls.n_memory} memories"
    looked_on = sum(highest != 0 for _, highest in cls.places)
    if not all(0 <= i < cls.n_memory for i, _ in cls.places) or 2 * looked_on > len(cls.cuts):
        yield f"{where} has {looked_on} places among {cls.n_memory} memories and {len(cls.cuts)} cuts"
    for (owner, role, stage), kernel in kernels.of.items():
        if owner == number and role in (KernelRole.OBSERVE, KernelRole.INITIAL_MEMORY):
            for out in kernel.outputs:
                if out.quantity == Quantity.MEMORY and out.rows * out.cols != cls.n_memory:
                    yield f"{where} has {cls.n_memory} memories, stage {stage} remembers {out.rows * out.cols}"
    for stage, multipliers in enumerate(cls.n_multiplier):
        if multipliers != kernels.written(number, KernelRole.LINEARIZE, stage, Quantity.OUTPUT):
            yield f"{where} has {multipliers} multipliers in stage {stage}"
        yield from (f"{where}, stage {stage}: {problem}" for problem in _of_cones(cls.cones[stage], multipliers))
        if sum(bound_count(*block) for block in cls.cones[stage]) != kernels.written(number, KernelRole.BOUNDS, stage):
            yield f"{where} has other bounds in stage {stage}"
        if not multipliers == len(cls.multiplier_names[stage]) == len(cls.multiplier_units[stage]):
            yield f"{where} has other numbers of multipliers, names and units in stage {stage}"
        observed = kernels.written(number, KernelRole.OBSERVE, stage) - kernels.written(
            number, KernelRole.OBSERVE, stage, Quantity.MEMORY
        )
        if not cls.n_observed[stage] == len(cls.observed_names[stage]) == observed:
            yield f"{where} has {cls.n_observed[stage]} outputs in stage {stage}, its kernel {observed}"


def _of_cones(cones: Sequence[tuple[int, int]], multipliers: int) -> Iterator[str]:
    for cone, rows in cones:
        if cone not in list(Cone) or rows < 1 or rows != block_height(cone, rows):
            yield f"there is no cone {cone} of {rows} rows"
    if sum(rows for _, rows in cones) != multipliers:
        yield f"cones of {sum(rows for _, rows in cones)} rows for {multipliers} multipliers"


def _of_instances(record: ModelRecord, kernels: _KernelsByRole) -> Iterator[str]:
    for s in record.systems:
        if not 0 <= s.cls < len(record.system_classes):
            yield f"system {s.name!r} is of class {s.cls}"
        cls = record.system_classes[s.cls]
        yield from _of_arguments(record, s.name, s.arguments, len(cls.parameters))
        if len(s.initial) != len(s.initial_names) or not all(map(math.isfinite, s.initial)):
            yield f"system {s.name!r} has {len(s.initial)} initial values for {len(s.initial_names)} names"
        if len(s.initial) != _size_of_initial(s.cls, cls, kernels):
            yield f"system {s.name!r} has {len(s.initial)} initial values"
        if any(not group or not all(0 <= i < len(s.initial) for i in group) for group in cls.unit_norm):
            yield f"class {cls.name!r} has vectors of norm 1 at {cls.unit_norm}"
    taken = [kernels.participants(len(record.system_classes) + c) for c in range(len(record.relation_classes))]
    for r in record.relations:
        if not 0 <= r.cls < len(record.relation_classes):
            yield f"relation {r.name!r} is of class {r.cls}"
        yield from _of_arguments(record, r.name, r.arguments, len(record.relation_classes[r.cls].parameters))
        if (
            len(r.participants) < taken[r.cls]
            or len(set(r.participants)) < len(r.participants)
            or any(not 0 <= p < len(record.systems) for p in r.participants)
        ):
            yield f"relation {r.name!r} has the participants {r.participants}"
        if not all(math.isfinite(value) for _, value in r.initial):
            yield f"relation {r.name!r} has an initial multiplier that is not finite"


def _size_of_initial(number: int, cls: SystemClassRecord, kernels: _KernelsByRole) -> int:
    """How many initial values a system takes: what its kernel of the initial state reads, else its states."""
    found = kernels.of.get((number, int(KernelRole.INITIAL), -1))
    sizes = [a.size for a in (found.inputs if found else ()) if a.role == Role.INITIAL]
    return sizes[0] if sizes else cls.n_state


def _of_arguments(record: ModelRecord, name: str, arguments: Sequence[ArgumentRecord], count: int) -> Iterator[str]:
    if len(arguments) != count:
        yield f"{name!r} has {len(arguments)} arguments, its class {count}"
    sizes = {"parameter": len(record.parameters), "derived": record.n_derived, "value": 1}
    for a in arguments:
        if not 0 <= a.index < sizes.get(a.source, 0) or not math.isfinite(a.value):
            yield f"the argument {a.name!r} of {name!r} is {a.source} {a.index}"
