"""The flow of a model over a time, and its derivative: what all analyses of orbits are functions of.

The flow is that from event to event: events are located to rounding, so that it is smooth wherever the order of events
does not change, and its derivative has the saltation of time and state at every event in it. The derivative is taken by
central differences, extrapolated over shrinking distances (Ridders, Advances in Engineering Software 4, 1982): no
family, law or scheme has to say anything, and the last two columns of the table say how far off it is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number, whole_number
from nsdgen.errors import ParameterError, of_model
from nsdgen.record.step_record import Layout
from nsdgen.runtime.values import check_mappings
from nsdgen.study.compiled_model import compiled_of
from nsdgen.study.sweep.design import axis_of
from nsdgen.study.trajectory import Trajectory

Array = NDArray[np.float64]
Map = Callable[[Array], Array]

LOOKS = 64
"""Instants of a period at which quantities are looked at besides ends of steps: a graze between two is not missed."""

_SHRINKS = 4.0
"""Distances of differences shrink by this."""

_ROWS = 7
"""Distances that are tried: from a thousandth of a state to 2e-7 of it."""

_FIRST = 1e-3
"""Of the size of a state: the largest distance. The error of the flow, 1e-13, over it is 1e-10."""

_ACCUMULATE = 12
"""Events of one kind in a row from which on their number says nothing."""

_PROJECTIONS = 4
"""Steps of Newton's method towards an admissible state; gaps of states nearby are straight after two."""

_LEAST = 1e-3
"""The least size of a state when gaps are differentiated, in its own unit: one that is zero has no size of its own."""

_MET = 1e-13
"""Of the size of a state: motions that are so near have met. Events leave more, contact leaves less."""

_ALIKE = 1e-6
"""Of the size of a state, and of its derivative: motions a period later are off by rounding of times, which grows."""

_GAP = re.compile(r"\.gap(\[\d+\])?$")

_WORSE = 2.0
"""Times the least error estimate: where the table gives no more, it is left."""


