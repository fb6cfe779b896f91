"""What went well and what did not in a run: penetration, drift, iterations, lost ranks, events, the balance of energy.

The balance is that of kinetic energy over the recorded steps. With v̄ = (v_k + v_{k+1}) / 2 and F̄ likewise, forces do
h F̄·v̄ and the impulses p of a relation p·(u_k + u_{k+1}) / 2, u its rates; what is left of T_{k+1} - T_k is the scheme's
(its own terms are those for theta = 1/2, other thetas take energy) and that of relations that record no rates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import Cone
from nsdgen.base.html_table import table
from nsdgen.errors import ParameterError
from nsdgen.record.columns import listed
from nsdgen.record.step_record import Layout
from nsdgen.runtime.values import run_values
from nsdgen.study.samples import Samples

Values = NDArray[np.float64]

_MANY = 15
"""Newton iterations of a step from which on something is slow: a step that fits takes two to five."""

_SMALL = 1e-9
"""Of the largest value of its kind: below, a number is rounding and not told."""


@dataclass(frozen=True)
class Remark:
    """One thing found: what, of which relation or system, when it was worst, how much, and what to do about it."""

    what: str
    name: str
    time: float
    value: float
    unit: str
    advice: str = ""

    def __str__(self) -> str:
        name = f" of {self.name}" if self.name else ""
        advice = f"\n    {self.advice}" if self.advice else ""
        return f"{self.what}{name}: {self.value:.4g} {self.unit}".rstrip() + f" at t = {self.time:.6g} s{advice}"


@dataclass(frozen=True)
class Diagnosis:
    """What was found in a run: ``findings``, and ``energy``, pairs of a cause and what it gave to the motion [J]."""

    model: str
    findings: tuple[Remark, ...]
    energy: tuple[tuple[str, float], ...] = ()
    without: str = ""

    def __str__(self) -> str:
        lines = [f"diagnosis of {self.model!r}", *map(str, self.findings)]
        if self.energy:
            lines += ["kinetic energy [J]", *(f"  {value:+.6g}  {cause}" for cause, value in self.energy)]
        elif self.without:
            lines.append(f"no balance of energy: {self.without}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = [(f.what, f.name, f"{f.value:.4g} {f.unit}", f"{f.time:.6g} s", f.advice) for f in self.findings]
        cells += [("kinetic energy", cause, f"{value:+.6g} J", "", "") for cause, value in self.energy]
        return f"<div><strong>{escape(self.model)}</strong>{table(cells)}</div>"


def diagnose(run: Samples, compiled: Any) -> Diagnosis:
    """Look at a run of a compiled model; raises ``ParameterError`` for one of another model.

    Columns that were not recorded are not looked at. The balance of energy wants mechanical systems alone, and every
    step recorded.
    """
    if not hasattr(compiled, "record") or compiled.record.name != run.model:
        raise ParameterError(
            "it is not known what this run was made by",
            model=run.model,
            where="diagnose",
            fix="give the model: trajectory.diagnose(model)",
        )
    findings = [*_gaps(run, compiled.record), *_counters(run), *_events(run)]
    without = _why_not(run, compiled)
    return Diagnosis(run.model, tuple(findings), () if without else tuple(_balance(run, compiled)), without)


def _worst(what: str, name: str, values: Values, run: Samples, unit: str, advice: str) -> Remark:
    at = int(np.argmax(values))
    return Remark(what, name, float(run.time[at]), float(values[at]), unit, advice)


def _gaps(run: Samples, record: Any) -> Iterator[Remark]:
    """The deepest penetration of all contacts, and the largest drift of all constraints."""
    found: dict[bool, list[Remark]] = {False: [], True: []}
    for relation in record.relations:
        cls = record.relation_classes[relation.cls]
        cones = next((stage[0][0] for stage in cls.cones if stage), None)
        gaps = [c for c in run.columns if c.name.partition("[")[0] == f"{relation.name}.gap"]
        if (cls.gap is None and cls.zero_rows == 0) or cones is None or not gaps:
            continue
        held = cones == Cone.EQUALITY
        for column in gaps:
            values = run[column.name]
            advice = (
                "nsd.Projection() or nsd.Rattle() hold positions"
                if held
                else "it falls with the step; nsd.Projection(), nsd.Rattle() and nsd.EventDriven() leave none"
            )
            depth = np.abs(values) if held else np.maximum(-values, 0)
            found[held].append(
                _worst("drift" if held else "penetration", relation.name, depth, run, column.unit, advice)
            )
    for items in found.values():
        worst = max(items, key=lambda f: f.value, default=None)
        if worst is not None:
            yield worst if worst.value > 0 else Remark(worst.what, "", worst.time, 0.0, worst.unit)


def _counters(run: Samples) -> Iterator[Remark]:
    if "newton_iterations" in run:
        iterations = run["newton_iterations"]
        many = "look at the step and at what changes suddenly there" if iterations.max() >= _MANY else ""
        yield _worst(
            "Newton iterations",
            "",
            iterations,
            run,
            f"(mean {iterations[1:].mean():.2f})" if len(run) > 1 else "",
            many,
        )
    if "rank_deficiency" in run and (missing := run["rank_deficiency"]).any():
        count = int((missing > 0).sum())
        yield _worst(
            f"multipliers that are not unique, in {count} of {len(run)} rows",
            "",
            missing,
            run,
            "",
            "motions are, reactions are those of least norm; model.analysis says which rows depend on each other",
        )
    if "kept" in run and (kept := run["kept"]).any():
        yield _worst(
            f"limits of iteration reached, in {int((kept > 0).sum())} rows",
            "",
            kept,
            run,
            "",
            "raise max_iterations, or shorten the step",
        )


def _events(run: Samples) -> Iterator[Remark]:
    events = getattr(run, "events", ())
    if events:
        gaps = np.diff([e.time for e in events])
        yield Remark("events", "", events[-1].time, len(events), f"(closest {gaps.min():.3g} s)" if len(gaps) else "")


def _why_not(run: Samples, compiled: Any) -> str:
    """Why there is no balance of energy; empty where there is one."""
    record, layout = compiled.record, Layout.of(compiled.record)
    if len(run) < 2 or len(run.columns) < layout.width:
        return "not all columns were recorded"
    if run.attributes.get("every", 1) != 1:
        return "not every step was recorded"
    if any(stage.at == "rate" for stage in record.stages):
        return "it is for schemes that make steps"
    for system in record.systems:
        if not {"force", "kinetic_energy"} <= set(compiled[system.name]):
            return f"{system.name} is not a mechanical system"
    for kind, number, _, _ in record.held_slots if record.blocks else ():
        if kind == "system":
            return f"a block changes what acts on {record.systems[number].name}"
    return ""


def _balance(run: Samples, compiled: Any) -> Iterator[tuple[str, float]]:
    """What gave energy to the motion and took it, the change first, what is left last."""
    time, steps = run.time, np.diff(run.time)
    change = left = 0.0
    causes: list[tuple[str, float]] = []
    silent: list[str] = []
    for system, own in zip(compiled.record.systems, _arguments(run, compiled), strict=True):
        group = compiled[system.name]
        given = _operands(run, system.name, group.force)
        kinetic, force = (
            operator(*[given[n] for n, _ in operator.arguments], parameters=own)
            for operator in (group.kinetic_energy, group.force)
        )
        force = force.reshape(len(time), -1)
        rates = given["v"].reshape(len(time), -1)
        work = float((steps[:, None] * _means(force) * _means(rates)).sum())
        change += float(kinetic[-1] - kinetic[0])
        causes.append((f"forces on {system.name}", work))
    for relation in compiled.record.relations:
        moved, impulses = _rates(run, relation.name), _impulses(run, relation.name)
        if moved is not None and impulses is not None and moved.shape[1] >= impulses.shape[1]:
            work = float((impulses[1:] * _means(moved[:, : impulses.shape[1]])).sum())
            causes.append((relation.name, work))
        elif any((cls := compiled.record.relation_classes[relation.cls]).n_multiplier) or any(cls.n_observed):
            silent.append(relation.name)
    left = change - sum(work for _, work in causes)
    largest = max(abs(work) for _, work in causes) or 1.0
    yield "change", change
    yield from sorted((c for c in causes if abs(c[1]) > _SMALL * largest), key=lambda c: -abs(c[1]))
    yield "the scheme" + (f", and {listed(silent)}, which record no rates" if silent else ""), left


def _arguments(run: Samples, compiled: Any) -> Sequence[Sequence[float]]:
    """What systems are made with in this run, whose parameters may be others than the model's."""
    record, told = compiled.record, run.attributes
    step = None if record.step_parameter is None else record.parameters[record.step_parameter].name
    given = {name: value for name, value in told["parameters"].items() if name != step}
    found: Sequence[Sequence[float]] = run_values(
        record, compiled.table, parameters=given, step=told["step"], start=told["start"], end=told["end"]
    ).system_arguments
    return found


def _means(values: Values) -> Values:
    found: Values = (values[1:] + values[:-1]) / 2
    return found


def _operands(run: Samples, name: str, operator: Any) -> dict[str, Values]:
    """q and v of a system at all rows, as its operators take them."""
    sizes = dict(operator.arguments)
    states = [c.name for c in run.columns if c.name.startswith(f"{name}.") and c.description == "state"]
    q, v = states[: sizes["q"]], states[sizes["q"] : sizes["q"] + sizes["v"]]
    return {"t": run.time, "q": _columns(run, q), "v": _columns(run, v)}


def _columns(run: Samples, names: Sequence[str]) -> Values:
    return np.stack([run[n] for n in names], axis=1)


def _rates(run: Samples, name: str) -> Values | None:
    """The rates of a relation in the order of its multipliers."""
    names = [c.name for c in run.columns if c.name.rpartition(".")[0] == name]
    found = [
        n for word in ("gap_rate", "sliding_rate") for n in names if n.rpartition(".")[2].partition("[")[0] == word
    ]
    return _columns(run, found) if found else None


def _impulses(run: Samples, name: str) -> Values | None:
    found = [c.name for c in run.columns if c.name.partition("[")[0] == f"{name}.impulse"]
    return _columns(run, found) if found else None
