"""Moreau-Jean: residual, outputs, advance and activation equal the formulas of the method, exactly.

Systems are classes over bare symbols; where a formula holds for any M(q) and F(t, q, v), M and F are undefined
functions, so that the comparison shows where they are evaluated.
"""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError
from nsdgen.schemes.stages import MODE, STEP, T_K, T_NEXT, DiscreteRelation, DiscreteSystem, participant_scheme
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.first_order import first_order_class
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import Participant

from ..derive.truth import evaluate, hamilton
from . import words

x, y, u, w = sp.symbols("x y u w", real=True)
X_K, Y_K, U_K, W_K = (own_symbol("state", f"{s}_k") for s in "xyuw")
THETA, GAMMA = own_symbol("run", "theta"), own_symbol("run", "mass_gamma")
h = STEP


def plain(m: Any) -> Any:
    """Without the names of subexpressions."""
    return m.replace(lambda e: isinstance(e, Let), lambda e: e.args[1])


def same(a: Any, b: Any) -> bool:
    return sp.simplify(plain(sp.Matrix([a])) - plain(sp.Matrix([b]))) == sp.zeros(*sp.Matrix([a]).shape)


def system(mass: Any, force: Any, coordinates: Any = (x,), velocities: Any = (u,)) -> SystemClass:
    return words.mechanical("s", coordinates, velocities, mass, force)


def discretised(cls: SystemClass, **options: Any) -> DiscreteSystem:
    return nsd.MoreauJean(**options).discretise(cls)


def contact(gap: Any, law: Any = None, cls: SystemClass | None = None, **options: Any) -> DiscreteRelation:
    """A gap on one system under the scheme."""
    body = cls or system([[1]], [0])
    law = law or nsd.NewtonImpact(sp.Rational(1, 2))
    relation = words.gap("c", [Participant(body, {})], law, gap)
    scheme = nsd.MoreauJean(**options)
    return scheme.discretise_relation(relation, [scheme.discretise(body)])


# Systems


@pytest.fixture
def oscillator() -> tuple[SystemClass, sp.Matrix, sp.Matrix, sp.Matrix]:
    """M v' = f(t) - K q - C v with full symbolic 2 x 2 matrices."""
    M, C, K = (sp.Matrix(2, 2, sp.symbols(f"{letter}:2:2")) for letter in "MCK")
    q, v = sp.Matrix([x, y]), sp.Matrix([u, w])
    f = sp.Matrix([sp.Function("f")(NOW), 0])
    return system(M, f - K * q - C * v, (x, y), (u, w)), M, C, K


def test_the_iteration_matrix_of_the_linear_oscillator(oscillator: Any) -> None:
    """W = M + h theta C + h^2 theta^2 K."""
    cls, M, C, K = oscillator
    stage = discretised(cls).stages[0]
    assert same(jacobian(stage.residual, stage.unknown), M + h * THETA * C + (h * THETA) ** 2 * K)


def test_the_residual_of_the_linear_oscillator(oscillator: Any) -> None:
    """R = M (v - v_k) + h (K q_theta + C v_theta - f_theta) with q_k+1 = q_k + h v_theta."""
    cls, M, C, K = oscillator
    v, q_k, v_k = sp.Matrix([u, w]), sp.Matrix([X_K, Y_K]), sp.Matrix([U_K, W_K])
    f = sp.Function("f")
    v_theta = THETA * v + (1 - THETA) * v_k
    q_theta = THETA * (q_k + h * v_theta) + (1 - THETA) * q_k
    f_theta = sp.Matrix([THETA * f(T_NEXT) + (1 - THETA) * f(T_K), 0])
    stage = discretised(cls).stages[0]
    assert same(stage.residual, M * (v - v_k) + h * (K * q_theta + C * v_theta - f_theta))
    assert same(stage.advance, sp.Matrix([*(q_k + h * v_theta), *v]))
    assert stage.start == v_k


def test_forces_are_weighted_between_the_ends_of_the_step() -> None:
    """R = m (v - v_k) - h theta F(t+, q(v), v) - h (1 - theta) F(t_k, q_k, v_k), any F."""
    F = sp.Function("F")
    end = X_K + h * (THETA * u + (1 - THETA) * U_K)
    stage = discretised(system([[3]], [F(NOW, x, u)])).stages[0]
    assert same(stage.residual, 3 * (u - U_K) - h * THETA * F(T_NEXT, end, u) - h * (1 - THETA) * F(T_K, X_K, U_K))


