"""Who reads what a run sets itself: arguments of instances that blocks hold, that are h, or formulas of such."""

from __future__ import annotations

from typing import Literal, NamedTuple

from nsdgen.record.model_record import ModelRecord

__all__ = ["HeldArgument", "held_readers"]


class HeldArgument(NamedTuple):
    """An argument: of which kind of instance, its number there, and the name of the slot."""

    kind: Literal["system", "relation"]
    number: int
    name: str


def held_readers(record: ModelRecord) -> list[HeldArgument]:
    """All of them, systems first, in a fixed order; none where a run sets nothing.

    Formulas are listed whatever they hold: they are evaluated together.
    """
    return [HeldArgument(kind, number, a.name) for kind, number, _, a in record.held_slots]
