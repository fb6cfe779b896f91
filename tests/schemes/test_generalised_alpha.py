"""The generalised-alpha scheme: damping of high frequencies, bodies, forces of constraints (orders: test_orders.py)."""

import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y = dynamicsymbols("x y")


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9, 1.0])
def test_the_spectral_radius_at_infinity_is_rho(rho):
    stiff = nsd.LagrangianSystem("stiff", [x], kinetic=x.diff() ** 2 / 2, potential=1e16 * x**2 / 2)
    run = nsd.Model("m", [stiff], scheme=nsd.GeneralisedAlpha(rho=rho), step=0.1, end=6, initial={x: 1}).run()
    found = np.abs(run["x_dot_w"][40:]) + np.abs(run["x_dot_a"][40:])
    ratio = (found[20] / found[0]) ** (1 / 20) if found[0] > 0 else 0.0
    assert ratio == pytest.approx(rho, abs=0.06 if rho else 1e-2)


def test_rho_1_keeps_the_energy_of_an_oscillator():
    oscillator = nsd.LagrangianSystem("o", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2)
    run = nsd.Model("m", [oscillator], scheme=nsd.GeneralisedAlpha(rho=1), step=0.05, end=500, initial={x: 1}).run()
    energy = run["x"] ** 2 + run["x_dot"] ** 2
    assert np.ptp(energy) < 3e-3 and abs(energy[-1000:].mean() - energy[:1000].mean()) < 1e-6


def test_a_force_at_the_start_is_that_of_the_constraint():
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", sp.sqrt(x**2 + y**2) - 1)
    run = nsd.Model(
        "p",
        [bob],
        [rod],
        scheme=nsd.GeneralisedAlpha(),
        step=1e-3,
        end=3,
        initial={x: 0.6, y: -0.8, x.diff(): 0.8, y.diff(): 0.6},
    ).run()
    speed_2 = run["x_dot"] ** 2 + run["y_dot"] ** 2
    assert run["force"][0] == pytest.approx(-(9.81 * 0.8 + 1))
    off = np.abs(run["force"] + speed_2 - 9.81 * run["y"])  # begins with a transient of order 1, which rho damps
    assert off[100:].max() < 1e-4 and off.max() < 0.03
    assert np.abs(run["rod.gap"]).max() < 1e-12


