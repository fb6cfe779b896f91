r"""A loudspeaker that is driven too hard: a voice coil in its field, its current, and the back plate that it hits.

The force on the coil is B(x) l i, and the coil that moves induces the voltage B(x) l x'; the field fades as the coil
leaves the gap of the magnet,

.. math::
    m\ddot x = b(x)\,i - c\,\dot x - K x + \lambda, \qquad L\,\dot i = U\sin(2\pi f t) - R\,i - b(x)\,\dot x,
    \qquad b(x) = b_0\,e^{-(x/w)^2}, \qquad 0 \le x + s \perp \lambda \ge 0 .

Current and motion are one system: i is a state of it beside x and x'.

**Scheme.** ``Rattle``: the midpoint rule for position, velocity and current, impacts at the end of a step. At small
amplitudes it is the linear two-port of the textbooks, X / U = b_0 / ((R + j w L)(K - m w^2 + j w c) + j w b_0^2).

Run it::

    nsdgen run examples/loudspeaker.py --plot voice_coil.x --plot voice_coil.i
    nsdgen run examples/loudspeaker.py -p U=6

What to look at: at 24 V the coil knocks on the back plate at -5 mm in every period and leans on it for a while, where
the current goes on; at 12 V it knocks once a period, at 6 V it stays clear.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, c, K, b, w, R, L, U, f, stop, e = sp.symbols("m c K b w R L U f stop e", positive=True)
x, i = dynamicsymbols("x i")

factor = b * sp.exp(-((x / w) ** 2))
coil = nsd.LagrangianSystem(
    "voice_coil",
    [x],
    kinetic=m * x.diff() ** 2 / 2,
    potential=K * x**2 / 2,
    forces=[factor * i - c * x.diff()],
    state=[i],
    rhs=[(U * sp.sin(2 * sp.pi * f * nsd.time) - R * i - factor * x.diff()) / L],
    units=["m", "A"],
)
plate = nsd.Contact("plate", x + stop, nsd.NewtonImpact(e))

sketch = (
    nsd.Sketch().line([-stop, -0.008], [-stop, 0.008], name="back plate").spring([x, 0], [0.02, 0], name="suspension")
)
sketch.line(
    *[[x + i, j] for i, j in ((0, -0.006), (0, 0.006), (0.012, 0.012), (0.012, -0.012), (0, -0.006))], name="coil"
)

model = nsd.Model(
    "loudspeaker",
    systems=[coil],
    relations=[plate],
    sketch=sketch,
    scheme=nsd.Rattle(),
    step=2e-5,
    end=0.2,
    parameters={
        m: nsd.Parameter(0.012, "kg"),
        c: nsd.Parameter(1.0, "N s/m"),
        K: nsd.Parameter(1500.0, "N/m"),
        b: nsd.Parameter(6.0, "N/A"),
        w: nsd.Parameter(8e-3, "m"),
        R: nsd.Parameter(6.0, "ohm"),
        L: nsd.Parameter(6e-4, "H"),
        U: nsd.Parameter(24.0, "V"),
        f: nsd.Parameter(40.0, "1/s"),
        stop: nsd.Parameter(5e-3, "m"),
        e: 0.3,
    },
    initial={x: 0, i: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("voice_coil.x").save("loudspeaker_coil.png")
    trajectory.plot("voice_coil.i").save("loudspeaker_current.png")
