"""A third collection of claims made to mislead, each with what is true of it; see ``test_attacks_labelled.py``."""

from __future__ import annotations

import pytest
import sympy as sp
from misleading import check, eq, labelled, latex, st
from sympy import Heaviside as H
from sympy import Piecewise as P
from sympy import Rational as Q
from sympy import sign as S

from nsdgen.verify import (
    Definite,
    Equal,
    Equation,
    Fails,
    Iff,
    Implies,
    Inequality,
    IntegralEqual,
    NonNegative,
    NonZero,
    Positive,
    UnitQuaternion,
    UnitVector,
    Zero,
    quaternion,
    vector,
)

x, y, z, a, b, t, u, w = sp.symbols("x y z a b t u w", real=True)
n, m = sp.Symbol("n", integer=True), sp.Symbol("m", integer=True, positive=True)
pos = sp.Symbol("r", positive=True)
f = sp.Function("f")
p, V, N = quaternion("p"), vector("v"), vector("n")
tex = latex(x, y, z, a, b, t, u, w)
M2 = sp.Matrix([[x, y], [z, w]])

TRUE = [
    # LaTeX
    tex(x / (y + 1), r"\frac{x}{y+1}"), tex((x + 1) * (x - 1), r"(x+1)(x-1)"), tex(x - (-y), r"x-(-y)"),
    tex(-(x**2), r"-{x}^{2}"), tex(x**(y + 1), r"x^{y+1}"), tex(sp.sqrt(x)**3, r"\sqrt{x}^3"),
    tex(sp.sin(x) * sp.cos(y), r"\sin x \cos y"), tex(sp.sin(x + y), r"\sin\left(x+y\right)"),
    tex(sp.exp(-x**2 / 2), r"\exp\left(-\frac{x^2}{2}\right)"), tex(2 * x, r"x+x"), tex(x * y * z, r"x y\,z"),
    tex(M2, r"\begin{bmatrix} x & y \\ z & w \end{bmatrix}"), tex(M2.T, r"\begin{bmatrix}x&y\\z&w\end{bmatrix}^T"),
    tex(sp.Matrix([x, y]), r"\left[\begin{array}{c} x \\ y \end{array}\right]"),
    tex(sp.Abs(x * y), r"\left| x y \right|"), tex(sp.log(x**2 + 1), r"\log(x^2+1)"),
    tex(sp.tan(x)**2, r"\tan^{2} x"), tex(x / y / z, r"\frac{\frac{x}{y}}{z}"), tex(x**-2, r"x^{-2}"),
    tex(sp.Matrix([[x * a + y * b], [z * a + w * b]]),
        r"\begin{bmatrix}x&y\\z&w\end{bmatrix}\begin{bmatrix}a\\b\end{bmatrix}"),
    tex(Q(1, 2) * x, r"\tfrac{1}{2}x"), tex(x + y - z, r"x + \left( y - z \right)"), tex(sp.pi * x, r"\pi x"),
    tex(3 * x**2 * y, r"3x^2y"), tex(sp.atan(x), r"\arctan x"), tex(x * 0.25, r"0.25x"),
    # case distinctions
    eq(P((x, x > y), (y, True)), sp.Max(x, y)), eq(P((1, sp.Eq(x, 0)), (x / x, True)), sp.S.One),
    eq(P((x, sp.Not(x < 0)), (-x, True)), sp.Abs(x)), eq(P((1, (x > 1) & (x < 0)), (2, True)), sp.Integer(2)),
    eq(P((y, sp.Or(x > 0, x <= 0)), (z, True)), y), eq(P((x, sp.Ne(x, 0)), (0, True)), x),
    eq(P((P((1, y > 0), (2, True)), x > 0), (P((1, y > 0), (2, True)), True)), P((1, y > 0), (2, True))),
    eq(P((x, x**2 < 1), (y, True)), P((x, sp.Abs(x) < 1), (y, True))),
    eq(P((x, x > 0), (y, True)) + P((y, x > 0), (x, True)), x + y),
    eq(sp.diff(P((x**2, x > 0), (0, True)), x), P((2 * x, x > 0), (0, True))),
    eq(P((1, sp.Xor(x > 0, y > 0)), (0, True)), P((1, x * y < 0), (1, (x > 0) & sp.Eq(y, 0)),
                                                  (1, (y > 0) & sp.Eq(x, 0)), (0, True))),
    # integrals and derivatives
    st(IntegralEqual(sp.log(u), 1 / t, t, 1, u), Positive(u)), st(IntegralEqual(u * y, y, t, 0, u)),
    st(IntegralEqual(sp.exp(u) - 1, sp.exp(t), t, 0, u)), st(IntegralEqual(sp.atan(u), 1 / (1 + t**2), t, 0, u)),
    st(IntegralEqual(sp.Matrix([u**2 / 2, u]), sp.Matrix([t, 1]), t, 0, u)),
    eq(sp.Derivative(sp.sin(x) * f(x), x), sp.cos(x) * f(x) + sp.sin(x) * sp.Derivative(f(x), x)),
    eq(sp.Integral(sp.cos(t), (t, 0, sp.pi / 2)), sp.S.One), eq(sp.Derivative(sp.Abs(x)**3, x), 3 * x * sp.Abs(x)),
    # inequalities
    st(Inequality(x**2 + 1, ">", 0)), st(Inequality(sp.Abs(x + y), "<=", sp.Abs(x) + sp.Abs(y))),
    st(Inequality(2 * x * y, "<=", x**2 + y**2)), st(Inequality(sp.exp(x), ">=", x + 1)),
    st(Inequality(sp.Min(x, y), "<=", sp.Max(x, y))), st(Inequality(x, ">", 0), Positive(x - 1)),
    st(Inequality(x * y, ">=", 0), NonNegative(x), NonNegative(y)), st(Inequality(sp.cos(x), ">=", -1)),
    st(Inequality(x**2 / (1 + x**2), "<", 1)), st(Definite(sp.Matrix([[2, 1], [1, 2]]))),
    st(Definite(sp.Matrix([[x**2 + 1, 0], [0, 1]]))),
    # assumptions
    eq(V.dot(V), sp.S.One, UnitVector(V)), eq(p.dot(p)**2, sp.S.One, UnitQuaternion(p)),
    eq(x, y, Equation(x - y, 0)), eq(x**3, x * y**2, Equation(x**2, y**2)), eq(x, 2, Equation(x - 1, 1)),
    eq(sp.Abs(x) * x, x**2, Positive(x)), eq(sp.sqrt(x**2 * y**2), -x * y, Positive(x), Positive(-y)),
    eq(sp.log(x * y), sp.log(x) + sp.log(y), Positive(x, y)), eq(x / x, 1, NonZero(x)),
    eq(V.dot(N)**2 + V.cross(N).dot(V.cross(N)), sp.S.One, UnitVector(V), UnitVector(N)),
    st(Implies([Equal(x, 0)], [Equal(x * y, 0)])), st(Iff(Equal(x, y), Equal(2 * x, 2 * y))),
    st(Fails(Equal(sp.sqrt(x**2), x))), eq(S(x)**2 * x, x), eq(pos**Q(1, 2) * pos**Q(1, 2), pos),
    eq(sp.Matrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]]).det(), sp.S.One),
    # kinks, jumps and roots
    eq(sp.Max(x, y, x + y), sp.Max(x, sp.Max(y, x + y))), eq(sp.Abs(sp.Abs(x) - sp.Abs(y)) * 0, sp.S.Zero),
    eq(sp.Max(x, 0)**2 + sp.Min(x, 0)**2, x**2), eq(S(x) * S(y), S(x * y)), eq(H(x, 1) + H(-x, 0), sp.S.One),
    eq(sp.floor(x) - sp.floor(x - 2), sp.Integer(2)), eq(sp.Mod(x, 1) + sp.floor(x), x),
    eq(sp.Abs(x)**4, x**4), eq((sp.Abs(x) + x) / 2, sp.Max(x, 0)), eq(sp.sqrt(x**2 + 2 * x + 1), sp.Abs(x + 1)),
    eq(sp.cbrt(pos**3), pos), eq(sp.atan2(2 * y, 2 * x), sp.atan2(y, x)), eq(sp.cos(sp.atan(x)), 1 / sp.sqrt(1 + x**2)),
    eq(sp.tanh(x), (sp.exp(2 * x) - 1) / (sp.exp(2 * x) + 1)), eq(sp.cosh(x)**2 - sp.sinh(x)**2, sp.S.One),
    eq((-1)**(2 * n), sp.S.One), eq(sp.sin(2 * sp.pi * n + x), sp.sin(x)),
]

