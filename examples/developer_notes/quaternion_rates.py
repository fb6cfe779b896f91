"""Rates of unit quaternions, angular velocities and tangent spaces: claims Q-12 to Q-25, Q-38, Q-41 and Q-42.

p(t) is a curve of unit quaternions with rate dp, so p . dp = 0. Angular velocities are computed from the rotation
matrix R = Phi(p) alone: skew(omega) = R' R^T in the inertial frame, skew(Omega) = R^T R' in the body frame, with
R' the derivative of Phi along dp. Formulas that give dp from an angular velocity are checked against these.

"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Implies,
    Mend,
    NonZero,
    Shape,
    UnitQuaternion,
    Zero,
    column,
    conjugate,
    cross,
    directional_derivative,
    inverse_quaternion,
    norm,
    pure,
    quaternion,
    quaternion_product,
    skew,
    time_derivative,
    vector,
)

__all__ = ["claims"]

p, dp = quaternion("p"), quaternion("dp")
p0, p1, p2, p3 = p
dp0 = dp[0]
x, Omega, omega = vector("x"), vector("Omega"), vector("omega")
a = quaternion("a")
norm_squared = p0**2 + p1**2 + p2**2 + p3**2
p_inverse = inverse_quaternion(p)
p_inverse_rate = time_derivative(p_inverse, [(p, dp)])


def dot(u: sp.MatrixBase, v: sp.MatrixBase) -> sp.Expr:
    return (u.T * v)[0, 0]


def vector_part(u: sp.MatrixBase) -> sp.ImmutableMatrix:
    return column(u[1:])


def axial(matrix: sp.MatrixBase) -> sp.ImmutableMatrix:
    """w of a skew matrix skew(w)."""
    return column([matrix[2, 1], matrix[0, 2], matrix[1, 0]])


unit = UnitQuaternion(p)
along = Equation(dot(p, dp), 0, text="p . dp = 0")
tangent = Equation(dot(p, a), 0, text="p . a = 0")

Phi = sp.ImmutableMatrix(
    [
        [1 - 2 * p2**2 - 2 * p3**2, 2 * (p1 * p2 - p3 * p0), 2 * (p1 * p3 + p2 * p0)],
        [2 * (p1 * p2 + p3 * p0), 1 - 2 * p1**2 - 2 * p3**2, 2 * (p2 * p3 - p1 * p0)],
        [2 * (p1 * p3 - p2 * p0), 2 * (p2 * p3 + p1 * p0), 1 - 2 * p1**2 - 2 * p2**2],
    ]
)
Phi_rate = time_derivative(Phi, [(p, dp)])
omega_of_rate = axial(Phi_rate * Phi.T)  # inertial frame
Omega_of_rate = axial(Phi.T * Phi_rate)  # body frame

rotated = quaternion_product(p, pure(x), p_inverse)
sandwich = quaternion_product(p, pure(x), conjugate(p))  # the same for |p| = 1
rotated_rate = time_derivative(rotated, [(p, dp)])
turning = quaternion_product(dp, p_inverse)
left_turning, right_turning = quaternion_product(conjugate(p), a), quaternion_product(a, conjugate(p))

Psi = sp.ImmutableMatrix([[-p1, -p2, -p3], [p0, -p3, p2], [p3, p0, -p1], [-p2, p1, p0]])
Psi_transposed = sp.ImmutableMatrix([[-p1, p0, p3, -p2], [-p2, -p3, p0, p1], [-p3, p2, -p1, p0]])
left_matrix = sp.ImmutableMatrix([[p0, -p1, -p2, -p3], [p1, p0, -p3, p2], [p2, p3, p0, -p1], [p3, -p2, p1, p0]])
twist_map = sp.ImmutableMatrix(sp.diag(2 * sp.eye(3), Psi) / 2)
v_g = vector("v_g")
coordinate_rate = twist_map * column([*v_g, *Omega])
turned_rate = coordinate_rate[3:, :]  # the quaternion part of T v

claims = (
    Claim(
        "Q-12",
        statements=(
            Equal(rotated_rate, quaternion_product(turning, rotated) + quaternion_product(rotated, p, p_inverse_rate)),
            Zero(turning + quaternion_product(p, p_inverse_rate)),
            Equal(rotated_rate, quaternion_product(turning, rotated) - quaternion_product(rotated, turning)),
        ),
        title="time derivative of the rotated pure quaternion",
        source="newton_euler.tex eq:83-85; developer_notes.rst lines 4666-4685",
        note="The dotted inverse is the rate of p^-1. With p^-1 = p*/|p|^2 it holds for every p != 0.",
    ),
    Claim(
        "Q-13",
        statements=(
            Equal(turning[0], p0 * dp0 + dot(vector_part(p), vector_part(dp))),
            Implies([along], Zero(turning[0])),
        ),
        assumptions=[unit],
        title="scalar part of dp p^-1",
        source="newton_euler.tex before eq:86; developer_notes.rst line 4688",
    ),
    Claim(
        "Q-14",
        time_derivative(sandwich, [(p, dp)]),
        2 * quaternion_product(dp, conjugate(p), sandwich),
        [unit, along],
        title="derivative of the rotated pure quaternion, one-product form",
        source="newton_euler.tex eq:87; developer_notes.rst line 4704",
        note="p^-1 is written as p*, as in eq:82. It rests on the wrong exchange of pure factors (Q-06).",
        mend=Mend(
            "the vector part of the right side, whose scalar part is -omega . x'; or the commutator of eq:85",
            vector_part(time_derivative(sandwich, [(p, dp)])),
            2 * vector_part(quaternion_product(dp, conjugate(p), sandwich)),
            [unit, along],
        ),
    ),
    Claim(
        "Q-15",
        time_derivative(Phi * x, [(p, dp)]),
        2 * cross(vector_part(turning), Phi * x),
        [unit, along],
        title="velocity of the rotated vector",
        source="newton_euler.tex eq:88; developer_notes.rst line 4714",
    ),
    Claim(
        "Q-16",
        skew(omega_of_rate),
        2 * vector_part(turning),
        [unit, along],
        title="angular velocity from the quaternion rate",
        source="newton_euler.tex eq:89; developer_notes.rst line 4723",
        note="The left side is the 3x3 skew matrix of omega, the right side a vector.",
        mend=Mend("omega on the left", omega_of_rate, 2 * vector_part(turning), [unit, along], slip="extra operator"),
    ),
    Claim(
        "Q-17",
        statements=(
            Equal(quaternion_product(dp, p_inverse), pure(omega_of_rate / 2)),
            Equal(dp, quaternion_product(pure(omega_of_rate / 2), p)),
        ),
        assumptions=[unit, along],
        title="quaternion rate from the inertial angular velocity",
        source="newton_euler.tex eq:90-91; developer_notes.rst lines 4728-4738",
    ),
    Claim(
        "Q-18",
        statements=(
            Equal(
                pure(Phi * Omega),
                quaternion_product(p, pure(Omega), conjugate(p)),
                quaternion_product(p, pure(Omega), p_inverse),
            ),
        ),
        assumptions=[unit],
        title="inertial and body angular velocity through the quaternion",
        source="newton_euler.tex eq:92; developer_notes.rst line 4744",
        note="The bar over p is the adjoint quaternion; omega = R Omega is NE-07.",
    ),
    Claim(
        "Q-19",
        dp,
        quaternion_product(p, pure(Omega_of_rate)) / 2,
        [unit, along],
        title="quaternion rate from the body angular velocity",
        source="newton_euler.tex eq:93; developer_notes.rst line 4749; developer_notes_2011.md section 9.0.4",
    ),
    Claim(
        "Q-20",
        statements=(
            Equal(dp, left_matrix * pure(Omega_of_rate / 2)),
            Equal(dp, Psi * Omega_of_rate / 2),
            Equal(dp, quaternion_product(p, pure(Omega_of_rate / 2)) / 2),
        ),
        assumptions=[unit, along],
        title="compact quaternion rate",
        source="newton_euler.tex eq:94; developer_notes.rst line 4758",
        note="Each member of the chain is compared with the rate; only the first one, with both halves, fails.",
        mend=Mend("p (0, Omega/2)", dp, quaternion_product(p, pure(Omega_of_rate / 2)), [unit, along]),
    ),
    Claim(
        "Q-21",
        statements=(
            Equal(dp, Psi * Omega_of_rate / 2),
            Equal(quaternion_product(p, pure(Omega)), Psi * Omega),
        ),
        assumptions=[unit, along],
        title="matrix Psi of the quaternion rate",
        source="newton_euler.tex eq:95; developer_notes.rst line 4765",
    ),
    Claim(
        "Q-22",
        statements=(
            Equal(Omega_of_rate, 2 * vector_part(quaternion_product(p_inverse, dp))),
            Equal(Omega_of_rate, 2 * Psi_transposed * dp),
            Equal(Omega_of_rate, 2 * Psi.T * dp),
        ),
        assumptions=[unit, along],
        title="body angular velocity from the quaternion rate",
        source="newton_euler.tex eq:96-97; developer_notes.rst lines 4777-4789",
    ),
    Claim(
        "Q-23",
        statements=(Equal(Psi.T * Psi, sp.eye(4)), Equal(Psi * Psi.T, sp.eye(3))),
        assumptions=[unit],
        title="products of Psi with its transpose",
        source="newton_euler.tex after eq:97; developer_notes.rst line 4791",
        note="Psi is 4x3 (eq:95), so the two identity matrices cannot have the stated sizes.",
        mend=Mend(
            "Psi^T Psi = 1 (3x3), Psi Psi^T = 1 - p p^T (4x4)",
            statements=(Equal(Psi.T * Psi, sp.eye(3)), Equal(Psi * Psi.T, sp.eye(4) - p * p.T)),
            assumptions=[unit],
            slip="swapped index",
        ),
    ),
    Claim(
        "Q-24",
        statements=(
            Implies([tangent], Equal(directional_derivative(norm(p), p, a)[0, 0], 2 * dot(p, a), 0)),
            Implies([tangent], Equal(norm(2 * left_turning), 1)),
            Implies([tangent], Equal(norm(2 * right_turning), 1)),
        ),
        assumptions=[unit],
        title="tangency condition and its consequence",
        source="newton_euler.tex eq:48; developer_notes.rst lines 4825-4837",
        note="a is the rate of the curve at p. H_1 is the set of unit quaternions, so membership means norm 1. "
        "The chain of the first display holds along a unit curve because both members vanish; as a rule of "
        "differentiation its middle member belongs to |q|^2.",
        mend=Mend(
            "2 p* a and 2 a p* are pure quaternions",
            statements=(
                Equal(directional_derivative(dot(p, p), p, a)[0, 0], 2 * dot(p, a)),
                Implies([tangent], (Zero(left_turning[0]), Zero(right_turning[0]))),
            ),
            slip="wrong argument",
        ),
    ),
    Claim(
        "Q-25",
        statements=(
            Implies(
                [tangent],
                (
                    Zero(left_turning[0]),
                    Zero(right_turning[0]),
                    Equal(a, quaternion_product(p, pure(2 * vector_part(left_turning) / 2))),
                    Equal(a, quaternion_product(pure(2 * vector_part(right_turning) / 2), p)),
                ),
            ),
            Zero(dot(p, quaternion_product(p, pure(Omega / 2)))),
            Zero(dot(p, quaternion_product(pure(omega / 2), p))),
        ),
        assumptions=[unit],
        title="left and right tangent representations",
        source="newton_euler.tex eq:132-133, eq:1330; developer_notes.rst lines 4842-4867",
        note="Both inclusions: a tangent a is p (0, Omega/2) with the stated Omega, and every p (0, Omega/2) is "
        "tangent.",
    ),
    Claim(
        "Q-38",
        statements=(
            Shape(twist_map, (7, 6)),
            Equal(v_g, coordinate_rate[:3, :]),
            Equal(time_derivative(Phi, [(p, turned_rate)]), Phi * skew(Omega)),
            Zero(dot(p, turned_rate)),
        ),
        assumptions=[unit],
        title="matrix T of the Newton-Euler coordinates",
        source="newton_euler.tex eq:98; developer_notes.rst line 5174",
        note="q' = T(q) v means x_g' = v_g and R' = R skew(Omega) with p kept on the sphere.",
    ),
    Claim(
        "Q-41",
        directional_derivative(norm(p), p, turned_rate)[0, 0],
        0,
        [NonZero(norm_squared)],
        title="tangency of the kinematic map",
        source="developer_notes.rst lines 5962-5967; developer_notes_2011.md section 11.0.10",
        note="With T of eq:98. The matrix printed in section 9.0.4 of the 2011 notes has a wrong entry (Q-39) and "
        "would not be tangent.",
    ),
    Claim(
        "Q-42",
        Phi * skew(Omega),
        quaternion_product(p, pure(Omega / 2)),
        [unit],
        title="tangent space written with unit quaternions",
        source="newton_euler.tex eq:158; developer_notes.rst line 4918",
        note="A tangent vector of SO(3) at R is a 3x3 matrix R skew(Omega) (eq:49); the right side has four "
        "components.",
        mend=Mend(
            "the set is the tangent space of the unit quaternions at p",
            statements=(
                Implies([tangent], Equal(a, quaternion_product(p, pure(vector_part(left_turning))))),
                Zero(dot(p, quaternion_product(p, pure(Omega / 2)))),
            ),
            assumptions=[unit],
            slip="wrong argument",
        ),
    ),
)
