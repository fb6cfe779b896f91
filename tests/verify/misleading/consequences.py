"""What follows, or does not follow, from equations and other assumptions."""

from __future__ import annotations

import sympy as sp
from sympy import Rational as Q
from sympy import sign as S

from misleading.claims import eq, st
from misleading.symbols import f, x, y, z
from nsdgen.verify import Equal, Equation, Fails, Iff, Implies, NonNegative, NonZero, Positive, Shape, Zero

TRUE = [
    eq(x, y, Equation(x**2, y**2), Positive(x, y)),
    eq(x * y, sp.S.One, Equation(x * y * z, z), NonZero(z)),
    eq(x, sp.S.Zero, Equation(sp.exp(x), 1)),
    eq(x, sp.S.Zero, Equation(x**3, 0)),
    eq(x, sp.S.Zero, Equation(x**2 + y**2, 0)),
    eq(x + y, sp.S.Zero, Equation(S(x), 1), Equation(y, -sp.Abs(x))),
    st(Implies([Equal(x, y)], [Equal(x**2, y**2)])),
    st(Iff(Equal(x**3, y**3), Equal(x, y))),
    st(Implies([Equal(sp.Abs(x), 0)], [Equal(x, 0)])),
    st(Fails(Equal(x**2, x))),
    eq(x, y, Equation(x - y, 0)),
    eq(x**3, x * y**2, Equation(x**2, y**2)),
    eq(x, 2, Equation(x - 1, 1)),
    st(Implies([Equal(x, 0)], [Equal(x * y, 0)])),
    st(Iff(Equal(x, y), Equal(2 * x, 2 * y))),
    st(Fails(Equal(sp.sqrt(x**2), x))),
    st(Implies([Equal(x + y, 3), Equal(x - y, 1)], [Equal(x, 2), Equal(y, 1)])),
    st(Iff(Equal(sp.Abs(x), 0), Equal(x**2, 0))),
    st(Implies([Equal(sp.exp(x), sp.exp(y))], [Equal(sp.exp(2 * x), sp.exp(2 * y))])),
    eq(x, -y, Equation(x**3 + y**3, 0)),
    eq(x * y, sp.S.Zero, Equation(x**2 * y**2, 0)),
    eq(x, sp.S.One, Equation(x**2, 1), Positive(x)),
    eq(x, sp.S.One, Equation(x**2 - 3 * x + 2, 0), Positive(Q(3, 2) - x)),
    st(Fails(Equal(sp.sqrt(x**2) + x, 0))),
    eq(x / y, z, Equation(x, y * z), NonZero(y)),
    st(Implies([Equal(x**2 + y**2, 0)], [Zero(x), Zero(y)])),
    st(Fails(Equal(x * y, 0))),
    st(Implies([Equal(x * y, 1), Equal(x, y), Positive(x)], [Equal(x, 1)])),
    st(Iff(Equal(sp.Max(x, y), y), NonNegative(y - x))),
]

FALSE = [
    eq(x, y, Equation(x**2, y**2)),
    eq(x, y, Equation(x**2, y**2), Positive(x)),
    eq(x * y, sp.S.One, Equation(x * y * z, z)),
    eq(x, sp.S.Zero, Equation(sp.sin(x), 0)),
    eq(x, sp.S.Zero, Equation(x**2 - y**2, 0)),
    eq(sp.cos(x), sp.S.One, Equation(sp.sin(x), 0)),
    eq(x, 1, Equation(sp.Max(x, 1), 1)),
    st(Implies([Equal(x**2, y**2)], [Equal(x, y)])),
    st(Iff(Equal(x**2, y**2), Equal(x, y))),
    st(Iff(Equal(x * y, 0), Equal(x, 0))),
    st(Implies([Equal(sp.sin(x), sp.sin(y))], [Equal(x, y)])),
    st(Implies([Equal(x * z, y * z)], [Equal(x, y)])),
    st(Fails(Equal((x + 1) ** 2, x**2 + 2 * x + 1))),
    eq(x, sp.S.One, Equation(x**2, 1)),
    eq(x * y, x, Equation(x * y**2, x * y)),
    eq(x, y, Equation(sp.Abs(x), sp.Abs(y))),
    eq(x, y, Equation(sp.sin(x), sp.sin(y))),
    st(Implies([Equal(x * y, 0)], [Equal(x, 0)])),
    st(Fails(Equal(x + 1, 1 + x))),
    st(Iff(Equal(x * y, x * z), Equal(y, z))),
    eq(sp.sin(x), x, Equation(x**2, Q(1, 10**8))),
    st(Implies([Equal(x**2 + y**2, 25), Equal(x, 3)], [Equal(y, 4)])),
    st(Iff(Equal(x * y, 0), Equal(x + y, 0))),
    st(Implies([Equal(sp.Abs(x), sp.Abs(y))], [Equal(x, y)])),
    st(Implies([Equal(sp.cos(x), 1)], [Equal(x, 0)])),
    eq(x, sp.S.One, Equation(x**2, x)),
    eq(x, y, Equation(x**4, y**4), Positive(x)),
    eq(x, y, Equation(sp.cos(x), sp.cos(y)), Positive(x, y)),
    eq(x, 2, Equation((x - 2) * (x - 3), 0)),
    eq(x, 1, Equation(x**3 - x**2, 0)),
    eq(x, y, Equation(x * z, y * z)),
    eq(y, sp.S.Zero, Equation(x * y, 0), NonNegative(x)),
    st(Fails(Equal(sp.Abs(x) ** 2, x**2))),
    eq(sp.Max(x, y), x, Equation(x + y, 1)),
    eq(f(x), f(y), Equation(x**2, y**2)),
    st(Fails(Equal(x, x))),
    st(Implies([Equal(x * y, 1), Equal(x, y)], [Equal(x, 1)])),
    st(Implies([NonNegative(x)], [Equal(sp.sqrt(x**2) * x, x**3)])),
    st(Iff(Equal(sp.sin(x), 0), Equal(sp.sin(2 * x), 0))),
    st(Iff(Equal(x * y, 0), Equal(x**2 + y**2, 0))),
]

OPEN = [
    eq(x, y, Equation(x**2 + 1, 0)),
    eq(x, y, Equation(sp.Abs(x), -1)),
    eq(x, sp.S.Zero, Equation(sp.exp(x), 0)),
    eq(x, x, Equation(sp.S.One, 0)),
    st(Implies([Equal(sp.S.One, 2)], [Equal(x, y)])),
    eq(x, y, Equation(x**2 + y**2, -1)),
    st(Implies([Equal(x**2, -1)], [Equal(x, 7)])),
    st(Shape(x, (1, 1))),
    eq(x, y, Equation(x, y), Equation(1, 0)),
]