def test_velocities_at_the_start_are_those_that_constraints_admit():
    """Along the rod they are lost in an impulse; the scheme by itself would turn them over in every step."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    model = nsd.Model(
        "p",
        [bob],
        [nsd.Bilateral("rod", sp.sqrt(x**2 + y**2) - 1)],
        scheme=nsd.GeneralisedAlpha(),
        step=1e-2,
        end=1,
        initial={x: 0.6, y: -0.8, x.diff(): 1},
    )
    with pytest.warns(nsd.errors.ModelWarning, match=r"y_dot is 0.48 at the start, not 0 as given"):
        run = model.run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        admitted = model.run(initial={"x_dot": 0.64, "y_dot": 0.48})
    for name in ("x", "x_dot", "y_dot", "force"):
        np.testing.assert_allclose(run[name], admitted[name], atol=1e-10)
    np.testing.assert_allclose([run["kick"][0], admitted["kick"][0]], [-0.6, 0], atol=1e-14)


def test_a_free_body_turns_with_order_two():
    body = nsd.RigidBody("body", mass=1, inertia=sp.diag(1, 2, 3))
    inertia = np.array([1.0, 2.0, 3.0])
    exact = solve_ivp(lambda t, w: np.cross(inertia * w, w) / inertia, [0, 2], [1, 2, 3], rtol=1e-12, atol=1e-12)
    model = nsd.Model(
        "b",
        [body],
        scheme=nsd.GeneralisedAlpha(),
        step=0.01,
        end=2,
        initial={body.position: [0, 0, 0], body.angular_velocity: [1, 2, 3]},
    ).compile()
    errors = [np.abs(model.run(step=h)["angular_velocity"][-1] - exact.y[:, -1]).max() for h in (0.01, 0.005)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_forces_by_output_and_constraints_on_velocities():
    """A spring by its force, and a wagon that is driven."""
    pull = nsd.multipliers("pull", 1)
    a, b = (nsd.LagrangianSystem(n, [c], kinetic=c.diff() ** 2 / 2) for n, c in (("a", x), ("b", y)))
    spring = nsd.OutputRelation("spring", pull, [pull[0] - 100 * (y - x - 1)], {a: pull, b: [-pull[0]]}, nsd.Equality())
    drive = nsd.VelocityConstraint("drive", y.diff() - nsd.time)
    run = nsd.Model(
        "m", [a, b], [spring, drive], scheme=nsd.GeneralisedAlpha(), step=1e-3, end=2, initial={x: 0, y: 1}
    ).run()
    t = run.time  # x'' = 100 (t^2 / 2 - x): x = t^2 / 2 - (1 - cos 10 t) / 100
    assert np.abs(run["a.x"] - t**2 / 2 + (1 - np.cos(10 * t)) / 100).max() < 5e-5
    assert np.abs(run["pull[0]"][5:] - (1 - np.cos(10 * t[5:]))).max() < 5e-3
    assert np.abs(run["drive.force"][5:] - (2 - np.cos(10 * t[5:]))).max() < 5e-3


def bounced_in_numpy(steps: int, h: float, rho: float, e: float) -> np.ndarray:
    """A mass on a spring of stiffness 10 under gravity above a floor, by the formulas: columns x, x'."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    x, v = 0.5, 0.0
    a = w = -9.81 - 10 * (x - 0.3)
    rows = []
    for _ in range(steps):
        # (1 - am) a+ + am a = (1 - af) w+ + af w, w+ = -g - 40 (x+ - 0.3), x+ = free + h^2 beta a+
        free = x + h * v + h**2 * (0.5 - beta) * a
        slope = 1 - am + (1 - af) * 10 * h**2 * beta
        later = ((1 - af) * (-9.81 - 10 * (free - 0.3)) + af * w - am * a) / slope
        x, before, minus = free + h**2 * beta * later, v, v + h * ((1 - gamma) * a + gamma * later)
        a, w = later, -9.81 - 10 * (x - 0.3)
        v = max(minus, -e * before) if x <= 0 else minus
        x += h * (v - minus) / 2
        rows.append([x, v])
    return np.array(rows)


@pytest.mark.parametrize("rho", [1.0, 0.8, 0.0])
@pytest.mark.parametrize("e", [0.0, 0.7])
def test_contacts_push_by_impulses_at_the_end_of_a_step(rho, e):
    mass = nsd.LagrangianSystem(
        "mass", [x], kinetic=x.diff() ** 2 / 2, potential=9.81 * x + 5 * (x - sp.Rational(3, 10)) ** 2
    )
    floor = nsd.Contact("floor", gap=x, law=nsd.NewtonImpact(e))
    run = nsd.Model(
        "m", [mass], [floor], scheme=nsd.GeneralisedAlpha(rho=rho), step=1e-3, end=3, initial={x: 0.5}
    ).run()
    assert (run["impulse"] > 0).sum() > 2
    expected = bounced_in_numpy(3000, 1e-3, rho, e)
    assert np.abs(np.column_stack([run["x"], run["x_dot"]])[1:] - expected).max() < 1e-9


