"""Steps in one function where stages iterate, freeze, or are several: what the template needs.

Input: kernels and record of a model. Every stage is written as the general stepper runs it: frozen values, w_0,
activation, Newton's method with its test, advance, observation. What changes with the run only is computed where the
function begins, what changes with the step in the first iteration, all else in every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from nsdgen.abi import Cone, KernelRole, Quantity
from nsdgen.derive.kernel import KernelModule
from nsdgen.emit.step_function import (
    RUN,
    STEP,
    StageNames,
    StepFunction,
    counted,
    counters,
    is_affine,
    level_of,
    source_of,
    stored,
)
from nsdgen.emit.step_relations import relation_context
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout

__all__ = ["newton_context"]


def newton_context(
    module: KernelModule,
    record: ModelRecord,
    entries: Mapping[tuple[int, int], Mapping[str, Any]],
    stages: Sequence[int],
) -> dict[str, Any]:
    """What the template of these stages needs."""
    f = StepFunction(module, record, entries, Layout.of(record), stages)
    for i, s in enumerate(record.systems):
        f.array(f"state_{i}", record.system_classes[s.cls].n_state, "run.record", f.layout.state[i])
    for i, r in enumerate(record.relations):
        f.array(f"memory_{i}", record.relation_classes[r.cls].n_memory, "run.record", f.layout.memory[i])
    made = [
        _stage(f, StageNames(number, place, "" if len(stages) == 1 else f"_{place}"))
        for place, number in enumerate(stages)
    ]
    lines = [
        line
        for i, s in enumerate(record.systems)
        for line in stored(f.layout.state[i], f"state_{i}", record.system_classes[s.cls].n_state)
    ]
    lines += [
        line
        for i, r in enumerate(record.relations)
        for line in stored(f.layout.memory[i], f"memory_{i}", record.relation_classes[r.cls].n_memory)
    ]
    lines += [line for stage in made for line in stage["record"]]
    lines += counters(f.layout, "newton", "deficiency")
    written = {line.column for line in lines}
    modes = sorted({(r["owner"], r["index"]) for stage in made for r in stage["relations"]})
    return {
        "newton": True,
        "stages": made,
        "boxed": any(s["boxed"] for s in made),
        "graph": any(s["graph"] for s in made),
        "rows": max([1, *(s["rows"] for s in made), *(y["n"] for s in made for y in s["systems"])]),
        "modes": [{"name": f"mode_{i}_{owner}", "at": f"run.stage[{owner}].mode[{i}]"} for owner, i in modes],
        "arrays": list(f.arrays.values()),
        "zeroed": f.zeroed,
        "loads": f.loads,
        "calls": f.calls,
        "used": f.used,
        "record": lines,
        "width": f.layout.width,
        "untouched": [c for c in range(f.layout.width) if c not in written],
        "title": counted(len(record.systems), len(record.relations)),
    }


def _stage(f: StepFunction, stage: StageNames) -> dict[str, Any]:
    record, options = f.record, f.record.stages[stage.number]
    systems = [
        _system(f, stage, i)
        for i, s in enumerate(record.systems)
        if f.kernel(s.cls, KernelRole.LINEARIZE, stage.number) is not None
    ]
    level = {s["index"]: s["frozen_level"] for s in systems}
    offset = len(record.system_classes)
    present = [
        i
        for i, r in enumerate(record.relations)
        if f.kernel(offset + r.cls, KernelRole.EVALUATE, stage.number) is not None
    ]
    relations = [relation_context(f, stage, i, level) for i in present]
    rows = _number_rows(relations)
    graph = any(cone >= Cone.COULOMB_2D for r in relations for cone in r["cones"])
    boxed = not graph and any(Cone.BOX in r["cones"] for r in relations)
    for r in relations:
        r["bound_places"] = r["bound_places"] if boxed or graph else []
    _set_levels(systems, relations)
    _set_meetings(relations, graph or boxed)
    solved = [r for r in relations if r["m"]]
    for r in solved if boxed and len(solved) > 1 else ():
        r["neighbours"] = _neighbours(r, solved)
    affine = all(s["affine"] for s in systems) and all(r["affine"] for r in relations)
    all_in_play = all(r["always"] for r in solved)
    t = stage.suffix
    for name, count in (
        ("A", rows * rows),
        ("b", rows),
        ("z", rows),
        *([("y", rows)] if boxed else []),
        *([("bound", 2 * rows)] if boxed or graph else []),
    ):
        if rows:
            f.declare(name + t, count)
    if rows > 1 or not all_in_play:
        f.declare(f"cone{t}", rows, "int", [cone for r in solved for cone in r["cones"]])
    if rows and not all_in_play:
        for name in ("rows", "cone_play"):
            f.declare(name + t, rows, "int")
        f.declare(f"A_play{t}", rows * rows)
    lines = [line for s in systems for line in s["record"]] + [line for r in relations for line in r["record"]]
    return {
        "number": stage.number,
        "place": stage.place,
        "t": t,
        "systems": systems,
        "relations": relations,
        "rows": rows,
        "solved": solved,
        "boxed": boxed,
        "graph": graph,
        "all_in_play": all_in_play,
        "affine": affine,
        "iterations": 1 if affine else options.fixed_iterations,
        "measure": options.measure,
        "constant": any(not min(s["level"], s["frozen_level"] if s["freeze_step"] else 1) for s in systems)
        or any(r["level"] == RUN or r["solved_level"] == RUN or (r["bounds"] and r["bounds_once"]) for r in solved),
        "idle": _idle(solved, options.without_relations),
        "record": lines,
        "a_level": max([r["solved_level"] for r in solved], default=RUN),
        "cones": [cone for r in solved for cone in r["cones"]],
        "title": "" if len(f.stages) == 1 else f"stage {stage.place + 1} of {len(f.stages)}",
    }


def _idle(relations: Sequence[Mapping[str, Any]], without: str) -> str:
    """The condition under which a stage has nothing to do; "True" or "" where that is known."""
    if without == "run":
        return ""
    waited = [r for r in relations if without == "skip" or not r["always"]]
    if any(r["always"] for r in waited):
        return ""
    return " and ".join(f"not play_{r['name']}" for r in waited) or "True"


def _number_rows(relations: Sequence[dict[str, Any]]) -> int:
    starts = [0, *accumulate(r["m"] for r in relations)]
    for r, row in zip(relations, starts, strict=False):
        r["row"] = row
    return starts[-1]


def _set_levels(systems: Sequence[dict[str, Any]], relations: Sequence[dict[str, Any]]) -> None:
    """How often W is factored, and W^-1 rho_lambda computed."""
    factor = {}
    for s in systems:
        couplings = [(r, c) for r in relations for c in r["couplings"] if c["system"] == s["index"]]
        s["couplings"] = [{"relation": r, **c} for r, c in couplings]
        s["factor_level"] = max([s["level"], *(max(r["level"], STEP) for r, _ in couplings)])
        factor[s["index"]] = s["factor_level"]
    for r in relations:
        r["solved_level"] = max([r["level"], *(factor[p["system"]] for p in r["participants"])])


def _set_meetings(relations: Sequence[dict[str, Any]], graph: bool) -> None:
    """The products that make up A. Relations that share several systems add them in the order of the columns' relation,
    over the graph of the rows' one."""
    for one in relations:
        one["meets"] = []
    for one in relations:
        for p in one["participants"]:
            for other in relations:
                for q in other["participants"]:
                    if q["system"] == p["system"] and one["m"] and other["m"]:
                        column, ours, row, theirs = (other, q, one, p) if graph else (one, p, other, q)
                        one["meets"].append(
                            {
                                "row": row,
                                "column": column,
                                "n": p["n"],
                                "output_x": theirs["output_x"],
                                "solved": ours["solved"],
                            }
                        )


