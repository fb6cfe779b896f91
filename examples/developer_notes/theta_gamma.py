"""The standard theta-gamma scheme of first-order systems: its Newton linearisation, formula by formula.

Scheme: M (x - x_k) - h theta f(x) - h (1 - theta) f_k - h gamma r - h (1 - gamma) r_k = 0, y = h(x, lambda),
r = g(x, lambda), all at t_{k+1}. What the notes derive by hand is computed here in two ways: derivatives are taken
of explicit two-dimensional functions, and the linear algebra that follows is multiplied out with abstract matrices,
so that it holds for every number of states n and of multipliers m.

Iterate alpha is written ``x_a``, ``lam_a`` ...; iterate alpha + 1 ``x_new``, ``lam`` ...; g and h at iterate alpha
``g_a`` and ``h_a``; ``r`` is the input of iterate alpha + 1. Sources: N11 are the 2011 notes, NL their long form.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import sympy as sp
from sympy import Function, Identity, MatrixExpr, MatrixSymbol, Symbol, ZeroMatrix

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Invertible,
    Mend,
    NonNegative,
    Positive,
    Reading,
    Zero,
    derivative,
    directional_derivative,
    vector,
)

__all__ = ["claims"]

n, m = (Symbol(name, integer=True, positive=True) for name in ("n", "m"))
h, theta, gamma = (Symbol(name, real=True) for name in ("h", "theta", "gamma"))
STEP = (Positive(h), NonNegative(theta, 1 - theta, gamma, 1 - gamma))  # what the section assumes of its scalars

W, A, K, Khat = (MatrixSymbol(name, n, n) for name in ("W", "A", "K", "Khat"))
B, C, D = MatrixSymbol("B", n, m), MatrixSymbol("C", m, n), MatrixSymbol("D", m, m)
x_a, x_new, x_k, g_a, r, r_k, R_free, b = (
    MatrixSymbol(name, n, 1) for name in ("x_a", "x_new", "x_k", "g_a", "r", "r_k", "R_free", "b")
)
y_a, h_a, lam, lam_a, lam_k, Fz_e = (
    MatrixSymbol(name, m, 1) for name in ("y_a", "h_a", "lambda", "lambda_a", "lambda_k", "Fz_e")
)
I_n = Identity(n)


# --- the truth: the scheme, its tangent and the zero of the tangent -----------------------------------------------


def written_out(expression: MatrixExpr) -> MatrixExpr:
    """The products multiplied out, so that corrections read like the formulas."""
    return sp.expand(expression).doit()


def state(r: MatrixExpr) -> MatrixExpr:
    """The zero of the tangent of the residual at iterate alpha, for the input r of iterate alpha + 1.

    The tangent is R_free - h gamma r - h (1 - gamma) r_k + W (x - x_a): TG-01 proves that.
    """
    return written_out(x_a - W.inv() * (R_free - h * gamma * r - h * (1 - gamma) * r_k))


def tangent_input(x: MatrixExpr, multiplier: MatrixExpr) -> MatrixExpr:
    """g, linearised at iterate alpha."""
    return g_a + K * (x - x_a) + B * (multiplier - lam_a)


def tangent_output(x: MatrixExpr, multiplier: MatrixExpr) -> MatrixExpr:
    """The output map, linearised at iterate alpha."""
    return h_a + C * (x - x_a) + D * (multiplier - lam_a)


#: K with Khat = I - h gamma W^-1 K as the given matrix; gamma = 0, where Khat = I, is a statement of TG-09.
K_of_Khat = W * (I_n - Khat) / (h * gamma)


def state_of_multiplier(multiplier: MatrixExpr) -> MatrixExpr:
    """The state when the linearised input, which depends on the state, is inserted: K eliminated for Khat.

    The Jacobian of the residual is then W - h gamma K = W Khat: the first statement of TG-09 proves this zero.
    """
    start = R_free - h * gamma * (g_a + B * (multiplier - lam_a)) - h * (1 - gamma) * r_k
    return written_out(x_a - Khat.inv() * W.inv() * start)


def state_type2(multiplier: MatrixExpr) -> MatrixExpr:
    """The state when the input depends on the multiplier only."""
    return state(g_a + B * (multiplier - lam_a))


def constant_and_linear(output: Callable[[MatrixExpr], MatrixExpr]) -> tuple[MatrixExpr, MatrixExpr]:
    """An affine function of the multiplier as its value at zero and the rest, at ``lam``."""
    at_zero = written_out(output(ZeroMatrix(m, 1)))
    return at_zero, written_out(output(lam) - at_zero)


# --- what the notes define ----------------------------------------------------------------------------------------

x_free = x_a - W.inv() * (R_free - h * (1 - gamma) * r_k)
x_p = h * gamma * W.inv() * (g_a - B * lam_a - K * x_a) + x_free
x_p_type2 = h * gamma * W.inv() * (g_a - B * lam_a) + x_free
R_y = y_a - h_a


def _explicit() -> SimpleNamespace:
    """A scheme with two states and two multipliers whose functions are unknown: the ground of the derivatives."""
    time = sp.Symbol("t_1", real=True)
    x, multiplier, y, r = (vector(name, 2) for name in ("x", "lambda", "y", "r"))
    xk, fk, rk = (vector(name, 2) for name in ("xk", "fk", "rk"))
    dx, dl, dy, dr = (vector(name, 2) for name in ("dx", "dlambda", "dy", "dr"))
    mass = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"M{i + 1}{j + 1}", real=True))
    f = sp.Matrix([Function(f"f{i}")(*x, time) for i in (1, 2)])
    output = sp.Matrix([Function(f"h{i}")(time, *x, *multiplier) for i in (1, 2)])
    input_ = sp.Matrix([Function(f"g{i}")(*x, *multiplier, time) for i in (1, 2)])
    input2 = sp.Matrix([Function(f"g{i}")(time, *multiplier) for i in (1, 2)])
    free = mass * (x - xk) - h * theta * f - h * (1 - theta) * fk
    whole = free - h * gamma * r - h * (1 - gamma) * rk

    def tangent(expression: sp.MatrixBase, *moves: tuple[sp.MatrixBase, sp.MatrixBase]) -> sp.MatrixBase:
        """The expression at the iterate plus its derivative along the moves (variables, increments)."""
        return expression + sum((directional_derivative(expression, v, d) for v, d in moves), sp.zeros(2, 1))

    return SimpleNamespace(
        x=x,
        l=multiplier,
        y=y,
        r=r,
        dx=dx,
        dl=dl,
        dy=dy,
        dr=dr,
        xk=xk,
        rk=rk,
        mass=mass,
        f=f,
        output=output,
        input=input_,
        input2=input2,
        free=free,
        whole=whole,
        tangent=tangent,
        time=time,
    )


E = _explicit()
_W = E.mass - h * theta * derivative(E.f, E.x)
_C, _D = derivative(E.output, E.x), derivative(E.output, E.l)
_K, _B = derivative(E.input, E.x), derivative(E.input, E.l)
_B2 = derivative(E.input2, E.l)

_input_at_theta = E.input.subs(
    {xi: theta * xi + (1 - theta) * ki for xi, ki in zip(E.x, E.xk, strict=True)}, simultaneous=True
)


# --- the linear case: f = A x + b, y = C x + D lambda + F z + e, r = B lambda, gamma = 1 ---------------------------

M_lin = W + h * theta * A  # W = M - h theta A with W as the given matrix


def free_residual_linear(x: MatrixExpr) -> MatrixExpr:
    """R_free of f(x) = A x + b, b constant."""
    return M_lin * (x - x_k) - h * theta * A * x - h * (1 - theta) * A * x_k - h * b


def state_linear(r: MatrixExpr) -> MatrixExpr:
    """The state of the linear scheme: the zero of the residual, which is its own tangent."""
    return written_out(x_a - W.inv() * (free_residual_linear(x_a) - h * gamma * r - h * (1 - gamma) * r_k))


_y_constant, _y_linear = constant_and_linear(lambda l: tangent_output(state_of_multiplier(l), l))
_y2_constant, _y2_linear = constant_and_linear(lambda l: tangent_output(state_type2(l), l))


_known = M_lin * x_k + h * (1 - theta) * A * x_k + h * b
_x_free_linear = W.inv() * _known

_W_NOTE = "W and K-hat are invertible wherever the text writes their inverses."

claims: tuple[Claim, ...] = (
    Claim(
        "TG-01",
        title="iteration matrix and free residual",
        source="N11 eqs (8.9)-(8.12), (8.39)-(8.42); NL 1597-1629",
        statements=(
            Equal(E.whole, E.free - h * gamma * E.r - h * (1 - gamma) * E.rk),
            Equal(derivative(E.whole, E.x), _W),
            Equal(
                E.tangent(E.whole, (E.x, E.dx), (E.r, E.dr)),
                E.free - h * gamma * (E.r + E.dr) - h * (1 - gamma) * E.rk + _W * E.dx,
            ),
        ),
        note="Two states with unknown f; r + dr is the input of iterate alpha + 1.",
    ),
    Claim(
        "TG-02",
        state(r),
        h * W.inv() * r + x_free,
        [Invertible(W), *STEP],
        title="state as a function of the input",
        source="N11 eq (8.13)",
        note="Solved from (8.12).",
        mend=Mend("h gamma W^-1 r + x_free", state(r), h * gamma * W.inv() * r + x_free),
    ),
    Claim(
        "TG-03",
        state(ZeroMatrix(n, 1)),
        x_free,
        [Invertible(W)],
        title="free state",
        source="N11 eqs (8.14), (8.44)",
        note="Defined in the text as the state without input of iterate alpha + 1; compared with just that.",
    ),
    Claim(
        "TG-04",
        title="linearised output",
        source="N11 eqs (8.15)-(8.19), (8.45)-(8.49)",
        statements=(
            Equal(
                E.tangent(E.y - E.output, (E.x, E.dx), (E.l, E.dl), (E.y, E.dy)),
                (E.y - E.output) + E.dy - _C * E.dx - _D * E.dl,
            ),
            Equal(tangent_output(x_new, lam), y_a - R_y + C * (x_new - x_a) + D * (lam - lam_a)),
        ),
        note="The tangent of y - h(t, x, lambda) for two states and multipliers; the solved form for all sizes.",
    ),
    Claim(
        "TG-05",
        title="linearised input",
        source="N11 eqs (8.20)-(8.24)",
        statements=(
            Equal(
                E.tangent(E.r - E.input, (E.x, E.dx), (E.l, E.dl), (E.r, E.dr)),
                (E.r - E.input) + E.dr - _K * E.dx - _B * E.dl,
            ),
            Equal(tangent_input(x_new, lam), g_a - B * lam_a + B * lam - K * x_a + K * x_new),
        ),
    ),
    Claim(
        "TG-06",
        E.input,
        _input_at_theta,
        title="input map of the standard scheme",
        source="N11 eq (8.4) third line",
        note="Compared with the residual r - g(x_{k+1}, lambda_{k+1}, t_{k+1}) that the section linearises (8.20), "
        "and with the scheme of the long form.",
        mend=Mend("g at x_{k+1}", E.input, _input_at_theta.subs(theta, 1), slip="wrong evaluation point"),
    ),
    Claim(
        "TG-07",
        title="implicit form after insertion",
        source="N11 eqs (8.25)-(8.27)",
        assumptions=[Invertible(W)],
        statements=(
            Equal(
                state(tangent_input(x_new, lam)),
                h * gamma * W.inv() * (g_a + B * (lam - lam_a) + K * (x_new - x_a)) + x_free,
            ),
            Equal(
                x_new - state(tangent_input(x_new, lam)),
                (I_n - h * gamma * W.inv() * K) * x_new - (x_p + h * gamma * W.inv() * B * lam),
            ),
        ),
        note="The second statement says that both equations are one: their differences of sides agree.",
    ),
    Claim(
        "TG-08",
        x_new - state(tangent_input(x_new, lam)),
        (I_n - h * gamma * W * K) * x_new - (x_p + h * gamma * W.inv() * B * lam),
        [Invertible(W), *STEP],
        title="matrix K-hat",
        source="N11 eq (8.28)",
        note="The matrix of (8.26) that (8.28) is to define.",
        mend=Mend(
            "K-hat = I - h gamma W^-1 K",
            x_new - state(tangent_input(x_new, lam)),
            (I_n - h * gamma * W.inv() * K) * x_new - (x_p + h * gamma * W.inv() * B * lam),
        ),
    ),
    Claim(
        "TG-09",
        title="state as a function of lambda",
        source="N11 eq (8.29)",
        assumptions=[Invertible(W), Invertible(Khat)],
        statements=(
            Zero(state_of_multiplier(lam) - state(tangent_input(state_of_multiplier(lam), lam)).subs(K, K_of_Khat)),
            Equal(
                state_of_multiplier(lam),
                Khat.inv() * x_p.subs(K, K_of_Khat) + Khat.inv() * (h * gamma * W.inv() * B * lam),
            ),
            Equal(state(tangent_input(x_new, lam)).subs(gamma, 0), x_p.subs(gamma, 0)),
        ),
        note="K-hat = I - h gamma W^-1 K as in (8.26). " + _W_NOTE,
    ),
    Claim(
        "TG-10",
        title="output as a function of lambda (fully nonlinear)",
        source="N11 eq (8.30)",
        assumptions=[Invertible(W), Invertible(Khat), Positive(h, gamma)],
        statements=(
            Equal(_y_constant, y_a - R_y + C * (Khat.inv() * x_p.subs(K, K_of_Khat) - x_a) - D * lam_a),
            Equal(_y_linear, (h * C * Khat.inv() * W.inv() * B + D) * lam),
        ),
        note="y_p by (8.31)-(8.32), right; the part with lambda is not.",
        mend=Mend("h gamma C K-tilde^-1 W^-1 B + D", _y_linear, (h * gamma * C * Khat.inv() * W.inv() * B + D) * lam),
    ),
    Claim(
        "TG-11",
        _y_constant,
        y_a - R_y + C * (Khat.inv() * x_p.subs(K, K_of_Khat) - x_a) - D * lam_a,
        [Invertible(W), Invertible(Khat)],
        title="constant part of the output",
        source="N11 eqs (8.31)-(8.32)",
        note="The output of lambda = 0, with K-tilde = I - h gamma W^-1 K.",
    ),
    Claim(
        "TG-12",
        _y_linear,
        (h * C * Khat.inv() * W.inv() * B + D) * lam,
        [Invertible(W), Invertible(Khat), Positive(h, gamma)],
        title="matrix of the MLCP",
        source="N11 eq (8.34)",
        note="Applied to lambda.",
        mend=Mend("h gamma C K-tilde^-1 W^-1 B + D", _y_linear, (h * gamma * C * Khat.inv() * W.inv() * B + D) * lam),
    ),
    Claim(
        "TG-13",
        lambda: _y_linear,
        lambda: -W * lam,
        [Invertible(W), Invertible(Khat)],
        title="standard MLCP form",
        source="N11 eq (8.35)",
        note="The part of y with lambda. W is n x n and lambda has m entries; the sign differs from (8.33) as well,"
        " and the index ranges 1..n and n..n+m overlap at n and exceed m.",
        mend=Mend(
            "y = W_mlcp lambda + b with W_mlcp = h gamma C K-tilde^-1 W^-1 B + D",
            _y_linear,
            (h * gamma * C * Khat.inv() * W.inv() * B + D) * lam,
            slip="wrong argument",
        ),
    ),
    Claim(
        "TG-14",
        state(r),
        h * W.inv() * r + x_free,
        [Invertible(W), *STEP],
        title="Type2R: state as a function of the input",
        source="N11 eq (8.43)",
        note="Solved from (8.42).",
        mend=Mend("h gamma W^-1 r + x_free", state(r), h * gamma * W.inv() * r + x_free),
    ),
    Claim(
        "TG-15",
        title="Type2R: linearised input",
        source="N11 eqs (8.50)-(8.54); NL eq mlcp2-rrL",
        statements=(
            Zero(derivative(E.input2, E.x)),
            Equal(E.tangent(E.input2, (E.x, E.dx), (E.l, E.dl)), E.input2 + _B2 * E.dl),
        ),
    ),
    Claim(
        "TG-16",
        state_type2(lam),
        x_p_type2 + h * gamma * W.inv() * B * lam,
        [Invertible(W)],
        title="Type2R: state as a function of lambda",
        source="N11 eqs (8.55)-(8.58); NL eq mlcp2-rfree-13",
    ),
    Claim(
        "TG-17",
        title="Type2R: output as a function of lambda (2011 notes)",
        source="N11 eq (8.59)",
        assumptions=[Invertible(W), *STEP],
        statements=(
            Equal(_y2_constant, y_a - R_y + C * (x_p_type2 - x_a) - D * lam_a),
            Equal(_y2_linear, (h * C * W.inv() * B + D) * lam),
        ),
        note="y_p by (8.60)-(8.61), right; the part with lambda is not.",
        mend=Mend("h gamma C W^-1 B + D, as the long form has it", _y2_linear, (h * gamma * C * W.inv() * B + D) * lam),
    ),
    Claim(
        "TG-18",
        tangent_output(state_type2(lam), lam),
        y_a - R_y + C * (x_p_type2 - x_a) - D * lam_a + (h * gamma * C * W.inv() * B + D) * lam,
        [Invertible(W)],
        title="Type2R: output as a function of lambda",
        source="NL lines 1696-1702; N11 eqs (8.60)-(8.61)",
        note="The long form leaves x_q to the 2011 notes: x_q = x_p - x_a.",
    ),
    Claim(
        "TG-19",
        title="Type1R as a special case",
        source="NL lines 1707-1714",
        assumptions=[Invertible(W)],
        statements=(
            Zero(derivative(sp.Matrix([Function(f"h{i}")(E.time, *E.x) for i in (1, 2)]), E.l)),
            Zero(derivative(E.input2, E.x)),
            Equal(
                h_a + C * (state_type2(lam) - x_a),
                (y_a - R_y + C * (x_p_type2 - x_a) - D * lam_a + (h * gamma * C * W.inv() * B + D) * lam)
                .subs(D, ZeroMatrix(m, m))
                .doit(),
            ),
        ),
        note="The derivation of Type2R is that of TG-18; an output h(t, x) has no derivative in lambda.",
    ),
    Claim(
        "TG-20",
        title="linear case: two forms of the free residual",
        source="N11 section 8.4.1; NL lines 1728-1734",
        left=free_residual_linear(x_a),
        right=W * (x_a - x_k) - h * A * x_k - h * b,
        note="W = M - h theta A enters by M = W + h theta A; b is constant.",
    ),
    Claim(
        "TG-21",
        title="linear case: state update (gamma=1)",
        source="N11 eq (8.64) first line; NL line 1749",
        statements=(Equal(state_linear(r), W.inv() * (_known + r)),),
        assumptions=[Invertible(W), Equation(gamma, 1), *STEP],
        note="The section sets gamma = 1.",
        mend=Mend("h r in place of r", state_linear(r), W.inv() * (_known + h * r)),
    ),
    Claim(
        "TG-22",
        title="linear case: output and free state (gamma=1)",
        source="N11 eqs (8.64)-(8.65); NL lines 1749-1756",
        assumptions=[Invertible(W), Equation(gamma, 1)],
        statements=(
            Equal(x_a - W.inv() * free_residual_linear(x_a), _x_free_linear),
            Equal(
                C * state_linear(B * lam) + D * lam + Fz_e, (D + h * C * W.inv() * B) * lam + Fz_e + C * _x_free_linear
            ),
        ),
        note="F z + e is one vector here; b is constant, as the linear case has it.",
    ),
    Claim(
        "TG-23",
        title="linear case: coherence with the Newton chain",
        source="N11 section 8.4.3; NL lines 1763-1787",
        assumptions=[Invertible(W), Equation(gamma, 1), *STEP],
        readings=tuple(
            Reading(
                name,
                (
                    Equal(
                        C * x_a + D * lam_a + Fz_e + C * (state_linear(B * lam_a - B * lam_a) - x_a) - D * lam_a,
                        C * x_k + D * lam_k + C * tilde - D * lam_k + Fz_e,
                        C * _x_free_linear + Fz_e,
                    ),
                ),
                note=why,
                mend=mend,
            )
            for name, tilde, why, mend in (
                ("increment", _x_free_linear - x_k, "x_free tilde = x_free - x_k = -W^-1 R_free(x_k)", None),
                (
                    "free state",
                    _x_free_linear,
                    "x_free tilde = x_free of the section: x_k is counted twice",
                    Mend("x_free tilde = x_free - x_k", C * x_k + C * (_x_free_linear - x_k), C * _x_free_linear),
                ),
            )
        ),
        note="The text does not define x_free tilde. The ends of the chain agree in either reading; the lines between "
        "them hold only for the increment.",
    ),
)
