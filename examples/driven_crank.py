r"""A slider-crank of three rigid bodies, turned at constant speed: what the motor must give, what its bearings take.

The crank turns on the ground, the rod on the crank's pin, the piston slides in its cylinder. **Which joints?** Three
hinges and a prismatic joint, 20 rows, would hold this plane mechanism three times more than it needs, and forces in
joints would not be unique (``rank_deficiency`` counts it). A hinge (5 rows), a sleeve on the pin (4), a ball joint in
the piston (3) and a cylinder (4) are 16 rows for 18 velocities: the crank turns, the piston may turn about its own
axis, and every reaction is determined. That matters here, since **friction is that of the joints' own load**:
``nsd.Bearing(friction, radius)`` bounds the moment of a pin by mu r times the force in it, in the same step. Shaft, pin
and cylinder rub, the ball joint is oiled.

The stroke of the piston is :math:`x = r\cos\varphi + \sqrt{l^2 - r^2\sin^2\varphi}`, and without friction
the motor's torque is the rate of the energy over the speed: both are checked by the tests, the second to order 2.

Run it::

    nsdgen run examples/driven_crank.py --plot 'piston.position[0],shaft motor.impulse'
    python examples/driven_crank.py driven_crank.png    # stroke, and torque with and without friction

What to look at: friction adds to the torque at every angle, most near the outer dead point, where the piston turns:
at speed the joints carry inertia, not weight.
"""

import sys

import numpy as np
import sympy as sp

import nsdgen as nsd

RADIUS, ROD, SPEED, PIN = 0.05, 0.15, 60.0, 0.01  # m, m, rad/s, m
MASS = {"crank": 1.0, "rod": 0.4, "piston": 0.5}
INERTIA = {"crank": 1e-3, "rod": 0.4 * ROD**2 / 12, "piston": 4e-4}
mu = sp.Symbol("mu", nonnegative=True)

crank, rod, piston = (nsd.RigidBody(n, MASS[n], sp.diag(0.1, 1, 1) * INERTIA[n]) for n in MASS)
Y, X = [0, 1, 0], [1, 0, 0]
rubs = nsd.Bearing(mu, PIN)
shaft = nsd.Revolute("shaft", nsd.Marker(crank, axis=Y), nsd.Marker(axis=Y), rubs)
pin = nsd.Cylindrical("pin", nsd.Marker(rod, [-ROD / 2, 0, 0], axis=Y), nsd.Marker(crank, [RADIUS, 0, 0], axis=Y), rubs)
head = nsd.Spherical("head", piston.point([0, 0, 0]), rod.point([ROD / 2, 0, 0]))
cylinder = nsd.Cylindrical("cylinder", nsd.Marker(piston, axis=X), nsd.Marker(axis=X), rubs)
motor = shaft.motor(speed=-SPEED)  # about -y: from x to z

model = nsd.Model(
    "driven_crank",
    systems=[crank, rod, piston],
    relations=[shaft, pin, head, cylinder, motor],
    scheme=nsd.Rattle(),
    step=2e-4,
    end=0.3,
    parameters={mu: 0.2},
    initial={shaft.angle: 0},
    near={rod.position: [RADIUS + ROD / 2, 0, 0], piston.position: [RADIUS + ROD, 0, 0]},
)


def stroke(angle):
    """Where the piston is [m] at an angle of the crank."""
    return RADIUS * np.cos(angle) + np.sqrt(ROD**2 - RADIUS**2 * np.sin(angle) ** 2)


def energy(angle):
    """Kinetic energy [J] of rod and piston at the motor's speed; the crank's does not change."""
    tilt = np.arcsin(RADIUS / ROD * np.sin(angle))
    turning = RADIUS * SPEED * np.cos(angle) / (ROD * np.cos(tilt))
    sliding = -RADIUS * SPEED * np.sin(angle) - ROD * np.sin(tilt) * turning
    x = -RADIUS * SPEED * np.sin(angle) - ROD / 2 * np.sin(tilt) * turning
    z = RADIUS * SPEED * np.cos(angle) - ROD / 2 * np.cos(tilt) * turning
    return (MASS["piston"] * sliding**2 + MASS["rod"] * (x**2 + z**2) + INERTIA["rod"] * turning**2) / 2


def torque(run):
    """The motor's torque in the direction of its speed [N m], step by step, and its angle in the middle of the step."""
    return -run["shaft motor.impulse"][1:] / np.diff(run.time), SPEED * (run.time[1:] + run.time[:-1]) / 2


def picture(path):
    """Stroke over time, torque over the angle with and without friction."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7), layout="constrained")
    for friction in (0.2, 0.0):
        run = model.run(parameters={mu: friction})
        moment, angle = torque(run)
        turn = (angle > 2 * np.pi) & (angle < 4 * np.pi)
        below.plot(np.degrees(angle[turn]) - 360, moment[turn], label=f"mu = {friction}")
    above.plot(run.time, 1e3 * run["piston.position"][:, 0])
    angle = np.linspace(0, 2 * np.pi, 721)
    below.plot(np.degrees(angle), np.gradient(energy(angle), angle), "k:", label="rate of energy / speed")
    above.set(xlabel="time [s]", ylabel="piston [mm]", title="A slider-crank at 60 rad/s")
    below.set(xlabel="angle of the crank [degrees]", ylabel="torque of the motor [N m]", xticks=range(0, 361, 45))
    below.grid(alpha=0.3)
    below.legend(loc="upper center")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    picture(sys.argv[1] if len(sys.argv) > 1 else "driven_crank.png")
