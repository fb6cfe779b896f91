"""Abstract matrices: proofs for all sizes, refutations by small matrices."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Fails,
    Implies,
    Invertible,
    PositiveDefinite,
    Rotation,
    Shape,
    Symmetric,
    decide,
)
from nsdgen.verify.challenge.truth import truth_of
from nsdgen.verify.challenge.witness import Witness

n, k = sp.symbols("n k", integer=True, positive=True)
h, theta, gamma = sp.symbols("h theta gamma", real=True)
A, B2, M, W, K = (sp.MatrixSymbol(s, n, n) for s in ("A", "B2", "M", "W", "K"))
B, C, H = sp.MatrixSymbol("B", n, k), sp.MatrixSymbol("C", k, n), sp.MatrixSymbol("H", k, n)
x, y, r, f = (sp.MatrixSymbol(s, n, 1) for s in ("x", "y", "r", "f"))
lam = sp.MatrixSymbol("lam", k, 1)
One = sp.Identity(n)


def verdict(left, right, *assumptions, **more):
    return decide(Claim("c", left, right, assumptions, **more))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (W.inv() * W * x, x),
        ((A * M).inv(), M.inv() * A.inv()),
        ((A * B).T, B.T * A.T),
        ((W.T).inv(), (W.inv()).T),
        ((One + B * C).inv() * B, B * (sp.Identity(k) + C * B).inv()),
        ((A + M) ** 2, A**2 + A * M + M * A + M**2),
        ((2 * W).inv(), W.inv() / 2),
        ((M - h * theta * A) * (x - y) - h * A * y, M * (x - y) - h * theta * A * x - h * (1 - theta) * A * y),
        (x.T * A * y, y.T * A.T * x),
        (sp.BlockMatrix([[A, B]]) * sp.BlockMatrix([[x], [lam]]), A * x + B * lam),
        (
            sp.BlockMatrix([[A, B], [C, sp.ZeroMatrix(k, k)]]).T,
            sp.BlockMatrix([[A.T, C.T], [B.T, sp.ZeroMatrix(k, k)]]),
        ),
    ],
)
def test_identities_for_all_sizes(left, right):
    found = verdict(left, right)
    assert (found.verdict, found.method) == ("proved", "certificate"), found.reason


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (A * M, M * A),
        ((A + M) ** 2, A**2 + 2 * A * M + M**2),
        ((A * M).inv(), A.inv() * M.inv()),
        (H * M.inv() * H.T, (H * M.inv() * H.T).T),
        (W.inv(), W),
        (x.T * A * y, y.T * A * x),
        (sp.BlockMatrix([[A, B]]), sp.BlockMatrix([[A, 2 * B]])),
    ],
)
def test_falsehoods_come_with_matrices(left, right):
    found = verdict(left, right)
    assert found.verdict == "refuted"
    assert found.counterexample is not None
    assert found.counterexample.left != found.counterexample.right


@pytest.mark.parametrize(
    ("left", "right", "assumption"),
    [
        (H * M.inv() * H.T, (H * M.inv() * H.T).T, Symmetric(M)),
        (W.inv(), W.T, Rotation(W)),
        (A * M, M * A, Equation(A * M, M * A, text="A and M commute")),
        (M * x, x, Equation(M, One)),
    ],
)
def test_assumptions_are_used_and_needed(left, right, assumption):
    found = verdict(left, right, assumption)
    assert found.verdict == "proved under"
    assert found.assumptions == (assumption.text,)
    assert found.counterexample.without == assumption.text


def test_a_definite_matrix_is_symmetric():
    assert verdict(M.inv(), M.inv().T, PositiveDefinite(M)).verdict == "proved under"


def test_the_update_of_a_newton_iteration():
    premise = Equal(W * (x - y) + r - h * f, sp.ZeroMatrix(n, 1))
    right = Implies(premise, Equal(x, y - W.inv() * (r - h * f)))
    wrong = Implies(premise, Equal(x, y - W.inv() * (r + h * f)))
    assert decide(Claim("c", statements=right, assumptions=Invertible(W))).verdict == "proved"
    found = decide(Claim("c", statements=wrong, assumptions=Invertible(W)))
    assert (found.verdict, found.slip) == ("refuted", "sign")


def test_an_implicit_state_is_solved_for():
    hat = One - h * gamma * W.inv() * K
    premise = Equal(x, h * gamma * W.inv() * (r + B * lam + K * x) + f)
    conclusion = Equal(x, hat.inv() * (f + h * gamma * W.inv() * r) + hat.inv() * h * gamma * W.inv() * B * lam)
    assert decide(Claim("c", statements=Implies(premise, conclusion))).verdict == "proved"


def test_dividing_by_a_scalar_that_may_vanish_is_no_proof():
    # h x = h y says nothing about x and y where h = 0
    assert decide(Claim("c", statements=Implies(Equal(h * x, h * y), Equal(x, y)))).verdict == "refuted"


def test_a_scalar_equation_holds_in_the_coefficients():
    one = Equation(gamma, 1)
    assert verdict(gamma * W * x, W * x, one).verdict == "proved under"
    assert verdict((1 - gamma) * x + gamma * y, y, one).verdict == "proved under"
    zero = Implies(Equal((1 - gamma) * x, sp.ZeroMatrix(n, 1)), Equal(x, sp.ZeroMatrix(n, 1)))
    assert decide(Claim("c", statements=zero, assumptions=one)).verdict != "proved"


def test_shapes_that_cannot_agree_are_the_reason():
    found = verdict(lambda: H * M, M * H.T)
    assert (found.verdict, found.method) == ("refuted", "shape")
    assert "k x n" in found.reason
    assert "cannot be multiplied" in verdict(lambda: H.T * M, M).reason or verdict(lambda: H.T * M, M).reason
    assert decide(Claim("c", statements=Shape(H * M, (k, n)))).verdict == "proved"
    assert decide(Claim("c", statements=Shape(H * M, (n, k)))).verdict == "refuted"
    assert Claim("d", kind="definition", statements=Shape(H * M, (k, n))).kind == "definition"
    assert decide(Claim("d", kind="definition", statements=Shape(H * M, (k, n)))).verdict == "definition"
    assert decide(Claim("d", kind="definition", statements=Shape(H * M, (k, k)))).verdict == "refuted"


def test_a_failing_statement_is_shown_to_fail():
    assert decide(Claim("c", statements=Fails(Equal(A * M, M * A)))).verdict == "proved without certificate"
    assert decide(Claim("c", statements=Fails(Equal(A + M, M + A)))).verdict == "refuted"


@pytest.mark.parametrize(
    ("hand", "slip"),
    [
        (M * x - h * A * y, "sign"),
        (M.T * x + h * A * y, "transpose"),
        (M * x + A * y, "missing factor h"),
        (M * x + h * A * x, "wrong argument"),
        (M * x, "missing term"),
        (M * x + h * A * y + 2 * x, "extra term"),
        (M * x + h * A.inv() * y, "missing inverse"),
    ],
)
def test_slips_of_abstract_expressions_are_named(hand, slip):
    found = verdict(M * x + h * A * y, hand)
    assert found.verdict == "refuted"
    assert found.slip == slip
    assert found.correction == str(M * x + h * A * y)


def test_a_proof_that_divides_is_checked_where_it_divides_by_zero():
    offset = h - 5
    found = decide(Claim("c", statements=Implies(Equal(offset * x, offset * y), Equal(x, y))))
    assert found.verdict == "refuted"
    assert ("h", "5") in found.counterexample.point


def test_a_determinant_is_no_number():
    scaled = sp.MatMul(sp.Determinant(W), A)
    assert verdict(scaled, A).verdict == "refuted"
    assert verdict(sp.MatAdd(scaled, M), sp.MatAdd(M, scaled)).verdict in ("proved", "consistent")


@pytest.mark.parametrize("digits", [(36, 72), (150, 300)])
def test_what_cancels_in_a_product_is_zero(digits):
    """The third is rounded, and the sum of the product is nothing but that rounding."""
    entries = {"x": (sp.Rational(1, 3), 1), "y": (3, -1)}
    values = {f"{name}[{i}, 0]": sp.sympify(v) for name, own in entries.items() for i, v in enumerate(own)}
    witness = Witness(values, sizes={"n": 2})
    for right, holds in ((sp.ZeroMatrix(1, 1), True), (sp.Identity(1), False)):
        assert truth_of(Equal(x.T * y, right), witness, precisions=digits).holds is holds


def test_a_trace_is_the_sum_of_its_entries():
    i = sp.Symbol("i", integer=True)
    entries = sp.Sum(M[i, i], (i, 0, n - 1))
    assert verdict(entries, sp.Trace(M)).verdict == "consistent"
    assert verdict(entries, 2 * sp.Trace(M)).verdict == "refuted"


def test_a_counterexample_shows_matrices_of_known_size():
    """(They were left out, and the sides were said to differ everywhere.)"""
    P, Q = (sp.MatrixSymbol(name, 2, 2) for name in "PQ")
    found = dict(verdict(P * Q, Q * P).counterexample.point)
    p, q = (sp.Matrix([row.split() for row in found[name].strip("[]").split("; ")]) for name in "PQ")
    assert p * q != q * p
