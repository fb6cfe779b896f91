r"""A two-link manipulator draws a circle, part of which lies below a table.

The hand follows X_d(t) by a force of springs and dampers through the transpose of its Jacobian, gravity is compensated:

.. math:: \tau = J^T\,(K_p (X_d - X) + K_d (\dot X_d - \dot X)) + g(q) .

Where the circle dips below the table the hand strikes it, presses with the force of the springs, slides along, and
lifts off. Impacts, contact and free motion follow from one law; the controller knows nothing of the table.
``identify=`` makes the operators that model-based controllers ask for: ``coriolis``, ``gravity`` and the ``regressor``
of both masses.

Run it::

    nsdgen run examples/mechanisms/two_link_manipulator.py --plot table.gap,table.impulse --plot a,b
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m1, m2, l, g, Kp, Kd, e = sp.symbols("m1 m2 l g K_p K_d e", positive=True)
t = nsd.time
a, b = dynamicsymbols("a b")

elbow = l * sp.Matrix([sp.cos(a), sp.sin(a)])
hand = elbow + l * sp.Matrix([sp.cos(a + b), sp.sin(a + b)])
speeds = [p.diff(t) for p in (elbow, hand)]
kinetic = sp.expand(m1 * speeds[0].dot(speeds[0]) / 2 + m2 * speeds[1].dot(speeds[1]) / 2)
potential = m1 * g * elbow[1] + m2 * g * hand[1]
wanted = sp.Matrix([sp.Rational(13, 20) + sp.cos(2 * t) / 10, sp.sin(2 * t) / 10])
pull = hand.jacobian([a, b]).T * (Kp * (wanted - hand) + Kd * (wanted.diff(t) - speeds[1]))
compensated = sp.Matrix([potential.diff(q) for q in (a, b)])

arm = nsd.LagrangianSystem(
    "arm",
    [a, b],
    units=["rad", "rad"],
    kinetic=kinetic,
    potential=potential,
    forces=list(pull + compensated),
    identify=[m1, m2],
)
table = nsd.Contact("table", gap=hand[1] + sp.Rational(1, 20), law=nsd.NewtonImpact(e))

sketch = nsd.Sketch().line([0, 0], elbow, hand, name="arm").point(elbow, hand, name="joint and hand")
sketch.line([0.4, -0.05], [0.9, -0.05], name="table").point(wanted, name="wanted")

model = nsd.Model(
    "two_link_manipulator",
    [arm],
    [table],
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=1e-3,
    end=7,
    parameters={
        m1: nsd.Parameter(1, "kg"),
        m2: nsd.Parameter(1, "kg"),
        l: nsd.Parameter(0.5, "m"),
        g: nsd.Parameter(9.81, "m/s^2"),
        Kp: nsd.Parameter(400, "N/m"),
        Kd: nsd.Parameter(40, "N s/m"),
        e: 0.3,
    },
    initial={a: 0.9, b: -1.6},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("table.gap", "table.impulse").save("two_link_manipulator_table.png")
    run.plot("a", "b").save("two_link_manipulator_angles.png")
