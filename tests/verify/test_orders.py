"""Equalities up to an order: a set of functions is never taken for a value."""

import pytest
import sympy as sp

from nsdgen.verify import Claim, Equal, Equation, Implies, Inequality, IntegralEqual, SeriesEqual, Zero, decide

x, y, a, u = sp.symbols("x y a u", real=True)
up = sp.Symbol("p", positive=True)
O = sp.O


def said(*sides):
    return decide(Claim("t", statements=[Equal(*sides)]), budget=10.0, repairs=False).verdict


@pytest.mark.parametrize(
    "sides",
    [
        (sp.sin(x), x - x**3 / 6 + O(x**5)),
        (x - x**3 / 6 + O(x**5), sp.sin(x)),
        (x**2, O(x)),
        (O(x), O(x)),
        (x + O(x**3), sp.sin(x) + O(x**3)),
        (sp.log(x), x - 1 + O((x - 1) ** 2, (x, 1))),
        (sp.Abs(x), O(x)),
        (sp.sin(a * x), a * x + O(x**3)),
        (1 / sp.sin(x), 1 / x + x / 6 + O(x**3)),
        (sp.Abs(x) ** 3, O(x**3)),
        (sp.exp(-1 / x**2), O(x**6)),
        (sp.Abs(x - 2), 2 - x + O(x**4)),
        (sp.Abs(up), up + O(up**4)),
        (1 / x, O(1 / x)),
    ],
)
def test_what_differs_by_its_order_only_is_equal(sides):
    assert said(*sides).startswith("proved")


@pytest.mark.parametrize(
    "sides",
    [
        (x, O(x**2)),
        (sp.sin(x), x - x**3 / 5 + O(x**5)),
        (x + O(x**2), 2 * x + O(x**2)),
        (x + O(x**2), 2 * x + O(x**3)),
        (sp.Abs(x), x + O(x**2)),
        (sp.Max(x, 0), x + O(x**3)),
        (sp.sign(x), 1 + O(x)),
        (1 / x, O(x)),
        (sp.log(x), x - 1 + O((x - 1) ** 3, (x, 1))),
        (sp.sin(a * x), x + O(x**3)),
        (sp.Heaviside(x, 0), O(x)),
    ],
)
def test_what_differs_below_the_order_is_refuted(sides):
    assert said(*sides) == "refuted"


@pytest.mark.parametrize(
    "sides",
    [
        (O(x), O(x**2)),
        (O(x**2), O(x)),
        (x + O(x**2), x + O(x**3)),
        (O(x), O(y)),
        (O(x), O((x - 1), (x, 1))),
        (x * sp.log(x) ** 2, O(x * sp.log(x))),
        (sp.sqrt(x), O(x)),
        (sp.exp(O(x)), 1 + O(x)),
        (sp.sin(O(x)), sp.sin(O(x))),
        (x, x + O(x**2), sp.sin(x)),
        (sp.exp(-1 / x), O(x**4)),
        (O(x), O(sp.sqrt(x))),
        (O(x * y), O(x * y)),
        (sp.Matrix([O(x)]), sp.Matrix([O(x)])),
        (sp.Matrix([O(x)]), sp.Matrix([O(x**2)])),
        (O(x, (x, sp.oo)), x),
    ],
)
def test_orders_that_say_something_else_are_undecided(sides):
    assert said(*sides) in ("undecided", "refuted")


@pytest.mark.parametrize(
    "statement",
    [
        Zero(O(x)),
        Zero(x**2 + O(x)),
        Inequality(O(x), "<=", O(x)),
        Inequality(x**2 + O(x), ">=", O(x)),
        SeriesEqual(O(x), O(x**2), x),
        SeriesEqual(sp.sin(x), x + O(x**3), x),
        IntegralEqual(O(u), sp.S.One, x, 0, u),
        IntegralEqual(u, 1 + O(x), x, 0, u),
        Implies(Equal(x, O(x)), Equal(x, 0)),
        Implies(Zero(O(x)), Equal(x, x**2)),
    ],
)
def test_an_order_is_no_value_of_another_statement(statement):
    found = decide(Claim("t", statements=[statement]), budget=10.0, repairs=False)
    assert found.verdict == "undecided" and "order" in found.reason


def test_an_order_is_no_value_of_an_assumption():
    found = decide(Claim("t", x, y, Equation(x, y + O(y))), budget=10.0, repairs=False)
    assert found.verdict == "undecided" and "order" in found.reason
