"""Claims made to mislead are neither proved nor refuted falsely; they stand by subject in ``misleading/``."""

from __future__ import annotations

import pytest
import sympy as sp
from misleading import (
    calculus,
    cases,
    consequences,
    formulas,
    functions,
    inequalities,
    kinks,
    matrices,
    numbers,
    objects,
    vectors,
)
from misleading.claims import check, eq, st
from misleading.symbols import BIG, A, B, C, K, L, f, m, n, t, x, y, z
from sympy import Float as F
from sympy import Heaviside as H
from sympy import Piecewise as P
from sympy import Rational as Q
from sympy import sign as S

from nsdgen.verify import Equal, Equation, Implies, Inequality, NonZero, SeriesEqual, decide
from nsdgen.verify.challenge.judged import JudgedStatement
from nsdgen.verify.challenge.witness import Witness
from nsdgen.verify.setting import Setting
from nsdgen.verify.verdict import PROVED

SUBJECTS = (
    calculus,
    cases,
    consequences,
    formulas,
    functions,
    inequalities,
    kinks,
    matrices,
    numbers,
    objects,
    vectors,
)
EVERY = 24  # of so many claims of a subject, one is decided in the default suite


def labelled():
    """Every claim with what is true of it, by subject."""
    for subject in SUBJECTS:
        claims = [
            *(("true", claim) for claim in subject.TRUE),
            *(("false", claim) for claim in subject.FALSE),
            *(("open", claim) for claim in subject.OPEN),
        ]
        for number, (truth, claim) in enumerate(claims):
            yield pytest.param(
                truth,
                claim,
                id=f"{subject.__name__.split('.')[-1]}-{truth}-{number}",
                marks=() if number % EVERY == 0 else pytest.mark.slow,
            )


@pytest.mark.parametrize(("truth", "claim"), list(labelled()))
def test_nothing_is_proved_or_refuted_falsely(truth, claim):
    check(truth, claim)


LOST = [  # what is lost beside a larger value is no zero: x is large, or very near 0
    eq(P((-1, sp.Ne(sp.tanh(x), -1)), (1, True)), -1),
    eq(P((1, 1 / (1 + sp.exp(x)) < 1), (0, True)), 1),
    eq(sp.sign(sp.exp(x**9) - 1), S(x)),
    eq(sp.sign(sp.cosh(x**9) - 1), S(x**2)),
    eq(H(1 - sp.tanh(x) ** 2, 0), sp.S.One),
    eq(sp.ceiling(sp.tanh(x)), P((1, x > 0), (0, True))),
    eq(sp.ceiling(sp.exp(-(x**2))), sp.S.One),
    eq(sp.floor(sp.exp(-(x**2))), P((1, sp.Eq(x, 0)), (0, True))),
]


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=() if k % 3 == 0 else pytest.mark.slow) for k in range(len(LOST))]
)
def test_what_rounding_hides_refutes_nothing(number):
    assert decide(LOST[number], repairs=False).verdict in (*PROVED, "consistent")


@pytest.mark.parametrize(
    "claim",
    [
        eq(BIG * x, (BIG + 1) * x),
        eq(sp.Integer(640320) ** 3 + 744, sp.exp(sp.pi * sp.sqrt(163))),
        eq(sp.erf(x**2 + 10), sp.S.One),
        eq(sp.tanh(x**2 + 100), sp.S.One),
        eq(sp.sign(sp.cos(x**9) - 1), -S(x**2)),
        st(Implies([Equal(sp.cos(x), 1)], [Equal(x, 0)])),
        eq(sp.Trace(A * B * C), sp.Trace(A * C * B)),
        st(Implies([Equal(y, sp.sin(x))], [Equal(sp.Max(y, Q(99, 100)), Q(99, 100))])),
        eq((x**y) ** z, x ** (y * z), NonZero(x)),
        eq(sp.KroneckerDelta(n, m), sp.S.Zero),
        eq(sp.HadamardProduct(A, B), A * B),
        eq(sp.SingularityFunction(x, 0, 2), sp.Max(x, 0)),
        eq(sp.Determinant(A + B), sp.Determinant(A) + sp.Determinant(B)),
    ],
)
def test_what_is_false_by_little_or_in_few_places_is_refuted(claim):
    assert decide(claim, repairs=False).verdict == "refuted"


@pytest.mark.parametrize(
    "claim",
    [
        eq(sp.Derivative(sp.Integral(f(t), (t, 0, x)), x), f(x)),
        eq(x * y, sp.S.Zero, Equation(x**3 * y**2, 0)),
        eq(sp.cos(200 * x), 2 * sp.cos(100 * x) ** 2 - 1),
        eq(sp.Trace(A * B * C), sp.Trace(C * A * B)),
        eq(sp.Determinant(A.T * B), sp.Determinant(B) * sp.Determinant(A)),
    ],
)
def test_what_is_true_is_proved(claim):
    assert decide(claim, repairs=False).verdict in PROVED


def test_a_point_met_by_luck_is_no_agreement():
    """Every point that was found for x is 0."""
    found = decide(eq(x, sp.S.Zero, Equation(sp.exp(x) * (x**2 + 1), sp.exp(2 * x) * (x**2 + 1))), repairs=False)
    assert found.verdict == "undecided" and "of the 20 that are asked for" in found.reason


def test_an_equation_is_not_met_where_both_sides_are_next_to_nothing():
    equation = Equation(sp.exp(x) * (x**2 + 1), sp.exp(2 * x) * (x**2 + 1))
    case = JudgedStatement(Equal(x, 0), Setting((equation,)))
    assert not case.meets(Witness({"x": sp.Integer(-3000)})) and case.meets(Witness({"x": sp.S.Zero}))


def test_a_tiny_factor_is_no_zero():
    assert decide(eq(F("1e-30") * x, 0 * x)).verdict == "refuted"
    assert decide(eq(x, sp.S.Zero, Equation(x**3, 0))).verdict in (*PROVED, "consistent")


@pytest.mark.parametrize(
    ("closed", "polynomial", "order"),
    [
        ((x * y + 1) / (1 - x), 1 + x * (1 + y), 2),
        (sp.exp(1000 * x), 1 + 1000 * x, 2),
        (sp.exp(10**6 * x), 1 + 10**6 * x + 10**12 * x**2 / 2, 3),
    ],
)
def test_a_series_agrees_to_its_order_however_large_the_next_coefficient_is(closed, polynomial, order):
    assert decide(st(SeriesEqual(closed, polynomial, x, order=order))).verdict == "consistent"
    assert decide(st(SeriesEqual(closed, polynomial, x, order=order + 1))).verdict == "refuted"


@pytest.mark.parametrize(
    "claim",
    [
        st(Inequality(x + sp.I, "<", 2)),
        st(Inequality(sp.I * x, "<", 2)),
        eq(x, lambda: len(3)),
        eq(x, sp.Symbol),
        eq(sp.Catalan, sp.Float("0.915965594177")),
        eq(sp.exp(K + L), sp.exp(K) * sp.exp(L)),
        eq(sp.DiracDelta(x), 2 * sp.DiracDelta(x)),
    ],
)
def test_what_is_no_statement_about_real_numbers_is_undecided(claim):
    """No order of complex numbers, a side that cannot be made, thirteen digits where fifteen are asked for, no value
    that is agreed on."""
    assert decide(claim, repairs=False).verdict == "undecided"
