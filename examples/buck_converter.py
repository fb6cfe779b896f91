r"""A buck converter whose switch is a sliding-mode controller, through a step of its reference.

A switch connects the coil to the source (u = 1) or to the freewheeling diode (u = 0). The ideal sliding-mode
controller switches infinitely fast; on the surface its mean is the *equivalent control*, which nobody has to
compute: it is the multiplier of a set-valued law,

.. math::
    L\,\dot i = V\,u - v + \lambda_d, \qquad C\,\dot v = i - v/R, \qquad
    -\sigma \in N_{[0, 1]}(u), \qquad \sigma = (v - v_{ref}) + \tau\,\frac{i - v/R}{C}:

u = 0 where sigma > 0, u = 1 where sigma < 0, and anything in between where sigma = 0.

The diode lets no current flow backwards: 0 <= lambda_d _|_ i >= 0. When the reference drops, the coil runs dry
before the surface is reached: the converter is in discontinuous conduction, both laws at once.

**Scheme.** theta-gamma, implicit in the laws (gamma = 1): sigma is zero to rounding at every step on the surface and u
is a duty cycle between 0 and 1, without chattering and without pulse-width modulation. On the surface v obeys
tau v' = v_ref - v, whatever R is.

Run it::

    nsdgen run examples/buck_converter.py --plot converter.v --plot converter.i --plot duty.u
    nsdgen run examples/buck_converter.py -p R=4 -p tau=0.0005

What to look at: u is at its limits until the surface is reached and between them afterwards; at 8 ms the reference
drops from 6 V to 3 V, the current goes to zero and stays there until the load has taken the charge of the capacitor.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

L, C, R, V, tau = sp.symbols("L C R V tau", positive=True)
i, v = dynamicsymbols("i v")
u, reverse = nsd.multipliers("u", 1)[0], nsd.multipliers("reverse", 1)[0]
reference = nsd.let("reference", nsd.piecewise((6, nsd.time < sp.Rational(8, 1000)), (3, True)))

converter = nsd.FirstOrderSystem("converter", state=[i, v], rhs=[-v / L, (i - v / R) / C], units=["A", "V"])
duty = nsd.FirstOrderRelation(
    "duty", u, [v - reference + tau * (i - v / R) / C], {converter: [V * u / L, 0]}, nsd.Box(0, 1), output_units=["V"]
)
diode = nsd.FirstOrderRelation(
    "diode", reverse, [i], {converter: [reverse / L, 0]}, nsd.Complementarity(), units=["V"], output_units=["A"]
)

model = nsd.Model(
    "buck_converter",
    systems=[converter],
    relations=[duty, diode],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-6,
    end=16e-3,
    parameters={
        L: nsd.Parameter(1e-3, "H"),
        C: nsd.Parameter(1e-4, "F"),
        R: nsd.Parameter(10, "ohm"),
        V: nsd.Parameter(12, "V"),
        tau: nsd.Parameter(3e-4, "s"),
    },
    initial={i: 0, v: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("converter.v").save("buck_converter_voltage.png")
    trajectory.plot("converter.i").save("buck_converter_current.png")
    trajectory.plot("duty.u").save("buck_converter_duty.png")
