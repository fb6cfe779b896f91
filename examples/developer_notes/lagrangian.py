"""Lagrangian systems and the cam follower: first-order form, forces, impact law, relative degree.

Two degrees of freedom with unknown functions where a derivative is taken, abstract matrices (all sizes) elsewhere.
Sources: N11 are the 2011 notes, NL their long form.
"""

from __future__ import annotations

import sympy as sp
from sympy import Function, MatrixSymbol, Symbol

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Implies,
    Inequality,
    Invertible,
    Mend,
    PositiveDefinite,
    Zero,
    derivative,
    matrix,
    time_derivative,
    vector,
)

__all__ = ["claims"]

t = Symbol("t", real=True)

# --- all sizes ----------------------------------------------------------------------------------------------------
n, m = (Symbol(name, integer=True, positive=True) for name in ("n", "m"))
M = MatrixSymbol("M", n, n)
F_ext, F_int, N_in, p, a = (MatrixSymbol(name, n, 1) for name in ("F_ext", "F_int", "NNL", "p", "a"))
acceleration = M.inv() * (F_ext + p - N_in - F_int)  # of M a + NNL + F_int = F_ext + p
balance = Equal(M * a + N_in + F_int, F_ext + p)

# --- two degrees of freedom ---------------------------------------------------------------------------------------
q, v = vector("q", 2), vector("v", 2)
mass = sp.Matrix(2, 2, lambda i, j: Function(f"M{min(i, j) + 1}{max(i, j) + 1}")(*q))
internal = sp.Matrix([Function(f"Fint{i}")(*v, *q, t) for i in (1, 2)])
inertia = sp.Matrix([Function(f"NNL{i}")(*v, *q) for i in (1, 2)])
external = sp.Matrix([Function(f"Fext{i}")(t) for i in (1, 2)])
force = external - internal - inertia
field = sp.Matrix.vstack(sp.Matrix(v), mass.inv() * force)


def contracted(tensor: sp.MatrixBase, values: sp.MatrixBase, by: sp.MatrixBase) -> sp.Matrix:
    """The matrix with entries sum_j d tensor_ij / d by_l values_j: the gradient of a matrix applied to a column."""
    return sp.Matrix(
        tensor.rows, len(by), lambda i, l: sum(sp.diff(tensor[i, j], by[l]) * values[j] for j in range(tensor.cols))
    )


_field_jacobian = sp.Matrix.vstack(
    sp.Matrix.hstack(sp.zeros(2), sp.eye(2)),
    sp.Matrix.hstack(
        contracted(mass.inv(), force, q) - mass.inv() * derivative(internal + inertia, q),
        -mass.inv() * derivative(internal + inertia, v),
    ),
)

# --- impact at time t_i: y vanishes there and has the rate w before ------------------------------------------------
e, w, bend, t_i = (Symbol(name, real=True) for name in ("e", "w", "c", "t_i"))
gap_before = w * (t - t_i) + bend * (t - t_i) ** 2

# --- relative degree of a contact: two multipliers and coordinates, or any number -----------------------------
C_abs, L_abs = MatrixSymbol("C", m, n), MatrixSymbol("L", n, n)
right_inverse = MatrixSymbol("C_right", n, m)
z_abs = MatrixSymbol("z", m, 1)
C2, q2, v2, lam2, e2, rest = (
    matrix("C", 2, 2),
    vector("q", 2),
    vector("v", 2),
    vector("lambda", 2),
    vector("e", 2),
    vector("g", 2),
)
M2 = matrix("M", 2, 2, symmetric=True)
_rates = ((q2, v2), (v2, M2.inv() * (rest + C2.T * lam2)))
_gap = C2 * q2 + e2
_first = time_derivative(_gap, _rates)

# --- the linear complementarity problem 0 <= b + D lambda, lambda >= 0 ---------------------------------------------
D_abs = MatrixSymbol("D", m, m)
b_1, b_2, l_1, l_2, d_abs = (MatrixSymbol(name, m, 1) for name in ("b_1", "b_2", "lambda_1", "lambda_2", "d"))
s1, s2, rho, low, high = (Symbol(name, real=True) for name in ("s1", "s2", "rho", "a", "l"))

