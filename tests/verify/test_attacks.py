"""Attacks on verdicts in ten classes: what is false must not be proved or `consistent`, what is true not be refuted.

A claim is its class and its seed, and is true or false by construction. Each class holds one way in which a verdict
could go wrong: functions that an evaluation might skip, places where a claim fails alone, narrow cases, boundaries of
assumptions, integrands that depend on the bound, names like those the tool makes up, premises that do not suffice,
readings of LaTeX, the order and the transpose of factors, bounds that are exceeded hardly at all.
"""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp

from nsdgen.verify import (
    Claim,
    Definite,
    Equal,
    Implies,
    Inequality,
    IntegralEqual,
    Invertible,
    Latex,
    NonNegative,
    NonZero,
    Positive,
    Rotation,
    Symmetric,
    Zero,
    cross,
    decide,
    matrix,
    skew,
    vector,
)
from nsdgen.verify.verdict import PROVED

BUDGET = 5.0  # seconds of processor time
x, y, z, s, t = sp.symbols("x y z s t", real=True)
a, b, c = vector("a"), vector("b"), vector("c")
n = sp.Symbol("n", integer=True, positive=True)
A, B, S, R = (sp.MatrixSymbol(name, n, n) for name in "ABSR")
f = sp.Function("f")


def number(rng, most=9):
    """A rational number that is not zero."""
    return sp.Rational(rng.choice((-1, 1)) * rng.randint(1, most), rng.randint(1, 4))


def smooth(rng):
    """A smooth function of x that does not vanish."""
    return rng.choice([sp.exp(x), x**2 + abs(number(rng)), sp.cosh(x), 2 + sp.sin(number(rng) * x), sp.sqrt(1 + x**2)])


def claim(left, right, assumptions=()):
    return Claim("c", left, right, list(assumptions))


def said(statement, assumptions=()):
    return Claim("c", statements=[statement], assumptions=list(assumptions))


def functions(rng, true):
    k, q = rng.randint(1, 4), abs(number(rng))
    left, right, assumed = rng.choice(
        [
            (sp.besselj(k - 1, x) + sp.besselj(k + 1, x), 2 * k / x * sp.besselj(k, x), [Positive(x)]),
            (sp.Derivative(sp.airyai(x), x, 2), x * sp.airyai(x), []),
            (sp.gamma(x + 1), x * sp.gamma(x), [Positive(x)]),
            (sp.Derivative(sp.erf(q * x), x), 2 * q / sp.sqrt(sp.pi) * sp.exp(-(q**2) * x**2), []),
            (sp.polylog(1, 1 / (1 + x**2 + q)), -sp.log(1 - 1 / (1 + x**2 + q)), []),
            (sp.Derivative(sp.elliptic_k(-(x**2)), x) * 0 + sp.elliptic_k(sp.S.Zero), sp.pi / 2, []),
            (sp.hyper([1, 1], [2], -(x**2)) * x**2, sp.log(1 + x**2), []),
            (sp.besselk(sp.Rational(1, 2), x), sp.sqrt(sp.pi / (2 * x)) * sp.exp(-x), [Positive(x)]),
        ]
    )
    own = smooth(rng)
    return claim(left + own, own + (right if true else right * (1 + sp.Rational(1, rng.randint(2, 90)))), assumed)


def isolated(rng, true):
    at, g = number(rng, 40), smooth(rng)
    zero = rng.choice([x - at, x**2 - abs(at), sp.sin(x) - sp.Rational(rng.randint(-9, 9), 10), x**3 - x - abs(at)])
    kind = rng.randrange(4)
    if kind == 0:
        return said(Inequality(g * zero**2, ">=" if true else ">", 0))
    if kind == 1:
        return claim(sp.Piecewise((g, sp.Ne(zero, 0)), (g if true else g + number(rng), True)), g)
    if kind == 2:
        return claim(sp.sign(zero) * (zero if true else sp.sign(zero)), sp.Abs(zero) if true else 1)
    return claim(sp.Abs(zero) ** (2 if true else 0) if true else sp.sign(zero**2) * g, zero**2 if true else g)


def bands(rng, true):
    low, g = number(rng, 60), smooth(rng)
    width = sp.Rational(1, rng.choice([1, 3, 10, 100, 1000])) * (-1 if true else 1)
    inside = (x > low) & (x < low + width)
    return claim(sp.Piecewise((g + number(rng), inside), (g, True)), g)


