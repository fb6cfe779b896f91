"""Time: the symbol users differentiate with respect to, and the one kernels receive."""

from __future__ import annotations

import sympy as sp
from sympy.physics.vector import dynamicsymbols

__all__ = ["NOW", "dynamicsymbols", "time"]

time = dynamicsymbols._t
"""The time of ``sympy.physics.mechanics``; ``z.diff()`` of a dynamicsymbol is with respect to it."""

NOW = sp.Symbol("time/t", real=True)
"""The real symbol that replaces ``time`` on entry (:mod:`nsdgen.symbolic.expressions.entry`)."""
