"""The scales of rows: sums of the absolute values of their terms, written with the rows where iterations are tested."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import KernelRole, Quantity
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.tree import Name
from nsdgen.symbolic.expressions.nodes import Branch, Let
from nsdgen.symbolic.graph.computed import computed, expanded, stated
from nsdgen.symbolic.graph.term_sizes import magnitude

X, Y, Z = sp.symbols("x y z", real=True)
P = sp.Symbol("p", positive=True)
SCALES = (Quantity.RESIDUAL_SCALE, Quantity.OUTPUT_SCALE, Quantity.REACTION_SCALE)
ENTRIES = (
    X * Y - 3 * P * Z,
    -P * X * (Y - Z) ** 2 * Z,
    (X - Y) * (Y - Z) * sp.sin(X),
    X**3 - Y**2 + P**-2,
    Let("force", X * Y) - Let("other", X - Y) * Z,
    Branch(X - Y, X > Y, -X * Z, sp.true) * P - Z,
    Branch(-X, X > Y, Y, sp.true) * Z + sp.sqrt(X**2 + 1),
    sp.exp(X - Y) - (P + 1) * X,
    (P + X**2) * Y - 1,
)


def truth(e: sp.Expr, point: dict[sp.Symbol, sp.Rational]) -> sp.Expr:
    """The definition, number by number: sums of absolute terms, products and powers of such sums."""
    if isinstance(e, sp.Add):
        return sum(truth(a, point) for a in e.args)
    if isinstance(e, sp.Mul):
        return sp.prod([truth(a, point) for a in e.args])
    if isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        return truth(e.base, point) ** e.exp
    if isinstance(e, Let):
        return truth(e.args[1], point)
    if isinstance(e, Branch):
        holds = next(i for i, c in enumerate(e.conditions) if c.xreplace(point) == sp.true)
        return truth(e.values[holds], point)
    return abs(e.xreplace(point))


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_a_scale_is_the_sum_of_the_absolute_terms(entry: sp.Expr) -> None:
    (by_sympy,) = magnitude(sp.Matrix([entry]))
    on_graph = expanded(magnitude(sp.Matrix([computed(stated([entry])[0])]))[0])
    rng = random.Random(3)
    for _ in range(20):
        point = {s: sp.Rational(rng.randrange(1 if s == P else -90, 90), 31) for s in (X, Y, Z, P)}
        for found in (by_sympy, on_graph):
            assert abs(sp.N(found.xreplace(point) - truth(entry, point), 40)) < 1e-30


def test_the_terms_of_a_row_are_computed_once() -> None:
    row = P * X * sp.sin(Y) - 3 * Z * sp.cos(Y)
    names = {s: s.name for s in (X, Y, Z, P)}
    (scale,) = magnitude(sp.Matrix([row]))
    alone = lower([StoredValue(Name("R"), row)], names).operations
    both = lower([StoredValue(Name("R"), row), StoredValue(Name("scale"), scale)], names)
    assert both.operations == alone + 3  # two absolute values, one sum


@pytest.mark.parametrize("linear", [True, False])
def test_scales_are_emitted_where_iterations_are_tested(linear: bool) -> None:
    u = dynamicsymbols("u")
    spring = nsd.LagrangianSystem(
        "spring", coordinates=[u], kinetic=u.diff() ** 2 / 2, potential=u**2 if linear else sp.cos(u)
    )
    model = nsd.Model("spring", [spring], scheme=nsd.MoreauJean(), step=0.1, end=1.0, initial={u: 1.0})
    kernels = [k for c in model.derive().module.classes for k in c.kernels]
    written = {k.role for k in kernels for out in k.outputs if out.quantity in SCALES}
    assert written == (set() if linear else {KernelRole.RESIDUAL})
