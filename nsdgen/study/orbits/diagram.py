"""Bifurcation diagrams, frequency responses and basins: many motions, each from where its neighbour ended."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import NsdgenError, ParameterError
from nsdgen.record.step_record import Layout
from nsdgen.study.orbits.flow import Array, OrbitFlow, flow_of, named, period_of, started
from nsdgen.study.orbits.orbit import shooting_of, sizes_of
from nsdgen.study.orbits.section import Section, cut_through
from nsdgen.study.sweep.design import axis_of

_APART = 1e-3
"""Of the range of a column: sections that are farther apart are of two attractors."""

_QUARTILE, _SPARSE = 75, 4.0
"""Per cent of the points of an irregular section are nearer to those of a second one than this often what most of its
own are from each other: 3.1 at most in 570 pairs of 60 points of Henon's map, 4.5 at least from those of its mirror."""

_LONGER = 3
"""Times as long as at first, two ways that differ go on before they count as two: transients of chaos are long."""

_FINER = 8
"""Times as many looks at an orbit whose range is asked for: the parabola there is right to 1e-9 of it."""

_AT_ONCE = 1e-6
"""Of the time to the other neighbour: a row that is so near is the event's, or as good as there."""

_RETURNS = 16
"""Periods after which a motion is given up as periodic."""


@dataclass(frozen=True)
class Diagram:
    """The ``sections`` of the motions that settle at ``values`` (k,) of a parameter, going ``up`` and ``down``.

    ``coexist`` (k,) is where the two ways end on different attractors; ``failures`` say where a motion failed, and why.
    """

    parameter: str
    unit: str
    values: Array
    up: tuple[Section | None, ...]
    down: tuple[Section | None, ...]
    coexist: np.ndarray
    failures: Mapping[float, str]

    def plot(self, column: str | None = None, **options: Any) -> Any:
        """Draw a column of the sections over the parameter. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import diagram_plot

        return diagram_plot(self, column, **options)


@named_arguments
def bifurcation_diagram(
    model: Any,
    parameter: Any,
    values: Sequence[float],
    at: Any,
    *,
    period: Any = None,
    settle: int = 100,
    keep: int = 50,
    near: Any = None,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
) -> Diagram:
    """Sections of what motions settle to, along a parameter upwards and downwards.

    Each motion goes on from where its neighbour ended, so that both of two attractors are seen where they coexist.
    ``at`` is as in :func:`nsdgen.poincare_section`; ``period`` [s] (of the section, unless given) is what ``settle``
    and ``keep`` count. Where the two ways differ both go on three times as long, and attractors coexist where they
    still differ: a transient is none. Schemes that make steps have diagrams of sections once a period.
    """
    name = str(getattr(parameter, "name", parameter))
    flow = flow_of(model, parameters, options, exact=isinstance(at, str | tuple))
    own = flow.compiled.name
    settle, keep = (
        whole_number(count, least, 10**9, model=own, where=where)
        for count, least, where in ((settle, 0, "settle"), (keep, 1, "keep"))
    )
    if name not in flow.compiled.parameters:
        raise ParameterError(
            f"{name!r} is no parameter",
            model=own,
            where="parameter",
            fix=f"choose one of {', '.join(flow.compiled.parameters)}",
        )
    ordered, length = np.sort(axis_of(values, name, own, "values")), period if period is not None else at
    if isinstance(length, str | tuple):
        raise ParameterError(
            "it is not said what settle and keep count",
            model=flow.compiled.name,
            where="period",
            fix="give period=, a time or an expression of parameters",
        )
    failures: dict[float, str] = {}

    def settled(x: Array, value: float, longer: int = 1) -> tuple[Section | None, Array]:
        """What a motion from x settles to, and where it ends."""
        here = replace(flow, parameters={**flow.parameters, name: value}, initial=x)
        T = period_of(here, length)
        try:
            run = here.long(x, longer * (settle + keep) * T, longer * (settle + keep))
        except NsdgenError as error:
            failures[value] = str(error)
            return None, x
        return cut_through(here, run, at, T, here.start + (longer * (settle + keep) - keep) * T, model), here.state(run)

    def way(order: Array) -> list[tuple[Section | None, Array]]:
        found: list[tuple[Section | None, Array]] = []
        x = started(flow, near, 1.0, 0, model)
        for value in order:
            found.append(settled(x, float(value)))
            x = found[-1][1]
        return found

    def two(value: float, a: tuple[Section | None, Array], b: tuple[Section | None, Array]) -> bool:
        """Whether the two ways are on different attractors, and still are when they have gone on."""
        return _differ(a[0], b[0]) and _differ(*(settled(x, value, _LONGER)[0] for _, x in (a, b)))

    ways = way(ordered), way(ordered[::-1])[::-1]
    unit = next((p.unit for p in flow.compiled.record.parameters if p.name == name), "")
    coexist = np.array([two(float(value), a, b) for value, a, b in zip(ordered, *ways, strict=True)])
    up, down = (tuple(section for section, _ in found) for found in ways)
    return Diagram(name, unit, ordered, up, down, coexist, failures)


def _differ(a: Section | None, b: Section | None) -> bool:
    """Whether some point of one section is far from all of the other's; of two irregular ones, most points."""
    if a is None or b is None or not len(a) or not len(b):
        return (a is None or not len(a)) != (b is None or not len(b))
    size = np.maximum(np.abs(np.vstack([a.states, b.states])).max(axis=0), 1e-300)
    apart = np.abs((a.states[:, None] - b.states[None]) / size).max(axis=2)
    far, inside = (apart.min(axis=0), apart.min(axis=1)), [_nearest(s.states / size) for s in (a, b)]
    if min(own.max() for own in inside) < _APART:
        return bool(max(distance.max() for distance in far) > _APART)
    most, between = (max(np.percentile(values, _QUARTILE) for values in of) for of in (far, inside))
    return bool(most > max(_APART, _SPARSE * between))


