"""A relation in one stage of the function that makes a model's steps: its arrays, its calls, its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from nsdgen.abi import Cone, Flag, KernelRole, Quantity, block_height, level_of
from nsdgen.derive.kernel import Output
from nsdgen.emit.step_function import RUN, StageNames, StepCall, StepFunction, entry, mode_owner, source_of, stored
from nsdgen.emit.tree import Expression, Name, Negation, Number, Place

_INFINITY = Name("INFINITY")
_FIXED: dict[Cone, Expression] = {Cone.EQUALITY: Negation(_INFINITY), Cone.COMPLEMENTARITY: Number(0.0)}
_BLOCKS = {
    Quantity.OUTPUT_X: "output_x",
    Quantity.OUTPUT_LAMBDA: "output_lambda",
    Quantity.REACTION_LAMBDA: "reaction_lambda",
    Quantity.REACTION_X: "coupling",
}


def _participants(
    f: StepFunction, stage: StageNames, i: int, m: int, level: int, frozen_level: Mapping[int, int]
) -> list[dict[str, Any]]:
    """The systems that a relation acts on, with the names of what it has for each of them."""
    t = stage.suffix
    participants: list[dict[str, Any]] = [
        {
            "number": k,
            "system": p,
            "n": f.record.system_classes[f.record.systems[p].cls].n_unknown[stage.number],
            "output_x": f"output_x_{i}_{k}{t}",
            "reaction": f"reaction_{i}_{k}{t}",
            "move": f"move_{p}{t}",
            "solved": f"solved_{i}_{k}{t}",
            "reaction_lambda": f"reaction_lambda_{i}_{k}{t}",
            "terms": f"reaction_terms_{i}_{k}{t}",
            "scale": f"scale_{p}{t}",
            "resolved": f"resolved_{p}{t}",
            "system_name": f"{p}{t}",
            "together": False,
        }
        for k, p in enumerate(f.record.relations[i].participants)
        if p in frozen_level
    ]
    where = f if level else f.of_run
    for p in participants:
        f.array(p["reaction"], p["n"])
        where.array(p["reaction_lambda"], m * p["n"])
        where.array(p["output_x"], m * p["n"])
        if level == RUN:
            f.keep(p["output_x"])
    return participants


def _relation_calls(
    f: StepFunction,
    stage: StageNames,
    i: int,
    once: bool,
    spread: list[tuple[str, int, str, int]],
    remember: list[tuple[Place, Place]],
) -> dict[str, StepCall | None]:
    """The calls of a relation's kernels, None where there is none; ``once``: derivatives are of the run."""
    record = f.record.relations[i]
    calls: dict[str, StepCall | None] = {}
    for key, role in (
        ("activation", KernelRole.ACTIVATION),
        ("evaluate", KernelRole.EVALUATE),
        ("linearize", KernelRole.LINEARIZE),
        ("observe", KernelRole.OBSERVE),
        ("bounds", KernelRole.BOUNDS),
    ):
        found = f.kernel(len(f.record.system_classes) + record.cls, role, stage.number)
        calls[key] = None
        if found is not None:
            where, early = (f.of_run, True) if once and role == KernelRole.LINEARIZE else (f, False)
            inputs = [
                source_of(
                    where, stage, "relation", i, a.role, len(a.symbols), record.participants, a.participant, once=early
                )
                for a in found[0].inputs
            ]
            outputs = [_target(where, stage, i, out, early, spread, remember) for out in found[0].outputs]
            calls[key] = where.call(f"{key}_relation_{i}{stage.suffix}", found[1], inputs, outputs)
    return calls


