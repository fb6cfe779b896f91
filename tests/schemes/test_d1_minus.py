"""The D1-minus scheme: against its recursion in NumPy, against an ODE solution, and at rest."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

from ..conformance.slider_crank import a, b, c, corners, crank

x, y, z = dynamicsymbols("x y z")
G = 9.81


def ball(law: nsd.Law, level: str, height: float, step: float, end: float, rest: str = "settles") -> nsd.Trajectory:
    body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    scheme = nsd.D1Minus(level=level, rest=rest)
    return nsd.Model(
        "drop",
        [body],
        [nsd.Contact("floor", z, law)],
        scheme=scheme,
        step=step,
        end=end,
        initial={z: height, z.diff(): 0},
        allow_penetration=True,
    ).run()


def recursion(e: float, height: float, h: float, steps: int, level: str) -> np.ndarray:
    """One contact of a unit mass, in the words of the scheme: columns q, v, p."""
    q, v, rows = height, 0.0, [(height, 0.0, 0.0)]
    for _ in range(steps):
        shut = q <= 1e-8 and v <= 1e-8
        right = max(0.0, -v / h) if level == "velocity" and shut else 0.0 if shut else -G
        if shut and level == "velocity":
            right = max(-G, -v / h)
        after, first = q + h * v + h * h * right / 2, v + h * right
        left = -G
        if q <= 1e-8 and after <= 1e-8 and first <= 1e-8:
            left = 0.0 if level == "acceleration" else max(-G, -v / h - right)
        q, minus = after, v + h * (right + left) / 2
        p = max(0.0, -(1 + e) * minus) if q <= 1e-8 else 0.0
        v = minus + p
        rows.append((q, v, p))
    return np.array(rows)


def test_a_bouncing_ball_follows_the_recursion() -> None:
    run = ball(nsd.NewtonImpact(0.9), "acceleration", 1.0, 5e-4, 5.0, "bounces")
    own = np.column_stack([run["ball.z"], run["ball.z_dot"], run["floor.impulse"]])
    assert np.abs(own - recursion(0.9, 1.0, 5e-4, 10000, "acceleration")).max() < 1e-12


@pytest.mark.parametrize("level", ["acceleration", "velocity"])
def test_a_ball_at_rest_is_carried_by_a_force_not_by_impulses(level: str) -> None:
    run = ball(nsd.NewtonImpact(0), level, 0.0, 1e-3, 0.1)
    assert np.abs(run["ball.z"]).max() == 0
    assert np.abs(run["floor.force_right"][1:] - G).max() < 1e-10
    assert np.abs(run["floor.impulse"]).max() == 0


def pendulum(level: str, h: float) -> nsd.Trajectory:
    """A point on a rod of length 1: a constraint whose gradient turns, so that dH/dt matters."""
    point = nsd.LagrangianSystem("point", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)
    rod = nsd.Bilateral("rod", (x**2 + y**2 - 1) / 2)
    return nsd.Model(
        "pendulum",
        [point],
        [rod],
        scheme=nsd.D1Minus(level=level),
        step=h,
        end=1.0,
        initial={x: sp.sin(1).evalf(), y: -sp.cos(1).evalf(), x.diff(): 0, y.diff(): 0},
        allow_penetration=True,
    ).run()


def test_a_constrained_motion_is_of_second_order() -> None:
    """Against the angle's own equation, integrated to 1e-12."""
    exact = solve_ivp(lambda t, s: [s[1], -G * np.sin(s[0])], (0, 1), [1.0, 0.0], rtol=1e-12, atol=1e-12).y[0, -1]
    errors = [
        abs(np.arctan2(run["point.x"][-1], -run["point.y"][-1]) - exact)
        for run in (pendulum("acceleration", h) for h in (4e-3, 2e-3, 1e-3))
    ]
    assert np.log2(errors[0] / errors[1]) > 1.8 and np.log2(errors[1] / errors[2]) > 1.8
    assert errors[-1] < 1e-4


