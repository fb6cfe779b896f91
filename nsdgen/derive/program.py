"""The stages of a model: those of its schemes, one after the other.

No relation joins systems under different schemes, so their stages are independent of each other. Schemes
with the same stages (two that differ in theta, say) share them; all others keep their own, with their own
Newton options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from nsdgen.record import StageRecord
from nsdgen.schemes.scheme import Scheme
from nsdgen.schemes.stages import StageOptions

__all__ = ["Program"]

T = TypeVar("T")


@dataclass(frozen=True)
class Program:
    """``places[i][k]`` is the number in the model of stage k of scheme i."""

    stages: tuple[StageRecord, ...]
    places: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, schemes: Sequence[Scheme]) -> Program:
        """The stages of these schemes, in order."""
        known: dict[tuple[StageOptions, ...], tuple[int, ...]] = {}
        members: dict[int, list[int]] = {}
        options: list[StageOptions] = []
        places = []
        for i, scheme in enumerate(schemes):
            if scheme.stages not in known:
                known[scheme.stages] = tuple(range(len(options), len(options) + len(scheme.stages)))
                options += scheme.stages
            places.append(known[scheme.stages])
            for number in places[-1]:
                members.setdefault(number, []).append(i)
        return cls(tuple(_record(o, members[k]) for k, o in enumerate(options)), tuple(places))

    def spread(self, scheme: int, values: Sequence[T], empty: T) -> tuple[T, ...]:
        """What belongs to the stages of a scheme as one entry for every stage of the model."""
        of_stage = dict(zip(self.places[scheme], values, strict=False))
        return tuple(of_stage.get(k, empty) for k in range(len(self.stages)))


def _record(o: StageOptions, schemes: Sequence[int]) -> StageRecord:
    n, repeat = o.newton, o.repeat
    return StageRecord(
        o.name, tuple(schemes), n.tolerance, n.max_iterations, n.measure, n.fixed_iterations, n.on_limit,
        n.line_search, o.activation_at, repeat.tolerance if repeat else None, repeat.maximum if repeat else 1,
        repeat.on_limit if repeat else "raise")
