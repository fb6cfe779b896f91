"""Claims of the notes on a variational integrator with frictional contact: the step from k-1 to k.

The formulas VI-32 to VI-50 and VI-52 of ``quaternion_variational.md``; those of one body are in ``quaternion_body.py``,
with the conventions. Names ending in a belong to k-1, in b to k, in h or m to the midpoint.

Columns and matrices whose size does not matter are abstract: those proofs hold for all sizes.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Matrix, MatrixSymbol, eye, zeros

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Invertible,
    Mend,
    Orthogonal,
    Shape,
    Symmetric,
    UnitQuaternion,
    Zero,
    derivative,
    gradient,
    matrix,
    quaternion,
    rotation_matrix,
    skew,
    vector,
)

NOTES = "quaternion_variational.md"


def lines(first: int, last: int) -> str:
    """Where a formula stands."""
    return f"{NOTES}, lines {first}-{last}"


# One body, as in quaternion_body.py.

q, qd, c, n = quaternion("q"), quaternion("qdot"), vector("c"), vector("n")
J = matrix("J", 3, 3)
gamma, lam, m, h = sp.symbols("gamma lambda m h", real=True)
one3, one4 = eye(3), eye(4)
J_gamma = J - gamma * one3
R, symmetric = rotation_matrix(q), Symmetric(J)
r_O, rd_O = vector("r"), vector("rdot")
x, xd = Matrix([r_O, q]), Matrix([rd_O, qd])
V, F7 = sp.Function("V")(*x), vector("F", 7)


def L(p: Any) -> Matrix:
    """The 3x4 matrix of lines 32-43, rows = components of the body frame."""
    a, b, c_, d = p
    return Matrix([[-b, a, d, -c_], [-c_, -d, a, b], [-d, c_, -b, a]])


def M_rot(p: Any) -> Matrix:
    """Modified rotational mass matrix of line 115, 4x4."""
    return 4 * L(p).T * J_gamma * L(p) + 4 * gamma * one4


def M_body(p: Any) -> Matrix:
    """Mass matrix of the seven coordinates, line 500."""
    return sp.diag(m * one3, M_rot(p))


def C(p: Any) -> Matrix:
    """The 3x7 matrix of lines 268-272 for the body point c."""
    return one3.row_join(-2 * rotation_matrix(p) * skew(c) * L(p))


def held(expression: Any, values: Any, at: Any) -> Any:
    """The expression with ``values`` put in for the symbols ``at``: what was held fixed takes its value."""
    return expression.subs(dict(zip(at, values, strict=True)), simultaneous=True)


T_body = m * rd_O.dot(rd_O) / 2 + 2 * (qd.T * L(q).T * J_gamma * L(q) * qd)[0, 0] + 2 * gamma * qd.dot(qd)

qa, qb = quaternion("qa"), quaternion("qb")  # ends k-1 and k
xa, xb = Matrix([vector("ra"), qa]), Matrix([vector("rb"), qb])
xm, rate = (xb + xa) / 2, (xb - xa) / h
qm, q_rate = (qb + qa) / 2, (qb - qa) / h
w = quaternion("w")


def principal(expression: Any) -> Any:
    """The expression for an inertia diag(J1, J2, J3): enough to refute."""
    return expression.subs({J[i, j]: J[i, i] if i == j else 0 for i in range(3) for j in range(3)})


def constraint(p: Any) -> Any:
    """Phi of a quaternion p."""
    return (p.dot(p) - 1) / 2


def A(p: Any) -> Matrix:
    """Constraint Jacobian of the seven coordinates, 1x7."""
    return zeros(1, 3).row_join(p.T)


def lagrangian(at: Any, moving: Any) -> Any:
    """An arbitrary Lagrangian of the seven coordinates and rates."""
    return sp.Function("Lagrangian")(*at, *moving)


def mid(expression: Any) -> Any:
    """An expression of x and its rate, evaluated at the midpoint of the step."""
    return expression.subs(dict(zip([*x, *xd], [*xm, *rate], strict=True)), simultaneous=True)


action = h * (lagrangian(xm, rate) + (constraint(qa) + constraint(qb)) / 2 * lam)
L_x, L_rate = mid(gradient(lagrangian(x, xd), x)), mid(gradient(lagrangian(x, xd), xd))


def momentum_sum() -> Matrix:
    """The sum of the momenta of VI-33 for the body's Lagrangian."""
    action_body = h * (mid(T_body - V) + (constraint(qa) + constraint(qb)) / 2 * lam)
    return -gradient(action_body, xa) - h / 2 * F7 + gradient(action_body, xb) + h / 2 * F7