@dataclass(frozen=True)
class OrbitFlow:
    """The flow of a compiled model with everything fixed but the state and what is given to a call.

    ``columns`` name the n states; ``initial`` has the values that are not states of systems; ``start`` is t_0 [s]. Of a
    scheme that makes steps, ``least`` [s] is its step: motions are run with whole steps of a period, no longer ones.
    """

    compiled: Any
    columns: tuple[str, ...]
    parameters: Mapping[str, float]
    options: Mapping[str, float]
    start: float
    initial: Array = field(repr=False)
    least: float = np.inf

    def looks(self, duration: float) -> int:
        """Into how many steps a period is divided."""
        return max(LOOKS, int(np.ceil(duration / self.least * (1 - 1e-9))))

    def run(self, x: Array, duration: float, /, **parameters: float) -> Trajectory:
        """The motion from the state x (n,) over a time [s], with all columns; raises as ``run`` does."""
        self._check_clocks(duration, parameters)
        end = self.start + duration
        step = duration / self.looks(duration)
        found: Trajectory = self.compiled.run(end=end, step=step, **self._from(x, parameters))
        if found.time[-1] < end - 1e-9 * max(abs(end), duration):
            raise ParameterError(
                f"the motion ends at {found.time[-1]:g} s by a condition of its own",
                model=self.compiled.name,
                fix="leave stop_when out of a model whose orbits are looked for",
            )
        return found

    def check_period(self, run: Trajectory, x: Array, sizes: Array, slopes: Array, /, **given: float) -> None:
        """Refuses a time that is no period of the model: the state x moves otherwise when it has passed.

        ``run`` is the motion from x over that time, ``slopes`` (n, n) the derivative of its end in units of ``sizes``
        (n,).
        """
        duration = run.time[-1] - self.start
        ends = self.state(run), self.state(replace(self, start=self.start + duration).run(x, duration, **given))
        off = np.abs(ends[1] - ends[0]) / sizes
        k = int(off.argmax())
        if off[k] > _ALIKE * max(1.0, np.abs(slopes).max()):
            raise ParameterError(
                f"from the same state {self.columns[k]} comes to {ends[0][k]:g} in {duration:g} s, and to "
                f"{ends[1][k]:g} in the {duration:g} s after these",
                model=self.compiled.name,
                where="period",
                fix="give the period of what depends on time, or a multiple of it: 2*pi/omega of sin(omega*t)",
            )

    def long(self, x: Array, duration: float, periods: int) -> Trajectory:
        """A motion over many periods (0: none is known), looked at as often in each as a short one."""
        each = duration / periods if periods else duration
        looks = self.looks(each) * max(periods, 1)
        if not periods:
            looks = max(looks, round(duration / self.compiled.record.step))
        found: Trajectory = self.compiled.run(end=self.start + duration, step=duration / looks, **self._from(x, {}))
        return found

    def _from(self, x: Array, parameters: Mapping[str, float]) -> dict[str, Any]:
        """What a run is told of its start."""
        return {
            "initial": dict(zip(self.columns, np.asarray(x, dtype=float).tolist(), strict=True)),
            "parameters": {**self.parameters, **parameters},
            "options": self.options,
            "start": self.start,
        }

    def state(self, run: Trajectory) -> Array:
        """The state (n,) at the end of a run: where a clock that acts at its start acts again, that before it does."""
        row = -1
        if any(offset == 0 for _, _, offset in self.clocks()):
            row = int(np.searchsorted(run.time, run.time[-1]))
        return np.asarray(run.table[row, self.places(run)])

    def clocks(self, /, **parameters: float) -> list[tuple[str, float, float]]:
        """Name, period and offset [s] of the blocks that act by a clock."""
        names = [p.name for p in self.compiled.record.parameters]
        values = {**self.compiled.parameters, **self.parameters, **parameters}
        return [
            (block.name, values[names[block.period]], values[names[block.offset]])
            for block in self.compiled.record.blocks
            if block.period is not None and block.offset is not None
        ]

    def _check_clocks(self, duration: float, parameters: Mapping[str, float]) -> None:
        """Refuses blocks that act at other instants of each period: clocks count from the start of a run."""
        for name, period, offset in self.clocks(**parameters):
            count = duration / period
            if round(count) < 1 or abs(count - round(count)) > 1e-9 * count or not 0 <= offset < period:
                raise ParameterError(
                    f"the block {name!r} acts at {offset:g} s + k * {period:g} s, not the same in each period of "
                    f"{duration:g} s",
                    model=self.compiled.name,
                    where="period",
                    fix="give a period that is a multiple of the block's, without anchor=, and the block an offset "
                    "below its period",
                )

    def places(self, run: Trajectory) -> list[int]:
        """The columns of the state in a table."""
        return [run.index.one(name, self.compiled.name) for name in self.columns]

    def __call__(self, x: Array, duration: float, /, **parameters: float) -> Array:
        """The state after a time, from the admissible state next to x."""
        return self.state(self.run(self.admissible(x, **parameters), duration, **parameters))

    def admissible(self, x: Array, /, **parameters: float) -> Array:
        """The nearest state in which no gap is negative, to first order: x itself where it is one.

        A contact that is closed leaves a state beside it on one side only, and what is disturbed is brought there.
        """
        for _ in range(_PROJECTIONS):
            gaps = self._gaps(x, parameters)
            low = [k for k, gap in enumerate(gaps) if gap < 0]
            if not low:
                break
            slopes = quick(partial(self._gaps, parameters=parameters), x, np.maximum(np.abs(x), _LEAST))[low]
            x = x - np.linalg.lstsq(slopes, gaps[low], rcond=None)[0]
        return x

    def _gaps(self, x: Array, parameters: Mapping[str, float]) -> Array:
        """The gaps of all contacts in a state."""
        names = self.gaps
        if not names:
            return np.zeros(0)
        at = self.compiled.at_start(**self._from(x, parameters))
        return np.array([at[name] for name in names])

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        """The columns of gaps, which are not negative."""
        return tuple(c.name for c in Layout.of(self.compiled.record).columns if _GAP.search(c.name))

    def beside(self, run: Trajectory, duration: float, sizes: Array, /, **parameters: float) -> Map:
        """The flow near a motion: NaN where other events happen than along it, for there it is another function.

        Motions that meet it in contact, whatever happens before, end where it does; ``sizes`` (n,) are those of states
        (of what rests a motion has none of its own).
        """
        events, end = happened(run), self.state(run)

        def flow(x: Array) -> Array:
            found = self.run(self.admissible(x, **parameters), duration, **parameters)
            there = self.state(found)
            met = (np.abs(there - end) <= _MET * sizes).all()
            return end if met else there if happened(found) == events else np.full(len(x), np.nan)

        return flow