def _nearest(points: Array) -> Array:
    """How far each point is from the next one."""
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    np.fill_diagonal(apart, np.inf)
    return apart.min(axis=1) if len(points) > 1 else np.zeros(1)


@dataclass(frozen=True)
class Response:
    """Amplitude (half of the range) of a column over ``values`` (k,) of a frequency [rad/s], and its first harmonic.

    ``harmonic`` (k,) is complex: the column is its real part times e^{i omega t}, and more. ``stable`` (k,).
    """

    column: str
    unit: str
    values: Array
    amplitude: Array
    harmonic: np.ndarray
    stable: np.ndarray

    def plot(self, **options: Any) -> Any:
        """Draw the amplitude and the phase of the first harmonic. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import response_plot

        return response_plot(self, **options)


@named_arguments
def frequency_response(
    model: Any,
    frequency: Any,
    values: Sequence[float],
    column: Any,
    *,
    settle: int = 50,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
) -> Response:
    """The periodic response to a force of a frequency [rad/s], a parameter, by shooting from one to the next.

    ``column`` is a coordinate, or the name of anything that is recorded.
    """
    name = str(getattr(frequency, "name", frequency))
    flow = flow_of(model, parameters, options)
    columns = Layout.of(flow.compiled.record).columns
    name_of = column if isinstance(column, str) else flow.columns[named(flow, column, model)]
    answer = columns[columns.by_name.one(name_of, flow.compiled.name)]
    amplitude, harmonic, stable, x = [], [], [], None
    for value in axis_of(values, name, flow.compiled.name, "values"):
        here = replace(flow, parameters={**flow.parameters, name: float(value)})
        T = period_of(here, 2 * np.pi / value if value else np.inf)
        guess = started(here, None, T, settle, model) if x is None else x
        shooting, u = shooting_of(here, guess, T, -1)
        try:
            u = shooting.solved(u)
        except ParameterError:
            u = shooting.solved(started(here, None, T, settle, model))
        orbit = shooting.orbit(u)
        x = orbit.state
        run = here.long(x, T, _FINER)
        y = run[answer.name]
        amplitude.append((_largest(run.time, y) + _largest(run.time, -y)) / 2)
        harmonic.append(2 / T * np.trapezoid(y * np.exp(-1j * float(value) * run.time), run.time))
        stable.append(orbit.stable)
    return Response(
        answer.name,
        answer.unit,
        np.asarray(values, dtype=float),
        np.array(amplitude),
        np.array(harmonic),
        np.array(stable),
    )


def _largest(time: Array, y: Array) -> float:
    """The largest value in a period: that of the parabola through it and its neighbours, unless it is at an event."""
    k, steps = int(y[:-1].argmax()), np.diff(time)
    before, after = float(steps[k - 1]), float(steps[k])  # the last row of a period is its first one again
    if min(before, after) <= _AT_ONCE * max(before, after):
        return float(y[k])
    falls, rises = (y[k + 1] - y[k]) / after, (y[k] - y[k - 1 if k else -2]) / before
    first, second = (rises * after + falls * before) / (before + after), 2 * (falls - rises) / (before + after)
    return float(y[k] - first**2 / (2 * second)) if second else float(y[k])


@dataclass(frozen=True)
class Basins:
    """Which attractor motions from a grid of two states end on: ``which`` (a, b), -1 where on none that is periodic.

    ``attractors`` lists the points of each, once a period, (p, n); the two states are columns ``places`` of these.
    """

    names: tuple[str, str]
    units: tuple[str, str]
    places: tuple[int, int]
    axes: tuple[Array, Array]
    which: np.ndarray
    attractors: tuple[Array, ...]

    def plot(self, **options: Any) -> Any:
        """Draw the grid in the colours of the attractors. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import basins_plot

        return basins_plot(self, **options)


