"""Event-driven integration against what is known in closed form."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipk
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NotConverged

from ..example_models import load

x, y, z, phi = dynamicsymbols("x y z phi")
e, mu = sp.symbols("e mu", nonnegative=True)
G = 9.81


def ball(scheme=None, restitution=0.9, **settings):
    body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model(
        "events_ball",
        [body],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        parameters={e: restitution},
        scheme=scheme or nsd.EventDriven(),
        initial={z: 1.0},
        **{"step": 5e-3, "end": 8.5, **settings},
    )


def impacts(run, kind="closes"):
    return np.array([event.time for event in run.events if event.kind == kind])


class TestBouncingBall:
    def test_the_times_of_all_impacts(self):
        """t_n = t_1 (1 + 2 (e + ... + e^n)), t_1 = sqrt(2 / g): forty-four of them before they accumulate."""
        times = impacts(ball().run())
        n = np.arange(len(times))
        exact = np.sqrt(2 / G) * (1 + 2 * (0.9 - 0.9 ** (n + 1)) / 0.1)
        assert len(times) == 44
        np.testing.assert_allclose(times, exact, rtol=0, atol=1e-12)

    def test_both_sides_of_an_event_are_recorded(self):
        run = ball().run()
        for event in run.events:
            assert event.name == "floor" and event.after == event.before + 1
            before, after = run["ball.z_dot"][event.before], run["ball.z_dot"][event.after]
            np.testing.assert_allclose(after, -0.9 * before, rtol=1e-14)
            np.testing.assert_allclose(run["floor.impulse"][event.after], after - before, rtol=1e-13)
            assert abs(run["ball.z"][event.before]) < 3e-14  # the speed times the rounding of the time
        on_grid = np.diff(run.time, prepend=-1) > 0
        assert np.count_nonzero(run["floor.impulse"]) == len(run.events) and on_grid.sum() >= 1701

    def test_instants_of_the_grid_are_those_of_any_run(self):
        run = ball(end=2.0).run()
        known = {event.time for event in run.events}
        np.testing.assert_array_equal([t for t in run.time if t not in known], 5e-3 * np.arange(401))

    def test_impacts_that_accumulate_end_in_rest(self):
        """After t_1 (1 + e) / (1 - e) the ball lies still, with its weight as the contact force."""
        run = ball(end=10.0).run()
        still = np.sqrt(2 / G) * 1.9 / 0.1
        last = run.events[-1].time
        assert abs(last - still) < 1e-12
        resting = run.time > last
        assert np.abs(run["ball.z"][resting]).max() < 1e-13 and np.abs(run["ball.z_dot"][resting]).max() < 1e-13
        np.testing.assert_allclose(run["floor.force"][resting], G, rtol=1e-13)
        assert np.all(run["floor.closed"][resting] == 1)

    def test_a_perfect_bounce_keeps_its_energy_over_ten_thousand_impacts(self):
        times = np.sqrt(2 / G)
        run = ball(restitution=1.0, end=20000.5 * times, step=times).run()
        energy = run["ball.z_dot"] ** 2 / 2 + G * run["ball.z"]
        assert len(run.events) == 10000
        assert np.abs(energy / G - 1).max() < 2e-11  # 1e-15 an impact
        np.testing.assert_allclose(impacts(run), times * (1 + 2 * np.arange(10000)), rtol=2e-11)

    def test_a_plastic_impact_stays(self):
        run = ball(restitution=0.0, end=1.0).run()
        (event,) = run.events
        np.testing.assert_allclose(event.time, np.sqrt(2 / G), rtol=1e-15)
        assert run.final["ball.z_dot"] == 0 and run["floor.closed"][event.after] == 1

    def test_an_impact_at_the_start(self):
        run = ball().run(initial={"ball.z": 0.0, "ball.z_dot": -1.0}, end=0.3)
        first, second = run.events
        assert (first.kind, first.before, first.after, first.time) == ("start", 0, 1, 0.0)
        assert run["ball.z_dot"][0] == -1.0 and run["ball.z_dot"][1] == pytest.approx(0.9, abs=1e-15)
        np.testing.assert_allclose(second.time, 2 * 0.9 / G, atol=1e-15)

    def test_a_ball_at_rest_at_the_start(self):
        run = ball().run(initial={"ball.z": 0.0}, end=0.1)
        assert not run.events and np.all(run["floor.force"] == pytest.approx(G)) and np.all(run["ball.z"] == 0)

    def test_the_same_model_under_time_stepping(self):
        """Only the scheme changes; the trajectories come together as the step goes to zero."""
        exact = ball(end=1.5).run()
        off = []
        for step in (1e-3, 2.5e-4):
            run = ball(nsd.MoreauJean(), step=step, end=1.5).run()
            off.append(np.abs(np.interp(run.time, exact.time, exact["ball.z"]) - run["ball.z"]).max())
        assert off[1] < 0.5 * off[0] and off[1] < 5e-3

    def test_other_values_need_no_compilation(self):
        compiled = ball().compile()
        loose = compiled.run(end=2.0, parameters={"e": 0.5}, options={"rtol": 1e-6, "rest_rate": 1e-2})
        assert loose["floor.closed"][-1] == 1 and len(loose.events) < 15


class TestRest:
    def test_a_table_that_falls_away_faster_than_gravity(self):
        """Above g omega^-2 sin the ball leaves where the table's acceleration is -g, to the last digits."""
        a, omega = 0.05, 20.0
        body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
        table = a * sp.sin(omega * nsd.time)
        run = nsd.Model(
            "events_table",
            [body],
            [nsd.Contact("table", z - table, nsd.NewtonImpact(0))],
            scheme=nsd.EventDriven(),
            step=0.01,
            end=0.2,
            initial={z: 0, z.diff(): a * omega},
        ).run()
        leaves = next(event for event in run.events if event.kind == "opens")
        np.testing.assert_allclose(leaves.time, np.arcsin(G / (a * omega**2)) / omega, rtol=1e-13)
        assert abs(run["table.force"][leaves.before]) < 1e-10

    def test_a_column_of_ten_balls_bounces_as_one(self):
        m, r = sp.symbols("m r", positive=True)
        proto = nsd.LagrangianSystem("ball", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * G * z)
        balls = proto.copies(10, initial={z: 0.5 + 0.02 * np.arange(10)})
        low, high = (balls[i].coordinate(z) for i in (0, 1))
        touch = nsd.Contact("touch", high - low - 2 * r, nsd.NewtonImpact(1))
        run = nsd.Model(
            "events_column",
            [balls],
            [
                nsd.Contact("floor", low - r, nsd.NewtonImpact(1)),
                touch.copies([(i, i + 1) for i in range(9)], like=(balls[0], balls[1])),
            ],
            scheme=nsd.EventDriven(),
            step=0.01,
            end=1.0,
            parameters={m: 0.1, r: 0.01},
        ).run()
        times = impacts(run)
        first = np.sqrt(2 * 0.49 / G)
        np.testing.assert_allclose(times[0], first, rtol=1e-13)
        for i in range(10):
            np.testing.assert_allclose(run[f"ball {i}.z"] - run["ball 0.z"], 0.02 * i, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("law", "speeds", "close"),
    [
        (nsd.NewtonImpact(1), (-1 / 3, 2 / 3, 2 / 3), 1e-12),
        (nsd.PoissonImpact(1), (-1 / 3, 2 / 3, 2 / 3), 1e-12),
        (nsd.MultipleImpact(1, exponent=1), (-0.130, 0.150, 0.980), 1e-3),
        (nsd.MultipleImpact(1), (-0.071, 0.076, 0.995), 1e-3),
    ],
)
def test_three_balls_in_a_row_under_the_laws_of_impacts(law, speeds, close):
    """Two balls that touch are hit by a third; energy and momentum are kept."""
    places = dynamicsymbols("b:3")
    line = [nsd.LagrangianSystem(f"ball {i}", [b], kinetic=b.diff() ** 2 / 2) for i, b in enumerate(places)]
    links = [nsd.Contact(f"link {i}", high - low, law) for i, (low, high) in enumerate(pairwise(places))]
    run = nsd.Model(
        "events_row",
        line,
        links,
        scheme=nsd.EventDriven(),
        step=0.03,
        end=0.3,
        initial={**dict.fromkeys(places, 0), places[0]: -0.1, places[0].diff(): 1},
    ).run()
    final = [run.final[f"ball {i}.b{i}_dot"] for i in range(3)]
    np.testing.assert_allclose(run.events[0].time, 0.1, rtol=1e-14)
    np.testing.assert_allclose(final, speeds, atol=close)
    np.testing.assert_allclose([sum(final), sum(v * v for v in final)], 1, rtol=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_poissons_law_of_a_single_contact_is_newtons(e):
    runs = []
    for law in (nsd.NewtonImpact(e), nsd.PoissonImpact(e)):
        body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
        runs.append(
            nsd.Model(
                "events_phases",
                [body],
                [nsd.Contact("floor", z, law)],
                scheme=nsd.EventDriven(),
                step=0.01,
                end=2.5,
                initial={z: 1.0},
            ).run()
        )
    assert runs[0]["floor.closed"][-1] == runs[1]["floor.closed"][-1] == 1
    times = [[event.time for event in run.events] for run in runs]
    count = min(map(len, times))
    np.testing.assert_allclose(times[0][:count], times[1][:count], atol=1e-12)


def rod_pendulum(law, **settings):
    body = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=-G * y)
    length = 1 - x**2 - y**2
    rod = nsd.Bilateral("rod", length) if law is None else nsd.Contact("rod", length, law)
    return nsd.Model(
        "events_pendulum",
        [body],
        [rod],
        scheme=nsd.EventDriven(rtol=1e-12, atol=1e-14),
        step=0.01,
        end=10,
        initial={x: np.sin(np.pi / 3), y: np.cos(np.pi / 3)},
        **settings,
    )


