"""Series, integrals, inequalities, definite matrices; verdicts, readings and their records."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.verify import (
    Claim,
    Definite,
    Equal,
    Equation,
    Fails,
    Implies,
    Inequality,
    IntegralEqual,
    Positive,
    Reading,
    SeriesEqual,
    Shape,
    UnitVector,
    Zero,
    decide,
    decide_all,
    derivative,
    matrix,
    quaternion,
    rotation_matrix,
    vector,
)
from nsdgen.verify.verdict import VERDICTS

x, y, s, t, u = sp.symbols("x y s t u", real=True)
k = sp.Symbol("k", integer=True, nonnegative=True)


def said(statement, *assumptions):
    return decide(Claim("c", statements=statement, assumptions=assumptions))


@pytest.mark.parametrize(
    ("closed", "term"),
    [
        ((sp.exp(x) - 1) / x, x**k / sp.factorial(k + 1)),
        (sp.sin(x) / x, (-1) ** k * x ** (2 * k) / sp.factorial(2 * k + 1)),
        ((1 - sp.cos(x)) / x**2, (-1) ** k * x ** (2 * k) / sp.factorial(2 * k + 2)),
        (sp.exp(-x), (-x) ** k / sp.factorial(k)),
        (1 / (1 - x), x**k),
    ],
)
def test_series_with_a_closed_form_are_proved(closed, term):
    assert said(SeriesEqual(closed, term, x, k)).verdict == "proved without certificate"


def test_a_wrong_coefficient_refutes_a_series():
    found = said(SeriesEqual((1 - sp.exp(x)) / x, (-1) ** k * x**k / sp.factorial(k + 1), x, k))
    assert (found.verdict, found.counterexample.left, found.counterexample.right) == ("refuted", "-1", "1")
    assert said(SeriesEqual((sp.exp(x) - 1) / x, (1 - sp.exp(-x)) / x, x)).verdict == "refuted"
    assert said(SeriesEqual((sp.exp(x) - 1) / x, sp.exp(x) * (1 - sp.exp(-x)) / x, x)).verdict == "proved"


def test_integrals_by_the_fundamental_theorem():
    assert said(IntegralEqual(sp.sin(t), sp.cos(s), s, 0, t)).verdict == "proved"
    assert said(IntegralEqual(sp.cos(t), -sp.sin(s), s, 0, t)).verdict == "refuted"
    f = sp.Function("f")
    assert said(IntegralEqual(f(t) - f(0), sp.diff(f(s), s), s, 0, t)).verdict == "proved"
    with pytest.raises(ModelError, match="upper bound"):
        IntegralEqual(1, 1, s, 0, 2 * t)


def test_inequalities():
    assert said(Inequality(x**2 + y**2, ">=", 2 * x * y)).verdict == "proved"
    assert said(Inequality(x**2 + y**2, ">", 2 * x * y)).verdict == "refuted"
    assert said(Inequality(x + 1 / x, ">", 0), Positive(x)).verdict == "proved under"
    assert said(Inequality(x**3, ">=", x), Positive(x)).verdict == "refuted"
    with pytest.raises(ModelError, match="order relation"):
        Inequality(x, "=", y)


def test_definite_matrices():
    assert said(Definite(sp.Matrix([[2, 1], [1, 2]]))).verdict == "proved"
    assert said(Definite(sp.Matrix([[1, 2], [2, 1]]))).verdict == "refuted"
    assert said(Definite(sp.Matrix([[2, 1], [0, 2]]))).verdict == "refuted"
    assert said(Definite(sp.Matrix([[1, 1], [1, 1]]), semi=True)).verdict == "proved"
    assert said(Definite(sp.Matrix([[1 + x**2, x], [x, 1]]))).verdict == "proved"


def test_zero_and_chains():
    assert said(Zero(sp.Matrix([[x - x, 0]]))).verdict == "proved"
    assert said(Equal((x + 1) ** 2, x**2 + 2 * x + 1, 1 + x * (x + 2))).verdict == "proved"
    assert said(Equal((x + 1) ** 2, x**2 + 2 * x + 1, 1 + x * (x + 3))).verdict == "refuted"


def test_all_statements_of_a_claim_must_hold():
    found = decide(Claim("c", statements=(Equal(x, x), Equal(x, y))))
    assert found.verdict == "refuted"
    assert found.counterexample.statement == 2


def test_each_reading_is_decided():
    f, w = sp.Matrix([x * y, x]), sp.Matrix([x, y])
    wide, tall = derivative(f, w), derivative(f, w).T
    found = decide(
        Claim(
            "c",
            readings=(
                Reading("rows are components", Equal(wide, sp.Matrix([[y, x], [1, 0]]))),
                Reading("rows are variables", Equal(tall, sp.Matrix([[y, x], [1, 0]]))),
            ),
        )
    )
    assert found.verdict == "ambiguous"
    assert [r.verdict for r in found.readings] == ["proved", "refuted"]
    assert [r.id for r in found.readings] == ["c/rows are components", "c/rows are variables"]
    assert found.readings[1].slip == "transpose"


def test_wrong_entries_are_listed_with_the_truth():
    p, m = quaternion("p"), vector("m")
    truth = derivative(rotation_matrix(p) * m, p)
    hand = sp.Matrix(truth)
    hand[0, 1] = -hand[0, 1]
    hand[2, 3] = 0
    found = decide(Claim("c", truth, hand))
    wrong = [(e.row, e.column) for e in found.entries if e.verdict == "refuted"]
    assert wrong == [(1, 2), (3, 4)]
    assert "m1*p1 + m2*p2 + m3*p3" in found.correction
    left = decide(Claim("c", hand, truth, hand="left"))
    assert left.correction == found.correction


def test_symbols_on_one_side_only_are_named():
    assert "h" in decide(Claim("c", x + y, x + y + sp.Symbol("h"))).reason


def test_shapes_are_checked_first():
    found = decide(Claim("c", sp.zeros(2, 3), sp.zeros(3, 3)))
    assert (found.verdict, found.method) == ("refuted", "shape")
    assert "2 x 3" in found.reason
    found = decide(Claim("c", sp.Matrix([[x, y]]), [x, y]))
    assert (found.verdict, found.slip) == ("refuted", "transpose")
    assert decide(Claim("c", lambda: sp.zeros(2, 3) * sp.zeros(2, 3), sp.zeros(2, 3))).method == "shape"


def test_records_are_json():
    a = vector("a")
    for claim in (
        Claim("one", (a.T * a)[0, 0], 1, UnitVector(a), title="t", source="s", note="n"),
        Claim("two", x, -x),
        Claim("three", kind="definition", statements=Shape(sp.eye(3), (3, 3))),
        Claim("four", readings=(Reading("r", Equal(x, x)), Reading("q", Equal(x, y)))),
    ):
        verdict = decide(claim)
        assert verdict.verdict in VERDICTS
        record = json.loads(json.dumps(verdict.to_dict()))
        assert list(record)[:3] == ["id", "verdict", "method"]
        assert (record["id"], record["verdict"]) == (claim.id, verdict.verdict)
        assert len(record["readings"]) == len(verdict.readings) and len(record["entries"]) == len(verdict.entries)


def test_the_same_claim_gives_the_same_verdict():
    claim = Claim("c", matrix("A", 2, 2) * vector("b", 2), vector("b", 2))
    first, second = decide(claim), decide(claim)
    assert first.but(seconds=0.0) == second.but(seconds=0.0)


def test_many_claims_with_progress_and_processes():
    claims = [Claim("a", x + x, 2 * x), Claim("b", lambda: x, y), Claim("c", x, 2 * x)]
    seen = []
    found = decide_all(claims, progress=lambda done, total, verdict: seen.append((done, total, verdict.id)))
    assert [v.verdict for v in found] == ["proved", "refuted", "refuted"]
    assert seen == [(1, 3, "a"), (2, 3, "b"), (3, 3, "c")]
    again = decide_all(claims, processes=2)
    assert [v.but(seconds=0.0, readings=()) for v in again] == [v.but(seconds=0.0, readings=()) for v in found]


def test_what_is_no_claim_is_refused():
    with pytest.raises(ModelError, match="left and right"):
        Claim("c")
    with pytest.raises(ModelError, match="left and right"):
        Claim("c", x, y, statements=Equal(x, y))
    assert "is no statement" in decide(Claim("c", statements=(sp.Eq(x, y),))).reason
    ordered = Claim("c", statements=Implies(Inequality(x, ">", 0), Equal(x, y)))
    assert "is no equation" in decide(ordered).reason


def test_a_failure_is_shown_with_a_point():
    found = said(Fails(Equal(sp.sin(x + y), sp.sin(x) + sp.sin(y))))
    assert found.verdict == "proved without certificate"
    assert found.counterexample is not None


def test_premises_that_scalars_satisfy():
    assert decide(Claim("c", x * (1 - u) + y * u, y, Equation(u, 1))).verdict == "proved under"


@pytest.mark.parametrize(
    ("hand", "slip"),
    [
        (-x * y + sp.sin(x), "sign"),
        (x * y + sp.cos(x), "sine for cosine"),
        (2 * x * y + sp.sin(x), "extra factor 2"),
        (x * y, "missing term"),
        (x * y + sp.sin(x) + 1, "extra term"),
        (x * y + sp.sin(y), "wrong argument"),
    ],
)
def test_slips_of_scalars_are_named(hand, slip):
    assert decide(Claim("c", x * y + sp.sin(x), hand)).slip == slip


def test_whole_matrices_are_repaired_first():
    a = matrix("A", 2, 2)
    for hand, slip in ((a.T, "transpose"), (-a, "sign"), (2 * a, "extra factor 2"), (a[::-1, :], "swapped index")):
        found = decide(Claim("c", a, hand))
        assert (found.verdict, found.slip) == ("refuted", slip)
