"""A trajectory at a glance: one line of text, or a table for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from nsdgen.record.columns import Column, listed

if TYPE_CHECKING:
    from nsdgen.study.samples import Samples

__all__ = ["as_html", "as_text"]

_ROWS = 30  # a screen
_HEADINGS = ("column", "unit", "first", "last", "least", "greatest", "meaning")


def as_text(trajectory: Samples) -> str:
    """``<Trajectory of 'ball': 501 instants from 0 to 5 s, 2 columns: ...>``."""
    number = len(trajectory.columns)
    names = f": {listed(trajectory.names)}" if number else ""
    return f"<Trajectory of {trajectory.model!r}: {_extent(trajectory)}, {number} column{'s' * (number != 1)}{names}>"


def as_html(trajectory: Samples) -> str:
    """One row per column: unit, first, last, least and greatest value, meaning."""
    shown = trajectory.columns[:_ROWS]
    rows = "".join(_row(column, trajectory.table[:, place]) for place, column in enumerate(shown))
    more = len(trajectory.columns) - len(shown)
    return (
        f"<div><strong>{escape(trajectory.model)}</strong>: {_extent(trajectory)}"
        f"<table><thead><tr>{_cells(_HEADINGS, 'th')}</tr></thead><tbody>{rows}</tbody></table>"
        + (f"<em>and {more} more columns</em>" if more else "")
        + "</div>"
    )


def _extent(trajectory: Samples) -> str:
    number = len(trajectory)
    if not number:
        return "no instants"
    if number == 1:
        return f"1 instant at {trajectory.time[0]:g} s"
    return f"{number} instants from {trajectory.time[0]:g} to {trajectory.time[-1]:g} s"


def _row(column: Column, values: np.ndarray) -> str:
    finite = values[np.isfinite(values)]
    ends = (values[0], values[-1]) if values.size else (None, None)
    bounds = (finite.min(), finite.max()) if finite.size else (None, None)
    numbers = ("" if value is None else f"{value:.6g}" for value in (*ends, *bounds))
    return f"<tr>{_cells((column.name, column.unit, *numbers, column.description), 'td')}</tr>"


def _cells(texts: tuple[str, ...], tag: str) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
