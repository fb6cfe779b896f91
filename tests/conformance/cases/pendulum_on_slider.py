"""A pendulum on a slider that slides with friction between two stops."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case
from ..supplied import Supplied, iterated, rule_of

g = 9.81
x, y, a = dynamicsymbols("x y a")  # slider, its height, angle of the pendulum
system = nsd.LagrangianSystem(
    "system",
    [x, y, a],
    mass=[[2, 0, sp.cos(a)], [0, 1, 0], [sp.cos(a), 0, 1]],
    internal=[-(a.diff() ** 2) * sp.sin(a), g * y, g * sp.sin(a)],
)
floor = nsd.Contact("floor", gap=y, tangent=x.diff(), law=nsd.NewtonImpactFriction(0.5, 0.8))
right = nsd.Contact("right", gap=0.25 - x - 0.0125, law=nsd.NewtonImpact(0.5))
left = nsd.Contact("left", gap=x - 0.0125, law=nsd.NewtonImpact(0.5))


def slopes(q: sp.Matrix, v: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """As published: the derivatives of the gyroscopic term stand in the row of the pendulum, with its sign."""
    return (
        sp.Matrix([[0, 0, 0], [0, g, 0], [-(v[2] ** 2) * sp.cos(q[2]), 0, g * sp.cos(q[2])]]),
        sp.Matrix([[0, 0, 0], [0, 0, 0], [-2 * v[2] * sp.sin(q[2]), 0, 0]]),
    )


def pendulum(scheme: nsd.MoreauJean) -> nsd.Model:
    """Three seconds of it."""
    return nsd.Model(
        "pendulum_on_slider",
        [system],
        [floor, right, left],
        scheme=scheme,
        step=1e-3,
        end=3,
        initial={x: 0.1, y: 0, a: 0.1, x.diff(): 2},
    )


options = iterated(1e-10, 200, activation_gamma=1)
case = Case(
    pendulum(Supplied(**options, slopes=slopes)),
    {
        "q[0]": "x",
        "q[1]": "y",
        "q[2]": "a",
        "v[0]": "x_dot",
        "v[1]": "y_dot",
        "v[2]": "a_dot",
        "y1(0)[0]": "floor.gap",
        "y2(0)[0]": "right.gap",
        "y3(0)[0]": "left.gap",
    },
    f"{rule_of(1e-10)}, with the published Newton matrix",
    exact=pendulum(nsd.MoreauJean(**options)),
    unset=("y2(0)[0]", "y3(0)[0]"),
    tolerance=1e-9,
)