def relation_context(f: StepFunction, stage: StageNames, i: int, frozen_level: Mapping[int, int]) -> dict[str, Any]:
    """What the template needs of relation ``i`` in a stage; ``frozen_level``: how often what systems hold changes."""
    record, offset, t = f.record.relations[i], len(f.record.system_classes), stage.suffix
    cls = f.record.relation_classes[record.cls]
    m, observed = cls.n_multiplier[stage.number], cls.n_observed[stage.number]
    linearize = f.kernel(offset + record.cls, KernelRole.LINEARIZE, stage.number)
    evaluate = f.kernel(offset + record.cls, KernelRole.EVALUATE, stage.number)
    assert linearize is not None and evaluate is not None
    f.array(f"multiplier_{i}{t}", m, "record", f.layout.multiplier[stage.number][i])
    f.array(f"output_{i}{t}", m)
    observe = f.kernel(offset + record.cls, KernelRole.OBSERVE, stage.number)
    writes = observe is not None and any(out.quantity == Quantity.OBSERVED for out in observe[0].outputs)
    if writes:
        f.array(f"observed_{i}{t}", observed, "record", f.layout.observed[stage.number][i])
    derivatives = [out for out in linearize[0].outputs if out.quantity in _BLOCKS]
    depends = 0
    for out in derivatives:
        depends |= out.depends
    frozen = max([frozen_level[p] for p in record.participants if p in frozen_level], default=RUN)
    level = level_of(depends, frozen)
    bounds = f.kernel(offset + record.cls, KernelRole.BOUNDS, stage.number)
    bounds_once = bounds is None or level_of(bounds[0].outputs[0].depends) == RUN
    participants = _participants(f, stage, i, m, level, frozen_level)
    (f if level else f.of_run).array(f"output_lambda_{i}{t}", m * m)
    spread: list[tuple[str, int, str, int]] = []
    remember: list[tuple[Place, Place]] = []
    calls = _relation_calls(f, stage, i, level == RUN, spread, remember)
    couplings: list[dict[str, Any]] = [
        {"name": f"coupling_{i}_{out.participant}{t}", "system": record.participants[out.participant]}
        for out in derivatives
        if out.quantity == Quantity.REACTION_X
    ]
    if level == RUN:
        f.keep(*(c["name"] for c in couplings))
    cones = [int(cone) for cone, height in cls.cones[stage.number] for _ in range(height)]
    return {
        "index": i,
        "name": f"{i}{t}",
        "m": m,
        "participants": participants,
        "always": cls.always_active and m > 0,
        "owner": mode_owner(f, stage, i),
        "mode": f"mode_{i}_{mode_owner(f, stage, i)}",
        "cones": cones,
        "blocks": _cone_blocks(cls.cones[stage.number]),
        "spread": spread,
        "remember": remember,
        "vanishes": all(out.flags & Flag.VANISHES for out in evaluate[0].outputs if out.quantity == Quantity.REACTION),
        "affine": linearize[0].affine,
        "level": level,
        "couplings": couplings,
        "bounds_once": bounds_once,
        "bound_places": _bound_places(f"bounds_{i}{t}", cls.cones[stage.number]),
        "record": stored(f.layout.multiplier[stage.number][i], f"multiplier_{i}{t}", m)
        + (stored(f.layout.observed[stage.number][i], f"observed_{i}{t}", observed) if writes else []),
        **calls,
    }


def _bound_places(array: str, cones: Sequence[tuple[int, int]]) -> list[tuple[int, Expression]]:
    """Where the two bounds of each row come from: what never changes, and what the bounds kernel writes."""
    places: list[tuple[int, Expression]] = []
    written = 0
    for cone, row, _ in _cone_blocks(cones):
        if cone in _FIXED:
            places += [(2 * row, _FIXED[Cone(cone)]), (2 * row + 1, _INFINITY)]
            continue
        count = 1 if cone in (Cone.COULOMB_2D, Cone.COULOMB_3D) else 2
        places += [(2 * row + k, entry(array, written + k)) for k in range(count)]
        written += count
    return places


def _cone_blocks(cones: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """The blocks of rows of a relation that belong together: cone, first row, rows."""
    blocks, row = [], 0
    for cone, count in cones:
        height = block_height(cone, 1)
        blocks += [(int(cone), row + k, height) for k in range(0, count, height)]
        row += count
    return blocks


def _target(
    f: StepFunction,
    stage: StageNames,
    i: int,
    out: Output,
    once: bool,
    spread: list[tuple[str, int, str, int]],
    remember: list[tuple[Place, Place]],
) -> str:
    """The array that an output of a relation's kernel goes to; what is to be put elsewhere from there is noted."""
    t, count = stage.suffix, len(out.entries)
    if out.quantity == Quantity.MEMORY:
        next_ = f.array(f"memory_next_{i}{t}", count)
        pairs = [(entry(f"memory_{i}", row), entry(next_, k)) for k, (row, _, _) in enumerate(out.entries)]
        remember += [pair for pair in pairs if pair not in remember]
        return next_
    if once and out.quantity in (Quantity.OUTPUT, Quantity.OUTPUT_SCALE, Quantity.REACTION, Quantity.REACTION_SCALE):
        return f.anything(count)
    if out.quantity in _BLOCKS:
        name = _BLOCKS[out.quantity]
        whole = f"{name}_{i}{t}" if name == "output_lambda" else f"{name}_{i}_{out.participant}{t}"
        f.array(whole, out.rows * out.cols)
        if out.dense:
            return whole
        lines_of = [(whole, row * out.cols + col, f"{whole}_written", k) for k, (row, col, _) in enumerate(out.entries)]
        spread += [line for line in lines_of if line not in spread]
        return f.array(f"{whole}_written", count)
    name = {
        Quantity.MODE: f"mode_written_{i}{t}",
        Quantity.OUTPUT: f"output_{i}{t}",
        Quantity.OUTPUT_SCALE: f"terms_{i}{t}",
        Quantity.REACTION: f"reaction_{i}_{out.participant}{t}",
        Quantity.REACTION_SCALE: f"reaction_terms_{i}_{out.participant}{t}",
        Quantity.BOUNDS: f"bounds_{i}{t}",
        Quantity.OBSERVED: f"observed_{i}{t}",
    }[out.quantity]
    return f.array(name, count)
