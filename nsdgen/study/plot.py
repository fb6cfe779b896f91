"""Pictures of a trajectory: quantities against time, a quantity against its rate.

`plot` chooses panels and labels, `nsdgen.study.canvas` makes the figure,
`nsdgen.study.curves` draws one column. Figures are matplotlib objects made without pyplot:
no window, no global state, any thread.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nsdgen.base.checks import shown
from nsdgen.base.whole_file import check_suffix
from nsdgen.errors import ParameterError
from nsdgen.record.columns import ColumnIndex, NamedColumns, listed, split_name, with_unit
from nsdgen.study.canvas import Canvas, canvas, legend_height
from nsdgen.study.curves import STYLES, draw, draw_phase, impacts, kind, literal, over, overlaps
from nsdgen.study.looks import LookName, look_of
from nsdgen.study.prefixes import prefix_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from nsdgen.study.samples import Samples

_MOST = 48  # curves drawn when nobody said which
_FIRST = 16  # of a page: what it shows without scrolling through it
_DOTS = 160  # per inch of a bitmap
_LABEL, _TALL = 26, 44  # characters that fit beside a panel, and beside one that stands alone


@dataclass(frozen=True, eq=False, repr=False)
class Plot:
    """A drawn picture: its figure, one axes per panel, one artist per curve."""

    figure: Figure
    axes: tuple[Axes, ...]
    artists: tuple[Artist, ...]

    def save(self, path: str | os.PathLike[str]) -> Plot:
        """Write the picture to ``path`` in the format of its suffix: png, pdf, svg, ..., or html.

        Text in vector formats stays text, and the same picture gives the same bytes. An ``.html`` file is a page that
        fetches nothing, with zoom and values under the pointer. Returns the plot, which a notebook shows. Raises
        ParameterError for a suffix matplotlib does not know and for a place that cannot be written.
        """
        from nsdgen.base.whole_file import whole_file

        check_picture(path)
        with whole_file(path) as stream:
            stream.write(self.written(Path(path).suffix.lower().lstrip(".")))
        return self

    def __repr__(self) -> str:
        return f"<plot of {len(self.artists)} curves>"

    def written(self, form: str) -> bytes:
        """The picture in a format by its suffix, as `save` writes it."""
        if form == "html":
            from nsdgen.study.interactive.figure_page import figure_page

            return figure_page(self.figure).encode()
        from matplotlib import rc_context

        stream = io.BytesIO()
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "nsdgen", "pdf.fonttype": 42}):
            self.figure.savefig(stream, format=form, dpi=_DOTS, metadata=dated)
        return stream.getvalue()

    def _repr_png_(self) -> bytes:
        return self.written("png")


def check_picture(path: str | os.PathLike[str]) -> None:
    """Raise ``ParameterError`` for a file name whose suffix matplotlib does not know."""
    from matplotlib.backend_bases import FigureCanvasBase

    forms = sorted({*FigureCanvasBase.get_supported_filetypes(), "html"})
    check_suffix(Path(path), [f".{form}" for form in forms], "a picture", where="plot")


@dataclass(frozen=True)
class _AxesCurves:
    """What one axes shows: the names as asked for, the curves, the unit they share."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    unit: str


def plot(
    trajectory: Samples,
    *names: str | Sequence[str],
    axes: Axes | Sequence[Axes] | None = None,
    panels: Literal["unit", "name"] = "unit",
    style: Literal["auto", "line", "step", "stem"] = "auto",
    look: LookName = "screen",
    title: str | None = None,
    **line: Any,
) -> Plot:
    """Draw ``names`` against time; without names, everything the instances recorded.

    ``*`` in a name stands for any text: ``"*.z"`` is the z of all instances.
    A list among ``names`` gets panels of its own: ``plot(["z", "gap"], ["other.z"])`` draws
    two panels, ``plot("z", "gap", "other.z")`` one; an empty list stands for everything.

    ``axes``    one matplotlib axes for all curves, or one per panel; None makes a figure
    ``panels``  ``"unit"``: quantities of one unit share a panel; ``"name"``: each its own
    ``style``   ``"line"``; ``"step"`` (what holds over a step, such as a force or a
                mode); ``"stem"`` (what acts at an instant: impulses); ``"auto"`` chooses
                per column
    ``look``    ``"screen"``; ``"paper"``: one column of a journal, without a title; ``"dark"``
    ``title``   what stands above a new figure; by default the model's name
    ``line``    options of the drawn artists (``color``, ``linewidth``, ``alpha``)

    Raises ParameterError for unknown names, for more panels than axes, and when matplotlib
    is missing.
    """
    _check_option("panels", panels, ("unit", "name"))
    _check_option("style", style, STYLES)
    groups = [
        panel
        for group in _groups(names)
        for panel in _panels(trajectory, names_to_draw(trajectory.index, group, trajectory.model), panels)
    ]
    height = 4.2 if len(groups) == 1 else 0.8 + 2.3 * len(groups)
    height += sum(legend_height(_headings(trajectory, panel), look_of(look)) for panel in groups)
    paper = canvas(trajectory.model if title is None else title, axes, len(groups), (7.5, height), look)
    if len(paper.axes) == 1:
        groups = [_merged(groups)]
    line = _spelled_out(line)
    artists: list[Artist] = []
    for panel, place in zip(groups, paper.axes, strict=True):
        artists += _draw_panel(trajectory, panel, paper, place, style, line)
    paper.axes[-1].set_xlabel(with_unit("t", prefix_axis(paper.axes[-1].xaxis, "s")))
    return Plot(paper.figure, paper.axes, tuple(artists))


