"""Orders of convergence of every mechanical scheme, measured, and the table of them in docs/reference/orders.md."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "orders.md"
SCHEMES = {
    "MoreauJean()": nsd.MoreauJean(),
    "MoreauJean(theta=1)": nsd.MoreauJean(theta=1),
    'MoreauJean(force_at="linear")': nsd.MoreauJean(force_at="linear", gradient_at="predicted"),
    'MoreauJean(force_at="damped")': nsd.MoreauJean(force_at="damped", gradient_at="predicted"),
    'MoreauJean(force_at="explicit")': nsd.MoreauJean(force_at="explicit", gradient_at="predicted"),
    "Rattle()": nsd.Rattle(),
    "SchatzmanPaoli()": nsd.SchatzmanPaoli(),
    "D1Minus()": nsd.D1Minus(),
    "GeneralisedAlpha()": nsd.GeneralisedAlpha(),
}
x, y = dynamicsymbols("x y")
EVENTS = "EventDriven()`, in rtol"
PROBLEMS = ("smooth", "constrained", "with impacts")


@cache
def table() -> dict[str, tuple[str, ...]]:
    """The rows of the page: a scheme and its orders in the three problems."""
    text = PAGE.read_text(encoding="utf-8")
    lines = text.split("| scheme | smooth | constrained | with impacts |")[1].splitlines()[2:]
    rows = [line.strip("|").split("|") for line in lines[: lines.index("")]]
    return {cells[0].strip().strip("`"): tuple(cell.strip() for cell in cells[1:]) for cells in rows}


def smooth(scheme):
    """A driven Duffing oscillator; error of the position after 2 s, in the limit of an independent integrator."""
    oscillator = nsd.LagrangianSystem(
        "o", [x], kinetic=x.diff() ** 2 / 2, potential=x**4 / 4, forces=[sp.cos(2 * nsd.time) - x.diff() / 10]
    )
    exact = solve_ivp(
        lambda t, s: [s[1], -(s[0] ** 3) - s[1] / 10 + np.cos(2 * t)], [0, 2], [1, 0], rtol=1e-12, atol=1e-12
    )
    model = nsd.Model("m", [oscillator], scheme=scheme, step=0.02, end=2, initial={x: 1}).compile()
    return [abs(model.run(step=h)["x"][-1] - exact.y[0, -1]) for h in (0.02, 0.01, 0.005)]


def constrained(scheme):
    """A pendulum in Cartesian coordinates; error of the position after 1 s."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", x**2 + y**2 - 1)
    start = np.arctan2(0.6, 0.8)
    exact = solve_ivp(lambda t, s: [s[1], -9.81 * np.sin(s[0])], [0, 1], [start, 0], rtol=1e-12, atol=1e-12)
    model = nsd.Model("m", [bob], [rod], scheme=scheme, step=0.01, end=1, initial={x: 0.6, y: -0.8}).compile()
    return [abs(model.run(step=h)["x"][-1] - np.sin(exact.y[0, -1])) for h in (0.01, 0.005, 0.0025)]


def with_impacts(scheme):
    """A ball that bounces once; mean error after it, over the remaining time of flight."""
    ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2, potential=10 * x)
    floor = nsd.Contact("floor", gap=x, law=nsd.NewtonImpact(0.8))
    model = nsd.Model("m", [ball], [floor], scheme=scheme, step=0.01, end=1, initial={x: 1}).compile()
    hit = np.sqrt(0.2)
    errors = []
    for h in 0.02 / 2.0 ** np.arange(0, 5, 0.25):
        run = model.run(step=h)
        flight = (run.time > 0.5) & (run.time < 0.95)
        t = run.time[flight] - hit
        errors.append(np.abs(run["x"][flight] - (8 * hit * t - 5 * t**2)).mean())
    half = len(errors) // 2
    return [np.mean(errors[:half]), np.mean(errors[half:])], half * 0.25


def order(errors, halvings):
    return np.log2(errors[0] / errors[-1]) / halvings


def test_the_table_lists_every_scheme():
    assert set(table()) == {*SCHEMES, EVENTS}


@pytest.mark.parametrize("name", SCHEMES)
def test_smooth_motion(name):
    assert order(smooth(SCHEMES[name]), 2) == pytest.approx(float(table()[name][0]), abs=0.15)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.few(3)
def test_constrained_motion(name):
    assert order(constrained(SCHEMES[name]), 2) == pytest.approx(float(table()[name][1]), abs=0.2)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.few(3)
def test_motion_with_impacts(name):
    errors, halvings = with_impacts(SCHEMES[name])
    assert order(errors, halvings) == pytest.approx(float(table()[name][2]), abs=0.4)


def striking(restitution: float, end: float) -> float:
    """Where an oscillator of mass and stiffness 1, let go at 1, is that strikes a wall at -0.3 again and again."""
    hit, speed = np.arccos(-0.3), restitution * np.sqrt(1 - 0.09)
    while hit + (flight := 2 * (np.pi - np.arctan(speed / 0.3))) < end:
        hit, speed = hit + flight, restitution * speed
    return -0.3 * np.cos(end - hit) + speed * np.sin(end - hit)


