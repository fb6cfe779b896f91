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

from nsdgen.base.checks import shown
from nsdgen.record.schema import Damaged, each, typed

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


def _read_arguments(data: Any, slots: list[list[Any]], where: str) -> tuple[ArgumentRecord, ...]:
    if not isinstance(data, list):
        raise Damaged(f"{where} is {shown(data)}, not a list")
    found = []
    for i, a in enumerate(data):
        here = f"{where}[{i}]"
        if isinstance(a, dict) and "source" in a:
            found.append(typed(ArgumentRecord, a, here))
            continue
        if i >= len(slots):
            raise Damaged(f"{here} belongs to no slot")
        name, least, largest = slots[i]
        if isinstance(a, dict):
            ((source, index),) = a.items() if len(a) == 1 else (("", 0),)
            if source not in ("parameter", "derived"):
                raise Damaged(f"{here} is {shown(a)}, no source of a value")
            found.append(ArgumentRecord(name, source, typed(int, index, here), 0.0, least, largest))
        else:
            found.append(ArgumentRecord(name, "value", 0, typed(float, a, here), least, largest))
    return tuple(found)


def read_slots(data: Any, where: str) -> Slots:
    """The slots in a file; raises ``Damaged``."""
    if not isinstance(data, dict):
        raise Damaged(f"{where} is {shown(data)}, not an object")
    return {
        key: [
            list(typed(tuple[str, float | None, float | None], slot, f"{where}.{key}[{i}]"))
            for i, slot in enumerate(each(object, slots, f"{where}.{key}"))
        ]
        for key, slots in data.items()
    }


def read_system(item: Any, slots: Slots, labels: dict[str, tuple[str, ...]], where: str) -> SystemRecord:
    """A system from its line; raises ``Damaged``."""
    cls, common = _read_common(item, slots, where, ("initial", "initial_names"))
    names = item.get("initial_names")
    return SystemRecord(
        common[0],
        cls,
        common[1],
        each(float, item.get("initial"), f"{where}.initial"),
        labels.get(str(cls), ()) if names is None else each(str, names, f"{where}.initial_names"),
        common[2],
    )


def read_relation(item: Any, slots: Slots, where: str) -> RelationRecord:
    """A relation from its line; raises ``Damaged``."""
    cls, common = _read_common(item, slots, where, ("participants", "initial"))
    initial = each(tuple[str, float], item.get("initial", ()), f"{where}.initial")
    return RelationRecord(
        common[0],
        cls,
        each(int, item.get("participants"), f"{where}.participants"),
        common[1],
        common[2],
        tuple((name, float(value)) for name, value in initial),
    )


def _read_common(item: Any, slots: Slots, where: str, more: tuple[str, ...]) -> tuple[int, tuple[Any, ...]]:
    """What systems and relations have in common: the class, then name, arguments and own labels."""
    if not isinstance(item, dict) or any(key not in ("name", "cls", "arguments", "own_labels", *more) for key in item):
        raise Damaged(f"{where} is {shown(item)}, no instance")
    cls = typed(int, item.get("cls"), f"{where}.cls")
    return cls, (
        typed(str, item.get("name"), f"{where}.name"),
        _read_arguments(item.get("arguments"), slots.get(str(cls), []), f"{where}.arguments"),
        each(tuple[str, str, str], item.get("own_labels", ()), f"{where}.own_labels"),
    )


def written(value: Any) -> str:
    """A value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False)