@pytest.mark.parametrize("law", [None, nsd.NewtonImpact(0.9)])
def test_a_taut_pendulum_has_the_period_of_the_elliptic_integral(law):
    """As a constraint, and as a contact that stays closed; the tension is that of the circle."""
    run = rod_pendulum(law).run()
    angle = np.arctan2(run["bob.x"], run["bob.y"])
    period = 4 * np.sqrt(1 / G) * ellipk(np.sin(np.pi / 6) ** 2)
    swing = rod_pendulum(law, stop_when=nsd.StopWhen(x, "rising")).run()
    np.testing.assert_allclose(swing.time[-1], 0.75 * period, rtol=1e-11)
    energy = (run["bob.x_dot"] ** 2 + run["bob.y_dot"] ** 2) / 2 - G * run["bob.y"]
    assert np.ptp(energy) < 1e-9 and np.abs(run["bob.x"] ** 2 + run["bob.y"] ** 2 - 1).max() < 1e-9
    tension = 3 * G * np.cos(angle) - 2 * G * np.cos(np.pi / 3)
    np.testing.assert_allclose(run["rod.force"], tension / 2, atol=1e-8)
    assert not run.events


def test_a_smooth_system_without_relations():
    """Kepler's ellipse of eccentricity 0.6 closes after 2 pi."""
    r = sp.sqrt(x**2 + y**2)
    body = nsd.LagrangianSystem("planet", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=-1 / r)
    run = nsd.Model(
        "events_kepler",
        [body],
        scheme=nsd.EventDriven(rtol=1e-13, atol=1e-14),
        step=0.01,
        end=2 * np.pi,
        initial={x: 0.4, y: 0, y.diff(): 2.0},
    ).run()
    np.testing.assert_allclose(
        [run["planet.x"][-2], run["planet.y"][-2]], kepler(run.time[-2], 0.6), rtol=0, atol=1e-11
    )


