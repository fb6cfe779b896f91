"""Sweeps: a model run for every member of a design, and what was kept as one data set."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.runtime.values import check_mappings
from nsdgen.study.compiled_model import compiled_of
from nsdgen.study.optional import require
from nsdgen.study.progress import progress_bar
from nsdgen.study.sweep.design import design_of, names_of
from nsdgen.study.sweep.elsewhere import Pool, pool_of, task
from nsdgen.study.sweep.runner import Function, Kept, Runner, as_dataset
from nsdgen.study.sweep.store import Store, joined

_PART = 256
"""Members of a part at most: what a killed sweep computes again, and one chunk of its store."""


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
    events: Sequence[str] = (),
    function: Function | None = None,
    out: str | os.PathLike[str] | None = None,
    part: int | None = None,
    scheduler: Any = None,
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
    failed, whose numbers are NaN. Of ``events`` (``"wall.closes"``) times are kept, and the columns of ``last`` just
    before them, one after the other along a dimension of that name.

    Several models, by name in a mapping, have a dimension ``model``: the same design for each, and NaN where one has
    no such column. Models that differ in their scheme only are such, too.

    With ``out``, a folder ``NAME.zarr``, members are written in parts as they come; the same call again goes on where
    it ended or was killed, and computes nothing twice. With a ``scheduler`` parts run elsewhere: the address of a
    scheduler of Dask, a client of it, or an executor of ``concurrent.futures``; numbers are the same to the bit, and
    ``threads`` is what a task may use there (one, unless said). ``parameters``, ``initial``, ``options``, ``end`` and
    ``step`` are those of all members. Raises ``ParameterError`` for names that are not there and for a folder of
    another sweep.
    """
    require("xarray", "data", "a sweep")
    check_mappings(parameters=parameters, initial=initial, options=options)
    kept = Kept(
        None if last is None else _listed(last),
        *(_listed(reduce), _listed(samples), every, since, function, _listed(events)),
    )
    shared = {"parameters": parameters or {}, "initial": initial or {}, "options": options or {}}
    models = model if isinstance(model, Mapping) else {None: model}
    runners = {}
    for name, one in models.items():
        compiled = compiled_of(one)
        by_column = getattr(one, "_by_column", lambda given: given)
        named = names_of(over, lambda key, by_column=by_column: next(iter(by_column({key: 0.0}))))
        chosen = design_of(design, named, members, seed, compiled.record.name)
        common = {**shared, "initial": by_column(shared["initial"])}
        runners[name] = Runner(compiled, chosen, kept, common, {"end": end, "step": step}, threads)
        runners[name].check()
    if part is not None:
        part = whole_number(part, 1, 10**9, where="part")
    stores = {n: None if out is None else Store(_place(out, n), r.identity, len(r.design)) for n, r in runners.items()}
    bar = progress_bar(progress, float(sum(len(r.design) for r in runners.values())), "sweep")
    found, before = {}, 0
    try:
        with nullcontext() if scheduler is None else pool_of(scheduler) as pool:
            for name, runner in runners.items():
                found[name] = _labelled(_done(runner, stores[name], pool, part, bar, before), runner)
                before += len(runner.design)
    finally:
        bar.close()
    return found[None] if None in found else _beside(found)


def _listed(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _place(out: str | os.PathLike[str], name: str | None) -> str | os.PathLike[str]:
    """The store of a model: of one of several, a group of the folder."""
    if name is None:
        return out
    if not name or name != os.path.basename(name) or name.startswith("."):
        raise ParameterError(f"{name!r} is no name of a folder", where="model", fix="use letters, digits and spaces")
    return os.path.join(out, name)


def _done(runner: Runner, store: Store | None, pool: Pool | None, part: int | None, bar: Any, before: int) -> Any:
    """All members of one model along one dimension: those that are missing are run."""
    count = len(runner.design)
    if part is None:
        part = min(_PART, count) if pool is None else pool.part(count, _PART)
    if store is None:
        size = count if pool is None else part  # here, nothing is gained by parts
        todo = [(begin, min(begin + size, count)) for begin in range(0, count, size)]
    else:
        todo = list(store.missing(part))
    left = sum(end - begin for begin, end in todo)
    pieces: dict[int, Any] = {}
    for begin, end, data in _computed(runner, pool, todo):
        if store is None:
            pieces[begin] = data
        else:
            store.write(data, begin, end)
        left -= end - begin
        bar.update(float(before + count - left))
    return joined([pieces[begin] for begin in sorted(pieces)]) if store is None else store.whole()


def _computed(runner: Runner, pool: Pool | None, todo: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, Any]]:
    """Begin, end and data of parts as they come, here or elsewhere."""
    if pool is None:
        for begin, end in todo:
            yield begin, end, runner.run(begin, end)
    elif todo:
        for begin, end, tables in pool.results(task(runner), todo):
            yield begin, end, as_dataset(tables)


def _beside(found: Mapping[Any, Any]) -> Any:
    """The data sets of several models along a dimension ``model``."""
    import xarray

    names = xarray.Variable("model", [str(name) for name in found])
    whole = xarray.concat(
        found.values(),
        names,
        data_vars="all",
        coords="minimal",
        join="outer",
        compat="override",
        combine_attrs="drop_conflicts",
    )
    whole["failure"] = whole["failure"].fillna("")
    return whole


def _labelled(whole: Any, runner: Runner) -> Any:
    """Along the axes of a grid, each with its values; else along the members."""
    import xarray

    design = runner.design
    names = [runner.label(name) for name in design.names]
    whole = whole.set_coords(names)
    if design.axes is None:
        return whole
    shape = tuple(len(axis) for axis in design.axes)
    coordinates = {name: (name, axis, whole[name].attrs) for name, axis in zip(names, design.axes, strict=True)}
    variables = {
        name: ((*names, *v.dims[1:]), v.values.reshape(*shape, *v.shape[1:]), v.attrs)
        for name, v in whole.data_vars.items()
    }
    return xarray.Dataset(variables, coordinates, whole.attrs)
