"""Contacts with friction in the stepper: blocks, balls and a brick whose motion is known in closed form."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m, r, a, b, c, mu, mu_r, e = sp.symbols("m r a b c mu mu_r e", nonnegative=True)
e_t, turn, gx, gy, gz = sp.symbols("e_t turn g_x g_y g_z", real=True)
x, y, z, phi = dynamicsymbols("x y z phi")
G = 9.81
H = 1.0 / 128  # a power of two: multiples of the step are exact


def flat(law: nsd.NewtonImpactFriction, name: str = "block") -> nsd.Model:
    """A point mass above a plane, x along it, under the force m (gx, gz)."""
    block = nsd.LagrangianSystem("block", [x, z], mass=sp.diag(m, m), external=[m * gx, m * gz])
    return nsd.Model(
        name,
        [block],
        [nsd.Contact("plane", z, law, tangent=x)],
        scheme=nsd.MoreauJean(),
        step=H,
        end=1.0,
        parameters={m: 2.0, gx: 0.0, gz: -G, e: 0.0, mu: 0.5, e_t: 0.0},
        initial={x: 0.0, z: 0.0},
    )


@pytest.fixture(scope="module")
def block() -> Any:
    return flat(nsd.NewtonImpactFriction(e, mu, e_t)).compile()


@pytest.fixture(scope="module")
def puck() -> Any:
    """A point mass on a plane in space; the tangents are turned by an angle about the normal."""
    puck = nsd.LagrangianSystem("puck", [x, y, z], mass=sp.diag(m, m, m), external=[m * gx, m * gy, m * gz])
    tangents = [sp.cos(turn) * x + sp.sin(turn) * y, -sp.sin(turn) * x + sp.cos(turn) * y]
    contact = nsd.Contact("plane", z, nsd.NewtonImpactFriction(e, mu, e_t), tangent=tangents)
    return nsd.Model(
        "puck",
        [puck],
        [contact],
        scheme=nsd.MoreauJean(),
        step=H,
        end=1.0,
        parameters={m: 2.0, gx: 0.0, gy: 0.0, gz: -G, e: 0.0, mu: 0.5, e_t: 0.0, turn: 0.0},
        initial={x: 0.0, y: 0.0, z: 0.0},
    ).compile()


@pytest.fixture(scope="module")
def ball() -> Any:
    """A homogeneous sphere on a plane, with rolling friction."""
    body = nsd.RigidBody("ball", mass=m, inertia=sp.eye(3) * 2 * m * r**2 / 5)
    body.apply_force([0, 0, -G * m])
    up = sp.Matrix([0, 0, 1])
    contact = nsd.Contact(
        "floor",
        body.position[2] - r,
        nsd.NewtonImpactRollingFriction(e, mu, mu_r),
        frame=(up, sp.Matrix([1, 0, 0]), sp.Matrix([0, 1, 0])),
        point=body.position - r * up,
        bodies=(body,),
    )
    return nsd.Model(
        "ball",
        [body],
        [contact],
        scheme=nsd.MoreauJean(activation="hysteresis"),
        step=H,
        end=1.0,
        parameters={m: 0.7, r: 0.1, e: 0.0, mu: 0.3, mu_r: 0.0},
        initial={body.position: [0, 0, 0.1]},
    ).compile()


@pytest.fixture(scope="module")
def brick() -> Any:
    """A brick that meets a plane with its eight corners, under gravity of any direction."""
    inertia = sp.diag(b**2 + c**2, a**2 + c**2, a**2 + b**2) * m / 3
    body = nsd.RigidBody("brick", mass=m, inertia=inertia)
    body.apply_force([m * gx, m * gy, m * gz])
    corners = body.points(8, [[i * a, j * b, k * c] for i, j, k in itertools.product((-1, 1), repeat=3)])
    contacts = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), law=nsd.NewtonImpactFriction(e, mu))
    scheme = nsd.MoreauJean(rotation="exponential", activation="hysteresis")  # rounding opens no contact at rest
    return nsd.Model(
        "brick",
        [body],
        contacts,
        scheme=scheme,
        step=1e-3,
        end=0.3,
        parameters={m: 1.2, a: 0.12, b: 0.06, c: 0.04, gx: 0.0, gy: 0.0, gz: -G, e: 0.0, mu: 0.5},
        initial={body.position: [0, 0, 0.04]},
    ).compile()


def on_slope(angle: float) -> dict[str, float]:
    """Gravity seen from a slope that rises in the direction of x."""
    return {"g_x": -G * np.sin(angle), "g_z": -G * np.cos(angle)}


# ------------------------------------------------------------------------ blocks in the plane


@pytest.mark.parametrize("angle", [0.0, 0.2, 0.46])
def test_a_block_below_the_friction_angle_stays(block: Any, angle: float) -> None:
    assert np.tan(angle) < 0.5
    run = block.run(parameters=on_slope(angle))
    # Free speed and friction cancel to the rounding of one step.
    np.testing.assert_allclose(run["block.x_dot"], 0.0, atol=1e-15)
    np.testing.assert_allclose(
        run["plane.impulse"][1:],
        np.tile([2 * H * G * np.cos(angle), 2 * H * G * np.sin(angle)], (128, 1)),
        rtol=1e-13,
        atol=1e-16,
    )


@pytest.mark.parametrize("angle", [0.47, 0.8, 1.5])
def test_a_block_above_the_friction_angle_slides(block: Any, angle: float) -> None:
    run = block.run(parameters=on_slope(angle))
    rate = G * (np.sin(angle) - 0.5 * np.cos(angle))
    np.testing.assert_allclose(run["block.x_dot"], -rate * run.time, rtol=1e-12)
    # theta = 1/2 integrates a constant acceleration exactly.
    np.testing.assert_allclose(run["block.x"], -rate * run.time**2 / 2, rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize(("angle", "friction"), [(0.6, 0.3), (0.3, 0.6), (-0.4, 0.3), (0.0, 1.7)])
def test_a_block_that_starts_up_the_slope_stops_and_stays_or_returns(block: Any, angle: float, friction: float) -> None:
    """Step by step: v = v_free less at most mu g cos(a) h against it."""
    run = block.run(parameters={**on_slope(angle), "mu": friction}, initial={"block.x_dot": 2.0})
    v, limit = [2.0], friction * G * np.cos(angle) * H
    for _ in range(128):
        free = v[-1] - G * np.sin(angle) * H
        v.append(free - np.clip(free, -limit, limit))
    np.testing.assert_allclose(run["block.x_dot"], v, rtol=1e-12, atol=1e-14)
    stays = np.tan(abs(angle)) < friction
    assert (run["block.x_dot"][-1] == pytest.approx(0.0, abs=1e-14)) == stays


def test_a_puck_that_bounced_lies_still(puck: Any) -> None:
    """Reactions that are kept from step to step let no error grow: velocities stay at rounding."""
    bounced = puck.run(end=60.0, initial={"z": 1.0}, parameters={"e": 0.9, "e_t": 0.9, "mu": 0.6})
    still = bounced.time > 30.0
    assert abs(bounced["z_dot"][still]).max() < 1e-13
    assert np.ptp(bounced["z"][still]) < 1e-12


def test_a_friction_coefficient_of_zero_is_no_friction(block: Any) -> None:
    run = block.run(parameters={**on_slope(0.3), "mu": 0.0})
    np.testing.assert_allclose(run["block.x_dot"], -G * np.sin(0.3) * run.time, rtol=1e-12)
    np.testing.assert_array_equal(run["plane.impulse"][:, 1], 0.0)


@given(
    v=st.tuples(st.floats(-3, 3), st.floats(-3, -0.1)),
    friction=st.floats(0, 3),
    restitution=st.floats(0, 1),
    tangential=st.floats(-1, 1),
)
@settings(max_examples=60)
def test_an_impact_with_tangential_restitution(
    block: Any, v: tuple[float, float], friction: float, restitution: float, tangential: float
) -> None:
    """Without forces: u_N = -e u_N,k, and u_T = -e_T u_T,k where friction suffices, else |p_T| = mu p_N."""
    run = block.run(
        end=H,
        initial={"block.x_dot": v[0], "block.z_dot": v[1]},
        parameters={"g_z": 0.0, "mu": friction, "e": restitution, "e_t": tangential},
    )
    normal = -(1 + restitution) * v[1]
    wanted = -(1 + tangential) * v[0]
    tangent = np.clip(wanted, -friction * normal, friction * normal)
    assert run["block.z_dot"][-1] == pytest.approx(-restitution * v[1], abs=1e-13)
    assert run["block.x_dot"][-1] == pytest.approx(v[0] + tangent, abs=1e-13)


# ---------------------------------------------------------------------------- a puck in space


def test_a_puck_stops_along_a_straight_line(puck: Any) -> None:
    start = np.array([1.5, -2.0])
    run = puck.run(initial={"puck.x_dot": start[0], "puck.y_dot": start[1]})
    speed = np.maximum(0.0, 2.5 - 0.5 * G * run.time)
    v = np.column_stack([run["puck.x_dot"], run["puck.y_dot"]])
    np.testing.assert_allclose(v, speed[:, None] * start / 2.5, rtol=1e-10, atol=1e-12)
    assert (v[-1] == pytest.approx([0.0, 0.0], abs=1e-14)) and speed[-1] == 0.0
    assert run["puck.x"][-1] / run["puck.y"][-1] == pytest.approx(-0.75, rel=1e-10)


@given(angle=st.floats(-np.pi, np.pi), v=st.tuples(st.floats(-2, 2), st.floats(-2, 2)), slope=st.floats(0, 0.8))
@settings(max_examples=20)
def test_turned_tangents_change_nothing(puck: Any, angle: float, v: tuple[float, float], slope: float) -> None:
    given_ = {"initial": {"puck.x_dot": v[0], "puck.y_dot": v[1], "puck.z": 0.05}, "end": 64 * H}
    values = {**on_slope(slope), "e": 0.3, "mu": 0.4}
    straight = puck.run(parameters=values, **given_)
    turned = puck.run(parameters={**values, "turn": angle}, **given_)
    for name in ("x", "y", "x_dot", "y_dot", "z_dot"):
        # A step's problem is solved to some 1e-13 of its terms, which are of size 10.
        np.testing.assert_allclose(turned[f"puck.{name}"], straight[f"puck.{name}"], atol=1e-10)
    spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    np.testing.assert_allclose(turned["plane.impulse"][:, 1:], straight["plane.impulse"][:, 1:] @ spin.T, atol=1e-10)


def test_a_puck_on_a_slope_of_the_friction_angle_keeps_half_its_speed(puck: Any) -> None:
    """mu = tan(a): |v| + v_down is conserved, so a puck pushed across ends with v0/2 down; first order in h."""
    angle = 0.5
    values = {**on_slope(angle), "mu": np.tan(angle)}
    errors = []
    for h in (H, H / 2, H / 4):
        run = puck.run(parameters=values, initial={"puck.y_dot": 2.0}, step=h, end=4.0)
        speed = np.hypot(run["puck.x_dot"], run["puck.y_dot"])
        errors.append(np.abs(speed - run["puck.x_dot"] - 2.0).max())
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.05)
    assert run["puck.x_dot"][-1] == pytest.approx(-1.0, abs=0.02) and abs(run["puck.y_dot"][-1]) < 1e-2


@given(v=st.lists(st.floats(-3, 3), min_size=3, max_size=3), friction=st.floats(0, 2), restitution=st.floats(0, 1))
@settings(max_examples=20)
def test_energy_changes_by_the_work_of_the_impulses(
    puck: Any, v: list[float], friction: float, restitution: float
) -> None:
    """E_k+1 - E_k = lambda . (u + u_k) / 2 at theta = 1/2, and never grows where e = 0."""
    run = puck.run(
        parameters={"mu": friction, "e": restitution},
        end=64 * H,
        initial={"puck.x_dot": v[0], "puck.y_dot": v[1], "puck.z_dot": v[2], "puck.z": 0.02},
    )
    energy = sum(run[f"puck.{q}_dot"] ** 2 for q in "xyz") + 2.0 * G * run["puck.z"]  # m = 2
    u = np.column_stack([run[f"puck.{q}_dot"] for q in "zxy"])
    work = (run["plane.impulse"][1:] * (u[1:] + u[:-1]) / 2).sum(axis=1)
    np.testing.assert_allclose(np.diff(energy), work, atol=1e-12)
    if restitution == 0.0:
        assert np.diff(energy).max() <= 1e-12


# -------------------------------------------------------------------------------------- balls


@pytest.mark.parametrize("heading", [0.0, 0.9, -2.5])
def test_a_ball_slides_and_then_rolls(ball: Any, heading: float) -> None:
    """Angular momentum about the contact is kept: 5/7 v0 at rest of the slip, which ends at 2 v0 / (7 mu g)."""
    v0, friction = 2.0, 0.3
    direction = np.array([np.cos(heading), np.sin(heading)])
    run = ball.run(initial={"ball.velocity": [*(v0 * direction), 0.0]})
    v, slip = run["ball.velocity"], np.linalg.norm(run["floor.sliding_rate"], axis=1)
    until = 2 * v0 / (7 * friction * G)
    sliding = run.time < until
    np.testing.assert_allclose(v[sliding, :2], np.outer(v0 - friction * G * run.time[sliding], direction), atol=1e-11)
    assert slip[run.time >= until + H].max() < 1e-11
    assert slip[sliding].min() > 0.0
    np.testing.assert_allclose(v[run.time >= until + H, :2] - 5 / 7 * v0 * direction, 0.0, atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(run["ball.angular_velocity"][-1]), 5 / 7 * v0 / 0.1, rtol=1e-11)


def test_rolling_friction_stops_a_ball(ball: Any) -> None:
    """About the contact: (7/5) m r^2 omega' = -mu_r m g, so v' = -(5/7) mu_r g / r until it stops."""
    v0, rolling = 0.5, 0.02
    run = ball.run(
        initial={"ball.velocity": [v0, 0, 0], "ball.angular_velocity": [0, v0 / 0.1, 0]},
        parameters={"mu_r": rolling, "mu": 1.0},
        end=96 * H,
    )
    v = np.maximum(0.0, v0 - 5 / 7 * rolling * G / 0.1 * run.time)
    assert v[-1] == 0.0
    np.testing.assert_allclose(run["ball.velocity"][:, 0], v, atol=1e-10)
    np.testing.assert_allclose(run["ball.velocity"][:, 1], 0.0, atol=1e-10)
    np.testing.assert_allclose(
        np.linalg.norm(run["floor.impulse"][2:20, 3:], axis=1), rolling * run["floor.impulse"][2:20, 0], rtol=1e-9
    )


def test_a_ball_on_a_rough_floor_needs_enough_rolling_friction_to_slow_down(ball: Any) -> None:
    run = ball.run(initial={"ball.velocity": [0.5, 0, 0], "ball.angular_velocity": [0, 5.0, 0]})
    np.testing.assert_allclose(run["ball.velocity"][:, 0], 0.5, rtol=1e-11)


# ------------------------------------------------------------------------------------ a brick


def test_a_brick_below_the_friction_angle_stays_and_above_slides(brick: Any) -> None:
    """On four corners: 12 rows for 6 freedoms. The impulses are not unique, the motion is."""
    rest = brick.run(parameters=on_slope(0.4))
    np.testing.assert_allclose(rest["brick.velocity"], 0.0, atol=1e-11)
    np.testing.assert_allclose(rest["brick.position"][-1], [0, 0, 0.04], atol=1e-11)
    total = sum(rest[f"brick floor {i}.impulse"][1:, 0] for i in range(8))
    np.testing.assert_allclose(total, 1.2 * G * np.cos(0.4) * 1e-3, rtol=1e-9)

    slide = brick.run(parameters=on_slope(0.7))
    rate = G * (np.sin(0.7) - 0.5 * np.cos(0.7))
    np.testing.assert_allclose(slide["brick.velocity"][:, 0], -rate * slide.time, atol=1e-10)
    np.testing.assert_allclose(slide["brick.angular_velocity"], 0.0, atol=1e-9)


def test_a_brick_with_large_friction_topples_over_its_edge(brick: Any) -> None:
    """Steeper than atan(b / c) it turns over its lower edge, at first with m g (c sin a - b cos a) / I_edge."""
    angle = 1.2
    assert np.tan(angle) > 0.06 / 0.04
    gravity = {"g_x": 0.0, "g_y": -G * np.sin(angle), "g_z": -G * np.cos(angle), "mu": 5.0}
    run = brick.run(parameters=gravity, end=0.02)
    about_edge = (0.06**2 + 0.04**2) * 4 / 3
    rate = G * (0.04 * np.sin(angle) - 0.06 * np.cos(angle)) / about_edge
    # Linear in time to the second order of the angle turned, 0.004.
    np.testing.assert_allclose(run["brick.angular_velocity"][:, 0], rate * run.time, rtol=0.02, atol=1e-9)
    np.testing.assert_allclose(run["brick.angular_velocity"][:, 1:], 0.0, atol=1e-7)


@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("friction", [0.2, 0.5, 1.5])
@pytest.mark.few(3)
def test_thrown_bricks_come_to_rest(brick: Any, restitution: float, friction: float) -> None:
    """On an edge or a face impulses are not unique, and with restitution the rows at rest contradict each other
    by some 1e-12 of a rate that dies out: the step must take that for what it is."""
    rng = np.random.default_rng(int(10 * restitution + 100 * friction))
    for _ in range(3):
        turned = rng.normal(size=4)
        run = brick.run(
            end=3.0,
            parameters={"e": restitution, "mu": friction},
            initial={
                "brick.position": [0, 0, 0.3],
                "brick.quaternion": list(turned / np.linalg.norm(turned)),
                "brick.velocity": list(rng.normal(size=3)),
                "brick.angular_velocity": list(5 * rng.normal(size=3)),
            },
        )
        height = run["brick.position"][-1, 2]
        faces = [half for half in (0.04, 0.06, 0.12) if abs(height - half) < 5e-3]
        speed = np.linalg.norm(run["brick.velocity"][-50:], axis=1).max()
        assert faces and speed < 1e-3, (height, speed)
        impulses = np.array([run[f"brick floor {i}.impulse"] for i in range(8)])
        assert impulses[..., 0].min() >= 0.0
        over = np.linalg.norm(impulses[..., 1:], axis=-1) - friction * impulses[..., 0]
        # The certificate, 1e-8, is relative to the terms of a row: the impulses of all corners in contact.
        assert (over <= 1e-8 * impulses[..., 0].sum(axis=0)).all()


# -------------------------------------------------------------------------- large coefficients


@pytest.fixture(scope="module")
def rod() -> Any:
    """Painleve's rod: a slender rod whose lower end slides on a rough floor."""
    mass, half = 1, 1
    body = nsd.LagrangianSystem(
        "rod", [x, z, phi], mass=sp.diag(mass, mass, sp.Rational(1, 3)), external=[0, -G * mass, 0]
    )
    contact = nsd.Contact(
        "tip", z - half * sp.sin(phi), nsd.NewtonImpactFriction(0, mu), tangent=x - half * sp.cos(phi)
    )
    return nsd.Model(
        "rod",
        [body],
        [contact],
        scheme=nsd.MoreauJean(),
        step=2e-3,
        end=0.6,
        parameters={mu: 3.0},
        initial={x: 0.0, z: np.sin(1.0), phi: 1.0},
    ).compile()


