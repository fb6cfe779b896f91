r"""A tippe top: a ball whose centre of mass lies below its centre turns upside down, lifted by sliding friction.

Spun fast about its axis, the top slides where it touches; the moment of friction is small beside the angular momentum,
so it turns the axis slowly, until the top stands on its head and its centre of mass has risen by :math:`2 e`, with e
the distance from the centre of the ball of radius R. The work comes from the spin.

**The law of friction decides.** Under Coulomb's law at a point the slow sliding stops at once, and the top rolls on
upright. A real patch of contact drills as well: the fast spin takes most of the friction, and what is left against
sliding grows with its speed (``nsd.NewtonImpactContensouFriction``; Leine and Glocker, Eur. J. Mech. A 22, 2003, with
the tippe top as their example). The picture has both.

**Jellett's integral.** A sliding force of any law has no moment about the line from the centre of mass to the contact,
and

.. math:: J = L \cdot (R\,e_z - e\,e_3), \qquad L = R(p)\, I\, \Omega,

(:math:`e_3` the axis of the top) changes by the drilling moment alone, :math:`\dot J = (R - e \cos\vartheta) M`. An
upright top that comes to stand on its head turns on in the same direction in space, slowed down to
:math:`(R - e) / (R + e)` of its spin less what drilling took: in its own frame the spin has changed its sign.

Run it::

    nsdgen run examples/tippe_top.py --plot top.position[2] --plot top.angular_velocity[2]
    python examples/tippe_top.py tippe_top.png          # tilt, height, spin and Jellett's integral, under both laws

What to look at: the height of the centre of mass rises by 2 e, and the spin about the axis of the top changes its sign.
"""

import sys

import numpy as np
import sympy as sp

import nsdgen as nsd

MASS, RADIUS, OFFSET, PATCH, SPIN, TILT = 0.015, 0.02, 0.003, 3e-4, 180.0, 0.1
INERTIA = 0.4 * MASS * RADIUS**2
mu = sp.Symbol("mu", nonnegative=True)


def spinning(law, name="tippe_top"):
    """The top on a table, under a law of friction."""
    top = nsd.RigidBody("top", MASS, INERTIA * sp.eye(3)).apply_force([0, 0, -9.81 * MASS])
    table = nsd.Plane("table", normal=[0, 0, 1])
    touch = nsd.shapes.sphere_plane("touch", top, RADIUS, table, law, at=[0, 0, OFFSET])
    return nsd.Model(
        name,
        systems=[top],
        relations=[touch],
        scheme=nsd.Rattle(),
        step=2e-4,
        end=4.0,
        parameters={mu: 0.3},
        initial={
            top.position: [0, 0, RADIUS - OFFSET * float(np.cos(TILT))],
            top.quaternion: nsd.from_axis_angle([1, 0, 0], TILT),
            top.angular_velocity: [0, 0, SPIN],
        },
    )


model = spinning(nsd.NewtonImpactContensouFriction(0, mu, PATCH, exchange=MASS))


def vertical(run):
    """The vertical in the frame of the top, instant by instant; its last entry is the cosine of the tilt."""
    p = run["top.quaternion"]
    return np.stack(
        [
            2 * (p[:, 1] * p[:, 3] - p[:, 0] * p[:, 2]),
            2 * (p[:, 2] * p[:, 3] + p[:, 0] * p[:, 1]),
            1 - 2 * (p[:, 1] ** 2 + p[:, 2] ** 2),
        ],
        axis=1,
    )


def jellett(run):
    """Jellett's integral [kg m^3/s]."""
    momentum = run["top.angular_velocity"] * INERTIA
    return RADIUS * (momentum * vertical(run)).sum(axis=1) - OFFSET * momentum[:, 2]


def picture(path):
    """Four panels over time, for both laws."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(4, 1, figsize=(8, 9), sharex=True, layout="constrained")
    coulomb = spinning(nsd.NewtonImpactFriction(0, mu), "tippe_top_coulomb")
    for shown, label in ((model, "a patch that drills (Contensou)"), (coulomb, "a point (Coulomb)")):
        run = shown.run(every=20)
        tilt = np.degrees(np.arccos(np.clip(vertical(run)[:, 2], -1, 1)))
        for panel, values in zip(
            panels,
            (tilt, 1e3 * run["top.position"][:, 2], run["top.angular_velocity"][:, 2], jellett(run) / jellett(run)[0]),
            strict=True,
        ):
            panel.plot(run.time, values, linewidth=1, label=label)
            panel.grid(alpha=0.3)
    for panel, label in zip(
        panels,
        ("tilt [degrees]", "height [mm]", "spin about its axis [rad/s]", "Jellett's integral / its start"),
        strict=True,
    ):
        panel.set_ylabel(label)
    panels[1].axhline(1e3 * (RADIUS + OFFSET), color="grey", linestyle=":")
    panels[0].set_title("A tippe top turns upside down")
    panels[0].legend(loc="center right")
    panels[-1].set_xlabel("time [s]")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    picture(sys.argv[1] if len(sys.argv) > 1 else "tippe_top.png")
