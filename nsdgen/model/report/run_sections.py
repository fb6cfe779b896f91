"""A run as parts of a report: what was asked for, curves, the motion, diagnosis, and how its steps were accepted."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nsdgen.base.html_table import table
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.overview import changed, iterations, schemes
from nsdgen.study.animation.animate import animate
from nsdgen.study.plot import first_names, plot
from nsdgen.study.trajectory import Trajectory


def settings(record: ModelRecord, run: Trajectory) -> str:
    """Scheme, step, extent and the parameters of the run that are not the model's."""
    used = run.attributes
    rows = [
        ("scheme", schemes(record, used)),
        ("steps", f"of {used['step']:g} s, from t = {run.time[0]:g} to {run.time[-1]:g} s, {len(run)} recorded"),
    ]
    rows += [(f"{p.name} in this run", f"{value:.9g} {p.unit}".rstrip()) for p, value in changed(record, used)]
    return table(rows)


def curves(run: Trajectory, names: Sequence[str]) -> str:
    """Columns against time as a vector picture: those named, or the first few; says so where it cannot be drawn."""
    chosen = names or first_names(run)
    if not chosen:
        return "<p>No quantity of a system or relation was recorded.</p>"
    picture = plot(run, *chosen, title="").written("svg").decode()
    return f'<div class="picture">{picture[picture.index("<svg") :]}</div>'


def motion(run: Trajectory, names: Sequence[str]) -> str:
    """The page that moves, in a frame of its own; empty where nothing is drawn and one instant does not move."""
    if len(run) < 2:
        return ""
    return animate(run, plotted=names)._repr_html_()  # type: ignore[union-attr]


def diagnosis(run: Trajectory) -> str:
    """What `trajectory.diagnose` finds, with its advice."""
    found = run.diagnose()
    rows = [(f.what, f.name, f"{f.value:.4g} {f.unit}".strip(), f"{f.time:.6g} s", f.advice) for f in found.findings]
    parts = [table(rows, ("found", "of", "worst", "at t", "what to do")) if rows else "<p>Nothing was found.</p>"]
    if found.energy:
        parts += ["<h3>Kinetic energy</h3>", table([(f"{value:+.6g} J", cause) for cause, value in found.energy])]
    elif found.without:
        parts.append(f"<p>There is no balance of energy: {escape(found.without)}.</p>")
    return "".join(parts)


def accepted_steps(record: ModelRecord, run: Trajectory) -> str:
    """To which residuals the steps of the run were solved, and how many have multipliers that are not unique."""
    rows = [(f"stage {s.name}", iterations(s)) for s in sorted(record.stages, key=lambda s: bool(s.fixed_iterations))]
    counted: Mapping[str, str] = {
        "newton_iterations": "Newton iterations of the worst step",
        "rank_deficiency": "most multipliers of a step that are not unique",
        "kept": "steps that reached their limit of iterations and were kept",
    }
    for name, words in counted.items():
        if name in run and len(run) > 1:
            values: Any = run[name][1:]
            rows.append((words, f"{(values > 0).sum() if name == 'kept' else values.max():.0f}"))
    return (
        "<p>A step is accepted where residuals are within these bounds and the solution of its one-step problem passed "
        "its certificate: rows, laws and cones hold to rounding of the problem's own numbers. Steps that do not end "
        "the run.</p>" + table(rows)
    )
