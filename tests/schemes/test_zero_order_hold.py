"""Exact integration of linear systems: any step, inputs and matrices that move, reactions, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NonFinite

A = np.array([[0.0, 1.0], [-2.0, -0.3]])
x = dynamicsymbols("x")
t = nsd.time


def run(
    system: Any, relations: Any = (), *, initial: Any, scheme: nsd.ZeroOrderHold | None = None, **options: Any
) -> nsd.Trajectory:
    return nsd.Model(
        "linear",
        [system],
        relations,
        scheme=scheme or nsd.ZeroOrderHold(),
        initial=initial,
        **{"step": 0.1, "end": 3.0, **options},
    ).run()


def scalar(rhs: Any, **options: Any) -> nsd.Trajectory:
    return run(nsd.FirstOrderSystem("s", [x], [rhs]), **{"initial": {x: 1.0}, **options})


@pytest.mark.parametrize("step", [1e-3, 0.1, 1.5])
def test_constant_systems_are_exact_whatever_the_step(step: float) -> None:
    system = nsd.LinearSystem(
        "plant", A, [[0.0], [1.0]], E=[[2.0, 0.5], [0.0, 1.0]], e=[0.1, -0.2], inputs={"u": 2.0}, states=["x", "v"]
    )
    found = run(system, initial={system.x: [1.0, -0.5]}, step=step)
    mass = np.array([[2.0, 0.5], [0.0, 1.0]])
    augmented = np.zeros((3, 3))
    augmented[:2, :2], augmented[:2, 2] = np.linalg.solve(mass, A), np.linalg.solve(mass, [0.1, 1.8])
    seldom = max(1, len(found.time) // 50)  # the exponential of the test takes longer than the step
    instants = list(zip(found.time, found["plant.x"], found["plant.v"], strict=True))
    for time, *state in (*instants[::seldom], instants[-1]):
        assert (scipy.linalg.expm(augmented * time) @ [1.0, -0.5, 1.0])[:2] == pytest.approx(state, abs=1e-13)


def test_another_step_of_a_run_has_its_own_matrices() -> None:
    model = nsd.Model(
        "linear",
        [nsd.FirstOrderSystem("s", [x], [-x])],
        scheme=nsd.ZeroOrderHold(),
        step=0.1,
        end=1.0,
        initial={x: 1.0},
    ).compile()
    for step in (0.1, 0.5, 0.25):
        assert model.run(step=step)["x"][-1] == pytest.approx(np.exp(-1.0), rel=1e-15)


def test_parameters_of_a_run_have_their_own_matrices() -> None:
    a = sp.Symbol("a")
    model = nsd.Model(
        "linear",
        [nsd.FirstOrderSystem("s", [x], [-a * x])],
        scheme=nsd.ZeroOrderHold(),
        step=0.1,
        end=1.0,
        initial={x: 1.0},
        parameters={a: 1.0},
    ).compile()
    assert [model.run(parameters={"a": v})["x"][-1] for v in (1.0, 2.0)] == pytest.approx(np.exp([-1.0, -2.0]))


def order(rhs: Any, solution: float, **options: float) -> float:
    """log2 of how much smaller the error is with half the step."""
    errors = [
        abs(scalar(rhs, step=h, end=1.0, scheme=nsd.ZeroOrderHold(**options))["x"][-1] - solution) for h in (0.02, 0.01)
    ]
    return float(np.log2(errors[0] / errors[1]))


@pytest.mark.parametrize(("theta", "expected"), [(0.5, 2), (1.0, 1), (0.0, 1)])
def test_the_order_with_an_input_that_moves(theta: float, expected: int) -> None:
    """x' = -x + cos t."""
    solution = (np.cos(1.0) + np.sin(1.0)) / 2 + 0.5 * np.exp(-1.0)
    assert order(-x + sp.cos(t), solution, theta=theta) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("at", "expected"), [(0.5, 2), (1.0, 1), (0.0, 1)])
def test_the_order_with_a_matrix_that_moves(at: float, expected: int) -> None:
    """x' = -(1 + cos t) x."""
    assert order(-(1 + sp.cos(t)) * x, np.exp(-1.0 - np.sin(1.0)), matrices_at=at) == pytest.approx(expected, abs=0.1)


def test_a_mass_that_moves() -> None:
    """(1 + t) x' = -x: x = 1 / (1 + t)."""
    system = nsd.FirstOrderSystem("s", [x], [-x], mass=[[1 + t]])
    assert run(system, initial={x: 1.0}, step=1e-3)["x"][-1] == pytest.approx(0.25, rel=1e-6)


def relay(law: Any, rhs: Any, output: Any, **options: Any) -> nsd.Trajectory:
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [rhs])
    relation = nsd.FirstOrderRelation("r", lam, [output(lam[0])], {system: lam}, law)
    return run(system, [relation], **{"initial": {x: 1.0}, **options})


@pytest.mark.parametrize(
    "scheme", [nsd.ZeroOrderHold(), nsd.ZeroOrderHold(gamma=0.5), nsd.ZeroOrderHold(gamma=0.7, relation_at="gamma")]
)
def test_a_saturated_relay_is_exact_until_it_switches(scheme: nsd.ZeroOrderHold) -> None:
    """x' = -x - 1, as long as x > 0: x = 2 exp(-t) - 1, whatever gamma."""
    found = relay(nsd.Relay(1), -x, lambda lam: x, scheme=scheme, end=0.6)
    assert found["x"] == pytest.approx(2 * np.exp(-found.time) - 1, abs=1e-14)


