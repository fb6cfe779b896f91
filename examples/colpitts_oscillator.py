r"""A Colpitts oscillator: one transistor, three states, chaos out of straight lines.

The transistor is modelled by two ideal diodes (its junctions) and two current gains: a junction conducts or blocks,

.. math::
    0 \le v_1 + v_2 \perp \lambda_r \ge 0, \qquad 0 \le v_2 \perp \lambda_f \ge 0,

with the currents lambda_r, lambda_f of the collector and emitter junctions. Everything else is linear: a coil, two
capacitors, two resistors, two supplies. In each of the four combinations the circuit is a linear system, and all of its
chaos comes from going from one to the other.

.. math::
    C_1 \dot v_1 &= i + (V_{cc} - v_1 - v_2)/R_c + \lambda_r - \alpha_F \lambda_f \\
    C_2 \dot v_2 &= i + (V_{cc} - v_1 - v_2)/R_c - (V_{ee} + v_2)/R_e
        + (1 - \alpha_R) \lambda_r + (1 - \alpha_F) \lambda_f \\
    L \dot i &= V_{cc} - v_1 - v_2

**Scheme.** theta-gamma, theta = 1/2 and gamma = 1.

Run it::

    nsdgen run examples/colpitts_oscillator.py --plot circuit.v1,circuit.v2 --plot circuit.i
    nsdgen run examples/colpitts_oscillator.py -p R_c=1                   # damped: it comes to rest

What to look at: bursts of different length and height. Two runs whose starts differ by 1e-6 part company at
last, which is why chaotic runs are compared by statistics, not curve by curve.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

L, C1, C2, R_c, R_e, a_F, a_R, V_cc, V_ee = sp.symbols("L C_1 C_2 R_c R_e alpha_F alpha_R V_cc V_ee", positive=True)
v1, v2, i = dynamicsymbols("v1 v2 i")
reverse, forward = lam = nsd.multipliers("lam", 2)

charging = i + (V_cc - v1 - v2) / R_c
circuit = nsd.FirstOrderSystem(
    "circuit",
    state=[v1, v2, i],
    units=["V", "V", "A"],
    rhs=[charging / C1, (charging - (V_ee + v2) / R_e) / C2, (V_cc - v1 - v2) / L],
)
transistor = nsd.FirstOrderRelation(
    "transistor",
    lam,
    output=[v1 + v2, v2],
    law=nsd.Complementarity(),
    units=["A", "A"],
    output_units=["V", "V"],
    reaction={circuit: [(reverse - a_F * forward) / C1, ((1 - a_R) * reverse + (1 - a_F) * forward) / C2, 0]},
)

model = nsd.Model(
    "colpitts_oscillator",
    systems=[circuit],
    relations=[transistor],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-3,
    end=100,
    parameters={
        L: nsd.Parameter(0.1, "H"),
        C1: nsd.Parameter(2, "F"),
        C2: nsd.Parameter(0.8, "F"),
        R_c: nsd.Parameter(10, "ohm"),
        R_e: nsd.Parameter(20, "ohm"),
        a_F: 0.99,
        a_R: 0.015,
        V_cc: nsd.Parameter(10, "V"),
        V_ee: nsd.Parameter(20, "V"),
    },
    initial={v1: 0, v2: 0, i: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("circuit.v1", "circuit.v2").save("colpitts_oscillator.png")
    trajectory.phase_plot("circuit.v1", rate="circuit.v2").save("colpitts_oscillator_phase.png")