def test_an_elastic_bar_hits_a_wall_with_one_impulse() -> None:
    """A chain of masses and springs on velocity and acceleration level: the same until it rests on the wall."""
    n, q = 5, dynamicsymbols("q:5")
    k = 1e4
    strain = sum((a - b) ** 2 for a, b in pairwise(q))
    bar = nsd.LagrangianSystem("bar", q, kinetic=sum(a.diff() ** 2 for a in q) / 2, potential=k * strain / 2)
    wall = nsd.Contact("wall", q[0], nsd.NewtonImpact(0))
    initial = {**dict.fromkeys(q, 1e-3), **{a.diff(): -0.1 for a in q}}
    runs = [
        nsd.Model(
            "bar",
            [bar],
            [wall],
            scheme=nsd.D1Minus(level=level),
            step=1e-4,
            end=0.2,
            initial=initial,
            allow_penetration=True,
        ).run()
        for level in ("acceleration", "velocity")
    ]
    for run in runs:
        first = int(np.flatnonzero(run["wall.impulse"])[0])
        assert run["wall.impulse"][first] == pytest.approx(0.1, rel=1e-3)  # of the first mass alone
        before = first - 2
        momentum = sum(run[f"bar.q{i}_dot"][before] for i in range(n))
        assert momentum == pytest.approx(-0.1 * n, rel=1e-12)
    assert np.abs(runs[0]["bar.q0"] - runs[1]["bar.q0"]).max() < 1e-5


def test_what_it_does_not_discretise_is_refused_by_name() -> None:
    body = nsd.RigidBody("body", 1, sp.eye(3))
    with pytest.raises(ModelError, match="D1Minus has no discretisation"):
        nsd.Model("m", [body], scheme=nsd.D1Minus(), step=0.1, end=1, initial={body.position: [0, 0, 0]}).derive()


def test_a_constraint_holds_while_an_impact_gives_back():
    """A pendulum on a rod strikes a wall aslant: for one contact Poisson's law is Newton's.

    Not quite, as the velocity before the impact keeps to the rod up to h^3 only: Newton's law reads its rate as it is.
    """
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", x**2 + y**2 - 1)
    newton, poisson = (
        nsd.Model(
            "slanting",
            [bob],
            [rod, nsd.Contact("wall", x - sp.Rational(1, 5), law)],
            scheme=nsd.D1Minus(),
            step=1e-3,
            end=0.6,
            initial={x: 0.8, y: -0.6},
        ).run()
        for law in (nsd.NewtonImpact(sp.Rational(1, 2)), nsd.PoissonImpact(sp.Rational(1, 2)))
    )
    assert newton["wall.impulse"].max() > 1.4 * poisson["wall.impulse"].max() > 1  # the first phase alone: 1 / (1 + e)
    assert abs(poisson["x"] * poisson["x_dot"] + poisson["y"] * poisson["y_dot"]).max() < 1e-12
    for column in ("x", "y", "x_dot", "y_dot"):
        assert abs(newton[column] - poisson[column]).max() < 1e-8


@pytest.mark.parametrize("law", [nsd.NewtonImpact(0.5), nsd.PoissonImpact(0.5)], ids=["Newton", "Poisson"])
def test_a_ball_comes_to_rest_after_bouncing(law: nsd.Law) -> None:
    """Hops end when they are shorter than a step; as published they go on, and it sinks by 4 mm/s at h = 1 ms."""
    run = ball(law, "acceleration", 0.1, 1e-3, 4.0)
    assert abs(run["ball.z"][-1]) < G * 1e-3**2 and run["ball.z_dot"][-1] == 0
    assert run["floor.force_right"][-1] == pytest.approx(G)
    assert ball(law, "acceleration", 0.1, 1e-3, 4.0, "bounces")["ball.z"][-1] < -5e-3


