"""Where everything lies in the record of a step.

The record is one block of doubles: states of all systems, memories of all relations,
multipliers stage by stage, observed values of relations, then of systems, stage by stage, then two counters. The
trajectory's columns are its entries in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nsdgen.errors import ModelError
from nsdgen.record import ModelRecord, RelationRecord, SystemRecord

__all__ = ["ColumnInfo", "Layout"]


class ColumnInfo(NamedTuple):
    """A recorded value: its full name, unit and meaning."""

    name: str
    unit: str
    description: str


@dataclass(frozen=True)
class Layout:
    """Offsets into the record; per stage for multipliers and observed values."""

    state: tuple[int, ...]
    memory: tuple[int, ...]
    multiplier: tuple[tuple[int, ...], ...]
    observed: tuple[tuple[int, ...], ...]
    system_observed: tuple[tuple[int, ...], ...]
    counters: int
    width: int
    columns: tuple[ColumnInfo, ...]

    @classmethod
    def of(cls, record: ModelRecord) -> Layout:
        """The layout of a model's record."""
        columns: list[ColumnInfo] = []

        def lay(owner: SystemRecord | RelationRecord, names: Iterable[str], units: Iterable[str], what: str) -> int:
            start = len(columns)
            own = {theirs: (name, unit) for theirs, name, unit in owner.own_labels}
            for name, unit in zip(names, units, strict=True):
                label, label_unit = own.get(name, (name, unit))
                columns.append(ColumnInfo(f"{owner.name}.{label}", label_unit, what))
            return start

        systems = [(s, record.system_classes[s.cls]) for s in record.systems]
        relations = [(r, record.relation_classes[r.cls]) for r in record.relations]
        state = tuple(lay(s, c.state_names, c.state_units, "state") for s, c in systems)
        memory = tuple(lay(r, c.memory_names, c.memory_units, "remembered") for r, c in relations)

        def staged(pairs: Sequence[tuple[Any, Any]], part: str, what: str) -> tuple[tuple[int, ...], ...]:
            return tuple(tuple(lay(item, getattr(c, f"{part}_names")[k], getattr(c, f"{part}_units")[k], what)
                               for item, c in pairs) for k in range(len(record.stages)))

        multiplier = staged(relations, "multiplier", "multiplier of the step that ends here")
        observed = staged(relations, "observed", "output")
        system_observed = staged(systems, "observed", "observed")
        counters = len(columns)
        columns += [ColumnInfo("newton_iterations", "", "Newton iterations of the step"),
                    ColumnInfo("rank_deficiency", "",
                               "multipliers of the step that are not determined")]
        twice = sorted(n for n, count in Counter(c.name for c in columns).items() if count > 1)
        if twice:
            raise ModelError(f"two recorded values are called {twice[0]!r}", model=record.name,
                             fix="rename a coordinate, state or multiplier")
        return cls(state, memory, multiplier, observed, system_observed, counters, len(columns), tuple(columns))

