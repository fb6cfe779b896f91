"""The events of a run: where a quantity was zero, and what it was.

A run that goes from event to event records both sides of each; one that makes steps records where a step was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nsdgen.base.suggest import nearest
from nsdgen.errors import ArgumentError, ParameterError
from nsdgen.record.step_record import cut_names

if TYPE_CHECKING:
    from nsdgen.record.model_record import ModelRecord
    from nsdgen.study.samples import Samples


@dataclass(frozen=True)
class Event:
    """At ``time`` [s] the quantity ``kind`` of the system or relation ``name`` was zero.

    ``before`` is the row of the trajectory just before the event, ``after`` that just after it: the same row where a
    step was cut, or the run ended there. What happens at the start itself has the kind ``"start"`` and no name.
    """

    time: float
    name: str
    kind: str
    before: int
    after: int


class Events(tuple[Event, ...]):
    """All events of a run in order; a name as an index is an ``ArgumentError`` that says what finds such events."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, str):
            return super().__getitem__(place)
        owner, _, kind = place.rpartition(".")
        wanted = f"e.kind == {kind!r}" + (f" and e.name == {owner!r}" if owner else "")
        known = ", ".join(sorted({f"{e.name}.{e.kind}" for e in self})) or "none"
        raise ArgumentError(
            f"{place!r} is no index: events stand in order of time, by numbers",
            where="events of a run",
            fix=f"take [e for e in run.events if {wanted}]; this run had: {known}",
        )


def check_event(record: ModelRecord, name: str, where: str) -> None:
    """Raise ``ParameterError`` for an event that no run of a model has: ``"wall.closes"``, ``"closes"`` for all."""
    known = dict.fromkeys(n for full in cut_names(record) for n in (full, full.rpartition(".")[2]))
    if name not in known:
        steps = all(option.name != "rtol" for scheme in record.schemes for option in scheme.options)
        none = "its scheme makes steps: use nsd.EventDriven()" if steps else "nothing in it makes events"
        listed = f"it has {', '.join(known)}" if known else none
        raise ParameterError(
            f"no event is called {name!r}",
            model=record.name,
            where=where,
            fix=f"{nearest(name, known)} {listed}".strip(),
        )


def events_of(trajectory: Samples) -> Events:
    """All events in order; none for a model without quantities that are looked at."""
    names: Sequence[str] = trajectory.attributes.get("cuts", ())
    time = trajectory.time
    cut = trajectory["cut"] if names else np.zeros(len(time))
    found = [] if len(time) < 2 or time[1] > time[0] or cut[0] else [Event(float(time[0]), "", "start", 0, 1)]
    for row in map(int, np.flatnonzero(cut)):
        owner, _, kind = names[int(cut[row]) - 1].rpartition(".")
        both = row + 1 < len(time) and time[row + 1] == time[row]
        found.append(Event(float(time[row]), owner, kind, row, row + 1 if both else row))
    return Events(found)
