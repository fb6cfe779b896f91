"""Lowering: sharing, branches, groups, names; the same value and the same bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.text import render
from nsdgen.emit.tree import Assign, Call, If, Name
from nsdgen.errors import EmissionError
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Sign, Stumpff, let

x, y, z, h, theta = SYMBOLS = sp.symbols("x y z h theta", real=True)
NAMES = {symbol: symbol.name for symbol in SYMBOLS}


def text(*exprs: sp.Expr, **options: frozenset[str]) -> str:
    outputs = [StoredValue(Name(f"out[{i}]"), expr) for i, expr in enumerate(exprs)]
    return "\n".join(render(lower(outputs, NAMES, **options)))


# Sharing


def test_common_subexpressions_are_computed_once() -> None:
    assert text(sp.sin(x + y), sp.sin(x + y) + sp.cos(x + y)) == (
        "x0 = x + y\nx1 = sin(x0)\nout[0] = x1\nout[1] = cos(x0) + x1"
    )


def test_equal_trees_that_are_distinct_objects_are_shared() -> None:
    def tree() -> sp.Expr:
        expr: sp.Expr = x
        for i in range(40):
            expr = sp.Add(sp.sin(expr), sp.cos(expr), sp.Integer(i + 1), evaluate=False)
        return expr

    first = tree()
    sp.core.cache.clear_cache()
    body = lower([StoredValue(Name("out[0]"), first), StoredValue(Name("out[1]"), tree())], NAMES)
    assert body.operations == 4 * 40


def test_a_difference_and_its_opposite_share_their_value() -> None:
    lines = text(sp.sin(x - y), sp.cos(z) * (y - x))
    assert lines == "x0 = x - y\nout[0] = sin(x0)\nout[1] = -x0*cos(z)"


def test_a_sum_and_its_negative_cancel() -> None:
    """SymPy keeps x (a + b) + x (-a - b); what is zero takes its factors with it."""
    nothing = x * (sp.sin(y) + z) + x * (-sp.sin(y) - z)
    assert nothing != 0
    assert text(nothing) == text(theta * nothing) == "out[0] = 0.0"
    assert text(h + theta * nothing) == "out[0] = h"
    assert text(h * (theta + nothing) - 2 * nothing) == "out[0] = h*theta"


def test_a_shared_difference_begins_with_its_number() -> None:
    assert text(x * (1 - theta), y * (1 - theta)) == "x0 = 1.0 - theta\nout[0] = x*x0\nout[1] = y*x0"
    assert text(sp.sqrt(1 - x**2), y * (x**2 - 1)) == "x0 = 1.0 - x*x\nout[0] = sqrt(x0)\nout[1] = -y*x0"
    assert text(x - 1) == "out[0] = x - 1.0" and text(x + 1) == "out[0] = x + 1.0"


def test_a_named_value_has_its_own_sign() -> None:
    named = let("back", h * x - theta * y)
    assert text(sp.sin(named) + sp.cos(named)).splitlines()[0] == "back = h*x - theta*y"
    turned = let("back", theta * y - h * x)
    assert text(sp.sin(turned) + sp.cos(turned)).splitlines()[0] == "back = theta*y - h*x"


def test_a_long_output_with_a_sign_is_one_statement() -> None:
    long = -sum((sp.sin(i * x) * h + i * theta for i in range(2, 30)), x * y)
    lines = text(long).splitlines()
    assert lines[0].startswith("out[0] = (") and not any("= -x" in line for line in lines)


def test_a_branch_that_is_an_output_takes_its_name() -> None:
    mode = Branch(sp.S.One, x <= 0, sp.S.Zero, sp.true)
    assert render(lower([StoredValue(Name("out[0]"), mode, "mode")], NAMES)) == [
        "# mode",
        "if x <= 0.0:",
        "    mode = 1.0",
        "else:",
        "    mode = 0.0",
        "out[0] = mode",
    ]


def test_products_share_pairs_of_factors() -> None:
    lines = text(h * theta * x, h * theta * y, h * theta * z)
    assert lines.splitlines()[0] == "x0 = h*theta"
    assert len(re.findall(r"h\*theta", lines)) == 1


def test_powers_share_squares() -> None:
    body = lower([StoredValue(Name("out[0]"), (x + y) ** 8)], NAMES)
    assert body.operations == 4


def test_division_stays_division() -> None:
    assert text(x / z, y / z) == "out[0] = x/z\nout[1] = y/z"
    assert text(sp.sin(1 / z), sp.cos(1 / z)).startswith("x0 = 1.0/z")


def test_arithmetic_that_decides_ties_is_not_factored() -> None:
    lines = text(Floor(h * theta * x), h * theta * y, h * theta * z)
    assert "floor(h*theta*x)" in lines
    assert "x0 = h*theta\n" in lines


def test_trivial_values_get_no_temporary() -> None:
    assert text(-x, let("same", x), -x) == "out[0] = -x\nout[1] = x\nout[2] = -x"


def test_long_expressions_are_cut_into_lines() -> None:
    expr: sp.Expr = x
    for _ in range(300):
        expr = sp.sin(expr) + y
    wide = sum(sp.sin(x + i) * y**i for i in range(2, 60))
    assert max(map(len, text(expr, wide).splitlines())) <= 100


# Names


def test_let_names_a_temporary() -> None:
    assert text(let("gap rate", x + y) * z) == "gap_rate = x + y\nout[0] = z*gap_rate"


def test_lets_nest_and_names_stay_unique() -> None:
    inner = let("speed", x + y)
    lines = text(let("speed", inner**2 + z), let("lambda", x * y))
    assert lines == ("speed = x + y\nspeed_2 = z + speed*speed\nout[0] = speed_2\nlambda_ = x*y\nout[1] = lambda_")


def test_temporaries_avoid_names_in_use() -> None:
    names = {x: "x0[1]", y: "w.x1", z: "z"}
    body = lower([StoredValue(Name("out[0]"), sp.sin(x + y) + sp.cos(x + y))], names, reserved=frozenset({"x2"}))
    assert body.temporaries == ("x3",)


# Branches


def test_untaken_arms_are_not_evaluated(compute) -> None:  # type: ignore[no-untyped-def]
    root = sp.sqrt(x)
    expr = Branch(root + 1 / root, x > 0, sp.sqrt(-x), x < 0, 7, True)
    for value, expected in ((4.0, 2.5), (-9.0, 3.0), (0.0, 7.0)):
        assert compute([expr, expr * 2], {x: value}) == [expected, 2 * expected]


def test_what_two_of_three_arms_need_is_not_computed_for_the_third(compute) -> None:  # type: ignore[no-untyped-def]
    root = sp.sqrt(x)
    expr = Branch(root + sp.sin(root), x > 1, root * 2, x > 0, 5, True)
    assert compute([expr], {x: -1.0}) == [5.0]


def test_what_all_arms_need_is_computed_once_before() -> None:
    lines = text(Branch(sp.sin(x) + 1, y > 0, sp.sin(x) * 2, True))
    assert lines.count("sin(x)") == 1
    assert lines.startswith("x0 = sin(x)")


def test_branches_on_the_same_conditions_are_one_chain() -> None:
    first = Branch(x, y > 0, z, True)
    second = Branch(sp.sin(x), y > 0, 0, True)
    body = lower([StoredValue(Name("out[0]"), first * second), StoredValue(Name("out[1]"), second)], NAMES)
    assert sum(isinstance(s, If) for s in body.statements) == 1
    assert len(body.statements[0].arms) == 2  # type: ignore[union-attr]


def test_a_branch_that_depends_on_another_comes_after_it(compute) -> None:  # type: ignore[no-untyped-def]
    first = Branch(x, y > 0, z, True)
    second = Branch(sp.sin(first) + x, y > 0, first**2, True)
    expected = [float(sp.sin(2)) + 2.0, 9.0]
    for value, wanted in zip((1.0, -1.0), expected, strict=True):
        assert compute([second], {x: 2.0, y: value, z: 3.0})[0] == pytest.approx(wanted)


def test_merging_never_makes_a_cycle(compute, truth) -> None:  # type: ignore[no-untyped-def]
    a1 = Branch(x, y > 0, z, True)
    b1 = Branch(z, x > 0, y, True)
    a2 = Branch(b1 + 1, y > 0, b1 * 2, True)
    b2 = Branch(a1 + 1, x > 0, a1 * 2, True)
    for values in ((1.0, 2.0, 3.0), (-1.0, 2.0, 3.0), (1.0, -2.0, 3.0), (-1.0, -2.0, 3.0)):
        point = dict(zip((x, y, z), values, strict=True))
        exprs = [a1, b1, a2, b2]
        assert compute(exprs, point) == [float(truth(e, point)) for e in exprs]


def test_branches_nest_in_arms_and_in_conditions(compute, truth) -> None:  # type: ignore[no-untyped-def]
    inner = Branch(sp.sqrt(x), x > 0, sp.sqrt(-x), True)
    chosen = Branch(1, z > 0, 2, True)
    outer = Branch(inner * 2, y > chosen, inner + sp.log(y), sp.And(y > 0, inner > 1), 0, True)
    for values in ((4.0, 3.0, 1.0), (-4.0, 1.5, -1.0), (0.2, 0.5, 1.0), (1.0, -1.0, 1.0)):
        point = dict(zip((x, y, z), values, strict=True))
        assert compute([outer], point)[0] == pytest.approx(float(truth(outer, point)))


def test_shared_branches_in_several_arms_do_not_multiply() -> None:
    expr: sp.Expr = x
    for i in range(25):
        one = Branch(expr * 2, y < i, 0, True)
        expr = one + Branch(expr * 3, z < i, 0, True)
    assert lower([StoredValue(Name("out[0]"), expr)], NAMES).operations < 10 * 25


# Groups, counts, errors


def test_groups_are_labelled_and_shared_values_come_first() -> None:
    outputs = [
        StoredValue(Name("out[0]"), sp.sin(x) * sp.cos(y), "residual"),
        StoredValue(Name("out[1]"), sp.sin(x) + let("slope", x * z) ** 2, "iteration_matrix"),
    ]
    body = lower(outputs, NAMES)
    assert render(body, 1) == [
        "    # shared",
        "    x0 = sin(x)",
        "    # residual",
        "    out[0] = x0*cos(y)",
        "    # iteration_matrix",
        "    slope = x*z",
        "    out[1] = x0 + slope*slope",
    ]
    assert body.operations == 6
    assert body.statements[0] == Assign(Name("x0"), Call("sin", (Name("x"),)), "shared")
    assert body.statements[-1].target == Name("out[1]")
    assert body.temporaries == ("x0", "slope")


def test_errors_name_the_node_and_the_output() -> None:
    with pytest.raises(EmissionError, match=r"output out\[1\].*gamma"):
        lower([StoredValue(Name("out[0]"), x), StoredValue(Name("out[1]"), 1 + sp.gamma(x))], NAMES)


def test_deep_graphs_take_linear_work() -> None:
    def operations(depth: int) -> int:
        expr: sp.Expr = x
        for _ in range(depth):
            expr = Stumpff(1, expr) + h * theta * Stumpff(2, expr)
        return lower([StoredValue(Name("out[0]"), expr)], NAMES).operations

    assert operations(400) - operations(200) == operations(600) - operations(400)
    assert operations(400) < 6 * 400


# The same bytes

SCRIPT = """
import sympy as sp
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.text import render
from nsdgen.emit.tree import Name
from nsdgen.symbolic.expressions.nodes import Branch, Modulo, let
order = {order}
symbols = dict(sorted(((n, sp.Symbol(n, real=True)) for n in order), key=lambda p: p[0]))
a, b, c, d, e = symbols.values()
phase = let("phase", Modulo(a*b + c - d, 2*sp.pi))
value = Branch(sp.sin(phase)*a*b, phase < e, a*b*c - d*e, sp.And(phase < d, c > 0), 0, True)
outputs = [StoredValue(Name(f"out[{{i}}]"), ex, g) for i, (ex, g) in enumerate([
    (value*a*c + sp.exp(-a*b)*(c - d)**4, "one"), (value.diff(a), "two"),
    ((d - c)/sp.sqrt(a**2 + b**2 + c**2)**3, "two")])]