FALSE = [
    tex(x / (y + 1), r"\frac{x}{y}+1"), tex((x + 1)**2, r"x+1^2"), tex(sp.sin(x)**2, r"\sin x^2"),
    tex(M2, r"\begin{bmatrix} x & z \\ y & w \end{bmatrix}"), tex(sp.exp(x * y), r"e^{x}y", e=sp.E),
    tex(sp.sqrt(x + 1), r"\sqrt{x}+1"), tex(x * (y + z), r"xy+z"), tex(-x**2, r"(-x)^2"), tex(x, r"\left|x\right|"),
    tex(x**2, r"x_2", x_2=y), tex(sp.Matrix([[x * a], [y * b]]), r"\begin{bmatrix}x\\y\end{bmatrix}a"),
    tex(x**(2 * y), r"x^2y"), tex(sp.log(x) + y, r"\log(x+y)"), tex(2 * x, r"x^2"), tex(x * 0.25, r"0.26x"),
    eq(P((x, x >= y), (y, True)), sp.Min(x, y)), eq(P((1, x > 0), (2, True)), P((1, x >= 0), (2, True))),
    eq(P((1, (x > 0) & (x < Q(1, 100))), (0, True)), sp.S.Zero), eq(P((x, sp.Ne(x, 7)), (0, True)), x),
    eq(P((1, sp.Eq(x + y, 1)), (0, True)), sp.S.Zero), eq(P((1, (x > 5) & (y < -5)), (0, True)), sp.S.Zero),
    eq(P((x, x > 0), (y, y > 0), (z, True)), P((y, y > 0), (x, x > 0), (z, True))),
    eq(P((1, sp.Eq(x**2, 4)), (0, True)), P((1, sp.Eq(x, 2)), (0, True))),
    eq(P((1, sp.And(x >= 0, x <= 0)), (0, True)), sp.S.Zero), eq(P((1, sp.cos(x) > Q(999, 1000)), (0, True)),
    sp.S.Zero),
    eq(P((1, sp.Xor(x > 0, y > 0)), (0, True)), P((1, x * y < 0), (0, True))),
    st(IntegralEqual(-1 / u - 1, 1 / t**2, t, -1, u)), st(IntegralEqual(sp.log(u), 1 / t, t, 2, u), Positive(u)),
    st(IntegralEqual(u**2, t, t, 0, u)), st(IntegralEqual(sp.Abs(u), S(t), t, 1, u)),
    st(IntegralEqual(sp.Matrix([u**2 / 2, u]), sp.Matrix([t, 2]), t, 0, u)),
    eq(sp.Integral(sp.sin(t), (t, 0, sp.pi)), sp.S.One), eq(sp.Derivative(sp.Abs(x), x), sp.S.One),
    eq(sp.Derivative(x**2 * f(x), x), 2 * x * f(x)),
    st(Inequality(x**2, ">", 0)), st(Inequality(x, "<=", x**2)), st(Inequality(x * y, ">=", 0), NonNegative(x)),
    st(Inequality(sp.exp(x), ">=", x + 2)), st(Inequality(sp.cos(x), ">", -1)), st(Inequality(x**4 + y**4, ">", 0)),
    st(Inequality(sp.Abs(x), "<", sp.Abs(x) + y), NonNegative(y)), st(Inequality((x - 3)**2, ">", Q(1, 10**6))),
    st(Inequality(x**2 + y**2 + z**2, ">=", 2 * x * y + Q(1, 1000))), st(Inequality(x**2, "<", 10**8)),
    st(Definite(sp.Matrix([[1, 2], [2, 1]]))), st(Definite(sp.Matrix([[x, 0], [0, 1]]))),
    st(Definite(sp.Matrix([[0, 0], [0, 1]]))),
    eq(V.dot(N), sp.S.Zero, UnitVector(V), UnitVector(N)), eq(p[0], sp.S.One, UnitQuaternion(p)),
    eq(x, y, Equation(x**2, y**2)), eq(x, sp.S.One, Equation(x**2, 1)), eq(x * y, x, Equation(x * y**2, x * y)),
    eq(sp.sqrt(x**2 * y**2), x * y, Positive(x)), eq(x, y, Equation(sp.Abs(x), sp.Abs(y))),
    eq(x, y, Equation(sp.sin(x), sp.sin(y))), st(Implies([Equal(x * y, 0)], [Equal(x, 0)])),
    st(Iff(Equal(x**2, y**2), Equal(x, y))), st(Fails(Equal(x + 1, 1 + x))), st(Iff(Equal(x * y, x * z), Equal(y, z))),
    eq(S(x)**2, sp.S.One), eq(S(x) + 1, 2 * H(x, 0)), eq(sp.floor(2 * x), 2 * sp.floor(x)), eq(sp.Mod(x, 2),
    sp.Mod(x, 1)),
    eq(sp.floor(-x), -sp.floor(x)), eq(sp.ceiling(x) - sp.floor(x), sp.S.One), eq(sp.atan2(-y, -x), sp.atan2(y, x)),
    eq(sp.Max(x, y) * z, sp.Max(x * z, y * z)), eq(sp.Abs(x)**3, x**3), eq(sp.sqrt((x - 1)**2), x - 1),
    eq(sp.asin(sp.sin(x)), x), eq((x**2)**Q(3, 2), x**3), eq(sp.cos(n * sp.pi), sp.S.One), eq(x**n * x, x**n),
    eq(sp.exp(x)**2, sp.exp(x**2)), eq(x + Q(1, 10**12), x), eq(sp.sin(x), x, Equation(x**2, Q(1, 10**8))),
    eq(sp.sin(10**6 * x), sp.sin((10**6 + 1) * x)), eq(sp.Max(x, 10**6), sp.Integer(10**6)), eq(H(x - 1000, 0),
    sp.S.Zero),
    eq(sp.Heaviside(sp.sin(x) - Q(999, 1000), 0), sp.S.Zero), eq(x**2 * sp.exp(-x**2), x**2),
    st(Zero(M2 - M2.T)), eq(M2 * M2, sp.Matrix([[x**2, y**2], [z**2, w**2]])), eq(M2.inv(), M2.T, Equation(M2.det(),
    1)),
]