def test_a_relay_slides() -> None:
    """x' = x / 2 + cos(t) / 3 - sgn x: once at zero it stays there, lambda = -cos(t) / 3 - x / 2 averaged by theta."""
    found = relay(
        nsd.Relay(1), x / 2 + sp.cos(t) / 3, lambda lam: x, scheme=nsd.ZeroOrderHold(theta=1.0), end=6.0, step=0.01
    )
    late = found.time > 5
    assert abs(found["x"][late]).max() < 1e-14
    assert found["lam"].ravel()[late] == pytest.approx(-np.cos(found.time[late]) / 3, abs=1e-12)


def test_complementarity_holds_at_the_end_of_the_step_or_at_gamma() -> None:
    """x' = -1 + lambda, 0 <= x perp lambda >= 0."""
    for scheme, at in ((nsd.ZeroOrderHold(), 1.0), (nsd.ZeroOrderHold(gamma=0.6, relation_at="gamma"), 0.6)):
        found = relay(nsd.Complementarity(), sp.Integer(-1), lambda lam: x, scheme=scheme)
        state = found["x"]
        between = at * state[1:] + (1 - at) * state[:-1]
        assert between.min() > -1e-14 and abs(between * found["lam"].ravel()[1:]).max() < 1e-14
        assert found["lam"].ravel()[-1] == pytest.approx(1.0)


def test_gamma_one_half_is_of_second_order() -> None:
    """x' = -x + lambda, lambda = cos 3 t + x."""
    errors = []
    solution = np.sin(3.0) / 3 + 1.0
    for step in (0.02, 0.01):
        found = relay(
            nsd.Equality(),
            -x,
            lambda lam: lam - sp.cos(3 * t) - x,
            step=step,
            end=1.0,
            scheme=nsd.ZeroOrderHold(gamma=0.5),
        )
        errors.append(abs(found["x"][-1] - solution))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_two_systems_have_their_own_gains() -> None:
    """Joined by a spring force: the sum of what they get is what one loses and the other gains."""
    lam, y = nsd.multipliers("lam", 1), dynamicsymbols("y")
    left, right = nsd.FirstOrderSystem("left", [x], [-x]), nsd.FirstOrderSystem("right", [y], [-3 * y])
    joined = nsd.FirstOrderRelation("joined", lam, [x - y], {left: [-lam[0]], right: lam}, nsd.Equality())
    found = nsd.Model(
        "two", [left, right], [joined], scheme=nsd.ZeroOrderHold(), step=1e-3, end=1.0, initial={x: 1.0, y: 1.0}
    ).run()
    assert found["x"] == pytest.approx(found["y"], abs=1e-14)
    assert found["x"][-1] == pytest.approx(np.exp(-2.0), rel=2e-3)  # (x + y)' = -(x + 3 y)


@pytest.mark.parametrize("rhs", [-(x**3), -sp.Max(x, 0), -sp.sign(x), sp.floor(x)])
def test_what_is_not_affine_is_refused_by_name(rhs: sp.Expr) -> None:
    with pytest.raises(ModelError, match="system 's': the equation of x is not affine in the states"):
        scalar(rhs)


def test_a_mass_of_the_state_is_refused() -> None:
    with pytest.raises(ModelError, match="its mass depends on the states"):
        run(nsd.FirstOrderSystem("s", [x], [-x], mass=[[1 + x**2]]), initial={x: 1.0})


def test_a_singular_mass_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"mass matrix is singular: the equation of x\[1\] has no derivative"):
        run(nsd.LinearSystem("p", -np.eye(2), E=np.ones((2, 2))), initial={})


def test_a_mass_that_becomes_singular_ends_the_run() -> None:
    with pytest.raises(NonFinite):
        run(nsd.FirstOrderSystem("s", [x], [-x], mass=[[1 - sp.floor(2 * nsd.time)]]), initial={x: 1.0})


def test_mechanical_systems_are_refused() -> None:
    with pytest.raises(ModelError, match="ZeroOrderHold"):
        run(nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2), initial={x: 1.0})


def test_matrices_of_constants_are_computed_once_in_a_run() -> None:
    """The kernel that freezes them reads run values and parameters only, so that W and A are those of the run."""
    compiled = nsd.Model(
        "linear",
        [nsd.FirstOrderSystem("s", [x], [-x])],
        scheme=nsd.ZeroOrderHold(),
        step=0.1,
        end=1.0,
        initial={x: 1.0},
    ).compile()
    assert "out frozen 2x1; completed by nsd_hold; depends: run" in compiled.text
    assert "nsd_hold(1, out[0]);" in compiled.text


@pytest.mark.parametrize(("step", "between"), [(0.1, "refuse"), (0.02, "refuse"), (0.07, "cut")])
def test_an_open_input_held_by_a_block_is_the_sampled_system(step: float, between: str) -> None:
    """x_{k+1} = Phi x_k + Gamma_1 u_k between the instants, u_k = 5 (1 - y_k), whatever the step."""
    system = nsd.LinearSystem("plant", A, [[0.0], [1.0]], [[1.0, 0.0]], states=["x", "v"], inputs=["u"], outputs=["y"])
    block = nsd.Sampled(
        "control", 0.1, samples={"e": 1 - system.y[0]}, holds={system.u[0]: 5 * nsd.sampled("e")}, between=between
    )
    found = nsd.Model("loop", [system], scheme=nsd.ZeroOrderHold(), step=step, end=2.0, blocks=[block]).run()
    last = np.flatnonzero(found.time < 2.0 + 1e-9)[-1]
    augmented = np.zeros((3, 3))
    augmented[:2, :2], augmented[1, 2] = A, 1.0
    discrete, state = scipy.linalg.expm(augmented * 0.1), np.zeros(2)
    for _ in range(20):
        state = discrete[:2, :2] @ state + discrete[:2, 2] * 5 * (1 - state[0])
    assert [found["plant.x"][last], found["plant.v"][last]] == pytest.approx(state.tolist(), abs=1e-12)