def phase_plot(
    trajectory: Samples,
    name: str,
    *,
    rate: str | None = None,
    axes: Axes | None = None,
    look: LookName = "screen",
    **line: Any,
) -> Plot:
    """Draw the quantity ``name`` against its rate, by default the one called ``name_dot``.

    A vector gives one curve per component. A ring marks the start, a dot the end. Where an impulse makes a curve
    jump it is dashed, with a small cross behind the jump. ``look`` is that of `plot`.
    Raises ParameterError when either is missing or their sizes differ.
    """
    across = trajectory.index.find(name, trajectory.model)
    rate = _rate_name(trajectory, name) if rate is None else rate
    up = trajectory.index.find(rate, trajectory.model)
    if len(across.places) != len(up.places):
        raise ParameterError(
            f"{name!r} has {len(across.places)} components and {rate!r} {len(up.places)}",
            model=trajectory.model,
            fix="choose one component of each",
        )
    paper = canvas(trajectory.model, axes, 1, (6.4, 5.0), look)
    place, line = paper.axes[0], {"linewidth": 0.9 * paper.look.line, **_spelled_out(line)}
    artists: list[Artist] = []
    struck = impacts(trajectory)
    for first, second in zip(across.places, up.places, strict=True):
        label = {"label": literal(trajectory.columns[first].name)}
        artists += draw_phase(place, trajectory.table[:, first], trajectory.table[:, second], struck, {**label, **line})
    place.set_xlabel(_axis_label(trajectory, name, across, place.xaxis))
    place.set_ylabel(_axis_label(trajectory, rate, up, place.yaxis))
    paper.legend(place, [trajectory.columns[index].name for index in across.places])
    return Plot(paper.figure, paper.axes, tuple(artists))


