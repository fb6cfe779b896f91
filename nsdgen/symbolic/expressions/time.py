"""Time: the symbol users differentiate with respect to, the one kernels receive, lengths of steps and periods."""

import sympy as sp

from nsdgen.base.suggest import named_arguments

time = sp.Symbol("t")
"""The time of ``sympy.physics.mechanics`` (``dynamicsymbols._t``; importing that takes a fifth of a second, for units
of measurement mostly); ``z.diff()`` of a dynamicsymbol is with respect to it."""

NOW = sp.Symbol("time/t", real=True)
"""The real symbol that replaces ``time`` on entry (:mod:`nsdgen.symbolic.expressions.entry`)."""

step = sp.Symbol("run/step", real=True)
"""h, the length of the step that is made [s]: shorter than the model's where a step is cut. For any expression."""

period = sp.Symbol("block/period", real=True)
"""The sampling period of the block whose expression this stands in [s]."""


@named_arguments
def sampled(name: str) -> sp.Symbol:
    """A sample of the block whose expression this stands in: its value at the last instant that was due."""
    return sp.Symbol(f"sample/{name}", real=True)


@named_arguments
def recorded(name: str) -> sp.Symbol:
    """What a run records under ``name`` at the same instant, in its unit; for ``outputs=`` and :class:`nsd.Observed`.

    Names are those of the trajectory, ``"floor.impulse"`` or ``"floor.impulse[1]"``: the scheme decides which there
    are. Deriving a model raises ``ModelError`` for a name that is none.
    """
    return sp.Symbol(f"recorded/{name}", real=True)