@pytest.mark.parametrize("level", ["acceleration", "velocity"])
@pytest.mark.parametrize("restitution", [0.0, 0.4])
@pytest.mark.parametrize("turns", [-3e-17, *(pytest.param(t, marks=pytest.mark.slow) for t in (0.0, 1e-17))])
@pytest.mark.few(2)
def test_what_is_pressed_on_a_shaken_table_stays_on_it(level: str, restitution: float, turns: float) -> None:
    """A w^2 = 4 < g: a body on two equal corners never leaves the table, does not tilt and does not sink.

    How far it sank when a hop of one step was an opening: 0.4 mm a second; how fast it turned when one corner had a
    rate of 1e-17 and rebounded: 0.03 rad/s. A hop that a step of free fall ends is worth h^2 g at most, 1e-5 m.
    """
    z, turn = dynamicsymbols("z turn")
    body = nsd.LagrangianSystem(
        "body", [z, turn], kinetic=z.diff() ** 2 / 2 + turn.diff() ** 2 / 200, potential=9.81 * z
    )
    table = 0.01 * sp.sin(20 * nsd.time)
    corners = [
        nsd.Contact(f"corner {i}", gap=z + side * sp.sin(turn) / 10 - table, law=nsd.NewtonImpact(restitution))
        for i, side in enumerate((-1, 1))
    ]
    run = nsd.Model(
        "shaken",
        [body],
        corners,
        scheme=nsd.D1Minus(level=level),
        step=1e-3,
        end=3,
        initial={z: 0, z.diff(): 0.2, turn: 0, turn.diff(): turns},
    ).run()
    assert abs(run["turn_dot"]).max() <= 2 * abs(turns) and abs(run["turn"]).max() < 1e-15
    for i in range(2):
        assert run[f"corner {i}.gap"].min() > -1.2e-5 and run[f"corner {i}.gap"].max() < 1e-6


@pytest.mark.parametrize("step", [2e-3, 1e-3])
def test_forces_alone_carry_what_rests_on_a_shaken_table(step: float) -> None:
    """z'' = A cos w t with A = g / 2: no impulses, and the gap is that of positions of order 2.

    q_k+1 leaves h^3 z''' / 6 out, in all h^2 (z''(t) - z''(0)) / 6, between 0 and h^2 A / 3. What rests when the run
    begins has no load of a step before: without it the body fell for a step, and sank by h^2 (g + A).
    """
    z, A, w = dynamicsymbols("z"), G / 2, 10
    table = A / w**2 * (1 - sp.cos(w * nsd.time))
    body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    floor = nsd.Contact("floor", gap=z - table, law=nsd.NewtonImpact(0.5))
    run = nsd.Model("m", [body], [floor], scheme=nsd.D1Minus(), step=step, end=2, initial={z: 0, z.diff(): 0}).run()
    assert abs(run["floor.impulse"]).max() < 1e-15 and abs(run["floor.gap_rate"]).max() < 1e-15
    assert abs(run["floor.gap"]).max() < step**2 * A / 3 * (1 + step * w)
    for force, t in ((run["floor.force_right"][1:], run.time[:-1]), (run["floor.force_left"][1:], run.time[1:])):
        np.testing.assert_allclose(force, G + A * np.cos(w * t), atol=step * A * w / 3 * (1 + step * w))


def test_gaps_are_known_from_the_start_under_poissons_law() -> None:
    assert ball(nsd.PoissonImpact(0.5), "acceleration", 0.1, 1e-3, 0.01)["floor.gap"][0] == 0.1


