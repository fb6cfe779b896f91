"""What is run of a sweep and kept of each run: some members of a design, as one data set."""

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from nsdgen.base.checks import shown
from nsdgen.base.version import VERSION
from nsdgen.errors import NsdgenError, ParameterError, of_model
from nsdgen.record.step_record import Layout
from nsdgen.runtime.initial import is_initial, unknown_name
from nsdgen.runtime.selection import select
from nsdgen.study.ensemble import threads_of
from nsdgen.study.events import check_event
from nsdgen.study.run_ensemble import reductions
from nsdgen.study.sweep.design import Design, grouped
from nsdgen.study.sweep.store import MEMBER

SAMPLE = "sample"
"""The dimension of what was sampled."""

_KINDS: dict[str, Callable[[Any], float]] = {"max": np.max, "min": np.min, "mean": np.mean}

Function = Callable[[Any], Mapping[str, float]]

Tables = tuple[dict[str, Any], dict[str, Any], dict[str, str]]
"""Variables, coordinates and attributes of a data set."""


@dataclass(frozen=True)
class Kept:
    """What is kept of a member."""

    last: Sequence[str] | None
    reduce: Sequence[str]
    samples: Sequence[str]
    every: int
    since: float | None
    function: Function | None
    events: Sequence[str] = ()

    @property
    def alone(self) -> bool:
        """Whether members run one by one: what is kept is a matter of a whole trajectory."""
        return self.function is not None or bool(self.events)

    def check(self, model: str) -> None:
        """Raise ``ParameterError`` for samples of members that run one by one, and for a function that is none."""
        if self.function is not None and not callable(self.function):
            raise ParameterError(
                f"{shown(self.function)} is no function",
                model=model,
                where="function",
                fix="give a function of a trajectory that returns numbers by name",
            )
        if self.samples and self.alone:
            raise ParameterError(
                "samples of runs with a function of their own, or of which events are kept",
                model=model,
                where="samples",
                fix="let the function return the numbers, or make a second sweep",
            )

    @property
    def words(self) -> dict[str, Any]:
        """What says that two sweeps keep the same."""
        return {
            "last": None if self.last is None else list(self.last),
            "reduce": list(self.reduce),
            "samples": [list(self.samples), self.every],
            "since": self.since,
            "function": None if self.function is None else _digest(_said_by(self.function)),
            **({"events": list(self.events)} if self.events else {}),
        }


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs some members of a design and gives what is kept of them."""

    compiled: Any
    design: Design
    kept: Kept
    common: Mapping[str, Mapping[Any, Any]]
    times: Mapping[str, float | None]
    threads: int | None

    def some(self, begin: int, stop: int) -> Self:
        """That of some members, without its model and one member at a time, as it is sent to a worker."""
        values = Design(self.design.names, self.design.values[begin:stop])
        return replace(self, compiled=None, design=values, threads=self.threads or 1)

    def of(self, compiled: Any) -> Self:
        """The same with a model."""
        return replace(self, compiled=compiled)

    @property
    def identity(self) -> dict[str, Any]:
        """What a store must agree in, to go on: the model with its values, start and end as well."""
        record = self.compiled.record
        return {
            "model": record.name,
            "kernels": record.kernel_hash,
            "what the model gives": _digest(record.to_json()),
            "names": list(self.design.names),
            "values": self.design.digest,
            "members": len(self.design),
            **self.kept.words,
            **{f"all {group}": {str(k): v for k, v in given.items()} for group, given in self.common.items()},
            **self.times,
        }

    @property
    def groups(self) -> dict[str, str]:
        """The argument of a run that each name belongs to."""
        record = self.compiled.record
        options = [o.name for scheme in record.schemes for o in scheme.options]
        return grouped(self.design.names, [p.name for p in record.parameters], options)

    def check(self) -> None:
        """Raise ``ParameterError`` for names and values that no member can have, before anything is run."""
        from nsdgen.runtime.values import run_values

        record = self.compiled.record
        self.kept.check(record.name)
        known = [*(p.name for p in record.parameters), *(o.name for s in record.schemes for o in s.options)]
        for name, group in self.groups.items():
            if group == "initial" and not is_initial(record, name):
                with of_model(record.name):
                    raise unknown_name(record, "parameter, option or initial value", name, known)
        for event in self.kept.events:
            check_event(record, event, "events")
        reductions(Layout.of(record), self.kept.reduce, record.name)
        if self.kept.samples and "step" in self.design.names:
            raise ParameterError(
                "samples of runs with steps of several lengths",
                model=self.compiled.record.name,
                where="samples",
                fix="let a function return the numbers, or sweep each step by itself",
            )
        refused = None
        for number in range(len(self.design)):
            member = {name: float(values[0]) for name, values in self.design.part(number, number + 1).items()}
            try:
                run_values(self.compiled.record, self.compiled.table, **self._given(member))
            except ParameterError as error:
                refused = refused or error
            else:
                refused = None
                break
        if refused is not None:
            raise refused
        self.last  # noqa: B018  refuses what is no column

    def run(self, begin: int, stop: int) -> Any:
        """The data set of these members."""
        return as_dataset(self.tables(begin, stop))

    def tables(self, begin: int, stop: int) -> Tables:
        """What is kept of these members. Steps of several lengths, and functions of trajectories, go run by run."""
        values = self.design.part(begin, stop)
        alone = self.kept.alone or "step" in values
        variables, failures = (self._each if alone else self._together)(values)
        coordinates = {self.label(n): (MEMBER, numbers, self._attributes(n)) for n, numbers in values.items()}
        reasons = np.array(failures, dtype=object)
        variables["failure"] = (MEMBER, reasons, {"long_name": "why the member failed"})
        told = {"model": self.compiled.record.name, "nsdgen": VERSION, "kernel_hash": self.compiled.record.kernel_hash}
        return variables, coordinates, told

    def label(self, name: str) -> str:
        """What the coordinate of something that varies is called: ``initial ball.z`` beside the last value of that."""
        return f"initial {name}" if self.groups.get(name) == "initial" else name

    def _attributes(self, name: str) -> dict[str, str]:
        units = {p.name: p.unit for p in self.compiled.record.parameters} | {"step": "s"}
        return {"units": units[name]} if units.get(name) else {}

    def _given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of a run or an ensemble: what all have in common, and these."""
        given: dict[str, Any] = {group: dict(all_) for group, all_ in self.common.items()}
        for name, numbers in values.items():
            if name != "step":
                given[self.groups[name]][name] = numbers
        return {**given, **self.times, **({"step": values["step"]} if "step" in values else {})}

    def _together(self, values: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], list[str]]:
        """As one ensemble."""
        kept = self.kept
        found = self.compiled.ensemble(
            **self._given(values),
            record=None if kept.last is None else [*kept.last, *kept.samples],
            every=kept.every if kept.samples else 0,
            since=kept.since,
            reduce=kept.reduce,
            threads=self.threads,
        )
        reasons = [""] * len(found)
        for failure in found.failures:
            reasons[failure.member] = str(failure.error)
        failed = np.array([bool(why) for why in reasons])
        variables: dict[str, Any] = {}
        for place, column in enumerate(found.columns):
            if column.name in self.last:
                numbers = np.where(failed, np.nan, found.final[:, place])
                variables[column.name] = (MEMBER, numbers, self._about(column.name))
        for name, numbers in found.reduced.items():
            variables[name] = (MEMBER, np.where(failed, np.nan, numbers), self._about(name))
        if kept.samples:
            variables |= self._sampled(found)
        return variables, reasons

    def _sampled(self, found: Any) -> dict[str, Any]:
        """What was sampled of each member, and when: as long as the longest, shorter ones end with NaN."""
        runs = [found.of(i) for i in range(len(found))]
        columns = {
            f"{name} samples": ((MEMBER, SAMPLE), _padded([run[name] for run in runs]), self._about(name))
            for name in self._named(self.kept.samples)
        }
        times = _padded([run.time for run in runs])
        return {**columns, "time samples": ((MEMBER, SAMPLE), times, {"units": "s"})}

    def _named(self, patterns: Sequence[str]) -> list[str]:
        """The columns that names and patterns stand for."""
        layout = Layout.of(self.compiled.record)
        chosen = select(layout, patterns, self.compiled.record.name)
        return [layout.columns[i].name for i in chosen if "." in layout.columns[i].name]

    @cached_property
    def last(self) -> frozenset[str]:
        """The columns whose last values are kept."""
        columns = Layout.of(self.compiled.record).columns
        return frozenset(c.name for c in columns) if self.kept.last is None else frozenset(self._named(self.kept.last))

    def _about(self, name: str) -> dict[str, str]:
        """Unit and meaning of a column, of a reduction or samples of one, or of what it was at events."""
        kind, _, reduced = name.partition(" ")
        column, _, event = name.partition(" at ")
        meaning, of = (name, reduced) if kind in _KINDS else (f"just before {event}" if event else "last value", column)
        if name.endswith((" samples", " time")):
            meaning, of = ("sampled", name.removesuffix(" samples")) if name.endswith("samples") else ("when", "")
        unit = "s" if meaning == "when" or of == "time" else self._units.get(of, "")
        return {"long_name": meaning} | ({"units": unit} if unit else {})

    @cached_property
    def _units(self) -> dict[str, str]:
        """Of the columns, by their full names and by what follows the first dot where only one ends so."""
        columns = Layout.of(self.compiled.record).columns
        short: dict[str, list[str]] = {}
        for c in columns:
            short.setdefault(c.name.partition(".")[2], []).append(c.unit)
        return {name: units[0] for name, units in short.items() if len(units) == 1} | {c.name: c.unit for c in columns}

    def _each(self, values: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], list[str]]:
        """Run by run, each with its trajectory."""
        count = len(next(iter(values.values())))

        def member(i: int) -> tuple[dict[str, Any], str]:
            try:
                trajectory = self.compiled.run(**self._given({name: float(v[i]) for name, v in values.items()}))
            except NsdgenError as error:
                return {}, str(error)
            return {**self._numbers(trajectory), **self._own(trajectory), **self._events(trajectory)}, ""

        with ThreadPoolExecutor(threads_of(self.threads, self.compiled.record.name)) as pool:
            results = list(pool.map(member, range(count)))
        names = dict.fromkeys(name for found, _ in results for name in found)
        variables: dict[str, Any] = {}
        for name in names:
            rows = [found.get(name, np.nan) for found, _ in results]
            many = any(map(np.ndim, rows))
            dims = (MEMBER, name.split(" at ")[-1].removesuffix(" time")) if many else (MEMBER,)
            variables[name] = (dims, _padded(rows) if many else np.array(rows), self._about(name))
        return variables, [why for _, why in results]

    def _own(self, trajectory: Any) -> dict[str, float]:
        """What the caller's function says of a run; raises ``ParameterError`` where that is no numbers by name."""
        found = {} if self.kept.function is None else self.kept.function(trajectory)
        try:
            return {name: float(value) for name, value in found.items()}
        except (AttributeError, TypeError, ValueError):
            fix = "let it return numbers by name, {'landings': 3}"
            raise ParameterError(f"gives {shown(found)}", model=trajectory.model, where="function", fix=fix) from None

    def _events(self, trajectory: Any) -> dict[str, np.ndarray]:
        """When events of each kind were, and what columns were just before them, one after the other."""
        found = {}
        for kind in self.kept.events:
            chosen = [
                e
                for e in trajectory.events
                if kind in (f"{e.name}.{e.kind}", e.kind) and (self.kept.since is None or e.time >= self.kept.since)
            ]
            found[f"{kind} time"] = np.array([e.time for e in chosen])
            rows = [e.before for e in chosen]
            found |= {f"{name} at {kind}": trajectory[name][rows] for name in sorted(self.last)}
        return found

    def _numbers(self, trajectory: Any) -> dict[str, float]:
        """Last values and reductions of a run."""
        found = {name: float(value) for name, value in trajectory.final.items() if name in self.last}
        since = -np.inf if self.kept.since is None else self.kept.since
        late = trajectory.time >= since - 1e-9 * trajectory.attributes["step"]  # as ensembles have it
        layout = Layout.of(self.compiled.record)
        for kind, place in reductions(layout, self.kept.reduce, self.compiled.record.name):
            name = layout.columns[place].name  # whole, as ensembles call it
            found[f"{kind} {name}"] = float(_KINDS[kind](trajectory[name][late])) if late.any() else np.nan
        return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _said_by(it: Any, around: tuple[Any, ...] = ()) -> str:
    """What a function does, wherever its lines stand, with its defaults and what it closes over or was given.

    Of what is no number, text or function it is what Python shows, which for most objects is their place in memory.
    """
    if isinstance(it, functools.partial):
        parts = [it.func, it.args, tuple(it.keywords.items())]
    elif isinstance(it, tuple | list):
        parts = [*it]
    elif isinstance(it, np.ndarray):
        parts = [it.dtype.str, it.shape, it.tobytes()]
    elif hasattr(it, "co_code"):
        parts = [it.co_code, it.co_names, it.co_consts]
    elif hasattr(it, "__code__") and not any(it is other for other in around):  # it may close over itself
        cells = [cell.cell_contents for cell in it.__closure__ or ()]
        named = tuple((it.__kwdefaults__ or {}).items())
        parts = [it.__code__, it.__defaults__, named, cells, getattr(it, "__self__", None)]
    else:
        shown = sorted(map(repr, it)) if isinstance(it, frozenset) else getattr(it, "__qualname__", it)
        return repr(shown)  # sets have another order in every process
    return repr([_said_by(part, (*around, it)) for part in parts])


def as_dataset(tables: Tables) -> Any:
    """What is kept as a data set: workers have no need of xarray, which takes a second to import."""
    import xarray

    return xarray.Dataset(*tables)


def _padded(rows: Sequence[Any]) -> np.ndarray:
    """Rows of numbers as one table, as long as the longest; shorter ones, and members without one, end with NaN."""
    most = max((len(row) for row in rows if np.ndim(row)), default=0)
    table = np.full((len(rows), most), np.nan)
    for place, row in enumerate(rows):
        if np.ndim(row):
            table[place, : len(row)] = row
    return table
