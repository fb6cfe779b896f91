"""Points are admissible or not asked; kinks, corners, boundaries, bands and isolated points are asked."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp
from misleading.claims import eq, st
from misleading.symbols import x, y, z
from sympy import Piecewise as P
from sympy import Rational as Q
from sympy import sign as S

from nsdgen.verify import (
    Claim,
    Definite,
    Equal,
    Equation,
    Implies,
    Inequality,
    Invertible,
    NonNegative,
    Positive,
    PositiveDefinite,
    Rotation,
    Skew,
    Symmetric,
    decide,
)
from nsdgen.verify.challenge.challenge_points import admissible
from nsdgen.verify.challenge.judged import FIRST, JudgedStatement
from nsdgen.verify.challenge.least import searched
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.verdict import PROVED

M, W = sp.MatrixSymbol("M", 2, 2), sp.MatrixSymbol("W", 2, 2)


def of(**facts: bool) -> sp.Symbol:
    return sp.Symbol("n", **facts)


NUMBER = of(integer=True)
NO, RATIO, COMPOSITE = of(noninteger=True, real=True), of(rational=True), of(composite=True)


@pytest.mark.parametrize(
    ("facts", "value", "may"),
    [
        ({"noninteger": True}, sp.Integer(3), False),
        ({"noninteger": True}, Q(1, 2), True),
        ({"composite": True}, sp.Integer(7), False),
        ({"composite": True}, sp.Integer(9), True),
        ({"prime": True}, sp.Integer(9), False),
        ({"irrational": True}, Q(1, 2), False),
        ({"irrational": True}, sp.sqrt(2), True),
        ({"rational": True}, sp.sqrt(2), False),
        ({"transcendental": True}, sp.sqrt(2), False),
        ({"transcendental": True}, sp.pi, True),
        ({"algebraic": True}, sp.pi, False),
        ({"odd": True}, sp.Integer(4), False),
        ({"nonnegative": True}, sp.Integer(-1), False),
        ({"real": True}, sp.I, False),
    ],
)
def test_a_value_is_admissible_where_all_that_its_symbol_says_holds_of_it(facts, value, may):
    assert admissible(sp.Symbol("n", **facts), value) is may


TRUE = [  # each was refuted by a point that is none of its set
    eq(S(sp.sin(sp.pi * NO) ** 2), sp.S.One),
    st(Inequality(COMPOSITE, ">=", 4)),
    eq(P((1, sp.Eq(RATIO**2, 2)), (0, True)), sp.S.Zero),
    st(Implies([Equal(RATIO**2, 2)], [Equal(1, 0)])),
    eq(sp.Abs(M[0, 0]), M[0, 0], PositiveDefinite(M)),
    eq(M[0, 1], M[1, 0], Symmetric(M)),
    eq(M[0, 0], sp.S.Zero, Skew(M)),
    eq(M[0, 0] ** 2 + M[1, 0] ** 2, sp.S.One, Rotation(M)),
    eq(M[0, 0], M[1, 1], Rotation(M)),
    eq(S(M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]) ** 2, sp.S.One, Invertible(M)),
    st(Inequality(M[0, 0] + M[1, 1], ">", 0), PositiveDefinite(M)),
    eq(sp.sqrt(M[0, 0] ** 2), M[0, 0], PositiveDefinite(M)),
]


@pytest.mark.parametrize("number", range(len(TRUE)))
@pytest.mark.few(3)
def test_no_point_outside_the_assumptions_refutes(number):
    assert decide(TRUE[number], repairs=False).verdict != "refuted"


@pytest.mark.parametrize("number", [5, 6, 7, 8])
def test_assumptions_about_a_matrix_hold_of_its_entries(number):
    assert decide(TRUE[number], repairs=False).verdict in PROVED


FALSE = [  # each was consistent: no point of the one place where it fails was asked
    eq(S(x - 7) ** 2, sp.S.One),
    eq(S(x**2 - 2) ** 2, sp.S.One),
    eq(S((x - 1) ** 2 + (y - 2) ** 2), sp.S.One),
    st(Inequality(sp.Abs(x - 2) + sp.Abs(y - 3) + sp.Abs(z - 4), ">", 0)),
    st(Inequality((x**2 + y**2 - 5) ** 2 + (x - y - 1) ** 2, ">", 0)),
    eq(S(sp.exp(x) - 2), sp.S.One, NonNegative(sp.exp(x) - 2)),
    eq(P((1, x**2 + y**2 > 10**14), (0, True)), sp.S.Zero),
    eq(P((1, x**2 + y**2 < 1), (0, True)), sp.S.Zero, Positive(x**2 + y**2 - Q(999, 1000))),
    st(Inequality(x**2 + y**2, ">=", 1), Positive(x**2 + y**2 - Q(9999, 10000))),
    eq(P((sp.sin(x) / x, sp.Abs(x) > Q(1, 10**5)), (1 - x**2 / 6 + x**4 / 120, True)), sp.sinc(x)),
    st(Inequality(x * y, "<", Q(1, 2)), Equation(x**2 + y**2, 1)),
    st(Inequality(x + y, "<", sp.sqrt(2)), Equation(x**2 + y**2, 1)),
    eq(W[0, 0], sp.Symbol("W[0, 0]", real=True)),
    eq(P((1, (x > 3) & (x < Q(31, 10)) & (y > 7) & (y < Q(71, 10))), (0, True)), sp.S.Zero),
    st(Definite(sp.Matrix([[x**2 + y**2, 0], [0, 1]]))),
]


@pytest.mark.parametrize(
    "number", [pytest.param(k, marks=() if k in (0, 1, 12) else pytest.mark.slow) for k in range(len(FALSE))]
)
def test_the_one_place_where_a_claim_fails_is_asked(number):
    assert decide(FALSE[number], repairs=False).verdict == "refuted"


LEAST = [  # each was consistent, or refuted without a point: it fails in a small region that no kink marks
    Inequality(sp.cos(z), "<=", P((y**2, (z >= 0) & (y < 2)), (z**2, sp.Ne(y, z)), (1, True)) + 2 * sp.cos(z)),
    Inequality(sp.sin(sp.sin(z**2 * x**2)) * sp.cos(sp.sqrt(sp.Min(1, z) ** 2 + 1)) + y, ">=", y - Q(8309, 10000)),
    Inequality(Q(-6447, 5000), "<=", x / (x**2 + 1) + sp.cos(x)),
    Definite(sp.Matrix([[sp.sin(z) + Q(19907, 10000), sp.sin(z)], [sp.sin(z), sp.sin(x) + Q(19907, 10000)]])),
]


@pytest.mark.parametrize("number", range(len(LEAST)))
@pytest.mark.few(2)
def test_inequalities_are_asked_where_their_sides_differ_least(number):
    statement, verdict = LEAST[number], decide(st(LEAST[number]), repairs=False)
    assert verdict.verdict == "refuted"
    at = dict.fromkeys((x, y, z), 0) | {sp.Symbol(n, real=True): sp.S(v) for n, v in verdict.counterexample.point}
    if isinstance(statement, Definite):
        assert min(statement.matrix[0, 0].xreplace(at).evalf(30), statement.matrix.det().xreplace(at).evalf(30)) <= 0
    else:
        left, right = (sp.N(sp.S(side).xreplace(at), 30) for side in (statement.left, statement.right))
        assert left > right if statement.relation == "<=" else left < right


@pytest.mark.parametrize(
    ("signed", "bounds", "equation", "lies"),
    [
        ((x - 3) ** 2 + (y + 1) ** 2 - Q(1, 100), [], [], lambda a, b: (a - 3) ** 2 + (b + 1) ** 2 < Q(1, 100)),
        (x + y - 1, [x, y - Q(9, 10)], [], lambda a, b: a >= 0 and b >= Q(9, 10) and a + b < 1),
        (Q(499, 1000) - x * y, [], [x**2 + y**2 - 1], lambda a, b: abs(a**2 + b**2 - 1) < 0.06 and a * b > 0.499),
        ((NUMBER - 30) ** 2 + y**2 - 1, [], [], lambda a, b: a == 30 and abs(b) < 1),
    ],
)
def test_a_search_goes_down_from_far_within_what_is_assumed(signed, bounds, equation, lies):
    """Equations g = 0 are met nearly: 10 g^2 < ab - 0.499, where ab <= (1 + g) / 2, says |g| < 0.06."""
    search = searched([signed], bounds, equation, False, Random(1))
    found = [
        place for _ in range(5) for place in search({"x": sp.Integer(20), "y": sp.Integer(20), "n": sp.Integer(7)})
    ]
    names = ("n", "y") if signed.has(NUMBER) else ("x", "y")
    assert found
    assert all(lies(*(place[n] for n in names)) for place in found)


def test_an_inequality_between_numbers_is_asked():
    s = Inequality(sp.sqrt(2) + x, "<", x + Q(3, 2))
    assert decide(st(s), repairs=False).verdict in (*PROVED, "consistent")


def test_entries_are_told_where_only_some_are_written():
    s = Inequality((W[0, 0] - Q(17, 4)) ** 2 + (W[1, 0] - 3) ** 2, ">=", Q(1, 1000))
    assert [name for name, _ in decide(st(s), repairs=False).counterexample.point] == ["W"]


def test_jumps_have_no_slope():
    """SymPy's derivative of a jump, which has no values, ended the search for points: the claim was undecided."""
    s = Inequality(sp.sin(P((sp.Min(1, y), sp.Min(1, y) < 2), (sp.sin(y) ** 2, True)) / (sp.cos(x) ** 2 + 2)), "<=", 1)
    assert decide(st(s), repairs=False).verdict in (*PROVED, "consistent")


