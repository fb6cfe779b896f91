"""theta-gamma: residual, outputs and reactions for undefined f, g, h and M, which show where each is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.stages import STEP, T_K, T_NEXT, DiscreteRelation, DiscreteSystem, participant_scheme
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.first_order import first_order_class
from nsdgen.symbolic.relations.relation_class import Participant

from .words import gap, mechanical, output

x, lam = sp.symbols("x lam", real=True)
X_K = own_symbol("state", "x_k")
THETA, GAMMA = own_symbol("run", "theta"), own_symbol("run", "gamma")
M, f, g, out = sp.symbols("M f g out", cls=sp.Function)
h = STEP
TANK = first_order_class("tank", (), (x,), sp.Matrix([[M(NOW, x)]]), sp.Matrix([f(NOW, x)]))
VALVE = output("valve", [Participant(TANK, {})], nsd.Complementarity(), (lam,), [out(NOW, x, lam)], [[g(NOW, x, lam)]])


def discretised(**options: Any) -> tuple[DiscreteSystem, DiscreteRelation]:
    scheme = nsd.ThetaGamma(**options)
    system = scheme.discretise(TANK)
    return system, scheme.discretise_relation(VALVE, [system])


def between(weight: sp.Symbol, new: sp.Expr, old: sp.Expr) -> sp.Expr:
    return weight * new + (1 - weight) * old


def same(a: sp.Matrix, b: sp.Expr) -> bool:
    return sp.expand(a[0] - b) == 0


X_THETA, T_THETA = between(THETA, x, X_K), between(THETA, T_NEXT, T_K)
X_GAMMA, T_GAMMA = between(GAMMA, x, X_K), between(GAMMA, T_NEXT, T_K)


def test_the_residual() -> None:
    """R = M(t_theta, x_theta) (x - x_k) - h theta f(t+, x) - h (1 - theta) f(t_k, x_k)."""
    stage = discretised()[0].stages[0]
    flow = h * THETA * f(T_NEXT, x) + h * (1 - THETA) * f(T_K, X_K)
    assert same(stage.residual, M(T_THETA, X_THETA) * (x - X_K) - flow)
    assert list(stage.start) == [X_K]
    assert list(stage.advance) == [x]


def test_the_midpoint_residual() -> None:
    """R = M(t_theta, x_theta) (x - x_k) - h f(t_theta, x_theta)."""
    stage = discretised(rhs_at="theta")[0].stages[0]
    assert same(stage.residual, M(T_THETA, X_THETA) * (x - X_K) - h * f(T_THETA, X_THETA))


def test_the_residual_with_the_time_of_the_end() -> None:
    """R = M(t_theta, x_theta) (x - x_k) - h f(t+, x_theta)."""
    stage = discretised(rhs_at="x_theta")[0].stages[0]
    assert same(stage.residual, M(T_THETA, X_THETA) * (x - X_K) - h * f(T_NEXT, X_THETA))


def test_what_would_change_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="output_time='end' would change nothing beside relation_at='end'"):
        nsd.ThetaGamma(output_time="end")


def test_a_standard_relation() -> None:
    """y = h(t+, x, lambda), rho = h gamma g(t+, x, lambda) + h (1 - gamma) g_k."""
    relation = discretised()[1]
    stage, (g_k,) = relation.stages[0], relation.memory
    assert same(stage.output, out(T_NEXT, x, lam))
    assert same(stage.reactions[0], h * GAMMA * g(T_NEXT, x, lam) + h * (1 - GAMMA) * g_k)


def test_a_standard_relation_remembers_its_reaction() -> None:
    """m+ = g at the state that the step arrived at."""
    relation = discretised()[1]
    stage, (g_k,) = relation.stages[0], relation.memory
    ((owned, remembered),) = stage.remember
    assert owned == g_k and same(sp.Matrix([remembered]), g(T_NEXT, X_K, lam))
    assert same(stage.observed, out(T_NEXT, X_K, lam))


def test_a_full_relation() -> None:
    """y = h and rho = h g at t_gamma, x_gamma; nothing is remembered, y is observed at t+."""
    relation = discretised(relation_at="gamma")[1]
    stage = relation.stages[0]
    assert relation.memory == () and stage.remember == ()
    assert same(stage.output, out(T_GAMMA, X_GAMMA, lam))
    assert same(stage.reactions[0], h * g(T_GAMMA, X_GAMMA, lam))
    assert same(stage.observed, out(T_NEXT, X_K, lam))


def test_outputs_of_a_full_relation_at_the_end_of_the_step() -> None:
    """y = h(t_next, x_gamma, lambda), the reaction stays at t_gamma."""
    stage = discretised(relation_at="gamma", output_time="end")[1].stages[0]
    assert same(stage.output, out(T_NEXT, X_GAMMA, lam))
    assert same(stage.reactions[0], h * g(T_GAMMA, X_GAMMA, lam))


def test_bounds_are_taken_with_the_output() -> None:
    """A box that moves: its bound at t_gamma, or at t_next."""
    z, mult = dynamicsymbols("z"), nsd.multipliers("lam", 1)
    tank = nsd.FirstOrderSystem("tank", [z], [0])
    held = nsd.FirstOrderRelation("held", mult, [z], {tank: mult}, nsd.Box(-nsd.time, nsd.time))
    for words, weight in (({}, 0.5), ({"output_time": "end"}, 1.0)):
        scheme = nsd.ThetaGamma(gamma=0.5, relation_at="gamma", **words)
        run = nsd.Model("box", [tank], [held], scheme=scheme, step=0.1, end=0.4, initial={z: 10.0}).run()
        assert run["lam"].ravel()[1:] == pytest.approx(-0.1 * (np.arange(4) + weight), rel=1e-12)


def test_relations_of_two_systems() -> None:
    """Each participant at its own x_gamma."""
    scheme = nsd.ThetaGamma(relation_at="gamma")
    names = [{x: sp.Symbol(f"system{i}/x_{i + 1}", real=True)} for i in range(2)]
    a, b = (r[x] for r in names)
    gate = output(
        "gate", [Participant(TANK, r) for r in names], nsd.Equality(), (lam,), [out(a, b)], [[lam], [g(a, b)]]
    )
    seen = [participant_scheme(scheme.discretise(TANK), i, 2) for i in range(2)]
    a_k, b_k = (p.state[0] for p in seen)
    stage = scheme.discretise_relation(gate, seen).stages[0]
    assert len({a, b, a_k, b_k}) == 4
    assert same(stage.output, out(between(GAMMA, a, a_k), between(GAMMA, b, b_k)))
    assert same(stage.reactions[1], h * g(between(GAMMA, a, a_k), between(GAMMA, b, b_k)))


def test_columns_of_a_vector_of_multipliers() -> None:
    """lam0, lam1 are the components of lam, lam0 alone is, too; other names stay as they are."""

    def names(*multipliers: str) -> tuple[str, ...]:
        symbols = sp.symbols(multipliers, real=True)
        relation = output("r", [Participant(TANK, {})], nsd.Equality(), symbols, symbols, [[symbols[0]]])
        scheme = nsd.ThetaGamma()
        return scheme.discretise_relation(relation, [scheme.discretise(TANK)]).stages[0].multiplier_labels.names

    assert names("lam0", "lam1", "lam2") == ("lam[0]", "lam[1]", "lam[2]")
    assert names("i", "v") == ("i", "v")
    assert names("lam1", "lam0") == ("lam1", "lam0")
    assert names("lam0") == ("lam[0]",)
    assert names("lam") == ("lam",)


@pytest.mark.parametrize("option", ["theta", "gamma"])
@pytest.mark.parametrize("value", [-1e-9, 1 + 1e-9, float("nan")])
def test_weights_outside_their_range_are_refused(option: str, value: float) -> None:
    with pytest.raises(ParameterError, match=option):
        nsd.ThetaGamma(**{option: value})


@pytest.mark.parametrize("option", ["relation_at", "rhs_at"])
def test_unknown_choices_are_refused(option: str) -> None:
    with pytest.raises(ParameterError, match=option):
        nsd.ThetaGamma(**{option: "sideways"})


def test_foreign_families_are_refused() -> None:
    u = sp.Symbol("u", real=True)
    ball = mechanical("ball", (x,), (u,), [1], [0])
    with pytest.raises(ModelError, match="'ball'") as caught:
        nsd.ThetaGamma().discretise(ball)
    assert "MoreauJean" in caught.value.fix
    with pytest.raises(ModelError, match="'floor'"):
        nsd.ThetaGamma().discretise_relation(gap("floor", (), nsd.Equality(), [x]), [])
