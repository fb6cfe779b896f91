"""The Schatzman-Paoli scheme: against its recursion in NumPy, and its orders of convergence."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

x, y, z = dynamicsymbols("x y z")
G = 9.81


def drop(h: float, steps: int, **options: object) -> nsd.Trajectory:
    body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model(
        "drop",
        [body],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0.9))],
        scheme=nsd.SchatzmanPaoli(**options),
        step=h,
        end=h * steps,  # type: ignore[arg-type]
        initial={z: 1, z.diff(): 0.5},
    ).run()


@pytest.mark.parametrize("start", ["second_order", "first_order"])
def test_a_bouncing_ball_follows_the_recursion(start: str) -> None:
    """q = max(2 q_k - q_last - h^2 g, -e q_last): the law at position level over two steps."""
    h, steps, v = 5e-3, 300, 0.5
    q, last = 1.0, 1.0 - h * v - (h * h * G / 2 if start == "second_order" else 0.0)
    rows = [(q, v, 0.0)]
    for _ in range(steps):
        free = 2 * q - last - h * h * G
        new = max(free, -0.9 * last)
        rows.append((new, (new - last) / (2 * h), new - free))
        q, last = new, q
    run = drop(h, steps, start=start)
    exact = np.array(rows)
    assert np.abs(run["ball.z"] - exact[:, 0]).max() < 1e-11
    assert np.abs(run["ball.z_dot"] - exact[:, 1]).max() < 1e-11 / (2 * h)  # the same rounding, over 2 h
    assert np.abs(run["floor.impulse"] - exact[:, 2]).max() < 1e-11


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_what_rests_at_the_start_stays_and_has_its_load_at_once(e: float) -> None:
    """A ball on a ball on a floor, under 2 G and G: a_0 holds the forces of closed contacts."""
    balls = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=G * q) for n, q in (("a", y), ("b", z))]
    law = nsd.NewtonImpact(e)
    contacts = [nsd.Contact("floor", y, law), nsd.Contact("between", z - y - 1, law)]
    scheme = nsd.SchatzmanPaoli()
    run = nsd.Model("stack", balls, contacts, scheme=scheme, step=0.01, end=0.1, initial={y: 0, z: 1}).run()
    assert abs(run["y"]).max() < 1e-15 and abs(run["z"] - 1).max() < 1e-15
    for name, load in (("floor", 2 * G), ("between", G)):
        assert abs(run[f"{name}.impulse"][1:] / 1e-4 - load).max() < 1e-9


def test_a_body_that_leaves_or_meets_the_floor_at_the_start_has_no_force_before() -> None:
    """q_1 = max(2 q_0 - q_last - h^2 g, -e q_last) with the free q_last."""
    h = 0.01
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0.5))
    model = nsd.Model("m", [ball], [floor], scheme=nsd.SchatzmanPaoli(), step=h, end=h, initial={z: 0})
    for v in (1.0, -1.0):
        last = -h * v - h**2 * G / 2
        assert model.run(initial={z.diff(): v})["z"][1] == pytest.approx(max(-last - h**2 * G, -last / 2), abs=1e-15)


def test_a_rod_pulls_from_the_first_step_on() -> None:
    """m (g + v^2 / r) at the bottom, to the order of the scheme."""
    h = 1e-3
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)
    rod = nsd.Bilateral("rod", (1 - x**2 - y**2) / 2)
    scheme = nsd.SchatzmanPaoli()
    run = nsd.Model("m", [bob], [rod], scheme=scheme, step=h, end=5 * h, initial={x: 0, y: -1, x.diff(): 1}).run()
    assert abs(run["rod.impulse"][1:] / h**2 - G - 1).max() < 1e-3
    assert abs(run["rod.force_before"][0] - G - 1) < 1e-12


def errors(h: float, **options: object) -> tuple[float, float]:
    """Of position and velocity of an oscillator after two seconds."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2)
    run = nsd.Model(
        "oscillator",
        [mass],
        scheme=nsd.SchatzmanPaoli(**options),
        step=h,
        end=2,  # type: ignore[arg-type]
        initial={x: 1, x.diff(): 0.5},
    ).run()
    c, s = np.cos(2.0), np.sin(2.0)
    return abs(run["mass.x"][-1] - c - s / 2), abs(run["mass.x_dot"][-1] + s - c / 2)


@pytest.mark.parametrize(("options", "order"), [({}, 2), ({"start": "first_order"}, 1), ({"theta": 0.5}, 1)])
def test_orders_in_smooth_motion(options: dict[str, object], order: int) -> None:
    coarse, fine = errors(0.02, **options), errors(0.01, **options)
    assert np.log2(coarse[0] / fine[0]) == pytest.approx(order, abs=0.1)


def test_both_readings_of_the_velocity_are_of_first_order_and_the_backward_one_is_half_as_far_off() -> None:
    """They belong to t_k and to the middle of the step, and are recorded at its end."""
    centred, backward = errors(0.005), errors(0.005, velocity="backward")
    assert errors(0.01)[1] / centred[1] == pytest.approx(2, abs=0.2)
    assert centred[1] / backward[1] == pytest.approx(2, abs=0.2)
    assert centred[0] == backward[0]


