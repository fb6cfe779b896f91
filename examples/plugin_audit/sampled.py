"""Sampled controllers and relays: exact steps, first controls, vertices, and what the cases say of their matrices."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, Equal, NonNegative, NonZero

from .common import Family

h, a, b, u, x, t = sp.symbols("h a b u x t", real=True)
q = sp.Rational


def claims() -> list[Claim]:
    """Zero-order hold, PID, observers, sliding modes, relays, the second reference rate, conventions of problems."""
    return [*_held(), *_relays(), *_reference(), *_problems()]


def _held() -> list[Claim]:
    """x' = A x + b + B u with constant b and u; A a number, or the oscillator and the double integrator."""
    drift, gain = sp.symbols("d B", real=True)
    held = Family("zero_order_hold", "luenberger_observer, pid_double_integrator, smc_explicit", {}, {}, "")
    flow = sp.exp(a * t) * x + (sp.exp(a * t) - 1) / a * (drift + gain * u)
    plant, oscillator = sp.Matrix([[0, 1], [0, 0]]), sp.Matrix([[0, 1], [-1, 0]])
    p, i, d, dt = q(1, 4), q(1, 8), 2, q(1, 20)
    pid = Family("pid", "pid_double_integrator, luenberger_observer", {}, {}, "")
    c, matrix, state = (
        sp.Matrix(1, 2, sp.symbols("c0:2", real=True)),
        sp.zeros(2),
        sp.Matrix(sp.symbols("x0:2", real=True)),
    )
    sliding = Family("sliding_mode", "smc_explicit, smc_implicit", {}, {}, "")
    turned = sp.Matrix([[sp.cos(t), sp.sin(t)], [-sp.sin(t), sp.cos(t)]])
    return [
        held.formula(
            "step",
            flow.diff(t),
            a * flow + drift + gain * u,
            "the held step solves the equation",
            assumptions=[NonZero(a)],
        ),
        held.formula("start", flow.subs(t, 0), x, "and starts at x", assumptions=[NonZero(a)]),
        held.formula(
            "double_integrator",
            (sp.eye(2) + plant * t).diff(t),
            plant * (sp.eye(2) + plant * t),
            "exp(A t) of the double integrator",
        ),
        held.formula("oscillator", turned.diff(t), oscillator * turned, "exp(A t) of the oscillator"),
        pid.formula("start", (p + d / dt + i * dt) * -10, q(-4025625, 10**4), "the first control"),
        sliding.formula("equivalent", sp.S.Zero, (c * matrix * state)[0, 0], "no equivalent control, A = 0"),
    ]


def _relays() -> list[Claim]:
    c, g, beta = sp.symbols("c G beta", positive=True)
    spiral = 2 * sp.Matrix([[1, -(1 + c)], [1 + c, 1]])
    chatter = sp.Matrix([[0, 1, 0, 0], [-6, 0, 1, 0], [-4, 0, 0, 1], [-1, 0, 0, 0]])
    xi = sp.Symbol("xi", real=True)
    row, column = sp.Matrix([[1, 0, 0, 0]]), sp.Matrix([0, 1, -2 * xi, xi**2])
    step = h * (row * (sp.eye(4) - h / 2 * chatter).LUsolve(column))[0, 0]
    double = sp.Matrix([[0, 1], [0, 0]])
    push = sp.Matrix([[0, 0], [g, g * beta]])
    implicit = h * (sp.eye(2) - h / 2 * double).inv() * push
    vertex = sp.Matrix([-1, q(-105, 100)])
    unstable = sp.Matrix([[1, 1], [3, 1]])
    twisting = Family("twisting", "twisting", {}, {}, "")
    return [
        Family("filippov", "filippov", {}, {}, "").formula(
            "symmetric", (spiral + spiral.T) / 2, 2 * sp.eye(2), "symmetric part of B"
        ),
        Family("relay", "relay_oscillator_chattering", {}, {}, "").formula(
            "degree", sp.zeros(1, 1), row * column, "C B = 0"
        ),
        Claim(
            "relay/step_matrix.formula",
            step,
            h**2 / 2 + sp.O(h**3),
            source="relay_oscillator_chattering",
            title="h C W^-1 B is h^2 / 2 to its order",
        ),
        twisting.formula("rank", sp.S.Zero, implicit.det(), "the matrix of the step is singular"),
        twisting.formula(
            "vertex",
            sp.ones(2, 1),
            sp.Matrix([-vertex[0], -(vertex[1] - vertex[0] / 20)]),
            "for x > 0 both conditions of the polytope are met with equality",
        ),
        Family("observer", "observer_lcs", {}, {}, "").formula(
            "growth", sp.S.Zero, ((1 + sp.sqrt(3)) * sp.eye(2) - unstable).det(), "1 + sqrt(3) is the growth"
        ),
    ]


def _reference() -> list[Claim]:
    """The second component of the reference of the manipulator, and its rate."""
    period, gain, y, yd = sp.symbols("P gamma2 y yd", real=True)
    speed = sp.Function("y")
    desired = sp.sin(2 * sp.pi * t / period) / 10
    wanted = desired.diff(t) - gain * (speed(t) - desired)
    typed = desired.diff(t, 2) - gain * (yd - desired.diff(t))
    truth = wanted.diff(t).subs(speed(t).diff(t), yd).subs(speed(t), y)
    family = Family("two_link", "two_link_manipulator", {}, {}, "")
    return [
        family.formula(
            "reference_second",
            truth,
            typed,
            "r' is the rate of the reference, second component",
            assumptions=[NonZero(period)],
        )
    ]


def _problems() -> list[Claim]:
    """Conventions of the test problems: condensation, projections, scales."""
    n, k = sp.symbols("n k", integer=True, positive=True)
    mass, rows = sp.MatrixSymbol("M", n, n), sp.MatrixSymbol("H", n, k)
    force, offset, reaction = (sp.MatrixSymbol(s, d, 1) for s, d in (("f", n), ("b", k), ("r", k)))
    inverse = sp.Inverse(mass)
    velocity = inverse * force + inverse * rows * reaction
    z, w, low, high = sp.symbols("z w lb ub", real=True)
    mu, r_n, r_t, s = sp.symbols("mu r_N r_T t", real=True)
    stationary = ((s - r_n) ** 2 + (r_t - mu * s) ** 2).diff(s)
    family = Family("problems", "conformance-problems", {}, {}, "")
    return [
        family.formula(
            "condensed",
            rows.T * velocity + offset,
            rows.T * inverse * rows * reaction + (rows.T * inverse * force + offset),
            "W r + q of the global problem",
        ),
        family.formula("natural_map", z - sp.Max(z - w, 0), sp.Min(z, w), "z - P(z - w) is min(z, w)"),
        family.formula(
            "natural_box",
            sp.Piecewise((z - low, z - w < low), (z - high, z - w > high), (w, True)),
            z - sp.Min(sp.Max(z - w, low), high),
            "the natural map of a box",
            assumptions=[NonNegative(high - low)],
        ),
        family.formula(
            "projection",
            stationary.subs(s, (r_n + mu * r_t) / (1 + mu**2)),
            sp.S.Zero,
            "height of the projection on a cone",
        ),
        Claim(
            "problems/fischer.formula",
            statements=[Equal((z + w - sp.sqrt(z**2 + w**2)).subs(w, 0), z - sp.Abs(z))],
            source=family.case,
            title="the function of Fischer and Burmeister vanishes for z >= 0, w = 0",
        ),
    ]
