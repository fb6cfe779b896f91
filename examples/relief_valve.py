r"""A relief valve on a vessel: a disc on a spring, the pressure that lifts it, the seat that it hits.

Flow comes into the vessel at the rate q and leaves it past the disc, so that the pressure falls as the valve opens,

.. math::
    \ddot y = -\kappa\,\dot y - (y + \delta) + p, \qquad \dot p = \beta\,(q - y\sqrt p), \qquad
    0 \le y \perp \lambda \ge 0, \qquad \dot y^+ = -r\,\dot y^- ,

everything in units of the valve (Hos and Champneys, *Grazing bifurcations and chatter in a pressure relief valve
model*, Physica D 241, 2012: kappa = 1.25, beta = 20, delta = 10, r = 0.8). The disc has a position with a velocity,
the pressure is a state of the same system with a rate alone; each acts on the other.

The valve at rest, y sqrt(y + delta) = q, loses its stability in a Hopf bifurcation as the flow falls below 8.49: then
the disc swings, and from q = 7.56 downwards it grazes its seat and hits it in every period.

**Scheme.** ``EventDriven``: the impacts and what comes between them to 1e-10; the impact changes the velocity and
leaves the pressure as it is. Time-stepping schemes take the same model.

Run it::

    nsdgen run examples/relief_valve.py --plot valve.y --plot valve.p
    nsdgen run examples/relief_valve.py -p q=9

What to look at: the disc falls on its seat some two times in every three units of time, and the pressure rises
between; with q = 9 the swing dies out. With q = 0.2 its impacts accumulate: the valve is shut until p = delta.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

q, kappa, beta, delta, r = sp.symbols("q kappa beta delta r", positive=True)
y, p = dynamicsymbols("y p")

valve = nsd.LagrangianSystem(
    "valve",
    [y],
    kinetic=y.diff() ** 2 / 2,
    potential=(y + delta) ** 2 / 2,
    forces=[p - kappa * y.diff()],
    state=[p],
    rhs=[beta * (q - y * sp.sqrt(p))],
)
seat = nsd.Contact("seat", y, nsd.NewtonImpact(r))

sketch = nsd.Sketch().line([-1, 0], [-0.4, 0], name="seat").line([0.4, 0], [1, 0], name="seat")
sketch.line([-0.8, y], [0.8, y], name="disc").spring([0, y], [0, 4], name="spring")

model = nsd.Model(
    "relief_valve",
    systems=[valve],
    relations=[seat],
    sketch=sketch,
    scheme=nsd.EventDriven(),
    step=0.01,
    end=20,
    parameters={q: 2, kappa: 1.25, beta: 20, delta: 10, r: 0.8},
    initial={y: 1, p: 10.5},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("valve.y").save("relief_valve_disc.png")
    trajectory.plot("valve.p").save("relief_valve_pressure.png")
