r"""A slider-crank whose slider rattles between its guides.

Crank and rod of a shaft that turns fast drive a slider which its guides leave a clearance. Each of its four corners is
a contact with friction; the slider turns freely on the rod. What is usually a joint with one freedom becomes four
unilateral contacts: the slider crosses from guide to guide, strikes with a corner, slides along and lifts off again.

.. math:: 0 \le d/2 \mp (Y \pm a\sin\gamma \pm b\cos\gamma) \;\perp\; \lambda_N \ge 0

Run it::

    nsdgen run examples/mechanisms/slider_crank.py --plot 'corner*.gap' -p mu=0.1

What to look at: gaps stay within the clearance of 1 mm; the slider strikes with one corner, then with its neighbour.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

l1, l2, m1, m2, m3, J1, J2, J3, a, b, c, g, mu, e = sp.symbols("l1 l2 m1 m2 m3 J1 J2 J3 a b c g mu e", positive=True)
crank, rod, tilt = dynamicsymbols("crank rod tilt")
u, v, w = (angle.diff() for angle in (crank, rod, tilt))

kinetic = (
    (J1 + (m1 / 4 + m2 + m3) * l1**2) * u**2 / 2
    + (J2 + (m2 / 4 + m3) * l2**2) * v**2 / 2
    + J3 * w**2 / 2
    + (m2 / 2 + m3) * l1 * l2 * sp.cos(crank - rod) * u * v
)
weight = g * ((m1 / 2 + m2 + m3) * l1 * sp.sin(crank) + (m2 / 2 + m3) * l2 * sp.sin(rod))
machine = nsd.LagrangianSystem("machine", [crank, rod, tilt], units=["rad"] * 3, kinetic=kinetic, potential=weight)

X, Y = l1 * sp.cos(crank) + l2 * sp.cos(rod), l1 * sp.sin(crank) + l2 * sp.sin(rod)
corners = []
for number, (up, along) in enumerate(((1, -1), (1, 1), (-1, -1), (-1, 1)), start=1):
    height = Y + along * a * sp.sin(tilt) + up * b * sp.cos(tilt)
    place = X + along * a * sp.cos(tilt) - up * b * sp.sin(tilt)
    corners.append(
        nsd.Contact(f"corner{number}", gap=b + c - up * height, tangent=place, law=nsd.NewtonImpactFriction(e, mu))
    )

turned = sp.Matrix([[sp.cos(tilt), -sp.sin(tilt)], [sp.sin(tilt), sp.cos(tilt)]])
slider = [
    sp.Matrix([X, Y]) + turned * sp.Matrix([i * a, j * b]) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
]
pin = [l1 * sp.cos(crank), l1 * sp.sin(crank)]
sketch = nsd.Sketch().line([0, 0], pin, name="crank").line(pin, [X, Y], name="rod").line(*slider, name="slider")
for side in (-1, 1):
    sketch.line([0.1, side * (b + c)], [0.55, side * (b + c)], name="guide")

model = nsd.Model(
    "slider_crank",
    [machine],
    corners,
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=1e-5,
    end=0.1,
    parameters={
        l1: 0.153,
        l2: 0.306,
        m1: 0.038,
        m2: 0.038,
        m3: 0.076,
        J1: 7.4e-5,
        J2: 5.9e-4,
        J3: 2.7e-6,
        a: 0.05,
        b: 0.025,
        c: 0.001,
        g: 9.81,
        mu: 0.01,
        e: 0.4,
    },
    initial={crank: 0, rod: 0, tilt: 0, u: 150, v: -75, w: -1},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("corner*.gap").save("slider_crank_gaps.png")
    run.plot("crank_dot", "rod_dot", "tilt_dot").save("slider_crank_rates.png")
