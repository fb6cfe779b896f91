"""Functions of constants are numbers in the text: correctly rounded, whatever compiler or library reads it."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

from nsdgen.emit.lower import lower, render

x = sp.Symbol("x")


def text_of(expression: sp.Expr) -> str:
    return "\n".join(render(lower([("out[0]", expression)], {x: "x"})))


@pytest.mark.parametrize("constant", [
    sp.cos(1), sp.exp(-3), sp.log(7), sp.tan(sp.pi / 9), sp.Integer(2) ** sp.Rational(1, 3),
    sp.atan(sp.sqrt(2) / 3 - 1), sp.erf(sp.Rational(1, 5)), sp.sin(sp.Float("0.1"))])
def test_a_function_of_constants_is_its_nearest_double(constant):
    with mpmath.workdps(60):
        nearest = float(mpmath.mpf(sp.N(constant, 60)))
    text = text_of(x * constant)
    assert "(" not in text
    assert repr(abs(nearest)) in text


def test_what_has_no_finite_value_or_rounds_alike_everywhere_stays_a_call():
    assert "sqrt(2.0)" in text_of(x * sp.sqrt(2))
    assert "cos(x)" in text_of(sp.cos(x) + sp.cos(1))
    assert "exp(" in text_of(x + sp.exp(1000))
