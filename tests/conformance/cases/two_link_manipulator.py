"""A two-link manipulator whose controller tracks a circle; in the three seconds of the table nothing is touched."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import T_K

from ..case import Array, Case, Column
from ..supplied import Supplied, iterated, rule_of

L, PULL, LAG, PERIOD, PI = 0.5, 8, 7, 10, 3.14159265  # lengths, gains, period of the circle
t = nsd.time
a, b = dynamicsymbols("a b")
u, w = a.diff(), b.diff()
coupling = 1 + L**2 / 4 + L**2 * sp.cos(b) / 2
mass = sp.Matrix([[2 + L**2 * (1.5 + sp.cos(b)), coupling], [coupling, 1 + L**2 / 4]])
gyroscopic = L**2 * sp.sin(b) * sp.Matrix([-(u * w + w**2 / 2), u**2 / 2])
hand = L * sp.Matrix([sp.cos(a) + sp.cos(a + b), sp.sin(a) + sp.sin(a + b)])
H = hand.jacobian([a, b])
inverse = sp.Matrix([[sp.cos(a + b), sp.sin(a + b)], [-sp.cos(a) - sp.cos(a + b), -sp.sin(a) - sp.sin(a + b)]]) / (
    L * sp.sin(b)
)
wanted = sp.Matrix([0.65 + 0.1 * sp.cos(2 * PI * t / PERIOD), 0.1 * sp.sin(2 * PI * t / PERIOD)])
rate = H * sp.Matrix([u, w])
aim = wanted.diff(t) - LAG * (hand - wanted)
aim_rate = wanted.diff(t, 2) - LAG * (rate - wanted.diff(t))
steer = inverse * aim
correction = L**2 * sp.sin(b) * sp.Matrix([-w * (steer[0] + steer[1] / 2), u * steer[0] / 2])
internal = -(mass * (inverse * aim_rate + inverse.diff(t) * aim) + correction - PULL * H.T * (rate - aim))


def slopes(q: sp.Matrix, v: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """The published derivatives in the velocities; those in the positions, times h^2, are left out."""
    x, y = hand
    (g11, g12), (g21, g22) = H.tolist()
    (a11, a12), (a21, a22) = (mass * inverse).tolist()
    s = L**2 * sp.sin(b)
    damping = sp.Matrix(
        [
            [
                LAG * (a12 * x - a11 * y) + PULL * (g22 * x - g11 * y) - s * w,
                LAG * (a11 * g12 + a12 * g22) + PULL * (g11 * g12 + g21 * g22) + s * (steer[0] + steer[1] / 2 - u - w),
            ],
            [
                LAG * (a22 * x - a21 * y) + PULL * (g22 * x - g12 * y) + s * (u - steer[0] / 2),
                LAG * (a21 * g12 + a22 * g22) + PULL * (g12**2 + g22**2),
            ],
        ]
    )
    return sp.zeros(2), damping.xreplace({u: v[0], w: v[1]}).xreplace({a: q[0], b: q[1], t: T_K})


def late(formula: sp.Expr) -> Column:
    """A row of the table is written before the step that ends there: it holds the state one step earlier."""
    symbols = sp.symbols("a b u w t")
    of = sp.lambdify(
        symbols,
        formula.xreplace({u: symbols[2], w: symbols[3]}).xreplace({a: symbols[0], b: symbols[1], t: symbols[4]}),
    )

    def column(run: nsd.Trajectory) -> Array:
        before = [0, *range(len(run) - 1)]
        return of(*(run[name][before] for name in ("a", "b", "a_dot", "b_dot")), run.time[before])

    return column


arm = nsd.LagrangianSystem("arm", [a, b], mass=mass, internal=list(gyroscopic + internal))
model, exact = (
    nsd.Model("two_link_manipulator", [arm], step=1e-4, end=3, initial={a: 0.9, b: -1.6}, scheme=scheme)
    for scheme in (
        Supplied(theta=0.500001, slopes=slopes, **iterated(1e-8, 20000)),
        nsd.MoreauJean(theta=0.500001, **iterated(1e-13)),
    )
)
formulas = {
    "q[0]": a,
    "q[1]": b,
    "v[0]": u,
    "v[1]": w,
    "gap of contact 02": hand[1],
    "x of the end effector (gap of contact 01 minus 2)": hand[0],
}
case = Case(
    model,
    {name: late(formula) for name, formula in formulas.items()},
    tolerance=1e-8,
    rule=f"{rule_of(1e-8)}, with the published Newton matrix",
    exact=exact,
)
