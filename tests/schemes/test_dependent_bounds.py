"""Bounds that depend on states and multipliers, against one-step inclusions solved by bisection."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, SolverError

t = nsd.time
x, v = dynamicsymbols("x v")
(lam,) = nsd.multipliers("lam", 1)
level = sp.Symbol("level")
H = 0.01


def relay(law: nsd.Box, **scheme: object) -> nsd.Trajectory:
    system = nsd.FirstOrderSystem("s", [x], [sp.cos(t)])
    relation = nsd.FirstOrderRelation("r", [lam], [x], {system: [lam]}, law)
    return nsd.Model(
        "m",
        [system],
        [relation],
        scheme=nsd.ThetaGamma(theta=1, **scheme),
        step=H,
        end=4,
        initial={x: 1.5},
        parameters={level: 0.5} if level in _free(law) else {},
    ).run()


def _free(law: nsd.Box) -> set[sp.Basic]:
    return set().union(*(b.free_symbols for b in (*law.lower, *law.upper)))


def inclusion(bound: Callable[[float], float]) -> np.ndarray:
    """x+ = x + h (cos t+ + lam), lam in -bound(x+) Sgn(x+): the zero of an increasing function."""
    states = [1.5]
    for k in range(round(4 / H)):
        target = states[-1] + H * np.cos((k + 1) * H)
        if abs(target) <= H * bound(0.0):
            states.append(0.0)
            continue
        low, high = (0.0, target) if target > 0 else (target, 0.0)
        for _ in range(60):
            middle = (low + high) / 2
            off = middle - target + H * bound(middle) * np.sign(middle)
            low, high = (low, middle) if off > 0 else (middle, high)
        states.append((low + high) / 2)
    return np.array(states)


def test_a_level_that_depends_on_the_state() -> None:
    run = relay(nsd.Relay(level + x**2))
    assert np.abs(run["x"] - inclusion(lambda value: 0.5 + value**2)).max() < 1e-11
    assert (np.abs(run["lam"][:, 0]) <= 0.5 + run["x"] ** 2 + 1e-12).all()
    assert (run["output"] == run["x"]).all() and run.names[:3] == ("s.x", "r.reaction", "r.lam[0]")


def test_a_level_that_depends_on_the_multiplier() -> None:
    """lam >= -(1 + lam / 2) and lam <= 0.8 is the box [-2/3, 0.8]."""
    run, plain = relay(nsd.Box(-1 - lam / 2, 0.8)), relay(nsd.Box(-sp.Rational(2, 3), 0.8))
    assert np.abs(run["x"] - plain["x"]).max() < 1e-13 and np.abs(run["lam"] - plain["lam"]).max() < 1e-11


def test_an_infinite_bound_has_no_row() -> None:
    run = relay(nsd.Box(-1 - x**2, sp.oo))
    assert "r.lam0_below" in run and "r.lam0_above" not in run
    assert run["x"].min() > -1e-13


def test_rows_whose_bounds_do_not_depend_stay_boxes() -> None:
    a, b = nsd.multipliers("m", 2)
    system = nsd.FirstOrderSystem("s", [x, v], [sp.cos(t), sp.sin(t) - v])
    law = nsd.Mixed([nsd.Box(-level, level), nsd.Relay(1 + x**2)])
    relation = nsd.FirstOrderRelation("r", [a, b], [x, v], {system: [a, b]}, law)
    run = nsd.Model(
        "m",
        [system],
        [relation],
        scheme=nsd.ThetaGamma(theta=1),
        step=H,
        end=2,
        initial={x: 1, v: 2},
        parameters={level: 0.5},
    ).run()
    assert [n for n in run.names if n.startswith("r.m")] == ["r.m[0]", "r.m[1]", "r.m1_below", "r.m1_above"]
    assert np.abs(run["m"][:, 0]).max() == 0.5
    sliding = np.abs(run["v"]) > 1e-9
    assert np.abs(np.abs(run["m"][:, 1]) - 1 - run["x"] ** 2)[sliding][1:].max() < 1e-11


def test_the_operators_are_those_of_the_relation_as_written() -> None:
    system = nsd.FirstOrderSystem("s", [x], [sp.cos(t)])
    relation = nsd.FirstOrderRelation("r", [lam], [x - lam], {system: [lam]}, nsd.Relay(1 + x**2))
    compiled = nsd.Model("m", [system], [relation], scheme=nsd.ThetaGamma(), step=H, end=1, initial={x: 0}).compile()
    assert compiled["r"].output(0.0, 3.0, 1.0) == 2 and compiled["r"].output_lambda(0.0, 3.0, 1.0) == -1


@pytest.mark.parametrize("scheme", [{"gamma": 0.5}, {"gamma": 0.5, "relation_at": "gamma"}])
def test_other_forms_of_the_scheme_reach_the_same_motion(scheme: dict[str, object]) -> None:
    fine = inclusion(lambda value: 0.5 + value**2)
    run = relay(nsd.Relay(level + x**2), **scheme)
    assert abs(run["x"][100] - fine[100]) < 0.02


def test_bounds_that_cross_are_said_to_have_no_solution() -> None:
    with pytest.raises(SolverError, match="relation 'r'"):
        relay(nsd.Box(x, -1 - x**2))


def test_a_block_may_bound_its_multipliers_by_samples() -> None:
    """A sliding-mode controller that pushes no harder than it is far off."""
    push, choice = sp.Symbol("push"), nsd.multipliers("choice", 1)
    trolley = nsd.FirstOrderSystem("trolley", [x], [push])
    block = nsd.Sampled(
        "control",
        0.1,
        samples={"s": x},
        multipliers=choice,
        output=[nsd.sampled("s") + nsd.period * choice[0]],
        law=nsd.Relay(sp.Abs(nsd.sampled("s")) / 2),
        holds={push: choice[0]},
    )
    run = nsd.Model(
        "soft", [trolley], scheme=nsd.ThetaGamma(theta=1), step=H, end=2, blocks=[block], initial={x: 1}
    ).run()
    expected = 0.95 ** np.arange(21)
    assert np.abs(run["x"][::10] - expected).max() < 1e-13
    assert "control.choice[0]" in run and "control.choice0_above" in run


def test_hysteresis_by_a_state_gives_the_period_of_the_relaxation_oscillator() -> None:
    """A Schmitt trigger on an RC element: C charges to 1 or 0 between 1/3 and 2/3, T = 2 R C ln 2."""
    high = sp.Symbol("high")
    s = nsd.sampled("s")
    timer = nsd.FirstOrderSystem("rc", [x], [high - x])
    trigger = nsd.Sampled(
        "trigger",
        1e-3,
        samples={"s": x},
        state=[high],
        holds={},
        initial={high: 1},
        update={high: sp.Piecewise((0, s >= sp.Rational(2, 3)), (1, s <= sp.Rational(1, 3)), (high, True))},
    )
    run = nsd.Model(
        "timer", [timer], scheme=nsd.ThetaGamma(theta=0.5), step=1e-3, end=14, blocks=[trigger], initial={x: 0}
    ).run()
    rising = run.time[1:][np.diff(run["high"]) > 0]
    assert len(rising) >= 8
    assert np.diff(rising) == pytest.approx(2 * np.log(2), abs=3e-3)
    assert run["x"][3000:].max() < 2 / 3 + 1e-3 and run["x"][3000:].min() > 1 / 3 - 1e-3


@pytest.mark.parametrize(
    "scheme",
    [nsd.MoreauJean(), nsd.D1Minus(), nsd.Rattle(), nsd.GeneralisedAlpha(), nsd.SchatzmanPaoli()],
    ids=lambda s: s.name,
)
def test_mechanical_schemes_record_the_output_as_it_was_written(scheme: nsd.schemes.scheme.Scheme) -> None:
    """A brake f in -(1 + x^2) Sgn(v) on a unit mass: v^2 = v_0^2 - 2 (x - x_0) - 2 (x^3 - x_0^3) / 3."""
    position = dynamicsymbols("x")
    force = nsd.multipliers("f", 1)
    cart = nsd.LagrangianSystem("cart", [position], kinetic=position.diff() ** 2 / 2)
    brake = nsd.OutputRelation("brake", force, [position.diff()], {cart: force}, nsd.Relay(1 + position**2))
    run = (
        nsd.Model(
            "stop", [cart], [brake], scheme=scheme, step=1e-3, end=0.4, initial={position: 0.1, position.diff(): 1}
        )
        .compile()
        .run()
    )
    x_run, v_run = run["cart.x"], run["cart.x_dot"]
    assert np.abs(v_run**2 - 1 + 2 * (x_run - 0.1) + 2 * (x_run**3 - 1e-3) / 3).max() < 5e-3
    assert np.abs(run["brake.output"][2:] - v_run[2:]).max() < 5e-3


def test_event_driven_says_how_such_a_bound_is_written() -> None:
    """x' = -(1 + x^2) is at rest after arctan x_0: refused as a bound, right to rounding as the message says."""
    system = nsd.FirstOrderSystem("s", [x], [0])

    def stops(push: sp.Expr, law: nsd.Box) -> nsd.Trajectory:
        brake = nsd.FirstOrderRelation("brake", [lam], [x], {system: [push]}, law)
        model = nsd.Model("m", [system], [brake], scheme=nsd.EventDriven(), step=0.1, end=2, initial={x: 1})
        return model.run()

    with pytest.raises(ModelError, match=re.escape("w * lam with nsd.Relay(1)")):
        stops(lam, nsd.Relay(1 + x**2))
    for push, law in (((1 + x**2) * lam, nsd.Relay(1)), (2 * (1 + x**2) * lam - (1 + x**2), nsd.Box(0, 1))):
        run = stops(push, law)
        assert [event.kind for event in run.events] == ["sticks"] and abs(run.events[0].time - np.pi / 4) < 1e-11
        assert abs(run["x"][-1]) < 1e-14


@pytest.mark.parametrize(
    ("relation", "remedy"),
    [
        (lambda: nsd.RateForce("r", x, nsd.Relay(1 + x.diff() ** 2)), "reaction={system: [w * lam, ...]}"),
        (lambda: nsd.Contact("r", v, nsd.NewtonImpactFriction(0, 1 + x**2), tangent=x), "holds={mu: ...}"),
        (lambda: nsd.Contact("r", v, nsd.NewtonImpact(1 / (1 + v.diff() ** 2))), "holds={mu: ...}"),
    ],
)
def test_what_knows_no_states_says_what_does(relation: Callable[[], nsd.Relation], remedy: str) -> None:
    body = nsd.LagrangianSystem("body", [x, v], kinetic=x.diff() ** 2 + v.diff() ** 2)
    with pytest.raises(ModelError, match=re.escape(remedy)):
        nsd.Model("m", [body], [relation()], scheme=nsd.MoreauJean(), step=H, end=1, initial={x: 0, v: 0}).run()
