r"""A heavy top on a pin nutates and precesses, as the elliptic integral says: a joint of order 2 beside one of order 1.

A symmetric body whose tip is held by a ball joint, released with a spin about its axis and the axis at rest. With
:math:`u = \cos\vartheta`, :math:`\beta = 2 m g l / I` (I about the pin) and :math:`a = I_3\Omega_3 / I`,

.. math:: \dot u^2 = (u_0 - u) \left(\beta (1 - u^2) - a^2 (u_0 - u)\right), \qquad
          \dot\varphi = a\,\frac{u_0 - u}{1 - u^2}:

the axis falls to the next root of the cubic and comes back, and its path in the horizontal plane has cusps. Half a
period and the precession in it are integrals between two roots, an elliptic integral each.

**Scheme.** ``nsd.Rattle`` holds the pin in positions and velocities, with order 2: the cusps lie where the integral
puts them. ``nsd.MoreauJean`` imposes velocities with the gradient at the end of the step: the pin drifts, the energy
falls, and the precession is off by some per cent at the same step.

Run it::

    nsdgen run examples/heavy_top.py --plot top.position
    python examples/heavy_top.py heavy_top.png          # path of the axis, and errors against the step, both schemes

What to look at: the path of the axis under Rattle ends its loops on the dotted circles, and its errors fall with h^2.
"""

import sys

import numpy as np
import sympy as sp
from scipy.integrate import quad

import nsdgen as nsd

MASS, ARM, INERTIA, SPIN, TILT, GRAVITY = 1.0, 0.5, (0.02, 0.02, 0.01), 120.0, 0.6, 9.81


def spinning(scheme, name="heavy_top"):
    """The top under a scheme; its axis rests when it is released."""
    top = nsd.RigidBody("top", MASS, sp.diag(*INERTIA)).apply_force([0, 0, -MASS * GRAVITY])
    pin = nsd.Spherical("pin", top.point([0, 0, -ARM]), [0, 0, 0])
    return nsd.Model(
        name,
        systems=[top],
        relations=[pin],
        scheme=scheme,
        step=1e-3,
        end=5.0,
        initial={
            top.position: [0, -ARM * float(np.sin(TILT)), ARM * float(np.cos(TILT))],
            top.quaternion: nsd.from_axis_angle([1, 0, 0], TILT),
            top.angular_velocity: [0, 0, SPIN],
        },
    )


model = spinning(nsd.Rattle())


def nutation():
    """Half a period [s], the lowest u and the precession in half a period [rad], from the elliptic integrals."""
    about_pin, start = INERTIA[0] + MASS * ARM**2, np.cos(TILT)
    beta, a = 2 * MASS * GRAVITY * ARM / about_pin, INERTIA[2] * SPIN / about_pin
    roots = np.sort(np.roots([-beta, a**2, beta - a**2 * start]).real)
    low, far = roots[0], roots[1]  # far lies above 1

    def both(s):  # u = low + (start - low) sin^2 s has no singular ends
        u = low + (start - low) * np.sin(s) ** 2
        time = 2 / np.sqrt(beta * (far - u))
        return time, time * a * (start - u) / (1 - u**2)

    half, turn = (quad(lambda s, i=i: both(s)[i], 0, np.pi / 2, epsabs=1e-13)[0] for i in (0, 1))
    return half, low, turn


def missed(made, steps):
    """How far height and azimuth of the axis are off after half a period in so many steps."""
    half, low, turn = nutation()
    x, y, z = made.run(step=half / steps, end=half * (1 - 1e-9))["position"][-1]
    off = np.arctan2(x, -y) - turn
    return abs(z / ARM - low), abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi)


def picture(path):
    """The path of the axis from above under both schemes, and the errors after half a nutation."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    _, low, _ = nutation()
    around = np.linspace(0, 2 * np.pi, 200)
    for u in (np.cos(TILT), low):
        left.plot(ARM * np.sqrt(1 - u**2) * np.cos(around), ARM * np.sqrt(1 - u**2) * np.sin(around), ":", color="grey")
    steps = np.array([100, 200, 400, 800, 1600])
    for label, made in (("Rattle", model), ("Moreau-Jean", spinning(nsd.MoreauJean(), "heavy_top_moreau_jean"))):
        x, y, _ = made.run(every=4)["position"].T
        left.plot(x, y, linewidth=1, label=label)
        right.loglog(nutation()[0] / steps, [missed(made, n)[1] for n in steps], "o-", label=label)
    left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="centre of mass from above, h = 1 ms")
    right.set(xlabel="step [s]", ylabel="precession off [rad]", title="after half a nutation")
    right.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    right.grid(which="both", alpha=0.3)
    left.legend(loc="upper right")
    right.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    picture(sys.argv[1] if len(sys.argv) > 1 else "heavy_top.png")
