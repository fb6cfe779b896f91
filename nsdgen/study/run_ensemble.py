"""Running an ensemble, a method of :class:`~nsdgen.study.compiled_model.CompiledModel` with a file of its own.

What is asked for is checked, and turned into what the runtime keeps.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nsdgen.base.checks import finite_number, whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.record.columns import Column
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout, cut_names
from nsdgen.study.ensemble import Ensemble, members_of, threads_of
from nsdgen.study.progress import progress_bar

_MOST_STEPS = 2**53  # up to here doubles hold every whole number
_WORTH = 10_000_000
"""Steps in all, those of earlier ensembles too, from which on it is worth a second to compile the model for several
members at once: parts of a sweep count together."""


@named_arguments
def ensemble(
    self: Any,
    *,
    parameters: Mapping[Any, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    end: float | None = None,
    step: float | None = None,
    start: float | None = None,
    record: Sequence[str] | None = None,
    every: int = 0,
    since: float | None = None,
    when: str | None = None,
    reduce: Sequence[str] = (),
    threads: int | None = None,
    progress: bool = False,
) -> Ensemble:
    """Run many members of the model, on all processors, and keep of each what is asked for.

    In ``parameters``, ``initial`` and ``options`` a list has one value for each member, a number is that of all.
    Kept are the values at the end of each member and, of ``record`` (as in :meth:`run`), each ``every``-th step
    (0: none) from the time ``since`` on, with ``when`` only those at which that column is positive (impacts:
    ``when="cam.impulse", every=1``). ``reduce`` lists what columns are reduced to from ``since`` on: ``"max u"``,
    ``"min u"``, ``"mean u"``. The numbers are those of :meth:`run`, whatever the number of ``threads``. A member
    that fails is listed in ``.failures``, and the others go on. Raises ``ParameterError`` for unusable requests and
    where what is to be kept does not fit into memory; an interrupt carries what was done as ``.ensemble``.
    """
    from nsdgen.runtime.member_runs import run_members
    from nsdgen.runtime.values import check_names, run_values

    self._caught_up()
    model, table = self.record, self.table
    groups = {"parameters": parameters, "initial": initial, "options": options}
    varied, of_member = members_of(model.name, groups)
    count = len(next(iter(varied.values())))
    check_names(model, **of_member(0))
    first = run_values(model, table, step=step, end=end, start=start)
    keep, columns, named = _kept(model, first, record, every, since, when, reduce, count)
    total = count * first.steps
    self._steps += total if count > 1 else 0
    if count > 1 and self._steps >= _WORTH:
        table = self._in_lanes
    bar = progress_bar(progress, float(total), model.name)
    kept = columns, varied, cut_names(model), keep.columns, named
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
        error.ensemble = Ensemble(model.name, made, *kept)  # type: ignore[attr-defined]
        raise
    finally:
        bar.close()
    return Ensemble(model.name, outcomes, *kept)


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
    from nsdgen.runtime.member import Keep
    from nsdgen.runtime.selection import check_room, select

    layout = Layout.of(model)
    names = [c.name for c in layout.columns]
    chosen = np.arange(layout.width) if record is None else select(layout, record, model.name)
    every = whole_number(every, 0, _MOST_STEPS, model=model.name, where="every")
    first, begins = 0, -np.inf
    if since is not None:
        late = (finite_number(since, model=model.name, where="since") - values.start) / values.step - 1e-9
        first, begins = max(0, int(np.ceil(min(late, _MOST_STEPS)))), values.start + late * values.step
    reduced = reductions(layout, reduce, model.name)
    positive = -1 if when is None else layout.columns.by_name.one(when, model.name, "when")
    keep = Keep(every, first, positive, chosen, tuple(reduced), begins)
    if every and when is None:
        check_room(count * (1 + max(0, values.steps - first) // every), len(chosen), model.name, every)
    return keep, [layout.columns[i] for i in chosen], [f"{kind} {names[i]}" for kind, i in reduced]


def reductions(layout: Layout, reduce: Sequence[str], model: str) -> list[tuple[str, int]]:
    """Kind and column of each reduction, such as ``"max u"``; raises ``ParameterError`` for what is none."""
    from nsdgen.runtime.member import KINDS

    reduced = []
    for text in (reduce,) if isinstance(reduce, str) else reduce:
        kind, _, name = str(text).partition(" ")
        if kind not in KINDS:
            raise ParameterError(
                f"{text!r} is no reduction",
                model=model,
                where="reduce",
                fix=f"write one of {', '.join(KINDS)} and a column, as in 'max {layout.columns[0].name}'",
            )
        reduced.append((kind, layout.columns.by_name.one(name.strip(), model, "reduce")))
    return reduced