OPEN = [
    tex(x, r"\frac{x}"), tex(x, r"x^"), tex(x, r"x +"), tex(x, r"\begin{bmatrix} x & \\ y & z \end{bmatrix}"),
    tex(x, r"\sin"), tex(x, r"x \% y"), tex(x, r"\left( x \right]"), tex(x, r"f(x)"), tex(x, r"\int x dx"), tex(x, ""),
    tex(x, r"x = x"), tex(x, r"\sum_{i=1}^{3} x"), tex(x, r"x!"), tex(x, r"\frac{d}{dq} x"), tex(x, r"{x"),
    tex(x, r"x}"),
    tex(x, r"x, y"), tex(x, r"\unknown x"), tex(x, r"x < y"), tex(x, r"x_{12}"), tex(x, r"\sqrt"), tex(x, r"||x"),
    tex(x, r"x \quad y"), tex(x, r"\cos^{-1} x"), tex(x, r"x'"), tex(x, "х"), tex(x, r"\text{if } x"),
    tex(x, r"x \pm y"),
    eq(x, sp.oo), eq(sp.nan, sp.nan), eq(sp.zoo, sp.zoo), eq(x / 0, x), eq(sp.Integral(1 / t, (t, -1, 1)), sp.S.Zero),
    eq(sp.Sum(1, (n, 1, sp.oo)), sp.oo), eq(x, x, Equation(sp.S.One, 0)), eq(x, x, Positive(x), Positive(-x)),
    st(Implies([Equal(sp.S.One, 2)], [Equal(x, y)])), eq(sp.Symbol("q")**2, None or sp.Symbol("q")**2), eq(f, f),
    eq([x, y], [[x, y]]), eq("x", x), eq(x, lambda: 1 / 0), eq(x, object()), eq(M2, x), eq({}, {}),
]

LABELLED = labelled(TRUE, FALSE, OPEN)


@pytest.mark.parametrize("number", range(3, len(LABELLED), 12))
def test_some_are_neither_proved_nor_refuted_falsely(number):
    check(number, *LABELLED[number])


@pytest.mark.slow
@pytest.mark.parametrize("number", [k for k in range(len(LABELLED)) if k % 12 != 3])
def test_all_others(number):
    check(number, *LABELLED[number])