def again(run: Trajectory, row: int, end: float, step: float) -> Trajectory:
    """The motion of a run from one of its rows until another time [s], with steps of another length."""
    told = run.attributes
    options = {name: value for scheme in told["scheme"] for name, value in scheme.items() if name != "scheme"}
    found: Trajectory = run.origin.run(
        restart=(run, row), end=end, step=step, parameters=told["parameters"], options=options
    )
    return found


def happened(run: Trajectory) -> tuple[str, ...]:
    """The events of a motion in order, ``wall.closes``; of many of a kind in a row, which accumulate, the first few."""
    found: list[str] = []
    for event in run.events:
        text = f"{event.name}.{event.kind}".strip(".")
        if len(found) < _ACCUMULATE or any(other != text for other in found[-_ACCUMULATE:]):
            found.append(text)
    return tuple(found)


def differences(function: Map, x: Array, sizes: Array) -> tuple[Array, Array]:
    """The derivative (n, n) of a function at x (n,), and the estimate of each column's error (n,).

    Both in units of the ``sizes`` (n,) of the states: volts and nanocoulombs have one error.
    """
    found = [_along(lambda z: function(z * sizes) / sizes, x / sizes, way, _FIRST) for way in np.eye(len(x))]
    return np.stack([column for column, _ in found], axis=1), np.array([error for _, error in found])


def quick(function: Map, u: Array, sizes: Array, free: Sequence[int] | None = None) -> Array:
    """Central differences at one distance: enough for Newton's method."""
    columns = []
    for i in range(len(u)) if free is None else free:
        h = np.zeros(len(u))
        h[i] = 1e-6 * sizes[i]
        columns.append((function(u + h) - function(u - h)) / (2 * h[i]))
    return np.stack(columns, axis=1)


def _along(function: Map, x: Array, direction: Array, far: float) -> tuple[Array, float]:
    """One directional derivative by the table of Ridders, and its error."""
    best, least = np.zeros(0), np.inf
    before: list[Array] = []
    for k in range(_ROWS):
        h = far / _SHRINKS**k
        row = [(function(x + h * direction) - function(x - h * direction)) / (2 * h)]
        if not np.isfinite(row[0]).all():  # other events that far away
            before = []
            continue
        best = row[0] if not best.size else best
        for j, coarse in enumerate(before):
            factor = _SHRINKS ** (2 * (j + 1))
            row.append((factor * row[j] - coarse) / (factor - 1))
            error = max(np.abs(row[-1] - row[-2]).max(), np.abs(row[-1] - coarse).max())
            if error < least:
                best, least = row[-1], float(error)
        if len(before) > 1 and np.abs(row[-1] - before[-1]).max() >= _WORSE * least:
            break
        before = row
    return (best, least) if best.size else (np.full(len(x), np.nan), np.inf)


def flow_of(
    model: Any,
    parameters: Mapping[Any, float] | None,
    options: Mapping[str, float] | None,
    start: float | None = None,
    *,
    exact: bool = True,
) -> OrbitFlow:
    """The flow of a model, or compiled model; ``exact`` asks for events that are located.

    Raises ``ParameterError`` for schemes that make steps, where that is asked for, and for blocks that remember.
    """
    compiled = compiled_of(model)
    record = compiled.record
    steps = all(option.name != "rtol" for scheme in record.schemes for option in scheme.options)
    if exact and steps:
        raise ParameterError(
            "its scheme makes steps, whose map jumps where an impact moves from one step to the next",
            model=record.name,
            where="scheme",
            fix="use scheme=nsd.EventDriven(), whose flow has a derivative",
        )
    if holding := [block.name for block in record.blocks if block.holds or block.computed]:
        raise ParameterError(
            f"what the block {holding[0]!r} holds is no state of the flow",
            model=record.name,
            fix="give what it remembers as a state of a system",
        )
    columns = tuple(
        f"{s.name}.{n}" for s in record.systems for n in s.initial_names or record.system_classes[s.cls].state_names
    )
    with of_model(record.name):
        check_mappings(parameters=parameters, options=options)
    given = {str(getattr(key, "name", key)): float(v) for key, v in (parameters or {}).items()}
    at = compiled.at_start(parameters=given, options=options or {}, start=start)
    x = np.array([at[name] for name in columns])
    begins = record.start if start is None else float(start)
    return OrbitFlow(compiled, columns, given, options or {}, begins, x, record.step if steps else np.inf)


