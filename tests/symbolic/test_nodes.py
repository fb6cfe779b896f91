"""The nodes: their derivatives against numerical ones, and what they refuse to evaluate."""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy as sp

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff, let, taken_at

x, y = sp.symbols("x y", real=True)


def stumpff(k: Any, s: Any) -> Any:
    return mpmath.nsum(lambda i: (-s) ** int(i) / mpmath.factorial(int(k) + 2 * int(i)), [0, 80])


MEANING = {
    Modulo: lambda a, b: a - b * mpmath.floor(a / b),
    Floor: mpmath.floor,
    Sign: mpmath.sign,
    Stumpff: stumpff,
}


def value(expr: sp.Basic, at: dict[sp.Symbol, Any]) -> Any:
    """By mpmath, node by node."""
    if expr in at:
        return at[expr]
    if isinstance(expr, Let):
        return value(expr.args[1], at)
    if isinstance(expr, Branch):
        pairs = zip(expr.values, expr.conditions, strict=True)
        return next(value(v, at) for v, c in pairs if c == sp.true or value(c, at))
    if isinstance(expr, sp.Rational):
        return mpmath.mpf(expr.p) / expr.q
    args = [value(arg, at) for arg in expr.args]
    if type(expr) in MEANING:
        return MEANING[type(expr)](*args)
    return sp.lambdify(dummies := sp.symbols(f"d:{len(args)}"), expr.func(*dummies), "mpmath")(*args)


@pytest.mark.parametrize(
    "expr",
    [
        Modulo(3 * x + y, 2),
        Modulo(x, 1 + y**2) * x,
        Modulo(sp.exp(x), y),
        Floor(4 * x) * x**2,
        Sign(x - y) * sp.sin(x),
        Branch(x**2, x < y, x * y, True),
        Branch(sp.cos(x), x < 0, sp.sin(x * y), x * 2 < y, x**3, True),
        let("speed", x**2 * y),
        *(Stumpff(k, x * y) for k in range(5)),
        Stumpff(2, -3 * x**2),
    ],
    ids=str,
)
@pytest.mark.parametrize("point", [(0.37, 1.3), (1.21, 0.83), (-0.66, 2.4)])
def test_derivatives(expr: sp.Expr, point: tuple[float, float]) -> None:
    with mpmath.workdps(40):
        base = dict(zip((x, y), map(mpmath.mpf, point), strict=True))
        for symbol in (x, y):
            numerical = mpmath.diff(
                lambda t, s=symbol: value(expr, {**base, s: t}),
                base[symbol],
                h=mpmath.mpf(10) ** -15,
            )
            assert mpmath.almosteq(value(expr.diff(symbol), base), numerical, 1e-12, 1e-12)


def test_the_modulus_is_differentiated_as_well() -> None:
    assert Modulo(x, y).diff(y) == -Floor(x / y)
    assert Modulo(x, 2).diff(x) == 1


def test_stumpff_functions_are_closed_under_differentiation() -> None:
    expr = Stumpff(1, x**2)
    for _ in range(4):
        expr = expr.diff(x)
        functions = expr.atoms(sp.Function)
        assert functions and all(isinstance(f, Stumpff) for f in functions)
        assert not expr.has(sp.Derivative, sp.Subs)
    assert Stumpff(0, x).diff(x) == -Stumpff(1, x) / 2
    assert Stumpff(3, y).diff(x) == 0


def test_arguments_keep_their_grouping() -> None:
    inside = sp.Add(x, sp.Add(y, 1, evaluate=False), evaluate=False)
    assert Modulo(inside, 2).subs(x, x).args[0] == inside
    assert Modulo(sp.Integer(5), 3).func is Modulo


def test_equal_branches_collapse_and_decided_ones_vanish() -> None:
    assert Branch(x, y > 0, x, True) == x
    assert Branch(x, sp.false, y, True) == y
    assert Branch(x, y > 0, y, True, 3, True) == Branch(x, y > 0, y, True)
    assert Branch(x, y > 0, 3 * x, True).diff(y) == 0
    with pytest.raises(TypeError):
        Branch(x, y + 1)


def test_a_let_is_its_value_to_differentiation_but_keeps_its_name() -> None:
    named = let("gap rate", x * y)
    assert named.diff(x) == y
    assert named.free_symbols == {x, y}
    assert named.xreplace({x: y}) == let("gap rate", y**2)


def test_names_tell_the_instants_they_are_taken_at() -> None:
    t, t_k, m = sp.symbols("t t_k m", real=True)
    angle = let("angle", 2 * t)
    moving, fixed = let("height", sp.sin(angle)), let("weight", 9 * m)
    (at,) = taken_at(sp.Matrix([moving * fixed]), {t: t_k}, "k")
    assert at == let("height_k", sp.sin(let("angle_k", 2 * t_k))) * fixed
    assert taken_at(sp.Matrix([t]), {t: t_k}, "k") == sp.Matrix([t_k])


NODES = [let("s", y + 1), Modulo(y, 3), Floor(y), Sign(y), Branch(y, x > 0, 2 * y, True), Stumpff(1, y)]


@pytest.mark.parametrize("node", NODES, ids=str)
def test_sympy_compares_inverts_and_sorts_nodes(node: sp.Expr) -> None:
    """Expressions that were no commutative real numbers raised SymPy's own errors."""
    difference = x - node
    assert (difference < 1).func is sp.StrictLessThan
    assert sp.Max(difference, 0).has(type(node))
    assert sp.Matrix([[difference]]).inv() == sp.Matrix([[1 / difference]])
    assert node.is_commutative and node.is_extended_real and node.is_real and node.is_finite
    assert sp.sqrt(node**2) == sp.Abs(node)
    assert sp.expand((node + 1) * (x - node) - x * node - x + node**2 + node) == 0


def test_nodes_of_what_is_not_known_to_be_real_are_not_either() -> None:
    z = sp.Symbol("z")
    for node in (let("s", z), Modulo(z, 3), Floor(z), Sign(z), Branch(z, x > 0, x, True), Stumpff(1, z)):
        assert node.is_commutative and node.is_real is None
    assert Modulo(x, y).is_extended_real and Modulo(x, y).is_finite is None  # y may be 0


@pytest.mark.parametrize(
    ("node", "number"),
    [
        (Modulo(7, 3), 1),
        (Modulo(-7, 3), 2),
        (Floor(sp.Rational(-5, 2)), -3),
        (Sign(sp.Integer(-4)), -1),
        (let("two", 2), 2),
        (Stumpff(0, sp.Integer(4)), sp.cos(2)),
        (Stumpff(3, sp.Integer(4)), (2 - sp.sin(2)) / 8),
        (Stumpff(2, sp.Integer(-1)), sp.cosh(1) - 1),
    ],
    ids=str,
)
def test_nodes_of_numbers_have_a_value(node: sp.Expr, number: Any) -> None:
    assert float(node) == pytest.approx(float(number), rel=1e-15)
    assert sp.Max(node, -10).evalf(30) == pytest.approx(node.evalf(30))
