"""Kernels as loops: the same numbers as operations written out, in a text whose length does not grow with the size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as ss
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.emit.indices import Loop
from nsdgen.emit.loops import roll
from nsdgen.emit.text import C
from nsdgen.emit.tree import ArrayEntry
from nsdgen.model.pipeline import emit_model

T = nsd.time


def bar(n: int, density: float = 0.0) -> nsd.Model:
    """A bar of n cells that strikes a wall; with a density one whose stiffness couples cells at random, too."""
    rng = np.random.default_rng(n)
    some = ss.random(n, n, density, random_state=1)
    stiffness = ss.diags([[-n * 1.0] * (n - 1), [2.0 * n] * (n - 1) + [n], [-n * 1.0] * (n - 1)], [-1, 0, 1]) + 5 * (
        some + some.T
    )
    load = [sp.sin(T) if i % 3 == 0 else 0 for i in range(n)]
    rod = nsd.LinearMechanicalSystem("bar", ss.diags(rng.uniform(1, 2, n)), stiffness, 0.01 * stiffness, load)
    wall = nsd.Contact("wall", gap=0.1 - rod.q[n - 1], law=nsd.NewtonImpact(0.5))
    return nsd.Model(
        "bar",
        [rod],
        relations=[wall],
        scheme=nsd.MoreauJean(),
        initial={rod.v: rng.uniform(0, 2, n)},
        step=1e-3,
        end=0.3,
    )


def kernels(model: nsd.Model) -> list:
    return [k for cls in model.derive().module.classes for k in cls.kernels]


@pytest.mark.usefixtures("nothing_remembered")
@pytest.mark.parametrize(
    ("n", "density"),
    [(30, 0.0), pytest.param(30, 0.1, marks=pytest.mark.slow), pytest.param(60, 0.05, marks=pytest.mark.slow)],
)
def test_loops_give_the_numbers_of_operations_written_out(n: int, density: float, monkeypatch) -> None:
    model = bar(n, density)
    assert "for (int i = 0" in emit_model(model).text
    rolled = model.run()
    monkeypatch.setattr("nsdgen.emit.module.roll", lambda kernel, names, values=None: None)
    plain = model.compile().run()
    assert np.abs(plain["wall.impulse"]).max() > 0
    # the two sum in different orders: rounding, which an impact does not amplify
    assert np.allclose(rolled["bar.q"], plain["bar.q"], rtol=0, atol=1e-11)


@pytest.mark.slow
def test_the_text_does_not_grow_with_a_regular_pattern() -> None:
    short, long = (
        len([line for line in emit_model(bar(n)).text.splitlines() if line.strip(" 0123456789,};")]) for n in (105, 150)
    )  # the tables of patterns, lines of numbers alone, have as many as there are
    assert abs(long - short) < 20


def test_another_matrix_of_the_same_pattern_has_the_same_text() -> None:
    assert emit_model(bar(60)).text == emit_model(_stiffer(60)).text


def _stiffer(n: int) -> nsd.Model:
    model = bar(n)
    rod = model.systems[0]
    for symbol in rod.numbers:
        rod.numbers[symbol] *= 2
    return model


def test_a_dense_matrix_is_two_loops() -> None:
    n = 20
    plant = nsd.LinearSystem("plant", A=np.random.default_rng(1).uniform(-1, 1, (n, n)))
    model = nsd.Model(
        "plant", [plant], scheme=nsd.ThetaGamma(theta=0.5), initial={plant.x: [1.0] * n}, step=0.01, end=0.5
    )
    text = emit_model(model).text
    assert "for (int j = 0; j < 20; j++) {" in text and "unknown[j]*parameters[20*i+j]" in text
    exact = model.run()["plant.x"]
    from scipy.linalg import expm

    A = np.array([[float(plant.numbers[plant.A[i, j]]) for j in range(n)] for i in range(n)])
    assert np.abs(exact[-1] - expm(0.5 * A) @ np.ones(n)).max() < 1e-2 * np.abs(exact[-1]).max()


@pytest.mark.usefixtures("nothing_remembered")
def test_sines_stand_beside_the_cosines_of_the_same_angles(monkeypatch) -> None:
    """So that compilers find both at once; the forces of a chain of pendulums need each twice."""
    n = 40
    x = dynamicsymbols(f"x1:{n + 1}")
    near = [(x[i - 1], x[i], x[(i + 1) % n]) for i in range(n)]
    rhs = [sp.cos(a) * sp.sin(b) + sp.sin(a) * sp.cos(c) + sp.cos(b) * sp.sin(c) for a, b, c in near]
    model = nsd.Model(
        "ring",
        [nsd.FirstOrderSystem("ring", x, rhs)],
        scheme=nsd.ThetaGamma(),
        step=0.01,
        end=0.1,
        initial={s: i / n for i, s in enumerate(x)},
    )
    lines = emit_model(model).text.splitlines()
    together = [
        i
        for i, (a, b) in enumerate(pairwise(lines))
        if "= cos(" in b and a.strip().split(" ", 2)[2] == b.strip().split(" ", 2)[2].replace("cos", "sin")
    ]
    assert together
    rolled = model.run()["ring.x1"]
    monkeypatch.setattr("nsdgen.emit.module.roll", lambda kernel, names, values=None: None)
    assert np.allclose(rolled, model.compile().run()["ring.x1"], rtol=0, atol=1e-14)


def test_what_has_branches_is_written_out() -> None:
    n = 60
    rod = nsd.LinearMechanicalSystem("bar", np.eye(n), np.eye(n), None, [sp.Max(T, 0.5)] * n)
    model = nsd.Model("bar", [rod], scheme=nsd.MoreauJean(), step=1e-3, end=0.1)
    force = next(k for k in kernels(model) if k.name == "force")
    assert roll(force, {s: f"s{i}" for i, s in enumerate(s for a in force.inputs for s in a.symbols)}) is None


def test_what_has_no_code_is_refused_by_its_place() -> None:
    n = 60
    strange = [sp.Function("strange")(T)] + [0] * (n - 1)
    rod = nsd.LinearMechanicalSystem("bar", np.eye(n), 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1), None, strange)
    with pytest.raises(nsd.errors.NsdgenError, match="strange"):
        nsd.Model("bar", [rod], scheme=nsd.MoreauJean(), step=1e-3, end=0.1).run()


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ((3, 3, 3, 3, 3, 3), "3"),
        ((0, 1, 2, 3, 4, 5), "2*i+j"),
        ((7, 7, 8, 8, 9, 9), "i+7"),
        ((5, 4, 5, 4, 5, 4), "-j+5"),
        ((0, 1, 2, 3, 4, 6), None),
    ],
)
def test_rules_of_places(values: tuple[int, ...], rule: str | None) -> None:
    loop = Loop("i", 3).within("j", [2, 2, 2])
    found = loop.every(values).rule()
    assert (found and C.text(ArrayEntry("a", (found,)))) == (rule and f"a[{rule}]")