def _neighbours(one: Mapping[str, Any], relations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The relations whose multipliers a relation's rows hold, in the order of the general stepper's graph."""
    met = [one["name"]]
    for p in one["participants"]:
        met += [
            other["name"]
            for other in relations
            if other["name"] not in met and any(q["system"] == p["system"] for q in other["participants"])
        ]
    by_name = {r["name"]: r for r in relations}
    return [by_name[name] for name in met]


def _system(f: StepFunction, stage: StageNames, i: int) -> dict[str, Any]:
    record = f.record.systems[i]
    cls, t = f.record.system_classes[record.cls], stage.suffix
    n, observed = cls.n_unknown[stage.number], len(cls.observed_names[stage.number])
    names = {key: f.array(f"{key}_{i}{t}", count) for key, count in (("unknown", n), ("move", n), ("factors", n * n))}
    f.array(f"next_{i}", cls.n_state)
    f.declare(f"pivot_{i}{t}", n, "int")
    linearize = f.kernel(record.cls, KernelRole.LINEARIZE, stage.number)
    assert linearize is not None
    matrix = next(out for out in linearize[0].outputs if out.quantity == Quantity.ITERATION_MATRIX)
    f.array(f"matrix_{i}{t}", len(matrix.entries))
    if observed:
        f.array(f"seen_{i}{t}", observed, "run.record", f.layout.system_observed[stage.number][i])
    calls = {
        key: _system_call(f, stage, i, key, role)
        for key, role in (
            ("freeze_step", KernelRole.FREEZE_STEP),
            ("freeze_start", KernelRole.FREEZE_START),
            ("freeze_iteration", KernelRole.FREEZE_ITERATION),
            ("start", KernelRole.START),
            ("residual", KernelRole.RESIDUAL),
            ("linearize", KernelRole.LINEARIZE),
            ("advance", KernelRole.ADVANCE),
            ("observe", KernelRole.OBSERVE),
        )
    }
    frozen = f.kernel(record.cls, KernelRole.FREEZE_STEP, stage.number)
    frozen_level = RUN if frozen is None else level_of(frozen[0].outputs[0].depends)
    diagonal = {row: k for k, (row, col, _) in enumerate(matrix.entries) if row == col}
    return {
        "index": i,
        "n": n,
        "n_state": cls.n_state,
        "name": f"{i}{t}",
        **names,
        **calls,
        "n_frozen": cls.n_frozen_iteration[stage.number],
        "frozen_level": frozen_level,
        "level": level_of(matrix.depends, frozen_level),
        "affine": is_affine(linearize[0]),
        "matrix": [(row * n + col, k) for k, (row, col, _) in enumerate(matrix.entries)],
        "dense": matrix.dense,
        "remember": [],
        "diagonal": [diagonal.get(row) for row in range(n)],
        "record": stored(f.layout.system_observed[stage.number][i], f"seen_{i}{t}", observed) if observed else [],
    }


def _system_call(f: StepFunction, stage: StageNames, i: int, key: str, role: KernelRole) -> str:
    cls = f.record.systems[i].cls
    found = f.kernel(cls, role, stage.number)
    if found is None:
        return ""
    t = stage.suffix
    targets = {
        Quantity.UNKNOWN: f"unknown_{i}{t}",
        Quantity.RESIDUAL: f"move_{i}{t}",
        Quantity.STATE: f"next_{i}",
        Quantity.ITERATION_MATRIX: f"matrix_{i}{t}",
        Quantity.OBSERVED: f"seen_{i}{t}",
    }
    outputs = []
    for out in found[0].outputs:
        if out.quantity == Quantity.RESIDUAL_SCALE:
            f.array(f"resolved_{i}{t}", len(out.entries))
            outputs.append(f.array(f"scale_{i}{t}", len(out.entries)))
        elif out.quantity in (Quantity.FROZEN_STEP, Quantity.FROZEN_ITERATION):
            name = {KernelRole.FREEZE_STEP: "frozen_step", KernelRole.FREEZE_START: "frozen"}.get(role, "frozen_next")
            outputs.append(f.array(f"{name}_{i}{t}", len(out.entries)))
        else:
            outputs.append(targets[out.quantity])
    inputs = [source_of(f, stage, "system", i, a.role, len(a.symbols), [i], 0) for a in found[0].inputs]
    return f.call(f"{key}_system_{i}{t}", found[1], inputs, outputs)
