r"""A four-bar in space: a crank turns at constant speed, a coupler with ball joints at both ends drives a rocker.

Crank about the vertical axis, rocker about a horizontal one: the closed chain revolute - spherical - spherical -
revolute (RSSR) has one freedom besides the coupler's turning about its own line. Constraints hold in positions and
velocities (``nsd.Rattle``), the motor's impulse is recorded.

Run it::

    nsdgen run examples/four_bar.py --plot 'rocker.angular_velocity,shaft motor.impulse'

What to look at: the rocker swings back and forth with the period of the crank, and all joints hold.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

CRANK, ROCKER, SPEED = 0.1, 0.3, 10.0
PIVOT = np.array([0.4, 0.0, 0.0])  # of the rocker, whose axis is y
ANGLE = 0.2  # of the rocker at the start, from the vertical
PIN = np.array([CRANK, 0.0, 0.0])  # crank pin at the start
HEAD = PIVOT + ROCKER * np.array([np.sin(ANGLE), 0.0, np.cos(ANGLE)])
COUPLER = float(np.linalg.norm(HEAD - PIN))
LINE = (HEAD - PIN) / COUPLER


def rod(name, mass, length):
    """A slender rod along its own x, with a thickness."""
    return nsd.RigidBody(name, mass, sp.diag(1e-3, 1, 1) * mass * length**2 / 12).apply_force([0, 0, -9.81 * mass])


crank, coupler, rocker = rod("crank", 0.2, CRANK), rod("coupler", 0.5, COUPLER), rod("rocker", 0.4, ROCKER)
shaft = nsd.Revolute("shaft", nsd.Marker(crank, [-CRANK / 2, 0, 0]), nsd.Marker())
bearing = nsd.Revolute(
    "bearing", nsd.Marker(rocker, [-ROCKER / 2, 0, 0], axis=[0, 1, 0]), nsd.Marker(at=PIVOT.tolist(), axis=[0, 1, 0])
)
pin = nsd.Spherical("pin", crank.point([CRANK / 2, 0, 0]), coupler.point([-COUPLER / 2, 0, 0]))
head = nsd.Spherical("head", coupler.point([COUPLER / 2, 0, 0]), rocker.point([ROCKER / 2, 0, 0]))
motor = shaft.motor(speed=SPEED)

tilt = float(np.arctan2(-LINE[2], LINE[0]))  # about y, from x to the coupler's line
turning = np.cross(LINE, [0, -SPEED * CRANK, 0]) / COUPLER  # its head rests where the pin moves along y
model = nsd.Model(
    "four_bar",
    systems=[crank, coupler, rocker],
    relations=[shaft, bearing, pin, head, motor],
    scheme=nsd.Rattle(),
    step=5e-4,
    end=2.0,
    initial={
        crank.position: (PIN / 2).tolist(),
        coupler.position: ((PIN + HEAD) / 2).tolist(),
        coupler.quaternion: nsd.from_axis_angle([0, 1, 0], tilt),
        coupler.velocity: [0, SPEED * CRANK / 2, 0],
        coupler.angular_velocity: [0, 0, float(turning @ [np.sin(tilt), 0, np.cos(tilt)])],
        rocker.position: ((PIVOT + HEAD) / 2).tolist(),
        rocker.quaternion: nsd.from_axis_angle([0, 1, 0], ANGLE - np.pi / 2),
        crank.angular_velocity: [0, 0, SPEED],
        crank.velocity: [0, SPEED * CRANK / 2, 0],
    },
)

if __name__ == "__main__":
    model.run().plot("rocker.angular_velocity", "shaft motor.impulse", panels="name").save("four_bar.png")
