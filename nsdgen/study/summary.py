"""A trajectory at a glance: one line of text, or a table for notebooks."""

from __future__ import annotations

import base64
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from nsdgen.base.html_table import table
from nsdgen.record.columns import Column, listed
from nsdgen.study.plot import first_names, plot

if TYPE_CHECKING:
    from nsdgen.study.samples import Samples

_ROWS, _COLUMNS = 30, 8  # a screen
_HEADINGS = ("column", "unit", "first", "last", "least", "greatest", "meaning")


def as_text(trajectory: Samples) -> str:
    """``<Trajectory of 'ball': 501 instants from 0 to 5 s, 2 columns: ...>``."""
    number = len(trajectory.columns)
    names = f": {listed(trajectory.names)}" if number else ""
    return f"<Trajectory of {trajectory.model!r}: {_extent(trajectory)}, {number} column{'s' * (number != 1)}{names}>"


def as_html(trajectory: Samples) -> str:
    """The first curves, where matplotlib is there, and a row per column: unit, values, meaning."""
    shown = trajectory.columns[:_ROWS]
    rows = [_row(column, trajectory.table[:, place]) for place, column in enumerate(shown)]
    more = len(trajectory.columns) - len(shown)
    return (
        f"<div><strong>{escape(trajectory.model)}</strong>: {_extent(trajectory)}"
        f"{_picture(trajectory)}{table(rows, _HEADINGS)}"
        + (f"<em>and {more} more columns</em>" if more else "")
        + "</div>"
    )


def members_as_html(ensemble: Any) -> str:
    """One row per member: what differs, its steps, its reductions and last values, why it failed."""
    columns = ensemble.columns[: max(0, _COLUMNS - len(ensemble.values) - len(ensemble.reduced))]
    headings = (
        "member",
        *ensemble.values,
        "steps",
        *ensemble.reduced,
        *(f"last {c.heading}" for c in columns),
        "failed",
    )
    failed = {failure.member: str(failure.error).partition("\n")[0] for failure in ensemble.failures}
    rows = []
    for member in range(min(len(ensemble), _ROWS)):
        values = [v[member] for v in ensemble.values.values()]
        found = [v[member] for v in ensemble.reduced.values()] + list(ensemble.final[member, : len(columns)])
        numbers = (*map(_number, values), str(ensemble.steps[member]), *map(_number, found))
        rows.append((str(member), *numbers, failed.get(member, "")))
    more = len(ensemble) - len(rows)
    others = f"<em>and {more} more members</em>" if more else ""
    return f"<div>{escape(repr(ensemble).strip('<>'))}{table(rows, headings)}{others}</div>"


def _number(value: Any) -> str:
    return f"{value:.6g}" if np.ndim(value) == 0 else np.array2string(np.asarray(value), precision=4)


def _picture(trajectory: Samples) -> str:
    """The first curves as an element of a page; nothing where none can be drawn."""
    names = first_names(trajectory)
    if not names or len(trajectory) < 2 or find_spec("matplotlib") is None:
        return ""
    image = base64.b64encode(plot(trajectory, *names, title="")._repr_png_()).decode("ascii")
    source = f"data:image/png;base64,{image}"
    return f'<br><img alt="curves of {escape(trajectory.model)}" style="max-width: 760px" src="{source}"/>'


def _extent(trajectory: Samples) -> str:
    number = len(trajectory)
    if not number:
        return "no instants"
    if number == 1:
        return f"1 instant at {trajectory.time[0]:g} s"
    return f"{number} instants from {trajectory.time[0]:g} to {trajectory.time[-1]:g} s"


def _row(column: Column, values: np.ndarray) -> tuple[str, ...]:
    finite = values[np.isfinite(values)]
    ends = (values[0], values[-1]) if values.size else (None, None)
    bounds = (finite.min(), finite.max()) if finite.size else (None, None)
    numbers = ("" if value is None else f"{value:.6g}" for value in (*ends, *bounds))
    return (column.name, column.unit, *numbers, column.description)
