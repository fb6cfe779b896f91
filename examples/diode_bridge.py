r"""A diode bridge rectifier: an LC oscillator feeding a resistor through four ideal diodes.

The state is the capacitor voltage v and the inductor current i. Each diode is ideal: its current
and its reverse voltage are both nonnegative and never nonzero together. Choosing for two diodes the
reverse voltage and for the other two the current as multiplier gives a linear complementarity
system with four pairs,

.. math::
    \dot v = -i/C + (\lambda_3 - \lambda_2)/C, \qquad \dot i = v/L, \qquad 0 \le y \perp \lambda \ge 0,

    y = \left(\tfrac{\lambda_0 + \lambda_1}{R} - \lambda_2,\; \tfrac{\lambda_0 + \lambda_1}{R} - \lambda_3,\;
        \lambda_0 - v,\; \lambda_1 + v\right).

Here lambda_0 and lambda_1 are the reverse voltages of the diodes R1 and F2, lambda_2 and lambda_3 the currents of
F1 and R2; lambda_0 + lambda_1 is the voltage over the resistor R. Nothing but Kirchhoff's laws is written
down: no switching logic, no list of the modes of the circuit.

**Scheme.** theta-gamma with theta = 1/2 for the oscillator and gamma = 1 for the diodes (their currents are
taken at the end of the step, so that switching needs no detection). The matrix of the one-step
problem, D + h C W^{-1} B, has zeros on its diagonal; nsdgen guesses the conducting diodes from the
last step, verifies, and pivots where the guess is wrong: twice a period.

Run it::

    nsdgen run examples/diode_bridge.py --plot oscillator.v,oscillator.i -p R=500

What to look at: the resistor takes energy in both half periods, so the oscillation decays; lambda_0 and lambda_1
are the positive and the negative half waves of the capacitor voltage, their sum is its absolute value.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

L, C, R = sp.symbols("L C R", positive=True)
v, i = dynamicsymbols("v i")
lam = nsd.multipliers("lam", 4)

oscillator = nsd.FirstOrderSystem("oscillator", state=[v, i], rhs=[-i / C, v / L], units=["V", "A"])
bridge = nsd.FirstOrderRelation(
    "bridge",
    multipliers=lam,
    output=[(lam[0] + lam[1]) / R - lam[2], (lam[0] + lam[1]) / R - lam[3], lam[0] - v, lam[1] + v],
    reaction={oscillator: [(lam[3] - lam[2]) / C, 0]},
    law=nsd.Complementarity(),
    units=["V", "V", "A", "A"],
    output_units=["A", "A", "V", "V"],
)

model = nsd.Model(
    "diode_bridge",
    systems=[oscillator],
    relations=[bridge],
    scheme=nsd.ThetaGamma(theta=0.5, gamma=1),
    step=1e-6,
    end=5e-3,
    parameters={L: nsd.Parameter(1e-2, "H"), C: nsd.Parameter(1e-6, "F"), R: nsd.Parameter(1e3, "ohm")},
    initial={v: 10, i: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("oscillator.v", "oscillator.i").save("diode_bridge.png")
