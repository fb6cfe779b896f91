r"""A cam follower that lifts off: a driven impact oscillator with a piecewise cam profile.

A follower of mass :math:`\mu`, held against a rotating cam by a spring :math:`\kappa`, rides on the
cam as long as the spring can accelerate it downwards as fast as the profile falls. Above a certain
speed it cannot: the follower detaches, flies, and hits the cam again with restitution e.

**Coordinates.** With c(t) the height of the cam below the follower, the distance u = follower - cam
turns the moving constraint into a fixed one (developer notes, "Simulation of a Cam Follower System",
eqs. 12.3-12.9):

.. math:: \mu\ddot u + \zeta\dot u + \kappa u = f_v - (\mu\ddot c + \zeta\dot c + \kappa c), \qquad
          0 \le u \perp \text{impulse} \ge 0, \qquad \dot u^+ = -e\,\dot u^-.

The price is the second derivative of the cam profile, which is what people get wrong when they type
it in: here it is ``sp.diff(c, t, 2)``, and nsdgen emits it branch by branch. ``nsd.let`` gives names to what the
emitted code computes (``generated/cam_follower/_kernels.pyx``: ``turned_k``, ``beta_k``, ``c_tt_k`` at the start of a
step, ``c_tt_next`` at its end); it changes no value.

**The cam** consists of circular arcs. With the angle :math:`\beta = (\omega t + \pi/2) \bmod 2\pi`, folded
to :math:`[0, \pi]` by symmetry, its height is a base circle, the flank, the nose and a dwell. The grouping
``Mod(omega*t + pi/2, 2*pi)`` decides ties at the joints in floating point; nsdgen keeps it as written.

**Scheme.** Moreau-Jean with theta = 1/2, h = 1e-4 s. One contact, one degree of freedom, everything
linear: one Newton iteration a step, and W is factored once.

Run it::

    nsdgen run examples/cam_follower.py -p omega=700*2*pi/60 --plot follower.u

At 358 rpm the follower rattles down and then stays on the cam but for short flights; at 700 rpm it
never settles (compare the bifurcation diagrams of the notes). What to look at: the stems in the
panel of the impulses are impacts, their height in N s.
"""

import math

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

mu, zeta, kappa, omega, e = sp.symbols("mu zeta kappa omega e", positive=True)
base, k1, k2, rho1, rho2, rho3, beta1, beta2, beta3 = sp.symbols(
    "R_b k1 k2 rho1 rho2 rho3 beta1 beta2 beta3", nonnegative=True
)
u, t = dynamicsymbols("u"), nsd.time


def profile(angle: sp.Expr) -> sp.Expr:
    """Height of the cam [m] at the folded angle in [0, pi]: base circle, flank, nose, dwell."""
    flank = rho1 * sp.sqrt(1 - (k1 * sp.cos(angle) / rho1) ** 2) - k1 * sp.sin(angle)
    nose = rho3 * sp.sqrt(1 - (k2 * sp.sin(angle + sp.pi / 9) / rho3) ** 2) - k2 * sp.cos(angle + sp.pi / 9)
    return nsd.piecewise(
        (base, angle <= sp.pi / 2 - beta1),
        (flank, angle <= sp.pi / 2 + beta2),
        (nose, angle <= sp.pi / 2 + beta3),
        (rho2, True),
    )


turned = nsd.let("turned", sp.Mod(omega * t + sp.pi / 2, 2 * sp.pi))
c = nsd.let("c", profile(nsd.let("beta", nsd.piecewise((2 * sp.pi - turned, turned > sp.pi), (turned, True)))))
c_t, c_tt = nsd.let("c_t", sp.diff(c, t)), nsd.let("c_tt", sp.diff(c, t, 2))

follower = nsd.LagrangianSystem(
    "follower",
    coordinates=[u],
    units=["m"],
    kinetic=mu * u.diff() ** 2 / 2,
    potential=kappa * u**2 / 2,
    dissipation=zeta * u.diff() ** 2 / 2,
    forces=[-(mu * c_tt + zeta * c_t + kappa * c)],
)
cam = nsd.Contact("cam", gap=u, law=nsd.NewtonImpact(e))


def outline(steps: int = 72) -> list[list[sp.Expr]]:
    """The edge of the cam as it turns; the follower stands above its axle."""
    shown = []
    for angle in (2 * math.pi * k / steps for k in range(steps + 1)):
        radius, off = profile(min(angle, 2 * math.pi - angle)), angle - omega * t - sp.pi / 2
        shown.append([radius * sp.sin(off), radius * sp.cos(off)])
    return shown


sketch = nsd.Sketch().line(*outline(), name="cam").point([0, 0], name="axle")
sketch.line([-0.08, u + c], [0.08, u + c], name="follower").spring([0, u + c], [0, 1.5], name="spring")

model = nsd.Model(
    "cam_follower",
    systems=[follower],
    relations=[cam],
    sketch=sketch,
    scheme=nsd.MoreauJean(theta=0.5),
    step=1e-4,
    end=5.0,
    parameters={
        mu: nsd.Parameter(1.221, "kg"),
        zeta: nsd.Parameter(0.0, "N s/m"),
        kappa: nsd.Parameter(1430.8, "N/m"),
        omega: nsd.Parameter(2 * math.pi * 358 / 60, "rad/s"),
        e: 0.8,
        base: nsd.Parameter(0.40, "m"),
        k1: nsd.Parameter(0.45, "m"),
        k2: nsd.Parameter(0.40393320723821, "m"),
        rho1: nsd.Parameter(0.85, "m"),
        rho2: nsd.Parameter(0.55393320723821, "m"),
        rho3: nsd.Parameter(0.15, "m"),
        beta1: nsd.Parameter(0.0, "rad"),
        beta2: nsd.Parameter(1.050328174371336, "rad"),
        beta3: nsd.Parameter(1.22173047639603, "rad"),
    },
    initial={u: 0.4, u.diff(): 0.4},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("follower.u", "cam.impulse").save("cam_follower.png")
