r"""Andrews' squeezing mechanism: seven bodies in three loops on one crank, with a spring and a constant moment.

A stiff benchmark of small parts: 4 to 70 g, 1e-7 to 2e-5 kg m^2, fifteen turns of the crank in 30 ms (G. C. Andrews and
M. K. Ormrod, Advent, 1986; W. Schiehlen, Multibody Systems Handbook, 1990; data and angles of E. Hairer and G. Wanner,
Solving Ordinary Differential Equations II, section VII.7, and of the Test Set for IVP Solvers, F. Mazzia and
C. Magherini, 2008). Hinges in space hold the plane nine times more than needed.

Only that the second body is in line with the crank, and about where the others are, is said of the start; the search
finds the published angles to rounding.

Run it::

    nsdgen run examples/mechanisms/squeezer.py --plot 'k2-k1 motion.angle'

What to look at: the crank turns faster and faster, and all hinges hold.
"""

import sympy as sp

import nsdgen as nsd

RR, RA, D, DA, SA, SB, SC, SD, SS = 0.007, 0.00092, 0.028, 0.0115, 0.01874, 0.01043, 0.018, 0.02, 0.035
E, EA, ZT, TA, TB, ZF, FA, U, UA, UB = 0.02, 0.01421, 0.04, 0.02308, 0.00916, 0.02, 0.01421, 0.04, 0.01228, 0.00449
A, B, FIXED = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # on the ground
PUBLISHED = {
    "k1": -0.0617138900142764496358948458001,
    "k2": -0.0617138900142764496358948458001,
    "k3": 0.455279819163070380255912382449,
    "k4": 0.222668390165885884674473185609 + 0.487364979543842550225598953530,
    "k5": 0.487364979543842550225598953530,
    "k6": -0.222668390165885884674473185609 + 1.23054744454982119249735015568,
    "k7": 1.23054744454982119249735015568,
}
"""Angles of the bodies at the start [rad]."""
AFTER = {"k1": 15.81077119629904, "k3": 0.04082224013073101, "k5": 0.5244099658805304, "k7": 1.048080741042263}
"""At 0.03 s."""

_ABOUT = {  # mass [kg], inertia about z [kg m^2], about where it is [m], its angle [rad]
    "k1": (0.04325, 2.194e-6, (0.001, 0), 0),
    "k2": (0.00365, 4.410e-7, (-0.005, 0), 0),
    "k3": (0.02373, 5.255e-6, (-0.02, 0.02), 0.5),
    "k4": (0.00706, 5.667e-7, (-0.03, 0.01), 0.7),
    "k5": (0.07050, 1.169e-5, (-0.05, 0.02), 0.5),
    "k6": (0.00706, 5.667e-7, (-0.03, -0.01), 1),
    "k7": (0.05498, 1.912e-5, (-0.06, -0.01), 1),
}


def make(scheme=None, step=1e-5, end=0.03, redundant=True):
    """The mechanism, under a scheme; ``redundant=False``: hinges that close loops hold two coordinates alone."""
    bodies = {
        name: nsd.RigidBody(name, mass, inertia * sp.diag(0.5, 0.6, 1.0))
        for name, (mass, inertia, _, _) in _ABOUT.items()
    }

    def at(name, x, y):
        return nsd.Marker(bodies.get(name), [x, y, 0])

    joined = (
        ("k1", (-RA, 0), "ground", (0, 0)),
        ("k3", (-SB, SA), "ground", B),
        ("k5", (-TA, -TB), "ground", A),
        ("k7", (UB, UA), "ground", A),
        ("k2", (DA, 0), "k1", (RR - RA, 0)),
        ("k4", (0, E - EA), "k5", (ZT - TA, -TB)),
        ("k6", (FA - ZF, 0), "k7", (UB, UA - U)),
        ("k3", (-SB, SA - SS), "k2", (DA - D, 0)),
        ("k4", (0, -EA), "k2", (DA - D, 0)),
        ("k6", (FA, 0), "k2", (DA - D, 0)),
    )
    hinges = {}
    for number, (i, first, j, second) in enumerate(joined):
        name, ends = f"{i}-{j}", (at(i, *first), at(j, *second))
        apart = ends[0].position - ends[1].position
        closes = number >= len(bodies)
        hinges[name] = nsd.Bilateral(name, list(apart)[:2]) if closes and not redundant else nsd.Revolute(name, *ends)
    spring = nsd.Spring("spring", at("k3", SD - SB, SA - SC), at("ground", *FIXED), stiffness=4530, length=0.07785)
    near = {}
    for name, (_, _, place, angle) in _ABOUT.items():
        near |= {bodies[name].position: [*place, 0], bodies[name].quaternion: nsd.from_axis_angle([0, 0, 1], angle)}
    return nsd.Model(
        "squeezer",
        list(bodies.values()),
        [*hinges.values(), spring, hinges["k1-ground"].motor(force=0.033), hinges["k2-k1"].motion()],
        scheme=scheme or nsd.Rattle(),
        step=step,
        end=end,
        initial={hinges["k2-k1"].angle: 0},
        near=near,
    )


model = make()

if __name__ == "__main__":
    print(model.assemble())
    model.run().plot("k2-k1 motion.angle").save("squeezer.png")
