r"""A row of balls is hit by one: Newton's law beside impacts traced along their impulses.

Two rows of five equal balls that touch are each hit by a ball at 1 m/s, e = 1. Newton's law of impact, applied to all
contacts at once, throws the first ball back at 2/3 m/s and all others forward at 1/3, as no real row does. The law of
Liu, Zhao and Brogliato follows the waves through the contacts, springs of Hertz: nearly all of the motion arrives at
the last ball, the first one comes back a little.

.. math:: P' = K\,\delta^{3/2}, \qquad u = u^- + H M^{-1} H^T P, \qquad \delta' = -u

Run it::

    nsdgen run examples/mechanisms/ball_chain.py --plot 'newton*.x_dot' --plot 'traced*.x_dot'
"""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, r = sp.symbols("m r", positive=True)
x = dynamicsymbols("x")
count, radius = 6, 0.01

rows, contacts, schemes, sketch = [], [], {}, nsd.Sketch()
for name, law, scheme in (
    ("newton", nsd.NewtonImpact(1), nsd.D1Minus()),
    ("traced", nsd.MultipleImpact(1), nsd.D1Minus(newton=nsd.Newton(1e-12))),
):
    ball = nsd.LagrangianSystem(name, [x], units=["m"], kinetic=m * x.diff() ** 2 / 2)
    places = 2 * radius * np.arange(count)
    places[0] -= 0.05
    balls = ball.copies(count, initial={x: places, x.diff(): np.eye(count)[0]})
    left, right = balls[0], balls[1]
    touch = nsd.Contact(f"{name} touch", gap=right.coordinate(x) - left.coordinate(x) - 2 * r, law=law)
    rows.append(balls)
    contacts.append(touch.copies([(i, i + 1) for i in range(count - 1)], like=(left, right)))
    schemes[balls] = scheme
    for ball in balls:
        sketch.circle([ball.coordinate(x), -0.03 * len(schemes)], r, name=ball.name)

model = nsd.Model(
    "ball_chain",
    rows,
    contacts,
    sketch=sketch,
    scheme=schemes,
    step=1e-3,
    end=0.1,
    parameters={m: nsd.Parameter(0.03, "kg"), r: nsd.Parameter(radius, "m")},
    allow_penetration=True,
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("newton*.x", "traced*.x").save("ball_chain.png")
    run.plot("newton*.x_dot", "traced*.x_dot").save("ball_chain_speeds.png")
