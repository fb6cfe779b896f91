"""Sides that are no expressions, or objects of other libraries."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import Float as F
from sympy import Rational as Q

from misleading.claims import eq, st
from misleading.symbols import x, y
from nsdgen.verify import NonZero, Positive

TRUE = [
    eq(Fraction(1, 3) * 3 * x, x),
    eq(x, np.float64(0.5) * 2 * x),
    eq(np.int64(3) * x, 3 * x),
    eq(Decimal("0.1"), Q(1, 10)),
    eq(np.array([[1.0, 0.0], [0.0, 1.0]]), sp.eye(2)),
]

FALSE = [
    eq(Fraction(1, 3) * x, Decimal("0.333333333333") * x),
    eq(np.array([[1.0, 1e-18], [0.0, 1.0]]), sp.eye(2)),
    eq(x * 10**-30, np.float64(0.0) * x),
]

OPEN = [
    eq(F("0.333333333333333333333333") * x, x / 3),
    eq(F("1e20") * x + x, F("1e20") * x),
    eq((x - x) / (y - y), x),
    eq(1 / (x - x + sp.Add(y, -y, evaluate=False)), x),
    eq(x, y, Positive(x), Positive(-x)),
    eq(x, y, NonZero(x - x)),
    eq(x, sp.oo),
    eq(sp.nan, sp.nan),
    eq(sp.zoo, sp.zoo),
    eq(x / 0, x),
    eq(x, x, Positive(x), Positive(-x)),
    eq(sp.Symbol("q") ** 2, None or sp.Symbol("q") ** 2),
    eq([x, y], [[x, y]]),
    eq("x", x),
    eq(x, lambda: 1 / 0),
    eq(x, object()),
    eq({}, {}),
    eq(x, y, Positive(-(x**2))),
    eq(0**x, sp.S.Zero),
    eq(sp.Subs(1 / x, x, 0), sp.S.Zero),
    eq(x < y, y > x),
    eq(sp.Interval(0, 1), sp.Interval(0, 1)),
    eq({x}, {y}),
    eq(x, "y"),
    eq(x, b"x"),
    eq(True, x),
    eq(sp.Array([[[x]]]), sp.Array([[[y]]])),
    eq(x, float("nan")),
    eq(x, 1j * x),
    eq((i for i in (x, y)), [x, y]),
    eq(x, sp.Symbol),
    eq([], []),
    eq(x, sp.Lambda(x, x)),
    eq(np.array([[[1.0]]]), x),
    eq(x, sp.Eq(x, y)),
    st(None),
    st("x = y"),
    eq(x, y, 3),
    eq(x, y, "Positive"),
    eq(x, y, x > y),
    eq(10 ** (10**4) * x, x),
    eq(sp.factorial(1000), 0),
    eq(x ** (10**9), x),
]
