r"""Sampled sliding-mode control: an explicit and an implicit controller on the same disturbed cart.

A cart x'' = u + d(t) with |u| <= 1 is to reach x = 0 whatever the bounded disturbance d. Sliding-mode control drives
:math:`\sigma = x' + c x` to zero and keeps it there; then x decays like exp(-c t). A digital controller measures at
instants H apart and holds its value in between.

**Explicit.** u = -sgn(sigma_k) overshoots the surface in every period, since nothing happens until the next instant:
sigma and u chatter, with an amplitude of order H and a control that is always at its limit.

**Implicit.** The controller chooses the value for which the *nominal* cart is on the surface at the end of the period,

.. math::
    u = \lambda, \qquad \sigma_{k+1} = \sigma_k + H (c\,x'_k + \lambda), \qquad
    \lambda \in -\mathrm{Sgn}(\sigma_{k+1}),

a one-step problem of its own, solved at each instant. On the surface lambda takes values between the limits: it makes
up for the disturbance of the last period. There is no chattering, and sigma stays within H max|d| whatever the period.

**Scheme.** theta-gamma with theta = 1/2 for the carts; the controllers are sampled blocks, whose instants are counted.

Run it::

    nsdgen run examples/sliding_mode.py --plot explicit.sigma,implicit.sigma --plot u_explicit,u_implicit
    nsdgen run examples/sliding_mode.py -p explicit.period=0.01 -p implicit.period=0.01

What to look at: both reach the surface at the same time. Afterwards sigma of the explicit loop swings by 0.07 m/s and
its control jumps between -1 and 1 all the time; the implicit one follows the disturbance.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

c, a = sp.symbols("c a", positive=True)
t = nsd.time
disturbance = a * sp.sin(3 * t)
sigma, speed = nsd.sampled("sigma"), nsd.sampled("speed")

carts, blocks, initial = [], [], {}
for name in ("explicit", "implicit"):
    x, v = dynamicsymbols(f"x_{name} v_{name}")
    u = sp.Symbol(f"u_{name}")
    carts.append(nsd.FirstOrderSystem(f"cart {name}", state=[x, v], rhs=[v, u + disturbance], units=["m", "m/s"]))
    samples = {"sigma": v + c * x, "speed": v}
    units = {"sigma": "m/s", "speed": "m/s", u: "m/s^2"}
    if name == "explicit":
        blocks.append(nsd.Sampled(name, period=0.05, samples=samples, holds={u: -sp.sign(sigma)}, units=units))
    else:
        choice = nsd.multipliers("choice", 1)[0]
        blocks.append(
            nsd.Sampled(
                name,
                period=0.05,
                samples=samples,
                multipliers=choice,
                output=sigma + nsd.period * (c * speed + choice),
                law=nsd.Relay(),
                holds={u: choice},
                units=units,
            )
        )
    initial |= {x: 1, v: 0}

model = nsd.Model(
    "sliding_mode",
    systems=carts,
    blocks=blocks,
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-3,
    end=10,
    parameters={c: nsd.Parameter(1, "1/s"), a: nsd.Parameter(0.5, "m/s^2", min=0)},
    initial=initial,
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("explicit.sigma", "implicit.sigma").save("sliding_mode_sigma.png")
    trajectory.plot("explicit.u_explicit", "implicit.u_implicit").save("sliding_mode_control.png")
