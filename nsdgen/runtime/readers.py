"""Who reads what a run sets itself: arguments of instances that blocks hold, that are h, or formulas of such."""

from __future__ import annotations

from typing import Literal, NamedTuple

from nsdgen.record import ModelRecord
from nsdgen.record_instances import ArgumentRecord, RelationRecord, SystemRecord

__all__ = ["Reader", "held_readers", "held_slots"]


class Reader(NamedTuple):
    """An argument: of which kind of instance, its number there, and the name of the slot."""

    kind: Literal["system", "relation"]
    number: int
    name: str


def held_readers(record: ModelRecord) -> list[Reader]:
    """All of them, systems first, in a fixed order; none where a run sets nothing.

    Formulas are listed whatever they hold: they are evaluated together.
    """
    return [Reader(kind, number, a.name) for kind, number, _, a in held_slots(record)]


def held_slots(record: ModelRecord) -> list[tuple[Literal["system", "relation"], int, int, ArgumentRecord]]:
    """Kind and number of the instance, number of the slot, and its record."""
    held = {k for block in record.blocks for k in block.holds}
    if record.step_parameter is not None:
        held.add(record.step_parameter)
    if not held:
        return []
    instances: list[tuple[Literal["system", "relation"], int, SystemRecord | RelationRecord]] = [
        *(("system", i, s) for i, s in enumerate(record.systems)),
        *(("relation", i, r) for i, r in enumerate(record.relations))]
    return [(kind, i, slot, a) for kind, i, item in instances for slot, a in enumerate(item.arguments)
            if a.source == "derived" or (a.source == "parameter" and a.index in held)]
