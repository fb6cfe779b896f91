"""What a proof may not rest on: made-up names, values nobody evaluated, divisors that may vanish, one side of 0."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Implies,
    IntegralEqual,
    Latex,
    NonZero,
    SeriesEqual,
    decide,
)

X, Y, U, A = sp.symbols("x y u a", real=True)
K = sp.Symbol("k", integer=True)
W = sp.Symbol("w", complex=True)
F = sp.Function("f")
N = sp.Symbol("n", integer=True, positive=True)
M = sp.MatrixSymbol("M", N, N)
ZERO = sp.ZeroMatrix(N, N)


def _verdict(*sides, **about):
    return decide(Claim("c", *sides, **about), budget=10, repairs=False)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sp.re(W), sp.Symbol("re(w)", real=True)),
        ((W - sp.conjugate(W)) / (2 * sp.I), sp.Symbol("im(w)", real=True)),
        (F(X), sp.Symbol("f(x)", real=True)),
        (F(X).diff(X), sp.Function("f_1")(X)),
    ],
)
def test_names_that_are_made_up_are_not_those_of_the_user(left, right):
    assert _verdict(left, right).verdict == "refuted"


def test_a_complex_quantity_is_still_proved():
    assert _verdict(sp.Abs(W) ** 2, sp.re(W) ** 2 + sp.im(W) ** 2).verdict == "proved without certificate"


@pytest.mark.parametrize("unknown", [sp.mathieuc(A, Y, X), sp.hyper([1, A], [2], X)])
def test_what_the_second_evaluation_does_not_know_is_not_proved(unknown):
    found = _verdict((unknown - 1) * (unknown + 1), unknown**2 - 1)
    assert found.verdict == "undecided" and type(unknown).__name__ in found.reason
    assert _verdict(unknown, unknown).verdict == "proved"  # nothing need be known of what is the same


@pytest.mark.parametrize("known", [sp.elliptic_k(X / 9), sp.airyai(X), sp.polylog(2, X / 9), sp.Ei(X), sp.erfi(X)])
def test_special_functions_have_values_in_the_second_evaluation(known):
    assert _verdict((known - 1) * (known + 1), known**2 - 1).verdict == "proved"
    assert _verdict((known - 1) * (known + 1), known**2 + 1).verdict == "refuted"


@pytest.mark.parametrize("statement", [IntegralEqual(U**2 / 2, U, Y, 0, U), IntegralEqual(Y * U, Y, X, U / 2, U)])
def test_an_integrand_or_a_bound_that_depends_on_the_upper_bound_is_named(statement):
    found = _verdict(statements=statement)
    assert found.verdict == "undecided" and "depends on the upper bound u" in found.reason


def test_a_divisor_that_may_vanish_is_no_proof():
    vanishes = Implies(Equal(F(A) * M, ZERO), Equal(M, ZERO))
    assert not _verdict(statements=vanishes).ok
    assert _verdict(statements=vanishes, assumptions=[NonZero(F(A))]).ok
    assert _verdict(statements=Implies(Equal(sp.exp(A) * M, ZERO), Equal(M, ZERO))).verdict == "proved"


def test_a_divisor_that_may_vanish_is_no_proof_where_it_is_assumed_to():
    assert not _verdict(statements=Implies([Equal(F(A) * M, ZERO), Equation(F(A), 0)], Equal(M, ZERO))).ok


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        (SeriesEqual(sp.sqrt(X**2), X, X), "refuted"),
        (SeriesEqual(sp.Abs(X) / (1 - X), X**K, X, K, 1), "refuted"),
        (SeriesEqual(X / (1 - X), X**K, X, K, 1), "proved without certificate"),
    ],
)
def test_series_are_compared_on_both_sides_of_zero(statement, verdict):
    assert _verdict(statements=statement).verdict == verdict


MATRIX = sp.Matrix(2, 2, sp.symbols("A11 A12 A21 A22"))
NAMES = {"p": X, "m": Y, "x": X, "y": Y, "\\theta": A, "A": MATRIX}


@pytest.mark.parametrize(
    "text", ["p^2/2m", "x/2\\pi", "\\cos\\theta\\,x", "\\sin(x+y)^2", "\\frac{x}{y}^2", "A_{12}^{-1}"]
)
def test_a_formula_with_two_readings_is_refused_with_both(text):
    with pytest.raises(ModelError, match=r" or .*: .* or "):
        Latex(text, NAMES).expression()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2 m", Y / 2),
        ("\\sin^2(x+y)", sp.sin(X + Y) ** 2),
        ("\\left(\\frac{x}{y}\\right)^2", X**2 / Y**2),
        ("\\cos(\\theta)\\,x", sp.cos(A) * X),
        ("\\cos\\theta x", sp.cos(A * X)),
        ("A_{12}^2", MATRIX[0, 1] ** 2),
    ],
)
def test_a_formula_with_one_reading_is_read(text, value):
    assert Latex(text, NAMES).expression() == value
