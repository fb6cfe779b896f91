r"""The bicycle benchmark: a Whipple bicycle runs upright; its weave, capsize and castering modes by the speed.

A rear frame with a rigid rider moves freely, a rear wheel turns on it, a fork with its handlebar on the steering axis,
and in this the front wheel: nine velocities. Knife edges of both wheels touch the plane (two gaps) and roll without
slipping (four constraints of velocities, not integrable): three freedoms of velocities, forward speed, lean and steer.

:meth:`nsdgen.Model.linearise` eliminates all rows, with the reactions that they carry, and gives the matrix of this
steady motion. Its eigenvalues are those of the benchmark to all published digits:

    J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Linearized dynamics equations for the balance and steer
    of a bicycle: a benchmark and review, Proceedings of the Royal Society A 463, 2007, tables 1 and 2.

The axes are those of the paper: x forward, y to the right, z down, from the rear contact.

Run it::

    python examples/bicycle.py    # the table, speed by speed
    nsdgen run examples/bicycle.py --plot 'bicycle.steering angle'

What to look at: between 4.3 and 6.0 m/s all eigenvalues have negative real parts: nobody need steer.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

WHEELBASE, TRAIL, TILT, GRAVITY = 1.02, 0.08, np.pi / 10, 9.81
RADIUS = {"rear": 0.3, "front": 0.35}

PUBLISHED = {
    0: (3.13164324790656, 5.53094371765393, -3.13164324790656, -5.53094371765393),
    1: (3.52696170990070 + 0.80774027519930j, -3.13423125066578, -7.11008014637442),
    2: (2.68234517512745 + 1.68066296590675j, -3.07158645641514, -8.67387984831735),
    3: (1.70675605663975 + 2.31582447384325j, -2.63366137253667, -10.35101467245920),
    4: (0.41325331521125 + 3.07910818603206j, -1.42944427361326, -12.15861426576447),
    5: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    6: (-1.52644486584142 + 5.87673060598709j, -0.00406690076970, -16.08537123098026),
    7: (-2.13875644258362 + 7.19525913329805j, 0.10268170574766, -18.15788466125262),
    8: (-2.69348683581097 + 8.46037971396931j, 0.14327879765713, -20.27940894394569),
    9: (-3.21675402252485 + 9.69377351531791j, 0.15790184030917, -22.43788559040858),
    10: (-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404),
}
"""By speed [m/s]: weave (one of its pair), capsize, castering [1/s]; at rest four real ones."""


def body(name, mass, inertia):
    """A body under its weight."""
    return nsd.RigidBody(name, mass, inertia).apply_force([0, 0, mass * GRAVITY])


rear = body("rear wheel", 2, sp.diag(0.0603, 0.12, 0.0603))
frame = body("frame", 85, sp.Matrix([[9.2, 0, 2.4], [0, 11, 0], [2.4, 0, 2.8]]))
fork = body("fork", 4, sp.Matrix([[0.05892, 0, -0.00756], [0, 0.06, 0], [-0.00756, 0, 0.00708]]))
front = body("front wheel", 3, sp.diag(0.1405, 0.28, 0.1405))
CENTRE = {frame: np.array([0.3, 0, -0.9]), fork: np.array([0.9, 0, -0.7])}
ABOUT_Y = [0, 1, 0]


def on(owner, place, axis):
    """A marker on a frame at a place of the upright bicycle."""
    return nsd.Marker(owner, (np.array(place) - CENTRE[owner]).tolist(), axis, reference=[1, 0, 0])


rear_hub = nsd.Revolute("rear hub", nsd.Marker(rear, axis=ABOUT_Y), on(frame, [0, 0, -RADIUS["rear"]], ABOUT_Y))
front_hub = nsd.Revolute(
    "front hub", nsd.Marker(front, axis=ABOUT_Y), on(fork, [WHEELBASE, 0, -RADIUS["front"]], ABOUT_Y)
)
AXIS = [float(np.sin(TILT)), 0, float(np.cos(TILT))]  # through the plane at TRAIL before the front contact
MEETING = [WHEELBASE + TRAIL, 0, 0]
steering = nsd.Revolute("steering", on(fork, MEETING, AXIS), on(frame, MEETING, AXIS))


def touches(name, hub, radius):
    """The lowest point of a wheel's edge stays on the plane, and does not slip there."""
    centre, axle, down = hub.second.position, hub.second.axes[2], sp.Matrix([0, 0, 1])
    width = nsd.let("width", sp.sqrt(1 - axle[2] ** 2))
    edge = (down - axle[2] * axle) * (radius / width)
    slip = hub.second.velocity + hub.first.angular_velocity.cross(edge)
    return [
        nsd.Bilateral(f"{name} contact", -centre[2] - radius * width),
        nsd.VelocityConstraint(f"{name} rolls", [slip[0], slip[1]]),
    ]


for wheel, radius in ((rear, RADIUS["rear"]), (front, RADIUS["front"])):
    wheel.draw(nsd.solids.Cylinder(radius, 0.04), turned=[np.sqrt(0.5), np.sqrt(0.5), 0, 0])
frame.draw(nsd.solids.Cuboid([0.9, 0.06, 0.1]), at=[0.15, 0, 0.4]).draw(nsd.solids.Ellipsoid([0.15, 0.2, 0.35]))
fork.draw(nsd.solids.Cuboid([0.06, 0.06, 0.9])).draw(nsd.solids.Cuboid([0.06, 0.6, 0.04]), at=[0, 0, -0.4])

torque = sp.Symbol("torque")
bicycle = nsd.Mechanism("bicycle", [rear_hub, steering, front_hub])
model = nsd.Model(
    "bicycle",
    [bicycle],
    [
        *touches("rear", rear_hub, RADIUS["rear"]),
        *touches("front", front_hub, RADIUS["front"]),
        steering.motor(force=torque),
    ],
    scheme=nsd.Rattle(),
    step=2e-3,
    end=3.0,
    parameters={torque: 0.0},
    initial={frame.velocity[0]: 4.6, steering.rate: 0.3},
    near={frame.position: CENTRE[frame].tolist()},
    sketch=nsd.Sketch(z="down").plane([0, 0, -1]),
)


def upright(speed):
    """The linear equations of the bicycle that runs straight at a speed [m/s]."""
    start = model.assemble({frame.velocity[0]: speed}, near={frame.position: CENTRE[frame].tolist()})
    return model.linearise([torque], {"steer": steering.angle}, at=start)


def modes(speed):
    """The four eigenvalues of lean and steer; the others are 0, for any place, direction and speed."""
    values = upright(speed).eigenvalues
    return values[np.argsort(np.abs(values))][-4:]


if __name__ == "__main__":
    for speed in PUBLISHED:
        print(speed, " ".join(f"{value:.11f}" for value in sorted(modes(speed), key=lambda z: (-z.real, -z.imag))))