def test_what_rests_stays_and_its_impulses_carry_it():
    """A block on a slope, stuck by friction, for ten seconds: to rounding; the other one slides as it should."""
    along, off = dynamicsymbols("along off")
    block = nsd.LagrangianSystem(
        "block", [along, off], kinetic=(along.diff() ** 2 + off.diff() ** 2) / 2, forces=[3, -9]
    )
    mu = sp.Symbol("mu")
    contact = nsd.Contact("slope", gap=off, tangent=along, law=nsd.NewtonImpactFriction(0, mu))
    model = nsd.Model(
        "m",
        [block],
        [contact],
        scheme=nsd.GeneralisedAlpha(),
        step=1e-2,
        end=10,
        parameters={mu: 0.5},
        initial={along: 0, off: 0},
    ).compile()
    stuck, slides = model.run(), model.run(parameters={mu: 0.2})
    assert np.abs(stuck["along"]).max() < 1e-12 and np.abs(stuck["off"]).max() < 1e-12
    assert np.abs(stuck["impulse[0]"][1:] - 0.09).max() < 1e-12
    assert slides["along"][-1] == pytest.approx(1.2 * 50, rel=1e-9)


def braked_on_a_belt(level: float, output=None, law=None, force=0) -> nsd.Model:
    """A block of 1 kg that a belt of 1 m/s drags along with 5 N, and a brake to the ground."""
    lam = nsd.multipliers("lam", 1)
    block = nsd.LagrangianSystem("block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, forces=[force, -10])
    belt = nsd.Contact("belt", y, nsd.NewtonImpactFriction(0, 0.5), tangent=x.diff() - 1)
    brake = nsd.OutputRelation(
        "brake", lam, [x.diff() if output is None else output(lam[0])], {block: [lam[0], 0]}, law or nsd.Relay(level)
    )
    return nsd.Model("m", [block], [belt, brake], scheme=nsd.GeneralisedAlpha(), step=1e-2, end=1, initial={x: 0, y: 0})


def test_a_brake_holds_what_a_belt_drags_along():
    """With 8 N it does not move, to rounding, where it had crept by mu g h; with 4 N it moves at (5 - 4) t."""
    held, moved = braked_on_a_belt(8.0).run(), braked_on_a_belt(4.0).run()
    assert np.abs(held["x_dot"]).max() < 1e-14 and np.abs(held["x"]).max() < 1e-14
    np.testing.assert_allclose(held["lam_end[0]"][1:], -5, rtol=1e-12)
    np.testing.assert_allclose(moved["lam_end[0]"][2:-2], -4, rtol=1e-12)
    assert np.abs(moved["x_dot"] - moved.time).max() < 4e-2  # order 1: the belt's first impulse comes unbraked


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_where_a_stick_ends_beside_a_belt_half_a_step_of_its_load_is_lost(h):
    """A brake of 8 N beside the belt's 5 N and a force of 6 t: v = 3 (t - 1/2)^2, and h 5 N / 2 more from then on."""
    model = braked_on_a_belt(8.0, force=6 * nsd.time)
    run = model.run(step=h, end=0.9)
    slides = run.time > 0.75
    off = run["x_dot"][slides] - 3 * (run.time[slides] - 0.5) ** 2
    np.testing.assert_allclose(off, 2.5 * h, rtol=1e-2)
    assert np.abs(run["x_dot"][run.time < 0.5]).max() < 1e-12


def test_a_damper_and_a_belt_are_in_balance():
    """5 N of friction move a damper of 10 N s/m at 0.5 m/s, not at that and a share of h."""
    run = braked_on_a_belt(0.0, lambda force: force + 10 * x.diff(), nsd.Equality()).run()
    assert run["x_dot"][-1] == pytest.approx(0.5 * (1 - np.exp(-10)), rel=1e-3)
    np.testing.assert_allclose(run["lam_end[0]"][1:], -10 * run["x_dot"][1:], rtol=1e-12)


@pytest.mark.parametrize("rho", [0.8, 0.0])
def test_forces_of_constraints_are_right_after_an_impact(rho):
    """A pendulum hits a wall with e = 1/2: the tension falls from g cos + v^2 to g cos + v^2 / 4 within a step."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", sp.sqrt(x**2 + y**2) - 1)
    wall = nsd.Contact("wall", gap=x, law=nsd.NewtonImpact(0.5))
    for h in (2e-3, 1e-3):
        run = nsd.Model(
            "m", [bob], [rod, wall], scheme=nsd.GeneralisedAlpha(rho=rho), step=h, end=1, initial={x: 0.6, y: -0.8}
        ).run()
        (hit,) = np.flatnonzero(run["wall.impulse"])
        later = slice(hit + 1, None)
        speed2 = run["x_dot"] ** 2 + run["y_dot"] ** 2
        assert speed2[hit] == pytest.approx(2 * 9.81 * 0.2 / 4, rel=10 * h)
        assert np.abs(run["rod.force"] + speed2 - 9.81 * run["y"])[later].max() < h
        assert np.abs(run["rod.gap"]).max() < 1e-12


def test_a_body_on_a_pin_strikes_the_floor():
    """As the angle that it is: e of its rate is left, and the pin holds."""
    bar = nsd.RigidBody("bar", 1, sp.diag(0.01, 0.1, 0.1)).apply_force([0, 0, -9.81])
    pin = nsd.Bilateral("pin", bar.point([-0.5, 0, 0]).position)
    floor = nsd.Contact("floor", bar.point([0.5, 0, 0]).position[2] + sp.Rational(1, 2), nsd.NewtonImpact(0.6))
    run = nsd.Model(
        "m", [bar], [pin, floor], scheme=nsd.GeneralisedAlpha(), step=1e-3, end=0.5, initial={bar.position: [0.5, 0, 0]}
    ).run()
    hit = int(np.flatnonzero(run["floor.impulse"])[0])
    # (I + m / 4) angle'' = -m g / 2 cos angle down to sin = -1/2; the tip's rate is that of the angle times cos
    rate = np.sqrt(9.81 * 0.5 / 0.35)
    assert run["angular_velocity"][hit - 1, 1] == pytest.approx(rate, rel=1e-2)
    assert run["angular_velocity"][hit, 1] == pytest.approx(-0.6 * rate, rel=1e-2)
    assert np.abs(run["pin.gap"]).max() < 1e-9
    assert np.abs(np.linalg.norm(run["quaternion"], axis=1) - 1).max() < 1e-14


def test_laws_of_impacts_alone_are_refused():
    ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2)
    model = nsd.Model(
        "m",
        [ball],
        [nsd.Contact("c", gap=x, law=nsd.PoissonImpact(0.5))],
        scheme=nsd.GeneralisedAlpha(),
        step=0.1,
        end=1,
        initial={x: 1},
    )
    with pytest.raises(nsd.errors.ModelError, match="impacts alone"):
        model.run()


@pytest.mark.parametrize("count", [pytest.param(20, marks=pytest.mark.slow), 60])
def test_a_rod_said_twice_shares_its_force_by_least_norm_however_long_the_chain(count):
    """f and g in place of f + 2 g: the shortest has g = 2 f. Long chains had g = f / 2, by what a row moves."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    bobs = bob.copies(count, initial={x: np.arange(count) + 1.0, y: np.zeros(count)})
    rods = []
    for k in range(count):
        apart = [bobs[k].coordinate(at) - (bobs[k - 1].coordinate(at) if k else 0) for at in (x, y)]
        off = sp.sqrt(apart[0] ** 2 + apart[1] ** 2) - 1
        rods += [nsd.Bilateral(f"rod_{k}", off), nsd.Bilateral(f"again_{k}", 2 * off)]
    run = nsd.Model("chain", bobs, rods, scheme=nsd.GeneralisedAlpha(), step=1e-3, end=0.02).run()
    assert (run["rank_deficiency"][1:] == count).all()
    for k in range(0, count, 7):
        once, again = run[f"rod_{k}.force"][1:], run[f"again_{k}.force"][1:]
        np.testing.assert_allclose(again, 2 * once, rtol=0, atol=1e-9 * abs(again).max())
