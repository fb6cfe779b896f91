r"""A pile of discs between two walls: contact with Coulomb friction, one class of kernels for all pairs.

Discs of different sizes, stacked loosely in a box, fall together and come to rest. A disc has a position (x, y) and an
angle phi. Two discs touch where the distance d of their centres is the sum of their radii; with the normal n from the
first to the second and the tangent t, n turned by a right angle, the relative velocity of the points that touch is

.. math:: u_N = n\cdot(v_b - v_a), \qquad u_T = t\cdot(v_b - v_a) - r_a\omega_a - r_b\omega_b .

The impulse lies in Coulomb's cone, :math:`|p_T| \le \mu p_N`: a contact sticks, :math:`u_T = 0`, or slides
with the impulse on the cone's edge, against the motion. Newton's law with e = 0 holds for the normal. Normals are those
of the predicted configuration, so that a step is one linear problem with cones: a pile that jams has many
solutions, and an iteration on the normals could jump between them without end.

**What nsdgen does with it.** The gap is differentiated, the sliding velocity is linear in the velocities and gives the
second row of H. Friction between discs, with the floor and with the two walls are four classes, instances of
them are rows of indices and of radii. Which discs may touch is decided once: pairs that are near each other
at the start. That is right for a pile that only settles; discs that travel far would pass through strangers.

Run it::

    nsdgen run examples/disc_pile.py -p mu=0.5 --record y,'floor *'

What to look at: the sum of the floor's normal impulses becomes the weight of the pile, less what friction on the walls
carries: with mu = 0 it is all of it.
"""

from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

rho, g, r, ra, rb, e, mu, width = sp.symbols("rho g r r_a r_b e mu width", nonnegative=True)
x, y, phi = dynamicsymbols("x y phi")
MEAN = 0.05  # radius, m
ROWS = 10  # of a pile at rest