@pytest.mark.parametrize(
    "claim",
    [
        eq(sp.sqrt(-1 - x**2), sp.sqrt(-2 - x**2)),
        eq(x, y, Equation(x**2 + y**2, -1)),
        eq(x, y, Positive(x), Positive(-x)),
        st(Inequality(sp.log(-1 - x**2), ">", 0)),
    ],
)
@pytest.mark.few(2)
def test_without_a_point_nothing_is_consistent(claim):
    assert decide(claim, repairs=False).verdict == "undecided"


@pytest.mark.parametrize(
    "e",
    [
        (sp.besselj(0, x) - Q(1, 3)) ** 2,
        sp.Abs(sp.airyai(x)),
        sp.airyai(x) ** 2,
        ((x - 1000) * (x - 1001)) ** 2,
        (sp.sin(x) - 1) ** 2,
        sp.airyaiprime(x) ** 2,
        (x**3 - x - 1) ** 2 * sp.cosh(y),
        (sp.cos(x) * sp.cosh(x) - 1) ** 2,
    ],
)
@pytest.mark.few(2)
def test_isolated_zeros_of_analytic_functions_are_asked(e):
    for s in (st(Inequality(e, ">", 0)), eq(sp.sign(e), 1)):
        assert decide(s, repairs=False).verdict == "refuted"


