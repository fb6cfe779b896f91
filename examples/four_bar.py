r"""A four-bar in space: a crank turns at constant speed, a coupler with ball joints at both ends drives a rocker.

Crank about the vertical axis, rocker about a horizontal one: the closed chain revolute - spherical - spherical -
revolute (RSSR) has one freedom besides the coupler's turning about its own line. Constraints hold in positions and
velocities (``nsd.Rattle``), the motor's impulse is recorded.

Run it::

    nsdgen run examples/four_bar.py --plot 'bearing motion.angle,shaft motor.impulse'

What to look at: the rocker swings back and forth with the period of the crank, and all joints hold.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

CRANK, COUPLER, ROCKER, SPEED = 0.1, 0.466, 0.3, 10.0
PIVOT = [0.4, 0.0, 0.0]  # of the rocker, whose axis is y


def rod(name, mass, length):
    """A slender rod along its own x, with a thickness."""
    return nsd.RigidBody(name, mass, sp.diag(1e-3, 1, 1) * mass * length**2 / 12).apply_force([0, 0, -9.81 * mass])


crank, coupler, rocker = rod("crank", 0.2, CRANK), rod("coupler", 0.5, COUPLER), rod("rocker", 0.4, ROCKER)
shaft = nsd.Revolute("shaft", nsd.Marker(crank, [-CRANK / 2, 0, 0]), nsd.Marker())
bearing = nsd.Revolute(
    "bearing", nsd.Marker(rocker, [-ROCKER / 2, 0, 0], axis=[0, 1, 0]), nsd.Marker(at=PIVOT, axis=[0, 1, 0])
)
pin = nsd.Spherical("pin", crank.point([CRANK / 2, 0, 0]), coupler.point([-COUPLER / 2, 0, 0]))
head = nsd.Spherical("head", coupler.point([COUPLER / 2, 0, 0]), rocker.point([ROCKER / 2, 0, 0]))
motor = shaft.motor(speed=SPEED)


model = nsd.Model(
    "four_bar",
    systems=[crank, coupler, rocker],
    relations=[shaft, bearing, pin, head, motor, shaft.motion(), bearing.motion()],
    scheme=nsd.Rattle(),
    step=5e-4,
    end=2.0,
    initial={shaft.angle: 0},
    near={  # the rocker up, the coupler from pin to head; the motor says how fast
        coupler.position: [0.3, 0, 0.15],
        rocker.position: [0.4, 0, 0.15],
        rocker.quaternion: nsd.from_axis_angle([0, 1, 0], -np.pi / 2),
    },
)

if __name__ == "__main__":
    model.run().plot("bearing motion.angle", "shaft motor.impulse", panels="name").save("four_bar.png")
