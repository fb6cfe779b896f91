"""Boxes and relays in the stepper: sliding modes, moving and infinite bounds, mixtures with other rows.

The truth is the step itself written out: x_k+1 = x_free + h W^-1 B lambda with lambda = clip(...) in one dimension,
or the fixed point of the natural map lambda = clip(lambda - rho y) in several.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, v = dynamicsymbols("x v")
low, high, d, w, level, k = sp.symbols("low high d w level k", real=True)
t = nsd.time
H = 1.0 / 64


@pytest.fixture(scope="module")
def relay() -> Any:
    """x' = d cos(w t) + lambda, lambda in [low, high] opposite to x."""
    plant = nsd.FirstOrderSystem("plant", [x], [d * sp.cos(w * t)])
    lam = nsd.multipliers("lam", 1)
    law = nsd.FirstOrderRelation("relay", lam, [x], {plant: lam}, nsd.Box(low, high))
    return nsd.Model(
        "relay",
        [plant],
        [law],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=H,
        end=4.0,
        parameters={low: -1, high: 1, d: 0.0, w: 0.0},
        initial={x: 1.0},
    ).compile()


def steps_of(x0: float, force: np.ndarray, lower: np.ndarray, upper: np.ndarray, h: float) -> tuple[Any, Any]:
    """States and multipliers of the implicit scheme for x' = force + lambda, one clip a step."""
    states, multipliers = [x0], [0.0]
    for f, a, b in zip(force, lower, upper, strict=True):
        free = states[-1] + h * f
        multipliers.append(np.clip(-free / h, a, b))
        states.append(free + h * multipliers[-1])
    return np.array(states), np.array(multipliers)


def test_a_sliding_mode_is_reached_in_finite_time_and_held_without_chattering(relay: Any) -> None:
    run = relay.run(parameters={"d": 0.3}, initial={"plant.x": 0.7})
    arrival = 0.7 / (1 - 0.3)  # x' = 0.3 - 1
    np.testing.assert_allclose(run["plant.x"], np.maximum(0.0, 0.7 - 0.7 * run.time), atol=1e-13)
    held = run.time >= arrival + H
    np.testing.assert_allclose(run["relay.lam[0]"][held], -0.3, rtol=1e-12)
    np.testing.assert_allclose(run["plant.x"][held], 0.0, atol=1e-15)  # an explicit relay would jump by h = 1/64


def test_a_disturbance_that_the_relay_cannot_hold_leaves_the_surface(relay: Any) -> None:
    """d cos(w t) with d > 1: it slides where |d cos| <= 1 and leaves where not, step by step as the scheme has it."""
    run = relay.run(parameters={"d": 1.5, "w": 2.0}, initial={"plant.x": 0.2})
    force = 1.5 * np.cos(2.0 * run.time[1:])
    states, multipliers = steps_of(0.2, force, np.full(256, -1.0), np.full(256, 1.0), H)
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-13)
    np.testing.assert_allclose(run["relay.lam[0]"], multipliers, atol=1e-11)
    assert {-1.0, 1.0} < set(np.round(run["relay.lam[0]"][1:], 12))


@given(x0=st.floats(-2, 2), bounds=st.tuples(st.floats(-3, 3), st.floats(0, 3)), force=st.floats(-3, 3))
@settings(max_examples=50)
def test_bounds_are_parameters_of_a_run(relay: Any, x0: float, bounds: tuple[float, float], force: float) -> None:
    lower, upper = bounds[0], bounds[0] + bounds[1]
    run = relay.run(parameters={"low": lower, "high": upper, "d": force}, initial={"plant.x": x0}, end=32 * H)
    states, multipliers = steps_of(x0, np.full(32, force), np.full(32, lower), np.full(32, upper), H)
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-12)
    # lambda = -x_free / h inherits the rounding of x, divided by h.
    np.testing.assert_allclose(run["relay.lam[0]"], multipliers, atol=1e-10)


def test_bounds_that_move_with_time() -> None:
    plant = nsd.FirstOrderSystem("plant", [x], [d])
    lam = nsd.multipliers("lam", 1)
    law = nsd.FirstOrderRelation("relay", lam, [x], {plant: lam}, nsd.Box(-1 - level * t, sp.sin(w * t)))
    model = nsd.Model(
        "moving",
        [plant],
        [law],
        scheme=nsd.ThetaGamma(),
        step=H,
        end=4.0,
        parameters={d: -0.5, level: 0.25, w: 3.0},
        initial={x: 0.3},
    )
    run = model.run()
    now = run.time[1:]
    states, multipliers = steps_of(0.3, np.full(256, -0.5), -1 - 0.25 * now, np.sin(3 * now), H)
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-13)
    np.testing.assert_allclose(run["relay.lam[0]"], multipliers, atol=1e-11)


