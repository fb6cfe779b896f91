"""Controllers: what the manipulator's feedback stores and uses, sampled sliding modes, a PID, an observer."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim, Equal, NonZero

from . import two_link as robot
from .common import Family

s1, s2, r1, r2, e0, e1, g, P, t = sp.symbols("s1 s2 r1 r2 e0 e1 g P t", real=True)


def claims() -> list[Claim]:
    """The manipulator, sliding modes, PID, observers."""
    return [*_manipulator(), *_sliding_modes(), *_pid(), *_observer()]


def _coupling(e: sp.Matrix) -> sp.Matrix:
    """k(q, v, e): the term C(q, v) e of the controller as it was typed."""
    k = robot.m2 * robot.l1 * robot.l2 * sin(robot.q1)
    return k * sp.Matrix([-robot.v1 * (e[0] + e[1] / 2), robot.v0 * e[0] / 2])


def _manipulator() -> list[Claim]:
    q, v, system = robot.q, sp.Matrix(robot.v), robot.SYSTEM
    away, s, e = [NonZero(sin(robot.q1))], sp.Matrix([s1, s2]), sp.Matrix([e0, e1])
    rate = robot.MASS.diff(q[0]) * v[0] + robot.MASS.diff(q[1]) * v[1]
    a, d = robot.MASS * robot.D, robot.D
    stored = (
        s1**2 * (d[0, 0] * a[0, 0] + d[1, 0] * a[1, 0])
        + 2 * s1 * s2 * (d[0, 1] * a[0, 0] + d[1, 1] * a[1, 0])
        + s2**2 * (d[0, 1] * a[0, 1] + d[1, 1] * a[1, 1])
    ) / 2
    height = (
        robot.m1 * robot.l1 * sin(q[0]) / 2 + robot.m2 * (robot.l1 * sin(q[0]) + robot.l2 * sin(q[0] + q[1]) / 2)
    ) * g
    weight = sp.Matrix(
        [
            g * (robot.l1 * cos(q[0]) * (robot.m2 + robot.m1 / 2) + robot.m2 * robot.l2 * cos(q[0] + q[1]) / 2),
            g * robot.m2 * robot.l2 * cos(q[0] + q[1]) / 2,
        ]
    )
    passive = (e.T * rate * e / 2)[0, 0]
    return [
        system.formula("coupling", robot.INERTIA, _coupling(v), "C(q, v) v is F_gyr"),
        system.formula(
            "passivity",
            passive,
            (e.T * _coupling(e))[0, 0],
            "e (M'/2 - C) e = 0",
            note="what the Lyapunov function of the controller needs of C(q, v) e",
        ),
        system.formula(
            "energy", (s.T * d.T * robot.MASS * d * s)[0, 0] / 2, stored, "V1 = s D^T M D s / 2", assumptions=away
        ),
        system.formula("weight", sp.Matrix([height.diff(x) for x in q]), weight, "gravity in the stored torques"),
        _reference_rate(),
    ]


def _reference_rate() -> Claim:
    """r' against the time derivative of r along the motion, for the first component; the second is alike."""
    speed, place = sp.Function("x"), robot.c2
    desired = sp.Rational(13, 20) + cos(2 * sp.pi * t / P) / 10
    wanted = desired.diff(t) - place * (speed(t) - desired)
    x, xd = sp.symbols("x xd", real=True)
    typed = desired.diff(t, 2) - place * (xd - desired.diff(t))
    truth = wanted.diff(t).subs(speed(t).diff(t), xd).subs(speed(t), x)
    return robot.SYSTEM.formula(
        "reference", truth, typed, "r' is the rate of the reference velocity", assumptions=[NonZero(P)]
    )


def _sliding_modes() -> list[Claim]:
    """u such that sigma vanishes after one period of x' = B u + d, with d estimated by the last prediction."""
    x, before, c, b = (sp.Matrix(sp.symbols(f"{n}0:2", real=True)) for n in ("x", "xhat", "c", "b"))
    period = sp.Symbol("H", positive=True)
    family = Family("sliding_mode", "smc_implicit, smc_implicit_ot2", {}, {}, "")
    known = {c[0]: 0, c[1]: 1, b[0]: 0, b[1]: 2}
    sigma = (c.T * x)[0, 0]
    reached = sigma + (c.T * b)[0, 0] * period * (-sigma / (2 * period))
    predicted = (c.T * (x + x - before))[0, 0]
    typed = -predicted / (sum(c) * period)
    right = -predicted / ((c.T * b)[0, 0] * period)
    return [
        family.formula("implicit", reached.subs(known), sp.S.Zero, "sigma after a period, inside the bounds"),
        family.formula(
            "predicted",
            right.subs(known),
            typed.subs(known),
            "control with a predicted disturbance",
            note="s_c is the sum of the entries of c (1), where c B (2) belongs",
        ),
    ]


def _pid() -> list[Claim]:
    """u_j - u_{j-1} of P e + I sum e dt + D (difference of e) / dt."""
    p, i, d = sp.symbols("P I D", real=True)
    dt, period = sp.symbols("D_t H", positive=True)
    e = sp.symbols("e0:3", real=True)  # the newest first

    def increment(step: sp.Expr) -> sp.Expr:
        return p * (e[0] - e[1]) + i * step * e[0] + d * (e[0] - 2 * e[1] + e[2]) / step

    typed = (p + d / dt + i * dt) * e[0] - (p + 2 * d / dt) * e[1] + d / dt * e[2]
    numbers = {p: sp.Rational(1, 4), i: sp.Rational(1, 8), d: 2, dt: sp.Rational(1, 20), period: sp.Rational(1, 10)}
    plant = Family("pid", "pid_double_integrator", {}, {}, "")
    observed = Family("pid", "luenberger_observer", {}, {}, "")
    return [
        plant.formula("increment", increment(dt), typed, "the incremental form"),
        observed.formula(
            "period",
            increment(period).subs(numbers),
            typed.subs(numbers),
            "the increment at the period of the controller",
            note="the controller acts every 0.1 and is given D_t = 0.05",
        ),
    ]


def _observer() -> list[Claim]:
    a, gain, g2 = sp.Matrix([[1, 1], [3, 1]]), sp.Matrix([1, 1]), sp.Matrix([[2, 2]])
    z = sp.Matrix(sp.symbols("z0:2", real=True))
    family = Family("observer", "observer_lcs", {}, {}, "")
    return [
        Claim(
            "observer/matrix.formula",
            statements=[
                Equal(a - gain * g2, sp.Matrix([[-1, -1], [1, -1]])),
                Equal(gain * g2 * z, 2 * (z[0] + z[1]) * sp.ones(2, 1)),
            ],
            title="A - L G and L G z",
            source=family.case,
        )
    ]
