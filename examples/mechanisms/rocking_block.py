r"""A block rocks on its two corners until it comes to rest.

A block of width 2 b and height 2 h, tilted and let go, turns about one corner, strikes the floor with the other and
goes on about that one. Corners stick (friction) and do not rebound (e = 0). Since the moment of momentum about the new
corner is the same before and after, an impact leaves of the rate of turning (Housner 1963)

.. math:: r = 1 - \tfrac32 \sin^2\alpha, \qquad \tan\alpha = b / h,

so that impacts follow each other ever faster: infinitely many of them in a finite time. Time-stepping
passes the last one without noticing.

Run it::

    nsdgen run examples/mechanisms/rocking_block.py --plot turn --plot 'left.gap,right.gap'
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, b, h, g, mu = sp.symbols("m b h g mu", positive=True)
x, y, turn = dynamicsymbols("x y turn")  # centre of mass, angle

block = nsd.LagrangianSystem(
    "block",
    [x, y, turn],
    units=["m", "m", "rad"],
    potential=m * g * y,
    kinetic=m * (x.diff() ** 2 + y.diff() ** 2 + (b**2 + h**2) / 3 * turn.diff() ** 2) / 2,
)
corners = [
    nsd.Contact(
        name,
        gap=y + side * b * sp.sin(turn) - h * sp.cos(turn),
        tangent=x + side * b * sp.cos(turn) + h * sp.sin(turn),
        law=nsd.NewtonImpactFriction(0, mu),
    )
    for name, side in (("left", -1), ("right", 1))
]

turned = sp.Matrix([[sp.cos(turn), -sp.sin(turn)], [sp.sin(turn), sp.cos(turn)]])
edge = [
    sp.Matrix([x, y]) + turned * sp.Matrix([i * b, j * h]) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
]
sketch = nsd.Sketch().line(*edge, name="block").line([-0.8, 0], [0.8, 0], name="floor")

tilt, wide, high = 0.1, 0.2, 0.8
model = nsd.Model(
    "rocking_block",
    [block],
    corners,
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=5e-4,
    end=8,
    parameters={
        m: nsd.Parameter(1, "kg"),
        b: nsd.Parameter(wide, "m"),
        h: nsd.Parameter(high, "m"),
        g: nsd.Parameter(9.81, "m/s^2"),
        mu: 0.8,
    },
    initial={x: 0, y: float(wide * sp.sin(tilt) + high * sp.cos(tilt)), turn: tilt},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("turn", "left.gap", "right.gap").save("rocking_block.png")
    run.phase_plot("turn").save("rocking_block_phase.png")