def slid_in_numpy(steps: int, h: float, left_limit: str) -> np.ndarray:
    """A bead of unit mass in the bowl y = x^2 / 2 on velocity level, plastic impacts: columns x, y, x', y'."""
    closed, weight = 1e-5, np.array([0, -G])
    q, v, rows = np.array([1.0, 0.5]), np.zeros(2), []

    def gap(q: np.ndarray) -> float:
        return q[1] - q[0] ** 2 / 2

    def normal(q: np.ndarray) -> np.ndarray:
        return np.array([-q[0], 1.0])

    def pushed(rate: np.ndarray, along: np.ndarray) -> np.ndarray:
        """The acceleration a = weight + along f, 0 <= f orthogonal to rate . (v + h a) >= 0."""
        return weight + along * max(0.0, -(rate @ (v + h * weight)) / (h * rate @ along))

    every = left_limit == "closed"
    for _ in range(steps):
        shut, soon = gap(q) <= closed, normal(q + h * v)
        acts = shut and (every or normal(q) @ v <= closed)
        right = pushed(soon, soon if every else normal(q)) if acts else weight
        end, ahead = q + h * v + h**2 * right / 2, v + h * right
        n = normal(end)
        if not (shut and gap(end) <= closed and (every or n @ ahead <= closed)):
            left = weight
        elif every:  # 0 <= f orthogonal to the rate of v_minus
            left = weight + n * max(0.0, -(n @ (v + h * (right + weight) / 2)) / (h / 2 * n @ n))
        else:
            left = pushed(n, n)
        q, v = end, v + h * (right + left) / 2
        n = normal(q)
        if gap(q) <= closed:
            v = v + n * max(0.0, -(n @ v) / (n @ n))
        rows.append([*q, *v])
    return np.array(rows)


@pytest.mark.parametrize("left_limit", ["closing", "closed"])
def test_forces_at_the_left_limit_on_velocity_level(left_limit: str) -> None:
    """By the formulas of the scheme, whichever contacts have one."""
    bead = nsd.LagrangianSystem("bead", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y)
    bowl = nsd.Contact("bowl", y - x**2 / 2, nsd.NewtonImpact(0))
    scheme = nsd.D1Minus(level="velocity", left_limit=left_limit, rest="bounces", closed=1e-5)
    run = nsd.Model("slid", [bead], [bowl], scheme=scheme, step=5e-3, end=1, initial={x: 1, y: 0.5}).run()
    found = np.column_stack([run[name] for name in ("x", "y", "x_dot", "y_dot")])[1:]
    assert np.abs(found - slid_in_numpy(200, 5e-3, left_limit)).max() < 1e-9


def test_a_force_on_what_opens_is_refused() -> None:
    with pytest.raises(ParameterError, match="would push what has opened"):
        nsd.D1Minus(left_limit="closed")


# Angles [rad] and rates [rad/s] of crank and rod by steps of 1e-5 s; 773 of 20 000 have impacts.
SLIDER_CRANK = {
    1000: (0.94835901158769, -0.41475092990325, 67.532137517336, -21.509873612672),
    6000: (5.4623870426051, 0.37426886490414, 70.708135962277, -27.147936934146),
    12000: (11.174873035069, 0.51812392084919, 66.097996206291, -6.7911423282598),
    20000: (18.176431230133, 0.31357417607505, 77.713545988838, -31.174701774166),
}


def test_a_slider_crank_at_velocity_level_is_that_of_the_published_program() -> None:
    """SliderCrankD1MinusLinearVelocityLevel, run by Siconos 4.4."""
    scheme = nsd.D1Minus(level="velocity", left_limit="closed", rest="bounces", closed=1e-8)
    start = {a: 0, b: 0, c: 0, a.diff(): 150, b.diff(): -75, c.diff(): 0}
    slider = corners(nsd.NewtonImpact(0.4))
    run = nsd.Model("slider_crank", [crank()], slider, step=1e-5, end=0.2, scheme=scheme, initial=start).run()
    for step, there in SLIDER_CRANK.items():
        found = [run[name][step] for name in ("a", "b", "a_dot", "b_dot")]
        np.testing.assert_allclose(found, there, rtol=0, atol=1e-9)
    assert abs(run["c"]).max() < 1e-13  # it never tilts
