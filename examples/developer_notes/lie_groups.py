"""Claims of the developer notes on Lie groups and on SO(3): exponential, its differential, maps on the group.

The 28 formulas SO-01 to SO-28 of ``developer_notes.rst`` (those of SO(3) stand in ``newton_euler.tex`` as well).
W = skew(Omega) is the skew matrix of a vector, theta = |Omega|, [a, b] = a b - b a.

Where the truth comes from. A power series g of W is computed, not typed: W^3 = -theta^2 W (SO-04), so g(W) is the
polynomial of degree two that agrees with g at the eigenvalues 0 and +-i theta (``of_skew``).

On a matrix Lie algebra, left and right multiplication by a commute, so a power series in them applied to b is
decided by its values on pairs of eigenvalues (y, y + z) of a: ``a`` is diag(y + z, y) and ``b`` the matrix unit E_12,
for which a b = (y + z) b, b a = y b and ad_a b = z b. An identity in y and z holds for all matrices; a point where it
fails is a counterexample with these two matrices. The differential of the exponential is that of SymPy's own
exponential of a + t b. A series in ad_a alone is one in z.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import I, Identity, Matrix, MatrixSymbol, cos, exp, eye, factorial, sin

from nsdgen.verify import (
    Claim,
    Equal,
    Fails,
    Implies,
    Invertible,
    Mend,
    NonZero,
    Reading,
    Rotation,
    SeriesEqual,
    Skew,
    Zero,
    cross,
    derivative,
    directional_derivative,
    matrix,
    norm,
    skew,
    time_derivative,
    vector,
)

NOTES = "developer_notes.rst"


def lines(*numbers: int) -> str:
    """Where a formula stands: pairs of a first and a last line."""
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return f"{NOTES}, lines " + ", ".join(f"{a}-{b}" for a, b in pairs)


# --- SO(3) ----------------------------------------------------------------------------------------------------------

Omega, Gamma, rate, x = vector("Omega"), vector("Gamma"), vector("Omegadot"), vector("x")
W, G = skew(Omega), skew(Gamma)
theta = norm(Omega)
angle, z, y = sp.symbols("theta z y", positive=True)
t, t0, alpha, beta = sp.symbols("t t0 alpha beta", real=True)
k = sp.Symbol("k", integer=True, nonnegative=True)
one = eye(3)


def coefficients(series: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """c0, c1, c2 with series(W) = c0 1 + c1 W + c2 W^2, as functions of the symbol ``angle``; series is one in z."""
    c0 = sp.limit(series, z, 0)
    plus, minus = (series.subs(z, s * I * angle).rewrite(cos).expand() for s in (1, -1))
    return c0, sp.simplify((plus - minus) / (2 * I * angle)), sp.simplify((2 * c0 - plus - minus) / (2 * angle**2))


def of_skew(series: sp.Expr, vector_: Any = Omega) -> Matrix:
    """series(skew(vector_)), 3x3, for a power series in z."""
    c0, c1, c2 = (c.subs(angle, norm(vector_)) for c in coefficients(series))
    return c0 * one + c1 * skew(vector_) + c2 * skew(vector_) ** 2


right_series, left_series = (exp(z) - 1) / z, (1 - exp(-z)) / z
E_W, E_tW = of_skew(exp(z)), of_skew(exp(t * z))
T = one + (1 - cos(theta)) / theta**2 * W + (theta - sin(theta)) / theta**3 * W**2
E_rate = time_derivative(E_W, ((Omega, rate),))
R, R_any = matrix("R", 3, 3), matrix("S", 3, 3)
rotation = Rotation(R)
start = sp.simplify(E_tW.diff(t).subs(t, 0))  # the tangent of exp(t W) at t = 0
F = sp.Function("f")(*R)
linear = Equal(
    directional_derivative(F, R, R * skew(alpha * Omega + beta * Gamma)),
    alpha * directional_derivative(F, R, R * W) + beta * directional_derivative(F, R, R * G),
)
d = sp.Symbol("d", integer=True, positive=True)  # SO(d): what needs no components holds for all sizes
Rn, Wn = MatrixSymbol("R", d, d), MatrixSymbol("W", d, d)
abstract = (Rotation(Rn), Skew(Wn))

so3 = (
    Claim(
        "SO-01",
        E_W,
        one + sin(theta) / theta * W + (cos(theta) - 1) / theta**2 * W**2,
        title="closed form of the matrix exponential on so(3)",
        source=lines(3166, 3178),
        note="The coefficient of W^2 is (1 - cos theta)/theta^2.",
        mend=Mend("(1 - cos theta) / theta^2", E_W, one + sin(theta) / theta * W + (1 - cos(theta)) / theta**2 * W**2),
    ),
    Claim(
        "SO-02",
        statements=(
            SeriesEqual(
                coefficients(exp(z))[1], (-1) ** (k - 1) / factorial(2 * k - 1) * angle ** (2 * k - 1), angle, k, 1
            ),
            SeriesEqual(
                coefficients(exp(z))[2], (-1) ** (k - 1) / factorial(2 * k) * angle ** (2 * k - 2), angle, k, 0
            ),
        ),
        title="series of the matrix exponential on so(3)",
        source=lines(3169, 3169),
        note="First sum: the power of theta is 2k - 2. Second sum: the power stands outside the sum that binds k; "
        "read inside, the term k = 0 is too much.",
        mend=Mend(
            "theta^(2k-2) in both sums, both from k = 1",
            statements=(
                SeriesEqual(
                    coefficients(exp(z))[1], (-1) ** (k - 1) / factorial(2 * k - 1) * angle ** (2 * k - 2), angle, k, 1
                ),
                SeriesEqual(
                    coefficients(exp(z))[2], (-1) ** (k - 1) / factorial(2 * k) * angle ** (2 * k - 2), angle, k, 1
                ),
            ),
            slip="wrong exponent",
        ),
    ),
    Claim(
        "SO-03",
        E_tW,
        one + sin(t * theta) / theta * W + (cos(t * theta) - 1) / theta**2 * W**2,
        title="matrix exponential of t Omega-tilde",
        source=lines(4172, 4175),
        note="The coefficient of W^2 is (1 - cos t theta)/theta^2.",
        mend=Mend(
            "(1 - cos t theta) / theta^2",
            E_tW,
            one + sin(t * theta) / theta * W + (1 - cos(t * theta)) / theta**2 * W**2,
        ),
    ),
    Claim(
        "SO-04",
        statements=(
            Equal(W * x, cross(Omega, x)),
            Equal(W**3, -Omega.dot(Omega) * W),
            Equal(W * G - G * W, skew(cross(Omega, Gamma))),
        ),
        title="cross product, cube of the skew matrix, commutator",
        source=lines(3028, 3031, 3160, 3161, 3981, 4008),
    ),
    Claim(
        "SO-05",
        statements=(
            Equal(W.det(), W.T.det(), (-W.T).det(), (-1) ** 3 * W.det()),
            Equal(W.det(), 0),
            Equal(E_tW.det(), 1),
        ),
        title="determinants on so(3) and SO(3)",
        source=lines(4178, 4189),
    ),
    Claim(
        "SO-06",
        statements=Equal((W * G - G * W) / 2, W * G / 2),
        title="dexp on so(3) as a power series of matrices",
        source=lines(4251, 4257),
        note="Both sums are graded by the powers of Omega, so they agree only term by term: this is the term k = 1. "
        "The second sum is the right one for the vector, skew(sum W^k Gamma / (k+1)!).",
        mend=Mend("W^k acts on the vector Gamma", W * G - G * W, skew(W * Gamma)),
    ),
    Claim(
        "SO-07",
        statements=(
            SeriesEqual(right_series, z**k / factorial(k + 1), z, k),
            SeriesEqual(coefficients(right_series)[1], (-1) ** k / factorial(2 * (k + 1)) * angle ** (2 * k), angle, k),
            SeriesEqual(
                coefficients(right_series)[2], (-1) ** k / factorial(2 * (k + 1) + 1) * angle ** (2 * k), angle, k
            ),
            Equal(coefficients(right_series)[0], 1),
            Equal(E_rate, skew(of_skew(right_series) * rate) * E_W),
        ),
        title="dexp series on so(3)",
        source=lines(4262, 4268),
        note="Read for vectors, on which ad acts as the matrix W; the last statement says that this is dexp.",
    ),
    Claim(
        "SO-08",
        statements=(Equal(of_skew(right_series), T), Equal(E_rate, skew(T * rate) * E_W)),
        title="closed form of dexp on so(3)",
        source=lines(4233, 4236, 4270, 4293),
        note="dexp of the skew matrix of Gamma is the skew matrix of T Gamma.",
    ),
    Claim(
        "SO-09",
        statements=(Equal(skew(W * Gamma / 2), W * G / 2), Equal(skew(of_skew(right_series) * Gamma), T * G)),
        title="notation dexp applied to a skew matrix",
        source=lines(4279, 4293),
        note="First the terms linear in Omega, T = 1 + W/2 + ..., then the whole. T acts on vectors: "
        "T times a skew matrix is not skew. dexp of skew(Gamma) is skew(T Gamma).",
        mend=Mend("dexp of skew(Gamma) is skew(T Gamma)", of_skew(right_series) * Gamma, T * Gamma),
    ),
    Claim(
        "SO-20",
        statements=(
            Equal(W * x, W * x + W * W * x / 2),
            Equal(skew(R * start * x), skew(R * T * W * x), skew(-R * T * skew(x) * Omega)),
        ),
        assumptions=rotation,
        title="differential of R -> tilde(Rx)",
        source=lines(4353, 4385),
        note="First the vectors at R = 1 to second order in Omega, with T = 1 + W/2 + ..., then the whole. At "
        "t = 0 the differential of the exponential is the identity: no factor T, C = -R skew(x).",
        mend=Mend("-R skew(x) Omega, without T", R * start * x, -R * skew(x) * Omega, slip="extra factor T"),
    ),
    Claim(
        "SO-21",
        statements=Fails(linear),
        title="linearity of the trivialised differential",
        source=lines(4331, 4337),
        note="The tangent of R exp(t W) at t = 0 is R W: the differential is linear, for any smooth f.",
        mend=Mend("the differential is linear", statements=linear),
    ),
    Claim(
        "SO-22",
        statements=(Equal(Rn * Wn, Rn * Wn * Rn.T + Rn * (Rn * Wn).T), Zero(Rn * Wn * Rn.T + Rn * (Rn * Wn).T)),
        assumptions=abstract,
        title="derivative of a curve in SO(3)",
        source=lines(3946, 3950),
        note="The rate of S is S W. What vanishes is the rate of S S^T, not that of S.",
        mend=Mend(
            "the rate of S S^T vanishes", statements=Zero(Rn * Wn * Rn.T + Rn * (Rn * Wn).T), assumptions=abstract
        ),
    ),
    Claim(
        "SO-23",
        Rn * Wn,
        Rn * Rn * Rn * Wn,
        abstract,
        title="left translation used in the differential of a map",
        source=lines(3877, 3887, 4309, 4319),
        note="On SO(3), b = R W: the curve R exp(t v) must leave R in the direction b. L'_z takes algebra elements; "
        "v = t L'_{z^-1}(b) is meant, as in the definition just above.",
        mend=Mend("v = t L'_{z^-1}(b)", Rn * Wn, Rn * (Rn.T * (Rn * Wn)), abstract, slip="missing inverse"),
    ),
    Claim(
        "SO-24",
        statements=(
            Equal((R_any * E_tW.subs(t, t - t0)).diff(t), R_any * E_tW.subs(t, t - t0) * W),
            Equal(R_any * E_tW.subs(t, 0), R_any),
            Equal(sp.diff(exp(z * t), t), exp(z * t) * z),
        ),
        title="solution of the Lie equation on SO(3)",
        source=lines(3118, 3148, 4098, 4111),
        note="Constant Omega. Powers of one matrix commute, so its exponential is decided as a series in one symbol.",
    ),
    Claim(
        "SO-27",
        statements=(Equal((Wn * Rn).T * (Wn * Rn), Identity(d)), Equal((Rn * Wn).T * (Rn * Wn), Identity(d))),
        assumptions=abstract,
        title="product of an algebra element with a group element",
        source=lines(3479, 3495),
        note="On SO(3): the products are tangent vectors at sigma, a sigma and sigma a, no group elements; the "
        "codomain is the tangent bundle.",
        mend=Mend(
            "both products are tangent at sigma: sigma^-1 times them is in the algebra",
            statements=(Zero(Rn.T * (Wn * Rn) + (Rn.T * (Wn * Rn)).T), Zero(Rn.T * (Rn * Wn) + (Rn.T * (Rn * Wn)).T)),
            assumptions=abstract,
        ),
    ),
    Claim(
        "SO-28",
        statements=Equal(Omega, -W.T),
        title="definition of so(3)",
        source=lines(3974, 3979),
        note="Omega is 3x3 in the set and has a tilde in the condition, which maps vectors: 3x1 plus 3x3. The set of "
        "the skew matrices W with W + W^T = 0 is meant.",
        mend=Mend("the matrices W with W + W^T = 0", statements=Zero(W + W.T), slip="extra operator"),
    ),
)

# --- matrix Lie algebras --------------------------------------------------------------------------------------------

moved = Matrix([[y + z, t], [0, y]]).exp()  # exp(a + t b) with a = diag(y + z, y), b = E_12
exp_a, exp_inverse = sp.diag(exp(y + z), exp(y)), sp.diag(exp(-y - z), exp(-y))
exp_prime = moved.diff(t).subs(t, 0)
left_trivial, right_trivial = (sp.simplify(p[0, 1]) for p in (exp_inverse * exp_prime, exp_prime * exp_inverse))
Ad = sp.simplify((exp_a * Matrix([[0, 1], [0, 0]]) * exp_inverse)[0, 1])

n = sp.Symbol("n", integer=True, positive=True)
a, b, u, f_a, f_z, g = (MatrixSymbol(s, n, n) for s in ("a", "b", "u", "f_a", "f_z", "g"))
point = MatrixSymbol("zeta", n, n)
s = sp.Symbol("s", real=True)
A2, A2b, B2, B2b = (matrix(name, 2, 2) for name in ("a", "c", "b", "d"))
rho = eye(2) + s * A2 + s**2 * A2b
sigma = eye(2) + t * B2 + t**2 * B2b
P2 = matrix("p", 2, 2)
A3, B3 = matrix("a", 3, 3), matrix("b", 3, 3)
field_a, field_b = A3 * x, B3 * x
commutator = derivative(field_a, x) * field_b - derivative(field_b, x) * field_a  # as defined in line 3330


def at_identity(expression: Any) -> Any:
    """An expression at s = t = 0."""
    return expression.subs({s: 0, t: 0})


algebra = (
    Claim(
        "SO-10",
        statements=(
            Equal(exp_prime[0, 1], left_trivial * exp(y)),
            Equal(E_rate, skew(of_skew(left_series) * rate) * E_W),
        ),
        title="left-trivialised differential of the exponential on SO(3)",
        source=lines(4238, 4245),
        note="First for all matrices, then on SO(3). The left-trivialised differential stands to the right of the "
        "exponential, exp(W) dexp_{-W}(W'); the equation printed is the right-trivialised one.",
        mend=Mend("exp(W) dexp_{-W}(W')", E_rate, E_W * skew(of_skew(left_series) * rate), slip="order of factors"),
    ),
    Claim(
        "SO-11",
        statements=SeriesEqual(left_trivial, (-1) ** k / factorial(k + 1) * z**k, z, k),
        title="left-trivialised differential as a series",
        source=lines(3758, 3777),
        note="The power is read as the k-th iteration of ad_a applied to b, as the text explains below.",
    ),
    Claim(
        "SO-12",
        statements=(
            SeriesEqual(left_trivial, (-1) ** k / factorial(k + 1) * z**k, z, k),
            Equal(left_trivial, (1 - exp(z)) / z),
        ),
        title="left-trivialised differential in closed operator form",
        source=lines(3763, 3766),
        note="First the sum in closed form, then what is printed for it. The sum is (e - exp o ad_{-a}) / ad_a.",
        mend=Mend(
            "(e - exp o ad_{-a}) / ad_a",
            statements=SeriesEqual((1 - exp(-z)) / z, (-1) ** k / factorial(k + 1) * z**k, z, k),
        ),
    ),
    Claim(
        "SO-13",
        statements=(SeriesEqual(right_trivial, z**k / factorial(k + 1), z, k), Equal(right_trivial, (exp(z) - 1) / z)),
        title="right-trivialised differential",
        source=lines(3787, 3820),
    ),
    Claim(
        "SO-14",
        statements=(Equal(left_trivial, Ad * right_trivial), Equal(left_trivial, exp(-z) * (1 - exp(z)) / z)),
        title="relation of the two trivialisations through Ad",
        source=lines(3829, 3832),
        note="Ad_{exp(-a)} is needed in the first member, and the sign of the quotient is wrong in the second.",
        mend=Mend(
            "Ad_{exp(-a)} o dexp_a = exp(ad_{-a}) o (exp o ad_a - e) / ad_a",
            statements=(Equal(left_trivial, right_trivial / Ad), Equal(left_trivial, exp(-z) * (exp(z) - 1) / z)),
        ),
    ),
    Claim(
        "SO-15",
        statements=(
            Equal(left_trivial, (1 - exp(-z)) / z, ((exp(z) - 1) / z).subs(z, -z)),
            Equal(exp_prime[0, 1], exp(y + z) * ((exp(z) - 1) / z).subs(z, -z)),
        ),
        title="left trivialisation as dexp of the opposite",
        source=lines(3829, 3840),
    ),
    Claim("SO-16", Ad, exp(z), title="Ad of the exponential", source=lines(3724, 3727)),
    Claim(
        "SO-17",
        statements=Equal(1 / right_trivial, z / (exp(z) - 1)),
        title="inverse of dexp",
        source=lines(3852, 3860),
        note="Both sides applied to b. The right side here is the generating function by which the Bernoulli numbers "
        "with B_1 = -1/2 are defined; with B_1 = +1/2 the series is the inverse of dexp_{-a}.",
    ),
    Claim(
        "SO-18",
        statements=(
            Equal(at_identity((P2 * sigma * P2.inv()).diff(t)), P2 * B2 * P2.inv()),
            Equal(
                at_identity((rho * B2 * rho.adjugate() / rho.det()).diff(s)),
                A2 * B2 - B2 * A2,
                at_identity((rho * sigma * rho.subs(s, -s)).diff(s, t)),
            ),
            Implies([Zero(a + u)], Equal(a * b + b * u, a * b - b * a)),
        ),
        assumptions=NonZero(P2.det()),
        title="adjoint representation",
        source=lines(3401, 3407, 3688, 3712),
        note="Components for 2x2 matrices and curves to second order; the last statement is the product rule for all "
        "sizes, with u the rate of the inverse curve.",
    ),
    Claim(
        "SO-19",
        readings=(
            Reading(
                "[a, b] stands for its vector field",
                Equal(commutator, (A3 * B3 - B3 * A3) * x),
                note="lambda_*([a, b]) = [lambda_*(a), lambda_*(b)], with the sign of the commutator defined before.",
            ),
            Reading(
                "[a, b] is the matrix itself",
                Equal(commutator, A3 * B3 - B3 * A3),
                note="An element of the algebra is no vector field.",
                mend=Mend("lambda_* on the left", commutator, (A3 * B3 - B3 * A3) * x),
            ),
        ),
        title="commutator of vector fields and the map of a left action",
        source=lines(3323, 3330, 3467, 3472),
    ),
    Claim(
        "SO-25",
        statements=Equal(point * f_z * point.inv(), point * f_a * point.inv()),
        assumptions=Invertible(point),
        title="vector field in the two trivialisations",
        source=lines(3675, 3683, 3714, 3719),
        note="Left: g as Ad_z(f(z)); right: the g of z f(a) = g(z) z. f is taken at a, which is not the point z; "
        "with f(z) the relation holds.",
        mend=Mend(
            "F(z) = L'_z(f(z))",
            statements=Implies([Equal(point * f_z, g * point)], Equal(g, point * f_z * point.inv())),
            assumptions=Invertible(point),
            slip="wrong evaluation point",
        ),
    ),
    Claim(
        "SO-26",
        statements=(
            SeriesEqual(exp(z), z**k / factorial(k), z, k),
            Equal(sp.diff(exp(z * t), t), z * exp(z * t), exp(z * t) * z),
        ),
        title="exponential series and its derivative",
        source=lines(3520, 3540),
        note="Powers of one matrix commute, so the series is decided in one symbol.",
    ),
)

claims = so3 + algebra