@pytest.mark.parametrize("friction", [0.5, 1.4, 3.0, 30.0])
@pytest.mark.parametrize("speed", [-3.0, 3.0])
def test_a_sliding_rod_obeys_the_law_also_where_forces_alone_cannot(rod: Any, friction: float, speed: float) -> None:
    """Beyond mu = 4/3 no finite force keeps the tip on the floor in some positions; impulses do."""
    run = rod.run(parameters={"mu": friction}, initial={"rod.x_dot": speed})
    normal, tangent = run["tip.impulse"][1:].T
    rate, slip = run["tip.gap_rate"][1:], run["tip.sliding_rate"][1:]
    loaded = normal > 0.0
    assert loaded.any() and (normal >= 0.0).all()
    np.testing.assert_allclose(rate[loaded], 0.0, atol=1e-9)
    assert (np.abs(tangent) <= friction * normal * (1 + 1e-9) + 1e-12).all()
    slides = loaded & (np.abs(slip) > 1e-8)
    np.testing.assert_allclose(tangent[slides], -friction * normal[slides] * np.sign(slip[slides]), rtol=1e-6)
    energy = (run["rod.x_dot"] ** 2 + run["rod.z_dot"] ** 2 + run["rod.phi_dot"] ** 2 / 3) / 2 + G * run["rod.z"]
    assert (np.diff(energy) < 1e-3).all()


