"""Running an ensemble of a compiled model: what is asked for, checked, and turned into what the runtime keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nsdgen.base.checks import finite_number, whole_number
from nsdgen.errors import ParameterError
from nsdgen.record.columns import Column
from nsdgen.record.model_record import ModelRecord
from nsdgen.study.ensemble import Ensemble, members_of, threads_of
from nsdgen.study.progress import progress_bar

_MOST_STEPS = 2**53  # up to here doubles hold every whole number
_WORTH = 10_000_000
"""Steps in all, those of earlier ensembles too, from which on it is worth a second to compile the model for several
members at once: parts of a sweep count together."""


def run_ensemble(
    model: ModelRecord,
    table: Any,
    in_lanes: Callable[[], Any],
    so_far: Callable[[int], int],
    *,
    parameters: Mapping[Any, Any] | None,
    initial: Mapping[str, Any] | None,
    options: Mapping[str, Any] | None,
    end: float | None,
    step: float | None,
    start: float | None,
    record: Sequence[str] | None,
    every: int,
    since: float | None,
    when: str | None,
    reduce: Sequence[str],
    threads: int | None,
    progress: bool,
) -> Ensemble:
    """The members' results; see :meth:`nsdgen.study.compiled_model.CompiledModel.ensemble`.

    ``in_lanes()`` gives the kernels compiled for several members at once, where there are such; ``so_far(steps)``
    counts the steps of all ensembles of the model, with these.
    """
    from nsdgen.runtime.member_runs import run_members
    from nsdgen.runtime.values import check_names, run_values

    groups = {"parameters": parameters, "initial": initial, "options": options}
    varied, of_member = members_of(model.name, groups)
    count = len(next(iter(varied.values())))
    check_names(model, **of_member(0))
    first = run_values(model, table, step=step, end=end, start=start)
    keep, columns, named = _kept(model, first, record, every, since, when, reduce, count)
    total = count * first.steps
    if count > 1 and so_far(total) >= _WORTH:
        table = in_lanes()
    bar = progress_bar(progress, float(total), model.name)
    try:
        outcomes = run_members(
            model,
            table,
            count,
            lambda i: run_values(model, table, step=step, end=end, start=start, **of_member(i)),
            keep,
            threads=threads_of(threads, model.name),
            watch=lambda made: bar.update(float(made)),
        )
    except KeyboardInterrupt as error:
        made = error.outcomes  # type: ignore[attr-defined]
        error.ensemble = Ensemble(  # type: ignore[attr-defined]
            model.name, columns, varied, made, keep.columns, named
        )
        raise
    finally:
        bar.close()
    return Ensemble(model.name, columns, varied, outcomes, keep.columns, named)


def _kept(
    model: ModelRecord,
    values: Any,
    record: Sequence[str] | None,
    every: int,
    since: float | None,
    when: str | None,
    reduce: Sequence[str],
    count: int,
) -> tuple[Any, list[Column], list[str]]:
    """What the runtime keeps, the columns of the result and the names of its reductions."""
    from nsdgen.record.step_record import Layout
    from nsdgen.runtime.member import KINDS, Keep
    from nsdgen.runtime.selection import check_room, select

    layout = Layout.of(model)
    names = [c.name for c in layout.columns]
    chosen = np.arange(layout.width) if record is None else select(layout, record, model.name)
    every = whole_number(every, 0, _MOST_STEPS, model=model.name, where="every")
    first = 0
    if since is not None:
        late = (finite_number(since, model=model.name, where="since") - values.start) / values.step
        first = max(0, int(np.ceil(min(late, _MOST_STEPS) - 1e-9)))
    reduced = []
    for text in (reduce,) if isinstance(reduce, str) else reduce:
        kind, _, name = str(text).partition(" ")
        if kind not in KINDS:
            raise ParameterError(
                f"{text!r} is no reduction",
                model=model.name,
                where="reduce",
                fix=f"write one of {', '.join(KINDS)} and a column, as in 'max {names[0]}'",
            )
        reduced.append((kind, layout.columns.by_name.one(name.strip(), model.name, "reduce")))
    positive = -1 if when is None else layout.columns.by_name.one(when, model.name, "when")
    keep = Keep(every, first, positive, chosen, tuple(reduced))
    if every and when is None:
        check_room(count * (1 + max(0, values.steps - first) // every), len(chosen), model.name, every)
    return keep, [layout.columns[i] for i in chosen], [f"{kind} {names[i]}" for kind, i in reduced]