@named_arguments
def basins_of_attraction(
    model: Any,
    over: Mapping[Any, Any],
    period: Any,
    *,
    settle: int = 200,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
    threads: int | None = None,
) -> Basins:
    """Basins over a grid of two states; all motions run as one ensemble for ``settle`` periods [s].

    Where motions have settled to orbits of up to sixteen periods, these are told apart; others count as none. Schemes
    that make steps do as well.
    """
    flow = flow_of(model, parameters, options, exact=False)
    if len(over) != 2:
        raise ParameterError(
            "a grid has two states", model=flow.compiled.name, where="over", fix="give two: {x: .., v: ..}"
        )
    places = [named(flow, key, model) for key in over]
    axes = [axis_of(v, flow.columns[k], flow.compiled.name) for k, v in zip(places, over.values(), strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    T = period_of(flow, period)
    if twice := [name for name, _, offset in flow.clocks() if offset == 0]:
        raise ParameterError(
            f"the block {twice[0]!r} acts at the end of a period, and again where the next begins",
            model=flow.compiled.name,
            where="basins",
            fix="give it an offset between 0 and its period",
        )
    initial: dict[str, Any] = dict(zip(flow.columns, flow.initial.tolist(), strict=True))
    initial |= {flow.columns[k]: grid[:, i].tolist() for i, k in enumerate(places)}
    found = flow.compiled.ensemble(
        initial=initial,
        parameters=flow.parameters,
        options=flow.options,
        start=flow.start,
        end=flow.start + settle * T,
        step=T / (16 if np.isinf(flow.least) else flow.looks(T)),
        threads=threads,
    )
    columns = [c.name for c in found.columns]
    final = found.final[:, [columns.index(c) for c in flow.columns]]
    failed = {failure.member for failure in found.failures}
    sizes = _sizes(flow, places, axes, T)
    attractors: list[Array] = []
    if left := sorted(set(range(len(grid))) - failed):
        x = final[left[0]]
        flow.check_period(flow.run(x, T), x, np.maximum(sizes, np.abs(x)), np.zeros(1))
    which = np.full(len(grid), -1)
    while left:
        points, size = [final[left[0]]], np.maximum(sizes, np.abs(final[left[0]]))
        for _ in range(_RETURNS):
            after = flow(points[-1], T)
            if np.abs((after - points[0]) / size).max() < _APART:
                break
            points.append(after)
        periodic = len(points) <= _RETURNS
        near = (
            [i for i in left if min(np.abs((final[i] - p) / size).max() for p in points) < _APART]
            if periodic
            else [left[0]]
        )
        if periodic:
            which[near] = len(attractors)
            attractors.append(np.array(points))
        left = [i for i in left if i not in set(near)]
    shape = (len(axes[0]), len(axes[1]))
    names = (flow.columns[places[0]], flow.columns[places[1]])
    unit = {c.name: c.unit for c in found.columns}
    units = (unit[names[0]], unit[names[1]])
    return Basins(names, units, (places[0], places[1]), (axes[0], axes[1]), which.reshape(shape), tuple(attractors))


def _sizes(flow: OrbitFlow, places: Sequence[int], axes: Sequence[Array], T: float) -> Array:
    """The sizes of the states (n,): of the grid, and of others in the first period from its corners.

    Not those at the end: a motion that flies away is large, and what has died out in all is nothing.
    """
    found = np.abs(flow.initial)
    for corner in itertools.product(*((axis.min(), axis.max()) for axis in axes)):
        x = flow.initial.copy()
        x[places] = corner
        try:
            found = np.maximum(found, sizes_of(flow, x, T))
        except NsdgenError:
            continue
    found[places] = [np.abs(axis).max() for axis in axes]
    return np.where(found > 0, found, 1.0)
