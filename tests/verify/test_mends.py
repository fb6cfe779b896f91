"""What is said of refuted claims: corrections, mends that are decided themselves, and slips that are worth naming."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy import Function, MatrixSymbol, Symbol

from nsdgen.errors import ModelError
from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Fails,
    Implies,
    Inequality,
    Mend,
    NonNegative,
    Positive,
    Reading,
    SeriesEqual,
    Shape,
    UnitVector,
    Zero,
    decide,
    vector,
)

x, y, h, gamma = sp.symbols("x y h gamma", real=True)
n = Symbol("n", integer=True, positive=True)
W, r, s = MatrixSymbol("W", n, n), MatrixSymbol("r", n, 1), MatrixSymbol("s", n, 1)


def test_a_mend_is_decided_and_the_correction_is_the_truth():
    found = decide(
        Claim("a", (x + y) ** 2, x**2 + y**2, mend=Mend("with 2 x y", (x + y) ** 2, x**2 + 2 * x * y + y**2))
    )
    assert (found.verdict, found.mend, found.mended) == ("refuted", "with 2 x y", "proved")
    assert found.correction == "(x + y)**2" and found.slip == "missing term"


def test_a_mend_that_is_false_says_so():
    found = decide(Claim("a", x**2, x, mend=Mend("x^3", x**2, x**3)))
    assert (found.verdict, found.mended) == ("refuted", "refuted")


def test_a_mend_in_words_only_is_not_called_proved():
    found = decide(Claim("a", x**2, x, mend="the square"))
    assert (found.mend, found.mended) == ("the square", "")


def test_a_mend_uses_the_assumptions_of_its_claim_and_its_own():
    v = vector("v")
    claim = Claim("a", v.dot(v), sp.S(2), [UnitVector(v)], mend=Mend("1", v.dot(v), sp.S.One))
    assert decide(claim).mended == "proved"
    assert (
        decide(
            Claim("a", v.dot(v), sp.S(2), mend=Mend("1 for unit vectors", v.dot(v), sp.S.One, [UnitVector(v)]))
        ).mended
        == "proved"
    )


def test_mends_of_a_claim_that_holds_are_not_mentioned():
    assert decide(Claim("a", x, x, mend="never")).mend == ""


@pytest.mark.parametrize(
    "statement",
    [
        Zero(x**2 + 1),
        Inequality(x**2, "<", 0),
        Shape(sp.eye(2), (2, 3)),
        Fails(Equal(x, x)),
        Implies([Equal(x, y)], Equal(x, y + 1)),
        SeriesEqual(sp.exp(x), x**n, x, n, 0),
        Equal(lambda: sp.ones(2, 3) * sp.ones(2, 3), sp.eye(2)),
    ],
)
def test_every_refutation_with_a_mend_has_a_correction(statement):
    found = decide(Claim("a", statements=statement, mend="what is right"))
    assert found.verdict == "refuted" and found.correction


def test_shapes_that_differ_quote_the_truth():
    found = decide(Claim("a", W * r, lambda: MatrixSymbol("V", n, n + 1) * r))
    assert (found.verdict, found.method, found.correction) == ("refuted", "shape", "W*r")


def test_a_missing_assumption_and_another_mend():
    v = vector("v")
    found = decide(
        Claim(
            "a",
            v.dot(v) * x,
            x,
            candidates=[UnitVector(v)],
            mend=Mend("|v|^2 x", v.dot(v) * x, (v[0] ** 2 + v[1] ** 2 + v[2] ** 2) * x),
        )
    )
    assert (found.mend, found.mended, found.slip) == ("true under |v| = 1; or |v|^2 x", "proved", "missing assumption")
    assert found.correction == str(v.dot(v) * x) or "v1**2" in found.correction


def test_readings_that_agree_give_one_verdict():
    wrong = tuple(Reading(str(k), Equal(x, x + k)) for k in (1, 2))
    assert decide(Claim("a", readings=wrong)).verdict == "refuted"
    assert decide(Claim("a", readings=(Reading("1", Equal(x, x)), Reading("2", Zero(x - x))))).verdict == "proved"
    assert decide(Claim("a", readings=(Reading("1", Equal(x, x)), wrong[0]))).verdict == "ambiguous"


def test_equalities_of_a_definition_are_decided():
    assert decide(Claim("a", kind="definition", statements=Equal(2 * x, x + x))).verdict == "definition"
    assert decide(Claim("a", kind="definition", statements=Equal(2 * x, x))).verdict == "refuted"
    assert decide(Claim("a", kind="definition", statements=Equal(sp.eye(2), sp.eye(3)))).method == "shape"


def test_what_explains_nothing_is_not_named_as_a_slip():
    assert decide(Claim("a", sp.sqrt(x**2 + y**2 + 1) - sp.cos(x), 1 + sp.sin(y))).slip == ""
    assert decide(Claim("a", statements=Zero(x + y))).slip == ""


@pytest.mark.parametrize(
    ("truth", "hand", "slip"),
    [
        (h**2 * x + y, x + y, "missing factor h**2"),
        (-(h**2) * r + s, -r + s, "missing factor h**2"),
        (sp.Matrix([h**2 * x, h**2 * y]), sp.Matrix([x, y]), "missing factor h**2"),
    ],
)
def test_squares_of_scalars_are_tried_as_factors(truth, hand, slip):
    assert decide(Claim("a", truth, hand)).slip == slip


def test_one_vector_written_for_another():
    a, b, c, d = (vector(name) for name in "abcd")
    truth = sp.Matrix(a.cross(c) - b.cross(d))
    assert decide(Claim("a", truth, sp.Matrix(a.cross(c) - b.cross(c)))).slip == "wrong argument"


def test_negative_powers_of_a_series_count():
    k = Symbol("k", integer=True, nonnegative=True)
    closed = (1 - sp.cos(x)) / x**2
    term = (-1) ** (k - 1) * x ** (2 * k - 2) / sp.factorial(2 * k)
    assert decide(Claim("a", statements=SeriesEqual(closed, term, x, k, 1))).verdict == "proved without certificate"
    found = decide(Claim("a", statements=SeriesEqual(closed, term, x, k, 0)))
    assert (found.verdict, found.reason) == ("refuted", "the coefficients of x**-2 differ")


def test_scalars_between_bounds_take_fractions():
    found = decide(Claim("a", gamma * W * r, W * r, [Positive(gamma), NonNegative(1 - gamma)]))
    assert found.verdict == "refuted"
    assert dict(found.counterexample.point)["gamma"] not in ("0", "1")
    assert decide(Claim("a", gamma * W * r, W * r, [Equation(gamma, 1)])).verdict == "proved under"


def test_a_premise_explains_a_symbol():
    found = decide(Claim("a", statements=Implies([Equal(r, h * s)], Equal(W * r, 2 * h * W * s))))
    assert found.verdict == "refuted" and "mentions" not in found.reason


def test_an_unknown_function_is_corrected_too():
    f = Function("f")
    assert decide(Claim("a", f(x).diff(x), f(x))).correction == "Derivative(f(x), x)"


def test_a_mend_without_a_text_is_refused():
    with pytest.raises(ModelError, match="a mend has a text"):
        Mend("")
    with pytest.raises(ModelError, match="both sides"):
        Mend("half", x)


def test_a_mend_quotes_what_stands_there():
    a, u, v = sp.symbols("a u v", real=True)
    found = decide(Claim("c", -2 * a * u, -a * (u + v)))
    assert found.verdict == "refuted"
    assert "write a*u for a*v" not in found.mend


@pytest.mark.parametrize(
    ("truth", "hand", "mend"),
    [
        (-3 * x * y * h, -3 * y**2 * h, "write x*y for y**2"),
        (x * sp.sin(y), y * sp.sin(y), "write x*sin(y) for y*sin(y)"),
        (x + sp.exp(h), y + sp.exp(h), "write x for y"),
    ],
)
def test_one_occurrence_of_several_is_not_called_by_the_symbol_alone(truth, hand, mend):
    """Written for every y, "x for y in y**2" would give x**2."""
    assert decide(Claim("a", truth, hand)).mend.startswith(mend)


def test_a_mend_is_of_all_entries_and_says_of_how_many_it_is_not():
    """It was that of the first kind of slip alone, as if nothing else were wrong."""
    a, b, c = sp.symbols("a b c", real=True)
    truth = sp.Matrix([[a * sp.cos(b), a + b], [b * c, a * c + b]])
    hand = sp.Matrix([[-a * sp.cos(b), a + b], [2 * b * c, a * c + b]])
    found = decide(Claim("a", truth, hand))
    assert found.slip == "sign"
    assert found.mend == "flip the sign of -a*cos(b) in entry (1, 1); divide 2*b*c by 2 in entry (2, 1)"
    hand[1, 1] = sp.exp(a) * sp.atan(b) + c
    assert decide(Claim("a", truth, hand)).mend == found.mend + "; 1 further entry is wrong"
    hand[1, 1] = truth[1, 1] + sp.tanh(a * b * c) ** 3
    assert decide(Claim("a", truth, hand)).mend == found.mend + "; leave out tanh(a*b*c)**3 in entry (2, 2)"
