"""The text of single expressions: readable, in double arithmetic, of the same value."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.printer import Composer
from nsdgen.emit.text import CYTHON
from nsdgen.emit.translate import Translator
from nsdgen.emit.tree import Name
from nsdgen.errors import EmissionError
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign, Stumpff, let

m, v, v_k, h, F, x, y = SYMBOLS = sp.symbols("m v v_k h F x y", real=True)
NAMES = {symbol: symbol.name for symbol in SYMBOLS}


def shown(expr: sp.Basic, names: dict[sp.Basic, str] = NAMES) -> str:
    """Without temporaries, which statements have."""
    translator = Translator([expr], names)
    return CYTHON.text(Composer(translator.graph).define(translator.translate(expr), {}))


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (sp.Integer(2), "2.0"),
        (sp.Rational(1, 3), "1.0/3.0"),
        (sp.Rational(-2, 3), "-2.0/3.0"),
        (sp.Rational(1, 2), "0.5"),
        (sp.Integer(10) ** 22, "1e+22"),
        (sp.Float(0.1), "0.1"),
        (2 * sp.pi * x, "2.0*M_PI*x"),
        (sp.E * x, "M_E*x"),
        (m * (v - v_k) - h * F, "m*(v - v_k) - F*h"),
        (-x, "-x"),
        (-x - 1, "-x - 1.0"),
        (1 - x, "1.0 - x"),
        (m * (1 - x) / 2, "0.5*m*(1.0 - x)"),
        (x / 3, "x/3.0"),
        (x / y, "x/y"),
        (-m * x / (v * y), "-m*x/(v*y)"),
        (m / (x + y), "m/(x + y)"),
        (1 / x, "1.0/x"),
        (x**2, "x*x"),
        (y * x**3, "x*x*x*y"),
        (x**-2, "1.0/(x*x)"),
        ((x + 1) ** 3, "(x + 1.0)*(x + 1.0)*(x + 1.0)"),
        (x**12, "pow(x, 12.0)"),
        (x**y, "pow(x, y)"),
        (2**x, "pow(2.0, x)"),
        (sp.sqrt(x), "sqrt(x)"),
        (x ** sp.Rational(-1, 2), "1.0/sqrt(x)"),
        (x ** sp.Rational(3, 2), "x*sqrt(x)"),
        (x ** sp.Rational(1, 3), "pow(x, 1.0/3.0)"),
        (sp.exp(-x), "exp(-x)"),
        (abs(x), "fabs(x)"),
        (sp.atan2(y, x), "atan2(y, x)"),
        (Modulo(x, 2 * sp.pi), "nsd_mod(x, 2.0*M_PI)"),
        (Floor(x / y), "floor(x/y)"),
        (Sign(x), "nsd_sign(x)"),
        (Stumpff(3, x**2), "nsd_stumpff(3, x*x)"),
        (let("speed", x + y) * m, "m*(x + y)"),
        (x < y, "x < y"),
        (sp.And(x < y, sp.Or(x > 0, sp.Eq(y, 1))), "x < y and (x > 0.0 or y == 1.0)"),
        (sp.Not(sp.And(x < y, y < 1), evaluate=False), "not (x < y and y < 1.0)"),
    ],
    ids=str,
)
def test_text(expr: sp.Basic, text: str) -> None:
    assert shown(expr) == text


def test_names_may_stand_for_subexpressions() -> None:
    assert shown(sp.sin(x + y) * 2, {x + y: "arg[0]"}) == "2.0*sin(arg[0])"


def test_digits_in_names_are_sorted_as_numbers() -> None:
    names = {m: "x[10]", v: "x[2]", h: "x[1]"}
    assert shown(m + v + h, names) == "x[1] + x[2] + x[10]"


@pytest.mark.parametrize(
    "expr",
    [
        sp.I * x,
        sp.oo,
        sp.nan,
        sp.zoo,
        sp.Integer(10) ** 400,
        sp.Symbol("unknown"),
        sp.Mod(x, y),
        sp.floor(x),
        sp.Max(x, y),
        sp.Piecewise((x, y > 0), (y, True)),
        sp.gamma(x),
        sp.Function("f")(x),
        Branch(x, y > 0, y, True),
        Stumpff(x, y),
    ],
    ids=str,
)
def test_what_has_no_text_is_refused_by_name(expr: sp.Basic) -> None:
    with pytest.raises(EmissionError) as caught:
        shown(sp.sin(expr) if expr.is_Function else expr)
    assert caught.value.fix or "double" in str(caught.value) or "order" in str(caught.value)


def test_nested_powers_do_not_repeat_their_base() -> None:
    expr = x
    for _ in range(40):
        expr = (expr + 1) ** 2
    assert lower([StoredValue(Name("out[0]"), expr)], NAMES).operations == 2 * 40


@pytest.mark.parametrize("expr", [(x + y) + m, Modulo(m + x - y, h), Modulo(m * x / y, 1)])
def test_decisive_arithmetic_keeps_the_grouping_of_sympy(expr: sp.Expr) -> None:
    first, second = sp.symbols("a b", real=True)
    nested = sp.Add(first, sp.Add(second, x, evaluate=False), evaluate=False)
    assert shown(Modulo(nested, h), {**NAMES, first: "a", second: "b"}) in (
        "nsd_mod(a + (b + x), h)",
        "nsd_mod((b + x) + a, h)",
    )
    assert shown(expr) == shown(expr.func(*expr.args))


def _trees() -> st.SearchStrategy[sp.Expr]:
    leaves = st.sampled_from([x, y, m, sp.Integer(3), sp.Rational(2, 7), sp.pi, sp.Float(0.3)])

    def grow(inner: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]),
            pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]),
            pairs.map(lambda p: p[0] / (p[1] ** 2 + 1)),
            inner.map(sp.sin),
            inner.map(sp.tanh),
            inner.map(lambda e: sp.sqrt(e**2 + 1) ** -3),
            inner.map(lambda e: -e),
            st.tuples(inner, st.integers(2, 9)).map(lambda p: sp.atan(p[0]) ** p[1]),
        )

    return st.recursive(leaves, grow, max_leaves=12)


@settings(max_examples=80, deadline=None)
@given(expr=_trees(), point=st.tuples(*[st.floats(0.1, 2.0)] * 3))
def test_value(truth, expr, point) -> None:  # type: ignore[no-untyped-def]
    import math

    values = dict(zip((x, y, m), point, strict=True))
    exact = truth(expr, values)
    space = {
        **{n: getattr(math, n) for n in ["sqrt", "pow", "sin", "tanh", "atan"]},
        "M_PI": math.pi,
        **{s.name: v for s, v in values.items()},
    }
    got = eval(shown(expr), space)
    scale = truth(_magnitude(expr), values)
    assert abs(mpmath.mpf(got) - exact) <= 1e-13 * (1 + scale)


def _magnitude(expr: sp.Expr) -> sp.Expr:
    """The expression without cancellation: an upper bound for intermediate values."""
    if not expr.args:
        return abs(expr)
    if isinstance(expr, sp.Add | sp.Mul):
        return expr.func(*(_magnitude(arg) for arg in expr.args))
    if isinstance(expr, sp.Pow) and expr.exp.is_positive:
        return _magnitude(expr.base) ** expr.exp
    return abs(expr) + (_magnitude(expr.args[0]) if expr.is_Function else 0)
