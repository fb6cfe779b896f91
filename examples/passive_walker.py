r"""A passive walker: a wheel without a rim walks down a slope on its spokes, with a gait of its own.

Eight spokes of length l on a hub; each foot touches the slope without bouncing, with friction enough not to slide.
Between two steps it is an inverted pendulum, and each step costs it the share sin^2(2 alpha) of its kinetic energy
(2 alpha = 45 degrees between spokes, all mass in the hub). On a slope gamma the gait settles where the potential
energy of a step pays for that:

.. math:: \omega^2 = \frac{4 g}{l}\, \frac{\sin\alpha \sin\gamma\; \cos^2 2\alpha}{\sin^2 2\alpha}

just after a step, for a wheel whose mass is in its hub.

Run it::

    nsdgen run examples/passive_walker.py --plot wheel.velocity

What to look at: after a few steps the velocity repeats from step to step, whatever it was at the start.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

SPOKES, LENGTH, SLOPE, GRAVITY, MASS = 8, 0.5, 0.12, 9.81, 3.0
ALPHA = np.pi / SPOKES

wheel = nsd.RigidBody("wheel", MASS, 1e-6 * sp.eye(3))
wheel.apply_force([MASS * GRAVITY * np.sin(SLOPE), 0, -MASS * GRAVITY * np.cos(SLOPE)])  # x points down the slope
PLACES = [[LENGTH * float(np.sin(2 * ALPHA * i)), 0, -LENGTH * float(np.cos(2 * ALPHA * i))] for i in range(SPOKES)]
feet = wheel.points(SPOKES, PLACES)
for i in range(SPOKES):
    wheel.draw(
        nsd.solids.Cylinder(0.015, LENGTH),
        at=(np.array(PLACES[i]) / 2).tolist(),
        turned=[float(np.cos(ALPHA * i)), 0, -float(np.sin(ALPHA * i)), 0],
    )
ground = nsd.Plane("ground", normal=[0, 0, 1])
steps = nsd.contacts_between(feet, ground, law=nsd.NewtonImpactFriction(restitution=0, friction=2))
upright = nsd.VelocityConstraint("upright", [wheel.angular_velocity[0], wheel.angular_velocity[2]])

model = nsd.Model(
    "passive_walker",
    systems=[wheel],
    relations=[*steps, upright],
    scheme=nsd.Rattle(),
    step=2e-4,
    end=6.0,
    initial={wheel.position: [0, 0, LENGTH], wheel.velocity: [2.0, 0, 0], wheel.angular_velocity: [0, 2.0 / LENGTH, 0]},
)


def gait():
    """The angular velocity just after a step, in the gait that repeats [rad/s]."""
    return np.sqrt(4 * GRAVITY / LENGTH * np.sin(ALPHA) * np.sin(SLOPE)) / np.tan(2 * ALPHA)


if __name__ == "__main__":
    model.run().plot("wheel.velocity", "wheel.position[2]", panels="name").save("passive_walker.png")
