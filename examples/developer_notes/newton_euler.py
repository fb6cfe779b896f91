"""The Newton-Euler equations, their schemes and their Jacobians: what the notes state, as claims (NE-01 to NE-17).

Conventions of the notes: p is scalar first, R maps body vectors to inertial ones, Omega is the angular velocity in
the body frame, omega in the inertial one, twist v = (v_g, Omega), coordinates q = (x_g, p). The Jacobian of a
column has the component as its row; the notes write it with a transposed nabla.

A statement about schemes is made for abstract matrices, so that its proof holds for all numbers of bodies and
constraints. A force F(t, q, v) enters a Jacobian only through its derivatives at the point, so F is written as
F_0 + A q + B v with A = D_2 F and B = D_3 F there; the claim differences the residual instead of trusting a chain rule.

"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Invertible,
    Mend,
    Rotation,
    Shape,
    UnitQuaternion,
    column,
    conjugate,
    cross,
    derivative,
    matrix,
    pure,
    quaternion,
    quaternion_product,
    skew,
    time_derivative,
    vector,
)

__all__ = ["claims"]

# Rotations and moments, in components.
p = quaternion("p")
p0, p1, p2, p3 = p
m = vector("m")
m1, m2, m3 = m
Phi = sp.ImmutableMatrix(
    [
        [1 - 2 * p2**2 - 2 * p3**2, 2 * (p1 * p2 - p3 * p0), 2 * (p1 * p3 + p2 * p0)],
        [2 * (p1 * p2 + p3 * p0), 1 - 2 * p1**2 - 2 * p3**2, 2 * (p2 * p3 - p1 * p0)],
        [2 * (p1 * p3 - p2 * p0), 2 * (p2 * p3 + p1 * p0), 1 - 2 * p1**2 - 2 * p2**2],
    ]
)
moment_jacobian = derivative(Phi * m, p)
blank = sp.symbols("blank23 blank24", real=True)  # the display leaves these places empty
printed = sp.ImmutableMatrix(
    [
        [
            -2 * p3 * m2 + 2 * p2 * m3,
            2 * p2 * m2 + 2 * p3 * m3,
            -4 * p2 * m1 + 2 * p1 * m2 + 2 * p0 * m3,
            -3 * p3 * m1 - 2 * p0 * m2 + 2 * p1 * m3,
        ],
        [2 * p3 * m1 - 2 * p1 * m3, 2 * p2 * m1 - 4 * p1 * m2 - 2 * p1 * m3, *blank],
    ]
)

Omega, omega, Omega_rate, omega_rate = vector("Omega"), vector("omega"), vector("dOmega"), vector("domega")
inertia = matrix("I", 3, 3, symmetric=True)
R = matrix("R", 3, 3)
f_ext, f_int, M_ext, M_int = vector("f_ext"), vector("f_int"), vector("M_ext"), vector("M_int")
gyroscopic = cross(Omega, inertia * Omega)

J_inertial = R * inertia * R.T
R_rate = skew(omega) * R
momentum_rate = time_derivative(J_inertial, [(R, R_rate)]) * omega + J_inertial * omega_rate


def axial(skew_matrix: sp.MatrixBase) -> sp.ImmutableMatrix:
    """w of skew(w)."""
    return column([skew_matrix[2, 1], skew_matrix[0, 2], skew_matrix[1, 0]])


# Schemes and constraints, for all sizes: n velocities, c coordinates, a equality rows, b contact rows.
n, c, a, b = sp.symbols("n c a b", integer=True, positive=True)
h, theta = sp.symbols("h theta", real=True)


def _column(name: str, size: sp.Symbol) -> sp.MatrixSymbol:
    return sp.MatrixSymbol(name, size, 1)


M, T = sp.MatrixSymbol("M", n, n), sp.MatrixSymbol("T", c, n)
D2F, D3F = sp.MatrixSymbol("D2F", n, c), sp.MatrixSymbol("D3F", n, n)
C, K = sp.MatrixSymbol("C", n, n), sp.MatrixSymbol("K", n, c)
H, G = sp.MatrixSymbol("H", a, n), sp.MatrixSymbol("G", b, n)
Q, P = _column("Q", a), _column("P", b)
F_0, F_k, F_1, v, v_k, v_next, d = (_column(name, n) for name in ("F_0", "F_k", "F_1", "v", "v_k", "v_next", "d"))
q_k = _column("q_k", c)


def _position(twist: sp.MatrixExpr) -> sp.MatrixExpr:
    """q(v) of the nearly implicit scheme, with T at the frozen coordinates."""
    return q_k + h * T * ((1 - theta) * v_k + theta * twist)


def _force(twist: sp.MatrixExpr) -> sp.MatrixExpr:
    return F_0 + D2F * _position(twist) + D3F * twist


def _residual(twist: sp.MatrixExpr, force: sp.MatrixExpr) -> sp.MatrixExpr:
    return M * (twist - v_k) - h * theta * force - h * (1 - theta) * F_k - H.T * Q - G.T * P


def _force_with_linear_wrench(twist: sp.MatrixExpr) -> sp.MatrixExpr:
    """F = F_ext - M_gyr - F_int with F_int = C v + K q; the first two do not concern the statement."""
    return F_0 - (C * twist + K * _position(twist))


any_force = sp.Function("F")
any_coordinates, any_twist, any_map = vector("q", 3), vector("v", 2), matrix("T", 3, 2)
any_position = column(vector("q_k", 3) + h * any_map * ((1 - theta) * vector("v_k", 2) + theta * any_twist))
chain_rule = (
    h * theta * derivative(any_force(*any_coordinates, *any_twist), any_coordinates) * any_map
    + derivative(any_force(*any_coordinates, *any_twist), any_twist)
).subs(dict(zip(any_coordinates, any_position, strict=True)))
difference = _residual(v + d, _force(v + d)) - _residual(v, _force(v))
wrench_difference = _force_with_linear_wrench(v + d) - _force_with_linear_wrench(v)
residual_wrench_difference = _residual(v + d, _force_with_linear_wrench(v + d)) - _residual(
    v, _force_with_linear_wrench(v)
)

S = sp.MatrixSymbol("S", n, n)
r, r_free, v_free = _column("r", n), _column("R_free", n), _column("v_free", n)
W = S.inv()
free_residual = M * (v - v_k) - h * theta * F_1 - h * (1 - theta) * F_k
full_residual = free_residual - H.T * Q - G.T * P
updated = v_free + W * (H.T * Q + G.T * P)

constraint = sp.Function("h")(*vector("q", 7))
constraint_jacobian = derivative(constraint, vector("q", 7))
twist_map, twist = matrix("T", 7, 6), vector("v", 6)
multiplier, J = _column("lambda", a), sp.MatrixSymbol("J", a, c)
T_abstract = sp.MatrixSymbol("T", c, n)

CT, H_rate, Fl = sp.MatrixSymbol("CT", a, n), _column("dH", a), _column("Fl_k", n)
X_free = h * M.inv() * Fl + v_k

psi3, p3_rate, Omega3 = sp.MatrixSymbol("psi", 3, 3), sp.MatrixSymbol("dp", 3, 1), sp.MatrixSymbol("Omega", 3, 1)
psi4, p4_rate = sp.MatrixSymbol("psi", 4, 3), sp.MatrixSymbol("dp", 4, 1)

rotation, rotation_rate = sp.MatrixSymbol("R", 3, 3), sp.MatrixSymbol("dR", 3, 3)
body_skew, body_moment, moment = (
    sp.MatrixSymbol("Omega_tilde", 3, 3),
    sp.MatrixSymbol("M_body", 3, 1),
    sp.MatrixSymbol("m", 3, 1),
)

claims = (
    Claim(
        "NE-01",
        statements=(
            Equal(moment_jacobian[0, :], printed[0, :]),
            Equal(moment_jacobian[1, :2], printed[1, :2]),
            Shape(printed, (3, 4)),
        ),
        title="Jacobian of the external moment given in the inertial frame",
        source="newton_euler.tex eq:118; developer_notes.rst line 5668",
        note="The display has two rows and leaves two entries of the second one empty; the six printed entries "
        "are compared one by one.",
        mend=Mend(
            "-4 p3 m1 in entry (1, 4), -2 p0 m3 in entry (2, 2), and the six missing entries",
            derivative(Phi * m, p),
            [
                [
                    -2 * p3 * m2 + 2 * p2 * m3,
                    2 * p2 * m2 + 2 * p3 * m3,
                    -4 * p2 * m1 + 2 * p1 * m2 + 2 * p0 * m3,
                    -4 * p3 * m1 - 2 * p0 * m2 + 2 * p1 * m3,
                ],
                [
                    2 * p3 * m1 - 2 * p1 * m3,
                    2 * p2 * m1 - 4 * p1 * m2 - 2 * p0 * m3,
                    2 * p1 * m1 + 2 * p3 * m3,
                    2 * p0 * m1 - 4 * p3 * m2 + 2 * p2 * m3,
                ],
                [
                    -2 * p2 * m1 + 2 * p1 * m2,
                    2 * p3 * m1 + 2 * p0 * m2 - 4 * p1 * m3,
                    -2 * p0 * m1 + 2 * p3 * m2 - 4 * p2 * m3,
                    2 * p1 * m1 + 2 * p2 * m2,
                ],
            ],
        ),
    ),
    Claim(
        "NE-02",
        Phi.T,
        Phi,
        [UnitQuaternion(p)],
        title="external moment carried to the body frame",
        source="newton_euler.tex eq:115; developer_notes.rst line 5639",
        note="The matrices that are applied to m. R = Phi(p) maps body to inertial (eq:81), so R^T is not Phi(p).",
        mend=Mend(
            "M_ext = R^T m = Phi(p)^T m",
            quaternion_product(conjugate(p), pure(m), p)[1:],
            Phi.T * m,
            [UnitQuaternion(p)],
        ),
    ),
    Claim(
        "NE-03",
        Phi * m,
        [
            (1 - 2 * p2**2 - 2 * p3**2) * m1 + 2 * (p1 * p2 - p3 * p0) * m2 + 2 * (p1 * p3 + p2 * p0) * m3,
            2 * (p1 * p2 + p3 * p0) * m1 + (1 - 2 * p1**2 - 2 * p3**2) * m2 + 2 * (p2 * p3 - p1 * p0) * m3,
            2 * (p1 * p3 - p2 * p0) * m1 + 2 * (p2 * p3 + p1 * p0) * m2 + (1 - 2 * p1**2 - 2 * p2**2) * m3,
        ],
        title="expansion of Phi(p) m",
        source="newton_euler.tex eq:117; developer_notes.rst line 5656",
    ),
    Claim(
        "NE-04",
        derivative(gyroscopic, Omega),
        sp.Matrix.hstack(
            *(
                cross(e, inertia * Omega) + cross(Omega, inertia * e)
                for e in (column(sp.eye(3)[:, i]) for i in range(3))
            )
        ),
        title="gyroscopic moment Jacobian",
        source="newton_euler.tex eq:112; developer_notes.rst line 5601",
    ),
    Claim(
        "NE-05",
        statements=(
            Equal(
                column([*(f_ext - f_int), *(-gyroscopic + M_ext - M_int)]),
                column([*(f_ext - f_int), *(cross(inertia * Omega, Omega) + (M_ext - M_int))]),
            ),
            Equal(
                inertia * Omega_rate + cross(Omega, inertia * Omega) - m,
                inertia * Omega_rate - (cross(inertia * Omega, Omega) + m),
            ),
        ),
        title="total wrench and gyroscopic term",
        source="newton_euler.tex, Newton-Euler compact form and notation section; developer_notes.rst lines 3261, 5306",
        note="I Omega x Omega is read as (I Omega) x Omega; f = f_ext - f_int and M = M_ext - M_int define the "
        "parts. The last line compares I Omega' + Omega x I Omega - M with I Omega' - F.",
    ),
    Claim(
        "NE-06",
        statements=(
            Implies([Equal(p3_rate, psi3 * Omega3)], Equal(p3_rate, psi3 * p3_rate)),
            Equal(p4_rate, lambda: psi4 * p4_rate),
        ),
        title="relation between twist and coordinate rate",
        source="newton_euler.tex eq:TT; developer_notes.rst line 3215",
        note="The second block of the middle member is psi(p) p'. With n_p = 3 the product exists and differs "
        "from p'; with n_p = 4 it does not exist.",
        mend=Mend(
            "p' = psi(p) Omega in the second block", statements=(Shape(p4_rate, (4, 1)), Shape(psi4 * Omega3, (4, 1)))
        ),
    ),
    Claim(
        "NE-07",
        statements=(
            Implies(
                [Equal(body_skew, rotation.T * rotation_rate), Rotation(rotation)],
                Equal(rotation_rate * rotation.T, rotation * body_skew * rotation.T),
            ),
            Equal(R * skew(Omega) * R.T, skew(R * Omega)),
            Equal(axial(skew(omega)), omega),
        ),
        assumptions=[Rotation(R)],
        title="angular velocity in the two frames",
        source="newton_euler.tex eq:angularvelocity, eq:4; developer_notes.rst lines 3037-3085",
        note="R is a rotation matrix by its introduction in the text. With R skew(Omega) R^T = skew(R Omega) and a "
        "one-to-one skew, skew(omega) = R skew(Omega) R^T says omega = R Omega and conversely.",
    ),
    Claim(
        "NE-08",
        momentum_rate,
        J_inertial * omega_rate + cross(omega, J_inertial * omega),
        title="angular motion in the inertial frame",
        source="newton_euler.tex eq:motion-NewtonEuler-inertial; developer_notes.rst lines 3092-3116",
        note="The rate of J(R) omega is taken along R' = skew(omega) R with a constant body inertia; that R is "
        "orthogonal is not needed. The balance sets it equal to m.",
    ),
    Claim(
        "NE-09",
        statements=(Implies([Equal(moment, rotation * body_moment)], Equal(body_moment, rotation.T * moment)),),
        assumptions=[Rotation(rotation)],
        title="convected moment",
        source="newton_euler.tex eq:convected_moment; developer_notes.rst line 3070",
        note="R maps body components to inertial ones: m = R M.",
    ),
    Claim(
        "NE-10",
        statements=(
            Equal(derivative(any_force(*any_position, *any_twist), any_twist), chain_rule),
            Equal(_force(v + d) - _force(v), (h * theta * D2F * T + D3F) * d),
            Equal(
                difference,
                (M - h * theta * (h * theta * D2F * T + D3F)) * d,
                (M - h * theta * D3F - h**2 * theta**2 * D2F * T) * d,
            ),
        ),
        title="Jacobian of the nearly implicit residual",
        source="newton_euler.tex eq:102-104; developer_notes.rst lines 5484-5505",
        note="First the chain rule for one component of an arbitrary F, with three coordinates and two velocities; "
        "then, for all sizes, the difference of the residual between v + d and v, with F given by its value "
        "and derivatives at the point. T, H and G are frozen.",
    ),
    Claim(
        "NE-11",
        statements=(
            Implies([Equal(S * (v_next - v), -r)], Equal(v_next, v - W * r)),
            Equal(
                v - W * (r_free - H.T * Q - G.T * P),
                v - W * r_free + W * H.T * Q + W * G.T * P,
                (v - W * r_free) + W * (H.T * Q + G.T * P),
            ),
        ),
        assumptions=[Invertible(S)],
        title="Newton update of the twist",
        source="newton_euler.tex eq:105-108; developer_notes.rst lines 5512-5537",
        note="S is the Jacobian of the residual at the iterate (NE-10). The first line solves the linearised "
        "equation for any residual r, the second puts in that of the notes with the multipliers of the new "
        "iterate.",
    ),
    Claim(
        "NE-12",
        statements=(
            Equal(H * updated, H * v_free + H * W * H.T * Q + H * W * G.T * P),
            Equal(G * updated, G * v_free + G * W * H.T * Q + G * W * G.T * P),
        ),
        assumptions=[Invertible(S)],
        title="local velocities and the assembled linear relation",
        source="newton_euler.tex eq:109-111; developer_notes.rst lines 5541-5572",
        note="The two block rows of the assembled relation, for u = H v and u = G v at the new iterate.",
    ),
    Claim(
        "NE-13",
        statements=(
            Equal(wrench_difference, (h * theta * K * T + C) * d),
            Equal(residual_wrench_difference, (M - h * theta * C - h**2 * theta**2 * K * T) * d),
        ),
        title="linear internal wrench: Jacobian of the residual",
        source="newton_euler.tex eq:113-114; developer_notes.rst lines 5612-5630",
        note="The notes define F = F_ext - M_gyr - F_int, so F_int = C v + K q enters F with a minus sign.",
        mend=Mend(
            "-(h theta K T + C), and M + h theta C + h^2 theta^2 K T",
            statements=(
                Equal(wrench_difference, -(h * theta * K * T + C) * d),
                Equal(residual_wrench_difference, (M + h * theta * C + h**2 * theta**2 * K * T) * d),
            ),
        ),
    ),
    Claim(
        "NE-14",
        full_residual,
        free_residual - h * (1 - theta) * F_k - H.T * Q - G.T * P,
        title="full residual from the free residual (implementation section)",
        source="newton_euler.tex, implementation section; developer_notes.rst line 5686",
        note="The free residual of eq:106 holds the term h (1 - theta) F(t_k, q_k, v_k) already.",
        mend=Mend("without its repetition", full_residual, free_residual - H.T * Q - G.T * P),
    ),
    Claim(
        "NE-15",
        statements=(
            Implies(
                [Equal(M * (v_next - v_k) - h * F_k, H.T * Q + G.T * P)],
                Equal(v_next, v_k + M.inv() * h * F_k + M.inv() * (H.T * Q + G.T * P)),
            ),
        ),
        assumptions=[Invertible(M)],
        title="semi-explicit velocity",
        source="newton_euler.tex eq:Moreau--Jean-theta--explicit-v; developer_notes.rst line 5411",
    ),
    Claim(
        "NE-16",
        statements=(
            Equal(
                time_derivative(constraint, [(vector("q", 7), twist_map * twist)]),
                constraint_jacobian * twist_map * twist,
            ),
            Equal(multiplier.T * (J * T_abstract * v), ((J * T_abstract).T * multiplier).T * v),
            Shape(J * T_abstract, (a, n)),
        ),
        title="constraints at the velocity level and their dual force",
        source="newton_euler.tex eq:bilateral-constraints-velocity, eq:100; developer_notes.rst lines 5234-5328",
        note="The rate of an arbitrary h(q) along q' = T v; duality is equality of the powers lambda^T h' and "
        "force^T v. CT is the name of J T.",
    ),
    Claim(
        "NE-17",
        statements=(
            Implies([Equal(M * (v_next - v_k), r)], Equal(v_next, v_k + M.inv() * r)),
            Equal(
                CT * (v_k + M.inv() * (h * Fl + CT.T * (h * multiplier))) + H_rate,
                CT * M.inv() * CT.T * (h * multiplier) + CT * X_free + H_rate,
            ),
        ),
        assumptions=[Invertible(M)],
        title="explicit discretisation and its local velocity (2011 notes)",
        source="developer_notes_2011.md eqs 9.3-9.4 and following",
        note="The inertia with blocks m 1 and I is M; W is its inverse. The first line solves the discrete "
        "equation for any right side r, the second puts it into Y' = CT v_{k+1} + H'.",
    ),
)