def boundaries(rng, true):
    at = number(rng, 30)
    inner = rng.choice([x - at, at - x, x + y - at, x**2 - abs(at)])
    g = smooth(rng)
    left, right = rng.choice(
        [
            (sp.sign(inner), sp.S.One),
            (sp.Heaviside(inner, 0) * g, g),
            (sp.Piecewise((g, inner > 0), (-g, True)), g),
            (sp.Max(sp.sign(inner), 0) * g, g),
        ]
    )
    return claim(left, right, [Positive(inner) if true else NonNegative(inner)])


def integrals(rng, true):
    """Integrands that hold the bound, poles and jumps between bounds, starts and factors that were lost."""
    m, k, q, shift = rng.randint(0, 3), rng.randint(1, 3), number(rng), number(rng)
    of = rng.choice([sp.sin(q * t), sp.exp(t / q), sp.atan(q * t), sp.log(1 + t**2), t**k * sp.exp(q * t), sp.cosh(t)])
    low = rng.choice([0, 1, -2, sp.Rational(1, 3)])
    start, slope = of.subs(t, low), sp.diff(of, t).subs(t, s)
    kinds = [
        (0, q * s**m * t**k, q * t ** (m + k + 1) / (m + 1), q * t ** (m + k + 1) / (m + k + 1), []),
        (0, q * s**m * t**k, q * t ** (m + k + 1) / (m + 1), q * t ** (m + k + 1) / (m + 1) + shift, []),
        (low, slope, of - start, of - start + shift, []),
        (low, slope + q * s, of - start + q * (t**2 - sp.Integer(low) ** 2 if low in (0, 1, -2) else t**2) / 2, of, []),
        (low, slope * t, (of - start) * t, (of - start) * t + (of - start), []),
        (t / 2, q * s + shift, 3 * q * t**2 / 8 + shift * t / 2, q * t**2 / 2 + shift * t / 2, []),
        (0, q * sp.Abs(s), q * t * sp.Abs(t) / 2, q * t**2 / 2, []),
        (-2, q * sp.sign(s) + shift, q * (sp.Abs(t) - 2) + shift * (t + 2), q * (t - 2) + shift * (t + 2), []),
        (-1, q / s**2, -q / t - q, -q / t - q, [Positive(-t)] if true else [Positive(t)]),  # over a pole
        (
            0,
            q / (2 + sp.cos(s)),
            2 * q / sp.sqrt(3) * sp.atan(sp.tan(t / 2) / sp.sqrt(3)),
            2 * q / sp.sqrt(3) * sp.atan(sp.tan(t / 2) / sp.sqrt(3)),  # which jumps where t is an odd multiple of pi
            [Positive(t), Positive(3 - t)] if true else [Positive(t)],
        ),
    ]
    if low == sp.Rational(1, 3):
        kinds.pop(3)
    below, integrand, right, wrong, assumed = rng.choice(kinds)
    return said(IntegralEqual(right if true else wrong, integrand, s, below, t), assumed)


def names(rng, true):
    letter = rng.choice("fgh")
    g, order = sp.Function(letter), rng.randint(1, 2)
    made = rng.choice(
        [f"{letter}{'_1' * order}(x)", f"{letter}(x)", f"{letter}_1", "re(x)", "Abs(x)", "symbol1", "sin(x)"]
    )
    own, q = sp.Symbol(made, real=True), number(rng)
    slope = sp.Derivative(g(x), (x, order))
    kinds = [(q * slope, q * own), (g(x) + q, own + q), (sp.sin(x) * q, q * own), (sp.Abs(x), own)]
    left, right = rng.choice(kinds)
    square = 2 * g(x) * sp.Derivative(g(x), x)
    return claim(sp.Derivative(g(x) ** 2, x) + q * own, square + q * own) if true else claim(left, right)


