"""Animating a run: rows that the eye sees, their picture, and the page, film or poses made of it."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.base.checks import finite_number, whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.base.whole_file import check_suffix, whole_file
from nsdgen.errors import ParameterError
from nsdgen.study.animation.animation_page import page, rows_at, rows_to_show
from nsdgen.study.animation.picture import Picture, Values
from nsdgen.study.samples import Samples

_FRAMES = 600
"""Instants of a page unless told otherwise: ten seconds at 60 a second, between which the viewer interpolates."""

_PLOTS = 4
"""Columns plotted where nothing is drawn and none were named."""


_FILMS = (".gif", ".mp4", ".png")
MOVING = (".html", *_FILMS, ".json")
"""What files end with that a run is written to as something that moves."""

_FRAME = 'style="width: 100%; height: 520px; border: 0"'
"""Of a page within another: as wide as that is."""

_RATE = 25
"""Frames of a film a second."""

_FRAMES_OF_A_FILM = 1000
"""More would take minutes to draw: then the film is to be faster, or the run shorter."""


@named_arguments
def animate(
    trajectory: Any,
    path: str | os.PathLike[str] | None = None,
    plotted: Sequence[str] = (),
    *,
    beside: Mapping[str, Any] | None = None,
    frames: int = _FRAMES,
    speed: float = 1.0,
    title: str = "",
    model: Any = None,
) -> MovingPage | None:
    """Write a run as something that moves: the suffix of the file says what.

    ``.html`` is a page for a browser that fetches nothing, with ``plotted`` columns against time below, linked to the
    slider, and at most ``frames`` instants, evenly spaced in time. ``.gif`` and ``.mp4`` (with ffmpeg) are films,
    ``speed`` seconds of the run in a second of the film, ``.png`` their frames, numbered. ``.json`` holds poses of
    bodies, for other programs. ``beside`` are further runs by what they are called, drawn over this one: other
    parameters, other schemes. Reactions drawn are what acted since the instant before. A trajectory that was read
    from a file knows no figures: give the ``model`` it came from. A page is returned as well. Raises
    ``ParameterError`` for another suffix, a place that cannot be written, columns that are not there, films that
    are too long and where nothing is to be drawn.
    """
    target, beside = Path("page.html" if path is None else path), beside or {}
    if trajectory.model in beside:
        raise ParameterError(
            f"a run beside it is called {trajectory.model!r}, as this one",
            model=trajectory.model,
            where="animate, beside",
            fix="call it by what is different in it",
        )
    named = {trajectory.model: trajectory, **beside}
    frames = whole_number(frames, 2, 100_000, model=trajectory.model, where="frames")
    check_suffix(target, MOVING, "an animation", where="animate")
    if len(trajectory) < 2:
        raise ParameterError("one instant does not move", model=trajectory.model, where="animate", fix="run longer")
    kind = target.suffix.lower()
    if kind in _FILMS:  # all at the same instants, each of which is a frame
        frames = _frames_of_a_film(trajectory, finite_number(speed, model=trajectory.model, where="speed"))
        instants = np.linspace(trajectory.time[0], trajectory.time[-1], frames)
        pictures = {name: _picture(run, rows_at(run, instants), model) for name, run in named.items()}
    else:
        pictures = {name: _picture(run, rows_to_show(run, frames), model) for name, run in named.items()}
    drawn = any(p.drawn for p in pictures.values())
    if kind != ".html" and not drawn:
        raise ParameterError(
            "there is nothing to draw",
            model=trajectory.model,
            where="animate",
            fix="draw it with nsd.Sketch, give model= for a trajectory from a file, or plot columns in an .html page",
        )
    try:
        if kind in _FILMS:
            from nsdgen.study.animation.film import film

            film([p.upright() for p in pictures.values()], target, title or trajectory.model, _RATE)
            return None
        if kind == ".json":
            text = poses(pictures[trajectory.model], trajectory.model)
        else:
            text = _page(named, pictures, plotted, title)
        if path is not None:
            with whole_file(target) as stream:
                stream.write(text.encode())
    except OSError as error:
        raise ParameterError(
            f"{str(target)!r} cannot be written: {error.strerror}", where="animate", fix="choose another place"
        ) from error
    return None if kind == ".json" else MovingPage(text)


@dataclass(frozen=True)
class MovingPage:
    """A page that moves; a notebook shows it in a frame of its own, and ``text`` is the page."""

    text: str

    def __repr__(self) -> str:
        return f"<a page that moves, {len(self.text) / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        return f'<iframe title="motion" loading="lazy" srcdoc="{html.escape(self.text)}" {_FRAME}></iframe>'


def _page(named: Mapping[str, Any], pictures: Mapping[str, Picture], plotted: Sequence[str], title: str) -> str:
    first = next(iter(named.values()))
    columns = _columns(first, plotted, any(p.drawn for p in pictures.values()))
    runs = {name: (run, pictures[name]) for name, run in named.items()}
    return page(runs, columns, title or first.model, _subtitle(first))


def _frames_of_a_film(run: Samples, speed: float) -> int:
    if not speed > 0:
        raise ParameterError(f"the speed is {speed:g}", model=run.model, where="speed", fix="give a speed > 0")
    frames = 1 + round(float(run.time[-1] - run.time[0]) / speed * _RATE)
    if frames > _FRAMES_OF_A_FILM:
        raise ParameterError(
            f"the film would have {frames} frames",
            model=run.model,
            where="speed",
            fix=f"give speed={speed * frames / _FRAMES_OF_A_FILM:.3g} or more, for at most {_FRAMES_OF_A_FILM}",
        )
    return max(frames, 2)


def _picture(run: Samples, rows: Values, model: Any) -> Picture:
    drawing = getattr(run, "drawing", None) if model is None else model.drawing
    return Picture(run.time[rows]) if drawing is None else drawing(run, rows)


def _columns(run: Samples, plotted: Sequence[str], drawn: bool) -> list[str]:
    """The columns to plot: those named; where nothing is drawn the first few."""
    index = run.index
    named = index.expanded(plotted, run.model)
    found = [run.columns[place].name for name in named for place in index.find(name, run.model).places]
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


def poses(picture: Picture, model: str) -> str:
    """Instants [s], of bodies positions [m], quaternions (w, x, y, z; body to inertial), solids, of lines points.

    ``null`` stands where there is no number.
    """
    bodies = {
        d.name: {
            "position": _listed(d.values[:, :3]),
            "quaternion": _listed(d.values[:, 3:]),
            "solids": [asdict(solid) for solid in d.solids],
        }
        for d in picture.drawn
        if d.kind == "body"
    }
    lines = [
        {"name": d.name, "kind": d.kind, "points": _listed(d.values.reshape(len(d.values), -1, 3))}
        for d in picture.drawn
        if d.kind in ("line", "spring", "joint", "points")
    ]
    return json.dumps(
        {"model": model, "up": picture.up, "time": picture.time.tolist(), "bodies": bodies, "lines": lines}
    )


def _listed(values: Values) -> Any:
    found = values.astype(object)
    found[~np.isfinite(values)] = None
    return found.tolist()
