"""A condition that ends runs, under any scheme: a quantity of the state that is cut, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from nsdgen.schemes.program import Cut
from nsdgen.schemes.stages import T_NEXT, DiscreteRelation, DiscreteSystem, Labels
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.stop import StopClass

__all__ = ["ZERO", "discretise_stop"]

ZERO = "zero"
"""What the zero of the quantity is called."""


def discretise_stop(cls: StopClass, participants: Sequence[DiscreteSystem]) -> DiscreteRelation:
    """The cut at the state that a step has reached; ``participants`` are renamed where there are several."""
    now = {NOW: T_NEXT, **{s: e for p in participants for s, e in p.at_state.items()}}
    value = cls.terms["value"][0].xreplace(now)
    return DiscreteRelation(cls, (), Labels(), (), cuts=(Cut(ZERO, value, cls.direction),))