def _check_option(option: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ParameterError(f"{option}={value!r} is no way to plot", fix=f"choose one of {', '.join(choices)}")


def _groups(names: Sequence[str | Sequence[str]]) -> list[tuple[str, ...]]:
    """The names that stand alone, where the first of them stands, and each list of names."""
    alone = tuple(name for name in names if isinstance(name, str))
    groups: list[tuple[str, ...]] = []
    for name in names:
        if not isinstance(name, str | Sequence):
            raise ParameterError(f"{shown(name)} is no column", where="plot", fix="give names, or lists of names")
        if not isinstance(name, str):
            groups.append(tuple(name))
        elif alone not in groups:
            groups.append(alone)
    return groups or [()]


def first_names(run: Samples) -> list[str]:
    """The quantities of systems and relations that are drawn where nobody named any: the first, up to 16 curves."""
    found: list[str] = []
    count = 0
    for name in run.index.quantities:
        count += len(run.index.find(name, run.model).places)
        if split_name(name)[0] and count <= _FIRST:
            found.append(name)
    return found


def names_to_draw(index: ColumnIndex, group: Sequence[str], model: str) -> tuple[str, ...]:
    """The quantities a group stands for: with patterns expanded, and all of them where it is empty.

    All are those that belong to instances; the counters of the run only where there is nothing else.
    Raises ParameterError for unknown names, and where nobody named the curves and there are
    none, or more than a picture can show.
    """
    quantities = index.quantities
    names = (
        index.expanded(group, model) or tuple(name for name in quantities if split_name(name)[0]) or tuple(quantities)
    )
    curves = sum(len(index.find(name, model).places) for name in names)
    if (not group or any("*" in name for name in group)) and not 0 < curves <= _MOST:
        what = (
            f"{', '.join(group)} stands for {curves} curves"
            if group
            else f"{curves} curves are recorded, and none was named"
        )
        raise ParameterError(
            f"{what}; unless they are named one by one up to {_MOST} are drawn",
            model=model,
            fix=f"name what to plot, among {listed(names)}" if names else "record a quantity",
        )
    return names


def _panels(trajectory: Samples, names: Sequence[str], panels: str) -> list[_AxesCurves]:
    """Groups the columns of ``names``, keeping the order in which they were asked for."""
    groups: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for name in dict.fromkeys(names):
        for place in trajectory.index.find(name, trajectory.model).places:
            unit = trajectory.columns[place].unit
            # Numbers without a unit have nothing in common: each quantity its own panel.
            owner = name if panels == "name" or not unit else ""
            groups.setdefault((owner, unit), []).append((name, place))
    return [
        _AxesCurves(
            tuple(dict.fromkeys(name for name, _ in curves)), tuple(dict.fromkeys(place for _, place in curves)), unit
        )
        for (_, unit), curves in groups.items()
    ]


def _merged(groups: Sequence[_AxesCurves]) -> _AxesCurves:
    units = {panel.unit for panel in groups}
    return _AxesCurves(
        tuple(name for panel in groups for name in panel.names),
        tuple(dict.fromkeys(place for panel in groups for place in panel.places)),
        units.pop() if len(units) == 1 else "",
    )


def _draw_panel(
    trajectory: Samples, panel: _AxesCurves, paper: Canvas, place: Axes, style: str, line: dict[str, Any]
) -> list[Artist]:
    columns = [trajectory.columns[index] for index in panel.places]
    headings = _headings(trajectory, panel)
    # Impulses differ by their few peaks, so only those that agree throughout are the same.
    near = 1e-6 if all(kind(column) == "stem" for column in columns) else 0.01
    hidden = overlaps([trajectory.table[:, index] for index in panel.places], near=near)
    artists = []
    for index, column, text, below in zip(panel.places, columns, headings, hidden, strict=True):
        options = {"label": literal(text), **over(below), **line}
        values = trajectory.table[:, index]
        artists.append(draw(place, trajectory.time, values, column, style, options))
    unit = prefix_axis(place.yaxis, panel.unit)
    place.set_ylabel(literal(_panel_label(replace(panel, unit=unit), alone=len(paper.axes) == 1)))
    paper.scale(place, counts=not any(split_name(column.name)[0] for column in columns))
    paper.legend(place, headings)
    return artists


def _headings(trajectory: Samples, panel: _AxesCurves) -> list[str]:
    """What the legend calls the curves: with their units where these differ."""
    columns = [trajectory.columns[index] for index in panel.places]
    mixed = len({column.unit for column in columns}) > 1
    return [column.heading if mixed else column.name for column in columns]


def _panel_label(panel: _AxesCurves, *, alone: bool) -> str:
    """The names and the unit where they fit beside the panel; many names are for the legend."""
    text = with_unit(", ".join(panel.names), panel.unit)
    if len(text) <= (_TALL if alone else _LABEL):
        return text
    if len(panel.names) > 1:
        shared = {split_name(name)[1] for name in panel.names}
        return with_unit(shared.pop() if len(shared) == 1 else "", panel.unit).strip()
    instance, dot, rest = panel.names[0].partition(".")
    if not dot:
        return with_unit(panel.names[0], panel.unit).replace(" [", "\n[")
    return f"{instance}\n{with_unit(rest, panel.unit)}"


def _spelled_out(line: dict[str, Any]) -> dict[str, Any]:
    """Matplotlib's options under their long names, so that ``lw`` replaces a default."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return normalize_kwargs(line, Line2D)


def _axis_label(trajectory: Samples, name: str, quantity: NamedColumns, axis: Axis) -> str:
    units = {trajectory.columns[place].unit for place in quantity.places}
    return literal(with_unit(name, prefix_axis(axis, units.pop()) if len(units) == 1 else ""))


def _rate_name(trajectory: Samples, name: str) -> str:
    stem, bracket, component = name.rpartition("[") if name.endswith("]") else (name, "", "")
    rate = f"{stem}_dot{bracket}{component}"
    if rate not in trajectory:
        raise ParameterError(
            f"no rate of {name!r} was recorded under the name {rate!r}",
            model=trajectory.model,
            fix=f"say which quantity is the rate, rate=..., among {listed(trajectory.names)}",
        )
    return rate
