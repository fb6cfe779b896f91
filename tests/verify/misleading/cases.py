"""Case distinctions: bounds that belong to one side, cases that are empty, cases on a single point."""

from __future__ import annotations

import sympy as sp
from sympy import Heaviside as H
from sympy import Piecewise as P
from sympy import Rational as Q
from sympy import sign as S

from misleading.claims import eq
from misleading.symbols import a, b, pi, w, x, y, z
from nsdgen.verify import Claim

TRUE = [
    eq(P((x, x <= 0), (x, x > 0)), x),
    eq(P((1, x > 0), (0, sp.Eq(x, 0)), (-1, True)), S(x)),
    eq(P((1, x > 0)), sp.S.One),
    eq(P((1, (x > 0) & (x < 1)), (2, (x >= 1) | (x <= 0))), P((1, sp.Abs(x - Q(1, 2)) < Q(1, 2)), (2, True))),
    eq(P((1, sp.Abs(x) < 1), (0, True)), H(1 - x**2, 0)),
    eq(P((7, (x > 0) & (y > 0) & (x + y < -1)), (1, True)), sp.S.One),
    eq(P((x, x > y), (y, True)), sp.Max(x, y)),
    eq(P((1, sp.Eq(x, 0)), (x / x, True)), sp.S.One),
    eq(P((x, sp.Not(x < 0)), (-x, True)), sp.Abs(x)),
    eq(P((1, (x > 1) & (x < 0)), (2, True)), sp.Integer(2)),
    eq(P((y, sp.Or(x > 0, x <= 0)), (z, True)), y),
    eq(P((x, sp.Ne(x, 0)), (0, True)), x),
    eq(P((P((1, y > 0), (2, True)), x > 0), (P((1, y > 0), (2, True)), True)), P((1, y > 0), (2, True))),
    eq(P((x, x**2 < 1), (y, True)), P((x, sp.Abs(x) < 1), (y, True))),
    eq(P((x, x > 0), (y, True)) + P((y, x > 0), (x, True)), x + y),
    eq(
        P((1, sp.Xor(x > 0, y > 0)), (0, True)),
        P((1, x * y < 0), (1, (x > 0) & sp.Eq(y, 0)), (1, (y > 0) & sp.Eq(x, 0)), (0, True)),
    ),
    eq(P((x, x < 0), (0, x <= 0), (x, True)), x),
    eq(P((0, sp.Eq(x * y, 0)), (x * y, True)), x * y),
    eq(P((1, x**2 > 4), (0, True)), P((1, x > 2), (1, x < -2), (0, True))),
    eq(P((x**2, sp.Abs(x) <= 1), (2 * sp.Abs(x) - 1, True)), P((2 * x - 1, x > 1), (-2 * x - 1, x < -1), (x**2, True))),
    eq(sp.Max(x, P((x, y > 0), (x - 1, True))), x),
    eq(P((1, x > y), (2, x < y), (3, True)), P((3, sp.Eq(x, y)), (1, x > y), (2, True))),
    eq(P((P((1, x > 1), (2, True)), x > 0), (3, True)), P((3, x <= 0), (2, x <= 1), (1, True))),
    eq(P((x / sp.Abs(x), sp.Ne(x, 0)), (0, True)), S(x)),
    eq(H(x - y, 1), P((1, x >= y), (0, True))),
    eq(sp.floor(x) + P((0, sp.Eq(sp.frac(x), 0)), (1, True)), sp.ceiling(x)),
    eq(P((sp.sin(x) / x, sp.Ne(x, 0)), (1, True)), sp.sinc(x)),
    eq(P((1, sp.ITE(x > 0, y > 0, y < 0)), (0, True)), P((1, (x > 0) & (y > 0)), (1, (x <= 0) & (y < 0)), (0, True))),
]

