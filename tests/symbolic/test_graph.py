"""The expression graph against SymPy: values, derivatives, replaced symbols, magnitudes; large energies on it."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.derive.kernel import KernelModule
from nsdgen.derive.systems import derive_system
from nsdgen.emit.module import emit_module
from nsdgen.symbolic.expressions.affine import is_affine
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.jacobian import jacobian, jacobian_along
from nsdgen.symbolic.expressions.mathml import formula
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff, let
from nsdgen.symbolic.graph import computed as graph
from nsdgen.symbolic.graph.computed import Computed, Unsupported, computed, expanded, holds_graph, is_for_graph, stated
from nsdgen.symbolic.graph.node import ONE, add, mul
from nsdgen.symbolic.graph.running_error import evaluate
from nsdgen.symbolic.graph.term_sizes import magnitude

X = sp.symbols("x y z", real=True)
P = sp.symbols("a b", positive=True)
WITH_KINKS = (
    Modulo(X[0] * 2 + X[1], P[0]) * X[2],
    Floor(X[0]) * X[1] + Sign(X[1]) * X[0] ** 2,
    Branch(X[0] ** 2, X[1] > X[2], sp.sin(X[0] * X[1]), sp.true) * X[2],
    let("rate", X[0] * X[1]) + let("rate", X[0] * X[1]) ** 2,
    Stumpff(1, X[0] ** 2 + X[1]) * X[2],
    sp.Abs(X[0]) * X[1],
)


def random_expression(rng: random.Random, depth: int) -> sp.Expr:
    """Sums, products, powers and functions whose values are real and moderate near 1."""
    if depth == 0:
        return rng.choice([*X, *P, sp.Integer(2), sp.Rational(1, 3), sp.pi])
    a, b = (random_expression(rng, depth - 1) for _ in range(2))
    kind = rng.randrange(8)
    return (
        a + b,
        a * b,
        a - 2 * b,
        a / (1 + b**2),
        sp.sin(a) * b,
        sp.exp(-(a**2)) + b,
        sp.sqrt(1 + a**2) * b,
        sp.atan2(a, 1 + b**2),
    )[kind]


def at(expression: sp.Expr, point: dict[sp.Symbol, sp.Rational]) -> mpmath.mpf:
    return mpmath.mpf(sp.N(expanded(expression).xreplace(point).doit(), 50))


def point_of(rng: random.Random) -> dict[sp.Symbol, sp.Rational]:
    return {s: sp.Rational(rng.randrange(20, 180), 100) for s in (*X, *P)}


def close(a: mpmath.mpf, b: mpmath.mpf) -> bool:
    """Equal to 40 of 50 digits."""
    return abs(a - b) <= mpmath.mpf(10) ** -40 * (1 + abs(a) + abs(b))


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in range(5, 12))])
@pytest.mark.few(2)
def test_values_and_derivatives_are_those_of_sympy(seed: int) -> None:
    rng = random.Random(seed)
    expressions = [random_expression(rng, 4) for _ in range(2)]
    values = sp.Matrix([computed(node) for node in stated(expressions)])
    few, many = jacobian(values[:1, :], (*X, *P)), jacobian(sp.Matrix([*values, *values]), (*X, *P))  # reverse, forward
    with mpmath.workdps(50):
        for point in (point_of(rng) for _ in range(2)):
            for i, e in enumerate(expressions):
                assert close(at(values[i], point), at(e, point))
                for j, s in enumerate((*X, *P)):
                    truth = at(e.diff(s), point)
                    assert close(at(many[i, j], point), truth)
                    assert i or close(at(few[0, j], point), truth)


@pytest.mark.parametrize("copies", [1, 8])
def test_derivatives_along_a_field_are_those_by_symbols_times_it(copies: int) -> None:
    """Small values, differentiated along each column, and large ones, whose Jacobian is multiplied."""
    rng = random.Random(copies)
    field = sp.Matrix(3, 2, [X[1], 0, -X[0] / 2, P[0], 0, X[0] * X[1]])
    values = sp.Matrix([*WITH_KINKS, *(random_expression(rng, 4) for _ in range(2 * copies))])
    along = jacobian_along(values, X, field)
    assert is_for_graph(values) == (copies > 1)
    with mpmath.workdps(50):
        point = point_of(rng)
        for i, value in enumerate(values[:10]):
            slopes = [at(e, point) for e in jacobian(sp.Matrix([value]), X)]
            for j in range(2):
                truth = mpmath.fsum(a * at(b, point) for a, b in zip(slopes, field.col(j), strict=True))
                assert close(at(along[i, j], point), truth)


@pytest.mark.parametrize("expression", WITH_KINKS)
def test_kinks_keep_the_derivatives_they_state(expression: sp.Expr) -> None:
    value = sp.Matrix([Computed(stated([expression])[0])])
    truth, reverse = jacobian(sp.Matrix([expression]), X), jacobian(value, X)
    forward = jacobian(sp.Matrix([value[0]] * 3), X)
    rng = random.Random(1)
    for _ in range(6):
        point = {s: q * rng.choice((-1, 1)) for s, q in point_of(rng).items()} | {P[0]: sp.Rational(3, 7)}
        for j in range(3):
            for found in (reverse[0, j], forward[2, j]):
                assert abs(decided(expanded(found), point) - decided(truth[0, j], point)) < 1e-30


def decided(e: sp.Expr, point: dict[sp.Symbol, sp.Rational]) -> sp.Expr:
    """The number, branches taken and steps evaluated."""
    found = e.replace(Let, lambda _, value: value).xreplace(point)
    return sp.N(found.replace(lambda n: isinstance(n, (Modulo, Floor, Sign)), lambda n: n._meaning()), 40)


def test_symbols_are_replaced_everywhere_and_numbers_are_folded() -> None:
    x, y, z = X
    e = sp.sin(x * y) ** 2 + Branch(x, x > y, y, sp.true) * sp.sqrt(z)
    value = 3 * Computed(stated([e])[0]) + x
    for rule in ({x: y + z}, {x: sp.Integer(2), y: sp.Integer(1)}, {z: x**2 + 1, x: z}):
        assert expanded(value.xreplace(rule)) == (3 * e + x).xreplace(rule)
    assert value.free_symbols == {x, y, z} and value.has(y)
    assert not Computed(stated([e])[0]).xreplace({x: sp.Integer(2), y: sp.Integer(1), z: sp.Integer(4)}).free_symbols


def test_powers_of_what_is_computed_are_put_in_order() -> None:
    """SymPy compares the key of a value with that of another's power, part by part."""
    x, y, _ = X
    first, second = (Computed(node) for node in stated([x + sp.sin(y), x * sp.cos(y)]))
    assert len(sp.Mul(first, 1 / second).as_ordered_factors()) == 2