def test_a_predicted_mass_is_frozen() -> None:
    """M at q_k + mass_gamma h v_k, filled once per step; its gradient is not in W."""
    M = sp.Function("M")
    stage = discretised(system([[M(x)]], [-x]), mass_at="predicted").stages[0]
    ((frozen, value),) = stage.with_offered(set()).freeze_step
    assert value == M(X_K + GAMMA * h * U_K)
    assert same(jacobian(stage.residual, (u,)), frozen + (h * THETA) ** 2)
    assert x not in stage.residual.free_symbols


def test_an_implicit_mass_keeps_its_gradient() -> None:
    """M at (1 - mass_gamma) q_k + mass_gamma q_k+1: W holds M + mass_gamma theta h M' (v - v_k)."""
    stage = discretised(system([[2 + x**3]], [0]), mass_at="implicit").stages[0]
    there = GAMMA * (X_K + h * (THETA * u + (1 - THETA) * U_K)) + (1 - GAMMA) * X_K
    assert stage.with_offered(set()).freeze_step == ()
    assert same(stage.residual, (2 + there**3) * (u - U_K))
    assert same(jacobian(stage.residual, (u,)), 2 + there**3 + GAMMA * THETA * h * 3 * there**2 * (u - U_K))


def test_a_symmetric_mass_is_frozen_once() -> None:
    """One symbol for M01 and M10, none for zeros; a constant mass is not frozen at all."""
    full = system(
        [[x**2, x * y, 0], [x * y, 1, 0], [0, 0, y]],
        [0, 0, 0],
        (x, y, sp.Symbol("z", real=True)),
        sp.symbols("u v w", real=True),
    )
    stage = discretised(full).stages[0]
    assert [value for _, value in stage.with_offered(set()).freeze_step] == [
        e.xreplace({x: X_K + GAMMA * h * U_K, y: Y_K + GAMMA * h * own_symbol("state", "v_k")})
        for e in (x**2, x * y, sp.Integer(1), y)
    ]
    assert discretised(system([[5]], [-x])).stages[0].with_offered(set()).freeze_step == ()


def test_a_mass_that_is_not_symmetric_is_kept_as_given() -> None:
    """Rows may be scaled: entries that differ from their mirror images have symbols of their own."""
    scaled = system([[x, 2 * x], [0, 1]], [0, 0], (x, y), (u, w))
    stage = discretised(scaled).stages[0]
    predicted = scaled.terms["mass"].values.xreplace({x: X_K + GAMMA * h * U_K})
    assert stage.residual.xreplace(dict(stage.freeze_step)) == predicted * sp.Matrix([u - U_K, w - W_K])


@pytest.mark.parametrize("mass_at", ["predicted", "implicit"])
def test_a_mass_that_depends_on_time(mass_at: str) -> None:
    """Taken where the configuration is: at t_k + mass_gamma (t+ - t_k)."""
    M = sp.Function("M")
    stage = discretised(system([[M(NOW)]], [0]), mass_at=mass_at).stages[0]
    then = M(GAMMA * T_NEXT + (1 - GAMMA) * T_K)
    assert same(stage.residual.xreplace(dict(stage.freeze_step)), then * (u - U_K))


# Bodies


def body_class() -> SystemClass:
    body = nsd.RigidBody("b", 2, sp.diag(1, 2, 3))
    return nsd.Model(
        "m", [body], scheme=nsd.MoreauJean(), step=1, end=2, initial={body.position: [0, 0, 0]}
    ).description.system_classes[0]


def turning(rotation: str) -> tuple[DiscreteSystem, Any, list[sp.Expr], list[sp.Expr]]:
    scheme = discretised(body_class(), rotation=rotation)
    by_label = {s.name.split("/")[-1]: s for s in (*scheme.state, *scheme.cls.symbols)}
    p_k = [by_label[f"p{i}_k"] for i in range(4)]
    spin = [THETA * by_label[f"Omega_{a}"] + (1 - THETA) * by_label[f"Omega_{a}_k"] for a in "xyz"]
    return scheme, by_label, p_k, spin


def unit(p: Any) -> sp.Matrix:
    return sp.Matrix(p) / sp.sqrt(sum(c**2 for c in p))


@pytest.mark.parametrize("rotation", ["nearly_implicit", "semi_implicit"])
def test_a_body_turns_by_t(rotation: str) -> None:
    """p = p_k + h p_bar o (0, Omega_theta) / 2, normalised; p_bar is p_k or, frozen, the last iterate."""
    scheme, _, p_k, spin = turning(rotation)
    stage = scheme.stages[0]
    frozen = [s for s, _ in stage.freeze_iteration][3:]
    at = p_k if rotation == "semi_implicit" else frozen
    moved = [a + h * b / 2 for a, b in zip(p_k, hamilton(at, [0, *spin]), strict=True)]
    assert plain(stage.advance[3:7, :]).expand() == unit([sp.expand(c) for c in moved]).expand()
    if frozen:
        assert [value for _, value in stage.freeze_start] == list(scheme.state[:7])
        assert [value for _, value in stage.freeze_iteration] == list(stage.advance[:7])
        assert not set(frozen) & set(stage.unknown)


