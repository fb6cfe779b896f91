"""Where everything lies in the record of a step.

The record is one block of doubles: states of all systems, memories of all relations,
multipliers stage by stage, observed values of relations, then of systems, stage by stage, outputs, then counters. The
trajectory's columns are its entries in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.base.once import once_for_each
from nsdgen.errors import ModelError
from nsdgen.record.columns import STATE, Column, Columns
from nsdgen.record.instances import RelationRecord, SystemRecord
from nsdgen.record.model_record import ModelRecord

_OWN = ("step", "rate")
"""When stages run whose multipliers have places of their own."""


@dataclass(frozen=True)
class Layout:
    """Offsets into the record; per stage for multipliers and observed values.

    ``carried`` counts what a step starts from: states and memories. ``kept`` and ``cut`` are counters that a record
    has where a limit may be passed or a step may end early.
    """

    state: tuple[int, ...]
    memory: tuple[int, ...]
    multiplier: tuple[tuple[int, ...], ...]
    observed: tuple[tuple[int, ...], ...]
    system_observed: tuple[tuple[int, ...], ...]
    counters: int
    width: int
    columns: Columns
    carried: int = 0
    kept: int | None = None
    cut: int | None = None
    outputs: tuple[int, ...] = ()

    @classmethod
    def of(cls, record: ModelRecord) -> Layout:
        """The layout of a model's record, made once for each record."""
        return _layout(record)

    @classmethod
    def _made(cls, record: ModelRecord) -> Layout:
        columns: list[Column] = []

        def lay(owner: SystemRecord | RelationRecord, names: Iterable[str], units: Iterable[str], what: str) -> int:
            start = len(columns)
            own = {theirs: (name, unit) for theirs, name, unit in owner.own_labels}
            for name, unit in zip(names, units, strict=True):
                label, label_unit = own.get(name, (name, unit))
                columns.append(Column(f"{owner.name}.{label}", label_unit, what))
            return start

        systems = [(s, record.system_classes[s.cls]) for s in record.systems]
        relations = [(r, record.relation_classes[r.cls]) for r in record.relations]
        state = tuple(lay(s, c.state_names, c.state_units, STATE) for s, c in systems)
        memory = tuple(lay(r, c.memory_names, c.memory_units, "remembered") for r, c in relations)

        def staged(pairs: Sequence[tuple[Any, Any]], part: str, what: str) -> tuple[tuple[int, ...], ...]:
            return tuple(
                tuple(lay(item, *_own(record, c, part, k), what) for item, c in pairs)
                for k in range(len(record.stages))
            )

        carried = len(columns)
        multiplier = _at_start(record, staged(relations, "multiplier", "multiplier of the step that ends here"))
        observed = staged(relations, "observed", "output")
        system_observed = staged(systems, "observed", "observed")
        outputs = tuple(
            lay(record.relations[o.relation], [n for n, _ in o.labels], [u for _, u in o.labels], "output")
            for o in record.outputs
        )
        counters = len(columns)
        columns += [
            Column("newton_iterations", "", "Newton iterations of the step"),
            Column("rank_deficiency", "", "multipliers of the step that are not determined"),
        ]
        kept = cut = None
        if "keep" in {*(s.on_limit for s in record.stages), *(g.on_limit for g in record.repeats)}:
            kept = len(columns)
            columns.append(Column("kept", "", "limits of the step at which the last iterate was kept"))
        if cuts := cut_names(record):
            cut = len(columns)
            words = ", ".join(f"{i + 1} {name}" for i, name in enumerate(cuts))
            columns.append(Column("cut", "", f"the quantity whose zero ended the step early: 0 none, {words}"))
        twice = sorted(n for n, count in Counter(c.name for c in columns).items() if count > 1)
        if twice:
            raise ModelError(
                f"two recorded values are called {twice[0]!r}",
                model=record.name,
                fix="rename a coordinate, state or multiplier",
            )
        return cls(
            state,
            memory,
            multiplier,
            observed,
            system_observed,
            counters,
            len(columns),
            Columns(columns),
            carried,
            kept,
            cut,
            outputs,
        )


@once_for_each
def _layout(record: ModelRecord) -> Layout:
    return Layout._made(record)


@once_for_each
def cut_names(record: ModelRecord) -> tuple[str, ...]:
    """The quantities whose zeros end a step early, as ``instance.quantity``: systems, then relations."""
    owners = [(s.name, record.system_classes[s.cls].cuts) for s in record.systems]
    owners += [(r.name, record.relation_classes[r.cls].cuts) for r in record.relations]
    return tuple(f"{owner}.{name}" for owner, cuts in owners for name, _ in cuts)


def _own(record: ModelRecord, cls: Any, part: str, stage: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of what a class records of a stage; nothing where another stage records it."""
    if part == "multiplier" and _followed(record, cls, stage) is not None:
        return (), ()
    return getattr(cls, f"{part}_names")[stage], getattr(cls, f"{part}_units")[stage]


def _followed(record: ModelRecord, cls: Any, stage: int) -> int | None:
    """The stage of steps, or of the rate, whose multipliers a stage at the start or at events finds: by their names."""
    names = cls.multiplier_names
    if record.stages[stage].at in _OWN or not names[stage]:
        return None
    return next((k for k, s in enumerate(record.stages) if s.at in _OWN and names[k] == names[stage]), None)


def _at_start(record: ModelRecord, places: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The places of multipliers, those of stages at the start where the steps have theirs."""

    def place(stage: int, i: int) -> int:
        followed = _followed(record, record.relation_classes[record.relations[i].cls], stage)
        return places[stage if followed is None else followed][i]

    return tuple(tuple(place(k, i) for i in range(len(row))) for k, row in enumerate(places))