def consequences(rng, true):
    """Premises that do not suffice: each kind has what is missing, or two conclusions, a true and a false one."""
    q, k, p = number(rng), rng.randint(1, 3), number(rng)
    lacking = [
        ([Zero(y**k * (x - q))], [Zero(x - q)], [NonZero(y)]),
        ([Equal(y * x + q, y * z + q)], [Equal(x, z)], [NonZero(y)]),
        ([Equal(x**2, q**2)], [Equal(x, abs(q))], [NonNegative(x)]),
        ([Equal(sp.Abs(x - q), y)], [Equal(x, y + q)], [NonNegative(x - q)]),
        ([Zero((x - q) * (y - p))], [Equal(x, q)], [NonZero(y - p)]),
        ([Equal(x + q, y**2)], [Equal(sp.sqrt(x + q), y)], [NonNegative(y)]),
        ([Equal(q * x**2 * y, q * y)], [Equal(x**2, 1)], [NonZero(y)]),
        ([Equal(A * A * B, A)], [Equal(A * B, sp.Identity(n))], [Invertible(A)]),
        ([Equal(q * A * B, q * A * S)], [Equal(B, S)], [Invertible(A)]),
    ]
    two = [
        ([Zero((x - q) ** 2 + y**2)], Equal(x, q), Equal(x, q + y + p)),
        ([Zero((x - q) ** 2 - y**2)], Equal((x - q) ** 4, y**4), Equal(x - q, y)),
        ([Zero(sp.sin(q * x))], Equal(sp.cos(q * x) ** 2, 1), Equal(sp.cos(q * x), 1)),
        ([Equal(x, y)], Equal(f(x) + q, f(y) + q), Equal(f(x) + q, f(q * y) + q + 1)),
        ([Equal(f(x), f(y))], Equal(f(x) ** 2 + q, f(y) ** 2 + q), Equal(x + q, y + q)),
        ([Equal(sp.Abs(x - q), sp.Abs(y))], Equal((x - q) ** 2, y**2), Equal(x - q, y)),
        ([Equal(x + y, q), Equal(x - y, p)], Equal(2 * x, q + p), Equal(2 * x, q - p)),
        ([Equal(sp.Max(x, y) + q, x + q)], Inequality(x, ">=", y), Inequality(x, ">", y)),
        ([Equal(sp.cos(x), sp.cos(q * y))], Equal(sp.sin(x) ** 2, sp.sin(q * y) ** 2), Equal(x, q * y)),
        ([Equal(x**3, q**3)], Equal(x**6, q**6), Equal(x, -q)),
        ([Equal(sp.exp(x), y)], Inequality(q**2 * y, ">", 0), Inequality(y, ">", 1 / q**2)),
        ([Equal(A * B, q * B * A)], Equal(A * A * B, q**2 * B * A * A), Equal(A * A * B, q * B * A * A + B)),
    ]
    if rng.random() < 0.5:
        premises, conclusions, needed = rng.choice(lacking)
        return said(Implies(premises, conclusions), needed if true else [])
    premises, right, wrong = rng.choice(two)
    return said(Implies(premises, [right if true else wrong]))


def readings(rng, true):
    p, m, th = sp.symbols("p m theta", real=True)
    table = {"x": x, "y": y, "p": p, "m": m, r"\theta": th}
    k = rng.randint(2, 9)
    text, value = rng.choice(
        [
            (rf"\frac{{p^{k}}}{{2 m}}", p**k / (2 * m)),
            (rf"\cos({k}\theta)\,x", sp.cos(k * th) * x),
            (rf"\sin^{k} \theta", sp.sin(th) ** k),
            (rf"\sin {k} x y", sp.sin(k * x * y)),
            (rf"\sqrt[{k}]{{x^2 + 1}}", (x**2 + 1) ** sp.Rational(1, k)),
            (rf"\frac{{\partial}}{{\partial x}}(x^{k} y)", k * x ** (k - 1) * y),
            (rf"x^{{-{k}}} y", y / x**k),
            (rf"\left|x - {k}\right|^2", (x - k) ** 2),
            (rf"{k} - x - y", k - x - y),
        ]
    )
    ambiguous = [
        (rf"p^{k}/{k}m", p**k * m / k),
        (rf"\cos\theta\,x^{k}", sp.cos(th * x**k)),
        (rf"\sin(x+y)^{k}", sp.sin((x + y) ** k)),
        (rf"\frac{{x}}{{y}}^{k}", x / y**k),
        (rf"{k}\mathrm{{m}}", k * m),
        (r"\cos\theta~x", sp.cos(th) * x),
    ]
    more, j = rng.choice([("", 0), (" + {} y", 1), (" - {} y x", -x)]), rng.randint(2, 99)
    added = more[1] * j * y
    if true:
        return claim(value + added, Latex(text + more[0].format(j), table))
    other, wrong = rng.choice([(text, value + number(rng)), (text, -value), *ambiguous])
    return claim(wrong + added, Latex(other + more[0].format(j), table))


