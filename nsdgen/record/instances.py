"""Instances in a model record; its file has a line for each, the fields in their order."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_Lines = Sequence[Any]


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


def line(item: SystemRecord | RelationRecord) -> str:
    """The line of an instance."""
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"), default=_fields)


def _fields(record: Any) -> list[Any]:
    """The fields of a record; what is empty at their end is left out."""
    found = [getattr(record, name) for name in record.__slots__]
    while found[-1] in (None, ()):
        found.pop()
    return found


def read_system(
    name: str, cls: int = 0, arguments: _Lines = (), initial: _Lines = (), names: _Lines = (), own_labels: _Lines = ()
) -> SystemRecord:
    """A system from the fields of its line."""
    return SystemRecord(name, cls, _arguments(arguments), tuple(initial), tuple(names), _tuples(own_labels))


def read_relation(
    name: str, cls: int = 0, systems: _Lines = (), arguments: _Lines = (), own_labels: _Lines = (), initial: _Lines = ()
) -> RelationRecord:
    """A relation from the fields of its line."""
    return RelationRecord(name, cls, tuple(systems), _arguments(arguments), _tuples(own_labels), _tuples(initial))


def _arguments(lines: _Lines) -> tuple[ArgumentRecord, ...]:
    return tuple(ArgumentRecord(*fields) for fields in lines)


def _tuples(lines: _Lines) -> tuple[Any, ...]:
    return tuple(map(tuple, lines))
