"""The Lie algebra and the exponential of unit quaternions: what the notes state, as claims (Q-26 to Q-36).

The hat of Omega is the pure quaternion (0, Omega/2), theta = |Omega|. The exponential is the curve q(t) with
q' = q hat(Omega), q(0) = e, taken at t = 1 (eq:235); ``exponential`` is the closed form, shown in Q-29 to solve that
problem, and the other claims differentiate it. Formulas that divide by theta are read for theta > 0 and by their limit
at zero.

"""

from collections.abc import Sequence

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Mend,
    SeriesEqual,
    Shape,
    UnitQuaternion,
    column,
    conjugate,
    cross,
    derivative,
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

Omega, Gamma, x = vector("Omega"), vector("Gamma"), vector("x")
p, p_0, r = quaternion("p"), quaternion("a"), quaternion("r")
t = sp.Symbol("t", real=True)
theta = norm(Omega)
k = sp.Symbol("k", integer=True, nonnegative=True)
one = sp.ImmutableMatrix([1, 0, 0, 0])


def dot(u: sp.MatrixBase, v: sp.MatrixBase) -> sp.Expr:
    return (u.T * v)[0, 0]


def hat(w: Sequence[sp.Expr] | sp.MatrixBase) -> sp.ImmutableMatrix:
    """(0, w/2)."""
    return pure(column(w) / 2)


def power(u: sp.MatrixBase, exponent: int) -> sp.ImmutableMatrix:
    return quaternion_product(one, *[u] * exponent)


def bracket(u: sp.MatrixBase, v: sp.MatrixBase) -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix(quaternion_product(u, v) - quaternion_product(v, u))


def exponential(time: sp.Expr) -> sp.ImmutableMatrix:
    """exp(time hat(Omega))."""
    return column([sp.cos(time * theta / 2), *(sp.sin(time * theta / 2) / theta * Omega)])


E = exponential(sp.S.One)
E_rate = time_derivative(E, [(Omega, Gamma)])
E_gradient = derivative(E, Omega)
T = sp.ImmutableMatrix(
    sp.eye(3) + (1 - sp.cos(theta)) / theta**2 * skew(Omega) + (theta - sp.sin(theta)) / theta**3 * skew(Omega) ** 2
)  # eq:173
z = sp.Symbol("z")  # stands for an eigenvalue of skew(Omega), or for the hat of Omega in a power series
dexp = hat((T * Omega).applyfunc(sp.expand))  # dexp at hat(Omega), applied to hat(Omega)
turned = column(quaternion_product(p, exponential(t), pure(x), conjugate(quaternion_product(p, exponential(t))))[1:])
conjugated = quaternion_product(p, hat(Gamma), inverse_quaternion(p))
at_identity = dict(zip(p, one, strict=True))


def split_sum(exponent_of_odd: sp.Expr) -> tuple[Equal, ...]:
    """Powers of hat(Omega) over k! against the terms of the split series, for the first three k of each sum."""
    even = [
        Equal(
            power(hat(Omega), 2 * n) / sp.factorial(2 * n),
            (-1) ** n / sp.factorial(2 * n) * (theta / 2) ** (2 * n) * one,
        )
        for n in range(3)
    ]
    odd = [
        Equal(
            power(hat(Omega), 2 * n + 1) / sp.factorial(2 * n + 1),
            (-1) ** n / sp.factorial(2 * n + 1) * (theta / 2) ** exponent_of_odd.subs(k, n) * hat(Omega),
        )
        for n in range(3)
    ]
    return (*even, *odd)