print("\\n".join(render(lower(outputs, {{s: n for n, s in symbols.items()}}))))
"""


@pytest.mark.slow
def test_the_text_depends_on_neither_hash_seed_nor_creation_order() -> None:
    found = set()
    for seed, order in ((0, "abcde"), (4242, "cadbe")):
        script = SCRIPT.format(order=list(order))
        env = {**os.environ, "PYTHONHASHSEED": str(seed)}
        found.add(subprocess.check_output([sys.executable, "-c", script], env=env, text=True))
    assert len(found) == 1


# Random expressions


def _trees() -> st.SearchStrategy[sp.Expr]:
    leaves = st.sampled_from([x, y, z, sp.Integer(2), sp.Rational(1, 3), sp.Float(0.7)])

    def grow(inner: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
        two, three = st.tuples(inner, inner), st.tuples(inner, inner, inner)
        return st.one_of(
            two.map(lambda p: p[0] + p[1]),
            two.map(lambda p: p[0] - p[1]),
            three.map(lambda p: p[0] * p[1] * p[2]),
            two.map(lambda p: p[0] / (p[1] ** 4 + 1)),
            inner.map(sp.sin),
            inner.map(lambda e: let("named", e)),
            inner.map(lambda e: Sign(e) + e),
            three.map(lambda p: Branch(p[0], p[1] < p[2], p[2] * p[1], True)),
            three.map(lambda p: Branch(p[0], x < y, p[1], y < z, p[2], True)),
        )

    return st.recursive(leaves, grow, max_leaves=15)


# Thousandths: a double whose square underflows is no ordinary rounding.
COORDINATE = st.integers(-2000, 2000).map(lambda thousandths: thousandths / 1000)


@settings(max_examples=150, deadline=None)
@given(exprs=st.lists(_trees(), min_size=1, max_size=3), point=st.tuples(*[COORDINATE] * 3))
def test_value(compute, truth, exprs, point) -> None:  # type: ignore[no-untyped-def]
    values = dict(zip((x, y, z), point, strict=True))
    shifted = [expr * h * theta for expr in exprs]
    values |= {h: 0.5, theta: 0.25}
    plain = compute(exprs + shifted, values)
    with mpmath.workdps(40):
        exact = [truth(expr, values) for expr in exprs + shifted]
    near = {x: values[x] + 1e-9, y: values[y] - 2e-9, z: values[z] + 3e-9, h: 0.5, theta: 0.25}
    for got, wanted, expr in zip(plain, exact, exprs + shifted, strict=True):
        # Where a tiny change of the point changes the value much, rounding decides a tie.
        spread = abs(truth(expr, near) - wanted)
        assert abs(got - wanted) <= 1e-9 * (1 + abs(wanted)) + 2 * spread
