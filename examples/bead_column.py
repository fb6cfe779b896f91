r"""A column of beads: one bead described once, as many instances as there are numbers for.

N beads of radius r stand above each other on a floor, small gaps between them, and are let go. Each has one
coordinate, its height z; neighbours touch where the distance of their centres is 2 r,

.. math:: m_i\ddot z_i = -m_i g + p_i - p_{i+1}, \qquad 0 \le z_{i+1} - z_i - 2 r \perp p_{i+1} \ge 0,

with Newton's law for impacts. All impacts of a step are one problem: the impulse at the floor depends on all
those above it. At rest it carries the weight of the whole column, m g h for every bead and step.

**What nsdgen does with it.** ``bead.copies(n, ...)`` derives and compiles the equations of one bead and keeps arrays
of masses and heights; ``touch.copies(pairs, like=(low, high))`` does the same for the contact, which is written between
two of the beads. Ten beads or ten thousand: the code is the same, only the lists of instances grow. The matrix
of the one-step problem is tridiagonal.

Run it::

    nsdgen run examples/bead_column.py -p e=0.5 --plot '*.z'

What to look at: with e = 0 (the default) the column collapses bead by bead from below; the impulse at the floor is the
sum of all weights once everything rests.
"""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, g, r, e = sp.symbols("m g r e", nonnegative=True)
z = dynamicsymbols("z")


def build(n: int = 10, gap: float = 0.01) -> nsd.Model:
    """A column of n beads, ``gap`` [m] between neighbours at the start; below zero they touch and stay at rest."""
    radius = 0.05
    bead = nsd.LagrangianSystem(
        "bead", coordinates=[z], units=["m"], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z
    )
    beads = bead.copies(
        n, parameters={m: np.linspace(1.0, 2.0, n)}, initial={z: radius + gap + (2 * radius + gap) * np.arange(n)}
    )
    relations = [nsd.Contact("floor", gap=beads[0].coordinate(z) - r, law=nsd.NewtonImpact(e))]
    if n > 1:
        low, high = beads[0], beads[1]
        touch = nsd.Contact("touch", gap=high.coordinate(z) - low.coordinate(z) - 2 * r, law=nsd.NewtonImpact(e))
        relations.append(touch.copies([(i, i + 1) for i in range(n - 1)], like=(low, high)))
    sketch = nsd.Sketch().line([-0.2, 0], [0.2, 0], name="floor")
    for i, one in enumerate(beads):
        sketch.circle([0, one.coordinate(z)], r, name=f"bead {i}")
    return nsd.Model(
        "bead_column",
        systems=[beads],
        relations=relations,
        sketch=sketch,
        scheme=nsd.MoreauJean(theta=0.5),
        step=1e-3,
        end=1.0,
        parameters={g: nsd.Parameter(9.81, "m/s^2"), r: nsd.Parameter(radius, "m"), e: 0.0},
        allow_penetration=gap < 0,
    )


model = build()

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("*.z").save("bead_column.png")
