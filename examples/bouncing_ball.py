r"""A bouncing ball: the smallest model with an impact.

A ball of mass m falls on the floor and leaves it with e times the speed it came with,

.. math:: m\ddot z = -m g + \text{contact force}, \qquad z \ge 0, \qquad \dot z^+ = -e\,\dot z^- \text{ at } z = 0 .

With e < 1 it makes infinitely many impacts in a finite time, which no scheme that looks for each of them can
pass. A time-stepping scheme does not look: over every step of length h it balances momentum,

.. math:: m(v_{k+1} - v_k) + h m g = p, \qquad z_{k+1} = z_k + h(\theta v_{k+1} + (1-\theta) v_k),

where p is the impulse of the floor. While the floor is out of reach p = 0; where the gap predicted for the
middle of the step is not positive, p >= 0 and v_{k+1} + e v_k >= 0 are complementary: either the ball leaves with at
least that speed and gets no impulse, or the impulse makes it exactly that speed. The limit of all the
impacts is the ball at rest, carried by one small impulse m g h a step (on average).

**What nsdgen does with it.** The energies give M and F, the gap gives H = dz/dz = 1; R is affine, so that a
step is one linear solve and at most one scalar complementarity problem. ``nsdgen derive`` shows all of it.

Run it::

    nsdgen run examples/bouncing_ball.py -p e=0.7 --plot ball.z,floor.impulse

What to look at: arcs are exact parabolas for theta = 1/2; an impact is placed to within one step, so times are
first order in h. A contact is noticed at the end of a step, so the ball sinks by up to h |v| once at every impact.
``scheme=nsd.MoreauJean(projection=nsd.Projection(level="all"))`` lifts it back onto the floor by a second stage of
every step (``level="active"``, the default, corrects contacts that act); lifting costs nothing in velocity, so that
every correction of size d adds the potential energy m g d.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, g, e = sp.symbols("m g e", positive=True)
z = dynamicsymbols("z")

ball = nsd.LagrangianSystem("ball", coordinates=[z], units=["m"], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z)
floor = nsd.Contact("floor", gap=z, law=nsd.NewtonImpact(e))

sketch = nsd.Sketch().line([-0.4, 0], [0.4, 0], name="floor").circle([0, z + 0.05], 0.05, name="ball")

model = nsd.Model(
    "bouncing_ball",
    systems=[ball],
    relations=[floor],
    sketch=sketch,
    scheme=nsd.MoreauJean(theta=0.5),
    step=5e-3,
    end=10,
    parameters={m: nsd.Parameter(1.0, "kg"), g: nsd.Parameter(9.81, "m/s^2"), e: 0.9},
    initial={z: 1.0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("ball.z", "floor.impulse").save("bouncing_ball.png")
