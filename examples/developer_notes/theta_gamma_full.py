"""The full theta-gamma scheme, whose relation is evaluated at t_{k+gamma}: its linearisation, formula by formula.

Scheme: M (x - x_k) - h theta f(x, t_{k+1}) - h (1 - theta) f_k - h r_{k+gamma} = 0, with y and r at k + gamma, that is
at t_{k+gamma}, x_{k+gamma} = gamma x + (1 - gamma) x_k, lambda_{k+gamma}. Derivatives are taken of explicit functions
of two states and multipliers, the algebra is multiplied out with abstract matrices. Names as in ``theta_gamma``; the
suffixes ``_g`` and ``_1`` stand for k + gamma and k + 1. Sources: N11 are the 2011 notes, NL their long form.
"""

from __future__ import annotations

from types import SimpleNamespace

import sympy as sp
from sympy import Function, MatrixExpr, MatrixSymbol, Symbol, ZeroMatrix

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Fails,
    Invertible,
    Mend,
    NonNegative,
    Positive,
    Zero,
    derivative,
    directional_derivative,
    vector,
)

__all__ = ["claims"]

n, m = (Symbol(name, integer=True, positive=True) for name in ("n", "m"))
h, theta, gamma, t_k, t_1 = (Symbol(name, real=True) for name in ("h", "theta", "gamma", "t_k", "t_1"))
STEP = (Positive(h), NonNegative(gamma, 1 - gamma))  # what the section assumes of its scalars
t_g = gamma * t_1 + (1 - gamma) * t_k

W = MatrixSymbol("W", n, n)
B_g, B_1 = MatrixSymbol("B_g", n, m), MatrixSymbol("B_1", n, m)
C_g, C_1 = MatrixSymbol("C_g", m, n), MatrixSymbol("C_1", m, n)
D_g, D_1 = MatrixSymbol("D_g", m, m), MatrixSymbol("D_1", m, m)
x_a, x_new, x_k, g_a, r_g, r_1, r_k, R_free = (
    MatrixSymbol(name, n, 1) for name in ("x_a", "x_new", "x_k", "g_a", "r_g", "r_1", "r_k", "R_free")
)
h_a, y_a, lam_g, lam_1, lam_ga, lam_1a = (
    MatrixSymbol(name, m, 1) for name in ("h_a", "y_a", "lambda_g", "lambda_1", "lambda_ga", "lambda_1a")
)


# --- the truth ----------------------------------------------------------------------------------------------------


def standard_state(r: MatrixExpr, weight: sp.Expr | int) -> MatrixExpr:
    """The state of the linearised standard scheme for the input r (proved in TG-01 to TG-03)."""
    return x_a - W.inv() * (R_free - h * weight * r - h * (1 - weight) * r_k)


def state(r: MatrixExpr) -> MatrixExpr:
    """The zero of the linearised first line, R_free - h r + W (x - x_a), for the input r of iterate alpha + 1."""
    return sp.expand(x_a - W.inv() * (R_free - h * r)).doit()


def state_of_multiplier(multiplier: MatrixExpr) -> MatrixExpr:
    """The same with the linearised input g + B (lambda - lambda^alpha), all at k + gamma."""
    return state(g_a + B_g * (multiplier - lam_ga))


def tangent_output(x: MatrixExpr, multiplier: MatrixExpr) -> MatrixExpr:
    """The output at k + gamma: x_{k+gamma} moves by gamma times the move of x_{k+1}."""
    return h_a + gamma * C_g * (x - x_a) + D_g * (multiplier - lam_ga)


x_free = x_a - W.inv() * R_free
x_p = h * W.inv() * (g_a - B_g * lam_ga) + x_free


def _explicit() -> SimpleNamespace:
    """Two states and multipliers with unknown functions."""
    x, xk, r, z, y, multiplier = (vector(name, 2) for name in ("x", "xk", "r", "z", "y", "lambda"))
    fk = vector("fk", 2)
    mass = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"M{i + 1}{j + 1}", real=True))
    f = sp.Matrix([Function(f"f{i}")(*x, t_1) for i in (1, 2)])
    at_z = {zi: gamma * xi + (1 - gamma) * ki for zi, xi, ki in zip(z, x, xk, strict=True)}
    return SimpleNamespace(
        x=x,
        xk=xk,
        r=r,
        z=z,
        y=y,
        l=multiplier,
        mass=mass,
        f=f,
        at_z=at_z,
        free=mass * (x - xk) - h * theta * f - h * (1 - theta) * fk,
        dx=vector("dx", 2),
        dr=vector("dr", 2),
        dl=vector("dlambda", 2),
        dy=vector("dy", 2),
    )