def kepler(t, eccentricity):
    anomaly = t
    for _ in range(50):
        anomaly -= (anomaly - eccentricity * np.sin(anomaly) - t) / (1 - eccentricity * np.cos(anomaly))
    return np.cos(anomaly) - eccentricity, np.sqrt(1 - eccentricity**2) * np.sin(anomaly)


def test_a_first_order_system():
    u = dynamicsymbols("u")
    decay = nsd.FirstOrderSystem("decay", [u], rhs=[-u])
    run = nsd.Model(
        "events_decay",
        [decay],
        scheme=nsd.EventDriven(),
        step=0.1,
        end=5,
        initial={u: 1},
        stop_when=u - sp.Rational(1, 2),
    ).run()
    np.testing.assert_allclose(run.time[-1], np.log(2), rtol=1e-11)
    assert run.events[-1].name == "stop" and run.events[-1].kind == "zero"


@pytest.mark.parametrize(("rtol", "fast"), [(1e-6, 100), (1e-8, 1000), (1e-10, 4000)])
def test_what_dies_out_fast_is_as_exact_inside_of_steps_as_at_their_ends(rtol, fast):
    """x' = -k (x - cos t), recorded inside of steps that k allows and tolerances would have longer."""
    lag = nsd.FirstOrderSystem("lag", [x, y], [-fast * (x - sp.cos(nsd.time)), x - y / 2])
    scheme = nsd.EventDriven(rtol=rtol)
    run = nsd.Model("lag", [lag], scheme=scheme, step=0.1, end=20, initial={x: 0, y: 0}).compile(interpret=True).run()
    exact = (fast**2 * (np.cos(run.time) - np.exp(-fast * run.time)) + fast * np.sin(run.time)) / (fast**2 + 1)
    assert abs(run["x"] - exact).max() < 6 * rtol