def test_a_body_turns_by_the_exponential_map() -> None:
    """p = p_k o exp(h Omega_theta / 2): a constant spin about an axis turns by half of h Omega, exactly."""
    scheme, by_label, p_k, _ = turning("exponential")
    values = dict.fromkeys((*scheme.state, *scheme.cls.group("v"), T_K, T_NEXT), 0.0)
    angle = 0.6
    values |= {p_k[0]: 1.0, by_label["Omega_z"]: angle / 0.01, by_label["Omega_z_k"]: angle / 0.01, h: 0.01, THETA: 0.3}
    turned = [float(evaluate(e, values)) for e in scheme.stages[0].advance[3:7]]
    half = angle / 2
    assert turned == pytest.approx([float(sp.cos(half)), 0, 0, float(sp.sin(half))], abs=1e-15)


def test_a_body_keeps_its_position_update() -> None:
    scheme, by_label, *_ = turning("exponential")
    v, v_k, x_k = (sp.Matrix([by_label[name.format(a)] for a in "xyz"]) for name in ("v_{}", "v_{}_k", "{}_k"))
    assert same(scheme.stages[0].advance[:3, :], x_k + h * (THETA * v + (1 - THETA) * v_k))


def test_initial_quaternions_are_normalised() -> None:
    scheme = discretised(body_class())
    assert plain(scheme.initial[3:7, :]) == unit(scheme.initial_symbols[3:7])


# Contacts


def test_a_rheonomous_gap() -> None:
    """gap x - A sin(w t): u = v - A w cos(w t+), remembered with the gap at the end of the step."""
    A, turn = sp.symbols("A turn", real=True)
    stage = contact([x - A * sp.sin(turn * NOW)]).stages[0]
    (gap_k, rate_k, _), (impulse,) = contact([x]).memory, stage.multiplier
    e = nsd.NewtonImpact(0).slots[0].symbol
    wall = A * turn * sp.cos(turn * T_NEXT)
    assert same(stage.output, u - wall + e * rate_k)
    assert stage.reactions == (sp.Matrix([impulse]),)
    remembered = dict(stage.remember)
    assert same(remembered[gap_k], X_K - A * sp.sin(turn * T_NEXT)) and same(remembered[rate_k], U_K - wall)
    assert gap_k not in stage.output.free_symbols


def test_the_gradient_is_taken_at_the_end_of_the_step() -> None:
    """gap x^2 y: H = (2 x y, x^2) at q_k + h v_theta, in the output and, transposed, in the reaction."""
    cls = system(sp.eye(2), [0, 0], (x, y), (u, w))
    stage = contact([x**2 * y], nsd.Complementarity(), cls).stages[0]
    end = {x: X_K + h * (THETA * u + (1 - THETA) * U_K), y: Y_K + h * (THETA * w + (1 - THETA) * W_K)}
    H = sp.Matrix([[2 * x * y, x**2]]).xreplace(end)
    assert same(stage.output, H * sp.Matrix([u, w]))
    assert same(stage.reactions[0], H.T * stage.multiplier[0])


def test_two_participants() -> None:
    """gap y - x of two systems of one class: u = v_2 - v_1, equal and opposite impulses."""
    cls = system([[1]], [0])
    renamed = [
        {x: sp.Symbol(f"system{i}/x_{i + 1}", real=True), u: sp.Symbol(f"system{i}/u_{i + 1}", real=True)}
        for i in range(2)
    ]
    gap = sp.Matrix([renamed[1][x] - renamed[0][x]])
    relation = words.gap("c", [Participant(cls, r) for r in renamed], nsd.Complementarity(), gap)
    scheme = nsd.MoreauJean()
    seen = [participant_scheme(scheme.discretise(cls), i, 2) for i in range(2)]
    stage = scheme.discretise_relation(relation, seen).stages[0]
    (impulse,) = stage.multiplier
    assert same(stage.output, renamed[1][u] - renamed[0][u])
    assert [list(r) for r in stage.reactions] == [[-impulse], [impulse]]


def test_a_bilateral_constraint_has_rows_and_no_activation() -> None:
    relation = contact([x, x**2 * NOW], nsd.Equality())
    stage = relation.stages[0]
    end = X_K + h * (THETA * u + (1 - THETA) * U_K)
    assert same(stage.output, sp.Matrix([u, 2 * end * T_NEXT * u + end**2]))
    assert relation.always_active and relation.gap is None and stage.activation is None
    assert relation.labels.names == ("gap[0]", "gap[1]", "gap_rate[0]", "gap_rate[1]")


