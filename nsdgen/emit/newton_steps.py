"""Steps in one function where stages iterate, freeze, or are several: what the template needs.

Input: kernels and record of a model. Every stage is written as the general stepper runs it: frozen values, w_0, activation,
Newton's method with its test, advance, observation. What changes with the run only is computed where the function
begins, what changes with the step in the first iteration, all else in every iteration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from nsdgen.abi import Cone, Flag, KernelRole, Quantity, Role
from nsdgen.derive.kernel import Kernel, KernelModule, Output
from nsdgen.record import ModelRecord
from nsdgen.step_record import Layout

__all__ = ["newton_context"]

RUN, STEP, ITERATION = 0, 1, 2
"""How often a value changes."""

_ITERATION_ROLES = 1 << Role.UNKNOWN | 1 << Role.MULTIPLIER | 1 << Role.FROZEN_ITERATION
_STEP_ROLES = 1 << Role.STATE | 1 << Role.MEMORY | 1 << Role.TIME | 1 << Role.MODE
_VALUES = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)
_HEIGHTS = {Cone.COULOMB_2D: 2, Cone.COULOMB_3D: 3, Cone.ROLLING: 5}
_FIXED = {Cone.EQUALITY: "-INFINITY", Cone.COMPLEMENTARITY: "0.0"}
_BLOCKS = {Quantity.OUTPUT_X: "output_x", Quantity.OUTPUT_LAMBDA: "output_lambda",
           Quantity.REACTION_LAMBDA: "reaction_lambda", Quantity.REACTION_X: "coupling"}


@dataclass
class _Function:
    """What the function declares, while it is put together."""

    module: KernelModule
    record: ModelRecord
    entries: Mapping[tuple[int, int], Mapping[str, Any]]
    layout: Layout
    stages: Sequence[int]
    arrays: dict[str, str] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    loads: list[dict[str, Any]] = field(default_factory=list)
    zeroed: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def array(self, name: str, count: int, source: str = "", first: int = 0) -> str:
        """Declare an array of doubles, filled from ``source`` [first:] or with zeros; its name."""
        if name not in self.arrays:
            self.arrays[name] = f"double[{max(count, 1)}] {name}"
            if source and count:
                self.loads.append({"to": name, "source": source, "first": first, "count": count})
            else:
                self.zeroed.append(name)
        return name

    def kernel(self, cls: int, role: KernelRole, stage: int) -> tuple[Kernel, str] | None:
        """The kernel of a class with this role in a stage, and its function."""
        for number, k in enumerate(self.module.classes[cls].kernels):
            if k.role == role and k.stage == stage:
                return k, str(self.entries[cls, number]["function"])
        return None

    def call(self, name: str, function: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
        """Enter a call of a kernel; its text."""
        self.calls.append({"name": name, "inputs": list(inputs), "outputs": list(outputs)})
        self.used.add(function)
        return f"{function}({name}_in, {name}_out)"


@dataclass(frozen=True)
class _Stage:
    """A stage and the end of the names that belong to it."""

    number: int
    place: int
    suffix: str


def newton_context(module: KernelModule, record: ModelRecord, entries: Mapping[tuple[int, int], Mapping[str, Any]],
                   stages: Sequence[int]) -> dict[str, Any]:
    """What the template of these stages needs."""
    f = _Function(module, record, entries, Layout.of(record), stages)
    for i, s in enumerate(record.systems):
        f.array(f"state_{i}", record.system_classes[s.cls].n_state, "run.record", f.layout.state[i])
    for i, r in enumerate(record.relations):
        f.array(f"memory_{i}", record.relation_classes[r.cls].n_memory, "run.record", f.layout.memory[i])
    made = [_stage(f, _Stage(number, place, "" if len(stages) == 1 else f"_{place}"))
            for place, number in enumerate(stages)]
    lines = [line for i, s in enumerate(record.systems)
             for line in _stored(f.layout.state[i], f"state_{i}", record.system_classes[s.cls].n_state)]
    lines += [line for i, r in enumerate(record.relations)
              for line in _stored(f.layout.memory[i], f"memory_{i}", record.relation_classes[r.cls].n_memory)]
    lines += [line for stage in made for line in stage["record"]]
    lines += [f"row[{f.layout.counters}] = newton", f"row[{f.layout.counters + 1}] = deficiency"]
    lines += [f"row[{f.layout.kept}] = 0.0"] if f.layout.kept is not None else []
    written = {int(line[4:line.index("]")]) for line in lines}
    modes = sorted({(r["owner"], r["index"]) for stage in made for r in stage["relations"]})
    return {
        "newton": True, "stages": made, "boxed": any(s["boxed"] for s in made), "graph": any(s["graph"] for s in made),
        "rows": max([1, *(s["rows"] for s in made), *(y["n"] for s in made for y in s["systems"])]),
        "modes": [{"name": f"mode_{i}_{owner}", "at": f"run.stage[{owner}].mode[{i}]"} for owner, i in modes],
        "arrays": list(f.arrays.values()), "zeroed": f.zeroed, "loads": f.loads, "calls": f.calls, "used": f.used,
        "record": lines, "width": f.layout.width, "untouched": [c for c in range(f.layout.width) if c not in written],
        "title": f"{_many(len(record.systems), 'system')} and {_many(len(record.relations), 'relation')}",
    }


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _stored(at: int, array: str, count: int) -> list[str]:
    return [f"row[{at + j}] = {array}[{j}]" for j in range(count)]


def level_of(depends: int, frozen: int = STEP) -> int:
    """How often a value with these dependences changes; ``frozen`` is how often what a step freezes does."""
    if depends & _ITERATION_ROLES:
        return ITERATION
    return STEP if depends & _STEP_ROLES else frozen if depends >> Role.FROZEN_STEP & 1 else RUN


def _stage(f: _Function, stage: _Stage) -> dict[str, Any]:
    record, options = f.record, f.record.stages[stage.number]
    systems = [_system(f, stage, i) for i, s in enumerate(record.systems)
               if f.kernel(s.cls, KernelRole.LINEARIZE, stage.number) is not None]
    level = {s["index"]: s["frozen_level"] for s in systems}
    offset = len(record.system_classes)
    present = [i for i, r in enumerate(record.relations)
               if f.kernel(offset + r.cls, KernelRole.EVALUATE, stage.number) is not None]
    relations = [_relation(f, stage, i, level) for i in present]
    rows = _number_rows(relations)
    graph = any(cone >= Cone.COULOMB_2D for r in relations for cone in r["cones"])
    boxed = not graph and any(Cone.BOX in r["cones"] for r in relations)
    for r in relations:
        r["bound_places"] = r["bound_places"] if boxed or graph else []
    _set_levels(systems, relations)
    _set_meetings(relations, graph)
    solved = [r for r in relations if r["m"]]
    affine = all(s["affine"] for s in systems) and all(r["affine"] for r in relations)
    all_in_play = all(r["always"] for r in solved)
    t = stage.suffix
    for name, count in (("A", rows * rows), ("b", rows), ("z", rows), ("diagonal", rows),
                        *([("y", rows)] if boxed else []), *([("bound", 2 * rows)] if boxed or graph else [])):
        f.arrays |= {name + t: f"double[{count}] {name}{t}"} if rows else {}
    if rows > 1 or not all_in_play:
        cones = [int(c) for r in solved for c in r["cones"]]
        f.arrays[f"cone{t}"] = f"int[{rows}] cone{t} = [{', '.join(map(str, cones))}]"
    if rows and not all_in_play:
        f.arrays |= {name + t: f"int[{rows}] {name}{t}" for name in ("rows", "cone_play")}
        f.arrays[f"A_play{t}"] = f"double[{rows * rows}] A_play{t}"
    lines = [line for s in systems for line in s["record"]] + [line for r in relations for line in r["record"]]
    return {
        "number": stage.number, "place": stage.place, "t": t, "systems": systems, "relations": relations, "rows": rows,
        "solved": solved, "boxed": boxed, "graph": graph, "all_in_play": all_in_play, "affine": affine,
        "iterations": 1 if affine else options.fixed_iterations, "measure": options.measure,
        "constant": any(not min(s["level"], s["frozen_level"] if s["freeze_step"] else 1) for s in systems) or any(
            r["level"] == RUN or r["solved_level"] == RUN or (r["bounds"] and r["bounds_once"]) for r in solved),
        "idle": _idle(solved, options.without_relations), "record": lines,
        "a_level": max([r["solved_level"] for r in solved], default=RUN),
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
                        one["meets"].append({"row": row, "column": column, "n": p["n"], "output_x": theirs["output_x"],
                                             "solved": ours["solved"]})


def _system(f: _Function, stage: _Stage, i: int) -> dict[str, Any]:
    record = f.record.systems[i]
    cls, t = f.record.system_classes[record.cls], stage.suffix
    n, observed = cls.n_unknown[stage.number], len(cls.observed_names[stage.number])
    names = {key: f.array(f"{key}_{i}{t}", count) for key, count in (
        ("unknown", n), ("move", n), ("factors", n * n))}
    f.array(f"next_{i}", cls.n_state)
    f.arrays[f"pivot_{i}{t}"] = f"int[{n}] pivot_{i}{t}"
    linearize = f.kernel(record.cls, KernelRole.LINEARIZE, stage.number)
    assert linearize is not None
    matrix = next(out for out in linearize[0].outputs if out.quantity == Quantity.ITERATION_MATRIX)
    f.array(f"matrix_{i}{t}", len(matrix.entries))
    if observed:
        f.array(f"seen_{i}{t}", observed, "run.record", f.layout.system_observed[stage.number][i])
    calls = {key: _system_call(f, stage, i, key, role) for key, role in (
        ("freeze_step", KernelRole.FREEZE_STEP), ("freeze_start", KernelRole.FREEZE_START),
        ("freeze_iteration", KernelRole.FREEZE_ITERATION), ("start", KernelRole.START),
        ("residual", KernelRole.RESIDUAL), ("linearize", KernelRole.LINEARIZE), ("advance", KernelRole.ADVANCE),
        ("observe", KernelRole.OBSERVE))}
    frozen = f.kernel(record.cls, KernelRole.FREEZE_STEP, stage.number)
    frozen_level = RUN if frozen is None else level_of(frozen[0].outputs[0].depends)
    diagonal = {row: k for k, (row, col, _) in enumerate(matrix.entries) if row == col}
    return {
        "index": i, "n": n, "n_state": cls.n_state, "name": f"{i}{t}", **names, **calls,
        "n_frozen": cls.n_frozen_iteration[stage.number], "frozen_level": frozen_level,
        "level": level_of(matrix.depends, frozen_level), "affine": _affine(linearize[0]),
        "matrix": [(row * n + col, k) for k, (row, col, _) in enumerate(matrix.entries)], "dense": matrix.dense,
        "diagonal": [diagonal.get(row) for row in range(n)],
        "record": _stored(f.layout.system_observed[stage.number][i], f"seen_{i}{t}", observed) if observed else [],
    }


def _affine(linearize: Kernel) -> bool:
    return not any(out.depends >> Role.FROZEN_ITERATION & 1 or (
        out.quantity in _VALUES and not out.flags & Flag.AFFINE) for out in linearize.outputs)


def _system_call(f: _Function, stage: _Stage, i: int, key: str, role: KernelRole) -> str:
    cls = f.record.systems[i].cls
    found = f.kernel(cls, role, stage.number)
    if found is None:
        return ""
    t = stage.suffix
    targets = {Quantity.UNKNOWN: f"unknown_{i}{t}", Quantity.RESIDUAL: f"move_{i}{t}", Quantity.STATE: f"next_{i}",
               Quantity.ITERATION_MATRIX: f"matrix_{i}{t}", Quantity.OBSERVED: f"seen_{i}{t}"}
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
    inputs = [_source(f, stage, "system", i, a.role, len(a.symbols), [i], 0) for a in found[0].inputs]
    return f.call(f"{key}_system_{i}{t}", found[1], inputs, outputs)


def _source(f: _Function, stage: _Stage, kind: str, i: int, role: Role, count: int, participants: Sequence[int],
            participant: int) -> str:
    """The array that a kernel reads."""
    record, t = f.record, stage.suffix
    if role == Role.PARAMETERS:
        return f.array(f"{kind}_parameters_{i}", count, f"run.{kind}[{i}].parameters")
    if role == Role.RUN:
        classes: Sequence[Any] = record.system_classes if kind == "system" else record.relation_classes
        number = classes[(record.systems if kind == "system" else record.relations)[i].cls].scheme
        return f.array(f"options_{number}", count, f"run.run[{number}]")
    if role == Role.STATE:
        return f"state_{participants[participant]}"
    staged = {Role.UNKNOWN: "unknown", Role.FROZEN_STEP: "frozen_step", Role.FROZEN_ITERATION: "frozen"}.get(role)
    if staged:
        return f.array(f"{staged}_{participants[participant]}{t}", count)
    if role == Role.MODE:
        return f"&mode_{i}_{_owner(f, stage, i)}"
    return {Role.TIME: "clock", Role.MULTIPLIER: f"multiplier_{i}{t}", Role.MEMORY: f"memory_{i}"}[role]


def _owner(f: _Function, stage: _Stage, i: int) -> int:
    """The place of the stage whose mode a relation follows: the last one, up to this, that activates it."""
    cls = len(f.record.system_classes) + f.record.relations[i].cls
    owner = -1
    for place, number in enumerate(f.stages[:stage.place + 1]):
        has = f.kernel(cls, KernelRole.EVALUATE, number) is not None
        if has and (owner < 0 or f.kernel(cls, KernelRole.ACTIVATION, number) is not None):
            owner = place
    return owner


def _relation(f: _Function, stage: _Stage, i: int, frozen_level: Mapping[int, int]) -> dict[str, Any]:
    record, offset, t = f.record.relations[i], len(f.record.system_classes), stage.suffix
    cls = f.record.relation_classes[record.cls]
    m, observed = cls.n_multiplier[stage.number], cls.n_observed[stage.number]
    linearize = f.kernel(offset + record.cls, KernelRole.LINEARIZE, stage.number)
    evaluate = f.kernel(offset + record.cls, KernelRole.EVALUATE, stage.number)
    assert linearize is not None and evaluate is not None
    f.array(f"multiplier_{i}{t}", m, "run.record", f.layout.multiplier[stage.number][i])
    f.array(f"output_{i}{t}", m)
    observe = f.kernel(offset + record.cls, KernelRole.OBSERVE, stage.number)
    writes = observe is not None and any(out.quantity == Quantity.OBSERVED for out in observe[0].outputs)
    if writes:
        f.array(f"observed_{i}{t}", observed, "run.record", f.layout.observed[stage.number][i])
    participants = [{
        "number": k, "system": p, "n": f.record.system_classes[f.record.systems[p].cls].n_unknown[stage.number],
        "output_x": f"output_x_{i}_{k}{t}", "reaction": f"reaction_{i}_{k}{t}", "move": f"move_{p}{t}",
        "solved": f"solved_{i}_{k}{t}", "reaction_lambda": f"reaction_lambda_{i}_{k}{t}",
        "terms": f"reaction_terms_{i}_{k}{t}", "scale": f"scale_{p}{t}", "resolved": f"resolved_{p}{t}",
        "system_name": f"{p}{t}",
    } for k, p in enumerate(record.participants) if p in frozen_level]
    for p in participants:
        f.array(p["reaction"], p["n"])
        for name in ("output_x", "reaction_lambda", "solved"):
            f.array(p[name], m * p["n"])
    f.array(f"output_lambda_{i}{t}", m * m)
    spread: list[tuple[str, int, str, int]] = []
    remember: list[str] = []
    roles = (("activation", KernelRole.ACTIVATION), ("evaluate", KernelRole.EVALUATE),
             ("linearize", KernelRole.LINEARIZE), ("observe", KernelRole.OBSERVE), ("bounds", KernelRole.BOUNDS))
    calls = {}
    for key, role in roles:
        found = f.kernel(offset + record.cls, role, stage.number)
        calls[key] = "" if found is None else f.call(
            f"{key}_relation_{i}{t}", found[1],
            [_source(f, stage, "relation", i, a.role, len(a.symbols), record.participants, a.participant)
             for a in found[0].inputs],
            [_target(f, stage, i, out, spread, remember) for out in found[0].outputs])
    derivatives = [out for out in linearize[0].outputs if out.quantity in _BLOCKS]
    depends = 0
    for out in derivatives:
        depends |= out.depends
    frozen = max([frozen_level[p] for p in record.participants if p in frozen_level], default=RUN)
    cones = [int(cone) for cone, height in cls.cones[stage.number] for _ in range(height)]
    bounds = f.kernel(offset + record.cls, KernelRole.BOUNDS, stage.number)
    return {
        "index": i, "name": f"{i}{t}", "m": m, "participants": participants, "always": cls.always_active and m > 0,
        "owner": _owner(f, stage, i), "mode": f"mode_{i}_{_owner(f, stage, i)}", "cones": cones,
        "blocks": _cone_blocks(cls.cones[stage.number]), "spread": spread, "remember": remember,
        "vanishes": all(out.flags & Flag.VANISHES for out in evaluate[0].outputs
                        if out.quantity == Quantity.REACTION),
        "affine": _affine(linearize[0]), "level": level_of(depends, frozen),
        "couplings": [{"name": f"coupling_{i}_{out.participant}{t}", "system": record.participants[out.participant]}
                      for out in derivatives if out.quantity == Quantity.REACTION_X],
        "bounds_once": bounds is None or level_of(bounds[0].outputs[0].depends) == RUN,
        "bound_places": _bound_places(f"bounds_{i}{t}", cls.cones[stage.number]),
        "record": _stored(f.layout.multiplier[stage.number][i], f"multiplier_{i}{t}", m) + (
            _stored(f.layout.observed[stage.number][i], f"observed_{i}{t}", observed) if writes else []),
        **calls,
    }


def _bound_places(array: str, cones: Sequence[tuple[int, int]]) -> list[tuple[int, str]]:
    """Where the two bounds of each row come from: what never changes, and what the bounds kernel writes."""
    places: list[tuple[int, str]] = []
    written = 0
    for cone, row, _ in _cone_blocks(cones):
        if cone in _FIXED:
            places += [(2 * row, _FIXED[Cone(cone)]), (2 * row + 1, "INFINITY")]
            continue
        count = 1 if cone in (Cone.COULOMB_2D, Cone.COULOMB_3D) else 2
        places += [(2 * row + k, f"{array}[{written + k}]") for k in range(count)]
        written += count
    return places


def _cone_blocks(cones: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """The blocks of rows of a relation that belong together: cone, first row, rows."""
    blocks, row = [], 0
    for cone, count in cones:
        height = _HEIGHTS.get(Cone(cone), 1)
        blocks += [(int(cone), row + k, height) for k in range(0, count, height)]
        row += count
    return blocks


def _target(f: _Function, stage: _Stage, i: int, out: Output, spread: list[tuple[str, int, str, int]],
            remember: list[str]) -> str:
    """The array that an output of a relation's kernel goes to; what is to be put elsewhere from there is noted."""
    t, count = stage.suffix, len(out.entries)
    if out.quantity == Quantity.MEMORY:
        lines = [f"memory_{i}[{row}] = memory_next_{i}{t}[{k}]" for k, (row, _, _) in enumerate(out.entries)]
        remember += [line for line in lines if line not in remember]
        return f.array(f"memory_next_{i}{t}", count)
    if out.quantity in _BLOCKS:
        name = _BLOCKS[out.quantity]
        whole = f"{name}_{i}{t}" if name == "output_lambda" else f"{name}_{i}_{out.participant}{t}"
        f.array(whole, out.rows * out.cols)
        if out.dense:
            return whole
        lines_of = [(whole, row * out.cols + col, f"{whole}_written", k) for k, (row, col, _) in enumerate(out.entries)]
        spread += [line for line in lines_of if line not in spread]
        return f.array(f"{whole}_written", count)
    name = {Quantity.MODE: f"mode_written_{i}{t}", Quantity.OUTPUT: f"output_{i}{t}",
            Quantity.OUTPUT_SCALE: f"terms_{i}{t}", Quantity.REACTION: f"reaction_{i}_{out.participant}{t}",
            Quantity.REACTION_SCALE: f"reaction_terms_{i}_{out.participant}{t}", Quantity.BOUNDS: f"bounds_{i}{t}",
            Quantity.OBSERVED: f"observed_{i}{t}"}[out.quantity]
    return f.array(name, count)