claims = (
    Claim(
        "Q-26",
        statements=(
            Equal(bracket(hat(Omega), hat(Gamma)), pure(cross(Omega, Gamma) / 2)),
            Equal(bracket(hat(Omega), hat(Gamma)), hat(cross(Omega, Gamma))),
        ),
        title="Lie bracket of h_1",
        source="newton_euler.tex eq:136-137; developer_notes.rst lines 4889-4907",
    ),
    Claim(
        "Q-27",
        statements=(
            Equal(power(hat(Omega), 2), -((theta / 2) ** 2) * one),
            Equal(power(hat(Omega), 3), -((theta / 2) ** 2) * hat(Omega)),
        ),
        title="powers of the hat quaternion",
        source="newton_euler.tex eq:140; developer_notes.rst line 5011",
    ),
    Claim(
        "Q-28",
        statements=split_sum(2 * k + 1),
        title="quaternion exponential as split series",
        source="newton_euler.tex eq:141 second line; developer_notes.rst line 5021",
        note="Term by term against the powers of hat(Omega), for k = 0, 1, 2: both sums are homogeneous in Omega "
        "term by term, so they agree only if their terms do.",
        mend=Mend(
            "(theta/2)^(2k) in the second sum",
            statements=(
                *split_sum(2 * k),
                SeriesEqual(sp.cos(z), (-1) ** k * z ** (2 * k) / sp.factorial(2 * k), z, k),
                SeriesEqual(sp.sin(z) / z, (-1) ** k * z ** (2 * k) / sp.factorial(2 * k + 1), z, k),
            ),
            slip="wrong exponent",
        ),
    ),
    Claim(
        "Q-29",
        statements=(
            Equal(sp.diff(exponential(t), t), quaternion_product(exponential(t), hat(Omega))),
            Equal(exponential(sp.S.Zero), one),
            Equal(E, sp.cos(theta / 2) * one + sp.sin(theta / 2) / (theta / 2) * hat(Omega)),
            Equal(E, column([sp.cos(theta / 2), *(sp.sin(theta / 2) * Omega / theta)])),
        ),
        title="closed form of the quaternion exponential",
        source="newton_euler.tex eq:141 third line, eq:144; developer_notes.rst lines 5022-5030",
        note="The exponential is the solution of q' = q hat(Omega), q(0) = e at t = 1, which is unique.",
    ),
    Claim(
        "Q-30",
        statements=(
            SeriesEqual(sp.diff(sp.exp(t * z), t), k * t ** (k - 1) * z**k / sp.factorial(k), t, k, start=1),
            Equal(sp.diff(exponential(t), t), quaternion_product(exponential(t), hat(Omega))),
            Equal(sp.diff(exponential(t), t), t * quaternion_product(exponential(t), hat(Omega))),
        ),
        title="derivative of the quaternion exponential series",
        source="newton_euler.tex eq:233; developer_notes.rst line 5003",
        note="Powers of one quaternion commute, so the first sum is that of a number z. The second sum of the "
        "chain is t exp(t hat(Omega)) hat(Omega): the factor t does not depend on k.",
        mend=Mend(
            "without that t",
            statements=(
                SeriesEqual(sp.diff(sp.exp(t * z), t), t**k * z**k / sp.factorial(k) * z, t, k),
                Equal(sp.diff(exponential(t), t), quaternion_product(exponential(t), hat(Omega))),
            ),
        ),
    ),
    Claim(
        "Q-31",
        statements=(
            Equal(
                sp.diff(quaternion_product(p_0, exponential(t)), t), quaternion_product(p_0, exponential(t), hat(Omega))
            ),
            Equal(quaternion_product(p_0, exponential(sp.S.Zero)), lambda: sp.MatrixSymbol("R", 3, 3) * p_0),
            Equal(quaternion_product(p_0, exponential(sp.S.Zero)), quaternion_product(r, p_0)),
        ),
        assumptions=[UnitQuaternion(r)],
        title="solution of the quaternion Lie equation",
        source="newton_euler.tex eq:130, eq:138; developer_notes.rst lines 4967-4978",
        note="The differential equation holds. The initial value R p_0 does not exist for a 3x3 R, and with R "
        "read as a unit quaternion r it is not the value of the stated solution at 0.",
        mend=Mend(
            "p(0) = p_0",
            statements=(
                Equal(
                    sp.diff(quaternion_product(p_0, exponential(t)), t),
                    quaternion_product(p_0, exponential(t), hat(Omega)),
                ),
                Equal(quaternion_product(p_0, exponential(sp.S.Zero)), p_0),
            ),
            slip="wrong argument",
        ),
    ),
    Claim(
        "Q-32",
        statements=(
            Equal(bracket(hat(Omega), hat(Gamma)), hat(skew(Omega) * Gamma)),
            Equal(skew(Omega) ** 3, -(theta**2) * skew(Omega)),
            SeriesEqual((sp.exp(z) - 1) / z, z**k / sp.factorial(k + 1), z, k),
            Equal(
                (sp.exp(sp.I * theta) - 1) / (sp.I * theta),
                1 + (1 - sp.cos(theta)) / theta**2 * (sp.I * theta) - (theta - sp.sin(theta)) / theta**3 * theta**2,
            ),
            Equal(E_rate, quaternion_product(hat(T * Gamma), E)),
        ),
        title="differential of the quaternion exponential (right trivialised)",
        source="newton_euler.tex eq:71, eq:168; developer_notes.rst lines 5071-5081",
        note="ad is skew(Omega) (first line), whose eigenvalues are 0 and +-i theta (second line); the sum of "
        "ad^k/(k+1)! is (exp(z) - 1)/z at those, which T takes there. The last line is the derivative of the "
        "exponential itself.",
    ),
    Claim(
        "Q-33",
        statements=(
            Equal(E_rate[0], -sp.sin(theta) / theta * dot(Omega, Gamma)),
            Equal(
                column(E_rate[1:]),
                sp.sin(theta) / theta * Gamma
                + (theta * sp.cos(theta) - sp.sin(theta)) / theta**3 * dot(Omega, Omega) * Gamma,
            ),
        ),
        title="time derivative of the quaternion exponential in R^4",
        source="newton_euler.tex eq:171; developer_notes.rst line 5089",
        note="The rate of exp(hat(Omega)) for Omega' = Gamma, by eq:144. With the hat read as (0, Omega) the "
        "arguments would be theta, and Omega Omega^T Gamma would still be needed.",
        mend=Mend(
            "half angles, and Omega Omega^T Gamma",
            E_rate,
            column(
                [
                    -sp.sin(theta / 2) / (2 * theta) * dot(Omega, Gamma),
                    *(
                        sp.sin(theta / 2) / theta * Gamma
                        + (theta / 2 * sp.cos(theta / 2) - sp.sin(theta / 2)) / theta**3 * Omega * dot(Omega, Gamma)
                    ),
                ]
            ),
            slip="missing factor 1/2",
        ),
    ),
    Claim(
        "Q-34",
        statements=(
            Shape(hat(Gamma), (3, 1)),
            Equal(
                sp.sin(theta) / theta * sp.eye(3),
                lambda: (
                    sp.eye(3) * sp.sin(theta) / theta
                    + (theta * sp.cos(theta) - sp.sin(theta)) / theta**3 * (Omega.T * Omega)
                ),
            ),
            Equal(
                E_gradient,
                sp.Matrix.vstack(
                    -sp.sin(theta) / theta * Omega.T,
                    sp.sin(theta) / theta * sp.eye(3)
                    + (theta * sp.cos(theta) - sp.sin(theta)) / theta**3 * (Omega * Omega.T),
                ),
            ),
        ),
        title="gradient of the quaternion exponential in R^4",
        source="newton_euler.tex eq:175-176; developer_notes.rst lines 5096-5107",
        note="A 4x3 matrix cannot be applied to the quaternion hat(Omega'), and the scalar Omega^T Omega cannot "
        "be added to a 3x3 matrix. With Omega Omega^T, and applied to Omega', it still has theta for "
        "theta/2.",
        mend=Mend(
            "half angles, Omega Omega^T, and the vector part of hat(Omega') as argument",
            2 * E_gradient,
            sp.Matrix.vstack(
                -sp.sin(theta / 2) / theta * Omega.T,
                2 * sp.sin(theta / 2) / theta * sp.eye(3)
                + (theta * sp.cos(theta / 2) - 2 * sp.sin(theta / 2)) / theta**3 * (Omega * Omega.T),
            ),
            slip="transpose",
        ),
    ),
    Claim(
        "Q-35",
        statements=(
            Equal(
                quaternion_product(p, hat(Omega), inverse_quaternion(p)),
                quaternion_product(p, hat(Omega), conjugate(p)),
            ),
            Equal(
                directional_derivative(conjugated, p, hat(Omega)).subs(at_identity),
                hat(cross(Omega, Gamma)),
                hat(skew(Omega) * Gamma),
            ),
        ),
        assumptions=[UnitQuaternion(p)],
        title="adjoint maps of the unit quaternions",
        source="newton_euler.tex eq:121, eq:56, eq:145; developer_notes.rst lines 5040-5060",
        note="Ad_p is conjugation by p; ad is its derivative at the identity in the direction hat(Omega).",
    ),
    Claim(
        "Q-36",
        sp.diff(turned, t).subs(t, 0),
        column(
            quaternion_product(
                p, quaternion_product(dexp, pure(x)) + quaternion_product(pure(x), conjugate(dexp)), conjugate(p)
            )[1:]
        ),
        title="directional derivative of the rotated vector",
        source="newton_euler.tex eq:142-146; developer_notes.rst lines 5138-5163",
        note="dexp at hat(Omega) applied to hat(Omega) is hat(T(Omega) Omega). It holds for every quaternion p.",
    ),
)
