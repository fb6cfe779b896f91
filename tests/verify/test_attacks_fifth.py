"""A fifth collection of claims made to mislead: what the first four did not try. See ``misleading.labelled``."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from misleading import check, eq, labelled, latex, st
from sympy import Piecewise as P
from sympy import Rational as Q
from sympy import sign as S

from nsdgen.verify import (
    Equal,
    Equation,
    Fails,
    Iff,
    Implies,
    IndexRange,
    Inequality,
    IntegralEqual,
    Invertible,
    NonNegative,
    NonZero,
    Orthogonal,
    Orthonormal,
    Positive,
    PositiveDefinite,
    Rotation,
    SeriesEqual,
    Shape,
    Skew,
    Symmetric,
    UnitQuaternion,
    UnitVector,
    Zero,
    conjugate,
    cross,
    decide,
    derivative,
    inverse_quaternion,
    norm,
    pure,
    quaternion,
    quaternion_product,
    rotate,
    rotation_matrix,
    skew,
    vector,
)

x, y, z, a, b, c, t, u, w = sp.symbols("x y z a b c t u w", real=True)
n, m = sp.symbols("n m", integer=True)
k = sp.Symbol("k", integer=True, nonnegative=True)
pos = sp.Symbol("r", positive=True)
cx = sp.Symbol("c1", complex=True)
odd, prime = sp.Symbol("o", odd=True), sp.Symbol("q", prime=True)
N = sp.Symbol("N", integer=True, positive=True)
A, B, C, U = (sp.MatrixSymbol(s, N, N) for s in "ABCU")
e, d = sp.MatrixSymbol("e", N, 1), sp.MatrixSymbol("d", N, 1)
f, g = sp.Function("f"), sp.Function("g")
p, o = quaternion("p"), quaternion("o")
V, W, X = vector("v"), vector("w"), vector("x")
tex = latex(x, y, z, a, b, c, t, u, w)
identity = sp.Identity(N)
many = sp.symbols("s0:40", real=True)
pi, i_name, e_name = (sp.Symbol(s, real=True) for s in ("pi", "I", "E"))
M2, D3 = sp.Matrix([[x, y], [z, w]]), sp.Matrix(3, 3, sp.symbols("m1:10", real=True))
S3 = sp.Matrix([[a, x, y], [x, b, z], [y, z, c]])

TRUE = [
    # quaternions, rotations, vectors
    eq(rotate(p, rotate(o, V)), rotate(quaternion_product(p, o), V)),
    eq(norm(rotate(p, V)), norm(V), UnitQuaternion(p)),
    eq(rotate(p, cross(V, W)), cross(rotate(p, V), rotate(p, W)), UnitQuaternion(p)),
    eq(quaternion_product(p, inverse_quaternion(p)), sp.Matrix([1, 0, 0, 0])),
    eq(conjugate(quaternion_product(p, o)), quaternion_product(conjugate(o), conjugate(p))),
    eq(skew(rotate(p, V)), rotation_matrix(p) * skew(V) * rotation_matrix(p).T, UnitQuaternion(p)),
    eq(skew(V)**3, -skew(V) * V.dot(V)), eq(skew(V) * skew(W) - skew(W) * skew(V), skew(cross(V, W))),
    eq(cross(V, cross(W, X)) + cross(W, cross(X, V)) + cross(X, cross(V, W)), sp.zeros(3, 1)),
    eq(V.dot(cross(W, X)), sp.Matrix.hstack(V, W, X).det()), eq(rotation_matrix(-p), rotation_matrix(p)),
    eq(rotation_matrix(p).det(), sp.S.One, UnitQuaternion(p)), eq(pure(V).dot(pure(V)), V.dot(V)),
    eq(rotation_matrix(p).trace(), 4 * p[0]**2 - 1, UnitQuaternion(p)),
    eq(derivative(norm(V), V), V.T / norm(V)), eq(derivative(V / norm(V), V) * V, sp.zeros(3, 1)),
    eq((sp.eye(3) - 2 * V * V.T)**2, sp.eye(3), UnitVector(V)), eq(V.cross(W).norm()**2, sp.S.One, UnitVector(V),
                                                                   UnitVector(W), Orthogonal(V, W)),
    eq(D3.T * D3, sp.eye(3), Rotation(D3)), eq(D3.cofactor_matrix(), D3, Rotation(D3)),
    eq(D3 * skew(V) * D3.T, skew(D3 * V), Rotation(D3)), eq(D3 * D3.T, sp.eye(3), Rotation(D3)),
    eq(sp.Matrix(3, 3, D3[:]).det(), sp.S.Zero, Skew(D3)), eq(V.dot(D3 * W), W.dot(D3 * V), Symmetric(D3)),
    # radicals, special functions, values
    eq(sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3)), eq(sp.cbrt(2 + sp.sqrt(5)) + sp.cbrt(2 - sp.sqrt(5)) * 0,
                                                                (1 + sp.sqrt(5)) / 2),
    eq(sp.cos(sp.pi / 5), (1 + sp.sqrt(5)) / 4), eq(sp.gamma(pos + 1), pos * sp.gamma(pos)),
    eq(4 * sp.atan(Q(1, 5)) - sp.atan(Q(1, 239)), sp.pi / 4), eq(sp.erf(-x), -sp.erf(x)),
    eq(sp.legendre(3, x), (5 * x**3 - 3 * x) / 2), eq(sp.chebyshevt(3, sp.cos(x)), sp.cos(3 * x)),
    eq(sp.fibonacci(10) * x, 55 * x), eq(sp.sinc(x) * x, sp.sin(x)), eq(sp.besselj(-2, x), sp.besselj(2, x)),
    eq(sp.LambertW(pos) * sp.exp(sp.LambertW(pos)), pos), eq(sp.asech(pos) * 0 + sp.sech(x), 1 / sp.cosh(x)),
    eq(sp.diff(sp.erf(x), x), 2 * sp.exp(-x**2) / sp.sqrt(sp.pi)), eq(sp.csc(x)**2 - sp.cot(x)**2, sp.S.One),
    eq(sp.real_root(x**3, 3), x), eq(sp.exp(sp.log(pos) * x), pos**x), eq((pos**x)**y, pos**(x * y)),
    eq((x**3)**Q(1, 3), x),  # where the root is real
    # complex numbers and names that SymPy uses
    eq(sp.exp(sp.I * sp.pi * n), (-1)**n), eq(sp.Abs(x + sp.I * y)**2, x**2 + y**2),
    eq(sp.re((x + sp.I * y)**2), x**2 - y**2), eq(sp.exp(sp.I * x), sp.cos(x) + sp.I * sp.sin(x)),
    eq(sp.re(cx) + sp.I * sp.im(cx), cx), eq(cx * sp.conjugate(cx), sp.Abs(cx)**2), eq(pi**2 - pi * pi, sp.S.Zero),
    eq((i_name + e_name)**2, i_name**2 + 2 * e_name * i_name + e_name**2), eq(1 / (1 + sp.I), (1 - sp.I) / 2),
    eq(sp.Symbol("x+y", real=True) * 2, sp.Symbol("x+y", real=True) + sp.Symbol("x+y", real=True)),
    # integers and sums
    eq(sp.Mod(odd**2, 8), sp.S.One), eq((-1)**odd, -sp.S.One), eq(sp.Sum(k, (k, 1, N)), N * (N + 1) / 2),
    eq(sp.Sum(x**k, (k, 0, 4)), (x**5 - 1) / (x - 1)), eq(sp.Product(k, (k, 1, 5)), sp.Integer(120)),
    eq(n * (n + 1) / 2, sp.floor(n * (n + 1) / 2)), eq(sp.binomial(N, 2), N * (N - 1) / 2),
    eq(sp.cos(sp.pi * n)**2, sp.S.One), eq(x**n * x**m, x**(n + m), Positive(x)),
    eq(sp.KroneckerDelta(n, m) * (n - m), sp.S.Zero), eq(many[0]**0 * sum(many), sum(reversed(many))),
    eq(n**2 * (n - 1) * (n - 2) * (n - 3), n**5 - 6 * n**4 + 11 * n**3 - 6 * n**2),
    eq(x**n, x * x**(n - 1), IndexRange(n, 1, 4)),
    # what is nearly singular, and removable
    eq((x**2 - 1) / (x - 1), x + 1), eq(sp.sin(x) / x * x, sp.sin(x)), eq((sp.exp(x) - 1) / (sp.exp(x / 2) - 1),
                                                                         sp.exp(x / 2) + 1),
    eq(1 / (1 / x), x), eq(x / sp.Abs(x) * S(x), sp.S.One), eq((x**1000 - 1) / (x - 1) * (x - 1), x**1000 - 1),
    eq(P((sp.sin(x) / x, sp.Ne(x, 0)), (1, True)), sp.sinc(x)), eq(sp.Max(x, -x), sp.Abs(x)),
    eq(sp.SingularityFunction(x, 0, 1), sp.Max(x, 0)),
    eq(P((1, sp.ITE(x > 0, y > 0, y < 0)), (0, True)), P((1, (x > 0) & (y > 0)), (1, (x <= 0) & (y < 0)), (0, True))),
    # statements
    st(Shape(M2 * sp.Matrix([x, y]), (2, 1))), st(Iff(Equal(x**3, y**3), Equal(x, y))),
    st(Implies([Equal(x**2 + y**2, 0)], [Zero(x), Zero(y)])),
    st(Equal(sp.cos(2 * x), 1 - 2 * sp.sin(x)**2, 2 * sp.cos(x)**2 - 1)), st(Fails(Equal(x * y, 0))),
    st(Implies([Equal(x * y, 1), Equal(x, y), Positive(x)], [Equal(x, 1)])),
    st(SeriesEqual(sp.tan(x), x + x**3 / 3 + 2 * x**5 / 15, x, order=6)),
    st(SeriesEqual(sp.besselj(0, x), 1 - x**2 / 4, x, order=3)), st(Iff(Equal(sp.Max(x, y), y), NonNegative(y - x))),
    st(IntegralEqual(sp.Matrix([[u, u**2], [0, sp.sin(u)]]), sp.Matrix([[1, 2 * t], [0, sp.cos(t)]]), t, 0, u)),
    st(IntegralEqual(sp.log(u + a) - sp.log(a), 1 / (t + a), t, 0, u), Positive(a), Positive(u)),
    st(Inequality(sp.Abs(x - y), ">=", sp.Abs(sp.Abs(x) - sp.Abs(y)))),
    st(Inequality(V.dot(W)**2, "<=", V.dot(V) * W.dot(W))),
    st(Inequality(S3.det(), ">", -1), PositiveDefinite(S3)), st(Inequality(sp.atan(x), "<=", sp.pi / 2)),
    # matrices of any size
    eq(sp.Inverse(A + U), sp.Inverse(A) - sp.Inverse(A) * U * sp.Inverse(A + U), Invertible(A), Invertible(A + U)),
    eq(sp.Inverse(identity + A * B) * A, A * sp.Inverse(identity + B * A), Invertible(identity + A * B),
       Invertible(identity + B * A)),
    eq(sp.Trace(A.T * B), sp.Trace(B.T * A)), eq((A + B)**2, A**2 + A * B + B * A + B**2),
    eq(e.T * A * e, sp.zeros(1, 1), Skew(A)), eq(A * A.T - A.T * A, sp.ZeroMatrix(N, N), Symmetric(A)),
    eq(sp.Determinant(A * B - B * A + identity).doit(),
                                                        sp.Determinant(identity + A * B - B * A)),
    eq(e * e.T * e, (e.T * e)[0, 0] * e), eq((A * e).T * (A * e), e.T * A.T * A * e),
    # numbers and objects of other libraries
    eq(Fraction(1, 3) * 3 * x, x), eq(x, np.float64(0.5) * 2 * x), eq(np.int64(3) * x, 3 * x),
    eq(Decimal("0.1"), Q(1, 10)), eq(sp.Poly(x**2 - 1, x).as_expr(), (x - 1) * (x + 1)), eq((x, y), [x, y]),
    eq(np.array([[1.0, 0.0], [0.0, 1.0]]), sp.eye(2)),
    eq(sp.SparseMatrix(2, 2, {(0, 0): x}), sp.Matrix([[x, 0], [0, 0]])),
    # LaTeX
    tex(x / (2 * y), r"\frac{x}{2y}"), tex(sp.cbrt(pos), r"\sqrt[3]{r}", r=pos), tex(sp.sin(x) + y, r"\sin x+y"),
    tex(sp.Abs(x) * sp.Abs(y), r"|x||y|"), tex(x - y, r"x~-~y"), tex(x * y, r"x\;y"),
    tex(-(sp.sin(x)**2), r"-\sin^2 x"),
    tex(2**(-x), r"2^{-x}"), tex(sp.cos(x)**2 * y, r"\cos^2(x)y"), tex((x / y)**2, r"\left(\frac{x}{y}\right)^2"),
    tex(x + y, "x % a remark\n+ y"), tex(x * -y, r"x\cdot(-y)"), tex(x, r"\displaystyle x"), tex(x**(y**z), r"x^{y^z}"),
    tex(sp.exp(-x), r"e^{-x}"), tex(x + 2, r"x+\,2"),
    tex(sp.tan(x / 2), r"\tan\frac{x}{2}"), tex(sp.sqrt(x) * y, r"\sqrt x\,y"), tex(x * y / z, r"\frac{x\,y}{z}"),
]

FALSE = [
    eq(rotate(p, rotate(o, V)), rotate(quaternion_product(o, p), V)), eq(norm(rotate(p, V)), norm(V)),
    eq(rotation_matrix(p).T * rotation_matrix(p), sp.eye(3)), eq(skew(V) * W, cross(W, V)),
    eq(conjugate(quaternion_product(p, o)), quaternion_product(conjugate(p), conjugate(o))),
    eq(skew(rotate(p, V)), rotation_matrix(p).T * skew(V) * rotation_matrix(p), UnitQuaternion(p)),
    eq(inverse_quaternion(p), conjugate(p)), eq(cross(V, cross(W, X)), cross(cross(V, W), X)),
    eq(rotation_matrix(p), rotation_matrix(conjugate(p)), UnitQuaternion(p)), eq(p, -p, UnitQuaternion(p)),
    eq(derivative(norm(V), V), V.T), eq((sp.eye(3) - V * V.T)**2, sp.eye(3), UnitVector(V)),
    eq(V.cross(W).norm()**2, sp.S.One, UnitVector(V), UnitVector(W)), eq(D3.trace(), sp.S.One, Rotation(D3)),
    eq(D3 * skew(V) * D3.T, skew(D3 * V), Orthonormal(D3)), eq(D3, D3.T, Rotation(D3)),
    eq(M2.det(), sp.S.Zero, Skew(M2)), eq(D3.det(), sp.S.One, Orthonormal(D3)), eq(D3**2, sp.eye(3), Rotation(D3)),
    eq(V.dot(D3 * W), -W.dot(D3 * V), Symmetric(D3)), eq(cross(V, W), sp.zeros(3, 1), Orthogonal(V, W)),
    # radicals, special functions
    eq(sp.sqrt(5 + 2 * sp.sqrt(6)), sp.sqrt(2) + sp.sqrt(3) + Q(1, 10**25)),
    eq(sp.cbrt(2 - sp.sqrt(5)), (1 - sp.sqrt(5)) / 2),
    eq(sp.gamma(pos + 1), (pos + 1) * sp.gamma(pos)), eq(sp.gamma(pos), sp.factorial(sp.floor(pos))),
    eq((x**6)**Q(1, 6), x), eq(sp.erf(x), sp.tanh(x)),
    eq(sp.legendre(3, x), (5 * x**3 - 3 * x) / 3), eq(sp.besselj(-1, x), sp.besselj(1, x)),
    eq(sp.sinc(x), sp.sin(x) * x),
    eq(sp.besselj(0, x), sp.cos(x)), eq(sp.zeta(2), Q(1645, 1000)), eq(sp.EulerGamma, Q(15015, 26013)),
    eq(sp.Catalan, sp.Float("0.915965594177")), eq(sp.GoldenRatio, Q(317811, 196418)), eq(sp.real_root(x**2, 2), x),
    eq((x**y)**z, x**(y * z), NonZero(x)),
    eq(sp.log(sp.exp(sp.I * x)), sp.I * x), eq(sp.acot(x), sp.atan(x)), eq(sp.asec(x), 1 / sp.acos(x)),
    eq(sp.sech(x), 1 / sp.sinh(x)), eq(sp.LambertW(pos), sp.log(1 + pos)), eq(0**pos + 1, pos),
    # complex numbers and names
    eq(pi, sp.pi), eq(i_name**2, -1), eq(e_name, sp.E), eq(sp.Symbol("x+y", real=True), x + y),
    eq(sp.Abs(x + sp.I * y), sp.Abs(x) + sp.Abs(y)), eq(sp.exp(sp.I * n), (-1)**n), eq(sp.im(cx), cx),
    eq(sp.re(cx * cx), sp.re(cx) * sp.re(cx)), eq(sp.conjugate(cx), cx), eq(sp.sqrt(-pos), sp.sqrt(pos)),
    eq(1 / (1 + sp.I), (1 + sp.I) / 2), eq(sp.I**n, sp.I),
    # integers and sums
    eq(sp.Mod(odd**2, 16), sp.S.One), eq(sp.Mod(prime, 2), sp.S.One), eq(sp.Sum(k, (k, 1, N)), N**2 / 2 + N / 3),
    eq(sp.Sum(x**k, (k, 0, 4)), (x**6 - 1) / (x - 1)), eq(sp.Mod(n, 3) * (sp.Mod(n, 3) - 1), sp.S.Zero),
    eq(n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n + 1), sp.S.Zero), eq(sp.floor(n / 7) * 7 - n, sp.S.Zero),
    eq(sp.KroneckerDelta(n, m), sp.S.Zero), eq(sum(many), sum(many[:-1])), eq(many[3] * many[7], many[3] * many[8]),
    eq(sp.prod(n - j for j in range(30)), sp.S.Zero, NonNegative(n)), eq(n**4 - n**2, 12 * n), eq(2**k, k**2 + 1),
    eq(x**n, x**(n + 2), IndexRange(n, 1, 3)), eq((n - 2) * (n - 3), sp.S.Zero, IndexRange(n, 2, 4)),
    eq(sp.binomial(N, 3), N * (N - 1) * (N - 2) / 5), eq(sp.Mod(n, 6), n),
    # what differs on little
    eq(P((sp.sin(x) / x, sp.Ne(x, 0)), (0, True)), sp.sinc(x)), eq(sp.Max(x, -x, Q(1, 10**6)), sp.Abs(x)),
    eq(P((1, sp.Eq(sp.sin(x), Q(1, 2))), (0, True)), 0 * x), eq(P((x, sp.Ne(x, pi)), (0, True)), x),
    eq(P((0, sp.Eq(x + y + z, 1)), (1, True)), sp.S.One), eq(P((0, sp.Eq(x, 10**12)), (1, True)), sp.S.One),
    eq(P((0, sp.Eq(V.dot(V), 4)), (1, True)), sp.S.One), eq(sp.SingularityFunction(x, 0, 2), sp.Max(x, 0)),
    eq(P((x, (x > 0) & (x < sp.Rational(1, 10**9))), (0, True)), 0 * x), eq(sp.Abs(x - 10**9) + 10**9, x),
    eq(sp.floor(x + Q(1, 10**7)), sp.floor(x)), eq(S(x - Q(22, 7)), S(x - sp.pi)), eq(sp.Max(0, x - 10**8), 0 * x),
    eq(P((1, (x > 0) & (y > 0) & (z > 0) & (w > 0) & (a > 0) & (b > 0)), (0, True)), 0 * x),
    # statements
    st(Shape(M2 * sp.Matrix([x, y]), (1, 2))), st(Iff(Equal(x**2, y**2), Equal(x, y))),
    st(Equal(sp.cos(2 * x), 1 - 2 * sp.sin(x)**2, 2 * sp.cos(x)**2)), st(Equal(x, y, x)), st(Fails(Equal(x, x))),
    st(Implies([Equal(x * y, 0)], [Equal(x, 0)])), st(Implies([Equal(x * y, 1), Equal(x, y)], [Equal(x, 1)])),
    st(SeriesEqual(sp.tan(x), x + x**3 / 6, x, order=4)),
    st(Implies([NonNegative(x)], [Equal(sp.sqrt(x**2) * x, x**3)])),
    st(IntegralEqual(sp.log(u + a), 1 / (t + a), t, 0, u), Positive(a), Positive(u)),
    st(Inequality(sp.Abs(x - y), "<=", sp.Abs(sp.Abs(x) - sp.Abs(y)))),
    st(Inequality(V.dot(W)**2, "<", V.dot(V) * W.dot(W))),
    st(Inequality(S3.det(), ">", 0), Symmetric(S3)), st(Inequality(sp.sin(x) + sp.sin(y) + sp.sin(z), "<", 2)),
    st(Inequality(x**2 + y**2, ">", 2 * x * y)), st(Inequality(sp.exp(x), ">", x**3)), st(Inequality(x, "<", 10**7)),
    st(Inequality((x**2 - 2)**2, ">", 0)), st(Inequality(x**2 + x * y + y**2 / 5, ">=", 0)),
    st(Iff(Equal(sp.sin(x), 0), Equal(sp.sin(2 * x), 0))), st(Iff(Equal(x * y, 0), Equal(x**2 + y**2, 0))),
    # matrices of any size
    eq(sp.Inverse(A + U), sp.Inverse(A) + sp.Inverse(U), Invertible(A), Invertible(U), Invertible(A + U)),
    eq((A + B)**2, A**2 + 2 * A * B + B**2), eq(e.T * A * e, sp.zeros(1, 1)), eq(A * A.T, A.T * A), eq(A * e, e * 1),
    eq(sp.Determinant(A + B), sp.Determinant(A) + sp.Determinant(B)), eq(sp.Determinant(2 * A), 2 * sp.Determinant(A)),
    eq(e * d.T, d * e.T), eq(sp.Trace(A * B), sp.Trace(A) * sp.Trace(B)), eq(A**3, A, Equation(A * A, A.T)),
    eq(sp.Inverse(A) * B, B * sp.Inverse(A), Invertible(A)), eq(sp.HadamardProduct(A, B), A * B),
    eq(A, B, Equation(A * C, B * C)),
    # numbers and objects
    eq(Fraction(1, 3) * x, Decimal("0.333333333333") * x),
    eq(np.array([[1.0, 1e-18], [0.0, 1.0]]), sp.eye(2)), eq(x * 10**-30, np.float64(0.0) * x), eq([x, y], [y, x]),
    eq(sp.Float("0.1", 50) * x, sp.Float("0.1000000000000000000000000000001", 50) * x), eq(Q(1, 3), 0.333),
    # LaTeX
    tex(x / 2 * y, r"\frac{x}{2y}"), tex(sp.sin(x + y), r"\sin x+y"), tex(sp.Abs(x * y), r"-|x||y|"),
    tex(sp.sin(x)**2, r"-\sin^2 x"), tex((2 * x)**2, r"2x^2"), tex(sp.cos(x * y)**2, r"\cos^2(x)y"),
    tex(x**2 / y, r"\left(\frac{x}{y}\right)^2"), tex(sp.tan(x) / 2, r"\tan\frac{x}{2}"), tex(x**y**2, r"{x^y}^2"),
    tex(sp.sqrt(x * y), r"\sqrt x\,y"), tex(x - y + z, r"x-(y+z)"), tex(-x**-2, r"(-x)^{-2}"),
    tex(x, r"x % + y" "\n+ y"),
]

OPEN = [
    eq(x < y, y > x), eq(sp.Interval(0, 1), sp.Interval(0, 1)), eq({x}, {y}), eq(x, "y"), eq(x, b"x"), eq(True, x),
    eq(sp.Array([[[x]]]), sp.Array([[[y]]])), eq(np.array(["a"], dtype=object), sp.Matrix([x])), eq(x, float("nan")),
    eq(x, 1j * x), eq(sp.Sum(k, (k, 1, sp.oo)), x), eq((i for i in (x, y)), [x, y]), eq(x, sp.Symbol), eq([], []),
    eq(sp.Matrix(0, 3, []), sp.Matrix(0, 3, [])), eq(x, sp.Lambda(x, x)), eq(np.array([[[1.0]]]), x),
    eq(x, sp.Eq(x, y)),
    st(Implies([Equal(x**2, -1)], [Equal(x, 7)])), st(Shape(x, (1, 1))), st(None), st("x = y"),
    st(Inequality(x + sp.I, "<", 2)), st(Inequality(cx, "<", 2)), st(Inequality(M2, "<", 2)),
    st(SeriesEqual(1 / x, x, x)),
    st(IntegralEqual(u, 1, t, u, u)), st(Equal(f, g)), eq(f, f), eq(x, y, 3), eq(x, y, "Positive"), eq(x, y, x > y),
    eq(x, y, Equation(x, y, ), Equation(1, 0)), eq(10**(10**4) * x, x), eq(sp.factorial(1000), 0), eq(x**(10**9), x),
    tex(x, r"x^y^z"), tex(x, r"x_1"), tex(x, r"\bar{x}"), tex(x, r"\sum_i x_i"), tex(x, r"\int x dx"),
    tex(x, r"x \over y"),
    tex(x, r"\begin{cases} x & x>0 \\ y \end{cases}"), tex(x, r"\binom{x}{y}"), tex(x, r"x \pm y"), tex(x, r"x = y"),
    tex(x, r"\lim_{x \to 0} x"), tex(x, r"x' "), tex(x, r"\dot x"), tex(x, r"|x|y|"), tex(x, r"\frac{x}{y}z^"),
    tex(x, r"{}^t x"),
    tex(x, r"\not x"), tex(x, r"x\text{ if }y"), tex(x, r"\sin"), tex(x, r"\log_{10} x"), tex(x, r"\tan^{-1} x"),
    tex(x, r"x\cdot -y"),
    tex(x, r"x y!"), tex(x, r"\lfloor x \rceil"), tex(x, r"x \le y"), tex(x, r"(x]"), tex(x, r"[x)"),
    tex(x, r"\left(x\right"),
    tex(x, "x\\"), tex(x, r"\verb|x|"), tex(x, r"\x"), tex(x, r"\input{x}"), tex(x, r"\newcommand{\x}{y} \x"),
    tex(x, r"\frac{}{x}"),
    tex(x, r"\frac{x}{}"), tex(x, r"\sqrt{}"), tex(x, r"x^{}"), tex(x, "+"), tex(x, "x+"), tex(x, r"\left| x"),
    tex(x, "\x00x"),
]

LABELLED = labelled(TRUE, FALSE, OPEN)


@pytest.mark.parametrize("number", range(0, len(LABELLED), 16))
def test_some_are_neither_proved_nor_refuted_falsely(number):
    check(number, *LABELLED[number])


@pytest.mark.slow
@pytest.mark.parametrize("number", [k for k in range(len(LABELLED)) if k % 16])
def test_all_others(number):
    check(number, *LABELLED[number])


@pytest.mark.parametrize("claim", [
    eq((x**y)**z, x**(y * z), NonZero(x)), eq(sp.KroneckerDelta(n, m), sp.S.Zero), eq(sp.HadamardProduct(A, B), A * B),
    eq(sp.SingularityFunction(x, 0, 2), sp.Max(x, 0)),
    eq(sp.Determinant(A + B), sp.Determinant(A) + sp.Determinant(B)),
])
def test_what_was_not_decided_is_refuted(claim):
    assert decide(claim, repairs=False).verdict == "refuted"


@pytest.mark.parametrize(("closed", "polynomial", "order"), [
    ((x * y + 1) / (1 - x), 1 + x * (1 + y), 2), (sp.exp(1000 * x), 1 + 1000 * x, 2),
    (sp.exp(10**6 * x), 1 + 10**6 * x + 10**12 * x**2 / 2, 3)])
def test_a_series_agrees_to_its_order_however_large_the_next_coefficient_is(closed, polynomial, order):
    assert decide(st(SeriesEqual(closed, polynomial, x, order=order))).verdict == "consistent"
    assert decide(st(SeriesEqual(closed, polynomial, x, order=order + 1))).verdict == "refuted"


@pytest.mark.parametrize("claim", [
    st(Inequality(x + sp.I, "<", 2)), st(Inequality(sp.I * x, "<", 2)), eq(x, lambda: len(3)), eq(x, sp.Symbol),
    eq(sp.Catalan, sp.Float("0.915965594177"))])
def test_what_is_no_statement_about_real_numbers_is_undecided(claim):
    """No order of complex numbers, a side that cannot be made, thirteen digits where fifteen are asked for."""
    assert decide(claim, repairs=False).verdict == "undecided"
