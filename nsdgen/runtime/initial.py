"""What may be given at t_0 by name: the initial values of systems, and the multipliers of relations."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nsdgen.base.checks import shown
from nsdgen.base.patterns import near
from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord

_MOST_LISTED = 40  # names in a message

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
                where=f"initial, relation {record.relations[relation].name!r}",
                fix="give all multipliers of a relation, or none",
            )


def is_initial(record: ModelRecord, name: str) -> bool:
    """Whether initial values have this name, whole or without that of the instance."""
    return bool(_matches(_places(record), name))


def _places(record: ModelRecord) -> dict[str, list[tuple[int, ...]]]:
    """The slots of every name; the entries of a vector have one together, too."""
    places: dict[str, list[tuple[int, ...]]] = {}
    for name, slot in slots_of(record):
        places[name] = [slot]
        if "[" in name:
            places.setdefault(name.rpartition("[")[0], []).append(slot)
    return places


def _matches(places: Mapping[str, Any], name: str) -> list[str]:
    return [name] if name in places else [k for k in places if k.split(".", 1)[1] == name]


def given_initial(record: ModelRecord, given: Mapping[str, Any]) -> list[tuple[str, tuple[int, ...], Any]]:
    """Quantity, place and number of each initial value that is given; the numbers are not looked at."""
    found = []
    places = _places(record) if given else {}
    said: dict[tuple[int, ...], str] = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise ParameterError(
                f"the key {name!r} is not a name",
                where="initial",
                fix=f"use the names of columns, e.g. {next(iter(places))!r}",
            )
        matches = _matches(places, name)
        if len(matches) != 1:
            if matches:
                raise ParameterError(
                    f"{name!r} may be {', '.join(matches[:_MOST_LISTED])}",
                    where="initial",
                    fix="write instance.quantity",
                )
            raise unknown_name(record, "initial value", name, list(places))
        slots = places[matches[0]]
        numbers = [value] if np.ndim(value) == 0 else list(value)
        if len(numbers) != len(slots):
            wanted = "one number" if len(slots) == 1 else f"{len(slots)} numbers"
            raise ParameterError(
                f"{name!r} takes {wanted}, got {len(numbers)}",
                where="initial",
                fix=f"give {wanted if len(slots) == 1 else f'a list of {wanted}'}",
            )
        for slot, number in zip(slots, numbers, strict=True):
            if slot in said:
                raise ParameterError(
                    f"{said[slot]!r} and {name!r} are the same quantity", where="initial", fix="give it once"
                )
            said[slot] = name
            found.append((matches[0], slot, number))
    return found


def check_norms(record: ModelRecord, rows: Sequence[Sequence[float]]) -> None:
    """Refuse initial values that are to form a vector of norm 1 and do not."""
    for system, row in zip(record.systems, rows, strict=True):
        for group in record.system_classes[system.cls].unit_norm:
            norm = math.hypot(*(row[j] for j in group))
            if not math.isclose(norm, 1.0, abs_tol=1e-9):
                raise ParameterError(
                    f"the initial {system.initial_names[group[0]].split('[')[0]} has norm {norm!r}, not 1",
                    where=f"system {system.name!r}",
                    fix="give a vector of norm 1 (nsd.from_axis_angle makes one)",
                )


def unknown_name(record: ModelRecord, what: str, name: str, known: Sequence[str]) -> ParameterError:
    """The error for a name that is none of those known, with what may be meant."""
    close = near(name, known)
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"this model has {', '.join(map(repr, known[:_MOST_LISTED])) or 'none'}{more}"
    )
    return ParameterError(f"no {what} is called {shown(name)}", fix=hint)
