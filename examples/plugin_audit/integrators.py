"""Steps of the schemes for first-order systems and rigid bodies, and of the multiple-impact law, as they were typed.

A step is right where what it computes makes the residual of its scheme vanish, and a matrix of Newton's method where it
is the derivative of that residual.
"""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, Equal, NonZero, skew

from .common import Family
from .newton_euler import inertia, omega

h, theta, gamma = sp.symbols("h theta gamma", positive=True)
a, b, c, d, b_k, b_n, e, x_k, r_k, lam = sp.symbols("A B C D b_k b_n e x_k r_k lambda", real=True)
x, l_new = sp.symbols("x l", real=True)
W = 1 - h * theta * a


def claims() -> list[Claim]:
    """Theta and theta-gamma schemes, their Newton loop, rigid bodies, impacts, and the rows of a polytope."""
    return [*_theta(), *_theta_gamma(), *_newton(), *_bodies(), *_impacts(), *_polytope()]


def _residual(of: sp.Expr, force: sp.Expr) -> sp.Expr:
    """x - x_k minus the averaged right-hand side and an impulse of the input."""
    return of - x_k - h * theta * (a * of + b_n) - h * (1 - theta) * (a * x_k + b_k) - h * force


def _theta() -> list[Claim]:
    free = (x_k + h * (1 - theta) * (a * x_k + b_k) + h * theta * b_n) / W
    end = free + h * b * lam / W
    family = Family("theta", "buck_converter and all linear first-order cases", {}, {}, "")
    return [
        family.formula("matrix", _residual(x, b * lam).diff(x), W, "W = dr/dx"),
        family.formula(
            "step", _residual(end, b * lam), sp.S.Zero, "x_{k+1} makes the residual vanish", assumptions=[NonZero(W)]
        ),
        family.formula(
            "output",
            c * end + d * lam + e,
            (d + h * c * b / W) * lam + c * free + e,
            "y_{k+1} = M lambda + q",
            assumptions=[NonZero(W)],
        ),
    ]


def _theta_gamma() -> list[Claim]:
    """Gamma on the input averages r; on the relation it averages x in the output of the law."""
    free = (x_k + h * (1 - theta) * (a * x_k + b_k) + h * theta * b_n) / W
    known = free + h * (1 - gamma) * r_k / W
    end, full = known + h * gamma * b * lam / W, free + h * b * lam / W
    law = (d + h * gamma * c * b / W) * lam + c * (gamma * free + (1 - gamma) * x_k) + e
    on_input = Family("theta_gamma", "circuit_rlcd_tg_gamma1, circuit_rlcd_tg_gammahalf", {}, {}, "")
    on_relation = Family("theta_gamma", "circuit_rlcd_tg_gammafrhalf, diode_bridge_tg_frhalf", {}, {}, "")
    away = [NonZero(W)]
    return [
        on_input.formula(
            "step",
            _residual(end, gamma * b * lam + (1 - gamma) * r_k),
            sp.S.Zero,
            "x_{k+1} makes the residual vanish, gamma on the input",
            assumptions=away,
        ),
        on_relation.formula(
            "step_relation",
            _residual(full, b * lam),
            sp.S.Zero,
            "x_{k+1} makes the residual vanish, gamma on the relation",
            assumptions=away,
        ),
        on_relation.formula(
            "law",
            c * (gamma * full + (1 - gamma) * x_k) + d * lam + e,
            law,
            "M lambda + q is the output at gamma",
            assumptions=away,
        ),
        on_relation.formula(
            "recorded",
            law,
            c * full + d * lam + e,
            "the recorded output is that of the law",
            assumptions=away,
            note="y_{k+1} is recorded, the law holds between: not complementary to lambda unless gamma is 1",
        ),
    ]


def _newton() -> list[Claim]:
    """One pass of the loop for x' = f(x) + g(x, lambda) solves the equations linearised at its iterate."""
    f, g = sp.Function("f"), sp.Function("g")
    slope, input_slope = f(x).diff(x), g(x, lam).diff(x)
    rho = x - x_k - h * theta * f(x) - h * (1 - theta) * f(x_k)
    input_gain = sp.Symbol("B", real=True)
    plain, coupled = 1 - h * theta * slope, 1 - h * theta * slope - h * input_slope
    switch = Family("newton", "nonlinear_switch, step_system, step_system_reduced", {}, {}, "")
    control = Family("newton", "optimal_control", {}, {}, "")
    value, w = sp.symbols("g W", real=True)
    rest = sp.Symbol("rho", real=True)
    new = x - rest / w + h * (value + input_gain * (l_new - lam)) / w
    return [
        switch.formula("matrix", (rho - h * g(x_k, lam)).diff(x), plain, "W = dr/dx, the input by lambda alone"),
        control.formula("matrix_state", (rho - h * g(x, lam)).diff(x), coupled, "W = dr/dx, the input by x too"),
        switch.formula(
            "pass",
            rest + w * (new - x) - h * (value + input_gain * (l_new - lam)),
            sp.S.Zero,
            "x_new solves the linearised residual",
            assumptions=[NonZero(w)],
        ),
    ]


