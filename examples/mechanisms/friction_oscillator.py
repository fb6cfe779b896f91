r"""A forced oscillator with dry friction sticks and slips.

.. math:: m\ddot x + k x = A\cos\Omega t + f, \qquad f \in -F\,\mathrm{Sgn}(\dot x)

(Den Hartog 1931). For slow forcing the mass stops twice in every period, held by friction while spring and forcing
differ by less than F, then breaks loose. Sticking is exact: the velocity is zero, not small, and f is
whatever balances the forces. ``nsd.RateForce`` joins a rate and a force by a set-valued law.

Run it::

    nsdgen run examples/mechanisms/friction_oscillator.py --plot x,x_dot --plot friction.force -p F=0.5
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, k, A, Omega, F = sp.symbols("m k A Omega F", positive=True)
x = dynamicsymbols("x")

mass = nsd.LagrangianSystem(
    "mass",
    [x],
    units=["m"],
    kinetic=m * x.diff() ** 2 / 2,
    potential=k * x**2 / 2,
    forces=[A * sp.cos(Omega * nsd.time)],
)
friction = nsd.RateForce("friction", x.diff(), nsd.Relay(F), units=["N"])

sketch = nsd.Sketch().line([-2.5, 0], [2.5, 0], name="ground").spring([-2.5, 0.25], [x - 0.25, 0.25], name="spring")
sketch.line(*[[x + a, b] for a, b in ((-0.25, 0), (0.25, 0), (0.25, 0.5), (-0.25, 0.5), (-0.25, 0))], name="mass")

model = nsd.Model(
    "friction_oscillator",
    [mass],
    [friction],
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=1e-3,
    end=60,
    parameters={
        m: nsd.Parameter(1, "kg"),
        k: nsd.Parameter(1, "N/m"),
        A: nsd.Parameter(1, "N"),
        Omega: nsd.Parameter(0.3, "rad/s"),
        F: nsd.Parameter(0.3, "N"),
    },
    initial={x: 0},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("x", "x_dot", "friction.force[0]").save("friction_oscillator.png")
    run.phase_plot("x").save("friction_oscillator_phase.png")
