r"""A wing nut in free flight turns over again and again (Dzhanibekov's effect), with and without a drift of energy.

Rotation about the middle principal axis is unstable: :math:`I_1 < I_2 < I_3`, started with almost all of its spin
about axis 2. The variational integrator keeps the angular momentum in space to the tolerance of Newton's method and
its energy stays within a band whose width falls with h^2, whatever the number of turns.

Run it::

    nsdgen run examples/dzhanibekov.py --plot nut.angular_velocity
    python examples/dzhanibekov.py dzhanibekov.png      # energy and momentum beside Moreau-Jean's

What to look at: the spin about the middle axis changes its sign at equal intervals, those of Jacobi's elliptic
functions.
"""

import sys

import numpy as np
import sympy as sp

import nsdgen as nsd

MOMENTS = (1.0, 2.0, 3.0)
nut = nsd.RigidBody("nut", mass=1, inertia=sp.diag(*MOMENTS))


def flight(scheme, name="dzhanibekov"):
    """The model under a scheme."""
    return nsd.Model(
        name,
        [nut],
        scheme=scheme,
        step=2e-2,
        end=40.0,
        initial={nut.position: [0, 0, 0], nut.angular_velocity: [1e-3, 5.0, 1e-3]},
    )


model = flight(nsd.Variational())


def energy(run):
    """Kinetic energy of rotation [J]."""
    return run["angular_velocity"] ** 2 @ np.array(MOMENTS) / 2


def picture(path, steps=1_000_000):
    """The relative error of the energy over so many steps, beside that of Moreau-Jean."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), layout="constrained")
    spin = model.run()
    above.plot(spin.time, spin["angular_velocity"], label=["$\\Omega_1$", "$\\Omega_2$", "$\\Omega_3$"])
    above.set(xlabel="time [s]", ylabel="angular velocity [rad/s]", title="A wing nut turns over", ylim=(-6, 9))
    above.legend(loc="upper center", ncols=3)
    for name, scheme, options in (
        ("Moreau-Jean", nsd.MoreauJean(), {}),
        ("Rattle", nsd.Rattle(), {}),
        ("variational, gamma = 1", nsd.Variational(), {"gamma": 1.0}),
    ):
        run = flight(scheme, "long").run(end=2e-2 * steps, every=max(1, steps // 5000), options=options)
        off = np.abs(energy(run) / energy(run)[0] - 1)
        windows = np.array_split(np.arange(1, len(off)), 200)
        below.semilogy(
            [run.time[w[-1]] / 2e-2 for w in windows], [max(off[w].max(), 1e-17) for w in windows], label=name
        )
    below.set(
        xlabel="steps",
        ylabel="relative error of the energy",
        ylim=(1e-10, 1e-1),
        title="largest error in each of 200 windows",
    )
    below.legend(loc="upper right", ncols=3)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    picture(sys.argv[1] if len(sys.argv) > 1 else "dzhanibekov.png")
