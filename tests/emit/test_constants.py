"""Functions of constants are numbers in the text: correctly rounded, whatever compiler or library reads it."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.text import render
from nsdgen.emit.tree import Name
from nsdgen.symbolic.expressions.nodes import Floor, Modulo, Sign

x = sp.Symbol("x")


def text_of(expression: sp.Expr) -> str:
    return "\n".join(render(lower([StoredValue(Name("out[0]"), expression)], {x: "x"})))


@pytest.mark.parametrize(
    "constant",
    [
        sp.cos(1),
        sp.exp(-3),
        sp.log(7),
        sp.tan(sp.pi / 9),
        sp.Integer(2) ** sp.Rational(1, 3),
        sp.atan(sp.sqrt(2) / 3 - 1),
        sp.erf(sp.Rational(1, 5)),
        sp.sin(sp.Float("0.1")),
    ],
)
def test_a_function_of_constants_is_its_nearest_double(constant):
    with mpmath.workdps(60):
        nearest = float(mpmath.mpf(sp.N(constant, 60)))
    text = text_of(x * constant)
    assert "(" not in text
    assert repr(abs(nearest)) in text


@pytest.mark.parametrize(
    "jump",
    [
        Modulo(7 * sp.Integer(20) ** sp.Rational(1, 3) / 400, 6),
        Floor(sp.Float(3.7) * 2),
        sp.Abs(sp.Float(-0.3) - sp.sqrt(2)),
        Sign(sp.pi - 4),
        Modulo(sp.Float(0.3) - sp.Float(0.1), sp.Float(0.1)),
    ],
)
def test_a_compiler_looks_into_our_own_functions_too(jump):
    """Whether the argument of a function is a constant does not depend on what a compiler puts into its place."""
    assert "(" not in text_of(x * sp.tanh(jump)) and "nsd_" not in text_of(x * sp.tanh(jump))


def test_what_has_no_finite_value_or_rounds_alike_everywhere_stays_a_call():
    assert "sqrt(2.0)" in text_of(x * sp.sqrt(2))
    assert "cos(x)" in text_of(sp.cos(x) + sp.cos(1))
    assert "exp(" in text_of(x + sp.exp(1000))
