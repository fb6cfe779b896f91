r"""Bricard's mechanism: six rods of 1 m and 1 kg along edges of a cube, joined by hinges, one of them the ground.

It has one freedom, though the count of its hinges says none: one of thirty rows follows from the others, in every
configuration (problem A04 of M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A benchmarking system for MBS simulation
software, Multibody System Dynamics 16, 2006).

Run it::

    nsdgen run examples/mechanisms/bricard.py --plot 'rod_3.position'

What to look at: it falls and comes back; ``rank_deficiency`` is 1 in every step, and energy stays.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

GRAVITY = 9.81
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
EDGES = np.roll(CORNERS, -1, axis=0) - CORNERS
CENTRES = CORNERS + 0.5 * EDGES
INERTIA = {k: (1 - np.abs(EDGES[k])) / 12 + 1e-3 for k in range(1, 6)}
"""Moments of inertia of each rod, at the start along the axes of space; rod 0 is the ground."""


def make(scheme=None, step=1e-3, end=1.4):
    """The mechanism, under a scheme."""
    bodies = {
        k: nsd.RigidBody(f"rod_{k}", 1, sp.diag(*moments.tolist())).apply_force([0, -GRAVITY, 0])
        for k, moments in INERTIA.items()
    }
    hinges = []
    for k in range(6):
        axis = np.cross(EDGES[k - 1], EDGES[k]).tolist()
        first, second = (
            nsd.Marker(bodies.get(rod), (CORNERS[k] - CENTRES[rod] * (rod > 0)).tolist(), axis)
            for rod in ((k - 1) % 6, k)
        )
        hinges.append(nsd.Revolute(f"hinge_{k}", first, second))
    return nsd.Model(
        "bricard",
        list(bodies.values()),
        hinges,
        scheme=scheme or nsd.Rattle(),
        step=step,
        end=end,
        initial={body.position: CENTRES[k].tolist() for k, body in bodies.items()},
    )


model = make()

if __name__ == "__main__":
    print(model.assemble())
    model.run().plot("rod_3.position").save("bricard.png")