def factors(rng, true):
    q = number(rng)
    M, N = matrix("M", 3, 3), matrix("N", 3, 3)
    kinds = [
        ((A * B).T, B.T * A.T, A.T * B.T, []),
        ((A * B).I, B.I * A.I, A.I * B.I, [Invertible(A), Invertible(B)]),
        (R * S * R.T, (R * S * R.T).T, R.T * S * R, [Rotation(R), Symmetric(S)]),
        (A * (B + S), A * B + A * S, A * B + S * A, []),
        (skew(a) * b, cross(a, b), cross(b, a), []),
        (cross(a, cross(b, c)), b * a.dot(c) - c * a.dot(b), c * a.dot(b) - b * a.dot(c), []),
        ((M * N).T, N.T * M.T, M.T * N.T, []),
        ((M * N).trace(), (N * M).trace(), M.trace() * N.trace(), []),
        ((q * M).det(), q**3 * M.det(), (q**3 + 1) * M.det(), []),
        (skew(a) * skew(b) - skew(b) * skew(a), skew(cross(a, b)), skew(cross(b, a)), []),
    ]
    left, right, wrong, assumed = rng.choice(kinds)
    if isinstance(left, sp.MatrixBase):
        own = sp.ones(*left.shape) * rng.choice([x, y, q])
        left, right, wrong = (e * q + own for e in (left, right, wrong))
    elif isinstance(left, sp.MatrixExpr):  # beside a word in letters that nothing is assumed of
        own = rng.choice([A * B * A, B * A, A * A + B, S * A * B, A * B.T, sp.Identity(n)])
        scale = rng.choice([q, x, x + q])
        left, right, wrong = (scale * e + number(Random(str(own)), 99) * own for e in (left, right, wrong))
    else:
        left, right, wrong = (q * e + x for e in (left, right, wrong))
    return claim(left, right if true else wrong, assumed)


def bounds(rng, true):
    q, less = number(rng), sp.Rational(1, rng.choice([3, 10, 50, 200]))
    kinds = [
        said(Inequality(x**2 + 2 * q * x * y + (q**2 if true else q**2 - less) * y**2, ">=", 0)),
        said(Inequality(sp.exp(x), ">=", 1 + x * (1 if true else 1 + less))),
        said(Inequality(sp.Max(x, y), ">=", (x + y) / 2 + (0 if true else less))),
        said(Inequality(sp.sin(x) * sp.cos(x), "<=", sp.Rational(1, 2) - (0 if true else less / 9))),
        said(Inequality(sp.Abs(x + q * y), "<=", sp.Abs(x) + sp.Abs(q * y) * (1 if true else 1 - less))),
        said(Definite(sp.Matrix([[1 + x**2, x], [x, 1 if true else 1 - less]]))),
        said(Inequality(x / (1 + x**2), "<=", sp.Rational(1, 2) - (0 if true else less / 9))),
        said(Inequality((x - q) ** 2 * (1 + y**2), ">=" if true else ">", 0)),
        said(Inequality((x**2 - abs(q)) ** 2 + (sp.exp(y) - abs(q)) ** 2, ">=" if true else ">", 0)),
        said(Inequality(sp.sqrt((x**3 - x - q) ** 2 + sp.sin(y) ** 2), ">=" if true else ">", 0)),
        said(Inequality(sp.log(1 + x**2), "<=", x**2 * (1 if true else 1 - less))),
        said(Inequality(sp.atan(x**2), "<=", sp.pi / 2 - (0 if true else less / 9))),
        said(Inequality(sp.tanh(x) ** 2, "<" if true else "<=", 1 if true else 1 - less / 9)),
    ]
    one = rng.choice(kinds).readings[0].statements[0]
    moved = {x: rng.choice((1, -1, 2)) * x + number(rng), y: y - number(rng)}  # so that nothing lies where it is simple
    if isinstance(one, Definite):
        return said(Definite(one.matrix.subs(moved, simultaneous=True)))
    sides = (sp.sympify(e).subs(moved, simultaneous=True) for e in (one.left, one.right))
    left, right = sides
    return said(Inequality(left, one.relation, right))


CLASSES = (functions, isolated, bands, boundaries, integrals, names, consequences, readings, factors, bounds)


def attack(make, seed):
    """What is wrong with the verdict on the claim of a seed, "" where nothing is; and whether the claim is proved."""
    true = seed % 3 == 0
    made = make(Random(seed), true)
    verdict = decide(made, budget=BUDGET, repairs=False).verdict
    wrong = verdict == "refuted" if true else verdict in (*PROVED, "proved under", "consistent")
    return (f"{make.__name__} {seed}, {true}, {verdict}: {made.readings[0]}" if wrong else ""), verdict in PROVED


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_a_share_of_the_attacks(make):
    found = [attack(make, seed) for seed in range(2)]
    assert not [wrong for wrong, _ in found if wrong]


@pytest.mark.slow
@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_sixteen_hundred_attacks_on_verdicts(make):
    found = [attack(make, seed) for seed in range(1000, 1160)]
    assert not [wrong for wrong, _ in found if wrong]
    assert any(proved for _, proved in found)