def test_a_long_run_may_make_short_steps():
    """x' = cos 50 t - x wants steps of 0.01 s; of a run of 1e7 s they were called hopeless after 28 s."""
    slow = nsd.FirstOrderSystem("slow", [x, y], [sp.cos(50 * nsd.time) - x, 1])
    run = nsd.Model(
        "m", [slow], scheme=nsd.EventDriven(), step=1, end=1e7, initial={x: 1, y: 0}, stop_when=y - sp.Rational(101, 2)
    ).run()
    exact = (np.cos(50 * run.time) + 50 * np.sin(50 * run.time) + 2500 * np.exp(-run.time)) / 2501
    assert run.time[-1] > 50 and np.abs(run["x"] - exact).max() < 1e-8


def test_a_spinning_brick_keeps_its_energy_and_momentum():
    brick = nsd.RigidBody("brick", mass=1, inertia=sp.diag(1, 2, 3))
    run = nsd.Model(
        "events_brick",
        [brick],
        scheme=nsd.EventDriven(),
        step=0.05,
        end=20,
        initial={brick.position: [0, 0, 0], brick.angular_velocity: [0.01, 2, 0.02]},
    ).run()
    w = run["brick.angular_velocity"]
    energy = (w**2 * [1, 2, 3]).sum(axis=1)
    momentum = (w**2 * [1, 4, 9]).sum(axis=1)
    assert np.ptp(energy) < 1e-8 and np.ptp(momentum) < 1e-8 and np.ptp(w[:, 1]) > 3.9
    np.testing.assert_allclose(np.linalg.norm(run["brick.quaternion"], axis=1), 1, atol=1e-8)


def test_a_tumbling_brick_comes_to_lie_on_four_corners():
    """The example under the other scheme: half its thickness above the ground, on more corners than would hold it."""
    model = load("tumbling_brick").model
    run = nsd.Model(
        "events_tumbling_brick",
        model.systems,
        model.relations,
        scheme=nsd.EventDriven(),
        step=0.01,
        end=1.5,
        parameters=model.parameters,
        initial=model.initial,
    ).run()
    assert len(run.events) > 50
    assert abs(run["brick.position"][-1, 2] - 0.04) < 1e-9
    assert np.abs(run["brick.angular_velocity"][-1, :2]).max() < 1e-9  # without friction it spins on about the vertical
    assert sum(run.final[name] for name in run.names if name.endswith(".closed")) == 4
    assert min(run[name].min() for name in run.names if name.endswith(".gap")) > -1e-10


