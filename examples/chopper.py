r"""A step-down converter under pulse-width modulation: a switch, a free-wheeling diode, a coil, a capacitor, a load.

The switch is on for a share d of each period and puts the source E on the coil; then the current goes on through the
diode, until it is zero or the next pulse comes,

.. math::
    L\, i' = q E - v + \lambda, \qquad C\, v' = i - v/R, \qquad 0 \le i \perp \lambda \ge 0,

with q = 1 where the pulse is on and the reverse voltage lambda of the diode where no current flows. Edges of the
pulses are instants of a clock (``nsd.Pulses``), so that no step goes past one.

**Scheme.** From event to event: the end of the current is found to rounding.

**Known numbers.** While the current never ends, the mean of v is d E. With a load above R = 2 L / ((1 - d) T) it does
end in each period, and for a large C (Erickson and Maksimovic, Fundamentals of Power Electronics, chapter 5)

.. math:: \bar v = \frac{2 E}{1 + \sqrt{1 + 4 K / d^2}}, \qquad K = \frac{2 L}{R T}.

Run it::

    nsdgen run examples/chopper.py --plot chopper.v,chopper.i -p R=50

What to look at: with R = 5 the voltage swings in around 6 V; with R = 50 the current rests at zero for part of each
period, and the voltage is higher.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

E, L, C, R = sp.symbols("E L C R", positive=True)
v, i = dynamicsymbols("v i")
(reverse,) = nsd.multipliers("reverse", 1)

pulses = nsd.Pulses("pulses", period=5e-5, width=2.5e-5)
chopper = nsd.FirstOrderSystem(
    "chopper", state=[i, v], rhs=[(pulses.pulse * E - v) / L, (i - v / R) / C], units=["A", "V"]
)
diode = nsd.FirstOrderRelation(
    "diode",
    multipliers=[reverse],
    output=[i],
    reaction={chopper: [reverse / L, 0]},
    law=nsd.Complementarity(),
    units=["V"],
    output_units=["A"],
)

model = nsd.Model(
    "chopper",
    systems=[chopper],
    relations=[diode],
    blocks=[pulses],
    scheme=nsd.EventDriven(),
    step=5e-6,
    end=5e-3,
    parameters={
        E: nsd.Parameter(12, "V"),
        L: nsd.Parameter(1e-4, "H"),
        C: nsd.Parameter(1e-4, "F"),
        R: nsd.Parameter(5, "ohm"),
    },
    initial={i: 0, v: 0},
)