# --- cam follower -------------------------------------------------------------------------------------------------
mu, zeta, kappa, r, vp, vm, c_dot, f_v = (
    Symbol(name, real=True) for name in ("mu", "zeta", "kappa", "r", "v_plus", "v_minus", "c_dot", "f_v")
)
u, c = Function("u")(t), Function("c")(t)


def operator(x: sp.Expr) -> sp.Expr:
    """The follower's left-hand side mu x'' + zeta x' + kappa x."""
    return mu * sp.diff(x, t, 2) + zeta * sp.diff(x, t) + kappa * x


claims: tuple[Claim, ...] = (
    Claim(
        "LG-01",
        title="first-order form of the Lagrangian dynamics",
        source="NL lines 626-677; N11 eqs (2.7), (2.12)",
        assumptions=[Invertible(M)],
        statements=(
            Implies([balance], Equal(a, M.inv() * (F_ext - F_int - N_in) + M.inv() * p)),
            Equal(field, sp.Matrix.vstack(sp.Matrix(v), mass.inv() * (external - internal - inertia))),
        ),
        note="f is the smooth part: (q', v') of the balance without p. LG-03 decides the input.",
    ),
    Claim(
        "LG-02",
        derivative(field, [*q, *v]),
        _field_jacobian,
        title="Jacobian of the first-order vector field",
        source="NL line 679; N11 eq (2.14)",
        note="The gradient of M^-1 acts on the force by its column index; F_ext depends on time only, as the section "
        "says.",
    ),
    Claim(
        "LG-03",
        title="nonsmooth input in first-order form",
        source="NL line 684; N11 eq (2.15)",
        assumptions=[PositiveDefinite(M)],
        left=acceleration,
        right=M.inv() * (F_ext - F_int - N_in) + p,
        note="Lower half of x' = f + r.",
        mend=Mend(
            "r = (0, M^-1 p)", acceleration, M.inv() * (F_ext - F_int - N_in) + M.inv() * p, slip="missing factor M^-1"
        ),
    ),
    Claim(
        "LG-04",
        M * acceleration - p,
        F_ext - N_in + F_int,
        [PositiveDefinite(M)],
        title="total force vector",
        source="NL lines 2108, 2147, 2154",
        note="F of M v' = F + p, from M v' + N + F_int = F_ext + p.",
        mend=Mend("-F_int", M * acceleration - p, F_ext - N_in - F_int),
    ),
    Claim(
        "LG-05",
        F_ext + p - N_in - F_int,
        F_int + F_ext + p - N_in,
        title="internal forces in the dynamics of chapters 1 and 2",
        source="NL lines 343 and 627; N11 eqs (1.29), (2.7)",
        note="M times the acceleration by chapter 2 against chapter 1: one F_int stands on opposite sides.",
        mend=Mend("M q'' + N + F_int = F_ext + p in both", M * acceleration + N_in + F_int, F_ext + p),
    ),
    Claim(
        "LG-06",
        (-e * sp.diff(gap_before, t)).subs(t, t_i),
        (-e * gap_before).subs(t, t_i),
        title="impact law in the relative-degree chapter",
        source="NL eq rd8 (line 1222)",
        note="Newton's law gives the rate after the impact by the rate before it. The text has the gap itself, "
        "which vanishes at the impact.",
        mend=Mend("y'+ = -e y'-", (-e * sp.diff(gap_before, t)).subs(t, t_i), -e * w, slip="missing derivative"),
    ),
    Claim(
        "LG-07",
        title="relative degree of unilateral contact",
        source="NL lines 1208-1217",
        assumptions=[Invertible(L_abs), Equation(C_abs * right_inverse, sp.Identity(m), "C has full row rank")],
        statements=(
            Equal(_first, C2 * v2),
            Zero(derivative(_gap, lam2)),
            Zero(derivative(_first, lam2)),
            Equal(derivative(time_derivative(_first, _rates), lam2), C2 * M2.inv() * C2.T),
            Equal(
                z_abs.T * C_abs * (L_abs * L_abs.T).inv() * C_abs.T * z_abs,
                (L_abs.inv() * C_abs.T * z_abs).T * (L_abs.inv() * C_abs.T * z_abs),
            ),
            Implies([Zero(L_abs.inv() * C_abs.T * z_abs)], Zero(z_abs)),
        ),
        note="M = L L^T. The first four statements: lambda enters the second derivative first, by C M^-1 C^T. The last "
        "two, for all sizes: C M^-1 C^T z = 0 makes |L^-1 C^T z| vanish, hence z = 0: the matrix is nonsingular.",
    ),
    Claim(
        "LG-08",
        title="linear complementarity problem with positive definite D",
        source="NL eq rd5 (lines 1186-1198)",
        statements=(
            # lambda = max(0, lambda - rho y) is the problem, row by row (lambda = s^2 and y = 0, or the reverse) ...
            Equal(sp.Max(0, s1**2 - rho**2 * 0), s1**2),
            Equal(sp.Max(0, 0 - rho**2 * s1**2), 0),
            # ... max(0, .) does not expand distances ...
            # (equal for one sign; for s1^2 and -s2^2 the distance shrinks from s1^2 + s2^2 to s1^2) ...
            Inequality((s1**2 + s2**2) ** 2 - (sp.Max(0, s1**2) - sp.Max(0, -(s2**2))) ** 2, ">=", 0),
            # ... and the step 1 - rho D contracts for every size: |D d| <= l |d|, d^T D d >= a |d|^2, rho = a / l^2
            Equal(
                (d_abs - rho * D_abs * d_abs).T * (d_abs - rho * D_abs * d_abs),
                d_abs.T * d_abs - 2 * rho * d_abs.T * D_abs * d_abs + rho**2 * d_abs.T * D_abs.T * D_abs * d_abs,
            ),
            Equal((1 - 2 * rho * low + rho**2 * high**2).subs(rho, low / high**2), 1 - low**2 / high**2),
            # Lipschitz: d^T D d = -(lambda_1^T y_2 + lambda_2^T y_1) - d^T (b_1 - b_2) with d = lambda_1 - lambda_2
            Implies(
                [Zero(l_1.T * (b_1 + D_abs * l_1)), Zero(l_2.T * (b_2 + D_abs * l_2))],
                Equal(
                    (l_1 - l_2).T * D_abs * (l_1 - l_2),
                    -l_1.T * (b_2 + D_abs * l_2) - l_2.T * (b_1 + D_abs * l_1) - (l_1 - l_2).T * (b_1 - b_2),
                ),
            ),
        ),
        note="What the contraction principle needs for one solution, and the identity behind the Lipschitz bound "
        "|lambda_1 - lambda_2| <= |b_1 - b_2| / a, where b = C q + e + F z. All sizes; D need not be symmetric.",
    ),
    Claim(
        "CF-01",
        title="impact law with a moving constraint",
        source="NL eq il (line 6106); N11 eq (12.2)",
        statements=(
            Equal(c_dot - r * (vm - c_dot), (1 + r) * c_dot - r * vm),
            Implies([Equal(vp, c_dot - r * (vm - c_dot))], Equal(vp - c_dot, -r * (vm - c_dot))),
        ),
        note="The second statement is Newton's law for the velocity relative to the cam.",
    ),
    Claim(
        "CF-02",
        title="change of variables",
        source="NL eq trans (line 6146); N11 eqs (12.3)-(12.4)",
        statements=(
            Implies(
                [Equal(operator(u), f_v)],
                Equal(operator(u - c), f_v - (mu * sp.diff(c, t, 2) + zeta * sp.diff(c, t) + kappa * c)),
            ),
            Implies([Equal(vp, (1 + r) * c_dot - r * vm)], Equal(vp - c_dot, -r * (vm - c_dot))),
        ),
        note="The follower's equation, operator(u) = f_v, is the premise of the first statement.",
    ),
)
