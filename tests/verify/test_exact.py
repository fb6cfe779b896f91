"""Exact decisions of explicit statements: proofs, counterexamples, and nothing claimed beyond them."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Iff,
    Implies,
    IndexRange,
    NonZero,
    Orthogonal,
    Orthonormal,
    Positive,
    PositiveDefinite,
    Rotation,
    UnitQuaternion,
    UnitVector,
    conjugate,
    cross,
    decide,
    derivative,
    directional_derivative,
    inverse_quaternion,
    matrix,
    norm,
    quaternion,
    quaternion_product,
    rotate,
    rotation_matrix,
    skew,
    time_derivative,
    vector,
)

x, y, z, t, h = sp.symbols("x y z t h", real=True)
p, m, a, b, c = quaternion("p"), vector("m"), vector("a"), vector("b"), vector("c")
R = rotation_matrix(p)


def verdict(left, right, *assumptions, **more):
    return decide(Claim("c", left, right, assumptions, **more))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((x**2 - 1) / (x - 1), x + 1),
        (sp.sin(2 * x), 2 * sp.sin(x) * sp.cos(x)),
        (sp.sin(x + y) * sp.sin(x - y), sp.sin(x) ** 2 - sp.sin(y) ** 2),
        (sp.tan(x / 2), sp.sin(x) / (1 + sp.cos(x))),
        (sp.cos(3 * x), 4 * sp.cos(x) ** 3 - 3 * sp.cos(x)),
        (sp.exp(x + y) * sp.exp(-x), sp.exp(y)),
        (sp.cosh(x) ** 2 - sp.sinh(x) ** 2, 1),
        (sp.exp(sp.I * x), sp.cos(x) + sp.I * sp.sin(x)),
        (sp.exp(y + 2 * sp.I * x), sp.exp(y) * (sp.cos(x) + sp.I * sp.sin(x)) ** 2),
        (sp.sec(x) ** 2 - sp.tan(x) ** 2, 1),
        (sp.csc(x) * sp.sin(x), sp.coth(x) * sp.tanh(x)),
        (sp.csch(x) / sp.sech(x), sp.coth(x)),
        (sp.sqrt(x**2), sp.Abs(x)),
        (sp.sqrt(8 * x**2 + 8 * y**2), 2 * sp.sqrt(2) * sp.sqrt(x**2 + y**2)),
        (sp.sqrt(x**2 + y**2) * sp.sqrt(x**2 + y**2), x**2 + y**2),
        (1 / sp.sqrt(1 + x**2), sp.sqrt(1 + x**2) / (1 + x**2)),
        (sp.Max(x, y) + sp.Min(x, y), x + y),
        (sp.Max(x, y) - sp.Min(x, y), sp.Abs(x - y)),
        (sp.sign(x) * sp.Abs(x), x),
        (sp.Piecewise((x, x > 0), (-x, True)), sp.Abs(x)),
        (sp.sin(sp.pi / 4 + x), (sp.sin(x) + sp.cos(x)) / sp.sqrt(2)),
        (norm(rotate(p, m)), norm(m) * sum(k**2 for k in p)),
        (quaternion_product(p, inverse_quaternion(p)), [1, 0, 0, 0]),
        (cross(a, cross(b, c)), b * (a.T * c)[0, 0] - c * (a.T * b)[0, 0]),
        (skew(cross(a, b)), skew(a) * skew(b) - skew(b) * skew(a)),
    ],
)
def test_identities_are_proved_without_assumptions(left, right):
    found = verdict(left, right)
    assert found.verdict == "proved"
    assert found.assumptions == ()
    assert found.method == "certificate"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sp.sqrt(x**2), x),
        (sp.sin(2 * x), 2 * sp.sin(x)),
        (x / y, y / x),
        (sp.sqrt(x**2 + y**2), x + y),
        (sp.Piecewise((x, x > 0), (-x, True)), x),
        (sp.log(x * y), sp.log(x) + sp.log(y) + 1),
        (quaternion_product(p, quaternion("q")), quaternion_product(quaternion("q"), p)),
        (sp.exp(x * y), sp.exp(x) * sp.exp(y)),
    ],
)
def test_falsehoods_are_refuted_with_a_point(left, right):
    found = verdict(left, right)
    assert found.verdict == "refuted"
    assert found.counterexample is not None
    point = {sp.Symbol(name, real=True): sp.sympify(value) for name, value in found.counterexample.point}
    row, column = found.counterexample.row, found.counterexample.column
    pair = [side[row - 1, column - 1] if row else side for side in (left, right)]
    assert abs(sp.N((pair[0] - pair[1]).subs(point), 40)) > 1e-20


@pytest.mark.parametrize(
    ("left", "right", "assumption"),
    [
        (R.T * R, sp.eye(3), UnitQuaternion(p)),
        (R[0, 0], 1 - 2 * p[2] ** 2 - 2 * p[3] ** 2, UnitQuaternion(p)),
        (inverse_quaternion(p), conjugate(p), UnitQuaternion(p)),
        pytest.param(norm(rotate(p, m)), norm(m), UnitQuaternion(p), marks=pytest.mark.slow),
        (skew(a) ** 2, a * a.T - sp.eye(3), UnitVector(a)),
        pytest.param(cross(a, b).T * cross(a, b), sp.Matrix([[1]]), Orthonormal(a, b, c), marks=pytest.mark.slow),
        (sp.sqrt(x**2), x, Positive(x)),
        ((a.T * b)[0, 0], 0, Orthogonal(a, b)),
        (x**2, y, Equation(y, x**2)),
    ],
)
def test_an_assumption_is_used_and_shown_to_be_needed(left, right, assumption):
    found = verdict(left, right, assumption)
    assert found.verdict == "proved under"
    assert found.assumptions == (assumption.text,)
    assert found.counterexample is not None
    assert found.counterexample.without == assumption.text
    bare = verdict(left, right, candidates=[assumption])
    assert bare.verdict == "refuted"
    assert bare.mend == f"true under {assumption.text}"


def test_an_assumption_that_is_not_needed_is_left_out():
    found = verdict(x + x, 2 * x, UnitQuaternion(p), Positive(x))
    assert (found.verdict, found.assumptions) == ("proved", ())


def test_two_assumptions_are_both_shown_to_be_needed():
    q, rate = quaternion("q"), quaternion("r")
    lower = sp.Matrix([[-q[1], q[0], q[3], -q[2]], [-q[2], -q[3], q[0], q[1]], [-q[3], q[2], -q[1], q[0]]])
    spin = 2 * lower * rate
    found = verdict(spin.T * spin, 4 * rate.T * rate, UnitQuaternion(q), Orthogonal(q, rate))
    assert found.verdict == "proved under"
    assert [n.without for n in found.necessity] == ["|q| = 1", "q . r = 0"]


def test_a_division_by_what_is_known_to_be_nonzero():
    premises = [Equal(t * x, t * y)]
    statement = Implies(premises, Equal(x, y))
    assert decide(Claim("c", statements=statement, assumptions=NonZero(t))).verdict == "proved under"
    assert decide(Claim("c", statements=Implies(premises, Equal(x, y)))).verdict == "refuted"


@pytest.mark.slow
def test_a_premise_may_be_an_assumption():
    rotation = matrix("R", 3, 3)
    w, omega = vector("w"), vector("o")
    iff = Iff(Equal(skew(w), rotation * skew(omega) * rotation.T), Equal(w, rotation * omega))
    assert decide(Claim("c", statements=iff, assumptions=Rotation(rotation))).verdict == "proved under"


def test_both_directions_are_decided():
    both = Iff(Equal(x, 2 * y), Equal(y, x / 2))
    assert decide(Claim("c", statements=both)).verdict == "proved"
    one_way = Iff(Equal(x**2, y**2), Equal(x, y))
    assert "does not imply" in decide(Claim("c", statements=one_way)).reason


def test_contradicting_assumptions_prove_nothing():
    found = verdict(x, y, Equation(x, 1), Equation(x, 2))
    assert found.verdict == "undecided"
    assert "contradict" in found.reason


def test_an_identically_zero_denominator_proves_nothing():
    assert verdict(x / (y - 1), x / (y - 1) + z - z * y / y, Equation(y, 1)).verdict in ("undecided", "proved")
    assert verdict(x / (y - 1), 2 * x / (y - 1), Equation(y, 1)).verdict == "undecided"


def test_unknown_functions_are_differentiated_by_the_chain_rule():
    f = sp.Function("f")
    outer = sp.diff(f(t), t).subs(t, x + h * y)
    assert verdict(sp.diff(f(x + h * y), y), h * outer).verdict == "proved"
    assert verdict(sp.diff(f(x + h * y), y), outer).verdict == "refuted"
    two = sp.Matrix([sp.Function(f"f{i}")(x, y) for i in range(2)])
    assert verdict(derivative(two, [x, y])[0, 1], sp.diff(two[0], y)).verdict == "proved"
    assert verdict(f(x), f(y)).verdict == "refuted"
    assert verdict(f(x) + f(y), f(y) + f(x)).verdict == "proved"


def test_rates_and_directional_derivatives():
    rate = vector("u")
    assert verdict(time_derivative(skew(a), [(a, rate)]), skew(rate)).verdict == "proved"
    assert verdict(directional_derivative(skew(b) * a, a, rate), cross(b, rate)).verdict == "proved"


def test_every_value_of_an_index_is_checked():
    i = sp.Symbol("i", integer=True)
    assert verdict(sp.cos(i * sp.pi), (-1) ** i, IndexRange(i, 0, 4)).verdict == "proved"
    assert verdict(i**2, i, IndexRange(i, 0, 1)).verdict == "proved"
    assert verdict(i**2, i, IndexRange(i, 0, 2)).verdict == "refuted"


def test_a_symmetric_positive_definite_matrix_has_points():
    s = matrix("S", 2, 2, symmetric=True)
    found = verdict(s.inv() * s, sp.eye(2), PositiveDefinite(s))
    assert found.verdict == "proved"


def test_values_that_are_not_real_do_not_count():
    assert verdict(sp.sqrt(x) * sp.sqrt(x + 1), sp.sqrt(x * (x + 1))).verdict != "refuted"


polynomials = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5).map(
    lambda terms: sp.Add(*(k * x**i * y**j for k, i, j in terms))
)


@settings(max_examples=10, deadline=None)
@given(polynomials, polynomials)
def test_polynomials_are_equal_exactly_when_their_expansions_are(f, g):
    product = f * g
    assert verdict(product, sp.expand(product)).verdict == "proved"
    expected = "proved" if sp.expand(f - g) == 0 else "refuted"
    assert verdict(f, g).verdict == expected


@settings(max_examples=6, deadline=None)
@given(polynomials, st.sampled_from([sp.sin(x) / (1 + y**2), sp.sqrt(1 + x**2), sp.exp(-x) * y, sp.Abs(x)]))
def test_a_multiple_of_the_assumption_changes_nothing(f, g):
    # truth independent of the reduction: whatever multiplies |n|^2 - 1 vanishes on the sphere
    n = vector("n")
    zero = f * (sum(k**2 for k in n) - 1)
    assert verdict(g + zero, g, UnitVector(n)).verdict in ("proved", "proved under")


def test_an_equation_for_a_function_binds_its_derivatives_too():
    f, g = sp.Function("f"), sp.Function("g")
    found = decide(Claim("c", statements=Implies(Equal(f(x), x**2), Equal(sp.diff(f(x), x), 2 * x))))
    assert found.verdict == "undecided"
    assert "binds" in found.reason
    both = (Equal(f(x), x**2), Equal(sp.diff(f(x), x), 2 * x))
    assert decide(Claim("c", statements=Implies(both, Equal(sp.diff(f(x), x) * x, 2 * f(x))))).verdict == "proved"
    whole = sp.Integral(f(t), (t, 0, x))
    assert verdict(whole, sp.Integral(g(t), (t, 0, x))).verdict == "undecided"
    assert verdict(whole + x, x + whole).verdict == "proved"
    i = sp.Symbol("i", integer=True)
    assert verdict(sp.Sum(f(i), (i, 0, h)), (h + 1) * f(i)).verdict != "proved"


def test_decimals_are_read_as_they_are_written():
    assert verdict(x / 2 + sp.Rational(1, 10), 0.5 * x + 0.1).verdict == "proved"
    assert verdict(x / 3, 0.333 * x).verdict == "refuted"


def test_a_slope_that_has_no_function_of_numbers_is_evaluated():
    found = verdict(3 * sp.Min(1, sp.sign(1 / y) / 3), sp.Min(3, sp.sign(1 / y)))
    assert "cannot be decided" not in found.reason and found.verdict != "refuted"
