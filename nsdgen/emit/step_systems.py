"""A system in one stage of the function that makes a model's steps: its arrays, its calls, what it carries."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nsdgen.abi import KernelRole, Quantity, Role, level_of
from nsdgen.emit.carried import carry, without_differences
from nsdgen.emit.step_function import RUN, StageNames, StepCall, StepFunction, source_of, stored
from nsdgen.emit.table import wrapped
from nsdgen.emit.text import render
from nsdgen.emit.tree import expressions, flat, read_names

_DECLARED = 78  # characters: with its indent and type a line stays within text.WIDTH


def system_context(f: StepFunction, stage: StageNames, i: int) -> dict[str, Any]:
    """What the template needs of a system in a stage."""
    record = f.record.systems[i]
    cls, t = f.record.system_classes[record.cls], stage.suffix
    n, observed = cls.n_unknown[stage.number], len(cls.observed_names[stage.number])
    for key in ("unknown", "move"):
        f.array(f"{key}_{i}{t}", n)
    f.array(f"next_{i}", cls.n_state)
    linearize = f.kernel(record.cls, KernelRole.LINEARIZE, stage.number)
    assert linearize is not None
    matrix = next(out for out in linearize[0].outputs if out.quantity == Quantity.ITERATION_MATRIX)
    if observed:
        f.array(f"seen_{i}{t}", observed, "record", f.layout.system_observed[stage.number][i])
    frozen = f.kernel(record.cls, KernelRole.FREEZE_STEP, stage.number)
    frozen_level = RUN if frozen is None else level_of(frozen[0].outputs[0].depends)
    level = level_of(matrix.depends, frozen_level)
    once = {KernelRole.FREEZE_STEP: frozen_level == RUN, KernelRole.LINEARIZE: level == RUN}
    calls = {
        key: _call(f.of_run if once.get(role) else f, stage, i, key, role, once.get(role, False))
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
    if frozen is not None and frozen_level == RUN:
        f.keep(f"frozen_step_{i}{t}")
    place = {(row, col): k for k, (row, col, _) in enumerate(matrix.entries)}
    in_cycles = _columns_in_cycles(n, place) if f"resolved_{i}{t}" in f.arrays else []
    if in_cycles:
        f.array(f"exchanged_{i}{t}", n * n)
    return {
        "index": i,
        "cls": record.cls,
        "n": n,
        "n_state": cls.n_state,
        "name": f"{i}{t}",
        **calls,
        "special": {},
        "n_frozen": cls.n_frozen_iteration[stage.number],
        "frozen_level": frozen_level,
        "level": level,
        "affine": linearize[0].affine,
        "matrix": [(row * n + col, k) for k, (row, col, _) in enumerate(matrix.entries)],
        "dense": matrix.dense,
        "remember": [],
        "diagonal": [place.get((row, row)) for row in range(n)],
        "in_cycles": in_cycles,
        "record": stored(f.layout.system_observed[stage.number][i], f"seen_{i}{t}", observed) if observed else [],
    }


def _columns_in_cycles(n: int, place: Mapping[tuple[int, int], int]) -> list[dict[str, Any]]:
    """Of each unknown in a cycle of W: where its diagonal entry stands, and the others of its column in its cycles.

    Only there can equations have been exchanged (``nsd_resolve_exchanged``).
    """
    after = np.zeros((n, n), dtype=bool)
    for i, j in place:
        after[i, j] = i != j
    while not np.array_equal(after, longer := after | (after @ after)):
        after = longer
    columns = [(j, [k for (i, c), k in place.items() if c == j != i and after[j, i]]) for j in range(n)]
    return [{"own": place.get((j, j)), "others": others} for j, others in columns if others]


def _call(f: StepFunction, stage: StageNames, i: int, key: str, role: KernelRole, once: bool) -> StepCall | None:
    """The call of a kernel of a system; ``once``: of what it reads and writes, only that counts which is of the run."""
    cls = f.record.systems[i].cls
    found = f.kernel(cls, role, stage.number)
    if found is None:
        return None
    t = stage.suffix
    targets = {
        Quantity.UNKNOWN: f"unknown_{i}{t}",
        Quantity.RESIDUAL: f"move_{i}{t}",
        Quantity.STATE: f"next_{i}",
        Quantity.OBSERVED: f"seen_{i}{t}",
    }
    outputs = []
    for out in found[0].outputs:
        if out.quantity == Quantity.ITERATION_MATRIX:
            outputs.append(f.array(f"matrix_{i}{t}", len(out.entries)))
        elif once and out.quantity != Quantity.FROZEN_STEP:
            outputs.append(f.anything(len(out.entries)))
        elif out.quantity == Quantity.RESIDUAL_SCALE:
            f.array(f"resolved_{i}{t}", len(out.entries))
            outputs.append(f.array(f"scale_{i}{t}", len(out.entries)))
        elif out.quantity in (Quantity.FROZEN_STEP, Quantity.FROZEN_ITERATION):
            name = {KernelRole.FREEZE_STEP: "frozen_step", KernelRole.FREEZE_START: "frozen"}.get(role, "frozen_next")
            outputs.append(f.array(f"{name}_{i}{t}", len(out.entries)))
        else:
            outputs.append(targets[out.quantity])
    inputs = [source_of(f, stage, "system", i, a.role, len(a.symbols), [i], 0, once=once) for a in found[0].inputs]
    return f.call(f"{key}_system_{i}{t}", found[1], inputs, outputs)


def set_special(f: StepFunction, stage: StageNames, system: dict[str, Any]) -> None:
    """Let a system whose W stays as it is take the form of its residual at w_0, where there is one."""
    if special := _residual_at_start(f, stage, system["cls"]) if system["level"] == RUN else {}:
        carried = f.array(f"carried_{system['name']}", len(special["pairs"]))
        system["special"] = {
            **special,
            "call": StepCall(special["function"], f"residual_system_{system['name']}", (), carried),
        }


def _residual_at_start(f: StepFunction, stage: StageNames, cls: int) -> dict[str, Any]:
    """The residual of a class at w_0 with what the last step knows; empty where it is as it was.

    What starts as an entry of the state differs from it by nothing, and what was computed at t_k+1 of the last step
    is not computed again at t_k.
    """
    numbers = {k.role: n for n, k in enumerate(f.module.classes[cls].kernels) if k.stage == stage.number}
    kernel = f.module.classes[cls].kernels[numbers[KernelRole.RESIDUAL]]
    emitted = f.entries[cls, numbers[KernelRole.RESIDUAL]]
    start = f.module.classes[cls].kernels[numbers[KernelRole.START]]
    if emitted["long"]:
        return {}
    names: Mapping[Any, str] = emitted["names"]
    unknown = next((a.symbols for a in kernel.inputs if a.role == Role.UNKNOWN), ())
    same = [(names[unknown[i]], names[e]) for i, _, e in start.outputs[0].entries if unknown and e in names]
    body = without_differences(emitted["lowered"], same)
    times = [a.symbols for a in kernel.inputs if a.role == Role.TIME]
    changing = {names[s] for a in kernel.inputs if a.role in (Role.UNKNOWN, Role.STATE) for s in a.symbols}
    found = carry(body, names[times[0][0]], names[times[0][1]], frozenset(changing)) if times else None
    if found is None and body == emitted["lowered"]:
        return {}
    body, pairs = (body, ()) if found is None else (found.body, found.pairs)
    read = {name for s in flat(body.statements) for name in read_names(*expressions(s))}
    loads = [
        {"group": load["group"], "entries": kept}
        for load in emitted["loads"]
        if (kept := [loaded for loaded in load["entries"] if loaded[0] in read])
    ]
    return {
        "function": f"{emitted['function']}_at_start",
        "replaces": emitted["function"],
        "pairs": pairs,
        "title": emitted["title"],
        "loads": loads,
        "body": render(body, 1),
        "lowered": body,
        "operations": body.operations,
        "declarations": [f"cdef double {line}" for line in wrapped(body.temporaries, _DECLARED)],
    }