def test_the_tip_satisfies_the_balance_of_momentum(rod: Any) -> None:
    """Independent of the stepper: M (v - v_k) - h F = H^T lambda with H of the configuration at the end."""
    run = rod.run(initial={"rod.x_dot": 3.0})
    v = np.column_stack([run[f"rod.{q}_dot"] for q in ("x", "z", "phi")])
    angle, impulse = run["rod.phi"][1:], run["tip.impulse"][1:]
    expected = np.column_stack(
        [impulse[:, 1], impulse[:, 0] - G * 2e-3, -np.cos(angle) * impulse[:, 0] + np.sin(angle) * impulse[:, 1]]
    )
    np.testing.assert_allclose(np.diff(v, axis=0) * [1, 1, 1 / 3], expected, atol=1e-9)


def test_a_disc_with_a_tangential_restitution_of_one_is_a_superball() -> None:
    """Impact and friction without loss: the rate of the contact point is reversed and energy is kept."""
    disc = nsd.LagrangianSystem("disc", [x, z, phi], mass=sp.diag(1, 1, sp.Rational(1, 2) * r**2))
    floor = nsd.Contact("floor", z - r, nsd.NewtonImpactFriction(1, 10, 1), tangent=x + r * phi)
    run = nsd.Model(
        "superball",
        [disc],
        [floor],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=1.0,
        parameters={r: 0.2},
        initial={x: 0.0, z: 0.5, phi: 0.0, x.diff(): 1.0, z.diff(): -1.0, phi.diff(): 2.0},
    ).run()
    # u = 1 + 0.4; unit tangential impulse changes it by 1 + 2: p = -2 u / 3, omega changes by p r / (r^2 / 2).
    p = -2 * 1.4 / 3
    after = [run[f"disc.{q}_dot"][-1] for q in ("x", "z", "phi")]
    np.testing.assert_allclose(after, [1 + p, 1.0, 2 + 2 * p / 0.2], rtol=1e-12)
    energy = (run["disc.x_dot"] ** 2 + run["disc.z_dot"] ** 2 + 0.02 * run["disc.phi_dot"] ** 2) / 2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


