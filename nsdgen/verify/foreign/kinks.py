"""Whether a point is on a kink or a jump of the truth, where doubles may go either way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
import sympy as sp

from nsdgen.symbolic.graph.running_error import evaluate

NEAR = 1e-11
"""A switch whose value is smaller than this, relative to its terms, may go either way in double precision."""

_NEAR_WHOLE = 1e-9  # the same of sin(pi x), which vanishes where x is an integer


def nearby(found: Sequence[sp.Expr], values: Mapping[sp.Symbol, Any]) -> sp.Expr | None:
    """The first switch (it vanishes where a formula changes) that a point is on or near; None where it is on none."""
    for switch in found:
        try:
            value = abs(evaluate(switch, values))
            terms = switch.args if isinstance(switch, sp.Add) else ()
            size = max([abs(evaluate(t, values)) for t in terms], default=mpmath.mpf(0))
        except (TypeError, ZeroDivisionError, ValueError):
            continue
        if value <= NEAR * size or value == 0 or (isinstance(switch, sp.sin) and value <= _NEAR_WHOLE):
            return switch
    return None


def text_of(switch: sp.Expr) -> str:
    """Where a switch vanishes, to a reader: ``x - 1 = 0``, ``x/3 is an integer``."""
    if isinstance(switch, sp.sin):
        return f"{switch.args[0] / sp.pi} is an integer"
    return f"{switch} = 0"