# Activation


def mode(relation: DiscreteRelation, **values: float) -> int:
    """The mode that an activation gives; names are those of memory, run values and the last mode."""
    symbols = relation.stages[0].activation.free_symbols
    found = {s: values[s.name.split("/")[-1]] for s in symbols}
    return int(evaluate(relation.stages[0].activation, found))


@pytest.mark.parametrize(
    ("gap", "rate", "expected"),
    [
        (0.1, -3.0, 1),
        (0.1, -1.0, 0),
        (0.1, -2.0, 1),  # gap + h/2 rate: -0.05, 0.05 and a tie
        (0.0, 0.0, 1),
        (-0.1, 3.0, 0),
        (-0.1, 0.0, 1),
        (0.0, 1e-9, 0),
    ],
)
def test_predicted_activation(gap: float, rate: float, expected: int) -> None:
    """In play where gap + activation_gamma h rate <= slack, what rounding may have opened it by."""
    values = {"gap_rate_k": rate, "activation_gamma": 0.5, "h": 0.1}
    assert mode(contact([x]), gap_k=gap, slack_k=0.0, **values) == expected
    assert mode(contact([x]), gap_k=gap + 1e-12, slack_k=2e-12, **values) == expected


@pytest.mark.parametrize("predicted", [-1.0, 0.5, 1.5, 2.5])
@pytest.mark.parametrize("rate", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("last", [0, 1, 2])
def test_hysteresis(predicted: float, rate: float, last: int) -> None:
    """Out of play it enters at a predicted gap <= 1; in play it leaves where that is > 2 and it separates."""
    relation = contact([x], activation="hysteresis")
    expected = (predicted <= 1) if last == 0 else not (predicted > 2 and rate >= 0)
    assert (
        mode(
            relation,
            gap_k=predicted - 0.5 * rate,
            slack_k=0.0,
            gap_rate_k=rate,
            activation_gamma=0.5,
            h=1.0,
            mode=last,
            activation_gap=1.0,
            deactivation_gap=2.0,
            deactivation_rate=0.0,
        )
        == expected
    )
    assert MODE in relation.stages[0].activation.free_symbols


@pytest.mark.parametrize(
    ("state", "rate", "expected"), [(1.0, -10.0, 1), (1.0, -9.0, 0), (-1.0, 11.0, 0), (0.0, 0.0, 1)]
)
def test_iterated_activation(state: float, rate: float, expected: int) -> None:
    """In play where the gap at the end of the step, q_k + h v_theta, is not positive."""
    relation = contact([x], activation="iterated")
    assert mode(relation, x_k=state, u_k=rate, u=rate, h=0.1, theta=0.5) == expected
    assert nsd.MoreauJean(activation="iterated").stages[0].activation_at == "iteration"


# Options and refusals


def test_run_values_in_order() -> None:
    assert [s.name for s in nsd.MoreauJean().run] == ["run/h", "run/theta", "run/activation_gamma", "run/mass_gamma"]
    longer = nsd.MoreauJean(activation="hysteresis").options
    assert [o.name for o in longer[3:]] == ["activation_gap", "deactivation_gap", "deactivation_rate"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("theta", -0.1),
        ("theta", 1.1),
        *((f"{what}_gamma", value) for what in ("activation", "mass") for value in (-0.1, float("nan"), float("inf"))),
    ],
)
def test_weights_outside_their_range_are_refused(option: str, value: float) -> None:
    """A weight lies in [0, 1]; how far ahead something is predicted may be more than a step."""
    with pytest.raises(ParameterError, match=option):
        nsd.MoreauJean(**{option: value})


@pytest.mark.parametrize("option", ["rotation", "mass_at", "activation"])
def test_unknown_choices_are_refused_with_the_known_ones(option: str) -> None:
    with pytest.raises(ParameterError, match=f"{option}='sideways'") as caught:
        nsd.MoreauJean(**{option: "sideways"})
    assert "use one of" in caught.value.fix


def test_foreign_families_are_refused() -> None:
    tank = first_order_class("tank", (), (x,), sp.eye(1), sp.Matrix([-x]))
    with pytest.raises(ModelError, match="'tank'") as caught:
        nsd.MoreauJean().discretise(tank)
    assert "ThetaGamma" in caught.value.fix
    relation = words.output("valve", (), nsd.Equality(), (x,), [x], ())
    with pytest.raises(ModelError, match="'valve'"):
        nsd.MoreauJean().discretise_relation(relation, [])