@pytest.mark.parametrize("tail", [sp.exp(-(y**2)), 1 / sp.cosh(y), sp.exp(y)])
@pytest.mark.parametrize("zero", [(x**2 - 2) ** 2, sp.Abs(x - sp.sqrt(2))])
@pytest.mark.few(2)
def test_a_tail_that_is_lost_beside_the_rounding_of_a_zero_refutes_nothing(zero, tail):
    assert decide(st(Inequality(zero + tail, ">", 0)), repairs=False).verdict in (*PROVED, "consistent")


def test_a_difference_beside_something_large_is_asked_in_as_many_digits_as_show_it():
    band = P((sp.exp(x) + Q(2, 3), (x > 45) & (x < Q(451, 10))), (sp.exp(x), True))
    assert decide(eq(band, sp.exp(x)), repairs=False).verdict == "refuted"


@pytest.mark.parametrize(
    "sides",
    [
        (sp.Abs(y**2 - 5) + sp.Abs(sp.besselj(0, x)), ">"),
        ((x**2 - 2) ** 2 + sp.airyai(y) ** 2, ">"),
        ((x**3 - x - 5) ** 2 + sp.erf(y - sp.sqrt(2)) ** 2, ">"),
        (sp.sqrt((x**2 - 2) ** 2 + sp.airyai(y) ** 2), ">"),
        (-((sp.exp(x) - 3) ** 2) - (y**3 - y - 1) ** 2, "<"),
    ],
)
@pytest.mark.few(2)
def test_zeros_that_parts_of_a_sum_have_together_are_asked(sides):
    """None of them is rational, and each of the parts is dear: all at once by Newton's method, not one by one."""
    assert decide(st(Inequality(*sides, 0)), repairs=False).verdict == "refuted"


