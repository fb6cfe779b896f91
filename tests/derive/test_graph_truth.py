"""Every derived array of every example and committed package is what SymPy's own differentiation gives.

The truth is ``Expr.diff`` on the expanded expression, node by node as SymPy and the nodes of nsdgen state it; neither
the graph nor nsdgen's walk over trees enters. Small entries are compared exactly, by expansion; where that does not
end at zero, at random points with fifty digits. SymPy differentiates paths, of which large entries have too many: their
truth is a central difference of the undifferentiated entry, at eighty digits.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from random import Random
from typing import Any

import mpmath
import pytest
import sympy as sp

from nsdgen.abi import KernelRole
from nsdgen.derive.kernel import Input, Kernel, KernelClass
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.computed import expanded, holds_graph

from ..example_models import FOLDER, QUICK, load
from .test_kernels_truth import Pair, linearized, operators
from .truth import evaluate

EXAMPLES = sorted(p.stem for p in FOLDER.rglob("*.py") if "\nmodel = " in p.read_text())
NAMES = (*QUICK, "dzhanibekov", "passive_walker")  # the last two compute on the graph
SMALL, LARGE = 40, 200
"""Different operations up to which an entry is expanded, and beyond which SymPy does not differentiate it."""


def classes(name: str) -> tuple[KernelClass, ...]:
    return load(name).model.derive().module.classes


def pairs(name: str) -> Iterator[tuple[str, Kernel, Pair]]:
    """Every derivative with what it is the derivative of."""
    for cls in classes(name):
        by_name = {k.name: k for k in cls.kernels}
        for k in cls.kernels:
            found = operators(k, by_name) if k.role == KernelRole.OPERATOR else linearized(k)
            yield from ((f"{name} / {cls.name} / {k.name}", k, pair) for pair in found)


def plain(e: Any) -> sp.Expr:
    """In SymPy's operations throughout, without names."""
    whole = expanded(sp.sympify(e))
    known: dict[int, sp.Basic] = {}  # each shared part once: SymPy's `replace` walks the tree, which may be endless
    for node in below([whole], lambda e: e.args, key=id):
        args = tuple(known[id(a)] for a in node.args)
        if isinstance(node, Let):
            known[id(node)] = args[1]
        else:
            known[id(node)] = node if all(map(operator.is_, args, node.args)) else node.func(*args)
    return known[id(whole)]


def point(inputs: tuple[Input, ...], rng: Random) -> dict[sp.Symbol, mpmath.mpf]:
    """Numbers with all digits: positive ones for what may be a parameter, others of both signs."""
    return {
        s: mpmath.mpf(rng.randrange(1, 10**9)) / 10**9 * (1 if s.is_positive else rng.choice((-1, 1)))
        for a in inputs
        for s in a.symbols
    }


def check(where: str, k: Kernel, pair: Pair, rng: Random, points: int, most: int) -> None:
    """Compare up to ``most`` entries, chosen at random, those that are left out as zero included."""
    derived, base, wrt = pair
    entries = {(i, j): e for i, j, e in derived.entries}
    places = [(i, j, e) for i, _, e in base.entries for j in range(len(wrt))]
    for i, j, e in rng.sample(places, min(most, len(places))):
        ours, whole = plain(entries.get((i, j), 0)), plain(e)
        if operations([whole]) > LARGE:
            check_by_difference((where, i, j), ours, whole, wrt[j], point(k.inputs, rng))
            continue
        theirs = whole.diff(wrt[j])
        difference = ours - theirs
        if difference == 0 or (operations([difference]) <= SMALL and sp.expand(difference) == 0):
            continue
        with mpmath.workdps(50):
            for at in (point(k.inputs, rng) for _ in range(points)):
                a, b = evaluate(ours, at), evaluate(theirs.doit(), at)
                assert abs(a - b) <= mpmath.mpf(10) ** -38 * (1 + abs(a)) or (mpmath.isnan(a) and mpmath.isnan(b)), (
                    where,
                    i,
                    j,
                )


def operations(values: list[sp.Expr]) -> int:
    """How many different operations expressions are made of."""
    return sum(1 for e in below(values, lambda e: e.args, key=id) if e.args)


def check_by_difference(where: Any, ours: sp.Expr, whole: sp.Expr, symbol: sp.Symbol, at: dict[Any, Any]) -> None:
    """The derivative against a central difference with a step of 1e-20, whose error is its square."""
    with mpmath.workdps(80):
        step = mpmath.mpf(10) ** -20
        high, low = (evaluate(whole, {**at, symbol: at[symbol] + side * step}) for side in (1, -1))
        truth = (high - low) / (2 * step)
        assert abs(evaluate(ours, at) - truth) <= mpmath.mpf(10) ** -32 * (1 + abs(truth)), where


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.few(4)
def test_some_derivatives_of_every_package_are_those_of_sympy(name: str) -> None:
    rng = Random(name)
    chosen = list(pairs(name))
    for where, k, pair in rng.sample(chosen, min(12, len(chosen))):
        check(where, k, pair, rng, points=2, most=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_derivatives_of_all_examples_are_those_of_sympy(name: str) -> None:
    for where, k, pair in pairs(name):
        check(where, k, pair, Random(where), points=10, most=16)  # of every array, at random


def test_the_graph_is_among_what_was_compared() -> None:
    assert any(holds_graph(e for *_, e in pair[0].entries) for _, _, pair in pairs("dzhanibekov"))
    assert any(holds_graph(e for *_, e in pair[0].entries) for _, _, pair in pairs("passive_walker"))
