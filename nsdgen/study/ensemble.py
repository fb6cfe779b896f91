"""The results of an ensemble: many runs of one model, their values, and what was kept of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.base.checks import number_array, shown, whole_number
from nsdgen.base.processes import processors
from nsdgen.errors import NsdgenError, ParameterError, of_model
from nsdgen.record.columns import Column, Columns
from nsdgen.runtime.values import check_mappings
from nsdgen.study.trajectory import Trajectory


@dataclass(frozen=True)
class MemberFailure:
    """A member that did not reach the end: its number, its values and the error."""

    member: int
    values: dict[str, float]
    error: NsdgenError

    def __str__(self) -> str:
        return f"member {self.member} ({', '.join(f'{k}={v:g}' for k, v in self.values.items())}): {self.error}"


class Ensemble:
    """What was kept of the members of an ensemble.

    ``ensemble["follower.u"]`` are the kept values of a column, member after member, ``member`` and ``time`` (both as
    long) say of which member and when; ``ensemble.of(3)`` is one member as a trajectory. ``final`` (n, columns) are
    the values at the end, ``reduced["max follower.u"]`` (n,) reductions, ``values`` what differs between
    members by name, ``steps`` (n,) how many steps were made, ``failures`` the members that failed, and
    ``complete`` whether all were run. NaN where a member was not.
    """

    def __init__(
        self,
        model: str,
        outcomes: Sequence[Any],
        columns: Sequence[Column],
        values: Mapping[str, np.ndarray],
        cuts: Sequence[str],
        final_columns: Sequence[int],
        reduced: Sequence[str],
    ) -> None:
        self.model, self.columns, self.values = model, Columns(columns), dict(values)
        self._cuts = {"cuts": cuts} if cuts else {}
        width, n = len(self.columns), len(outcomes)
        done = [o for o in outcomes if o is not None]
        self.member = np.repeat(np.arange(n), [0 if o is None else len(o.time) for o in outcomes])
        self.time = np.concatenate([np.zeros(0), *(o.time for o in done)])
        self.table = np.concatenate([np.zeros((0, width)), *(o.rows for o in done)])
        self._start = np.searchsorted(self.member, np.arange(n + 1))
        self.steps = np.array([0 if o is None else o.steps for o in outcomes])
        self.final = np.array(
            [np.full(width, np.nan) if o is None else o.final[list(final_columns)] for o in outcomes]
        ).reshape(n, width)
        found = np.array(
            [np.full(len(reduced), np.nan) if o is None or o.error is not None else o.reduced for o in outcomes]
        ).reshape(n, len(reduced))
        self.reduced = {name: found[:, i] for i, name in enumerate(reduced)}
        self.failures = tuple(
            MemberFailure(i, {k: float(v[i]) for k, v in self.values.items()}, o.error)
            for i, o in enumerate(outcomes)
            if o is not None and o.error is not None
        )
        self.complete = len(done) == n

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, name: str) -> np.ndarray:
        """The kept values of a column by its name (or its quantity where unique); raises ``ParameterError``."""
        return self.table[:, self._index(name)]

    def last(self, name: str) -> np.ndarray:
        """The values of a column at the end of each member (n,)."""
        last: np.ndarray = self.final[:, self._index(name)]
        return last

    def of(self, member: int) -> Trajectory:
        """What was kept of one member."""
        if not hasattr(member, "__index__") or not -len(self) <= member < len(self):
            raise ParameterError(f"there is no member {shown(member)}", model=self.model, fix=f"there are {len(self)}")
        rows = slice(self._start[member % len(self)], self._start[member % len(self) + 1])
        values = {k: float(v[member]) for k, v in self.values.items()}
        told = {"member": member, **values, **self._cuts}
        return Trajectory(self.model, self.time[rows], self.table[rows], self.columns, told)

    def _index(self, name: str) -> int:
        return self.columns.by_name.one(name, self.model)

    def _repr_html_(self) -> str:
        from nsdgen.study.summary import members_as_html

        return members_as_html(self)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        left = "" if self.complete else ", interrupted"
        return f"<ensemble of {self.model!r}: {len(self)} members, {len(self.time)} instants kept{failed}{left}>"


def members_of(model: str, groups: Mapping[str, Mapping[Any, Any] | None]) -> tuple[dict[str, np.ndarray], Any]:
    """(what differs between members by name (n,), a function that gives member i's values group by group).

    In every group (parameters, initial, options) a value is a number for all members or a list of one for each; a
    vector has a row for each. Raises ``ParameterError`` where lists differ in length or there is none.
    """
    with of_model(model):
        check_mappings(**groups)
    lists: dict[tuple[str, Any], np.ndarray] = {}
    for group, given in groups.items():
        for key, value in (given or {}).items():
            if np.ndim(value) < 3 and isinstance(value, Iterable) and not isinstance(value, str):
                lists[group, key] = _numbers(model, group, key, value)
                if lists[group, key].ndim == 2 and group != "initial":
                    raise ParameterError(
                        f"{str(key)!r} has more than one number for each member",
                        model=model,
                        where=group,
                        fix="give one number for each member",
                    )
    lengths = {len(v) for v in lists.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ParameterError(
            f"the lists have {', '.join(map(str, sorted(lengths)))} values"
            if lengths
            else "nothing differs between members",
            model=model,
            where="ensemble",
            fix="give one value for each member, as in parameters={omega: numpy.linspace(30, 80, 100)}",
        )

    def values(i: int) -> dict[str, dict[Any, Any]]:
        return {
            group: {
                key: lists[group, key][i].tolist() if (group, key) in lists else value
                for key, value in (given or {}).items()
            }
            for group, given in groups.items()
        }

    return _named(lists), values


def _named(lists: Mapping[tuple[str, Any], np.ndarray]) -> dict[str, np.ndarray]:
    """The lists by name, entries of vectors one by one; where two groups have one name, the later says which it is."""
    named: dict[str, np.ndarray] = {}
    for (group, key), found in lists.items():
        name = str(getattr(key, "name", key))
        if name in named or f"{name}[0]" in named:
            name = f"{group} {name}"
        named |= {name: found} if found.ndim == 1 else {f"{name}[{j}]": found[:, j] for j in range(found.shape[1])}
    return named


def _numbers(model: str, group: str, key: Any, value: Any) -> np.ndarray:
    try:
        return np.array(number_array(value if hasattr(value, "__len__") else list(value)))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the values of {str(key)!r} are no numbers",
            model=model,
            where=group,
            fix="give one number for each member",
        ) from error


def threads_of(threads: int | None, model: str) -> int:
    """How many threads: those asked for, or one for every processor that this process may use."""
    if threads is not None:
        return whole_number(threads, 1, 4096, model=model, where="threads")
    return processors()