FALSE = [
    eq(x**2 * S(x), x * sp.Abs(x) + sp.Abs(x) * 0 + P((1, sp.Eq(x, 0)), (0, True))),
    eq(P((x, x < 0), (x**2, x < 1), (1, True)), sp.Min(x, 1)),
    eq(P((1, x > 0), (0, sp.Eq(x, 0)), (-1, True)), 2 * H(x, 1) - 1),
    eq(P((1, sp.Eq(x, y)), (0, True)), sp.S.Zero),
    eq(P((x, sp.Ne(x, 3)), (5, True)), x),
    eq(P((1, sp.Abs(x) <= 1), (0, True)), H(1 - x**2, 0)),
    eq(P((0, (x > 0) & (y > 0) & (x + y < -1)), (1, True)), sp.S.Zero),
    eq(P((7, (x > 0) & (x * y > 0) & (y < z)), (1, True)), sp.S.One),
    eq(P((7, x**2 + y**2 < 0), (3, x**2 + y**2 <= 0), (1, True)), sp.S.One),
    eq(P((7, sp.Eq(x**2 + y**2, 2) & sp.Eq(x, y)), (1, True)), sp.S.One),
    eq(P((7, sp.Eq(sp.sin(x), 1)), (1, True)), sp.S.One),
    eq(sp.Mod(x, y), x - y * sp.floor(x / y) + P((1, sp.Eq(x, 2)), (0, True))),
    eq(sp.frac(x), x - sp.floor(x) + P((1, sp.Eq(x, y)), (0, True))),
    eq(sp.tan(x / 2), sp.sin(x) / (1 + sp.cos(x)) + P((1, sp.Eq(x, 0)), (0, True))),
    eq(sp.sinc(x), sp.sin(x) / x + P((1, sp.Eq(x, 1)), (0, True))),
    eq(x * P((0, sp.Eq(x, 0)), (1 / x, True)), sp.S.One),
    eq(P((sp.S.Zero, sp.Eq(x, y)), ((x**2 - y**2) / (x - y), True)), x + y),
    eq(P((x, x >= y), (y, True)), sp.Min(x, y)),
    eq(P((1, x > 0), (2, True)), P((1, x >= 0), (2, True))),
    eq(P((1, (x > 0) & (x < Q(1, 100))), (0, True)), sp.S.Zero),
    eq(P((x, sp.Ne(x, 7)), (0, True)), x),
    eq(P((1, sp.Eq(x + y, 1)), (0, True)), sp.S.Zero),
    eq(P((1, (x > 5) & (y < -5)), (0, True)), sp.S.Zero),
    eq(P((x, x > 0), (y, y > 0), (z, True)), P((y, y > 0), (x, x > 0), (z, True))),
    eq(P((1, sp.Eq(x**2, 4)), (0, True)), P((1, sp.Eq(x, 2)), (0, True))),
    eq(P((1, sp.And(x >= 0, x <= 0)), (0, True)), sp.S.Zero),
    eq(P((1, sp.cos(x) > Q(999, 1000)), (0, True)), sp.S.Zero),
    eq(P((1, sp.Xor(x > 0, y > 0)), (0, True)), P((1, x * y < 0), (0, True))),
    eq(P((x, x < 1), (x**2, True)), P((x, x <= 2), (x**2, True))),
    eq(P((0, sp.Eq(x, y)), (1, True)), sp.S.One),
    eq(P((1, x**2 > 4), (0, True)), P((1, x > 2), (0, True))),
    eq(P((1, x**2 >= 4), (0, True)), P((1, sp.Abs(x) > 2), (0, True))),
    eq(P((x**2, sp.Abs(x) <= 1), (2 * sp.Abs(x), True)), P((2 * x - 1, x > 1), (-2 * x - 1, x < -1), (x**2, True))),
    eq(P((1, (x > 1000) & (x < 1001)), (0, True)), sp.S.Zero),
    eq(P((1, sp.Eq(x**2 + y**2, 25)), (0, True)), sp.S.Zero),
    eq(P((x, sp.Abs(x - Q(1, 3)) < Q(1, 10**5)), (y, True)), y),
    eq(P((1, sp.exp(x) > 100), (0, True)), sp.S.Zero),
    eq(P((1, (x * y > 50) & (x + y < -20)), (0, True)), sp.S.Zero),
    eq(P((1, sp.Eq(x, sp.sqrt(2))), (0, True)), sp.S.Zero),
    eq(P((sp.sin(x) / x, sp.Ne(x, 0)), (0, True)), sp.sinc(x)),
    eq(P((1, sp.Eq(sp.sin(x), Q(1, 2))), (0, True)), 0 * x),
    eq(P((x, sp.Ne(x, pi)), (0, True)), x),
    eq(P((0, sp.Eq(x + y + z, 1)), (1, True)), sp.S.One),
    eq(P((0, sp.Eq(x, 10**12)), (1, True)), sp.S.One),
    eq(P((x, (x > 0) & (x < sp.Rational(1, 10**9))), (0, True)), 0 * x),
    eq(P((1, (x > 0) & (y > 0) & (z > 0) & (w > 0) & (a > 0) & (b > 0)), (0, True)), 0 * x),
]

OPEN: list[Claim] = []
