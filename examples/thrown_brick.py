r"""A brick is thrown on the floor: it tumbles over its corners and edges, slides on a face, and stops.

Eight corners with friction, ``nsd.shapes.box_plane``. Three phases with three truths: in the air the angular momentum
stays; an impact with Newton's law and Coulomb's takes energy; sliding on a face the brick is slowed down by
:math:`\mu g`, whatever its mass, and then it rests: no friction force is left, nothing creeps.

**Scheme.** Moreau-Jean with gradients at the beginning of the step (``gradient_at="predicted"``), so that each step is
one one-step problem, and the exponential map for the rotation. Four corners of a face share the load in a way that
forces do not tell (``rank_deficiency`` counts what is not unique); velocities are.

Run it::

    nsdgen run examples/thrown_brick.py --plot brick.position --plot brick.angular_velocity
    python examples/thrown_brick.py thrown_brick.png    # path, energies and speed

What to look at: the energy falls in steps at the impacts, then in a parabola while the brick slides, and the last of
the speed falls along a straight line of slope -mu g.
"""

import sys

import numpy as np
import sympy as sp

import nsdgen as nsd

MASS, SIZE, GRAVITY, FRICTION = 2.0, (0.24, 0.12, 0.08), 9.81, 0.3
INERTIA = MASS / 12 * np.array([SIZE[1] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[2] ** 2, SIZE[0] ** 2 + SIZE[1] ** 2])

brick = nsd.RigidBody("brick", MASS, sp.diag(*INERTIA.tolist())).apply_force([0, 0, -MASS * GRAVITY])
floor = nsd.Plane("floor", normal=[0, 0, 1])
corners = nsd.shapes.box_plane(brick, SIZE, floor, nsd.NewtonImpactFriction(restitution=0.3, friction=FRICTION))

model = nsd.Model(
    "thrown_brick",
    systems=[brick],
    relations=corners,
    scheme=nsd.MoreauJean(rotation="exponential", gradient_at="predicted"),
    step=5e-4,
    end=2.5,
    initial={
        brick.position: [0, 0, 0.5],
        brick.quaternion: nsd.from_axis_angle([1, 2, 0], 0.5),
        brick.velocity: [3.0, 0.3, 0],
        brick.angular_velocity: [1.0, 4.0, -0.5],
    },
)


def energy(run):
    """Potential, translational and rotational energy [J]."""
    return (
        MASS * GRAVITY * run["position"][:, 2],
        MASS * (run["velocity"] ** 2).sum(axis=1) / 2,
        run["angular_velocity"] ** 2 @ INERTIA / 2,
    )


def picture(path):
    """The path of the centre, energies and speed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    run = model.run()
    figure, (path_of, energies, speed) = plt.subplots(3, 1, figsize=(8, 9), layout="constrained")
    path_of.plot(run["position"][:, 0], run["position"][:, 2])
    path_of.set(xlabel="x [m]", ylabel="height [m]", title="A brick is thrown on the floor")
    energies.stackplot(run.time, *energy(run), labels=["potential", "translation", "rotation"], alpha=0.8)
    energies.set(xlabel="time [s]", ylabel="energy [J]")
    energies.legend(loc="upper right")
    speed.plot(run.time, np.linalg.norm(run["velocity"][:, :2], axis=1))
    speed.set(xlabel="time [s]", ylabel="horizontal speed [m/s]")
    speed.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    picture(sys.argv[1] if len(sys.argv) > 1 else "thrown_brick.png")
