"""The report of a model: one page with its equations, what was derived, its kernels, a run and what was found of it."""

import importlib.metadata
import importlib.resources
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import jinja2

from nsdgen.base.html_table import table
from nsdgen.base.suggest import named_arguments
from nsdgen.base.version import VERSION
from nsdgen.base.whole_file import check_suffix, whole_file
from nsdgen.emit.contents import kernel_notes
from nsdgen.errors import StepError
from nsdgen.model.report.derived_formulas import derived_formulas
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.overview import changed, iterations, kernel_names, schemes
from nsdgen.study.animation.animate import animate
from nsdgen.study.optional import require
from nsdgen.study.plot import first_names, plot
from nsdgen.study.trajectory import Trajectory
from nsdgen.symbolic.description.stated_equations import stated_equations

_PACKAGES = ("numpy", "scipy", "sympy", "cython", "matplotlib")

_FEW = 8
"""Lines of the analysis that are not folded: the last ones, about the whole model; before them, one for each output."""


@named_arguments
def write_report(
    model: Any,
    path: str | os.PathLike[str],
    *,
    trajectory: Any = None,
    plotted: Sequence[str] = (),
    title: str = "",
    source: str = "",
    **run: Any,
) -> None:
    """Write the report of a model to ``path``, an ``.html`` file that fetches nothing.

    It holds the equations as stated and as derived, what the analysis found, kernels with their operations, parameters,
    a run with curves, motion and diagnosis, and versions. The run is ``trajectory``, or made here with the options
    ``run`` of :meth:`Model.run`; ``plotted`` are the columns to draw. ``source`` is the text of the model file. A run
    that fails is reported as far as it came, and its ``StepError`` raised again after the page was written. Raises
    ``ParameterError`` for another suffix, for a place that cannot be written and where matplotlib is missing.
    """
    check_report(Path(path), model.name)
    failure: StepError | None = None
    compiled = model.compile()
    if trajectory is None:
        try:
            trajectory = model.run(**run)
        except StepError as error:
            if (trajectory := getattr(error, "trajectory", None)) is None:
                raise
            failure = error
    text = importlib.resources.files("nsdgen.templates").joinpath("report.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page = environment.from_string(text).render(
        title=title or model.name,
        version=VERSION,
        sections=list(_sections(model, compiled, trajectory, plotted)),
        failure="" if failure is None else str(failure),
        source=source,
    )
    with whole_file(path) as stream:
        stream.write(page.encode())
    if failure is not None:
        failure.add_note(f"  The report of what was reached is in {path}.")
        raise failure


def check_report(path: Path, model: str = "", where: str = "write_report") -> None:
    """Raises ``ParameterError`` for a file that no report is written to, and where matplotlib is missing."""
    check_suffix(path, (".html", ".htm"), "a report", model=model, where=where)
    require("matplotlib", "plots", "a report")


def _sections(model: Any, compiled: Any, run: Any, plotted: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Name, heading and HTML of the parts, in order."""
    record: ModelRecord = compiled.record
    yield "stated", "The model as stated", stated_equations(model.description)
    yield "parameters", "Parameters", _parameters(record)
    yield "found", "What was found", _found(model.analysis.lines())
    yield "derived", "What was derived", derived_formulas(model.derive())
    yield "run", "The run", settings(record, run) + curves(run, plotted)
    if moving := motion(run, plotted):
        yield "motion", "Motion", moving
    yield "diagnosis", "Diagnosis", diagnosis(run)
    yield "accepted", "How steps were accepted", accepted_steps(record, run)
    yield "kernels", "Kernels", _kernels(compiled)
    yield "versions", "Versions", _versions(compiled)


def _parameters(record: ModelRecord) -> str:
    rows = [
        (
            p.name,
            f"{p.value:.12g}",
            p.unit,
            "" if p.min is None else f"{p.min:g}",
            "" if p.max is None else f"{p.max:g}",
        )
        for p in record.parameters
    ]
    return table(rows, ("name", "value", "unit", "least", "greatest")) if rows else "<p>It has none.</p>"


def _found(lines: Sequence[str]) -> str:
    items = [f"<li>{escape(line)}</li>" for line in lines]
    first, rest = "".join(items[-_FEW:]), "".join(items[:-_FEW])
    return f"<ul>{first}</ul>" + (f"<details><summary>and more</summary><ul>{rest}</ul></details>" if rest else "")


def _kernels(compiled: Any) -> str:
    names = kernel_names(compiled.record)
    rows = [(f"{names[n.cls]}.{n.name}", str(n.operations), n.formula) for n in kernel_notes(compiled.text)]
    return table(rows, ("kernel", "operations", "computes"))


def _versions(compiled: Any) -> str:
    rows = [("nsdgen", VERSION), ("kernels", compiled.record.kernel_hash), ("Python", platform.python_version())]
    rows += [(name, importlib.metadata.version(name)) for name in _PACKAGES]
    return table([*rows, ("machine", f"{platform.system()} {platform.machine()}")])


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