def rectifier(law: nsd.Box | nsd.Complementarity, name: str) -> Any:
    """An oscillating circuit discharged by a diode: 0 <= -v + lambda / 2 against lambda >= 0."""
    circuit = nsd.FirstOrderSystem("circuit", [x, v], [v, -x + sp.sin(3 * t)])
    lam = nsd.multipliers("lam", 1)
    diode = nsd.FirstOrderRelation("diode", lam, [lam[0] / 2 - v], {circuit: [0, -lam[0]]}, law)
    return nsd.Model(name, [circuit], [diode], scheme=nsd.ThetaGamma(), step=H, end=8.0, initial={x: 1.0, v: 0.5})


def test_a_box_without_upper_bound_is_a_complementarity() -> None:
    box, complementarity = rectifier(nsd.Box(0, sp.oo), "box").run(), rectifier(nsd.Complementarity(), "diode").run()
    assert 0 < np.count_nonzero(box["diode.lam[0]"]) < 500
    for name in ("circuit.x", "circuit.v", "diode.lam[0]"):
        np.testing.assert_allclose(box[name], complementarity[name], atol=1e-12)


def test_mixed_rows_in_one_relation() -> None:
    """A free row (an equality: the force that holds x - v = 0) beside a relay on x and an endless box on a third."""
    plant = nsd.FirstOrderSystem("plant", [x, v], [d, sp.cos(t)])
    lam = nsd.multipliers("lam", 3)
    law = nsd.Mixed([nsd.Equality(), nsd.Box(-1, 1), nsd.Box(-sp.oo, sp.oo)])
    relation = nsd.FirstOrderRelation(
        "mixed", lam, [x - v, x, lam[2] - 3 * x], {plant: [lam[0] + lam[1], -lam[0]]}, law
    )
    run = nsd.Model(
        "mixed",
        [plant],
        [relation],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=H,
        end=4.0,
        parameters={d: 0.2},
        initial={x: 0.4, v: 0.4},
    ).run()
    # x = v: 2 x' = d + cos(t) + lambda_1, so a relay of half its strength.
    force = (0.2 + np.cos(run.time[1:])) / 2
    states, halves = steps_of(0.4, force, np.full(256, -0.5), np.full(256, 0.5), H)
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-12)
    np.testing.assert_allclose(run["plant.v"], states, atol=1e-12)
    np.testing.assert_allclose(run["mixed.lam"][:, 1], 2 * halves, atol=1e-10)
    np.testing.assert_allclose(run["mixed.lam"][1:, 2], 3 * states[1:], atol=1e-12)


def test_two_relays_that_turn_into_each_other_spiral_into_the_origin() -> None:
    """x' = B lambda with a positive definite, unsymmetric B: one solution a step, reached here by enumeration."""
    lam = nsd.multipliers("lam", 2)
    B = np.array([[2.0, -10.0], [10.0, 2.0]])
    plant = nsd.FirstOrderSystem("plant", [x, v], [0, 0])
    relation = nsd.FirstOrderRelation("relays", lam, [x, v], {plant: sp.Matrix(B) * sp.Matrix(lam)}, nsd.Relay())
    run = nsd.Model(
        "spiral", [plant], [relation], scheme=nsd.ThetaGamma(), step=H, end=4.0, initial={x: 1.0, v: 1.0}
    ).run()
    state = np.array([1.0, 1.0])
    found = np.column_stack([run["plant.x"], run["plant.v"]])
    for row, multiplier in zip(found[1:], run["relays.lam"][1:], strict=True):
        state = state + H * B @ relays_by_enumeration(H * B, state)
        np.testing.assert_allclose(row, state, atol=1e-12)
        state = row
        np.testing.assert_allclose(multiplier, np.clip(multiplier - row, -1, 1), atol=1e-10)
    np.testing.assert_allclose(found[-1], 0.0, atol=1e-13)


