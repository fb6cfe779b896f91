"""Pictures of sections, diagrams, branches, responses and basins: axes with names and units, in any format."""

from typing import Any

import numpy as np

from nsdgen.record.columns import with_unit
from nsdgen.study.canvas import canvas
from nsdgen.study.curves import literal
from nsdgen.study.plot import Plot

_SIZE = (6.4, 4.6)
"""Inches: a column of a paper takes it at 55 %."""
_POINT = 1e-7
"""Of their size: values that differ by less are one."""
_LEGEND_DOT = 4.0
"""Times as large as in the diagram: a single dot there says nothing of its colour."""
_DOTS: dict[str, Any] = {"linestyle": "", "marker": ".", "markersize": 2.5, "markeredgewidth": 0}


def section_plot(section: Any, across: str | None, up: str | None, *, axes: Any = None, **line: Any) -> Plot:
    """Points of a section: by default its first two columns."""
    first, second = across or section.columns[0], up or section.columns[min(1, len(section.columns) - 1)]
    paper = canvas(section.where, axes, 1, _SIZE)
    place = paper.axes[0]
    artists = place.plot(section[first], section[second], **{**_DOTS, **line})
    for values, limits in ((section[first], place.set_xlim), (section[second], place.set_ylim)):
        if len(values) and np.ptp(values) < _POINT * np.abs(values).max():  # one point, and rounding about it
            limits(np.mean(values) - np.abs(values).max(), np.mean(values) + np.abs(values).max())
    place.set_xlabel(literal(_label(section, first)))
    place.set_ylabel(literal(_label(section, second)))
    return Plot(paper.figure, paper.axes, tuple(artists))


def _label(section: Any, name: str) -> str:
    if name in ("phase", "time"):
        return "phase [periods]" if name == "phase" else "t [s]"
    units = dict(zip(section.columns, section.units, strict=True))
    full = next((c for c in section.columns if name in (c, c.partition(".")[2])), name)
    return with_unit(full, units.get(full, ""))


def diagram_plot(diagram: Any, column: str | None, *, axes: Any = None, **line: Any) -> Plot:
    """A column of the sections over the parameter: upwards, and downwards where that is another attractor."""
    known = next(s for s in (*diagram.up, *diagram.down) if s is not None)
    name = column or known.columns[0]
    paper = canvas(known.where, axes, 1, _SIZE)
    place, artists, labels = paper.axes[0], [], []
    for word, way, only in (
        ("upwards", diagram.up, None),
        ("downwards, another attractor", diagram.down, diagram.coexist),
    ):
        pairs = [
            (np.full(len(s), p), s[name])
            for k, (p, s) in enumerate(zip(diagram.values, way, strict=True))
            if s is not None and (only is None or only[k])
        ]
        if pairs:
            x, y = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
            artists += place.plot(x, y, label=word, **{**_DOTS, **line})
            labels.append(word)
    place.set_xlabel(literal(with_unit(diagram.parameter, diagram.unit)))
    place.set_ylabel(literal(_label(known, name)))
    paper.legend(place, labels, enlarged=_LEGEND_DOT)
    return Plot(paper.figure, paper.axes, tuple(artists))


def branch_plot(branch: Any, column: str | None = None, *, axes: Any = None, **line: Any) -> Plot:
    """The largest value of a column along each orbit over the parameter: stable drawn through, unstable dashed."""
    name = column or branch.orbits[0].columns[0]
    paper = canvas(f"period {branch.orbits[0].period:.6g} s", axes, 1, _SIZE)
    place, artists = paper.axes[0], []
    peak = np.array([orbit.motion[name].max() for orbit in branch.orbits])
    stable = np.array([orbit.stable for orbit in branch.orbits])
    # With the way to its neighbours, so that no gap is left.
    unstable = ~stable | np.append(~stable[1:], False) | np.append(False, ~stable[:-1])
    for shown, style, word in ((stable, "-", "stable"), (unstable, "--", "unstable")):
        options = {"linestyle": style, "color": "#0b5fa5" if style == "-" else "#d1600a", **line}
        artists += place.plot(branch.values, np.where(shown, peak, np.nan), label=word, **options)
    for special in branch.special:
        height = special.orbit.motion[name].max()
        artists += place.plot([special.value], [height], "o", color="#222222", markersize=5)
        place.annotate(
            literal(special.kind), (special.value, height), (4, 6), textcoords="offset points", fontsize="small"
        )
    unit = branch.orbits[0].motion.unit(name)
    parameters = branch.orbits[0].motion.origin.record.parameters
    of = next((p.unit for p in parameters if p.name == branch.parameter), "")
    place.set_xlabel(literal(with_unit(branch.parameter, of)))
    place.set_ylabel(literal(with_unit(f"largest {name}", unit)))
    paper.legend(place, ["stable", "unstable"])
    return Plot(paper.figure, paper.axes, tuple(artists))


