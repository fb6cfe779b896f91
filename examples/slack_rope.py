r"""A DC motor winds a slack rope, lifts a load and lets it down again: circuit, rope and floor in one model.

The motor turns its drum by the moment k i, and its turning drives the current back by the voltage k omega,

.. math::
    J\dot\omega = k\,i - d\,\omega - R_d\,\lambda_{rope}, \qquad L\,\dot i = u(t) - R\,i - k\,\omega, \qquad
    m\,\ddot z = -m g + \lambda_{rope} + \lambda_{floor}.

The rope pulls and never pushes, 0 <= slack _|_ lambda_rope >= 0, and where it becomes taut it gives a jerk without
restitution: the momentum of the drum and of what hangs on it is shared. The current has no part in the jerk; it
follows from the speed afterwards.

Drum and current are one system, since their equations read each other; the load is another one, and the rope joins
them.

**Scheme.** Moreau and Jean's with theta = 1/2, whose projection keeps the rope at its length: coordinates, velocities
and the current are of second order while the rope stays taut or slack. The rows of the current stand in the Newton
matrix beside those of the drum: L / R = 2 ms does not limit the step.

Run it::

    nsdgen run examples/slack_rope.py --plot winch.current --plot load.z
    nsdgen run examples/slack_rope.py -p voltage=36 --plot rope.impulse

What to look at: the current peaks at 22 A while the drum starts, falls as the drum speeds up, and at 0.155 s the rope
becomes taut and takes half of its speed. While the load rises the current is that of its weight, (m g R_d + d omega)
/ k. At 2 s the motor is short-circuited and brakes the drum faster than gravity brakes the load, which flies up from
its rope and falls back into it at 2.22 s. It then comes down at the speed at which the motor, now a generator,
carries it. At 7.22 s it is on the floor; the drum runs on for a moment, and the rope is slack again.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

J, d, k, R, L, m, g, radius, slack, voltage = sp.symbols("J d k R L m g radius slack voltage", positive=True)
angle, z, current = dynamicsymbols("angle z current")

supply = nsd.piecewise((voltage, nsd.time < 2), (0, True))
winch = nsd.LagrangianSystem(
    "winch",
    [angle],
    kinetic=J * angle.diff() ** 2 / 2,
    forces=[k * current - d * angle.diff()],
    state=[current],
    rhs=[(supply - R * current - k * angle.diff()) / L],
    units=["rad", "A"],
)
load = nsd.LagrangianSystem("load", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z, units=["m"])
rope = nsd.Contact("rope", z + slack - radius * angle, nsd.NewtonImpact(0))
floor = nsd.Contact("floor", z, nsd.NewtonImpact(0))

pulley = [0, 2.6]
sketch = nsd.Sketch().circle(pulley, radius, angle, name="drum").line([-0.5, 0], [0.5, 0], name="floor")
sketch.line([radius, 2.6], [radius + (z + slack - radius * angle) / 4, (z + 2.8) / 2], [radius, z + 0.2], name="rope")
sketch.line(*[[radius + i, z + j] for i, j in ((-0.1, 0), (0.1, 0), (0.1, 0.2), (-0.1, 0.2), (-0.1, 0))], name="load")

model = nsd.Model(
    "slack_rope",
    systems=[winch, load],
    relations=[rope, floor],
    sketch=sketch,
    scheme=nsd.MoreauJean(theta=0.5, projection=nsd.Projection()),
    step=1e-3,
    end=8,
    parameters={
        J: nsd.Parameter(0.02, "kg m^2"),
        d: nsd.Parameter(0.01, "N m s/rad"),
        k: nsd.Parameter(0.6, "N m/A"),
        R: nsd.Parameter(1.0, "ohm"),
        L: nsd.Parameter(2e-3, "H"),
        m: nsd.Parameter(8.0, "kg"),
        g: nsd.Parameter(9.81, "m/s^2"),
        radius: nsd.Parameter(0.05, "m"),
        slack: nsd.Parameter(0.2, "m"),
        voltage: nsd.Parameter(24.0, "V"),
    },
    initial={angle: 0, z: 0, current: 0},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("winch.current").save("slack_rope_current.png")
    trajectory.plot("load.z").save("slack_rope_load.png")