def test_event_driven_integration_has_errors_in_proportion_to_its_tolerance():
    """The exponent of rtol over six powers of ten; impacts do not change it."""
    oscillator = nsd.LagrangianSystem(
        "o", [x], kinetic=x.diff() ** 2 / 2, potential=x**4 / 4, forces=[sp.cos(2 * nsd.time) - x.diff() / 10]
    )
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    spring = nsd.LagrangianSystem("spring", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2)
    truths = [
        solve_ivp(f, [0, 10], start, rtol=3e-14, atol=1e-15, method="DOP853").y[0, -1]
        for f, start in (
            (lambda t, s: [s[1], -(s[0] ** 3) - s[1] / 10 + np.cos(2 * t)], [1, 0]),
            (lambda t, s: [s[1], -9.81 * np.sin(s[0])], [np.arctan2(0.6, 0.8), 0]),
        )
    ]
    problems = [
        ([oscillator], [], {x: 1}, truths[0]),
        ([bob], [nsd.Bilateral("rod", x**2 + y**2 - 1)], {x: 0.6, y: -0.8}, np.sin(truths[1])),
        ([spring], [nsd.Contact("wall", x + sp.Rational(3, 10), nsd.NewtonImpact(0.8))], {x: 1}, striking(0.8, 10)),
    ]
    tolerances = 10.0 ** -np.arange(4, 10.5, 0.5)
    for (systems, relations, start, exact), wanted in zip(problems, table()[EVENTS], strict=True):
        model = nsd.Model("m", systems, relations, scheme=nsd.EventDriven(), step=1, end=10, initial=start).compile()
        errors = [abs(model.run(options={"rtol": e})["x"][-1] - exact) for e in tolerances]
        assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(float(wanted), abs=0.15)


RULES = ("nearly_implicit", "semi_implicit", "predicted", "theta", "exponential")
INERTIA, SPIN = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])


@cache
def turning():
    """A body under a moment in space for every rule of rotation; one model holds them all."""
    bodies = [
        nsd.RigidBody(rule, 1, sp.diag(1, 2, 3)).apply_moment([0, sp.cos(nsd.time) / 2, 2], frame="inertial")
        for rule in RULES
    ]
    scheme = {b: nsd.MoreauJean(rotation=b.name, newton=nsd.Newton(1e-13)) for b in bodies}
    return nsd.Model(
        "rules",
        bodies,
        scheme=scheme,
        step=1e-2,
        end=1,
        initial={x: v for b in bodies for x, v in ((b.position, [0, 0, 0]), (b.angular_velocity, SPIN.tolist()))},
    ).compile()


def moment(t: float, p: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """I Omega', in the frame of the body."""
    turn = Rotation.from_quat(np.roll(p, -1))
    return turn.inv().apply([0, 0.5 * np.cos(t), 2.0]) - np.cross(omega, INERTIA * omega)


def half_turned(p: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """p o (0, omega) / 2."""
    return np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2


@pytest.mark.parametrize("theta", [0.5, 1.0])
def test_every_rule_of_rotation_has_order_2_with_theta_one_half_and_1_with_1(theta: float) -> None:
    """Against Euler's equations integrated adaptively."""

    def slope(t: float, s: np.ndarray) -> np.ndarray:
        return np.concatenate([half_turned(s[:4], s[4:]), moment(t, s[:4], s[4:]) / INERTIA])

    truth = solve_ivp(slope, (0, 1), [1, 0, 0, 0, *SPIN], rtol=1e-12, atol=1e-12).y[:, -1]
    runs = [turning().run(step=1e-2 / 2**n, options={"theta": theta}) for n in range(3)]
    for rule in RULES:
        errors = [
            np.linalg.norm(np.concatenate([run[f"{rule}.quaternion"][-1], run[f"{rule}.angular_velocity"][-1]]) - truth)
            for run in runs
        ]
        np.testing.assert_allclose(np.log2(errors[1] / errors[2]), 2 if theta == 0.5 else 1, atol=0.1, err_msg=rule)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_of_rotation_solves_its_own_equations(rule: str) -> None:
    """Steps of 50 ms: what the momenta leave, and where T is taken, by the table of its page."""
    h, theta = 0.05, 0.7
    run = turning().run(step=h, options={"theta": theta})
    ps, spins = run[f"{rule}.quaternion"], run[f"{rule}.angular_velocity"]
    for t, p, q, old, new in zip(run.time, ps, ps[1:], spins, spins[1:], strict=False):
        pushed = theta * moment(t + h, q, new) + (1 - theta) * moment(t, p, old)
        np.testing.assert_allclose(INERTIA * (new - old), h * pushed, atol=1e-11)
        mean = theta * new + (1 - theta) * old
        predicted = p + h * half_turned(p, old)
        at = {
            "nearly_implicit": q,
            "semi_implicit": p,
            "theta": theta * q + (1 - theta) * p,
            "predicted": predicted / np.linalg.norm(predicted),
        }.get(rule)
        end = (
            np.roll((Rotation.from_quat(np.roll(p, -1)) * Rotation.from_rotvec(h * mean)).as_quat(), 1)
            if at is None
            else p + h * half_turned(at, mean)
        )
        end = end / np.linalg.norm(end)
        np.testing.assert_allclose(q, end * np.sign(end @ q), atol=1e-11)
