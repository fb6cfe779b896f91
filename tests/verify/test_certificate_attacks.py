"""Attacks on certificates in ten classes: claims that are false by their numbers, none of which may get one.

A claim of a class is its seed; whether it is true is decided by numbers, not by ``verify``. Each class has true claims
as well as false ones, so that a maker which proves nothing does not pass.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Inequality,
    IntegralEqual,
    Invertible,
    Positive,
    Rotation,
    Skew,
    Symmetric,
)
from nsdgen.verify.certificate.making import certified
from nsdgen.verify.setting import Deadline

x, y, z, s, t = sp.symbols("x y z s t", real=True)
n = sp.Symbol("n", integer=True, positive=True)
A, B, S, K, R = (sp.MatrixSymbol(name, n, n) for name in "ABSKR")
u, v = (sp.MatrixSymbol(name, n, 1) for name in "uv")
ASSUMED = [Invertible(A), Invertible(B), Symmetric(S), Skew(K), Rotation(R)]
RNG = np.random.default_rng(7)


def _values(size=3):
    """Matrices that satisfy what is assumed."""
    draw = [RNG.normal(size=(size, size)) for _ in range(5)]
    q = np.linalg.qr(draw[4])[0]
    q[:, 0] *= np.linalg.det(q)
    own = {A: draw[0], B: draw[1], S: draw[2] + draw[2].T, K: draw[3] - draw[3].T, R: q}
    return {**own, u: RNG.normal(size=(size, 1)), v: RNG.normal(size=(size, 1))}


def _number(e, at):
    """The value of a matrix expression."""
    if isinstance(e, sp.MatAdd):
        return sum(_number(a, at) for a in e.args)
    if isinstance(e, sp.MatMul):
        product = 1.0
        for a in e.args:
            value = float(a) if not isinstance(a, sp.MatrixExpr) else _number(a, at)
            product = product * value if np.ndim(product) == 0 or np.ndim(value) == 0 else product @ value
        return product
    if isinstance(e, sp.Transpose):
        return _number(e.arg, at).T
    if isinstance(e, sp.Inverse | sp.MatPow):
        return np.linalg.matrix_power(_number(e.args[0], at), int(e.exp))
    if isinstance(e, sp.ZeroMatrix | sp.Identity):
        return np.eye(3) * isinstance(e, sp.Identity)
    return at[e]


def _agree(left, right):
    return all(
        np.allclose(_number(left, at), _number(right, at), rtol=1e-7, atol=1e-7) for at in (_values(), _values())
    )


def _same_numbers(left, right, positive=False):
    """Whether two scalars agree at points, kinks and their neighbourhoods among them."""
    f = sp.lambdify((x, y, z), [left, right], "numpy")
    rng = np.random.default_rng(3)
    points = [*rng.normal(size=(60, 3)), *rng.integers(-2, 3, size=(60, 3)).astype(float)]
    with np.errstate(all="ignore"):
        values = [f(*(np.abs(p) + 0.1 if positive else p)) for p in points]
    return all(np.isclose(a, b, rtol=1e-8, atol=1e-8) for a, b in values if np.isfinite([a, b]).all())


def _word(rng, letters, length):
    return sp.MatMul(*(rng.choice(letters) for _ in range(length)))


def order_of_factors(rng):
    word = [rng.choice([A, B, S, K, R]) for _ in range(3)]
    other = word if rng.random() < 0.5 else rng.sample(word, 3)
    left, right = sp.MatMul(*word) * (A + B), sp.MatMul(*other, A) + sp.MatMul(*other, B)
    return Claim("c", left, right, ASSUMED), _agree(left, right)


def transposes(rng):
    word = [rng.choice([A, B, S, K, R]) for _ in range(3)]
    turned = [w.T if rng.random() < 0.8 else w for w in (word[::-1] if rng.random() < 0.8 else word)]
    left, right = sp.Transpose(sp.MatMul(*word)), sp.MatMul(*turned)
    return Claim("c", left, right, ASSUMED), _agree(left, right)


def inverses(rng):
    a, b = rng.sample([A, B, R], 2)
    left = (a * b).I
    right = rng.choice([b.I * a.I, a.I * b.I, b.I * a.I + a - a, (b * a).I, b.I * a.T, b.T * a.I])
    return Claim("c", left, right, ASSUMED), _agree(left, right)


def symmetric_and_skew(rng):
    m = rng.choice([S, K, S * K, S * S, K * K, R * S * R.T, R * K * R.T, S * K - K * S])
    right = rng.choice([m, -m])
    return Claim("c", m.T, right, ASSUMED), _agree(m.T, right)


def numbers_of_vectors(rng):
    m, w = rng.choice([A, S, K, A * B, A.T * S]), rng.choice([u, v])
    left = w.T * m * v
    right = rng.choice([v.T * m.T * w, v.T * m * w, -(v.T * m * w), w.T * m.T * v, sp.ZeroMatrix(1, 1)])
    return Claim("c", left, right, ASSUMED), _agree(left, right)


def equations_solved(rng):
    m = rng.choice([A, B, R, A * B, S])
    solved = rng.choice([m.I * v, m.T * v, m * v, 2 * m.I * v - m.I * v, -m.I * v])
    known = m in (A, B, R, A * B)
    claim = Claim("c", statements=[Implies(Equal(m * u, v), Equal(u, solved))], assumptions=ASSUMED)
    at = _values()
    truth = np.allclose(np.linalg.solve(_number(m, at), at[v]), _number(solved, at))
    return claim, truth and (known or solved.has(sp.Inverse))


def branches(rng):
    left = rng.choice([sp.Max(x, y), sp.Abs(x - y), sp.Max(x, 0) * sp.sign(y), sp.Min(x, sp.Max(y, z))])
    forms = [
        sp.Piecewise((x, x > y), (y, True)),
        sp.Piecewise((x - y, x >= y), (y - x, True)),
        sp.Piecewise((x, (x > 0) & (y > 0)), (-x, (x > 0) & (y < 0)), (0, True)),
        sp.Piecewise((x, (x <= y) | (x <= z)), (sp.Max(y, z), True)),
        sp.Piecewise((x, x < y), (y, True)),
    ]
    right = rng.choice(forms)
    return Claim("c", left, right), _same_numbers(left, right)


def roots_and_signs(rng):
    left = rng.choice([sp.sqrt(x**2), sp.sqrt(x**2 + y**2) ** 2, sp.Abs(x * y), sp.sqrt((x - y) ** 2), sp.sqrt(x**4)])
    right = rng.choice([x, sp.Abs(x), x**2 + y**2, sp.Abs(x) * sp.Abs(y), x * y, sp.Abs(x - y), x - y, x**2])
    positive = rng.random() < 0.3
    claim = Claim("c", left, right, [Positive(x, y, z)] if positive else [])
    return claim, _same_numbers(left, right, positive)


def integrals(rng):
    of, low = rng.choice(
        [(sp.sin(t), 0), (t**3, 1), (1 / t, 1), (sp.exp(2 * t), 0), (sp.atan(t), 0), (1 / (1 + t**2), 0)]
    )
    slip = rng.choice([0, 0, 1, 2])
    left = of - of.subs(t, low) + (sp.Integer(1) if slip == 1 else 0)
    integrand = sp.diff(of, t).subs(t, s) * (2 if slip == 2 else 1)
    positive = rng.random() < 0.5
    claim = Claim(
        "c", statements=[IntegralEqual(left, integrand, s, low, t)], assumptions=[Positive(t)] if positive else []
    )
    return claim, slip == 0 and (positive or of != 1 / t)


def orders_and_inequalities(rng):
    if rng.random() < 0.5:
        f, k = rng.choice([sp.sin(x), sp.cos(x), sp.exp(x), sp.log(1 + x)]), rng.randint(1, 4)
        series = sp.series(f, x, 0, k).removeO()
        slip = rng.choice([0, 0, x ** rng.randint(0, 4)])
        return Claim("c", f, series + slip + sp.O(x**k)), bool(slip == 0 or sp.degree(slip, x) >= k)
    a, b = rng.randint(-3, 3), rng.randint(-2, 4)
    left = x**2 + a * x * y + b * y**2
    strict = rng.random() < 0.3
    truth = not strict and 4 * b >= a * a
    return Claim("c", statements=[Inequality(left, ">" if strict else ">=", 0)]), truth


CLASSES = [
    order_of_factors,
    transposes,
    inverses,
    symmetric_and_skew,
    numbers_of_vectors,
    equations_solved,
    branches,
    roots_and_signs,
    integrals,
    orders_and_inequalities,
]


def attacked(make, numbers):
    """How many true claims have a certificate, and how many true ones there are; no false one may have any."""
    found = true = 0
    for number in numbers:
        claim, truth = make(Random(number))
        certificate = certified(claim.readings[0], Deadline.after(2.0))
        assert truth or certificate is None, (number, claim.readings[0])
        true, found = true + truth, found + (truth and certificate is not None)
    return found, true


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_no_false_claim_has_a_certificate_and_most_true_ones_have(make):
    found, true = attacked(make, range(12))
    assert true and found >= 0.6 * true


@pytest.mark.slow
@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_fifteen_hundred_attacks(make):
    found, true = attacked(make, range(1000, 1150))
    assert true and found >= 0.75 * true
