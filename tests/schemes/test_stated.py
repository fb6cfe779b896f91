"""What a scheme or law of one's own states wrongly is said at once: where, what, and what to do."""

from dataclasses import dataclass

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NsdgenError
from nsdgen.extend import STEP, T_NEXT, Law, Scheme

x = dynamicsymbols("x")
TANK = nsd.FirstOrderSystem("tank", [x], [-x])


@dataclass(frozen=True)
class Euler(Scheme):
    """Right; every scheme below spoils one statement."""

    def system(self, step):
        w, x_k = step.unknown("x"), step.state("x_k")
        self.stated(step, w, x_k)
        self.advanced(step, w)

    def stated(self, step, w, x_k):
        step.residual(w - x_k - STEP * step.term("rhs", step.at(T_NEXT, x=w)))

    def advanced(self, step, w):
        step.advance(x_k=w)

    def relation(self, step):
        step.multiplier()
        step.output(step.term("output", step.end))
        step.reaction(*(STEP * g for g in step.reactions(step.end)))


def spoilt(**methods):
    return dataclass(frozen=True)(type("Spoilt", (Euler,), methods))()


def model(scheme, law=None):
    lam = nsd.multipliers("lam", 1)
    wall = nsd.FirstOrderRelation("wall", lam, [x], {TANK: lam}, law or nsd.Complementarity())
    return nsd.Model("m", [TANK], [wall], scheme=scheme, step=0.1, end=1, initial={x: 1})


CASES = {
    "no advance": ({"advanced": lambda self, step, w: None}, "the state 'x_k' is never advanced"),
    "long advance": (
        {"advanced": lambda self, step, w: step.advance(x_k=[w[0], w[0]])},
        r"advance\(x_k=...\) has 2 entries, expected 1",
    ),
    "other state": ({"advanced": lambda self, step, w: step.advance(z_k=w)}, "there is no state 'z_k'"),
    "no such group": ({"stated": lambda self, step, w, x_k: step.state("q_k")}, "there is no group 'q', only x"),
    "no size": ({"stated": lambda self, step, w, x_k: step.state("slope")}, "there is no group 'slope', only x"),
    "rows of R": ({"stated": lambda self, step, w, x_k: step.residual([1, 2])}, "1 unknowns and 2 rows of R"),
    "nothing": ({"relation": lambda self, step: 7}, "nothing is stated of it"),
    "wide reaction": (
        {"relation": lambda self, step: (step.multiplier(), step.output([x_of(step)]), step.reaction([1, 2]))},
        "the reaction on participant 1 has 2 entries, expected 1",
    ),
    "reactions": (
        {"relation": lambda self, step: (step.multiplier(), step.output([x_of(step)]), step.reaction([1], [2]))},
        "2 reactions on 1 participants",
    ),
    "idle memory": (
        {"relation": lambda self, step: (step.memory("g"), Euler.relation(self, step))},
        "the memory 'g' is never filled",
    ),
    "long memory": (
        {"relation": lambda self, step: (step.memory("g"), step.remember(g=[1, 2]))},
        r"remember\(g=...\) has 2 entries, expected 1",
    ),
}


def x_of(step):
    return step.participants[0].unknown[0]


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_meant_is_refused(name):
    methods, text = CASES[name]
    with pytest.raises(NsdgenError, match=text) as caught:
        model(spoilt(**methods)).derive()
    assert caught.value.where and caught.value.fix


@pytest.mark.parametrize(
    ("rows", "natural", "text"),
    [
        (lambda self, u, u_k: None, None, "rows"),
        (lambda self, u, u_k: [u[0], u[0]], None, r"rows\(...\) of the law Own has 2 entries, expected 1"),
        (lambda self, u, u_k: u, lambda self, y, m: [y[0], m[0]], r"natural_map\(...\) of the law Own has 2 entries"),
    ],
)
def test_laws_of_the_wrong_shape(rows, natural, text):
    own = type("Own", (Law,), {"rows": rows, **({"natural_map": natural} if natural else {})})()
    with pytest.raises(NsdgenError, match=text):
        model(Euler(), own).derive()


@pytest.mark.parametrize(
    "maximum", [sp.Max, lambda a, b: (a + b + sp.Abs(a - b)) / 2, lambda a, b: sp.Piecewise((a, a >= b), (b, True))]
)
def test_kinks_of_a_natural_map_are_those_that_are_documented(maximum):
    """lambda = max(lambda - y, 0), written in three ways, is complementarity."""
    own = type("Own", (Law,), {"natural_map": lambda self, y, m: [m[0] - maximum(m[0] - y[0], 0)]})()
    pushed = nsd.FirstOrderSystem("tank", [x], [-1])
    lam = nsd.multipliers("lam", 1)
    runs = [
        nsd.Model(
            "m",
            [pushed],
            [nsd.FirstOrderRelation("wall", lam, [x], {pushed: lam}, law)],
            scheme=Euler(),
            step=0.1,
            end=1.0,
            initial={x: 0.45},
        ).run()
        for law in (own, nsd.Complementarity())
    ]
    assert abs(runs[0]["tank.x"] - runs[1]["tank.x"]).max() < 1e-12
    assert abs(runs[0]["lam"] - runs[1]["lam"]).max() < 1e-9 and runs[0]["lam"][-1] > 0.9