def test_what_is_computed_twice_is_equal_and_the_order_of_operands_does_not_matter() -> None:
    x, y, z = X
    first, second = stated([(x + y) * sp.sin(z), sp.sin(z) * (y + x)])
    assert first == second and Computed(first) == Computed(second)
    assert (Computed(first) - Computed(second)) == 0


def test_arguments_that_decide_ties_stay_as_they_were_written() -> None:
    x, y, z = X
    inside = sp.Add(x, sp.Mul(3, sp.Add(y, z), evaluate=False), evaluate=False)
    node = stated([Floor(inside)])[0]
    assert node.args[0].fixed and expanded(Computed(node)) == Floor(inside)


def test_a_function_without_a_derivative_is_not_for_the_graph() -> None:
    with pytest.raises(Unsupported):
        stated([sp.Integral(X[0], (X[0], 0, X[1]))])


def test_magnitudes_and_affinity_see_what_is_inside() -> None:
    x, y, z = X
    e = P[0] * (x - y) * z + sp.cos(x)
    value = sp.Matrix([computed(stated([e])[0])])
    assert expanded(magnitude(value)[0]) == magnitude(sp.Matrix([e]))[0].doit()
    for other, affine in (
        (x * P[0] + y, True),
        (x * y, False),
        (Floor(x) + y, False),
        (Branch(y, x > 0, z, sp.true), False),
    ):
        column = sp.Matrix([computed(stated([other])[0])])
        assert is_affine(column, jacobian(column, (x, y)), (x, y)) == affine


