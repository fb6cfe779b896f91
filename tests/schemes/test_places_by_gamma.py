"""Where Moreau-Jean takes what, for every gamma of the documented table: each moves one thing, as a recursion says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

x, y = dynamicsymbols("x y")
H, STEPS, E = 0.02, 75, 0.5
K, F = np.diag([1.0, 0.0]), np.array([0.0, -9.81])
GAMMAS = [0.0, 0.5, 1.0, 1.5]
DEFAULTS = {"mass_gamma": 0.5, "gradient_gamma": 0.5, "gap_gamma": 1.0, "activation_gamma": 0.5}


def mass(q: np.ndarray) -> np.ndarray:
    return np.diag([1 + q[0] ** 2, 1.0])


def gap(q: np.ndarray) -> float:
    return float(q[1] - q[0] ** 2 / 2)


def gradient(q: np.ndarray) -> np.ndarray:
    return np.array([-q[0], 1.0])


@cache
def bowl(**more: object) -> CompiledModel:
    """A mass that varies falls into a bowl on a spring; every gamma is a run value."""
    body = nsd.LagrangianSystem("body", [x, y], mass=[[1 + x**2, 0], [0, 1]], internal=[x, 0], external=[0, -9.81])
    contact = nsd.Contact("bowl", gap=y - x**2 / 2, law=nsd.NewtonImpact(E))
    return nsd.Model(
        "b",
        [body],
        [contact],
        step=H,
        end=STEPS * H,
        initial={x: 1, y: 1, x.diff(): -0.3},
        scheme=nsd.MoreauJean(**{"gap_at": "predicted", "gradient_at": "predicted", **more}),
    ).compile()


def step(q: np.ndarray, v: np.ndarray, M: np.ndarray, normal: np.ndarray, before: float, active: bool) -> np.ndarray:
    """The w with M (w - v) = h/2 (F - K q) + h/2 (F - K (q + h (v + w) / 2)) + normal p."""
    W = M + H**2 / 4 * K
    free = np.linalg.solve(W, M @ v + H * (F - K @ q) - H**2 / 4 * K @ v)
    unit = np.linalg.solve(W, normal)
    return free + active * unit * max(0.0, -(normal @ free + E * before) / (normal @ unit))


def recursion(mass_at: str = "predicted", **gammas: float) -> np.ndarray:
    """Every quantity at its own place; what is implicit by fixed point iteration to rounding."""
    at = {**DEFAULTS, **gammas}
    q, v, rows = np.array([1.0, 1.0]), np.array([-0.3, 0.0]), []
    for _ in range(STEPS):
        there = q + at["gap_gamma"] * H * v
        before = gradient(there) @ v
        normal = gradient(q + at["gradient_gamma"] * H * v)
        M = mass(q + at["mass_gamma"] * H * v)

        active = gap(there) + at["activation_gamma"] * H * before <= 0
        w = step(q, v, M, normal, before, active)
        for _ in range(100 if mass_at == "implicit" else 0):
            w = step(q, v, mass(q + at["mass_gamma"] * H * (v + w) / 2), normal, before, active)
        q, v = q + H * (v + w) / 2, w
        rows.append([*q, *v])
    return np.array(rows)


def agree(run: nsd.Trajectory, expected: np.ndarray) -> None:
    found = np.column_stack([run[name] for name in ("x", "y", "x_dot", "y_dot")])[1:]
    assert np.abs(found - expected).max() < 1e-11 and (run["impulse"] > 0).sum() > 3


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("option", DEFAULTS)
def test_each_gamma_moves_one_thing(option: str, gamma: float) -> None:
    agree(bowl().run(options={option: gamma}), recursion(**{option: gamma}))


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.few(2)
def test_the_mass_along_the_step_that_is_made(gamma: float) -> None:
    """``mass_at="implicit"``: at q_{k+gamma} = (1 - gamma) q_k + gamma q_{k+1}, of the step that is solved for."""
    model = bowl(mass_at="implicit", newton=nsd.Newton(1e-14))
    agree(model.run(options={"mass_gamma": gamma}), recursion("implicit", mass_gamma=gamma))


def test_activation_at_the_start_of_a_step_and_at_the_predicted_configuration() -> None:
    """y(q_k) <= 0, and y(q_k + gamma h v_k) <= 0: both with activation_gamma = 0."""
    for gamma in (0.0, 0.5):
        values = {"activation_gamma": 0.0, "gap_gamma": gamma}
        agree(bowl().run(options=values), recursion(**values))


def test_activation_inside_the_loop() -> None:
    """``activation="iterated"``: y <= 0 at any iterate, from q_k + h v_k on; gradients are those of the end."""
    model = bowl(activation="iterated", gap_at="end", gradient_at="implicit", newton=nsd.Newton(1e-14))
    q, v, rows = np.array([1.0, 1.0]), np.array([-0.3, 0.0]), []
    for _ in range(STEPS):
        before, M = gradient(q) @ v, mass(q + H * v / 2)
        w = step(q, v, M, gradient(q), before, False)
        if min(gap(q + H * v), gap(q + H * (v + w) / 2)) <= 0:
            for _ in range(100):
                w = step(q, v, M, gradient(q + H * (v + w) / 2), before, True)
        q, v = q + H * (v + w) / 2, w
        rows.append([*q, *v])
    agree(model.run(), np.array(rows))