@pytest.mark.parametrize("shift", [Q(9, 2), -Q(7, 3), 40])
def test_an_extreme_value_that_exceeds_a_bound_hardly_is_asked_wherever_it_lies(shift):
    bumped = (x - shift) / ((x - shift) ** 2 + 1)
    assert decide(st(Inequality(bumped, "<=", Q(112, 225))), repairs=False).verdict == "refuted"


X, Y = sp.symbols("x y", real=True)
TAILS = [
    Inequality(sp.tanh(2 * X - 2) ** 2, "<", 1),
    Inequality(sp.erf(X), "<", 1),
    Inequality(sp.exp(-(X**2)), ">", 0),
    Definite(sp.diag(1, sp.exp(-(X**2)))),
]
ZEROS = [
    Inequality(sp.sin(X) ** 2 + Y**2, ">", 0),
    Inequality((X**3 - X - 1) ** 2, ">", 0),
    Definite(sp.diag(1, sp.sin(X) ** 2)),
    Definite(sp.Matrix([[1, X], [X, X**2]])),
]


@pytest.mark.parametrize("statement", [*TAILS, *ZEROS], ids=str)
@pytest.mark.few(3)
def test_what_is_within_rounding_of_its_limit_is_not_there(statement):
    """A tail is refuted nowhere (tanh(-370) was -1); a zero is one at its point alone, and refutes."""
    verdict = decide(Claim("c", statements=[statement]), budget=10, repairs=False).verdict
    assert (verdict == "refuted") == (statement in ZEROS)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (Equal(sp.Piecewise((1, sp.Eq(X, 0)), (0, True)), 0), 0),
        (Equal(sp.Piecewise((1, sp.Eq(3 * X, 7)), (0, True)), 0), Q(7, 3)),
        (Equal(sp.sign(X - 5) ** 2, 1), 5),
    ],
)
def test_isolated_points_that_are_marked_are_asked_before_all_others(statement, place):
    case = JudgedStatement(statement, Setting())
    false = [w.scalars["x"] for w, truth in case.looked_at(FIRST, Deadline.after(60.0)) if truth.holds is False]
    assert false == [place]


@pytest.mark.parametrize(("low", "high"), [(3.1, 3.1000001), (-7.25, -7.2499999), (Q(31, 10), Q(3100001, 1000000))])
def test_bands_between_decimals_are_asked(low, high):
    """A case between two decimals was never met; one between fractions was."""
    band = P((1, (x > low) & (x < high)), (0, True))
    assert decide(Claim("band", sp.Matrix([[sp.sin(x) + band, y]]), sp.Matrix([[sp.sin(x), y]]))).verdict == "refuted"
