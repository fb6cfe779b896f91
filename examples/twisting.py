r"""The twisting controller, explicit and implicit: finite time with, and without, chattering.

A mass x'' = u + d(t) is brought to rest at 0 in finite time by

.. math::
    u \in -r_1\,\mathrm{Sgn}(x) - r_2\,\mathrm{Sgn}(x'), \qquad r_1 > r_2 + |d|, \quad r_2 > |d|,

on a path that twists around the origin ever faster. A computer applies u at instants H apart.

**Explicit.** u_k = -r_1 sgn(x_k) - r_2 sgn(v_k). Near the origin the mass needs less than H between two switchings, and
the loop never comes to rest: it chatters with an amplitude of order H^2 in x and H in v, the control jumping between
its four values.

**Implicit.** The controller takes the values that are right at the *end* of the period for the nominal mass,

.. math::
    v_{k+1} = v_k + H u, \quad x_{k+1} = x_k + H v_{k+1}, \qquad
    u = r_1 \lambda_1 + r_2 \lambda_2, \\
    \lambda_1 \in -\mathrm{Sgn}(x_{k+1}), \quad \lambda_2 \in -\mathrm{Sgn}(v_{k+1}),

two relays that interact, solved at each instant. Their matrix, (H^2, H) times (r_1, r_2), is singular: both relays act
on the one acceleration. Where several pairs of multipliers make the same u, the shortest is taken, u itself is unique.

**Scheme.** theta-gamma with theta = 1/2 for the masses: exact while u is held, but for d.

Run it::

    nsdgen run examples/twisting.py --plot x_explicit,x_implicit --plot u_explicit,u_implicit

What to look at: both arrive after about three turns. Then u_explicit fills the band between its limits, while
u_implicit is -d, one period late.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

r1, r2, a = sp.symbols("r_1 r_2 a", positive=True)
x_now, v_now = nsd.sampled("x"), nsd.sampled("v")
masses, blocks, initial = [], [], {}
for name in ("explicit", "implicit"):
    x, v = dynamicsymbols(f"x_{name} v_{name}")
    u = sp.Symbol(f"u_{name}")
    masses.append(nsd.FirstOrderSystem(f"mass {name}", [x, v], [v, u + a * sp.cos(2 * nsd.time)], units=["m", "m/s"]))
    samples, units = {"x": x, "v": v}, {"x": "m", "v": "m/s", u: "m/s^2"}
    if name == "explicit":
        blocks.append(
            nsd.Sampled(name, 0.02, samples=samples, units=units, holds={u: -r1 * sp.sign(x_now) - r2 * sp.sign(v_now)})
        )
    else:
        of_x, of_v = lam = nsd.multipliers("lam", 2)
        chosen = r1 * of_x + r2 * of_v
        v_next = v_now + nsd.period * chosen
        blocks.append(
            nsd.Sampled(
                name,
                0.02,
                samples=samples,
                units=units,
                multipliers=lam,
                law=nsd.Relay(),
                output=[x_now + nsd.period * v_next, v_next],
                holds={u: chosen},
            )
        )
    initial |= {x: 1, v: 1}

model = nsd.Model(
    "twisting",
    systems=masses,
    blocks=blocks,
    scheme=nsd.ThetaGamma(theta=0.5),
    step=2e-3,
    end=8,
    parameters={r1: nsd.Parameter(4, "m/s^2"), r2: nsd.Parameter(2, "m/s^2"), a: nsd.Parameter(0.5, "m/s^2")},
    initial=initial,
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("mass explicit.x_explicit", "mass implicit.x_implicit").save("twisting_positions.png")
    trajectory.plot("u_explicit", "u_implicit", panels="name").save("twisting_controls.png")
