"""Angles of joints that go on over any number of turns, in relations that remember where they were."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import sympy as sp

from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.nodes import let
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation import Place

if TYPE_CHECKING:
    from nsdgen.symbolic.joints.freedom import Freedom

_LAST, _RATE, _TIME = (own_symbol("memory", f"{name}_counted") for name in ("angle", "rate", "time"))


class Counted(NamedTuple):
    """A place where an angle counts its turns; the term and the memory that its class then has."""

    place: Place
    terms: dict[str, sp.Matrix]
    memory: dict[sp.Symbol, str]


def counting_turns(freedom: Freedom | None, values: sp.Matrix, place: Place) -> Counted:
    """``values`` count turns of a freedom that is an angle, from where a run starts on; joint coordinates do so anyway.

    The angle is within half a turn of where it would come to from the last step at its rate: what turns fast may go
    round in a step.
    """
    if (
        freedom is None
        or not freedom.turns
        or freedom.coordinate in place.symbols
        or not values.has(freedom.coordinate)
    ):
        return Counted(place, {}, {})
    c, s, rate = place.entered([freedom.cosine, freedom.sine, freedom.rate], "angle")
    by = _LAST + _RATE * (NOW - _TIME)
    ahead = sp.atan2(s * sp.cos(by) - c * sp.sin(by), c * sp.cos(by) + s * sp.sin(by), evaluate=False)
    angle = let("angle_counted", by + ahead)
    return Counted(
        replace(place, symbols={**place.symbols, freedom.coordinate: angle}),
        {"remembered": sp.Matrix([angle, rate, NOW])},
        {_LAST: "rad", _RATE: "rad/s", _TIME: "s"},
    )
