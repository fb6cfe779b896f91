"""Instances in a model record, and the lines in which its file lists them.

What the instances of a class have in common (names and ranges of their arguments, names of initial values) is listed
once, in ``*_slots`` and ``initial_names``; an argument is then a number, ``{"parameter": index}`` or
``{"derived": index}``, or a whole record where it differs from its slot.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Slots = dict[str, list[list[Any]]]
"""By class: name, least and largest value of each argument, those of its first instance."""


@dataclass(frozen=True, slots=True)
class ArgumentRecord:
    """Where an instance takes the value of one parameter slot from.

    ``source`` is "parameter" (``index`` into the model's parameters), "value" (a constant)
    or "derived" (``index`` into what the module's ``arguments`` kernel computes).
    """

    name: str
    source: str
    index: int = 0
    value: float = 0.0
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """A system instance.

    ``own_labels`` lists (name in the class, own name, own unit) where an instance calls a
    recorded value otherwise than its class.
    """

    name: str
    cls: int
    arguments: tuple[ArgumentRecord, ...]
    initial: tuple[float, ...]
    initial_names: tuple[str, ...]
    own_labels: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation instance on systems ``participants``; ``own_labels`` as for systems.

    ``initial`` are the multipliers that the model gives at t_0, by the names of their columns.
    """

    name: str
    cls: int
    participants: tuple[int, ...]
    arguments: tuple[ArgumentRecord, ...]
    own_labels: tuple[tuple[str, str, str], ...] = ()
    initial: tuple[tuple[str, float], ...] = ()


def slots_of(instances: Iterable[SystemRecord | RelationRecord]) -> Slots:
    """By class: the slots of its first instance."""
    slots: Slots = {}
    for item in instances:
        key = str(item.cls)
        if key not in slots:
            slots[key] = [[a.name, a.min, a.max] for a in item.arguments]
    return slots


def first(instances: Iterable[SystemRecord], part: str) -> dict[str, list[str]]:
    """By class: a part of its first instance."""
    found: dict[str, list[str]] = {}
    for item in instances:
        found.setdefault(str(item.cls), list(getattr(item, part)))
    return found


def _arguments(item: SystemRecord | RelationRecord, slots: Slots) -> list[Any]:
    """The arguments as they are written: short where name and range are those of the slot."""
    of_class = slots[str(item.cls)]
    written: list[Any] = []
    for i, a in enumerate(item.arguments):
        if i >= len(of_class) or [a.name, a.min, a.max] != of_class[i] or len(of_class) != len(item.arguments):
            written.append(dataclasses.asdict(a))
        else:
            written.append(a.value if a.source == "value" else {a.source: a.index})
    return written


def system_line(s: SystemRecord, slots: Slots, labels: dict[str, list[str]]) -> str:
    """The line of a system."""
    line: dict[str, Any] = {"name": s.name, "cls": s.cls, "arguments": _arguments(s, slots), "initial": s.initial}
    if list(s.initial_names) != labels[str(s.cls)]:
        line["initial_names"] = s.initial_names
    if s.own_labels:
        line["own_labels"] = s.own_labels
    return written(line)


def relation_line(r: RelationRecord, slots: Slots) -> str:
    """The line of a relation."""
    line: dict[str, Any] = {
        "name": r.name,
        "cls": r.cls,
        "participants": r.participants,
        "arguments": _arguments(r, slots),
    }
    if r.own_labels:
        line["own_labels"] = r.own_labels
    if r.initial:
        line["initial"] = r.initial
    return written(line)


def _read_arguments(data: list[Any], slots: list[list[Any]]) -> tuple[ArgumentRecord, ...]:
    found = []
    for i, a in enumerate(data):
        if isinstance(a, dict) and "source" in a:
            found.append(ArgumentRecord(**a))
            continue
        name, least, largest = slots[i]
        source, index, value = (*next(iter(a.items())), 0.0) if isinstance(a, dict) else ("value", 0, a)
        found.append(ArgumentRecord(name, source, index, value, least, largest))
    return tuple(found)


def read_system(item: dict[str, Any], slots: Slots, labels: dict[str, list[str]]) -> SystemRecord:
    """A system from its line."""
    key = str(item["cls"])
    return SystemRecord(
        item["name"],
        item["cls"],
        _read_arguments(item["arguments"], slots[key]),
        tuple(item["initial"]),
        tuple(item.get("initial_names", labels[key])),
        _pairs(item, "own_labels"),
    )


def read_relation(item: dict[str, Any], slots: Slots) -> RelationRecord:
    """A relation from its line."""
    return RelationRecord(
        item["name"],
        item["cls"],
        tuple(item["participants"]),
        _read_arguments(item["arguments"], slots[str(item["cls"])]),
        _pairs(item, "own_labels"),
        _pairs(item, "initial"),
    )


def _pairs(item: dict[str, Any], part: str) -> tuple[Any, ...]:
    return tuple(map(tuple, item.get(part, ())))


def written(value: Any) -> str:
    """A value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)
