r"""The stiff flyball governor: a shaft turns freely, rods with heavy ends swing out and lift a slider by couplers.

Couplers are springs and dampers of 8e5 N/m and 4e4 N s/m, so that times of 50 microseconds stand beside a motion of
seconds: the problem A05 of the benchmark collection of the University of A Coruna (M. Gonzalez, D. Dopico, U. Lugris,
J. Cuadrado, A benchmarking system for MBS simulation software, Multibody System Dynamics 16, 2006). Shaft and rods are
1 m x 0.01 m x 0.01 m of 3000 kg/m^3, the slider is a cube of 0.1 m, 5 kg hang at each end.

Run it::

    nsdgen run examples/mechanisms/governor.py --plot 'governor.sleeve displacement'

What to look at: the ends are too slow to stay up at 0.16 turns a second; they fall, turn faster, and swing up again,
with the slider after them. The tests compare with three equations of Lagrange.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

GRAVITY, END, HALF = 9.81, 5.0, 0.05
STIFFNESS, DAMPING, LENGTH = 8e5, 4e4, 0.5
OPEN, SPEED = np.pi / 6, 0.16 * 2 * np.pi  # of the rods below the horizontal; of the shaft
ROD = 3000 * 1e-4


def box(name, sides, more=0.0):
    """A cuboid of 3000 kg/m^3 under its weight; ``more`` is a mass at the end of its x, to the centre of both."""
    mass = 3000 * float(np.prod(sides))
    square = np.array(sides) ** 2
    inertia = mass / 12 * (square.sum() - square)
    total, shift = mass + more, more / (mass + more) * sides[0] / 2
    inertia[1:] += mass * shift**2 + more * (sides[0] / 2 - shift) ** 2
    return nsd.RigidBody(name, total, sp.diag(*inertia.tolist())).apply_force([0, 0, -GRAVITY * total]), shift


shaft, slider = box("shaft", [0.01, 0.01, 1])[0], box("slider", [0.1, 0.1, 0.1])[0]
bearing = nsd.Revolute("bearing", nsd.Marker(shaft, [0, 0, -0.5]), nsd.Marker())
sleeve = nsd.Prismatic("sleeve", nsd.Marker(slider), nsd.Marker(shaft, [0, 0, -0.5]))
pins, couplers = [], []
for name, side in (("left", -1), ("right", 1)):
    rod, shift = box(f"{name} rod", [1, 0.01, 0.01], END)
    top = nsd.Marker(shaft, [side * HALF, 0, 0.5], axis=[0, side, 0], reference=[side, 0, 0])
    pins.append(nsd.Revolute(f"{name} pin", nsd.Marker(rod, [-0.5 - shift, 0, 0], [0, 1, 0], [1, 0, 0]), top))
    couplers.append(
        nsd.Spring(
            f"{name} coupler", rod.point([-shift, 0, 0]), slider.point([side * HALF, 0, 0]), STIFFNESS, LENGTH, DAMPING
        )
    )


def make(scheme):
    """The governor under a scheme."""
    return nsd.Model(
        "governor",
        [nsd.Mechanism("governor", [bearing, sleeve, *pins])],
        couplers,
        scheme=scheme,
        step=1e-3,
        end=10.0,
        initial={bearing.rate: SPEED, sleeve.displacement: 0.5, **{pin.angle: OPEN for pin in pins}},
    )


model = make(nsd.MoreauJean(theta=0.5))

if __name__ == "__main__":
    model.run().plot("governor.sleeve displacement", "governor.bearing angle rate", panels="name").save("governor.png")