class TestRefused:
    def test_an_endless_accumulation_is_named(self):
        with pytest.raises(NotConverged, match=r"more than 100 events.*floor.closes is zero") as caught:
            ball(end=10.0).run(options={"rest_rate": 0.0, "most_events": 100})
        assert caught.value.trajectory.time[-1] > 8

    def test_a_pole_of_the_force_is_named(self):
        body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2, forces=[1 / (1 - nsd.time) ** 2])
        model = nsd.Model("events_pole", [body], scheme=nsd.EventDriven(), step=0.1, end=2, initial={z: 0})
        with pytest.raises(NotConverged, match="not integrated to its tolerances"):
            model.run()

    def test_a_rate_that_is_noise_is_named(self):
        """It had been integrated as if it were smooth: a million evaluations, and more where the horizon is farther."""
        noise = nsd.FirstOrderSystem("noise", [x], [sp.sin(1e17 * nsd.time) / 10])
        model = nsd.Model("events_noise", [noise], scheme=nsd.EventDriven(), step=1e-4, end=1e-4, initial={x: 1})
        with pytest.raises(NotConverged, match="not integrated to its tolerances"):
            model.compile(interpret=True).run()

    @pytest.mark.parametrize(
        ("rate", "end", "exact"),
        [
            (-1e6 * (x - sp.cos(nsd.time)), 0.1, np.cos(0.1 - 1e-6)),  # steps as short as stability asks for
            (sp.sign(sp.sin(1e5 * nsd.time)), 4e-4 * np.pi, 1.0),  # a jump after every 15 short steps
        ],
        ids=["stiff", "jumps"],
    )
    def test_no_noise(self, rate, end, exact):
        system = nsd.FirstOrderSystem("system", [x], [rate])
        model = nsd.Model("events_no_noise", [system], scheme=nsd.EventDriven(), step=end, end=end, initial={x: 1})
        np.testing.assert_allclose(model.compile(interpret=True).run()["x"][-1], exact, rtol=1e-8)

    def test_systems_under_several_schemes(self):
        bodies = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2) for n, q in (("a", x), ("b", y))]
        model = nsd.Model(
            "events_mixed",
            bodies,
            scheme={bodies[0]: nsd.EventDriven(), bodies[1]: nsd.MoreauJean()},
            step=0.1,
            end=1,
            initial={x: 0, y: 0},
        )
        with pytest.raises(ModelError, match="one and the same scheme"):
            model.run()

    def test_a_block_that_python_computes(self):
        u = sp.Symbol("u")
        body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, forces=[u])
        block = nsd.Sampled("control", 0.1, samples={"x": x}, holds=[u], computed_by=lambda: lambda t, s: -s["x"])
        model = nsd.Model(
            "events_block_control", [body], blocks=[block], scheme=nsd.EventDriven(), step=0.1, end=1, initial={x: 1}
        )
        with pytest.raises(ModelError, match="called at ends of steps only"):
            model.run()


def test_what_is_recorded_has_the_units_of_what_it_is():
    """M xi = H^T s moves a configuration: s is no impulse; where a force has a unit of one's own, "^2" is none."""
    x, z = dynamicsymbols("x z")
    block = nsd.LagrangianSystem("b", [x, z], kinetic=(x.diff() ** 2 + z.diff() ** 2) / 2, potential=10 * z)
    for unit, expected in (((), ["kg m", "m/s^2", "m/s^2"]), (["lbf"], ["", "", "m/s^2"])):
        law = nsd.NewtonImpactFriction(0.5, 0.3)
        floor = nsd.Contact("c", gap=z, law=law, tangent=[x], units=unit)
        initial = {z: 1, x: 0, x.diff(): 1, z.diff(): 0}
        model = nsd.Model("m", [block], [floor], scheme=nsd.EventDriven(), step=0.1, end=0.1, initial=initial)
        names = ("displacing", "free_gap_acceleration", "sliding_acceleration")
        assert [model.run().unit(name) for name in names] == expected
