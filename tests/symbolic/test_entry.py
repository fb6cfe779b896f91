"""Entry: what a user wrote means the same over real symbols, kinks included, and nobody's symbols are named."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, enter, fresh, matrix, nobodys, own_symbol
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.expressions.time import NOW

from ..derive.truth import evaluate

t = nsd.time
x, y = dynamicsymbols("x y")
a, b = sp.symbols("a b")
A, B, X, Y = (sp.Symbol(name, real=True) for name in "abxy")
SYMBOLS = {a: A, b: B, x: X, y: Y}
POINTS = [(-1.5, 0.25), (0.0, 0.0), (0.0, -2.0), (2.0, 2.0), (3.75, -0.5)]


def entered(expr: Any) -> sp.Expr:
    return enter(expr, SYMBOLS, where="here")


def value(expr: sp.Expr, at_x: float = 0.0, at_y: float = 0.0, at_t: float = 0.0) -> float:
    return float(evaluate(expr, {X: at_x, Y: at_y, A: 2.0, B: 0.5, NOW: at_t}))


# The meaning of functions with kinks


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        (sp.Abs(x), lambda p, q: abs(p)),
        (sp.sqrt(x**2), lambda p, q: abs(p)),
        (sp.sqrt(x**2 * y**4) * x, lambda p, q: abs(p) * q**2 * p),
        (sp.Max(x, y, 1), lambda p, q: max(p, q, 1)),
        (sp.Min(x, 2 * y, a), lambda p, q: min(p, 2 * q, 2)),
        (sp.sign(x - y), lambda p, q: (p > q) - (p < q)),
        (sp.Heaviside(x), lambda p, q: (p > 0) + 0.5 * (p == 0)),
        (sp.Heaviside(x, 1), lambda p, q: float(p >= 0)),
        (sp.Mod(x, 1), lambda p, q: p % 1),
        (sp.Mod(x + y, a), lambda p, q: (p + q) % 2),
        (sp.Mod(x, -a), lambda p, q: p % -2),
        (sp.floor(x / a), lambda p, q: p // 2),
        (sp.ceiling(x), lambda p, q: -(-p // 1)),
        (sp.Piecewise((x, x > y), (-y, True)), lambda p, q: p if p > q else -q),
        (
            sp.Piecewise((1, sp.Eq(x, y)), (2, (x < 0) | (y > 0)), (3, True)),
            lambda p, q: 1 if p == q else 2 if p < 0 or q > 0 else 3,
        ),
    ],
)
def test_kinks_keep_their_meaning(written: sp.Expr, meaning: Any) -> None:
    """Ties included: the points are exact in binary and hit them."""
    assert [value(entered(written), *point) for point in POINTS] == [meaning(*point) for point in POINTS]


def test_nested_kinks() -> None:
    """A Piecewise in a Mod in a condition of a Max in a Piecewise."""
    inner = sp.Mod(sp.Piecewise((x, x > 0), (y, True)), 2)
    written = sp.Piecewise((sp.Max(inner, sp.Abs(y)), inner < 1), (sp.floor(inner), True))

    def meaning(p: float, q: float) -> float:
        inside = (p if p > 0 else q) % 2
        return max(inside, abs(q)) if inside < 1 else inside // 1

    assert [value(entered(written), *point) for point in POINTS] == [meaning(*point) for point in POINTS]


def test_a_condition_on_a_piecewise() -> None:
    """SymPy folds it into an if-then-else of conditions, which keeps its meaning."""
    height = sp.Piecewise((x, x > 0), (y, True))
    written = sp.Piecewise((1, sp.Piecewise((x > 1, x > 0), (y > 0, True))), (0, True))
    for point in POINTS:
        p, q = point
        assert value(entered(written), *point) == ((p > 1) if p > 0 else (q > 0))
        assert value(entered(sp.Piecewise((1, height > 1), (0, True))), *point) == ((p if p > 0 else q) > 1)


def test_a_piecewise_needs_a_last_branch() -> None:
    assert entered(sp.Piecewise((x, x > 0), (0, x <= 0))) == Branch(X, X > 0, 0, True)  # SymPy sees that it is complete
    with pytest.raises(ModelError, match="none of its conditions") as caught:
        entered(sp.Piecewise((x, x > 0), (0, x < 0)))
    assert "True" in caught.value.fix


# Grouping


def test_what_stands_in_a_mod_or_a_condition_is_not_regrouped() -> None:
    """Regrouping decides ties differently in floating point: the arguments stay as written."""
    assert entered(sp.Mod(a * t + sp.pi / 2, 2 * sp.pi)).args == (A * NOW + sp.pi / 2, 2 * sp.pi)
    assert entered(nsd.mod(4 * x, 2 * a)).args == (4 * X, 2 * A)  # SymPy takes out the 2
    branch = entered(nsd.piecewise((1, x - y >= 0), (2, a * (x + b) < a * y), (3, True)))
    assert branch.conditions == (X - Y >= 0, A * (X + B) < A * Y, sp.true)


def test_mods_do_not_merge() -> None:
    """SymPy would write Mod(Mod(x, 4), 2) as Mod(x, 2); two roundings are not one."""
    assert sp.Mod(sp.Mod(x, 4), 2) == sp.Mod(x, 2)
    assert entered(nsd.mod(nsd.mod(x, 4), 2)) == Modulo(Modulo(X, 4), 2)


# Derivatives users take


@pytest.mark.parametrize("now", [0.3, 0.7, 1.2, 2.6])
@pytest.mark.parametrize(
    "written",
    [
        sp.Piecewise((t**3 * a, t < 1), (sp.sin(a * t), t <= 2), (t**4, True)),
        sp.Mod(a * t + b, 3) ** 3,
        sp.Mod(a * t, 1) * sp.sin(sp.Mod(t, a)),
        sp.Abs(t - b) ** 3,
        sp.Abs(sp.sin(a * t)),
        t * sp.sign(t - b),
        sp.floor(a * t) * t**2,
        nsd.let("angle", nsd.mod(a * t, 1)) ** 2,
    ],
)
@pytest.mark.parametrize("order", [1, 2])
def test_time_derivatives_that_users_take(written: sp.Expr, order: int, now: float) -> None:
    """sp.diff of what has kinks equals numerical differentiation away from them, to thirty of forty digits."""
    with mpmath.workdps(40):
        point = {A: mpmath.mpf(2), B: mpmath.mpf("0.55")}
        truth = mpmath.diff(lambda s: evaluate(entered(written), {**point, NOW: s}), now, order)
        derived = evaluate(entered(sp.diff(written, t, order)), {**point, NOW: now})
        assert abs(derived - truth) < mpmath.mpf(10) ** -30


def test_derivatives_with_respect_to_parameters_of_jumps() -> None:
    """d/dt Mod(t, a) = 1 and d/dt sign(t - a) = 0, although SymPy leaves them unevaluated."""
    assert entered(sp.Derivative(sp.Mod(t, a), t)) == 1
    assert entered(sp.Derivative(sp.sign(t - a), t)) == 0


def test_rates_of_kinks_in_coordinates() -> None:
    """d/dt Mod(x, 1) = x', where x' is the velocity of the system."""
    rate = sp.Symbol("rate/x_dot", real=True)
    assert enter(sp.diff(sp.Mod(x, 1), t), {**SYMBOLS, x.diff(t): rate}, where="here") == rate


def test_a_rate_that_cannot_be_taken_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot differentiate") as caught:
        entered(sp.diff(sp.sign(x), t))
    assert "write the time derivative out" in caught.value.fix


def test_roots_of_squares_stay_differentiable() -> None:
    """SymPy differentiates Abs twice into DiracDelta; here the second derivative of |x|^3 is 6 |x|."""
    second = entered(sp.sqrt(x**2) ** 3).diff(X, 2)
    assert [value(second, p) for p, _ in POINTS] == [6 * abs(p) for p, _ in POINTS]


# Strangers


def test_strangers_are_named_together_and_in_order() -> None:
    c, z = sp.Symbol("c"), dynamicsymbols("z")
    with pytest.raises(ModelError, match=r"Derivative\(x\(t\), t\), c, z\(t\): nobody's symbols"):
        entered(z + x.diff() + sp.sin(c) + x)


def test_a_stranger_within_a_substitution_and_outside_is_named_once() -> None:
    k, w, x = sp.symbols("k w x")
    within = sp.Subs(sp.Derivative(sp.Mod(k * w, 1), w, evaluate=False), w, x)
    assert nobodys([within, k, within], {x: x}) == [k]


def test_a_symbol_with_other_assumptions_is_a_stranger() -> None:
    """Symbol('a') and Symbol('a', positive=True) are different to SymPy: never taken for each other."""
    with pytest.raises(ModelError, match="a: nobody's symbol"):
        entered(sp.Symbol("a", positive=True) + x)


@pytest.mark.parametrize(
    "expr",
    [
        sp.Mod(sp.Symbol("c"), 2),
        sp.Piecewise((1, sp.Symbol("c") > 0), (0, True)),
        nsd.let("name", sp.Symbol("c")),
        sp.diff(sp.Mod(sp.Symbol("c") * t, 2), t),
    ],
)
def test_strangers_hide_nowhere(expr: sp.Expr) -> None:
    with pytest.raises(ModelError, match="c: nobody's symbol"):
        entered(expr)


def test_bound_variables_are_no_strangers() -> None:
    """The dummy of the Subs that SymPy makes of d/dt Mod."""
    derivative = sp.diff(sp.Mod(a * t, 2), t)
    assert derivative.has(sp.Subs)
    assert entered(derivative) == A


# Symbols and matrices


def test_fresh_symbols_are_real_and_keep_signs() -> None:
    assert fresh("m", sp.Symbol("m", positive=True)).is_positive
    assert fresh("m", sp.Symbol("m", nonnegative=True)).is_nonnegative
    assert fresh("m", sp.Symbol("m")).is_real and fresh("m", sp.Symbol("m")).is_positive is None
    assert fresh("m", sp.Symbol("m", integer=True)) == sp.Symbol("m", real=True)


def test_own_symbols_equal_no_users_symbol() -> None:
    assert own_symbol("run", "h") not in {sp.Symbol("h"), sp.Symbol("h", real=True)}


def test_shapes_that_are_understood() -> None:
    square = sp.Matrix([[1, 2], [3, 4]])
    assert matrix([[1, 2], [3, 4]], where="w") == matrix(square, where="w") == square
    assert matrix(sp.ImmutableMatrix(square), where="w") == square
    assert matrix(5, where="w") == sp.Matrix([[5]])
    for written in ([1, 2], (1, 2), sp.Matrix([1, 2]), sp.Matrix([[1, 2]]), [[1], [2]], [[1, 2]]):
        assert column(written, where="w", rows=2) == sp.Matrix([1, 2])


@pytest.mark.parametrize("written", [[[1, 2], [3]], "1 +", object()])
def test_what_is_no_matrix_is_refused(written: Any) -> None:
    with pytest.raises(ModelError, match=r"is not (a matrix of expressions|an expression)|is text|different lengths"):
        matrix(written, where="w")


@pytest.mark.parametrize(("written", "rows"), [([1, 2, 3], 2), (sp.eye(2), 2), (1, 2)])
def test_columns_of_the_wrong_length_are_refused(written: Any, rows: int) -> None:
    with pytest.raises(ModelError, match=f"expected {rows}x1"):
        column(written, where="w", rows=rows)


def test_signs_and_floors_are_nodes() -> None:
    assert entered(sp.sign(x)) == Sign(X) and entered(sp.floor(x)) == Floor(X)


@pytest.mark.parametrize(
    "written",
    [
        lambda: sp.Max(x - nsd.let("s", y + 1), 0),
        lambda: sp.Matrix([[x - nsd.let("s", y + 1)]]).inv()[0],
        lambda: sp.Piecewise((x, x - nsd.let("s", y + 1) < 1), (y, True)),
        lambda: nsd.piecewise((x - nsd.let("s", y), x < 1), (nsd.mod(y, 2), True)) * sp.Min(x, nsd.mod(y, 2)),
        lambda: sp.Abs(x * sp.Abs(sp.log(x + 1)) - 1),
        lambda: sp.Heaviside(sp.Abs(x - nsd.let("s", y)) - 1),
    ],
)
@pytest.mark.few(2)
def test_named_and_branched_parts_enter_functions_with_kinks(written) -> None:
    for at in ((0.5, 0.25), (2.0, 3.0), (3.75, -0.5)):
        plain = written().replace(nsd.symbolic.expressions.nodes.Let, lambda name, e: e)
        assert value(entered(written()), *at) == pytest.approx(value(entered(plain), *at), rel=1e-14)


@pytest.mark.parametrize("written", [sp.Abs(sp.sqrt(-1 - x**2)), sp.Max(x, 0) + sp.Abs(y + sp.log(-2))])
def test_what_is_never_real_is_refused_by_name(written) -> None:
    with pytest.raises(ModelError, match=r"no meaning for real numbers|no real number"):
        entered(written)


def test_a_named_mod_is_differentiated_without_substitutions():
    """SymPy's derivative of a Mod is a ``Subs``, which it takes longer to simplify than to derive the model."""
    angle = nsd.let("angle", sp.Mod(a * t + 1, b))
    assert not angle.has(sp.Mod)
    assert not sp.diff(sp.sin(angle) * angle, t, 2).has(sp.Subs, sp.Derivative)
    for now in (0.05, 0.4, 2.2):
        given = sp.Mod(a * t + 1, b)
        for order in (0, 1, 2):
            one, other = (sp.diff(sp.sin(g) * g, t, order) for g in (angle, given))
            assert value(entered(one), at_t=now) == pytest.approx(value(entered(other), at_t=now), rel=1e-13)
