r"""A yoyo runs down its string, turns round at the end with a jerk, and climbs again.

Of a string of length L the part r |phi| is wound up, phi being the angle from where it is all unwound. The string
can be slack, it cannot be longer than it is:

.. math:: h = z - H(t) + L - r\,|\varphi| \ge 0, \qquad z \text{ the height of the yoyo},\ H \text{ that of the hand}.

On its way down the yoyo gains spin. At phi = 0 the string winds the other way round while the yoyo still falls: the
slope of h jumps, an impact without restitution turns the motion round and takes part of the energy,

.. math:: \dot\varphi^+ / \dot\varphi^- = (I - m r^2) / (I + m r^2) .

The hand makes up for it by a pull each time.

Run it::

    nsdgen run examples/mechanisms/yoyo.py --plot z --plot phi_dot --plot string.impulse -p a=0
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, I, r, L, g, Omega = sp.symbols("m I r L g Omega", positive=True)
amplitude = sp.Symbol("a", nonnegative=True)
z, phi = dynamicsymbols("z phi")

yoyo = nsd.LagrangianSystem(
    "yoyo", [z, phi], units=["m", "rad"], potential=m * g * z, kinetic=m * z.diff() ** 2 / 2 + I * phi.diff() ** 2 / 2
)
hand = amplitude * (1 - sp.cos(Omega * nsd.time))
string = nsd.Contact("string", gap=z - hand + L - r * sp.Abs(phi), law=nsd.NewtonImpact(0))

sketch = (
    nsd.Sketch()
    .line([0, hand], [0, z], name="string")
    .circle([0, z], 0.04, phi, name="yoyo")
    .point([0, hand], name="hand")
)

length, radius = 0.8, 0.005
model = nsd.Model(
    "yoyo",
    [yoyo],
    [string],
    sketch=sketch,
    scheme=nsd.MoreauJean(),
    step=5e-4,
    end=8,
    parameters={
        m: nsd.Parameter(0.06, "kg"),
        I: nsd.Parameter(3e-5, "kg m^2"),
        r: nsd.Parameter(radius, "m"),
        L: nsd.Parameter(length, "m"),
        g: nsd.Parameter(9.81, "m/s^2"),
        amplitude: nsd.Parameter(0.0, "m"),
        Omega: nsd.Parameter(2.0, "rad/s"),
    },
    initial={z: 0, phi: length / radius},
)

if __name__ == "__main__":
    run = model.run(progress=True)
    print(run)
    run.plot("z", "phi_dot", "string.impulse").save("yoyo.png")
