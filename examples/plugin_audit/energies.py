"""Masses, inertia terms and forces of the mechanisms against their kinetic and potential energies.

The typed equations are those of Lagrange, some with a row divided by a constant; ``scale`` undoes that. Velocities are
q' of the same generalised coordinates, and internal forces stand on the left of the equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from . import double_pendulum as double
from . import functions
from . import pendulum_on_slider as slider
from . import slider_crank as crank
from . import two_link as robot
from .common import Family

half = sp.Rational(1, 2)
J1, J2, J3 = sp.symbols("J1 J2 J3", positive=True)
m1 = sp.Symbol("m1", positive=True)


def _velocity(position: Sequence[sp.Expr], q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> sp.Matrix:
    return sp.Matrix(position).jacobian(q) * sp.Matrix(v)


def _kinetic(
    bodies: Sequence[tuple[sp.Expr, Sequence[sp.Expr], sp.Expr, sp.Expr]],
    q: Sequence[sp.Symbol],
    v: Sequence[sp.Symbol],
) -> sp.Expr:
    """T of bodies (mass, position of the centre, moment of inertia, angular velocity)."""
    return sum(
        ((m * _velocity(at, q, v).dot(_velocity(at, q, v)) + inertia * spin**2) / 2 for m, at, inertia, spin in bodies),
        sp.S.Zero,
    )


def _terms(kinetic: sp.Expr, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> tuple[sp.Matrix, sp.Matrix]:
    """M = d2T/dv2 and N = (d2T/dv dq) v - dT/dq."""
    momentum = sp.Matrix([kinetic.diff(s) for s in v])
    return momentum.jacobian(v), momentum.jacobian(q) * sp.Matrix(v) - sp.Matrix([kinetic.diff(s) for s in q])


def _mechanism(
    family: Family,
    kinetic: sp.Expr,
    potential: sp.Expr,
    scale: sp.Matrix,
    typed: tuple[sp.Matrix, sp.Matrix, sp.Matrix | None],
    note: str = "",
    coded: Family | None = None,
) -> list[Claim]:
    """Mass, inertia terms and, where given, forces of one mechanism, rows divided by ``scale``; as code too."""
    q, v = family.arguments["q"], family.arguments["velocity"]
    mass, inertia = (scale.inv() * term for term in _terms(kinetic, q, v))
    force = scale.inv() * sp.Matrix([potential.diff(s) for s in q])
    found = [
        family.formula("mass", mass, typed[0], "M from the kinetic energy", note),
        family.formula("inertia", inertia, typed[1], "F_gyr from the kinetic energy", note),
    ]
    if coded is not None:
        found += [
            coded.plugin("mass", mass, "mass", "LagrangianDS.mass", "M from the kinetic energy"),
            coded.plugin("inertia", inertia, "inertia", "LagrangianDS.FGyr", "F_gyr from the kinetic energy"),
        ]
    if coded is not None and typed[2] is not None:
        found.append(coded.plugin("force", force, "force", "LagrangianDS.fInt", "F_int from the potential energy"))
    if typed[2] is not None:
        found.append(family.formula("force", force, typed[2], "F_int from the potential energy", note))
        found.append(family.formula("dF_dv", typed[2].jacobian(v), sp.zeros(len(q)), "dF_int/dv"))
    return found


def claims() -> list[Claim]:
    """Double pendulum, pendulum on a slider, slider-crank, two-link manipulator, woodpecker."""
    return [*_double_pendulum(), *_slider(), *_crank(), *_robot(), *_woodpecker()]


def _double_pendulum() -> list[Claim]:
    (q0, q1), l1, l2, g = double.q, double.l1, double.l2, double.g
    first = (l1 * sin(q0), -l1 * cos(q0))
    second = (first[0] + l2 * sin(q1), first[1] - l2 * cos(q1))
    bodies = [(double.m1, first, 0, 0), (double.m2, second, 0, 0)]
    c = cos(q0 - q1)
    mass = sp.Matrix([[(double.m1 + double.m2) * l1, double.m2 * l2 * c], [double.m2 * l1 * c, double.m2 * l2]])
    return _mechanism(
        double.SYSTEM,
        _kinetic(bodies, double.q, double.v),
        g * (double.m1 * first[1] + double.m2 * second[1]),
        sp.diag(l1, l2),
        (mass, double.INERTIA, double.INTERNAL),
        coded=functions.DOUBLE,
    )


def _slider() -> list[Claim]:
    (q0, q1, q2), m2, length, g = slider.q, slider.m2, slider.l, slider.g
    bob = (q0 + length * sin(q2), q1 - length * cos(q2))
    bodies = [(m1, (q0, q1), 0, 0), (m2, bob, 0, 0)]
    mass = sp.Matrix([[m1 + m2, 0, m2 * length * cos(q2)], [0, 1, 0], [cos(q2), 0, length]])
    return _mechanism(
        slider.SYSTEM,
        _kinetic(bodies, slider.q, slider.v),
        g * (m1 * q1 + m2 * bob[1]),
        sp.diag(1, 1, m2 * length),
        (mass, slider.INERTIA, slider.INTERNAL),
        "the typed equations move the height by itself, with mass 1 and a spring g q1 for the weight",
        functions.SLIDER,
    )


def _crank() -> list[Claim]:
    (q0, q1, _), (v0, v1, v2), l1, l2, g = crank.q, crank.v, crank.l1, crank.l2, crank.g
    m1, m2, m3 = crank.m1, crank.m2, crank.m3

    def along(k: sp.Expr, j: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        return k * l1 * cos(q0) + j * l2 * cos(q1), k * l1 * sin(q0) + j * l2 * sin(q1)

    bodies = [
        (m1, along(half, sp.S.Zero), J1, v0),
        (m2, along(sp.S.One, half), J2, v1),
        (m3, along(sp.S.One, sp.S.One), J3, v2),
    ]
    coupling = crank.K * cos(q1 - q0)
    mass = sp.Matrix(
        [[J1 + (m1 / 4 + m2 + m3) * l1**2, coupling, 0], [coupling, J2 + (m2 / 4 + m3) * l2**2, 0], [0, 0, J3]]
    )
    return _mechanism(
        crank.SYSTEM,
        _kinetic(bodies, crank.q, crank.v),
        g * sum(m * at[1] for m, at, _, _ in bodies),
        sp.eye(3),
        (mass, crank.INERTIA, crank.INTERNAL),
        coded=functions.CRANK,
    )


def _robot() -> list[Claim]:
    (q0, q1), (v0, v1), l1, l2 = robot.q, robot.v, robot.l1, robot.l2
    first = (l1 * cos(q0) / 2, l1 * sin(q0) / 2)
    second = (l1 * cos(q0) + l2 * cos(q0 + q1) / 2, l1 * sin(q0) + l2 * sin(q0 + q1) / 2)
    bodies = [(robot.m1, first, robot.i1, v0), (robot.m2, second, robot.i2, v0 + v1)]
    return _mechanism(
        robot.SYSTEM,
        _kinetic(bodies, robot.q, robot.v),
        sp.S.Zero,
        sp.eye(2),
        (robot.MASS, robot.INERTIA, None),
        coded=functions.ROBOT,
    )


def _woodpecker() -> list[Claim]:
    y, sleeve, bird = q = sp.symbols("y phi_M phi_S", real=True)
    v = sp.symbols("vy wM wS", real=True)
    lm, lg, ms, mm, jm, js, c, g = sp.symbols("l_M l_G m_S m_M J_M J_S c_phi g", positive=True)
    bodies = [(mm, (y,), jm, v[1]), (ms, (y + lm * sleeve + lg * bird,), js, v[2])]
    potential = g * (mm * y + ms * (y + lm * sleeve + lg * bird)) + c * (bird - sleeve) ** 2 / 2
    mass = sp.Matrix(
        [
            [ms + mm, ms * lm, ms * lg],
            [ms * lm, jm + ms * lm**2, ms * lm * lg],
            [ms * lg, ms * lm * lg, js + ms * lg**2],
        ]
    )
    stiffness = sp.Matrix([[0, 0, 0], [0, c, -c], [0, -c, c]])
    weight = -sp.Matrix([(ms + mm) * g, ms * lm * g, ms * lg * g])
    family = Family("woodpecker", "woodpecker", {}, {"q": q, "velocity": v}, "")
    return _mechanism(
        family, _kinetic(bodies, q, v), potential, sp.eye(3), (mass, sp.zeros(3, 1), stiffness * sp.Matrix(q) - weight)
    )
