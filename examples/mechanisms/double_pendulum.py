r"""A double pendulum swings against a wall.

Two point masses on rods of length l hang from a pivot; the wall at x = -w is out of reach of the first and in reach of
the second,

.. math:: h(q) = w + l\,(\sin a + \sin b) \ge 0, \qquad \dot h^+ = -e\,\dot h^- \text{ where } h = 0 .

Between impacts the motion is chaotic; an impact takes the part of the energy that Newton's law says. Mass, gradients
and gap rates are those of one place (``mass_at``, ``gradient_at``, ``gap_at``, each half a step ahead); with e = 1 the
energy is kept up to changes of the order of h at impacts.

Run it::

    nsdgen run examples/mechanisms/double_pendulum.py --animate pendulum.html --plot a,b --plot wall.gap -p e=0.5
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, l, g, e, w = sp.symbols("m l g e w", positive=True)
a, b = dynamicsymbols("a b")  # from the vertical

pendulum = nsd.LagrangianSystem(
    "pendulum",
    [a, b],
    units=["rad", "rad"],
    potential=-m * g * l * (2 * sp.cos(a) + sp.cos(b)),
    kinetic=m * l**2 * (a.diff() ** 2 + b.diff() ** 2 / 2 + a.diff() * b.diff() * sp.cos(a - b)),
)
wall = nsd.Contact("wall", gap=w + l * (sp.sin(a) + sp.sin(b)), law=nsd.NewtonImpact(e))

elbow = l * sp.Matrix([sp.sin(a), -sp.cos(a)])
tip = elbow + l * sp.Matrix([sp.sin(b), -sp.cos(b)])
sketch = (
    nsd.Sketch()
    .line([0, 0], elbow, name="upper rod")
    .line(elbow, tip, name="lower rod")
    .point(elbow, tip, name="masses")
)
sketch.line([-w, -2.2 * l], [-w, 0.4 * l], name="wall")

model = nsd.Model(
    "double_pendulum",
    [pendulum],
    [wall],
    step=1e-3,
    end=10,
    scheme=nsd.MoreauJean(gradient_at="predicted", gap_at="predicted", gap_gamma=0.5),
    parameters={
        m: nsd.Parameter(1, "kg"),
        l: nsd.Parameter(0.5, "m"),
        g: nsd.Parameter(9.81, "m/s^2"),
        e: 0.8,
        w: nsd.Parameter(0.3, "m"),
    },
    initial={a: 1.2, b: 1.4},
    sketch=sketch,
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("a", "b").save("double_pendulum_angles.png")
    run.plot("wall.gap", "wall.impulse").save("double_pendulum_wall.png")
