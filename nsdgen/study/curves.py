"""How one column is drawn: a line, steps or stems, by what kind of quantity it is.

Positions and velocities are lines. What is constant over a step (a force, a mode, a count)
is drawn as steps: the value at t_{k+1} holds on (t_k, t_{k+1}]. What acts at an instant (an
impulse) is a stem where it is not zero; a contact that stays closed has an impulse in every
step, and is drawn as steps again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.record.columns import Column, split_name

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from nsdgen.study.samples import Samples

STYLES = ("auto", "line", "step", "stem")
_DASHES = ((0, (6, 3)), (0, (3, 6)), (0, (1.5, 7.5)))  # over one, two, more curves
_SAMPLES = 2000  # instants at which curves are compared
_JUMP = 4.0  # times the usual change of a rate over a step, from which on it jumps: others begin to be pushed
_MARKED = 60  # stems that still look well with a head each
_IMPULSIVE_UNITS = frozenset({"N s", "N*s", "N·s", "Ns", "N m s", "N*m*s", "N·m·s", "kg m/s"})
_STEPWISE = ("lam", "lambda", "multiplier", "reaction", "force", "mode", "active")


def kind(column: Column) -> str:
    """``"stem"``, ``"step"`` or ``"line"``: how a column is best drawn."""
    instance, quantity, _ = split_name(column.name)
    if column.unit in _IMPULSIVE_UNITS or "impulse" in quantity:
        return "stem"
    if not instance or quantity.split("_")[0] in _STEPWISE:
        return "step"
    return "line"


def overlaps(curves: Sequence[NDArray[np.float64]], *, near: float = 0.01) -> list[int]:
    """For each curve (n,), how many of those before it it would hide, being the same to the eye.

    Two curves are the same where they differ by less than ``near`` of the panel's height at nine of
    ten instants; those where both are zero do not count.
    """
    thinned = [curve[:: max(1, -(-curve.size // _SAMPLES))] for curve in curves]
    finite = [curve[np.isfinite(curve)] for curve in thinned]
    ends = [(part.min(), part.max()) for part in finite if part.size]
    if not ends:
        return [0] * len(curves)
    with np.errstate(over="ignore", invalid="ignore"):
        near *= max(high for _, high in ends) - min(low for low, _ in ends)
        return [sum(_same(curve, other, near) for other in thinned[:number]) for number, curve in enumerate(thinned)]


def _same(a: NDArray[np.float64], b: NDArray[np.float64], near: float) -> bool:
    acting = (a != 0.0) | (b != 0.0)
    a, b = a[acting], b[acting]
    alike = (np.abs(a - b) <= near) | (a == b) | (np.isnan(a) & np.isnan(b))
    return bool(np.count_nonzero(alike) >= 0.9 * a.size)


def over(number: int) -> dict[str, Any]:
    """The options of a curve drawn over ``number`` equal ones: dashes that let them be seen."""
    return {"linestyle": _DASHES[min(number, len(_DASHES)) - 1]} if number else {}


def draw(
    place: Axes,
    time: NDArray[np.float64],
    values: NDArray[np.float64],
    column: Column,
    style: str,
    options: dict[str, Any],
) -> Artist:
    """Draw ``values`` (n,) of ``column`` against ``time`` (n,); returns the labelled artist."""
    chosen = style
    if style == "auto":
        chosen = "step" if kind(column) == "stem" and _lasting(values) else kind(column)
    if chosen == "stem":
        return _stems(place, time, values, options)
    step = {"drawstyle": "steps-pre", "linewidth": 1.1}
    shape = step if chosen == "step" else {"linewidth": 1.4}
    (curve,) = place.plot(time, values, **{**shape, **options})
    return curve


def _lasting(values: NDArray[np.float64]) -> bool:
    """Whether stems would fill the panel: many, and at most instants."""
    return int(np.count_nonzero(values)) > max(_MARKED, values.size // 2)


def _stems(place: Axes, time: NDArray[np.float64], values: NDArray[np.float64], options: dict[str, Any]) -> Artist:
    acting = np.isfinite(values) & (values != 0.0)
    t, v = time[acting], values[acting]
    # An empty line takes its turn in the colour cycle, which collections do not.
    (key,) = place.plot([], [])
    colour = options.get("color", key.get_color())
    key.remove()
    width = 1.4 if t.size <= _MARKED else 0.8
    stems = place.vlines(t, 0.0, v, **{"linewidth": width, "color": colour, **options})
    place.axhline(0.0, color=colour, linewidth=0.8, alpha=0.5, zorder=0.9)
    if t.size <= _MARKED:
        place.plot(t, v, "o", color=colour, markersize=3.5)
    if time.size:  # the axis covers the whole run, not only the time of the first to last stem
        place.update_datalim([(time[0], 0.0), (time[-1], 0.0)])
        place.autoscale_view()
    return stems


def impacts(record: Samples) -> NDArray[np.intp]:
    """The rows at which an impulse begins to act; where it lasts, the first ones alone."""
    begins = np.zeros(len(record), dtype=bool)
    for place, column in enumerate(record.columns):
        if kind(column) == "stem":
            acting = record.table[:, place] != 0.0
            begins[1:] |= acting[1:] & ~acting[:-1]
    return np.flatnonzero(begins)


def draw_phase(
    place: Axes, across: NDArray[np.float64], up: NDArray[np.float64], struck: NDArray[np.intp], options: dict[str, Any]
) -> list[Artist]:
    """A phase curve (n,) against (n,): itself, a ring at its start, a dot at its end, its jumps at rows ``struck``."""
    jumps = _jumps(up, struck)
    (curve,) = place.plot(np.insert(across, jumps, np.nan), np.insert(up, jumps, np.nan), **options)
    head: dict[str, Any] = {"marker": "o", "linestyle": "", "zorder": 3}
    ring: dict[str, Any] = {"markeredgecolor": curve.get_color(), "markerfacecolor": "white", "markersize": 6.5}
    dot: dict[str, Any] = {"markeredgecolor": "white", "markerfacecolor": curve.get_color(), "markersize": 8}
    drawn: list[Artist] = [
        curve,
        *place.plot(across[:1], up[:1], **head, **ring),
        *place.plot(across[-1:], up[-1:], **head, **dot),
    ]
    if jumps.size:
        ends = np.full(3 * jumps.size, np.nan), np.full(3 * jumps.size, np.nan)
        for values, end in zip((across, up), ends, strict=True):
            end[0::3], end[1::3] = values[jumps - 1], values[jumps]
        thin: dict[str, Any] = {"color": curve.get_color(), "linewidth": 0.6, "alpha": 0.7}
        drawn += place.plot(*ends, **thin, linestyle=(0, (4, 3)))
        drawn += place.plot(across[jumps], up[jumps], "x", color=curve.get_color(), markersize=3.5)
    return drawn


def _jumps(up: NDArray[np.float64], struck: NDArray[np.intp]) -> NDArray[np.intp]:
    """The rows at which a rate jumps: it changes there far more than over a usual step."""
    changes = np.abs(np.diff(up))
    usual = np.median(changes[np.isfinite(changes)]) if np.isfinite(changes).any() else 0.0
    return struck[changes[struck - 1] > _JUMP * usual] if struck.size else struck


def literal(text: str) -> str:
    """``text`` for a label, drawn as it stands: a dollar sign begins no formula."""
    return text.replace("$", r"\$")