def relays_by_enumeration(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """lambda in [-1, 1]^2 with A lambda + b in its normal cone: the best of nine cases."""
    best, least = np.zeros(2), np.inf
    for case in np.ndindex(3, 3):
        sides = np.array(case) - 1
        inside = sides == 0
        z = sides.astype(float)
        if inside.any():
            z[inside] = np.linalg.solve(A[np.ix_(inside, inside)], -(b + A @ z)[inside])
        y = A @ z + b
        off = np.abs(z - np.clip(z - y / np.diag(A), -1, 1)).max()
        if off < least:
            best, least = z, off
    return best


def test_relays_whose_sum_alone_is_determined_hold_the_origin() -> None:
    """Two relays on one state: lambda is not unique, x is, and the sliding mode goes on to the end."""
    lam = nsd.multipliers("lam", 2)
    plant = nsd.FirstOrderSystem("plant", [x], [d])
    relation = nsd.FirstOrderRelation("pair", lam, [x, 2 * x], {plant: [lam[0] + 2 * lam[1]]}, nsd.Relay())
    run = nsd.Model(
        "pair", [plant], [relation], scheme=nsd.ThetaGamma(), step=H, end=4.0, parameters={d: 0.6}, initial={x: 1.0}
    ).run()
    np.testing.assert_allclose(run["plant.x"], np.maximum(0.0, 1 - 2.4 * run.time), atol=1e-13)
    total = run["pair.lam"] @ [1, 2]
    np.testing.assert_allclose(total[run.time > 1 / 2.4 + H], -0.6, rtol=1e-9)


def test_a_twisting_controller_stays_at_the_origin() -> None:
    """Rank one and not symmetric: x'' = -10 Sgn(x) - 3 Sgn(x'), both in boxes; at the origin only rounding is left."""
    lam = nsd.multipliers("lam", 2)
    h, gain, ratio = 0.1, 10, sp.Rational(3, 10)
    plant = nsd.FirstOrderSystem("plant", [x, v], [v, 0])
    # Multipliers (l0, l1 + h l0 / 2) and outputs (x + h v / 2, v): then A is a product of a column and a row.
    relation = nsd.FirstOrderRelation(
        "twisting",
        lam,
        [x + h * v / 2, v],
        {plant: [0, gain * (lam[0] + ratio * (lam[1] + h * lam[0] / 2))]},
        nsd.Relay(),
    )
    run = nsd.Model(
        "twisting", [plant], [relation], scheme=nsd.ThetaGamma(), step=h, end=20.0, initial={x: 10.0, v: 10.0}
    ).run()
    np.testing.assert_allclose(run["plant.v"][1:5], 10 - 10 * (1 + 0.3 * 1.05) * run.time[1:5], rtol=1e-12)
    last = run.time > 10.0
    np.testing.assert_allclose(run["plant.x"][last], 0.0, atol=1e-12)
    np.testing.assert_allclose(run["plant.v"][last], 0.0, atol=1e-12)


def test_a_relay_with_a_nonlinear_output() -> None:
    """y = x + x^3 has the sign of x: Newton's method, and the same motion as the linear relay."""
    plant = nsd.FirstOrderSystem("plant", [x], [d * x])
    lam = nsd.multipliers("lam", 1)
    relation = nsd.FirstOrderRelation("relay", lam, [x + x**3], {plant: lam}, nsd.Relay(level))
    run = nsd.Model(
        "cubic",
        [plant],
        [relation],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=H,
        end=2.0,
        parameters={d: 0.5, level: 2.0},
        initial={x: 1.5},
    ).run()
    states = [1.5]
    for _ in range(128):
        free = states[-1]
        states.append((free - np.clip(free, -2 * H, 2 * H)) / (1 - H / 2))
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-10)
    assert states[-1] == 0.0 and run["plant.x"][-1] == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_a_relay_taken_within_the_step(gamma: float) -> None:
    """relation_at="gamma": y and lambda belong to x_gamma = gamma x + (1 - gamma) x_k."""
    plant = nsd.FirstOrderSystem("plant", [x], [d])
    lam = nsd.multipliers("lam", 1)
    relation = nsd.FirstOrderRelation("relay", lam, [x], {plant: lam}, nsd.Relay())
    run = nsd.Model(
        "inside",
        [plant],
        [relation],
        scheme=nsd.ThetaGamma(gamma=gamma, relation_at="gamma"),
        step=H,
        end=1.0,
        parameters={d: 0.25},
        initial={x: 0.5},
    ).run()
    states = [0.5]
    for _ in range(64):
        last = states[-1]  # gamma (x_k + h (d + l)) + (1 - gamma) x_k in the law
        states.append(last + H * (0.25 + np.clip(-0.25 - last / (gamma * H), -1, 1)))
    np.testing.assert_allclose(run["plant.x"], states, atol=1e-13)
