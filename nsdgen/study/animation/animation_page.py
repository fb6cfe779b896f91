"""The page of an animation: one file with viewer, three.js and numbers, which fetches nothing.

Numbers are what the eye sees: positions in 1/65535 of the range of their coordinate, as differences from instant to
instant, deflated.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from nsdgen.study.animation.picture import Drawn, Picture, Values
from nsdgen.study.pages import deflated, page_of
from nsdgen.study.samples import Samples

_HERE = Path(__file__).parent
_FEW = 100
"""Up to so many figures each carries the columns that the pointer shows with it; more would make the file large."""

_LEVELS = 65535
"""Of a 16-bit number: 1/65535 of a coordinate's range is below a pixel of any screen."""


_VIEWER = ("numbers.js", "spheres.js", "planes.js", "drawn.js", "viewer.js")
"""The viewer's files in the order in which a page has them."""


def rows_to_show(record: Samples, frames: int) -> Values:
    """About ``frames`` rows, evenly spaced in time, the first and the last among them."""
    return np.unique(rows_at(record, np.linspace(record.time[0], record.time[-1], min(frames, len(record)))))


def rows_at(record: Samples, instants: Values) -> Values:
    """The last row at or before each of these instants; the first one before the run."""
    rounding = 1e-9 * float(record.time[-1] - record.time[0]) / len(record)
    rows: Any = np.searchsorted(record.time, instants + rounding, side="right") - 1
    found: Values = np.clip(rows, 0, len(record) - 1)
    return found


def page(runs: Mapping[str, tuple[Samples, Picture]], plotted: Sequence[str], title: str, subtitle: str) -> str:
    """The text of the page; ``runs`` are drawn one over the other, the first one in full colour."""
    packed = _Packed()
    scene = {"runs": [_run(name, *run, plotted, packed) for name, run in runs.items()]}
    return page_of(
        _HERE / "viewer.html",
        title,
        scene,
        packed.whole(),
        _VIEWER,
        SUBTITLE=html.escape(subtitle),
        LICENCE=(_HERE / "three.LICENSE").read_text(encoding="utf-8"),
        THREE=deflated((_HERE / "three.module.min.js").read_bytes()),
    )


class _Packed:
    """Series of numbers, one after the other, in 16 bits."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._count = 0

    def add(self, series: Values) -> dict[str, Any]:
        """Where n numbers lie, their range, and where ``gaps`` without a number begin and end."""
        there = np.isfinite(series)
        low, high = (float(series[there].min()), float(series[there].max())) if there.any() else (0.0, 0.0)
        ends = np.flatnonzero(np.diff(there, prepend=True, append=True)).tolist()
        gaps = {} if there.all() else {"gaps": ends}
        series = np.where(there, series, low)
        if low == high:
            return {"low": low} | gaps
        levels = np.rint((series - low) * (_LEVELS / (high - low))).astype(np.uint16)
        self._parts.append(np.diff(levels, prepend=np.uint16(0)).astype("<u2").tobytes())
        self._count += levels.size
        return {"low": low, "high": high, "at": self._count - levels.size} | gaps

    def whole(self) -> bytes:
        """All of them."""
        return b"".join(self._parts)


def _run(name: str, record: Samples, picture: Picture, plotted: Sequence[str], packed: _Packed) -> dict[str, Any]:
    shown = {c for d in picture.drawn for c in d.shown} if len(picture.drawn) <= _FEW else set()
    units = {column.name: column.unit for column in record.columns}
    rows = rows_at(record, picture.time)
    return {
        "name": name,
        "n": len(picture.time),
        "time": [float(f"{t:.9g}") for t in picture.time],
        "planar": picture.planar,
        "up": picture.up,
        "drawn": [_drawn(d, packed, bool(shown)) for d in picture.upright().drawn],
        "columns": {
            c: {"unit": units[c]} | packed.add(_peaks(record[c], rows) if c in plotted else record[c][rows])
            for c in sorted(shown | set(plotted))
            if c in units
        },
        "plotted": [c for c in plotted if c in units],
    }


def _peaks(series: Values, rows: Any) -> Values:
    """Of each interval between rows the value that is farthest from the one before: no impact falls between two."""
    found = series[rows].copy()
    for k in range(1, len(rows)):
        part = series[rows[k - 1] + 1 : rows[k] + 1]
        found[k] = part[np.argmax(np.abs(part - series[rows[k - 1]]))]
    return found


def _drawn(drawn: Drawn, packed: _Packed, with_columns: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "kind": drawn.kind,
        "name": drawn.name,
        "values": [packed.add(np.ascontiguousarray(column)) for column in drawn.values.T],
    }
    if drawn.solids:
        found["solids"] = [asdict(solid) for solid in drawn.solids]
    if drawn.unit:
        found["unit"] = drawn.unit
    if with_columns and drawn.shown:
        found["shown"] = list(drawn.shown)
    return found