# Abstract columns of N coordinates and K multipliers: the step's algebra needs nothing else.
N, K, P, B = sp.symbols("N K P B", integer=True, positive=True)


def col(name: str, size: Any = N) -> MatrixSymbol:
    """An abstract column."""
    return MatrixSymbol(name, size, 1)


p_a, p_b, p_h, F, F_ex, T_x, V_x, S_a, S_b, dx_a, dx_b, x_rate = (
    col(s) for s in ("p_a", "p_b", "p_h", "F", "F_ex", "T_x", "V_x", "S_a", "S_b", "dx_a", "dx_b", "x_rate")
)
multiplier, scaled, contact, scaled_contact = (col(s, K) for s in ("lambda_", "lambda_s", "Lambda", "Lambda_s"))
A_a, A_b, D_a, D_b = (MatrixSymbol(s, K, N) for s in ("A_a", "A_b", "D_a", "D_b"))
M_a, M_b, M_h = (MatrixSymbol(s, N, N) for s in ("M_a", "M_b", "M_h"))
H = MatrixSymbol("H", K, K)
# The momenta of VI-33 with L_x = T_x - V_x and L_x' = p_h; the force there is the external one.
end_a = -(h / 2 * (T_x - V_x) - p_h + h / 2 * A_a.T * multiplier) - h / 2 * F_ex
end_b = h / 2 * (T_x - V_x) + p_h + h / 2 * A_b.T * multiplier + h / 2 * F_ex
total = T_x - V_x + F_ex
balance_a = p_h - p_a - h / 2 * F - h / 2 * A_a.T * multiplier
balance_b = p_b - p_h - h / 2 * F - h / 2 * A_b.T * multiplier
contact_a, contact_b = h / 2 * D_a.T * contact, h / 2 * D_b.T * contact

# The seven coordinates at the end of the nonsmooth step: frame (n, t1, t2), body point and multipliers held constant.
frame, impulse = matrix("t", 3, 3), vector("Lambda")
p_prev, A_prev, D_prev = vector("p", 7), vector("A", 7), matrix("D", 3, 7)


def p_end() -> Matrix:
    """The momentum at k of the nonsmooth scheme."""
    return -p_prev + 2 * M_body(qm) * rate + (A(qb).T - A_prev) * lam / h + ((frame * C(qb)).T - D_prev.T) * impulse / h


x_held = vector("s", 7)
M_inverse = Matrix(7, 7, lambda i, j: sp.Function(f"K{i + 1}{j + 1}")(*qb))
p_any = Matrix([sp.Function(f"p{i + 1}")(*qb) for i in range(4)])
p_hold = vector("p", 4)
v_any = Matrix([sp.Function(f"v{i + 1}")(*xb) for i in range(7)])

Lc, vc = vector("Lambda"), vector("u")  # normal, two tangents
w_n = sp.Symbol("w", real=True)
slip = sp.sqrt(vc[1] ** 2 + vc[2] ** 2)
nu = vc + Matrix([w_n + slip, 0, 0])
C_i, T_i, f_i, Lambda_i = MatrixSymbol("C_i", 3, P), MatrixSymbol("T_I", P, N), col("f_i", 3), col("Lambda_i", 3)
frame_i = MatrixSymbol("n_t1_t2", 3, 3)
s_a, s_b, s_rate = sp.symbols("s_a s_b s_rate", real=True)
M_mid = principal(M_rot(qm))
M_any = sp.Function("M")  # one coordinate at both ends, any mass of it

