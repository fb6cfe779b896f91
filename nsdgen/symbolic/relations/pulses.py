"""Pulse-width modulation and ramps, with edges at instants of clocks: exact under every scheme."""

import sympy as sp

from nsdgen.base.checks import finite_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.time import period as period_of_block
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.relations.sampled import Sampled


@named_arguments
class Pulses:
    """Pulses of equal width: on at offset + k period after the start of a run, off ``width`` later [s].

    ``pulse`` is 1 where it is on and 0 where it is off, an expression for the equations of a model, which takes the
    pulses with ``blocks=[pulses]``. They are two clocks, blocks called ``<name>_on`` and ``<name>_off`` that count
    their edges: steps end at each of them, and ``<name>_off.offset``, offset + width, is a parameter of the model, as
    their periods are. Raises ``ModelError`` unless 0 < width < period.
    """

    def __init__(self, name: str, period: float, width: float, *, offset: float = 0.0) -> None:
        where = f"block {name!r}"
        self.name = name
        long = finite_number(width, where=f"{where}, width")
        if not 0 < long < finite_number(period, where=f"{where}, period"):
            raise ModelError(
                f"width {long:g} s of period {float(period):g} s",
                where=where,
                fix="give 0 < width < period: what is always on, or never, is a number; a pulse whose width follows a "
                "signal is nsd.Latch with a condition on an nsd.Ramp",
            )
        edges = sp.symbols(f"{name}_rises {name}_falls", real=True)
        self.blocks: tuple[Sampled, ...] = tuple(
            Sampled(f"{name}_{word}", period=period, offset=at, state=[n], update={n: n + 1}, between="cut")
            for word, at, n in zip(("on", "off"), (offset, offset + long), edges, strict=True)
        )
        for block in self.blocks:
            block.meant = block.state
        self.pulse: sp.Expr = edges[0] - edges[1]


@named_arguments
class Ramp(Sampled):
    """A saw tooth: ``ramp`` rises from 0 to 1 within each period [s], and falls at offset + k period after the start.

    It is an expression for the equations of a model, and for conditions of :class:`Latch`: a pulse whose width follows
    a signal ends where the ramp passes it. Steps end where it falls. ``<name>.period`` and ``<name>.offset`` are
    parameters of the model.
    """

    def __init__(self, name: str, period: float, *, offset: float = 0.0) -> None:
        fell, length = sp.symbols(f"{name}_fell {name}_length", real=True)
        where = f"block {name!r}"
        long, begin = (
            finite_number(value, where=f"{where}, {what}") for value, what in ((period, "period"), (offset, "offset"))
        )
        super().__init__(
            name,
            period,
            offset=offset,
            holds={fell: time, length: period_of_block},
            initial={fell: begin - long, length: long},
            between="cut",
        )
        self.ramp: sp.Expr = (time - fell) / length
