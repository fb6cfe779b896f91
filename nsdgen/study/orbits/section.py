"""Sections of a motion: states once a period, at events of a kind (an impact map), or where a plane is crossed.

A section at a phase or at a plane of an orbit is what its map acts on; one at impacts shows what they do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize

from nsdgen.base.checks import finite_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.record.step_record import Layout
from nsdgen.study.events import check_event
from nsdgen.study.orbits.flow import Array, OrbitFlow, again, flow_of, named, period_of, started
from nsdgen.study.trajectory import Trajectory

_NEXT = 1e-6
"""Of the time between two rows: motions are straight so long, to rounding, and no shorter ones are run."""


@dataclass(frozen=True)
class Section:
    """Points of a motion, in order: ``times`` (k,) [s] and a ``table`` (k, c) of ``columns`` with their ``units``.

    Columns are the n states, then what the model's ``outputs`` record. ``where`` says in words where they were taken;
    ``phases`` (k,) are times as shares of the period, if there is one.
    """

    columns: tuple[str, ...]
    units: tuple[str, ...]
    where: str
    times: Array
    table: Array
    n: int
    phases: Array | None

    @property
    def states(self) -> Array:
        """The states (k, n) alone."""
        return self.table[:, : self.n]

    def __len__(self) -> int:
        return len(self.times)

    def __getitem__(self, name: str) -> Array:
        """A column, found by its name or its last part; ``"phase"`` and ``"time"`` besides."""
        if name in ("phase", "time"):
            found = self.phases if name == "phase" else self.times
            if found is not None:
                return found
        fits = [k for k, c in enumerate(self.columns) if name in (c, c.partition(".")[2])]
        if len(fits) != 1:
            raise ParameterError(
                f"{name!r} is no column of the section", fix=f"choose one of {', '.join(self.columns)}"
            )
        return np.asarray(self.table[:, fits[0]])

    def plot(self, across: str | None = None, up: str | None = None, **options: Any) -> Any:
        """Draw its points; across and up are columns, ``phase`` or ``time``. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import section_plot

        return section_plot(self, across, up, **options)


def cut_through(flow: OrbitFlow, run: Trajectory, at: Any, period: float | None, since: float, model: Any) -> Section:
    """The points of a run from a time on; see :func:`poincare_section`."""
    layout = Layout.of(flow.compiled.record)
    observed = [
        first + k
        for o, first in zip(flow.compiled.record.outputs, layout.outputs, strict=True)
        for k in range(len(o.labels))
    ]
    places = [*flow.places(run), *observed]
    columns, units = zip(*((run.columns[k].name, run.columns[k].unit) for k in places), strict=True)
    if isinstance(at, str):
        chosen = [e for e in run.events if at in (f"{e.name}.{e.kind}", e.kind) and e.time >= since]
        times, table = np.array([e.time for e in chosen]), run.table[[e.before for e in chosen]][:, places]
        where = f"before each {at}"
    elif isinstance(at, tuple):
        times, table = _crossings(flow, run, at, since, model, places)
        where = f"where {flow.columns[named(flow, at[0], model)]} passes {float(at[1]):g}"
    else:
        length = period_of(flow, at)
        grid = flow.start + length * np.arange(int((run.time[-1] - flow.start) / length * (1 + 1e-12) + 1e-9) + 1)
        rows = np.searchsorted(run.time, grid - 1e-9 * length)
        keep = grid >= since - 1e-9 * length
        times, table, where = grid[keep], run.table[rows[keep]][:, places], "once a period"
    phases = None if period is None else (times / period) % 1.0
    return Section(columns, units, where, times, table.reshape(len(times), len(places)), len(flow.columns), phases)


def _crossings(
    flow: OrbitFlow, run: Trajectory, at: tuple[Any, ...], since: float, model: Any, places: Sequence[int]
) -> tuple[Array, Array]:
    """Where a state passes a value, upwards unless ``at`` ends with ``"falling"``: to rounding, by the flow itself."""
    column = flow.columns[named(flow, at[0], model)]
    value = finite_number(at[1], model=flow.compiled.name, where="at")
    sign = -1.0 if at[2:] == ("falling",) else 1.0
    off = sign * (run[column] - value)
    rows = np.flatnonzero((off[:-1] < 0) & (off[1:] >= 0) & (np.diff(run.time) > 0) & (run.time[1:] >= since))
    times, found = [], []
    for k in map(int, rows):

        def after(t: float, k: int = k) -> Trajectory:
            return again(run, k, t, t - run.time[k])

        begin, high = float(run.time[k]), float(run.time[k + 1])
        low = begin + _NEXT * (high - begin)
        miss = lambda t, after=after: sign * (after(t)[column][-1] - value)  # noqa: E731
        t, share, there = high, 1.0, miss(low)
        if there >= 0:  # so soon after the row that the way there is straight
            t, share = low, float(off[k] / (off[k] - there))
        elif off[k + 1] > 0:
            t = scipy.optimize.brentq(miss, low, high, xtol=1e-13 * high)
        if begin + share * (t - begin) >= since:
            times.append(begin + share * (t - begin))
            found.append((1 - share) * run.table[k, places] + share * after(t).table[-1, places])
    return np.array(times), np.array(found).reshape(len(times), len(places))


@named_arguments
def poincare_section(
    model: Any,
    at: Any,
    *,
    end: float | None = None,
    since: float | None = None,
    period: Any = None,
    near: Any = None,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
) -> Section:
    """The points at which a motion passes a section, from ``since`` [s] on (the start) until ``end`` (the model's).

    ``at`` is a period [s] (a number or an expression of parameters): states once a period; the name of an event
    (``"wall.closes"``, ``"closes"`` for all): states just before it, an impact map; or ``(coordinate, value)``, with
    ``"falling"`` as a third: states where it passes the value, to rounding. ``period`` adds phases. Schemes that make
    steps give sections once a period, which is divided into steps as long as the model's or a little shorter. Raises
    ``ParameterError`` for other sections of them: an impact is somewhere in a step there.
    """
    flow = flow_of(model, parameters, options, exact=isinstance(at, str | tuple))
    if isinstance(at, str):
        check_event(flow.compiled.record, at, "at")
    if isinstance(at, tuple) and (len(at) < 2 or at[2:] not in ((), ("falling",))):
        raise ParameterError(
            f"{at!r} is no plane",
            model=flow.compiled.name,
            where="at",
            fix='give (coordinate, value), or (coordinate, value, "falling")',
        )
    own = at if not isinstance(at, str | tuple) else period
    length = None if own is None else period_of(flow, own)
    until, begin = (
        default if given is None else finite_number(given, model=flow.compiled.name, where=where)
        for default, given, where in ((flow.compiled.record.end, end, "end"), (flow.start, since, "since"))
    )
    until -= flow.start
    x = started(flow, near, until, 0, model)
    count = 0.0 if length is None else until / length
    if length is None or isinstance(at, str | tuple):
        run = flow.long(x, until, int(np.ceil(count)))
    else:
        periods = int(count * (1 + 1e-12) + 1e-9)
        run = flow.long(x, periods * length if periods else until, periods)
    return cut_through(flow, run, at, length, begin, model)