r_x, admissible = derivative(r_O + R * c, x), Matrix([rd_O, qd])

claims = (
    Claim(
        "VI-32",
        statements=(
            Equal(gradient(action, xa), h * (L_x / 2 - L_rate / h + A(qa).T * lam / 2)),
            Equal(gradient(action, xb), h * (L_x / 2 + L_rate / h + A(qb).T * lam / 2)),
        ),
        title="derivatives of the discrete action",
        source=lines(559, 600),
        note="For any Lagrangian of seven coordinates and the constraint of one quaternion.",
    ),
    Claim(
        "VI-33",
        statements=(
            Equal(-gradient(action, xa) - h / 2 * F7, -(h / 2 * L_x - L_rate + h / 2 * A(qa).T * lam) - h / 2 * F7),
            Equal(gradient(action, xb) + h / 2 * F7, h / 2 * L_x + L_rate + h / 2 * A(qb).T * lam + h / 2 * F7),
        ),
        title="discrete momenta at the two ends",
        source=lines(626, 653),
        note="The first members define the momenta; what is decided is that the second ones are the same.",
    ),
    Claim(
        "VI-34",
        momentum_sum,
        2 * M_body(qm) * rate + h / 2 * (A(qb).T - A(qa).T) * lam,
        symmetric,
        title="sum of the discrete momenta",
        source=lines(655, 665),
        note="An inertia is symmetric.",
    ),
    Claim(
        "VI-35",
        statements=(
            Equal(
                M_a.inv() * end_a,
                -M_a.inv() * (h / 2 * (T_x - V_x) + p_h + h / 2 * A_b.T * multiplier) - h / 2 * M_a.inv() * F_ex,
            ),
            Equal(
                M_b.inv() * end_b,
                M_b.inv() * (h / 2 * (T_x - V_x) - p_h + h / 2 * A_a.T * multiplier) + h / 2 * M_b.inv() * F_ex,
            ),
        ),
        assumptions=(Invertible(M_a), Invertible(M_b)),
        title="momenta multiplied by the inverse mass",
        source=lines(667, 687),
        note="Left: the momenta of VI-33 times the inverse masses. The sign of dL/dx' is wrong in both lines, and A is "
        "taken at the other end in both: -dL/dx' and A_{k-1} belong to p_{k-1}, +dL/dx' and A_k to p_k.",
        mend=Mend(
            "-dL/dx' and A_{k-1} in the first line, +dL/dx' and A_k in the second",
            statements=(
                Equal(
                    M_a.inv() * end_a,
                    -M_a.inv() * (h / 2 * (T_x - V_x) - p_h + h / 2 * A_a.T * multiplier) - h / 2 * M_a.inv() * F_ex,
                ),
                Equal(
                    M_b.inv() * end_b,
                    M_b.inv() * (h / 2 * (T_x - V_x) + p_h + h / 2 * A_b.T * multiplier) + h / 2 * M_b.inv() * F_ex,
                ),
            ),
            assumptions=(Invertible(M_a), Invertible(M_b)),
            slip="sign",
        ),
    ),
    Claim(
        "VI-36",
        statements=(
            Implies([Equal(p_a, end_a), Equal(F, total)], Zero(balance_a)),
            Implies([Equal(p_b, end_b), Equal(F, total)], Zero(balance_b)),
        ),
        title="half-step momentum balances",
        source=lines(689, 709),
    ),
    Claim(
        "VI-37",
        statements=(
            Equal(end_b + contact_b - p_h, h / 2 * total + h / 2 * A_a.T * multiplier + contact_a),
            Equal(p_h - (end_a - contact_a), h / 2 * total + h / 2 * A_b.T * multiplier + contact_b),
            Implies(
                [
                    Zero(p_b - p_h - h / 2 * F - h / 2 * A_a.T * multiplier - contact_a),
                    Zero(p_h - p_a - h / 2 * F - h / 2 * A_b.T * multiplier - contact_b),
                ],
                Equal(
                    p_b + p_a,
                    2 * p_h + h / 2 * (A_a.T - A_b.T) * multiplier + contact_a - contact_b,
                    2 * p_h + h / 2 * (A_b.T - A_a.T) * multiplier + contact_b - contact_a,
                ),
            ),
        ),
        title="half-step balances in the nonsmooth section",
        source=lines(740, 759),
        note="A and D of the two ends are exchanged: the two balances give the sum with the opposite sign, and neither "
        "follows from the momenta of VI-33. With q_k in the first and q_{k-1} in the second both hold.",
        mend=Mend(
            "A and D at q_k in the first balance, at q_{k-1} in the second",
            statements=(
                Equal(end_b + contact_b - p_h, h / 2 * total + h / 2 * A_b.T * multiplier + contact_b),
                Equal(p_h - (end_a - contact_a), h / 2 * total + h / 2 * A_a.T * multiplier + contact_a),
                Implies(
                    [Zero(balance_b - contact_b), Zero(balance_a - contact_a)],
                    Equal(p_b + p_a, 2 * p_h + h / 2 * (A_b.T - A_a.T) * multiplier + contact_b - contact_a),
                ),
            ),
            slip="swapped index",
        ),
    ),
    Claim(
        "VI-38",
        statements=(
            Implies([Zero(balance_a), Zero(balance_b)], Zero(p_b - p_a - h * F - h / 2 * (A_a.T + A_b.T) * multiplier)),
            Implies(
                [Zero(balance_a - contact_a), Zero(balance_b - contact_b)],
                Zero(p_b - p_a - h * F - h / 2 * (A_a.T + A_b.T) * multiplier - contact_a - contact_b),
            ),
        ),
        title="whole-step balance with contact",
        source=lines(711, 735),
        note="The text has it with the contact term and without; both are decided, as the sum of the half-steps.",
    ),
    Claim(
        "VI-39",
        statements=(
            Equal(M_any(s_b) * s_rate, M_any((s_a + s_b) / 2) * s_rate),
            Equal(lambda: principal(M_rot(qb) * qd), M_mid * qd),
        ),
        assumptions=(UnitQuaternion(qa), UnitQuaternion(qb)),
        title="end-of-step velocity from the momentum",
        source=f"{NOTES}, lines 616-621 and 997-999",
        note="The momentum at k by its definition and by the relation of the nonsmooth section, for one velocity: the "
        "mass is taken at q_k, then at the midpoint. First for one coordinate and any mass M(q), then for that of "
        "the quaternion. q'_k = M^{-1}(q_k) p_k agrees with the definition.",
        mend=Mend(
            "the mass at q_k in both",
            statements=Implies([Equal(p_b, M_b * x_rate)], Equal(x_rate, M_b.inv() * p_b)),
            assumptions=Invertible(M_b),
            slip="wrong evaluation point",
        ),
    ),
    Claim(
        "VI-40",
        statements=(
            Implies(
                [Zero(balance_a), Equal(p_h, M_h * x_rate)],
                Zero(h * M_h * x_rate - h * p_a - h**2 / 2 * F - h**2 / 2 * A_a.T * multiplier),
            ),
            Implies(
                [Zero(balance_a), Zero(balance_b)], Equal(p_b, -p_a + 2 * p_h + h / 2 * (A_b.T - A_a.T) * multiplier)
            ),
        ),
        title="integration scheme",
        source=lines(768, 781),
    ),
    Claim(
        "VI-41",
        statements=(
            Equal(
                sp.diff(M_any((s_b + s_a) / 2) * (s_b - s_a), s_b),
                sp.diff(M_any((s_b + s_a) / 2) * s_b, s_b),
                M_any((s_b + s_a) / 2) + s_b * sp.diff(M_any((s_b + s_a) / 2), s_b),
            ),
            Equal(
                lambda: derivative(M_mid * (qb - qa), qb),
                lambda: derivative(M_mid * qb, qb),
                lambda: M_mid + held(derivative(M_mid * w, qb), qb, w),
            ),
        ),
        title="Jacobian of the inertia term of the scheme",
        source=lines(788, 799),
        note="First for one coordinate and any mass M(q), then for that of the quaternion. M(q_{k-1/2}) q_{k-1} "
        "depends on q_k through the midpoint; what is held fixed must be q_k - q_{k-1}.",
        mend=Mend(
            "q_k - q_{k-1} is what is held fixed",
            lambda: derivative(M_rot(qm) * (qb - qa), qb),
            lambda: M_rot(qm) + held(derivative(M_rot(qm) * w, qb), qb - qa, w),
            slip="missing term",
        ),
    ),
    Claim(
        "VI-42",
        statements=(
            Equal(derivative(q_rate, qb), one4 / h),
            Equal(derivative(qm, qb), one4 / 2),
            Equal(lambda: derivative(M_rot(qm) * w, qb), lambda: held(derivative(M_rot(q) * w, q), qm, q) / 2),
        ),
        title="chain factors of the midpoint rule",
        source=f"{NOTES}, lines 781-788 and 947-961",
    ),
    Claim(
        "VI-43",
        statements=Implies(
            [
                Zero(balance_a - contact_a),
                Zero(balance_b - contact_b),
                Equal(p_h, M_h * x_rate),
                Equal(multiplier, 2 / h**2 * scaled),
                Equal(contact, 2 / h**2 * H * scaled_contact),
            ],
            (
                Zero(h * M_h * x_rate - h * p_a - h**2 / 2 * F - A_a.T * scaled - D_a.T * H * scaled_contact),
                Equal(
                    p_b,
                    -p_a + 2 * M_h * x_rate + (A_b.T - A_a.T) * scaled / h + (D_b.T - D_a.T) * H * scaled_contact / h,
                ),
            ),
        ),
        title="momentum update of the nonsmooth scheme",
        source=lines(919, 947),
        note="Multipliers of this section are h^2/2 times those of the smooth one; that scaling makes both lines of "
        "the scheme agree with the half-step balances.",
    ),
    Claim(
        "VI-44",
        lambda: derivative(p_end(), xb),
        lambda: (
            2 / h * M_body(qm)
            + held(held(derivative(M_body(q) * x_held, x), qm, q), rate, x_held)
            + derivative(A(qb).T * lam, xb) / h
            + derivative((frame * C(qb)).T * impulse, xb) / h
        ),
        title="derivative of the end momentum in q_k",
        source=lines(961, 984),
        note="p_{k-1}, the multipliers, the frame and the body point are constant in the step.",
    ),
    Claim(
        "VI-45",
        statements=(
            Equal(lambda: derivative(M_inverse * p_end(), lam), M_inverse * (A(qb).T - A_prev) / h),
            Equal(
                lambda: derivative(M_inverse[:4, :4] * p_any, qb),
                lambda: (
                    M_inverse[:4, :4] * derivative(p_any, qb)
                    + held(derivative(M_inverse[:4, :4] * p_hold, qb), p_any, p_hold)
                ),
            ),
        ),
        title="derivative of the end velocity in the multiplier",
        source=lines(996, 1014),
        note="The inverse mass is any matrix of functions of q_k, the momentum any function (four components in the "
        "second line): nothing else about them is needed.",
    ),
    Claim(
        "VI-46",
        derivative(n.T * C(q) * xd, xd),
        n.T * C(q),
        title="Jacobian of the velocity-level contact constraint in the velocity",
        source=lines(898, 906),
        note="The contact velocity is C(x; c) x', as in lines 251-260.",
    ),
    Claim(
        "VI-47",
        statements=(
            Equal(
                derivative((n.T * (r_O + R * c - vector("rprev")))[0, 0] / h, x), n.T * derivative(r_O + R * c, x) / h
            ),
            Equal(derivative(r_O + R * c, x), C(q)),
        ),
        assumptions=UnitQuaternion(q),
        title="Jacobian of the position-level contact constraint",
        source=lines(908, 917),
        note="The second equality for every n. C is the Jacobian of r only along admissible variations, "
        "q . delta q = 0: on |q| = 1 the Jacobian in all seven coordinates is C + [0, 2 R c q^T]. "
        "It is C for the normalised R(q / |q|), which is not the R of the text.",
        mend=Mend(
            "C + [0, 2 R c q^T] in all coordinates; C along admissible variations, and for R(q / |q|)",
            statements=(
                Equal(r_x, C(q) + zeros(3, 3).row_join(2 * R * c * q.T)),
                Implies([Orthogonal(q, qd)], Equal(r_x * admissible, C(q) * admissible)),
                Equal(derivative(r_O + R * c / q.dot(q), x), C(q)),
            ),
            assumptions=UnitQuaternion(q),
            slip="missing term",
        ),
    ),
    Claim(
        "VI-48",
        statements=(
            Shape(frame_i.T * C_i * T_i, (3, N)),
            Implies(
                [Equal(f_i, frame_i * Lambda_i)],
                Equal((frame_i.T * C_i * T_i).T * Lambda_i, T_i.T * C_i.T * frame_i * Lambda_i, T_i.T * C_i.T * f_i),
            ),
        ),
        title="contact force in generalised coordinates",
        source=lines(1071, 1089),
        note="For any number of body coordinates and of system coordinates.",
    ),
    Claim(
        "VI-49",
        statements=(
            Equal(
                lambda: derivative(C(qb) * v_any, xb),
                lambda: C(qb) * derivative(v_any, xb) + held(derivative(C(qb) * x_held, xb), v_any, x_held),
            ),
            Equal(
                lambda: derivative(n.T * C(qb) * v_any, xb),
                lambda: n.T * C(qb) * derivative(v_any, xb) + held(derivative(n.T * C(qb) * x_held, xb), v_any, x_held),
            ),
        ),
        title="second-order derivative of the contact velocity",
        source=lines(1027, 1059),
        note="One body; a row of D is n^T C with any constant n; the velocity is any function of q_k.",
    ),
    Claim(
        "VI-50",
        kind="definition",
        statements=(
            Shape(nu, (3, 1)),
            Zero(nu[0] - sp.sqrt(nu[1] ** 2 + nu[2] ** 2) - (vc[0] + w_n)),
            Zero(Lc.dot(nu) - Lc[0] * (vc[0] + w_n) - (Lc[0] * slip + Lc[1] * vc[1] + Lc[2] * vc[2])),
        ),
        title="cone complementarity of a frictional contact",
        source=lines(822, 835),
        note="A law. nu in the cone |nu_t| <= nu_n says v_n + w >= 0, and the product with Lambda splits into that "
        "condition's complementarity and Coulomb's law: consistent with the impact law of line 817.",
    ),
    Claim(
        "VI-52",
        statements=Implies(
            [Zero(dx_b.T * S_b + dx_a.T * S_a), Equal(p_a, -S_a), Equal(p_b, S_b)], Zero(dx_a.T * p_a - dx_b.T * p_b)
        ),
        title="discrete Lagrange-d'Alembert balance",
        source=lines(577, 624),
        note="With the momenta of VI-33 and no force; S_a and S_b are the gradients of the discrete action.",
    ),
)