def test_a_constraint_holds_at_every_instant() -> None:
    point = nsd.LagrangianSystem("point", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)
    rod = nsd.Bilateral("rod", (x**2 + y**2 - 1) / 2)
    run = nsd.Model(
        "pendulum",
        [point],
        [rod],
        scheme=nsd.SchatzmanPaoli(),
        step=1e-3,
        end=5,
        initial={x: 1, y: 0, x.diff(): 0, y.diff(): 0},
    ).run()
    assert np.abs(run["rod.gap"]).max() < 1e-10
    middle = (run["point.x_dot"][2:] ** 2 + run["point.y_dot"][2:] ** 2) / 2 + G * run["point.y"][1:-1]  # both at t_k
    assert np.abs(middle - middle[0]).max() < 1e-3


def test_what_it_does_not_discretise_is_refused_by_name() -> None:
    body = nsd.RigidBody("body", 1, sp.eye(3))
    with pytest.raises(ModelError, match="SchatzmanPaoli has no discretisation"):
        nsd.Model(
            "m", [body], scheme=nsd.SchatzmanPaoli(), step=0.1, end=1, initial={body.position: [0, 0, 0]}
        ).derive()
    with pytest.raises(ParameterError, match="'centred', 'backward'"):
        nsd.SchatzmanPaoli(velocity="middle")


def damped(**options: object) -> nsd.Trajectory:
    """A driven oscillator, nonlinear in everything; half of its damper is a force element."""
    push = -(x**3) - x.diff() * sp.Abs(x.diff()) / 5 + sp.cos(3 * nsd.time)
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, forces=[push])
    damper = nsd.ForceElement("damper", x, -x.diff() / 10)
    scheme = nsd.SchatzmanPaoli(newton=nsd.Newton(1e-14), **options)  # type: ignore[arg-type]
    return nsd.Model("d", [body], [damper], scheme=scheme, step=0.02, end=2, initial={x: 1, x.diff(): 0.5}).run()


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_forces_at_mean_values_as_the_notes_print_them(theta: float) -> None:
    """q - 2 q_k + q_last = h^2 F(t_theta, q_theta, theta (q - q_last) / 2h + (1 - theta) v_k), in every step."""
    h, run = 0.02, damped(force_at="theta", theta=theta)
    t, q, rate = run.time[1:-1], run["x"], run["x_dot"]
    v = theta * (q[2:] - q[:-2]) / (2 * h) + (1 - theta) * rate[1:-1]
    at = theta * q[2:] + (1 - theta) * q[1:-1]
    force = -(at**3) - v * abs(v) / 5 + np.cos(3 * (t + theta * h)) - v / 10
    assert np.abs(q[2:] - 2 * q[1:-1] + q[:-2] - h**2 * force).max() < 1e-13


@pytest.mark.parametrize("force_at", ["ends", "theta"])
@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_steps_of_an_oscillator_on_a_wall_are_solved_by_hand(theta: float, force_at: str) -> None:
    """W (q - q*) = p, 0 <= q + e q_last orthogonal to p >= 0; ``"theta"``: W = m + h theta c / 2 + h^2 theta k."""
    m, c, k, e, h = 2.0, 0.7, 30.0, 0.6, 1e-2
    load = [-7 * x.diff() / 10 + 5 * sp.sin(3 * nsd.time) - 4]
    body = nsd.LagrangianSystem("body", [x], kinetic=m * x.diff() ** 2 / 2, potential=k * x**2 / 2, forces=load)
    wall = nsd.Contact("wall", x, nsd.NewtonImpact(e))
    scheme = nsd.SchatzmanPaoli(theta=theta, force_at=force_at)
    run = nsd.Model("w", [body], [wall], scheme=scheme, step=h, end=3, initial={x: 0.5, x.diff(): -1}).run()

    def push(t: float, q: float, v: float) -> float:
        return 5 * np.sin(3 * t) - 4 - k * q - c * v

    q, v = 0.5, -1.0
    last, struck = q - h * v + h**2 / 2 * push(0, q, v) / m, 0
    for n, t in enumerate(run.time[:-1]):
        slope = 1 / (2 * h)
        if force_at == "theta":
            W = m + h * theta * c / 2 + h**2 * theta * k
            free = push(t + theta * h, (1 - theta) * q, (1 - theta) * v - theta * last * slope)
        else:
            W = m + h * c / 2 + h**2 * theta * k
            free = theta * push(t + h, 0, -last * slope) + (1 - theta) * push(t, q, -last * slope)
        star = (m * (2 * q - last) + h**2 * free) / W
        end = max(star, -e * last)
        struck += end > star
        last, q, v = q, end, (end - last) * slope
        np.testing.assert_allclose([run["x"][n + 1], run["x_dot"][n + 1]], [q, v], atol=1e-12 / h)
        np.testing.assert_allclose(run["x"][n + 1], q, atol=1e-12)
    assert struck > 5