def output(time: sp.Expr) -> sp.Matrix:
    """The output map at z = x_{k+gamma} and the given time."""
    return sp.Matrix([Function(f"h{i}")(time, *E.z, *E.l) for i in (1, 2)])


def input_(time: sp.Expr) -> sp.Matrix:
    """The input map g(lambda, t)."""
    return sp.Matrix([Function(f"g{i}")(*E.l, time) for i in (1, 2)])


E = _explicit()
_whole = E.free - h * E.r
_W = E.mass - h * theta * derivative(E.f, E.x)
_y_residual = E.y - output(t_g).subs(E.at_z)
_C = derivative(output(t_g), E.z).subs(E.at_z)
_D = derivative(output(t_g), E.l).subs(E.at_z)

# --- the linear case ----------------------------------------------------------------------------------------------

_linear = {g_a: B_g * lam_ga}  # r = B lambda, so that g at the iterate is B lambda^alpha
x_g = gamma * x_a + (1 - gamma) * x_k

_zero = ZeroMatrix(m, 1)
_y_constant = sp.expand(tangent_output(state_of_multiplier(_zero), _zero)).doit()
_y_linear = sp.expand(tangent_output(state_of_multiplier(lam_g), lam_g) - _y_constant).doit()

claims: tuple[Claim, ...] = (
    Claim(
        "TG-24",
        title="full scheme: linearised dynamics",
        source="N11 eqs (8.66)-(8.72), (8.74); NL lines 1819-1891",
        assumptions=[Invertible(W)],
        statements=(
            Equal(derivative(_whole, E.x), _W),
            Equal(
                _whole + directional_derivative(_whole, E.x, E.dx) + directional_derivative(_whole, E.r, E.dr),
                E.free - h * (E.r + E.dr) + _W * E.dx,
            ),
            Equal(state(0 * r_g), x_free),
            Zero(R_free - h * r_g + W * (state(r_g) - x_a)),
        ),
    ),
    Claim(
        "TG-25",
        state(r_g),
        h * W.inv() * r_1 + x_free,
        [Invertible(W), *STEP],
        title="full scheme: state as a function of the input",
        source="N11 eq (8.73); NL line 1885",
        note="The long form prints the index gamma+1.",
        mend=Mend("r_{k+gamma}, as in (8.72)", state(r_g), h * W.inv() * r_g + x_free, slip="wrong evaluation point"),
    ),
    Claim(
        "TG-26",
        title="full scheme: linearised output",
        source="N11 eqs (8.75)-(8.77), (8.79); NL lines 1908-1946",
        statements=(
            Equal(
                _y_residual
                + directional_derivative(_y_residual, E.x, E.dx)
                + directional_derivative(_y_residual, E.l, E.dl)
                + directional_derivative(_y_residual, E.y, E.dy),
                _y_residual + E.dy - gamma * _C * E.dx - _D * E.dl,
            ),
            Equal(
                tangent_output(x_new, lam_g), y_a - (y_a - h_a) + gamma * C_g * (x_new - x_a) + D_g * (lam_g - lam_ga)
            ),
        ),
        note="C and D at t_{k+gamma}; the index k+1 that some lines give them is TG-31's matter, their time TG-27's.",
    ),
    Claim(
        "TG-27",
        title="full scheme: Jacobians of the output map",
        source="N11 eq (8.78); NL lines 1937-1938",
        statements=(
            Equal(derivative(output(t_g), E.z), derivative(output(t_1), E.z)),
            Equal(derivative(output(t_g), E.l), derivative(output(t_1), E.l)),
        ),
        note="z stands for x_{k+gamma}. Compared with the derivatives of the output map of (8.75), which is taken "
        "at t_{k+gamma}.",
        mend=Mend(
            "t_{k+gamma} in place of t_{k+1}",
            statements=(
                Equal(derivative(output(t_g), E.z), derivative(output(t_1), E.z).subs(t_1, t_g)),
                Equal(derivative(output(t_g), E.l), derivative(output(t_1), E.l).subs(t_1, t_g)),
            ),
            slip="wrong evaluation point",
        ),
    ),
    Claim(
        "TG-28",
        title="full scheme: linearised input",
        source="N11 eqs (8.81)-(8.84); NL lines 1967-1995",
        left=input_(t_g) + directional_derivative(input_(t_g), E.l, E.dl),
        right=input_(t_g) - derivative(input_(t_g), E.l) * E.l + derivative(input_(t_g), E.l) * (E.l + E.dl),
    ),
    Claim(
        "TG-29",
        E.r - input_(t_g),
        E.r - input_(t_1),
        title="full scheme: residual of the input",
        source="N11 eq (8.80); NL line 1961",
        note="r is r_{k+gamma}, which the scheme (8.66) takes from g at t_{k+gamma}.",
        mend=Mend("t_{k+gamma}", E.r - input_(t_g), (E.r - input_(t_1)).subs(t_1, t_g), slip="wrong evaluation point"),
    ),
    Claim(
        "TG-30",
        state_of_multiplier(lam_g),
        x_p + h * W.inv() * B_g * lam_g,
        [Invertible(W)],
        title="full scheme: state as a function of lambda",
        source="N11 eqs (8.85)-(8.87); NL lines 2011-2028",
    ),
    Claim(
        "TG-31",
        title="full scheme: output as a function of lambda",
        source="N11 eqs (8.88)-(8.91); NL lines 2040-2054",
        assumptions=[Invertible(W), *STEP],
        statements=(
            Equal(_y_linear, (h * gamma * C_g * W.inv() * B_1 + D_1) * lam_1),
            Equal(_y_constant, h_a + gamma * C_1 * (x_p - x_a) - D_1 * lam_1a),
        ),
        note="What (8.86) inserted into (8.77) gives, y_{k+gamma}, against the lines with their indices k+1 of y, "
        "B, C, D and lambda.",
        mend=Mend(
            "k + gamma for all of them",
            statements=(
                Equal(_y_linear, (h * gamma * C_g * W.inv() * B_g + D_g) * lam_g),
                Equal(_y_constant, h_a + gamma * C_g * (x_p - x_a) - D_g * lam_ga),
            ),
            slip="wrong evaluation point",
        ),
    ),
    Claim(
        "TG-32",
        title="full scheme: linear case",
        source="N11 eq (8.92); NL lines 2061-2065",
        assumptions=[Invertible(W)],
        statements=(
            Equal(x_p.subs(_linear), x_free),
            Equal(
                C_g * x_g + D_g * lam_ga + gamma * C_g * (x_p.subs(_linear) - x_a) - D_g * lam_ga,
                C_g * ((1 - gamma) * x_k + gamma * x_free),
            ),
            Fails(Equal(D_g * lam_ga - D_g * lam_1a, _zero)),
        ),
        note="lambda^alpha is the iterate of lambda_{k+gamma}, the only multiplier of (8.77). The line prints k+1 on "
        "the subtracted one: with lambda_{k+1} the D terms would not cancel (third statement; the index slip of "
        "TG-31). F z + e of the linear output is left out throughout.",
    ),
    Claim(
        "TG-33",
        title="full scheme as the standard one with gamma=1",
        source="NL lines 1895-1897 and 1948-1950",
        assumptions=[Invertible(W)],
        statements=(
            Equal(state(r_g), standard_state(r_g, 1)),
            Equal(x_free, standard_state(0 * r_g, 1)),
            Equal(
                tangent_output(x_new, lam_g),
                h_a + C_g * ((gamma * x_new + (1 - gamma) * x_k) - x_g) + D_g * (lam_g - lam_ga),
            ),
        ),
        note="y and t are read as replaced along with x and lambda; y^alpha cancels.",
    ),
    Claim(
        "TG-34",
        title="starting input of the full scheme",
        source="NL eq full-NL7 (line 1831)",
        left=(1 - gamma) * r_k + gamma * r_1,
        right=r_k,
        assumptions=[Equation(r_1, r_k, "r^0_{k+1} = r_k")],
    ),
    Claim(
        "TG-35",
        x_p.subs(_linear) - x_a,
        (1 - gamma) * x_k + gamma * x_free,
        [Invertible(W), *STEP],
        title="quantity x_q stored for the linear case",
        source="N11 eq (8.91) and after (8.92); NL line 2072",
        note="Two values of one quantity: C times the second is y_p itself, (8.92).",
        mend=Mend(
            "x_q = x_free - x_a, or another name for (1 - gamma) x_k + gamma x_free = x_{k+gamma}^alpha + gamma x_q",
            statements=(
                Equal(x_p.subs(_linear) - x_a, x_free - x_a),
                Equal((1 - gamma) * x_k + gamma * x_free, x_g + gamma * (x_free - x_a)),
            ),
            slip="extra factor",
        ),
    ),
)