def chain(n: int) -> nsd.LagrangianSystem:
    """A pendulum of n links from its energies, with damping and a force that knows time."""
    q = dynamicsymbols(f"q1:{n + 1}")
    m, length = sp.symbols("m l", positive=True)
    x = y = kinetic = potential = sp.S.Zero
    for qi in q:
        x, y = x + length * sp.sin(qi), y - length * sp.cos(qi) + sp.sin(nsd.time) / 10
        kinetic += m * (x.diff(nsd.time) ** 2 + y.diff(nsd.time) ** 2) / 2
        potential += m * sp.Rational(981, 100) * y
    return nsd.LagrangianSystem(
        "chain",
        q,
        kinetic=kinetic,
        potential=potential,
        forces=[m * qi for qi in q],
        dissipation=sum(qi.diff() ** 2 for qi in q) * m / 20,
    )


def described(n: int) -> nsd.symbolic.families.system_class.SystemClass:
    system = chain(n)
    model = nsd.Model(
        "m",
        systems=[system],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1e-2,
        parameters=dict.fromkeys(sp.symbols("m l", positive=True), 1.0),
        initial=dict.fromkeys(system.coordinates, 0.1),
    )
    return model.description.system_classes[0]


def test_large_energies_give_the_mass_and_the_forces_that_sympy_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    on_graph = described(4)
    monkeypatch.setattr(graph, "_LARGE", 10**9)
    by_sympy = described(4)
    assert on_graph.terms["force"].values.has(Computed) and not by_sympy.terms["force"].values.has(Computed)
    rng = random.Random(3)
    with mpmath.workdps(50):
        for _ in range(3):
            point = {
                s: sp.Rational(rng.randrange(-200, 200), 100)
                for s in sorted(by_sympy.terms["force"].values.free_symbols, key=str)
            }
            ours, theirs = ({o.name: o for o in cls.operators()} for cls in (on_graph, by_sympy))
            assert list(ours) == list(theirs)
            for name, operator in theirs.items():
                assert ours[name].values.shape == operator.values.shape
                for a, b in zip(ours[name].values, operator.values, strict=True):
                    assert close(at(a, point), at(b, point)), name


@pytest.mark.slow
def test_the_text_does_not_depend_on_hash_seeds() -> None:
    """One process with a seed of its own, and this one."""
    code = "from tests.symbolic.test_graph import hash_of_text; print(hash_of_text())"
    other = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "1"}, text=True, check=True, capture_output=True
    ).stdout.strip()
    assert other == hash_of_text() and len(other) == 16


def hash_of_text() -> str:
    scheme = nsd.MoreauJean()
    derived = derive_system(scheme.discretise(described(4)), [0], scheme.run)
    return emit_module(KernelModule("m", (derived,))).hash


SCHEMES = (
    nsd.MoreauJean(),
    nsd.MoreauJean(mass_at="implicit", gradient_at="predicted"),
    nsd.SchatzmanPaoli(),
    nsd.Variational(),
    nsd.GeneralisedAlpha(),
    nsd.EventDriven(),
    nsd.Rattle(),
    nsd.D1Minus(),
)


def derived(scheme: nsd.schemes.scheme.Scheme) -> list[tuple[str, dict[tuple[int, int], sp.Expr]]]:
    """Every array of every kernel of a double pendulum that may meet a wall, where the scheme knows contacts."""
    system = chain(2)
    q = system.coordinates
    wall = nsd.Contact("wall", sp.sin(q[0]) + sp.sin(q[1]) + 1, nsd.NewtonImpact(sp.Rational(1, 2)))
    smooth = isinstance(scheme, nsd.GeneralisedAlpha)
    model = nsd.Model(
        "m",
        [system],
        [] if smooth else [wall],
        scheme=scheme,
        step=1e-3,
        end=1e-2,
        initial=dict.fromkeys(q, 0.1),
        parameters=dict.fromkeys(sp.symbols("m l", positive=True), 1.0),
    )
    return [
        (f"{cls.name} {k.name} {out.name}", {(i, j): e for i, j, e in out.entries})
        for cls in model.derive().module.classes
        for k in cls.kernels
        for out in k.outputs
    ]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
