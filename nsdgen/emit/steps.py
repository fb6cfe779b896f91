"""The steps of a small model in one function: which models have one, and what its template needs.

Input: kernels and record of a model, and the names of its kernels' functions. The function does what the stepper
does, in the same order, so that it gives the same bits; a step in which anything unusual happens it leaves to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from nsdgen.abi import Cone, Flag, KernelRole, Quantity, Role
from nsdgen.derive.kernel import Kernel, KernelModule, Output
from nsdgen.emit.carried import carry, without_differences
from nsdgen.emit.fusible import (
    MOST_ROWS,
    MOST_UNKNOWNS,
    numbered_in_order,
    of_the_model,
    reason_against,
    systems_met,
)
from nsdgen.emit.newton_steps import newton_context
from nsdgen.emit.step_function import RUN, StageNames, StepFunction, counted, counters, level_of, source_of, stored
from nsdgen.emit.table import wrapped
from nsdgen.emit.text import render
from nsdgen.emit.tree import expressions, flat, read_names
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout

__all__ = ["steps_context"]

_PLAIN = (Cone.EQUALITY, Cone.COMPLEMENTARITY)
_BOUNDED = (*_PLAIN, Cone.BOX)
_VALUES = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)
_CHANGING = sum(
    1 << r
    for r in (
        Role.UNKNOWN,
        Role.MULTIPLIER,
        Role.STATE,
        Role.MEMORY,
        Role.FROZEN_STEP,
        Role.FROZEN_ITERATION,
        Role.TIME,
        Role.MODE,
    )
)


@dataclass
class _Plan(StepFunction):
    """What is known of one model while its function is put together."""

    @property
    def stage(self) -> int:
        """The one stage that makes the step."""
        return self.stages[0]

    def has(self, cls: int, role: KernelRole) -> tuple[Kernel, str] | None:
        """The kernel of a class with this role in the stage, and its function."""
        return self.kernel(cls, role, self.stage)


def steps_context(
    module: KernelModule, record: ModelRecord, entries: Mapping[tuple[int, int], Mapping[str, Any]]
) -> dict[str, Any] | None:
    """What the template of the function needs, None where the model is left to the general stepper.

    ``entries`` maps class and number of a kernel to what was emitted of it: function, names, statements. Which models
    have the function, and of which kind it is, ``nsdgen.emit.fusible`` and the first lines here say.
    """
    stages = record.stages_of_a_step
    plain = _plain_context(module, record, entries, stages[0]) if len(stages) == 1 else None
    if plain is not None or reason_against(module, record):
        return plain
    return newton_context(module, record, entries, stages)


def _plain_context(
    module: KernelModule, record: ModelRecord, entries: Mapping[tuple[int, int], Mapping[str, Any]], stage: int
) -> dict[str, Any] | None:
    """The same for one affine stage, whose derivatives change with the run only; None where it is not so plain."""
    plan = _Plan(module, record, entries, Layout.of(record), [stage])
    offset, options = len(record.system_classes), record.stages[stage]
    present = [i for i, r in enumerate(record.relations) if plan.has(offset + r.cls, KernelRole.EVALUATE)]
    if set(of_the_model(record)) or options.skipped or options.unique or options.activation_at != "step":
        return None
    if options.fixed_iterations is not None or options.without_relations != "run":
        return None
    if not all(_plain_system(plan, s.cls) for s in record.systems):
        return None
    if not all(_plain_relation(plan, record.relations[i].cls) for i in present):
        return None
    problems = _problems(plan, present)
    if problems is None or sum(p.rows for p in problems) > MOST_ROWS:
        return None
    return _context(plan, present, problems)


def _plain_system(plan: _Plan, cls: int) -> bool:
    """Whether a class is affine in the stage, with a W and frozen values that change with the run only."""
    found, record = plan.has(cls, KernelRole.LINEARIZE), plan.record.system_classes[cls]
    return (
        found is not None
        and record.n_unknown[plan.stage] in range(1, MOST_UNKNOWNS + 1)
        and _frozen_for_the_run(plan, cls)
        and not record.n_frozen_iteration[plan.stage]
        and all(_constant(out) for out in found[0].outputs)
    )


def _frozen_for_the_run(plan: _Plan, cls: int) -> bool:
    """Whether what a class freezes for a step is the same in all steps of a run."""
    found = plan.has(cls, KernelRole.FREEZE_STEP)
    return found is None or all(level_of(out.depends) == RUN for out in found[0].outputs)


def _plain_relation(plan: _Plan, cls: int) -> bool:
    """The same for a class of relations with equality and complementarity rows, whose reactions couple no unknowns."""
    offset, record = len(plan.record.system_classes), plan.record.relation_classes[cls]
    found = plan.has(offset + cls, KernelRole.LINEARIZE)
    return (
        found is not None
        and record.n_multiplier[plan.stage] > 0
        and not _reads_mode(plan, offset + cls)
        and all(cone in _BOUNDED for cone, _ in record.cones[plan.stage])
        and all(_constant(out) and out.quantity != Quantity.REACTION_X for out in found[0].outputs)
    )


@dataclass(frozen=True)
class _Problem:
    """Rows that are solved together: relations, the first row of each of them, and the first row of all in the step."""

    relations: tuple[int, ...]
    starts: tuple[int, ...]
    first: int
    rows: int
    boxed: bool
    matrix: str

    def place(self, relation: int) -> int:
        """The first row of a relation within the problem."""
        return self.starts[self.relations.index(relation)]


def _problems(plan: _Plan, present: Sequence[int]) -> list[_Problem] | None:
    """The one-step problems of a step: all rows together, with bounds those that share a system.

    None where these are not solved as few rows with bounds are: rows may be out of play, some share no bound, or the
    general stepper may number them otherwise.
    """
    record = plan.record
    classes = [record.relation_classes[r.cls] for r in record.relations]
    boxed = {i for i in present if any(cone == Cone.BOX for cone, _ in classes[i].cones[plan.stage])}
    islands = _islands(plan, present) if boxed else [list(present)]
    if boxed and not all(classes[i].always_active for i in present):
        return None
    problems: list[_Problem] = []
    first = 0
    for number, island in enumerate(islands):
        met = [systems_met(plan.module, record, i, plan.stage) for i in island]
        shared = set.intersection(*met) if met else set()
        if boxed and (
            not boxed.intersection(island)
            or (len(island) > 1 and not shared)
            or not numbered_in_order(plan.module, record, island, plan.stage)
        ):
            return None
        ends = list(accumulate(classes[i].n_multiplier[plan.stage] for i in island))
        problems.append(
            _Problem(
                tuple(island),
                (0, *ends[:-1]),
                first,
                ends[-1] if ends else 0,
                bool(boxed),
                "A" if len(islands) == 1 else f"A_{number}",
            )
        )
        first += problems[-1].rows
    return problems


def _islands(plan: _Plan, present: Sequence[int]) -> list[list[int]]:
    """Relations that meet, directly or through others, in order."""
    islands: list[tuple[set[int], list[int]]] = []
    for i in present:
        met = systems_met(plan.module, plan.record, i, plan.stage)
        joined = [island for island in islands if island[0] & met]
        islands = [island for island in islands if not island[0] & met]
        islands.append((met.union(*(s for s, _ in joined)), sorted([i, *(j for _, r in joined for j in r)])))
    return sorted(relations for _, relations in islands)


def _reads_mode(plan: _Plan, cls: int) -> bool:
    """Whether what a relation does in the step depends on the mode that its activation has just found."""
    return any(
        out.depends >> Role.MODE & 1
        for k in plan.module.classes[cls].kernels
        if k.stage == plan.stage and k.role != KernelRole.ACTIVATION
        for out in k.outputs
    )


def _constant(out: Output) -> bool:
    """Whether a value is affine, or a derivative changes with the run only."""
    return bool(out.flags & Flag.AFFINE) if out.quantity in _VALUES else not out.depends & _CHANGING


def _context(plan: _Plan, present: Sequence[int], problems: Sequence[_Problem]) -> dict[str, Any]:
    record, layout = plan.record, plan.layout
    problem_of = {i: p for p in problems for i in p.relations}
    rows, boxed = sum(p.rows for p in problems), any(p.boxed for p in problems)
    systems = [_system(plan, layout, i) for i in range(len(record.systems))]
    relations = [_relation(plan, layout, i, problem_of[i]) for i in present]
    links = [(r, p) for r in relations for p in r["participants"]]
    for r in relations:
        r["meets"] = [
            {
                "ours": p["number"],
                "other": q["index"],
                "theirs": other["number"],
                "n": other["n"],
                "other_at": q["at"],
                "other_m": q["m"],
            }
            for p in r["participants"]
            for q, other in links
            if other["system"] == p["system"] and q["A"] == r["A"]
        ]
    cones = [c for r in sorted(relations, key=lambda r: r["row"]) for c in r["cones"]]
    all_in_play = all(r["always"] for r in relations)
    sizes = [*((p.matrix, p.rows * p.rows) for p in problems), *((name, rows) for name in ("b", "z", "guess"))]
    for name, count in (*sizes, *([("y", rows), ("bound", 2 * rows)] if boxed else [])):
        if rows:
            plan.declare(name, count)
    if rows > 1 and not boxed:
        plan.declare("cone", rows, "int", cones)
    if rows > 1 and not all_in_play:
        for name in ("rows", "cone_play"):
            plan.declare(name, rows, "int")
        plan.declare("A_play", rows * rows)
    lines = [line for item in (*systems, *relations) for line in item["record"]]
    lines += counters(layout, "1.0", "0.0")
    written = {line.column for line in lines}
    return {
        "systems": systems,
        "relations": relations,
        "rows": rows,
        "cones": cones,
        "width": layout.width,
        "boxed": boxed,
        "newton": False,
        "graph": False,
        "problems": [p for p in problems if p.rows],
        "carries": any(s["special"] and s["special"]["pairs"] for s in systems),
        "all_in_play": all_in_play,
        "arrays": list(plan.arrays.values()),
        "calls": plan.calls,
        "loads": plan.loads,
        "record": lines,
        "untouched": [c for c in range(layout.width) if c not in written],
        "title": counted(len(systems), len(relations)),
        "specials": list({s["special"]["cls"]: s["special"] for s in systems if s["special"]}.values()),
        "used": plan.used,
    }


def _system(plan: _Plan, layout: Layout, i: int) -> dict[str, Any]:
    record = plan.record.systems[i]
    cls = plan.record.system_classes[record.cls]
    n, observed = cls.n_unknown[plan.stage], len(cls.observed_names[plan.stage])
    for name, count in (("unknown", n), ("move", n), ("next", cls.n_state)):
        plan.array(f"{name}_{i}", count)
    plan.array(f"factors_{i}", n * n, f"run.system[{i}].factors")
    plan.array(f"state_{i}", cls.n_state, "run.record", layout.state[i])
    called = {}
    for role, name, outputs in (
        (KernelRole.FREEZE_STEP, "freeze_step", [f"frozen_step_{i}"]),
        (KernelRole.START, "start", [f"unknown_{i}"]),
        (KernelRole.RESIDUAL, "residual", [f"move_{i}"]),
        (KernelRole.ADVANCE, "advance", [f"next_{i}"]),
        (KernelRole.OBSERVE, "observe", [f"seen_{i}"]),
    ):
        found = plan.has(record.cls, role)
        if found is None:
            called[name] = ""
            continue
        called[name] = found[1]
        at = f"observe_system_{i}" if name == "observe" else f"{name}_{i}"
        inputs = [_source(plan, "system", i, a.role, len(a.symbols), [i]) for a in found[0].inputs]
        plan.call(at, found[1], inputs, outputs)
    if called["observe"]:
        plan.array(f"seen_{i}", observed)
    if called["freeze_step"]:
        plan.array(f"frozen_step_{i}", cls.n_frozen_step[plan.stage])
    special = _residual_at_start(plan, record.cls)
    if special:
        plan.array(f"carried_{i}", len(special["pairs"]))
    lines = stored(layout.state[i], f"state_{i}", cls.n_state)
    lines += stored(layout.system_observed[plan.stage][i], f"seen_{i}", observed) if called["observe"] else []
    return {"index": i, "n": n, "n_state": cls.n_state, "record": lines, "special": special, **called}


def _residual_at_start(plan: _Plan, cls: int) -> dict[str, Any]:
    """The residual of a class at w_0 with what the last step knows; empty where it is as it was.

    What starts as an entry of the state differs from it by nothing, and what was computed at t_k+1 of the last step
    is not computed again at t_k.
    """
    numbers = {k.role: n for n, k in enumerate(plan.module.classes[cls].kernels) if k.stage == plan.stage}
    kernel = plan.module.classes[cls].kernels[numbers[KernelRole.RESIDUAL]]
    entry = plan.entries[cls, numbers[KernelRole.RESIDUAL]]
    start = plan.module.classes[cls].kernels[numbers[KernelRole.START]]
    if entry["long"]:
        return {}
    names: Mapping[Any, str] = entry["names"]
    unknown = next((a.symbols for a in kernel.inputs if a.role == Role.UNKNOWN), ())
    same = [(names[unknown[i]], names[e]) for i, _, e in start.outputs[0].entries if unknown and e in names]
    body = without_differences(entry["lowered"], same)
    times = [a.symbols for a in kernel.inputs if a.role == Role.TIME]
    changing = {names[s] for a in kernel.inputs if a.role in (Role.UNKNOWN, Role.STATE) for s in a.symbols}
    found = carry(body, names[times[0][0]], names[times[0][1]], frozenset(changing)) if times else None
    if found is None and body == entry["lowered"]:
        return {}
    body, pairs = (body, ()) if found is None else (found.body, found.pairs)
    read = {name for s in flat(body.statements) for name in read_names(*expressions(s))}
    loads = [
        {"group": load["group"], "entries": kept}
        for load in entry["loads"]
        if (kept := [loaded for loaded in load["entries"] if loaded[0] in read])
    ]
    return {
        "function": f"{entry['function']}_at_start",
        "cls": cls,
        "pairs": pairs,
        "title": entry["title"],
        "loads": loads,
        "body": render(body, 1),
        "lowered": body,
        "operations": body.operations,
        "declarations": [f"cdef double {line}" for line in wrapped(body.temporaries, 78)],
    }


def _relation(plan: _Plan, layout: Layout, i: int, problem: _Problem) -> dict[str, Any]:
    record, offset = plan.record.relations[i], len(plan.record.system_classes)
    cls = plan.record.relation_classes[record.cls]
    m, observed = cls.n_multiplier[plan.stage], cls.n_observed[plan.stage]
    participants = [
        {"number": k, "system": p, "n": plan.record.system_classes[plan.record.systems[p].cls].n_unknown[plan.stage]}
        for k, p in enumerate(record.participants)
    ]
    plan.array(f"multiplier_{i}", m, "run.record", layout.multiplier[plan.stage][i])
    plan.array(f"memory_{i}", cls.n_memory, "run.record", layout.memory[i])
    plan.array(f"output_{i}", m)
    for p in participants:
        at = f"run.relation[{i}].participant[{p['number']}]"
        plan.array(f"reaction_{i}_{p['number']}", p["n"])
        plan.array(f"output_x_{i}_{p['number']}", m * p["n"], f"{at}.output_x")
        plan.array(f"solved_{i}_{p['number']}", m * p["n"], f"{at}.solved")
    called: dict[str, str] = {}
    remember: list[str] = []
    for role, name in (
        (KernelRole.ACTIVATION, "activation"),
        (KernelRole.EVALUATE, "evaluate"),
        (KernelRole.OBSERVE, "observe"),
        (KernelRole.BOUNDS, "bounds"),
    ):
        found = plan.has(offset + record.cls, role)
        called[name] = found[1] if found else ""
        if found is None:
            continue
        kernel = found[0]
        outputs = [_target(plan, i, out, observed, remember) for out in kernel.outputs]
        plan.call(
            f"{name}_{i}",
            found[1],
            [
                _source(plan, "relation", i, a.role, len(a.symbols), record.participants, a.participant)
                for a in kernel.inputs
            ],
            outputs,
        )
    evaluate = plan.has(offset + record.cls, KernelRole.EVALUATE)
    assert evaluate is not None
    vanishes = all(out.flags & Flag.VANISHES for out in evaluate[0].outputs if out.quantity == Quantity.REACTION)
    writes = any(f"observed_{i}" in c["outputs"] for c in plan.calls)
    lines = stored(layout.memory[i], f"memory_{i}", cls.n_memory)
    lines += stored(layout.multiplier[plan.stage][i], f"multiplier_{i}", m)
    lines += stored(layout.observed[plan.stage][i], f"observed_{i}", observed) if writes else []
    cones = [int(cone) for cone, height in cls.cones[plan.stage] for _ in range(height)]
    row = problem.first + problem.place(i)
    return {
        "index": i,
        "row": row,
        "at": problem.place(i),
        "A": problem.matrix,
        "stride": problem.rows,
        "m": m,
        "participants": participants,
        "always": cls.always_active,
        "conditional": vanishes and not cls.always_active,
        "activation_name": f"activation_{i}",
        "cones": cones,
        "remember": remember,
        "record": lines,
        **_bounds(plan, i, row, cones if problem.boxed else []),
        **called,
    }


def _bounds(plan: _Plan, i: int, row: int, cones: Sequence[int]) -> dict[str, Any]:
    """The bounds of the rows of a relation: those that never change, those that its kernel writes, and whether it does
    so once for the run.
    """
    found = plan.has(len(plan.record.system_classes) + plan.record.relations[i].cls, KernelRole.BOUNDS)
    at = {j: 2 * k for k, j in enumerate(j for j, cone in enumerate(cones) if cone == Cone.BOX)}
    low = {Cone.EQUALITY: "-INFINITY", Cone.COMPLEMENTARITY: "0.0"}
    return {
        "bounds_once": found is not None and not found[0].outputs[0].depends & _CHANGING,
        "bounds_fixed": [
            line
            for j, cone in enumerate(cones)
            if cone in low
            for line in (f"bound[{2 * (row + j)}] = {low[Cone(cone)]}", f"bound[{2 * (row + j) + 1}] = INFINITY")
        ],
        "bounds_written": [
            f"bound[{2 * (row + j) + side}] = bounds_{i}[{place + side}]" for j, place in at.items() for side in (0, 1)
        ],
    }


def _target(plan: _Plan, i: int, out: Output, observed: int, remember: list[str]) -> str:
    """The array that an output of a relation's kernel goes to; what is to be remembered is noted."""
    if out.quantity == Quantity.MEMORY:
        remember += [f"memory_{i}[{row}] = memory_next_{i}[{k}]" for k, (row, _, _) in enumerate(out.entries)]
        return plan.array(f"memory_next_{i}", len(out.entries))
    if out.quantity == Quantity.MODE:
        return plan.array(f"mode_written_{i}", 1)
    if out.quantity == Quantity.REACTION:
        return f"reaction_{i}_{out.participant}"
    if out.quantity == Quantity.BOUNDS:
        return plan.array(f"bounds_{i}", len(out.entries))
    return f"output_{i}" if out.quantity == Quantity.OUTPUT else plan.array(f"observed_{i}", observed)


def _source(
    plan: _Plan, kind: str, i: int, role: Role, count: int, participants: Sequence[int], participant: int = 0
) -> str:
    """The array that a kernel reads."""
    if role == Role.MODE:
        return f"&mode_{i}"
    return source_of(plan, StageNames(plan.stage, 0, ""), kind, i, role, count, participants, participant)
