"""The projection of positions onto constraints: minimise (q - q*)^T G (q - q*) / 2 on the linearised constraint."""

from __future__ import annotations

import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.stages import T_NEXT, DiscreteRelation, DiscreteSystem
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.relations.relation_class import Participant

from ..derive.truth import evaluate
from . import words

x, y, u, w = sp.symbols("x y u w", real=True)
X_K, Y_K, U_K, W_K = (own_symbol("state", f"{s}_k") for s in "xyuw")
M = sp.Function("M")
ARM = words.mechanical("arm", (x, y), (u, w), [[M(NOW, x), x], [x, 1]], [0, 0])


def stages(law: Law, gap: sp.Expr, **options: str) -> tuple[DiscreteSystem, DiscreteRelation]:
    scheme = nsd.MoreauJean(projection=nsd.Projection(**options))
    relation = words.gap("c", [Participant(ARM, {})], law, [gap])
    system = scheme.discretise(ARM)
    return system, scheme.discretise_relation(relation, [system])


@pytest.mark.parametrize(("metric", "G"), [
    ("identity", sp.eye(2)), ("mass", sp.Matrix([[M(T_NEXT, X_K), X_K], [X_K, 1]]))])
def test_the_residual_in_both_metrics(metric: str, G: sp.Matrix) -> None:
    """R = G (q - q*), G the identity or the mass matrix at q*; velocities are left alone."""
    stage = stages(nsd.Equality(), x - y, metric=metric)[0].stages[1]
    assert (stage.residual - G * sp.Matrix([x - X_K, y - Y_K])).expand() == sp.zeros(2, 1)
    assert stage.unknown == (x, y)
    assert list(stage.start) == [X_K, Y_K]
    assert list(stage.advance) == [x, y, U_K, W_K]


def test_the_constraint_is_linearised_at_the_last_position() -> None:
    """y = h(t, q*) + H(q*) (q - q*), rho = H(q*)^T lambda."""
    stage = stages(nsd.Equality(), x**2 * y - NOW)[1].stages[1]
    H = sp.Matrix([[2 * X_K * Y_K, X_K**2]])
    expected = X_K**2 * Y_K - T_NEXT + (H * sp.Matrix([x - X_K, y - Y_K]))[0]
    assert sp.expand(stage.output[0] - expected) == 0
    assert stage.reactions == (H.T * stage.multiplier[0],)
    assert stage.cones == ((Cone.EQUALITY, 1),)


@pytest.mark.parametrize("gap", [-2.0, 0.0, 3.0])
def test_what_counts_as_violation(gap: float) -> None:
    """|h| of an equality, the overlap max(-h, 0) of a contact, at the projected position."""
    for law, expected in ((nsd.Equality(), abs(gap)), (nsd.Complementarity(), max(-gap, 0))):
        stage = stages(law, x - NOW)[1].stages[1]
        assert evaluate(stage.violation, {X_K: gap + 0.5, T_NEXT: 0.5}) == expected


def test_the_remembered_rate_is_kept() -> None:
    """The velocity stage remembers (gap, rate); projecting changes the gap only."""
    _, relation = stages(nsd.Complementarity(), x - NOW)
    assert relation.stages[1].remember == ((relation.memory[0], X_K - T_NEXT),)


def test_relations_in_play() -> None:
    """Those of the velocity stage, or all contacts."""
    assert stages(nsd.Complementarity(), x)[1].stages[1].activation is None
    assert stages(nsd.Complementarity(), x, level="all")[1].stages[1].activation == 1
    assert stages(nsd.Equality(), x, level="all")[1].stages[1].activation is None


def test_the_stage_repeats_until_the_violation_is_small() -> None:
    repeat = nsd.MoreauJean(projection=nsd.Projection(tolerance=1e-5, max_iterations=7, on_limit="keep")).stages[1]
    assert [stage.name for stage in repeat.stages] == ["projection"]
    assert (repeat.tolerance, repeat.maximum, repeat.on_limit) == (1e-5, 7, "keep")


@pytest.mark.parametrize("wrong", [{"metric": "taxicab"}, {"level": "some"}])
def test_unknown_choices_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match=f"{next(iter(wrong.values()))}"):
        nsd.Projection(**wrong)


@pytest.mark.parametrize("wrong", [{"tolerance": 0.0}, {"max_iterations": 0}, {"on_limit": "shrug"}])
def test_unusable_repetitions_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="repetition"):
        nsd.MoreauJean(projection=nsd.Projection(**wrong)).stages  # noqa: B018


def test_bodies_are_refused_by_name() -> None:
    body = nsd.RigidBody("cup", 1, sp.eye(3))
    model = nsd.Model("m", [body], scheme=nsd.MoreauJean(projection=nsd.Projection()), step=1, end=2,
                      initial={body.position: [0, 0, 0]})
    with pytest.raises(ModelError, match="'cup'"):
        model.derive()