def test_undetermined_reactions_of_a_box_on_four_corners(brick: Any) -> None:
    """At rest 12 rows hold 6 velocities. Sliding, four parallel forces hold 3. In flight there is nothing to hold."""
    values = {"g_x": 0.0, "g_y": 0.0, "g_z": -G, "a": 0.3, "b": 0.2, "c": 0.1, "mu": 0.3, "e": 0.0}
    initial = {"brick.position": [0.0, 0.0, 0.1]}
    rest = brick.run(parameters=values, initial=initial)
    np.testing.assert_array_equal(rest["rank_deficiency"][1:], 6)
    slides = brick.run(parameters=values, initial={**initial, "brick.velocity": [3.0, 1.0, 0.0]}, end=0.1)
    np.testing.assert_array_equal(slides["rank_deficiency"][1:], 1)
    flies = brick.run(parameters=values, initial={"brick.position": [0.0, 0.0, 5.0]}, end=0.1)
    np.testing.assert_array_equal(flies["rank_deficiency"], 0)


# ------------------------------------------------------------------------ large coefficients


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_no_coefficient_lets_a_fast_body_through_the_floor(puck: Any, slope: float) -> None:
    """At 1000 m/s and steps of 1e-6 s contacts vanished from mu = 1e5 on: the body fell freely."""
    h, start = 1e-6, 1000.0
    for value in (0.3, 1e5, 1e8, 1e10, 1e13, 1e15, np.inf):
        run = puck.run(parameters={"mu": value, **on_slope(slope)}, initial={"puck.x_dot": start}, step=h, end=100 * h)
        assert np.abs(run["puck.z"]).max() <= 2.0 * G * h * h, value
        friction = G * min(value, 1e15) * np.cos(slope)
        speed = np.maximum(0.0, start - (G * np.sin(slope) + friction) * run.time)
        # Rounding may open the contact for one step, in which the body falls by h^2 g.
        assert run["puck.x_dot"] == pytest.approx(speed, abs=1e-9 + 1.01 * h * friction), value
        assert run["puck.x_dot"][-1] == pytest.approx(speed[-1], abs=1e-9), value


def test_an_infinite_coefficient_is_that_of_a_contact() -> None:
    """Stated as sympy.oo, or given as the value of a parameter; infinite masses are refused as before."""
    stuck = flat(nsd.NewtonImpactFriction(e, sp.oo), "stuck").compile()
    run = stuck.run(parameters={"g_x": 3 * G}, end=8 * H)
    assert np.abs(run["block.x"]).max() <= 1e-12
    with pytest.raises(nsd.errors.ParameterError, match="parameter 'm': is inf"):
        stuck.run(parameters={"m": np.inf})
