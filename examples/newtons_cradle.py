r"""Newton's cradle: five balls on rods, under Newton's impact law and under the law of multiple impacts.

With Newton's law and e = 1 the four balls at rest leave together, and the first one bounces back: momentum and energy
are kept, but no cradle does that. The law of Liu, Zhao and Brogliato traces the energies that contacts store along the
impulse (linear springs of equal stiffness here): a wave runs through, and nearly all of it leaves with the last ball.

Run it::

    nsdgen run examples/newtons_cradle.py --plot 'ball 0.position[0],ball 4.position[0]'

What to look at: the last ball swings out, its neighbours move a little.
"""

from itertools import pairwise

import numpy as np
import sympy as sp

import nsdgen as nsd

COUNT, RADIUS, LENGTH, LIFT = 5, 0.02, 0.3, 0.4
GRAVITY = 9.81


def cradle(law, name="newtons_cradle"):
    """The cradle with this law at all contacts."""
    balls, relations, initial = [], [], {}
    for i in range(COUNT):
        ball = nsd.RigidBody(f"ball {i}", 0.1, 0.4 * 0.1 * RADIUS**2 * sp.eye(3)).apply_force([0, 0, -0.1 * GRAVITY])
        hook, angle = 2 * RADIUS * i, LIFT if i == 0 else 0.0
        relations.append(nsd.Distance(f"rod {i}", ball.point([0, 0, 0]), [hook, 0, 0], LENGTH))
        initial[ball.position] = [hook - LENGTH * np.sin(angle), 0, -LENGTH * np.cos(angle)]
        balls.append(ball)
    for left, right in pairwise(balls):
        relations.append(nsd.shapes.sphere_sphere(f"{left.name} {right.name}", right, RADIUS, left, RADIUS, law))
    return nsd.Model(
        name, balls, relations, scheme=nsd.Rattle(), step=5e-4, end=1.2, initial=initial, allow_penetration=True
    )  # balls at rest touch, to rounding


model = cradle(nsd.MultipleImpact(restitution=1, exponent=1))

if __name__ == "__main__":
    model.run().plot(*(f"ball {i}.position[0]" for i in range(COUNT))).save("newtons_cradle.png")