def grid(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Positions and radii of n discs in rows, every other row shifted; and the width of the box [m]."""
    columns = max(2, round(np.sqrt(n)))
    row, place = np.divmod(np.arange(n), columns)
    pitch = 2.25 * MEAN
    at_x = pitch * (place + 0.5 + 0.45 * (row % 2))
    at_y = pitch * (0.5 + 0.95 * row)
    radii = MEAN * (0.9 + 0.2 * (0.6180339887498949 * np.arange(1, n + 1) % 1.0))  # spread evenly, no random numbers
    return at_x, at_y, radii, float(pitch * (columns + 0.5))


def stack(n: int, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The same for n equal discs that lie in the hollows of the row below, every other row from wall to wall.

    There are at most ``rows`` rows: larger piles are wider, so that no disc bears more than in a pile of a hundred.
    Discs of a row stand two hundredths of a diameter apart. Rows overlap by a nanometre in height, so that no
    contact that bears load is open by rounding.
    """
    columns = max(2, round(np.sqrt(n)), n // rows + 1)
    pitch = 2.04 * MEAN
    pair, place = np.divmod(np.arange(n), 2 * columns - 1)  # a row, and the one in its hollows
    upper = place >= columns
    rise = np.sqrt(4.0 * MEAN**2 - pitch**2 / 4.0) - 1e-9
    at_x = MEAN + pitch * np.where(upper, place - columns + 0.5, place)
    return at_x, (MEAN - 1e-9) + rise * (2 * pair + upper), np.full(n, MEAN), 2.0 * MEAN + pitch * (columns - 1)


def near(at_x: np.ndarray, at_y: np.ndarray, cutoff: float) -> list[tuple[int, int]]:
    """The pairs of discs whose centres are closer than the cutoff, found cell by cell."""
    cells: dict[tuple[int, int], list[int]] = {}
    keys = [(int(a // cutoff), int(b // cutoff)) for a, b in zip(at_x, at_y, strict=True)]
    for i, key in enumerate(keys):
        cells.setdefault(key, []).append(i)
    pairs = []
    for i, (a, b) in enumerate(keys):
        for da, db in product((-1, 0, 1), repeat=2):
            pairs += [
                (i, j)
                for j in cells.get((a + da, b + db), ())
                if i < j and np.hypot(at_x[i] - at_x[j], at_y[i] - at_y[j]) < cutoff
            ]
    return sorted(pairs)


def build(n: int = 50, at_rest: bool = False, rows: int = ROWS) -> nsd.Model:
    """A pile of n discs: let go in a loose grid, or lying at rest in at most so many rows."""
    at_x, at_y, radii, box = stack(n, rows) if at_rest else grid(n)
    mass = rho * sp.pi * r**2
    disc = nsd.LagrangianSystem(
        "disc",
        coordinates=[x, y, phi],
        units=["m", "m", "rad"],
        kinetic=mass * (x.diff() ** 2 + y.diff() ** 2) / 2 + mass * r**2 * phi.diff() ** 2 / 4,
        potential=mass * g * y,
    )
    discs = disc.copies(n, parameters={r: radii}, initial={x: at_x, y: at_y, phi: 0.0})
    a, b = discs[0], discs[-1]
    law = nsd.NewtonImpactFriction(e, mu)

    def against(name: str, gap: sp.Expr, tangent: sp.Expr, which: np.ndarray) -> Any:
        """Contacts of some of the discs with a line; gap and tangent are written for disc 0."""
        contact = nsd.Contact(name, gap=gap, tangent=tangent, law=law)
        return contact.copies(
            np.flatnonzero(which),
            like=a,
            arguments={ra: radii[which]},
            names=[f"{name} {i}" for i in np.flatnonzero(which)],
        )

    x_a, y_a, phi_a, x_b, y_b, phi_b = (d.coordinate(q) for d in (a, b) for q in (x, y, phi))
    cutoff = (3.2 if at_rest else 4.6) * MEAN  # for pairs; walls and floor may touch as deep
    relations = [
        against("floor", y_a - ra, x_a + ra * phi_a, at_y < cutoff),
        against("left wall", x_a - ra, y_a - ra * phi_a, at_x < cutoff),
        against("right wall", width - x_a - ra, y_a + ra * phi_a, at_x > box - cutoff),
    ]
    pairs = near(at_x, at_y, cutoff)
    if pairs:
        distance = nsd.let("distance", sp.sqrt((x_b - x_a) ** 2 + (y_b - y_a) ** 2))
        slide = ((x_b - x_a) * (y_b - y_a).diff() - (y_b - y_a) * (x_b - x_a).diff()) / distance
        touch = nsd.Contact(
            "touch", gap=distance - ra - rb, law=law, tangent=slide - ra * phi_a.diff() - rb * phi_b.diff()
        )
        first, second = np.array(pairs).T
        relations.append(
            touch.copies(
                pairs,
                like=(a, b),
                arguments={ra: radii[first], rb: radii[second]},
                names=[f"touch {i} {j}" for i, j in pairs],
            )
        )
    top = float(at_y.max())
    sketch = nsd.Sketch().line([0, top], [0, 0], [width, 0], [width, top], name="box")
    for one, radius in zip(discs, radii, strict=True):
        sketch.circle([one.coordinate(x), one.coordinate(y)], radius, one.coordinate(phi), name=one.name)
    # One linear problem with cones in a step; a contact that bears load is not lost by rounding of its gap.
    scheme = nsd.MoreauJean(theta=0.5, gradient_at="predicted", activation="hysteresis")
    return nsd.Model(
        "disc_pile",
        systems=[discs],
        relations=relations,
        sketch=sketch,
        scheme=scheme,
        step=1e-3,
        end=1.0,
        parameters={
            rho: nsd.Parameter(1000.0, "kg/m^2", min=1e-9),
            g: nsd.Parameter(9.81, "m/s^2"),
            e: 0.0,
            mu: 0.3,
            width: nsd.Parameter(box, "m"),
        },
        allow_penetration=at_rest,
    )


model = build()

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot([f"disc {i}.y" for i in range(0, 50, 7)]).save("disc_pile.png")
