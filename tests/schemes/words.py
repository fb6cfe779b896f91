"""Classes over bare symbols, as families would describe them: schemes are tested on these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system_class import SystemClass, Variables
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.output_relation import OutputClass
from nsdgen.symbolic.relations.relation_class import Participant


def mechanical(name: str, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol], mass: Any, force: Any) -> SystemClass:
    """M(q) v' = F in generalised coordinates."""
    groups = (Variables(role, tuple(s), tuple(x.name for x in s), ("",) * len(s)) for role, s in (("q", q), ("v", v)))
    return mechanical_class(name, (), *groups, sp.Matrix(mass), sp.Matrix(force))


def gap(name: str, participants: Sequence[Participant], law: Law, value: Any) -> GapClass:
    """A gap without tangents."""
    return GapClass(name, (), tuple(participants), law, {"gap": sp.Matrix(value), "sliding": sp.zeros(0, 1)})


def output(
    name: str,
    participants: Sequence[Participant],
    law: Law,
    multipliers: Sequence[sp.Symbol],
    y: Any,
    reactions: Sequence[Any],
) -> OutputClass:
    """An output relation without units."""
    return OutputClass(
        name,
        (),
        tuple(participants),
        law,
        {"output": sp.Matrix(y)},
        tuple(sp.Matrix(g) for g in reactions),
        tuple(multipliers),
    )