@pytest.mark.few(3)
def test_every_scheme_derives_the_same_kernels_from_large_energies(
    scheme: nsd.schemes.scheme.Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_sympy = derived(scheme)
    monkeypatch.setattr(graph, "_LARGE", 0)
    on_graph = derived(scheme)
    assert [name for name, _ in on_graph] == [name for name, _ in by_sympy]
    assert any(holds_graph(entries.values()) for _, entries in on_graph)
    rng = random.Random(5)
    symbols = sorted(
        {s for _, entries in by_sympy for e in entries.values() for s in as_expression(e).free_symbols}, key=str
    )
    point = {s: mpmath.mpf(rng.randrange(20, 180)) / 97 for s in symbols}
    for (name, ours), (_, theirs) in zip(on_graph, by_sympy, strict=True):
        if name.endswith("scale"):  # of the terms as they are grouped
            continue
        for at_place in ours.keys() | theirs.keys():
            with mpmath.workdps(30):
                a, b = (
                    evaluate(expanded(as_expression(side.get(at_place, sp.S.Zero))), point) for side in (ours, theirs)
                )
            assert abs(a - b) <= 1e-20 * (1 + abs(a)), (name, at_place)


def test_what_is_for_graph_does_not_depend_on_which_equal_expressions_are_one_object():
    """SymPy's cache, and so all that a process did before, decides that."""
    x = sp.Symbol("x", real=True)
    copies = []
    for _ in range(12):
        clear_cache()
        copies.append(sum(sp.sin(k * x) for k in range(1, 30)))
    assert copies[0] is not copies[1] and copies[0] == copies[1]
    assert not is_for_graph(copies)
    assert is_for_graph([sp.sin(k * x) for k in range(1, 300)])


def test_an_arm_that_is_not_taken_is_not_differentiated_where_it_has_no_value() -> None:
    """In reverse, too: zero times the slope of a root of a negative number is no number."""
    q = dynamicsymbols("q:6")
    s = sum(sp.sin(q[i] * q[i - 1] + i) * sp.exp(-(q[i] ** 2)) + sp.cos(q[i] + 2 * q[i - 2]) for i in range(6))
    inner = nsd.piecewise((sp.exp(-2000 * s), s > 0), (0, True))
    guarded = nsd.piecewise((sp.sqrt(s - 1), s > 1), (s**2, True)) + nsd.piecewise(
        (1 / s, s > 3), (sp.log(s), s > 0), (inner, True)
    ) * sp.Max(q[0], s)

    def force(potential: sp.Expr) -> Any:
        body = nsd.LagrangianSystem("s", q, kinetic=sum(x.diff() ** 2 for x in q), potential=potential)
        model = nsd.Model("arms", [body], scheme=nsd.MoreauJean(), step=1, end=1, initial=dict.fromkeys(q, 1.0))
        return model.compile(interpret=True)["s"].force

    found, low, high = force(guarded), force(s**2), force(sp.sqrt(s - 1) + sp.log(s) * sp.Max(q[0], s))
    value, seen = sp.lambdify(q, s), set()
    for at in np.random.default_rng(0).uniform(-3, 3, (40, 6)):
        if value(*at) < 0 or 1 < value(*at) < 3:
            truth = high if value(*at) > 1 else low
            seen.add(truth)
            np.testing.assert_allclose(found(0.0, at, 0 * at), truth(0.0, at, 0 * at), rtol=1e-9, atol=1e-9)
    assert seen == {low, high}


def test_what_is_too_large_to_write_is_named_and_counted() -> None:
    """A square of a square ... has 2^60 nodes as a tree: its text names its symbols, a formula its operations."""
    x = sp.Symbol("x", real=True)
    (node,) = stated([x + 1])
    for _ in range(60):
        node = mul([node, add([node, ONE])])
    large = computed(node)
    assert str(large) == "computed(x)"
    assert sp.latex(large) == r"\operatorname{computed}\left(x\right)"
    assert f"⟨{large.operations}⟩" in formula(large)
    assert str(computed(stated([sp.sin(x) + 0.10000001])[0])) == "(sin(x) + 0.10000001)"
    exact = sp.Rational(10**7 + 1, 10**8)  # nobody stated a double: it stays what it is
    assert str(computed(stated([sp.sin(x) + exact])[0])) == "(sin(x) + 10000001/100000000)"
    assert f"<mn>{exact.p}</mn><mn>{exact.q}</mn>" in formula(exact)
