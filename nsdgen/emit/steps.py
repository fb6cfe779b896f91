"""The steps of a small model in one function: what its template needs.

Input: kernels and record of a model, and the names of its kernels' functions. The function does what the stepper
does, in the same order, so that it gives the same bits; a step in which anything unusual happens it leaves to it.
Every stage is written as the general stepper runs it: frozen values, w_0, activation, Newton's method with its test,
advance, observation. What changes with the run only is computed where the function begins, what changes with the step
in the first iteration, all else in every iteration; an affine stage has one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.abi import Cone, KernelRole
from nsdgen.base.counted import counted
from nsdgen.derive.kernel import KernelModule
from nsdgen.emit.fusible import problems_of, reason_against
from nsdgen.emit.step_function import RUN, STEP, StageNames, StepFunction, counters, stored
from nsdgen.emit.step_relations import relation_context
from nsdgen.emit.step_systems import set_special, system_context
from nsdgen.emit.text import CYTHON
from nsdgen.emit.tree import Name, Number
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout


@dataclass(frozen=True)
class StepProblem:
    """Rows of a stage that are solved together: its matrix, how many they are, and the first of them in the stage."""

    matrix: str
    rows: int
    first: int
    suffix: str
    end: str

    def at(self, array: str, width: int = 1) -> str:
        """Where the entries of its rows begin in an array of the stage, so many for each row."""
        return f"{array}{self.suffix}" + (f" + {width * self.first}" if self.first else "")


def steps_context(
    module: KernelModule, record: ModelRecord, entries: Mapping[tuple[int, int], Mapping[str, Any]]
) -> dict[str, Any] | None:
    """What the template of the function needs, None where the model is left to the general stepper.

    ``entries`` maps class and number of a kernel to what was emitted of it: function, names, statements. Which models
    have the function ``nsdgen.emit.fusible`` says.
    """
    if reason_against(module, record):
        return None
    stages = record.stages_of_a_step
    f = StepFunction(module, record, entries, Layout.of(record), stages)
    for i, s in enumerate(record.systems):
        f.array(f"state_{i}", record.system_classes[s.cls].n_state, "record", f.layout.state[i])
    for i, r in enumerate(record.relations):
        f.array(f"memory_{i}", record.relation_classes[r.cls].n_memory, "record", f.layout.memory[i])
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
    graph = any(s["graph"] for s in made)
    lines += counters(f.layout, Name("deficiency") if graph else Number(0.0))
    written = {line.column for line in lines}
    modes = sorted({(r["owner"], r["index"]) for stage in made for r in stage["relations"]})
    return {
        "stages": made,
        "boxed": any(s["boxed"] for s in made),
        "graph": graph,
        "newton": any(not s["affine"] for s in made),
        "rows": max([1, *(s["rows"] for s in made), *(y["n"] for s in made for y in s["systems"])]),
        "modes": [{"name": f"mode_{i}_{owner}", "at": f"stage[{owner}].mode[{i}]"} for owner, i in modes],
        "steps": f,
        "of_run": f.of_run,
        "kept": f.kept,
        "used": f.used | f.of_run.used,
        "carries": any(s["special"].get("pairs") for st in made for s in st["systems"]),
        "specials": list({s["cls"]: s["special"] for st in made for s in st["systems"] if s["special"]}.values()),
        "text": CYTHON.text,
        "record": lines,
        "remembered": [
            (f"memory_{i}", n) for i, r in enumerate(record.relations) if (n := record.relation_classes[r.cls].n_memory)
        ],
        "width": f.layout.width,
        "untouched": [c for c in range(f.layout.width) if c not in written],
        "title": f"{counted(len(record.systems), 'system')} and {counted(len(record.relations), 'relation')}",
    }


def _stage(f: StepFunction, stage: StageNames) -> dict[str, Any]:
    record, options = f.record, f.record.stages[stage.number]
    systems = [
        system_context(f, stage, i)
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
    problems = _number_rows(f, stage, relations)
    rows = sum(p.rows for p in problems)
    graph = any(cone >= Cone.COULOMB_2D for r in relations for cone in r["cones"])
    boxed = not graph and any(Cone.BOX in r["cones"] for r in relations)
    for r in relations:
        r["bound_places"] = r["bound_places"] if boxed or graph else []
    _set_levels(f, systems, relations)
    _set_meetings(relations, graph or boxed)
    solved = [r for r in relations if r["m"]]
    for r in solved if boxed and len(solved) > 1 else ():
        r["neighbours"] = _neighbours(r, solved)
    affine = all(s["affine"] for s in systems) and all(r["affine"] for r in relations)
    iterations = 1 if affine else options.fixed_iterations
    all_in_play = all(r["always"] for r in solved)
    t = stage.suffix
    picked = rows > 1 and not all_in_play
    waited = _waited(solved, options.without_relations)
    if len(f.stages) == 1 and affine and waited is None:  # R is evaluated once in every step
        for system in systems:
            set_special(f, stage, system)
    a_level = _declare_matrices(f, systems, solved, problems, tested=not iterations)
    _declare_rows(f, t, solved, boxed=boxed, bounded=boxed or graph, picked=picked)
    lines = [line for s in systems for line in s["record"]] + [line for r in relations for line in r["record"]]
    _set_columns(f, systems, solved)
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
        "problems": problems,
        "remembers": (rows > 1 or boxed) and not graph,
        "picked": picked,
        "affine": affine,
        "iterations": iterations,
        "limit": iterations or f"run.stage[{stage.place}].max_iterations",
        "measure": options.measure,
        "waits": waited,
        "sleeps": waited == [],
        "record": lines,
        "a_level": a_level,
        "cones": [cone for r in solved for cone in r["cones"]],
        "title": "" if len(f.stages) == 1 else f"stage {stage.place + 1} of {len(f.stages)}",
    }


def _declare_matrices(
    f: StepFunction,
    systems: Sequence[dict[str, Any]],
    solved: Sequence[dict[str, Any]],
    problems: Sequence[StepProblem],
    tested: bool,
) -> int:
    """The matrices of the one-step problems, and what is kept of a run for them; how often they are computed."""
    level = max([r["solved_level"] for r in solved], default=RUN)
    if level:
        f.keep(*(f"output_lambda_{r['name']}" for r in solved if r["level"] == RUN))
    for s in systems:  # Newton's test asks for the diagonal of W
        if s["level"] == RUN and (tested or s["factor_level"] > RUN):
            f.keep(f"matrix_{s['name']}")
    for p in problems:
        (f if level else f.of_run).declare(p.matrix, p.rows * p.rows)
        if level == RUN:
            f.keep(p.matrix)
    return level


def _declare_rows(
    f: StepFunction, t: str, solved: Sequence[dict[str, Any]], *, boxed: bool, bounded: bool, picked: bool
) -> None:
    """The arrays with an entry, or some, for each row of a stage."""
    cones = [cone for r in solved for cone in r["cones"]]
    rows = len(cones)
    for name in ("b", "z") if rows else ():
        f.declare(name + t, rows)
    if boxed:
        f.declare(f"y{t}", rows, in_lanes=False)
    if bounded:
        f.declare(f"bound{t}", 2 * rows)
    if rows > 1:
        f.declare(f"cone{t}", rows, "int", cones, in_lanes=False)
    if picked:
        for name in ("rows", "cone_play"):
            f.declare(name + t, rows, "int", in_lanes=False)
        f.declare(f"A_play{t}", rows * rows, in_lanes=False)


def _waited(relations: Sequence[dict[str, Any]], without: str) -> list[dict[str, Any]] | None:
    """The relations without which a stage has nothing to do while none of them is in play; None where it always has."""
    if without == "run":
        return None
    waited = [r for r in relations if without == "skip" or not r["always"]]
    return None if any(r["always"] for r in waited) else waited


def _number_rows(f: StepFunction, stage: StageNames, relations: Sequence[dict[str, Any]]) -> list[StepProblem]:
    """The one-step problems of a stage, and the rows of each relation: in the stage, and in its problem."""
    found: list[StepProblem] = []
    solved = {r["index"]: r for r in relations if r["m"]}
    parts = problems_of(f.module, f.record, list(solved), stage.number) if solved else []
    first, t = 0, stage.suffix
    for number, part in enumerate(parts):
        rows = sum(solved[i]["m"] for i in part)
        end = t if len(parts) == 1 else f"{t}_{number}"
        found.append(StepProblem(f"A{end}", rows, first, t, end))
        for i in part:
            solved[i] |= {"row": first, "at": first - found[-1].first, "stride": rows, "matrix": f"A{end}"}
            first += solved[i]["m"]
    return found


def _set_levels(f: StepFunction, systems: Sequence[dict[str, Any]], relations: Sequence[dict[str, Any]]) -> None:
    """How often W is factored, and W^-1 rho_lambda computed; and the arrays of both."""
    factor = {}
    for s in systems:
        couplings = [(r, c) for r in relations for c in r["couplings"] if c["system"] == s["index"]]
        s["couplings"] = [{"relation": r, **c} for r, c in couplings]
        s["factor_level"] = max([s["level"], *(max(r["level"], STEP) for r, _ in couplings)])
        factor[s["index"]] = s["factor_level"]
        where = f if s["factor_level"] else f.of_run
        where.array(f"factors_{s['name']}", s["n"] ** 2)
        where.declare(f"pivot_{s['name']}", s["n"], "int")
        if s["factor_level"] == RUN:
            f.keep(f"factors_{s['name']}", f"pivot_{s['name']}")
    for r in relations:
        r["solved_level"] = max([r["level"], *(factor[p["system"]] for p in r["participants"])])
        for p in r["participants"]:
            (f if r["solved_level"] else f.of_run).array(p["solved"], r["m"] * p["n"])
            if r["solved_level"] == RUN:
                f.keep(p["solved"])
            elif r["level"] == RUN:
                f.keep(p["reaction_lambda"])


def _set_columns(f: StepFunction, systems: Sequence[dict[str, Any]], solved: Sequence[dict[str, Any]]) -> None:
    """Of a system with reactions of several relations that always act: the array in which they are solved together."""
    for s in systems:
        pairs = [(r, p) for r in solved for p in r["participants"] if p["system_name"] == s["name"] and p["n"] > 1]
        together = len({r["index"] for r, _ in pairs}) > 1 and all(r["always"] for r, _ in pairs)
        s["columns"] = []
        if together and len({r["solved_level"] for r, _ in pairs}) == 1 and pairs[0][0]["solved_level"] > 0:
            s["columns"] = [(p, k, r["m"]) for r, p in pairs for k in range(r["m"])]
            s["columns_level"] = pairs[0][0]["solved_level"]
            f.declare(f"columns_{s['name']}", s["n"] * len(s["columns"]), in_lanes=False)
            for _, p in pairs:
                p["together"] = True


def _set_meetings(relations: Sequence[dict[str, Any]], graph: bool) -> None:
    """The products that make up A. Relations that share several systems add them in the order of the columns' relation,
    over the graph of the rows' one."""
    for one in relations:
        one["meets"] = []
    for one in relations:
        for p in one["participants"]:
            for other in relations:
                for q in other["participants"]:
                    if q["system"] == p["system"] and one["m"] and other["m"] and one["matrix"] == other["matrix"]:
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