def check_free(flow: OrbitFlow) -> None:
    """Refuse states that are tied to each other: disturbed one by one none of them is the start of a motion."""
    record = flow.compiled.record
    tied = [s.name for s in record.systems if record.system_classes[s.cls].unit_norm]
    tied += [r.name for r in record.relations if record.relation_classes[r.cls].zero_rows]
    if tied:
        raise ParameterError(
            f"{tied[0]!r} ties states to each other, which cannot be disturbed one by one",
            model=record.name,
            where="orbit",
            fix="describe it by joint coordinates (nsd.Mechanism), or by coordinates that are free",
        )


def named(flow: OrbitFlow, key: Any, model: Any) -> int:
    """Which state a coordinate or column is; raises ``ParameterError`` for what is none."""
    by_column = getattr(model, "_by_column", lambda given: given)
    name = next(iter(by_column({key: 0.0})))
    fits = [k for k, column in enumerate(flow.columns) if name in (column, column.partition(".")[2])]
    if len(fits) != 1:
        raise ParameterError(
            f"{name!r} is no state" if not fits else f"{name!r} could be several states",
            model=flow.compiled.name,
            fix=f"choose one of {', '.join(flow.columns)}",
        )
    return fits[0]


def period_of(flow: OrbitFlow, period: Any, /, **parameters: float) -> float:
    """A period [s]: a number, an expression of parameters such as ``2 * pi / omega``, or a function of their values.

    Raises ``ParameterError`` for what is no finite number above 0.
    """
    found = finite_number(_value_of(flow, period, parameters), model=flow.compiled.name, where="period")
    if found <= 0:
        raise ParameterError(
            f"it is {found:g} s", model=flow.compiled.name, where="period", fix="give a time above 0, or its formula"
        )
    return found


def _value_of(flow: OrbitFlow, period: Any, parameters: Mapping[str, float]) -> Any:
    values = {**flow.compiled.parameters, **flow.parameters, **parameters}
    if not getattr(period, "free_symbols", ()):
        return period(values) if callable(period) else period
    strangers = [s.name for s in period.free_symbols if s.name not in values]
    if strangers:
        raise ParameterError(
            f"{strangers[0]!r} is no parameter of the model",
            model=flow.compiled.name,
            where="period",
            fix=f"write it with {', '.join(flow.compiled.parameters) or 'numbers'}",
        )
    return _evaluated(period, tuple((s, values[s.name]) for s in sorted(period.free_symbols, key=str)))


@lru_cache(maxsize=64)
def _evaluated(period: Any, values: tuple[tuple[Any, float], ...]) -> float:
    """An expression at these values: asked for at every motion, and SymPy takes as long as a short one."""
    return float(period.subs(dict(values)))


def started(flow: OrbitFlow, near: Any, period: float, settle: int, model: Any) -> Array:
    """Where an analysis begins: ``near`` by coordinates or columns beside the model's start, after so many periods."""
    x = flow.initial.copy()
    if near is not None and not isinstance(near, Mapping):
        x = axis_of(near.state if hasattr(near, "state") else near, "near", flow.compiled.name, "near")
        if len(x) != len(flow.columns):
            raise ParameterError(
                f"{len(x)} numbers for {len(flow.columns)} states",
                model=flow.compiled.name,
                where="near",
                fix=f"give one for each of {', '.join(flow.columns)}, or some by name",
            )
    for key, value in near.items() if isinstance(near, Mapping) else ():
        x[named(flow, key, model)] = finite_number(value, model=flow.compiled.name, where=f"near, {key}")
    for _ in range(whole_number(settle, 0, 10**9, model=flow.compiled.name, where="settle")):
        x = flow(x, period)
    return x
