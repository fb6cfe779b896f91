r"""A tumbling brick: a rigid body with gyroscopic moments that falls on a plane with its eight corners.

The body has a position x (inertial frame), a unit quaternion p (scalar first, body to inertial), a
velocity v (inertial) and an angular velocity Omega (body frame),

.. math:: m\dot v = f, \qquad I\dot\Omega = -\Omega\times I\Omega + R(p)^\top m_{in}, \qquad
          \dot x = v, \qquad \dot p = \tfrac12\, p\circ(0,\Omega).

A moment :math:`m_{in}` given in the inertial frame turns about the vertical axis; it enters the equations as
:math:`R^\top m_{in}`, so its Jacobian with respect to the quaternion is part of the Newton matrix: derived, like
the gyroscopic Jacobian and the gradient of the gaps through the normalisation of the quaternion.

**Contacts.** Each corner, fixed at :math:`r = (\pm a, \pm b, \pm c)` in the body, has the gap
:math:`h(q) = (x + R(\hat p) r)_z` above the ground. The eight corners are one class of kernels with eight
instances. Lying on a face, four corners touch but only three impulses are determined: the trajectory's
column ``rank_deficiency`` says 1, and the impulses are those of least norm, here equal shares.

**Scheme.** Moreau-Jean with the exponential update of the quaternion, :math:`p_{k+1} = p_k\circ\exp(h\Omega_\theta/2)`,
second order for theta = 1/2. ``rotation="nearly_implicit"`` is the scheme of the newton_euler notes, with T at the last
Newton iterate: once the quaternion is normalised, its step is a Cayley map, second order as well. In free flight
without moment, energy and angular momentum are conserved to that order; with it, L(t) - L(0) is the time
integral of the moment (the tests show both by a convergence study).

Run it::

    nsdgen run examples/tumbling_brick.py --plot brick.position --plot brick.angular_velocity

What to look at: the height of the centre of mass comes to rest at half the brick's thickness when it lies flat.
"""

import itertools

import sympy as sp

import nsdgen as nsd

m, g, a, b, c, e, M0, w = sp.symbols("m g a b c e M0 w", nonnegative=True)

inertia = sp.diag(b**2 + c**2, a**2 + c**2, a**2 + b**2) * m / 3  # of a box with half edges a, b, c
brick = nsd.RigidBody("brick", mass=m, inertia=inertia)
brick.apply_force([0, 0, -m * g])
brick.apply_moment([0, 0, M0 * sp.cos(w * nsd.time)], frame="inertial")

ground = nsd.Plane("ground", normal=[0, 0, 1])
corners = brick.points(8, [[x * a, y * b, z * c] for x, y, z in itertools.product((-1, 1), repeat=3)])
contacts = nsd.contacts_between(corners, ground, law=nsd.NewtonImpact(e))

model = nsd.Model(
    "tumbling_brick",
    systems=[brick],
    relations=contacts,
    scheme=nsd.MoreauJean(theta=0.5, rotation="exponential"),
    step=1e-3,
    end=3.0,
    parameters={
        m: nsd.Parameter(1.2, "kg", min=1e-9),
        g: nsd.Parameter(9.81, "m/s^2"),
        a: nsd.Parameter(0.12, "m", min=1e-9),
        b: nsd.Parameter(0.06, "m", min=1e-9),
        c: nsd.Parameter(0.04, "m", min=1e-9),
        e: 0.2,
        M0: nsd.Parameter(0.02, "N m"),
        w: nsd.Parameter(3.0, "rad/s"),
    },
    initial={
        brick.position: [0, 0, 0.6],
        brick.quaternion: nsd.from_axis_angle([1, 1, 0], 0.4),
        brick.angular_velocity: [1.0, 2.0, 3.0],
    },
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("brick.position", "brick.angular_velocity").save("tumbling_brick.png")