def _bodies() -> list[Claim]:
    """W of a rigid body: d(O x I O)/dO, and (dF/dq) T(q) where the configuration moves by a finite rotation."""
    before = sp.Matrix(sp.symbols("u1:4", real=True))
    residual = inertia * (omega - before) + h * theta * omega.cross(inertia * omega)
    matrix = inertia + h * theta * (skew(omega) * inertia - skew(inertia * omega))
    phi = sp.Matrix(sp.symbols("phi1:4", real=True))
    angle = sp.sqrt(phi.dot(phi))
    turned = sp.Matrix([sp.cos(angle / 2), *(sp.sin(angle / 2) / angle * phi)])
    w, i, j, k = turned
    tangent = sp.Matrix([[-i, -j, -k], [w, -k, j], [k, w, -i], [-j, i, w]]) / 2
    rigid = Family("newton_euler", "all cases with rigid bodies", {}, {}, "")
    return [
        rigid.formula("matrix", residual.jacobian(omega), matrix, "W = dr/dO of a body without moments"),
        rigid.formula(
            "tangent",
            turned.jacobian(phi),
            tangent,
            "dq/dphi = T(q) for q = E(phi)",
            assumptions=[NonZero(phi.dot(phi))],
            note="W takes (dF/dq) T(q): the derivative of the "
            "exponential is left out, which is 1 at phi = 0 and along the axis only",
        ),
    ]


def _impacts() -> list[Claim]:
    """Forces K delta^eta over energies E = |u| dP: how an increment of impulse divides among compressed contacts."""
    stiff, power, speed, first_stiff, first_power, first_speed, step = sp.symbols(
        "K_i eta_i u_i K_p eta_p u_p dP", positive=True
    )
    own, first = power / (1 + power), first_power / (1 + first_power)
    ratio = (
        (1 + power) ** own
        / (1 + first_power) ** first
        * stiff ** (1 / (1 + power))
        / first_stiff ** (1 / (1 + first_power))
    )
    typed = (ratio * speed**own / first_speed**first) ** (1 + power) * step ** (
        (power - first_power) / (1 + first_power)
    )
    # gamma = F_i / F_p with F = (1 + eta)^(eta / (1 + eta)) K^(1 / (1 + eta)) E^(eta / (1 + eta)), E_i = |u_i| gamma dP
    energies = (speed * typed * step) ** own / (first_speed * step) ** first
    case = Family("impacts", "bead_column_ed_lzb", {}, {}, "")
    compression, delta = sp.symbols("K delta", positive=True)
    numbers = {power: sp.Rational(3, 2), first_power: sp.Rational(3, 2)}
    energy = compression * delta ** sp.Rational(5, 2) / sp.Rational(5, 2)
    force = sp.Rational(5, 2) ** sp.Rational(3, 5) * compression ** sp.Rational(2, 5) * energy ** sp.Rational(3, 5)
    return [
        case.formula(
            "distribution",
            (ratio * energies).subs(numbers),
            typed.subs(numbers),
            "gamma of contacts that start, both of Hertz's power",
        ),
        case.formula("force", compression * delta ** sp.Rational(3, 2), force, "force by energy, Hertz's power"),
    ]


def _polytope() -> list[Claim]:
    """H lambda - K of the twisting law; a mass on a spring with a relay on its velocity."""
    u = sp.Matrix(sp.symbols("lambda0:2", real=True))
    half = h / 2
    rows, bound = sp.Matrix([[1, 0], [-half, 1], [-1, 0], [half, -1]]), -sp.ones(4, 1)
    shifted = u[1] - half * u[0]
    stated = sp.Matrix([1 + u[0], 1 + shifted, 1 - u[0], 1 - shifted])
    place, rate, k, m = sp.symbols("x v k m", positive=True)
    oscillator = sp.Matrix([rate, -k / m * place])
    return [
        Family("twisting", "twisting", {}, {}, "").formula(
            "polytope", stated, rows * u - bound, "|lambda0| <= 1 and |lambda1 - h lambda0 / 2| <= 1"
        ),
        Claim(
            "oscillator/A.formula",
            statements=[
                Equal(oscillator.jacobian([place, rate]), sp.Matrix([[0, 1], [-k / m, 0]])),
                Equal(sp.Matrix([rate]).jacobian([place, rate]), sp.Matrix([[0, 1]])),
            ],
            title="A and C of the friction oscillator",
            source="friction_oscillator",
        ),
    ]
