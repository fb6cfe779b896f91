"""Animating a run: rows that the eye sees, their picture, the page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.study.animation.page import page, rows_to_show
from nsdgen.study.animation.picture import Picture
from nsdgen.study.samples import Samples

__all__ = ["animate", "check_suffix"]

_FRAMES = 600
"""Instants of a page unless told otherwise: ten seconds at 60 a second, between which the viewer interpolates."""

_PLOTS = 4
"""Columns plotted where nothing is drawn and none were named."""


@named_arguments
def animate(
    trajectory: Any,
    path: str | os.PathLike[str],
    plotted: Sequence[str] = (),
    *,
    beside: Mapping[str, Any] | None = None,
    frames: int = _FRAMES,
    title: str = "",
    model: Any = None,
) -> None:
    """Write a run as one file that moves in a browser and fetches nothing.

    ``plotted`` are columns drawn against time below, linked to the slider. ``beside`` are further runs by what they are
    called, drawn over this one: other parameters, other schemes. At most ``frames`` instants are shown, evenly spaced
    in time; the reactions drawn are what acted since the one before. A trajectory that was read from a file knows no
    figures: give the ``model`` it came from. Raises ``ParameterError`` for another suffix than ``.html``, a place that
    cannot be written, columns that are not there, and where nothing is to be seen.
    """
    target = Path(path)
    frames = whole_number(frames, 2, 100_000, model=trajectory.model, where="frames")
    check_suffix(target, "animate")
    if len(trajectory) < 2:
        raise ParameterError("one instant does not move", model=trajectory.model, where="animate", fix="run longer")
    runs = {
        name: (run, _picture(run, frames, model))
        for name, run in {trajectory.model: trajectory, **(beside or {})}.items()
    }
    columns = _columns(trajectory, plotted, any(p.drawn for _, p in runs.values()))
    text = page(runs, columns, title or trajectory.model, _subtitle(trajectory))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ParameterError(
            f"{str(target)!r} cannot be written: {error.strerror}", where="animate", fix="choose another place"
        ) from error


def check_suffix(path: Path, where: str) -> None:
    """Raises ``ParameterError`` for a file that is no page."""
    if path.suffix.lower() != ".html":
        raise ParameterError(
            f"an animation cannot be saved as {str(path)!r}", where=where, fix="use a file name that ends with .html"
        )


def _picture(run: Samples, frames: int, model: Any) -> Picture:
    drawing = getattr(run, "drawing", None) if model is None else model.drawing
    rows = rows_to_show(run, frames)
    return Picture(run.time[rows]) if drawing is None else drawing(run, rows)


def _columns(run: Samples, plotted: Sequence[str], drawn: bool) -> list[str]:
    """The columns to plot: those named; where nothing is drawn the first few."""
    index = run.index
    found = [run.columns[place].name for name in plotted for place in index.find(name, run.model).places]
    if found or drawn:
        return found
    return list(run.names[:_PLOTS])


def _subtitle(run: Samples) -> str:
    """Scheme, step and parameters."""
    told = run.attributes
    schemes = ", ".join(str(s.get("scheme")) for s in told.get("scheme", []) if isinstance(s, Mapping))
    values = [f"{name} = {value:g}" for name, value in told.get("parameters", {}).items()][:6]
    step = told.get("step")
    return ", ".join(filter(None, [schemes, f"step {step:g} s" if isinstance(step, float) else "", *values]))
