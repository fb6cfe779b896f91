r"""Three rectifiers on one transformer winding: half wave, bridge, and bridge with a smoothing capacitor.

All of them are Kirchhoff's laws and ideal diodes, 0 <= current _|_ reverse voltage >= 0; no list of modes.

* **Half wave**: one diode in front of a coil and its resistance. The coil keeps its current going after the source has
  turned negative, since the diode only blocks when the current, not the voltage, has come to zero.
* **Bridge**: four diodes, the same load. The winding is always connected one way or the other, and where the load's
  current is positive a pair of diodes conducts.
* **Smoothed**: four diodes in front of a capacitor with a load resistor. Diodes conduct in short pulses near the
  crests; in between the capacitor alone feeds the load, and all four block.

.. math::
    L\,\dot i = v_d - R\,i, \qquad C\,\dot v = i_{s} - v / R_L, \qquad 0 \le y \perp \lambda \ge 0

For a bridge that feeds a current i (the coil), take as unknowns the reverse voltages of the two diodes that share the
positive rail, and the currents of the other two; with y the matching currents and reverse voltages that is the same
complementarity system as in ``diode_bridge.py``.

**Scheme.** theta-gamma with theta = 1/2 for the coil and capacitors, gamma = 1 for the diodes.

Run it::

    nsdgen run examples/rectifiers.py --plot half.i_half,bridge.i_bridge --plot smoothed.v
    nsdgen inspect examples/rectifiers.py --analysis

What to look at: the half wave current is zero for a part of each period, the bridge's never is; the smoothed voltage
rides on the crests and sags by less than v / (2 f R_L C) in between.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

L, R, C, R_s, R_L, V, f = sp.symbols("L R C R_s R_L V f", positive=True)
i_half, i_bridge, v = dynamicsymbols("i_half i_bridge v")
source = nsd.let("source", V * sp.sin(2 * sp.pi * f * nsd.time))

# One diode: its reverse voltage is what the source lacks; the current of the coil is its own.
half = nsd.FirstOrderSystem("half", [i_half], [(source - R * i_half) / L], units=["A"])
reverse = nsd.multipliers("reverse", 1)
diode = nsd.FirstOrderRelation(
    "diode", reverse, [i_half], {half: [reverse[0] / L]}, nsd.Complementarity(), units=["V"], output_units=["A"]
)

# Four diodes in front of the coil: a, b reverse voltages on the positive rail, c, d currents of the lower diodes.
bridge = nsd.FirstOrderSystem("bridge", [i_bridge], [-R * i_bridge / L], units=["A"])
a, b, c, d = lam = nsd.multipliers("lam", 4)
diodes = nsd.FirstOrderRelation(
    "diodes",
    lam,
    [i_bridge - c, i_bridge - d, a - source, b + source],
    {bridge: [(a + b) / L]},
    nsd.Complementarity(),
    units=["V", "V", "A", "A"],
    output_units=["A", "A", "V", "V"],
)

# The same bridge behind the resistance of the winding, in front of a capacitor: the currents of its two paths.
smoothed = nsd.FirstOrderSystem("smoothed", [v], [-v / (R_L * C)], units=["V"])
path = nsd.multipliers("path", 2)
crests = nsd.FirstOrderRelation(
    "crests",
    path,
    [v - source + R_s * (path[0] - path[1]), v + source - R_s * (path[0] - path[1])],
    {smoothed: [(path[0] + path[1]) / C]},
    nsd.Complementarity(),
    units=["A", "A"],
    output_units=["V", "V"],
)

model = nsd.Model(
    "rectifiers",
    systems=[half, bridge, smoothed],
    relations=[diode, diodes, crests],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-5,
    end=0.1,
    parameters={
        L: nsd.Parameter(0.05, "H"),
        R: nsd.Parameter(10, "ohm"),
        C: nsd.Parameter(1e-3, "F"),
        R_s: nsd.Parameter(0.5, "ohm"),
        R_L: nsd.Parameter(50, "ohm"),
        V: nsd.Parameter(17, "V"),
        f: nsd.Parameter(50, "Hz"),
    },
    initial={i_half: 0, i_bridge: 0, v: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("half.i_half", "bridge.i_bridge").save("rectifiers_currents.png")
    trajectory.plot("smoothed.v", "path").save("rectifiers_smoothed.png")
