"""What may be given at t_0 by name: the initial values of systems, and the multipliers of relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord

__all__ = ["check_complete", "initial_multipliers", "slots_of"]

Multipliers = dict[tuple[int, int, int], float]
"""By stage, relation and entry."""


def slots_of(record: ModelRecord) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name of each value and its slot: (system, entry), or (stage, relation, entry) of a multiplier."""
    for i, s in enumerate(record.systems):
        for j, name in enumerate(s.initial_names):
            yield f"{s.name}.{name}", (i, j)
    for i, r in enumerate(record.relations):
        own = {theirs: ours for theirs, ours, _ in r.own_labels}
        for k, names in enumerate(record.relation_classes[r.cls].multiplier_names):
            if record.stages[k].at != "start":
                for j, name in enumerate(names):
                    yield f"{r.name}.{own.get(name, name)}", (k, i, j)


def initial_multipliers(record: ModelRecord) -> Multipliers:
    """The multipliers that the model itself gives."""
    found: Multipliers = {}
    for i, r in enumerate(record.relations):
        given = dict(r.initial)
        for k, names in enumerate(record.relation_classes[r.cls].multiplier_names if given else ()):
            if record.stages[k].at != "start":
                found |= {(k, i, j): given[name] for j, name in enumerate(names) if name in given}
    return found


def check_complete(record: ModelRecord, multipliers: Mapping[tuple[int, int, int], float]) -> None:
    """Refuse a relation of which some multipliers at t_0 are given and others are not."""
    for stage, relation in {(k, i) for k, i, _ in multipliers}:
        names = record.relation_classes[record.relations[relation].cls].multiplier_names[stage]
        missing = [name for j, name in enumerate(names) if (stage, relation, j) not in multipliers]
        if missing:
            raise ParameterError(
                f"{', '.join(missing)} is not given, other multipliers of the relation are",
                model=record.name,
                where=f"initial, relation {record.relations[relation].name!r}",
                fix="give all multipliers of a relation, or none",
            )
