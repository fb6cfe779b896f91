"""Sweeps: a model run for every member of a design, and what was kept as one data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.base.version import VERSION
from nsdgen.errors import NsdgenError, ParameterError
from nsdgen.record.step_record import Layout
from nsdgen.runtime.selection import select
from nsdgen.study.ensemble import threads_of
from nsdgen.study.optional import require
from nsdgen.study.progress import progress_bar
from nsdgen.study.sweep.design import Design, design_of, grouped, names_of
from nsdgen.study.sweep.store import MEMBER, Store

__all__ = ["sweep"]

_PART = 256
"""Members of a part: what a killed sweep computes again, and one chunk of its store."""

SAMPLE = "sample"
"""The dimension of what was sampled."""

_KINDS: dict[str, Callable[[Any], float]] = {"max": np.max, "min": np.min, "mean": np.mean}

Function = Callable[[Any], Mapping[str, float]]


@dataclass(frozen=True)
class _Kept:
    """What is kept of a member."""

    last: Sequence[str] | None
    reduce: Sequence[str]
    samples: Sequence[str]
    every: int
    since: float | None
    function: Function | None

    @property
    def words(self) -> dict[str, Any]:
        """What says that two sweeps keep the same."""
        function = None if self.function is None else getattr(self.function, "__qualname__", repr(self.function))
        return {
            "last": None if self.last is None else list(self.last),
            "reduce": list(self.reduce),
            "samples": [list(self.samples), self.every],
            "since": self.since,
            "function": function,
        }


@named_arguments
def sweep(
    model: Any,
    over: Mapping[Any, Any],
    *,
    design: str = "grid",
    members: int | None = None,
    seed: int = 0,
    last: Sequence[str] | None = None,
    reduce: Sequence[str] = (),
    samples: Sequence[str] = (),
    every: int = 1,
    since: float | None = None,
    function: Function | None = None,
    out: str | os.PathLike[str] | None = None,
    part: int = _PART,
    threads: int | None = None,
    progress: bool = False,
    parameters: Mapping[Any, float] | None = None,
    initial: Mapping[Any, Any] | None = None,
    options: Mapping[str, float] | None = None,
    end: float | None = None,
    step: float | None = None,
) -> Any:
    """Run a model over many values and return what was kept as an xarray data set.

    ``over`` maps what varies to its values: parameters (symbols or names), numbers of the scheme (``"theta"``),
    ``"step"``, initial values (coordinates or columns). ``design="grid"`` runs all combinations, ``"list"`` the lists
    side by side, ``"random"`` and ``"latin"`` (a Latin hypercube) ``members`` points drawn with ``seed`` from ranges
    (low, high) or distributions of SciPy. Kept of each member are the ``last`` values of columns (names, ``*`` for any
    text; all, unless said), reductions (``"max u"``, ``"min u"``, ``"mean u"``) and each ``every``-th value of
    ``samples``, both from the time ``since`` on, and what a ``function`` of the trajectory returns, numbers by name.
    Dimensions are those of a grid, initial values as ``initial ball.z``, else ``member``; ``failure`` says why a member
    failed, whose numbers are NaN.

    With ``out``, a folder ``NAME.zarr``, members are written in parts as they come; the same call again goes on where
    it ended or was killed, and computes nothing twice. ``parameters``, ``initial``, ``options``, ``end`` and ``step``
    are those of all members. Raises ``ParameterError`` for names that are not there and for a folder of another sweep.
    """
    require("xarray", "data", "a sweep")
    compiled = model.compile() if hasattr(model, "compile") else model
    record = compiled.record
    by_column = getattr(model, "_by_column", lambda given: given)
    named = names_of(over, lambda key: next(iter(by_column({key: 0.0}))))
    chosen = design_of(design, named, members, seed, record.name)
    common = {"parameters": parameters or {}, "initial": by_column(initial) or {}, "options": options or {}}
    kept = _Kept(last, (reduce,) if isinstance(reduce, str) else reduce, samples, every, since, function)
    if samples and (function is not None or "step" in chosen.names):
        raise ParameterError(
            "samples of runs with a function of their own, or with steps of several lengths",
            model=record.name,
            where="samples",
            fix="let the function return the numbers, or sweep each step by itself",
        )
    for text in kept.reduce:
        if str(text).partition(" ")[0] not in _KINDS:
            raise ParameterError(
                f"{text!r} is no reduction",
                model=record.name,
                where="reduce",
                fix="write 'max', 'min' or 'mean' and a column",
            )
    part = whole_number(part, 1, 10**9, model=record.name, where="part")
    runner = _Runner(compiled, chosen, kept, common, {"end": end, "step": step}, threads)
    runner.check()
    store = None if out is None else Store(out, runner.identity, len(chosen), part)
    bar = progress_bar(progress, float(len(chosen)), record.name)
    found: list[Any] = []
    try:
        todo = list(store.missing()) if store else [(0, len(chosen))]
        done = len(chosen) - sum(end_ - begin for begin, end_ in todo)
        for begin, stop in todo:
            data = runner.run(begin, stop)
            found.append(data)
            if store:
                store.write(data, begin, stop)
            done += stop - begin
            bar.update(float(done))
    finally:
        bar.close()
    whole = store.whole().drop_vars("done") if store else found[0]
    whole.attrs.pop("nsdgen_sweep", None)
    names = [runner.label(name) for name in chosen.names]
    return _labelled(whole.set_coords(names), chosen, names)


@dataclass(frozen=True, eq=False)
class _Runner:
    """Runs some members of a design and gives what is kept of them."""

    compiled: Any
    design: Design
    kept: _Kept
    common: Mapping[str, Mapping[Any, Any]]
    times: Mapping[str, float | None]
    threads: int | None

    @property
    def identity(self) -> dict[str, Any]:
        """What a store must agree in, to go on."""
        record = self.compiled.record
        return {
            "model": record.name,
            "kernels": record.kernel_hash,
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

        first = {name: float(values[0]) for name, values in self.design.part(0, 1).items()}
        run_values(self.compiled.record, self.compiled.table, **self._given(first))
        self.last  # noqa: B018  refuses what is no column

    def run(self, begin: int, stop: int) -> Any:
        """The data set of these members. Steps of several lengths, and functions of trajectories, go run by run."""
        import xarray

        values = self.design.part(begin, stop)
        alone = self.kept.function is not None or "step" in values
        variables, failures = (self._each if alone else self._together)(values)
        coordinates = {self.label(n): (MEMBER, numbers, self._attributes(n)) for n, numbers in values.items()}
        reasons = np.array(failures, dtype=object)
        variables["failure"] = (MEMBER, reasons, {"long_name": "why the member failed"})
        told = {"model": self.compiled.record.name, "nsdgen": VERSION, "kernel_hash": self.compiled.record.kernel_hash}
        return xarray.Dataset(variables, coordinates, told)

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
        most = max((len(run) for run in runs), default=0)

        def padded(values: np.ndarray) -> np.ndarray:
            return np.concatenate([values, np.full(most - len(values), np.nan)])

        columns = {
            f"{name} samples": ((MEMBER, SAMPLE), np.array([padded(run[name]) for run in runs]), self._about(name))
            for name in self._named(self.kept.samples)
        }
        times = np.array([padded(run.time) for run in runs])
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
        """Unit and meaning of a column, or of a reduction of one."""
        words = name.split(" ", 1)
        columns = Layout.of(self.compiled.record).columns
        unit = next((c.unit for c in columns if c.name in (name, words[-1])), "")
        meaning = words[0] if words[0] in _KINDS else "last value"
        return {"long_name": meaning} | ({"units": unit} if unit else {})

    def _each(self, values: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], list[str]]:
        """Run by run, each with its trajectory."""
        count, kept = len(next(iter(values.values()))), self.kept

        def member(i: int) -> tuple[dict[str, float], str]:
            try:
                trajectory = self.compiled.run(**self._given({name: float(v[i]) for name, v in values.items()}))
            except NsdgenError as error:
                return {}, str(error)
            own = {} if kept.function is None else {k: float(v) for k, v in kept.function(trajectory).items()}
            return {**self._numbers(trajectory), **own}, ""

        with ThreadPoolExecutor(threads_of(self.threads, self.compiled.record.name)) as pool:
            results = list(pool.map(member, range(count)))
        names = dict.fromkeys(name for found, _ in results for name in found)
        variables = {
            name: (MEMBER, np.array([found.get(name, np.nan) for found, _ in results]), self._about(name))
            for name in names
        }
        return variables, [why for _, why in results]

    def _numbers(self, trajectory: Any) -> dict[str, float]:
        """Last values and reductions of a run."""
        found = {name: float(value) for name, value in trajectory.final.items() if name in self.last}
        late = trajectory.time >= (-np.inf if self.kept.since is None else self.kept.since * (1 - 1e-12))
        for text in self.kept.reduce:
            kind, _, name = text.partition(" ")
            found[text] = float(_KINDS[kind](trajectory[name][late]))
        return found


def _labelled(whole: Any, design: Design, names: Sequence[str]) -> Any:
    """Along the axes of a grid, each with its values; else along the members."""
    if design.axes is None:
        return whole
    import xarray

    shape = tuple(len(axis) for axis in design.axes)
    coordinates = {name: (name, axis, whole[name].attrs) for name, axis in zip(names, design.axes, strict=True)}
    variables = {
        name: ((*names, *v.dims[1:]), v.values.reshape(*shape, *v.shape[1:]), v.attrs)
        for name, v in whole.data_vars.items()
    }
    return xarray.Dataset(variables, coordinates, whole.attrs)
