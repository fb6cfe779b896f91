r"""The woodpecker toy: friction and impacts make it hop down a pole.

A sleeve with play sits on a pole and carries a bird on a spring. While the sleeve is tilted, friction jams it; the
bird swings back, the sleeve comes free and falls until it jams again on the other side, or the beak strikes the pole.
Model and parameters are those of Pfeiffer and Glocker (1996); the motion is a limit cycle with several impacts in each
period.

.. math:: h_{beak} = l_M + l_G - l_S - r_0 - h_S\,b, \qquad h_{edges} = r_M - r_0 \pm h_M\,a

Run it::

    nsdgen run examples/mechanisms/woodpecker.py --plot y --plot a,b --plot '*.impulse[0]'

What to look at: the height falls in steps of about 20 mm, 0.15 s each; in between everything sticks for a while.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

r_O, r_M, h_M, l_M, l_G, h_S, l_S, m_M, m_S, J_M, J_S, c, g, mu = sp.symbols(
    "r_O r_M h_M l_M l_G h_S l_S m_M m_S J_M J_S c g mu", positive=True
)
y, a, b = dynamicsymbols("y a b")  # height and angle of the sleeve, angle of the bird

toy = nsd.LagrangianSystem(
    "toy",
    [y, a, b],
    units=["m", "rad", "rad"],
    potential=(m_S + m_M) * g * y + m_S * g * (l_M * a + l_G * b) + c * (a - b) ** 2 / 2,
    kinetic=(
        m_M * y.diff() ** 2
        + J_M * a.diff() ** 2
        + J_S * b.diff() ** 2
        + m_S * (y.diff() + l_M * a.diff() + l_G * b.diff()) ** 2
    )
    / 2,
)
beak = nsd.Contact(
    "beak",
    gap=l_M + l_G - l_S - r_O - h_S * b,
    tangent=y + l_M * a + (l_G - l_S) * b,
    law=nsd.NewtonImpactFriction(0.5, mu),
)
edges = [
    nsd.Contact(name, gap=r_M - r_O + side * h_M * a, tangent=y + r_M * a, law=nsd.NewtonImpactFriction(0, mu))
    for name, side in (("lower edge", 1), ("upper edge", -1))
]

sleeve = [
    [side * r_M + up * h_M * -a, y + up * h_M + side * r_M * a]
    for side, up in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
]
axle = [l_M, y + l_M * a]
body = [axle[0] + l_G, axle[1] + l_G * b]
sketch = (
    nsd.Sketch()
    .line(*sleeve, name="sleeve")
    .spring([r_M, y + r_M * a], axle, name="spring")
    .line(axle, body, name="rod")
)
sketch.circle(body, 0.006, b, name="bird").line(body, [body[0] - l_S - h_S * b, body[1] + h_S - l_S * b], name="beak")
for side in (-1, 1):
    sketch.line([side * r_O, -0.15], [side * r_O, 0.04], name="pole")

model = nsd.Model(
    "woodpecker",
    [toy],
    [beak, *edges],
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=2e-5,
    end=1,
    parameters={
        r_O: 0.0025,
        r_M: 0.0031,
        h_M: 0.0058,
        l_M: 0.010,
        l_G: 0.015,
        h_S: 0.02,
        l_S: 0.0201,
        m_M: 0.0003,
        m_S: 0.0045,
        J_M: 5.0e-9,
        J_S: 7.0e-7,
        c: 0.0056,
        g: 9.81,
        mu: 0.3,
    },
    initial={y: 0, a: -0.1036, b: -0.2788, y.diff(): -0.3411, b.diff(): -7.4583},
    allow_penetration=True,
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("y").save("woodpecker_height.png")
    run.phase_plot("b").save("woodpecker_bird.png")