def exponents_plot(exponents: Any, *, axes: Any = None, **line: Any) -> Plot:
    """The means of the exponents over the first periods, and the standard errors of the last ones as bands."""
    paper = canvas("Lyapunov exponents", axes, 1, _SIZE)
    place, artists = paper.axes[0], []
    count = np.arange(1, len(exponents.logarithms) + 1)
    labels = [f"{value:.4g} ± {error:.1g}" for value, error in zip(exponents.values, exponents.errors, strict=True)]
    for k, label in enumerate(labels):
        if not np.isfinite(exponents.values[k]):
            continue
        means = np.cumsum(exponents.logarithms[:, k]) / count / exponents.period
        artists += place.plot(count, means, label=label, **line)
        low, high = (exponents.values[k] + s * exponents.errors[k] for s in (-1, 1))
        place.axhspan(low, high, alpha=0.2, color=artists[-1].get_color(), linewidth=0)
    place.axhline(0, color="#888888", linewidth=0.6)
    place.set_xlabel("periods")
    place.set_ylabel(literal(with_unit("exponent", "1/s")))
    paper.legend(place, labels)
    return Plot(paper.figure, paper.axes, tuple(artists))


def response_plot(response: Any, *, axes: Any = None, **line: Any) -> Plot:
    """Amplitude, and the phase of the first harmonic, over the frequency."""
    paper = canvas(response.column, axes, 2, (6.4, 5.6))
    top, bottom = paper.axes[0], paper.axes[-1]
    artists = top.plot(response.values, response.amplitude, **line)
    artists += bottom.plot(response.values, np.degrees(np.unwrap(np.angle(response.harmonic))), **line)
    top.set_ylabel(literal(with_unit("amplitude", response.unit)))
    bottom.set_ylabel("phase [deg]")
    bottom.set_xlabel("frequency [rad/s]")
    return Plot(paper.figure, paper.axes, tuple(artists))


def basins_plot(basins: Any, *, axes: Any = None, **options: Any) -> Plot:
    """The grid in a colour for each attractor, white for none, and the attractors' points."""
    from matplotlib.colors import ListedColormap

    paper = canvas("basins", axes, 1, _SIZE)
    place = paper.axes[0]
    colours = ListedColormap(["#ffffff", "#9cc4e4", "#f3c99f", "#a9d8bf", "#e3a6c0", "#c9bdea", "#dccb94"])
    shown = np.where(basins.which < 0, 0, 1 + basins.which % 6)
    mesh = place.pcolormesh(*basins.axes, shown.T, cmap=colours, vmin=0, vmax=6, shading="nearest", **options)
    points = [
        place.plot(*attractor[:, basins.places].T, ".", color="#222222", markersize=6)[0]
        for attractor in basins.attractors
    ]
    place.set_xlim(*np.asarray(basins.axes[0])[[0, -1]])
    place.set_ylim(*np.asarray(basins.axes[1])[[0, -1]])
    place.set_xlabel(literal(with_unit(basins.names[0], basins.units[0])))
    place.set_ylabel(literal(with_unit(basins.names[1], basins.units[1])))
    return Plot(paper.figure, paper.axes, (mesh, *points))
