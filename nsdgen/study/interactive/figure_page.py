"""A figure as one page that fetches nothing: its curves as numbers, drawn, zoomed and read off in the browser.

What matplotlib drew is what the page shows: lines with their steps and dashes, stems, dots, labels, scales, colours.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.study.pages import page_of
from nsdgen.study.prefixes import shown_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_TEMPLATE = Path(__file__).with_name("figure.html")


def figure_page(figure: Figure) -> str:
    """The text of the page of a figure.

    Equal series of numbers are held once. Panels whose abscissae matplotlib shares are zoomed together. Numbers are in
    single precision, relative to the range of their series: far below a pixel. Raises ``ParameterError`` for a picture
    of an area.
    """
    from matplotlib.collections import QuadMesh

    if any(isinstance(drawn, QuadMesh) for place in figure.axes for drawn in place.collections):
        raise ParameterError(
            "a page shows curves, and this is a picture of an area", where="plot", fix="save it as .png, .svg or .pdf"
        )
    packed = _PackedCurves()
    panels = [_panel(place, packed) for place in figure.axes if place.axison]
    title = _plain(figure.get_suptitle())
    scene = {"title": title, "shared": _share_time(figure.axes), "panels": panels}
    return page_of(_TEMPLATE, title or "figure", scene, packed.whole(), ("figure.js",))


def _plain(text: str) -> str:
    """What a label says, where it escapes a dollar sign for matplotlib."""
    return text.replace(r"\$", "$")


def _share_time(places: list[Axes]) -> bool:
    first = places[0]
    return len(places) > 1 and all(first.get_shared_x_axes().joined(first, other) for other in places[1:])


class _PackedCurves:
    """Series of single-precision numbers, each once, as offset and scale of a row of bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._known: dict[bytes, dict[str, Any]] = {}
        self._count = 0

    def add(self, values: Any) -> dict[str, Any]:
        """Where the numbers lie, from which value they count, and in what unit."""
        numbers = np.asarray(values, dtype=float).ravel()
        finite = numbers[np.isfinite(numbers)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        with np.errstate(over="ignore"):
            span = high - low
        if not np.isfinite(span) or span <= 0.0:
            low, span = (low, 1.0) if span == 0.0 else (0.0, max(abs(low), abs(high)))
        data = np.where(np.isfinite(numbers), (numbers - low) / span, np.nan).astype("<f4").tobytes()
        found = {"n": numbers.size, "at": self._count, "low": low, "span": span}
        key = data + repr((low, span)).encode()
        if key not in self._known:
            self._known[key] = found
            self._parts.append(data)
            self._count += numbers.size
        return self._known[key]

    def whole(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)


def _panel(place: Axes, packed: _PackedCurves) -> dict[str, Any]:
    return {
        "x": {"label": _plain(place.get_xlabel()), "ends": list(place.get_xlim()), "log": place.get_xscale() == "log"},
        "y": {"label": _plain(place.get_ylabel()), "ends": list(place.get_ylim()), "log": place.get_yscale() == "log"},
        "factors": [shown_unit(axis) for axis in (place.xaxis, place.yaxis)],
        "title": _plain(place.get_title()),
        "levels": list(_levels(place)),
        "notes": [[*map(float, note.xy), _plain(note.get_text())] for note in place.texts if hasattr(note, "xy")],
        "curves": [*_lines(place, packed), *_stems(place, packed), *_dots(place, packed)],
    }


def _levels(place: Axes) -> Iterator[dict[str, Any]]:
    """Lines and bands from side to side: where they end, and colours."""
    from matplotlib.colors import to_hex

    sideways = place.get_yaxis_transform(which="grid")
    for line in place.lines:
        if line.get_transform() == sideways:
            yield {"colour": to_hex(line.get_color()), "ends": [float(np.asarray(line.get_ydata())[0])] * 2}
    for patch in place.patches:
        if patch.get_data_transform() == sideways:
            up = patch.get_patch_transform().transform(patch.get_path().vertices)[:, 1]
            yield {"colour": to_hex(patch.get_facecolor()), "ends": [float(up.min()), float(up.max())]}


def _lines(place: Axes, packed: _PackedCurves) -> Iterator[dict[str, Any]]:
    from matplotlib.colors import to_hex

    for line in place.lines:
        across, up = (np.asarray(v, dtype=float) for v in (line.get_xdata(), line.get_ydata()))
        if across.size and line.get_visible() and line.get_transform() == place.transData:
            lined = line.get_linestyle() not in ("None", "")
            yield {
                "name": _name(line),
                "colour": to_hex(line.get_color() if lined else _seen(line)),  # type: ignore[arg-type]
                "width": line.get_linewidth() if lined else 0,
                "dashes": [4, 3] if line.is_dashed() else [],
                "steps": line.get_drawstyle() == "steps-pre",
                "dot": 0 if line.get_marker() in ("None", "", None) else line.get_markersize() / 2,
                "x": packed.add(across),
                "y": packed.add(up),
            }


def _seen(line: Any) -> Any:
    """The colour of a marker: of its edge where its face is white."""
    from matplotlib.colors import to_hex

    face = to_hex(line.get_markerfacecolor())
    return line.get_markeredgecolor() if face == "#ffffff" else face


def _stems(place: Axes, packed: _PackedCurves) -> Iterator[dict[str, Any]]:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_hex

    for stems in place.collections:
        if isinstance(stems, LineCollection) and (segments := stems.get_segments()):
            yield {
                "name": _name(stems),
                "colour": to_hex(stems.get_color()[0]),  # type: ignore[index, arg-type]
                "width": float(np.atleast_1d(stems.get_linewidth())[0]),
                "stem": float(segments[0][0][1]),
                "x": packed.add([segment[-1][0] for segment in segments]),
                "y": packed.add([segment[-1][1] for segment in segments]),
            }


def _dots(place: Axes, packed: _PackedCurves) -> Iterator[dict[str, Any]]:
    from matplotlib.collections import PathCollection
    from matplotlib.colors import to_hex

    for dots in place.collections:
        offsets = np.asarray(dots.get_offsets(), dtype=float)
        if isinstance(dots, PathCollection) and len(offsets):
            yield {
                "name": _name(dots),
                "colour": to_hex(dots.get_facecolor()[0]),  # type: ignore[index, arg-type]
                "width": 0,
                "dot": max(0.6, float(np.sqrt(dots.get_sizes()[0])) / 2),
                "x": packed.add(offsets[:, 0]),
                "y": packed.add(offsets[:, 1]),
            }


def _name(artist: Any) -> str:
    """What the legend calls it; empty for what has no name of its own."""
    label = str(artist.get_label())
    return "" if label.startswith("_") else _plain(label)
