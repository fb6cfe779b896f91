"""``nsdgen inspect``: what a model, a package or a trajectory file holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nsdgen.cli.report import stages, table, timings
from nsdgen.cli.target import check_target, open_target, parse_target
from nsdgen.errors import ModelError
from nsdgen.record.model_record import ModelRecord, ParameterRecord
from nsdgen.record.overview import instances, iterations, kernel_names, schemes

if TYPE_CHECKING:
    from nsdgen.cli.target import Opened, Target


def execute(options: argparse.Namespace) -> int:
    """Print it; a model file is derived and compiled if it is not remembered."""
    target = parse_target(options.model)
    check_target(target, "inspect")
    if target.is_trajectory:
        print(_trajectory(target.path))
    else:
        print(_model(open_target(target, native=options.native, rederive=options.rederive)))
        if options.analysis:
            print("\n".join(["", "analysis", *(f"  {line}" for line in _analysis(target))]))
    return 0


def _analysis(target: Target) -> list[str]:
    """What the analysis of a model file says; raises ``ModelError`` for what holds no expressions."""
    from nsdgen.cli.load import load_model

    if target.path.suffix != ".py":
        raise ModelError(
            f"{str(target.path)!r} holds no expressions",
            where="--analysis",
            fix="give the model file: nsdgen inspect MODEL.py --analysis",
        )
    return load_model(target.path, target.name)[0].analysis.lines()


def _model(opened: Opened) -> str:
    record = opened.compiled.record
    path = opened.shared_object
    place = [("kernels", "interpreted" if path is None else str(path)), ("hash", record.kernel_hash)]
    if path is not None and opened.origin != "package":
        place.insert(1, ("key", path.parent.name))
    if opened.seconds:
        place.append(("stages", timings(opened)))
    parts = [
        ("", [f"{record.name}: {stages(opened).partition(':')[0]}"]),
        ("parameters", _parameters(record)),
        ("classes", _classes(record)),
        ("scheme", _scheme(record)),
        ("columns", _columns(record)),
        ("operations", _operations(opened)),
        ("compiled", table(place)),
    ]
    return "\n\n".join("\n".join([*([title] if title else []), *lines]) for title, lines in parts if lines)


def _parameters(record: ModelRecord) -> list[str]:
    return table([(p.name, f"{p.value:.12g}", p.unit, _range(p)) for p in record.parameters])


def _range(p: ParameterRecord) -> str:
    if p.min is not None and p.max is not None:
        return f"{p.min:g} to {p.max:g}"
    return f"at least {p.min:g}" if p.min is not None else f"at most {p.max:g}" if p.max is not None else ""


def _classes(record: ModelRecord) -> list[str]:
    """One line per class: how many numbers it has, and which instances share it."""
    rows = []
    for number, system in enumerate(record.system_classes):
        size = f"states: {system.n_state}, unknowns: {_per_stage(system.n_unknown)}"
        rows.append(("system", system.name, size, instances([s.name for s in record.systems if s.cls == number])))
    for number, relation in enumerate(record.relation_classes):
        always = ", always active" if relation.always_active else ""
        size = f"multipliers: {_per_stage(relation.n_multiplier)}{always}"
        members = [
            f"{r.name} on {' and '.join(record.systems[i].name for i in r.participants)}"
            for r in record.relations
            if r.cls == number
        ]
        rows.append(("relation", relation.name, size, instances(members)))
    return table(rows)


def _per_stage(sizes: Sequence[int]) -> str:
    return " + ".join(map(str, filter(None, sizes))) or "0"


def _scheme(record: ModelRecord) -> list[str]:
    rows = [
        ("time", f"{record.start:g} to {record.end:g} s in steps of {record.step:g} s"),
        ("scheme", schemes(record)),
    ]
    repeats = {k: g for g in record.repeats for k in range(g.first, g.end)}
    for number, s in enumerate(record.stages):
        limit = "" if s.fixed_iterations else f", then {s.on_limit}"
        repeated = f", repeated up to {repeats[number].maximum} times" if number in repeats else ""
        once = {"start": ", once at the start", "event": ", at events"}.get(s.at, "")
        skipped = ", skipped at times" if s.skipped else ""
        rows.append((f"stage {s.name}", iterations(s) + limit + repeated + once + skipped))
    return table(rows)


def _columns(record: ModelRecord) -> list[str]:
    from nsdgen.record.step_record import Layout

    return table([(c.name, c.unit, c.description) for c in Layout.of(record).columns])


def _operations(opened: Opened) -> list[str]:
    """Kernels in the order of their class: what they cost and what they compute."""
    from nsdgen.emit.contents import kernel_notes

    names = kernel_names(opened.compiled.record)
    return table([(f"{names[n.cls]}.{n.name}", f"{n.operations:>5}", n.formula) for n in kernel_notes(opened.text)])


def _trajectory(path: Path) -> str:
    from nsdgen.study.trajectory import Trajectory

    trajectory = Trajectory.load(path)
    extent = f"{trajectory.time[0]:g} to {trajectory.time[-1]:g} s" if len(trajectory) else "no time"
    lines = [f"{path}: {len(trajectory)} instants of the model {trajectory.model}, {extent}", "", "made with"]
    lines += table([(key, str(value)) for key, value in trajectory.attributes.items()])
    rows: list[tuple[str, ...]] = [("column", "unit", "first", "last", "least", "greatest", "meaning")]
    rows += [
        (c.name, c.unit, *(f"{v:.6g}" for v in (column[0], column[-1], column.min(), column.max())), c.description)
        for c, column in zip(trajectory.columns, trajectory.table.T, strict=True)
        if len(trajectory)
    ]
    return "\n".join([*lines, "", *table(rows, "")])
