r"""An arm of three links reaches down to a table and wipes it, in joint coordinates.

Bodies, markers and joints are stated as for bodies in absolute coordinates; ``nsd.Mechanism`` makes one system of
them whose coordinates are the angles of the joints,

.. math:: M(q)\,\dot v = F(q, v) + H(q)^T p, \qquad \dot q = v .

A column turns about the vertical, on it an upper arm and a forearm turn in its plane. Motors drive each angle
towards a path by a spring and a damper; the elbow has a stop and dry friction. The target lies below the
table: the tip is pressed onto it, and what the springs ask beyond the friction cone makes it slide.

Run it::

    nsdgen run examples/mechanisms/wiping_arm.py --plot "arm.*angle" --plot "tip table 0.impulse*" -p mu=0.6
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

mu, stiffness, damping = sp.symbols("mu k d", nonnegative=True)
GRAVITY, ARM, FOREARM = 9.81, 0.5, 0.4


def rod(name: str, mass: float, length: float) -> nsd.RigidBody:
    """A slender rod along its x axis, with its weight."""
    across = mass * length**2 / 12
    return nsd.RigidBody(name, mass, sp.diag(1e-3, across, across)).apply_force([0, 0, -mass * GRAVITY])


column = nsd.RigidBody("column", 4.0, sp.diag(0.05, 0.05, 0.02)).apply_force([0, 0, -4.0 * GRAVITY])
upper, fore = rod("upper", 2.0, ARM), rod("tip", 1.0, FOREARM)

TURNS = [0, 1, 0]  # axis of shoulder and elbow
base = nsd.Revolute("base", nsd.Marker(column, [0, 0, -0.3]), nsd.Marker())
shoulder = nsd.Revolute(
    "shoulder", nsd.Marker(upper, [-ARM / 2, 0, 0], axis=TURNS), nsd.Marker(column, [0, 0, 0.3], axis=TURNS)
)
elbow = nsd.Revolute(
    "elbow", nsd.Marker(fore, [-FOREARM / 2, 0, 0], axis=TURNS), nsd.Marker(upper, [ARM / 2, 0, 0], axis=TURNS)
)
arm = nsd.Mechanism("arm", [base, shoulder, elbow])

swing = sp.sin(2 * nsd.time) / 2
targets = {base: swing, shoulder: sp.Rational(2, 5), elbow: sp.Rational(9, 10)}
motors = [
    joint.motor(force=stiffness * (target - joint.angle) + damping * (sp.diff(target, nsd.time) - joint.rate))
    for joint, target in targets.items()
]
table = nsd.Plane("table", [0, 0, 1], 0.2)
touch = nsd.contacts_between([fore.point([FOREARM / 2, 0, 0])], table, nsd.NewtonImpactFriction(0.0, mu))

model = nsd.Model(
    "wiping_arm",
    [arm],
    [*motors, *elbow.limits(0, 2.5), elbow.friction(0.1), *touch],
    scheme=nsd.MoreauJean(gradient_at="predicted"),
    step=1e-3,
    end=4,
    parameters={
        mu: 0.4,
        stiffness: nsd.Parameter(60.0, "N m/rad"),
        damping: nsd.Parameter(4.0, "N m s/rad"),
    },
    initial={shoulder.angle: 0, elbow.angle: 0.5},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    load = np.asarray(run["tip table 0.impulse[0]"]) / 1e-3
    print(f"the tip presses with {load[-1000:].mean():.1f} N")
    run.plot("arm.*angle", "tip table 0.impulse*").save("wiping_arm.png")
