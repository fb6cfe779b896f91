"""Event-driven integration where events meet: at once, at the start, at the end, in passing, anew after rest."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import SolverError

x, y, z, phi = dynamicsymbols("x y z phi")
G = 9.81


def falling(name, q, mass=1):
    return nsd.LagrangianSystem(name, [q], kinetic=mass * q.diff() ** 2 / 2, potential=mass * G * q)


def test_impacts_at_one_instant_in_several_places():
    """Balls that do not know of each other, let go at one height: each has the times of one alone."""
    places = dynamicsymbols("h:3")
    balls = [falling(f"ball {i}", q) for i, q in enumerate(places)]
    floors = [nsd.Contact(f"floor {i}", q, nsd.NewtonImpact(0.5)) for i, q in enumerate(places)]
    run = nsd.Model(
        "events_together", balls, floors, scheme=nsd.EventDriven(), step=0.01, end=1.5, initial=dict.fromkeys(places, 1)
    ).run()
    for i in range(3):
        np.testing.assert_allclose(run[f"ball {i}.h{i}"], run["ball 0.h0"], rtol=0, atol=1e-13)
    first = run.events[0]
    np.testing.assert_allclose(
        [run[f"floor {i}.impulse"][first.after] for i in range(3)], 1.5 * np.sqrt(2 * G), rtol=1e-12
    )


@pytest.mark.parametrize("e", [0.41, 0.3, 0.5])
def test_a_bar_that_falls_flat_strikes_with_both_ends_to_the_last(e):
    """Their gaps differ by the rounding of where the bar was dropped, however low it bounces; it never turns."""
    height = 0.40858446882186106
    bar = nsd.LagrangianSystem("bar", [x, phi], kinetic=x.diff() ** 2 / 2 + 0.0459 * phi.diff() ** 2, potential=x)
    ends = [nsd.Contact(f"end {i}", x + s * sp.sin(phi) / 2, nsd.NewtonImpact(e)) for i, s in enumerate((-1, 1))]
    run = nsd.Model(
        "flat_bar", [bar], ends, scheme=nsd.EventDriven(), step=0.05, end=5, initial={x: height, phi: 0}
    ).run()
    assert abs(run["phi_dot"]).max() < 1e-13
    assert run.events[-1].time == pytest.approx(np.sqrt(2 * height) * (1 + e) / (1 - e), rel=1e-6)


def test_an_impact_at_the_end_of_the_run():
    """Both of its sides belong to the run, or what comes is in the next one: nothing is lost, nothing fails."""
    hit = np.sqrt(2 / G)
    model = nsd.Model(
        "events_end",
        [falling("ball", x)],
        [nsd.Contact("floor", x, nsd.NewtonImpact(0.5))],
        scheme=nsd.EventDriven(),
        step=hit,
        end=hit,
        initial={x: 1},
    ).compile()
    run = model.run()
    assert abs(run.final["ball.x"]) < 1e-13
    longer = model.run(step=hit / 8, end=2 * hit)
    np.testing.assert_allclose(longer.events[0].time, hit, rtol=1e-14)
    np.testing.assert_allclose(longer.final["ball.x"], 0, atol=1e-12)  # it is back: 2 e / (1 + e) hit later


def test_a_table_that_is_grazed():
    """A ball thrown up to just below a ceiling; and to just above it, where it strikes slowly."""
    for above, count in ((-1e-9, 0), (1e-9, 1)):
        speed = np.sqrt(2 * G * (1 + above))
        run = nsd.Model(
            "events_grazed",
            [falling("ball", x)],
            [nsd.Contact("ceiling", 1 - x, nsd.NewtonImpact(1))],
            scheme=nsd.EventDriven(),
            step=0.05,
            end=0.6,
            initial={x: 0, x.diff(): speed},
        ).run()
        assert len(run.events) == count and run["ceiling.gap"].min() > -1e-13
        np.testing.assert_allclose(
            run.final["ball.x_dot"], speed - 0.6 * G - 2 * count * np.sqrt(2 * G * 1e-9), rtol=0, atol=1e-7
        )


def test_a_ball_on_a_table_bounces_comes_to_rest_and_is_thrown_again():
    """In every period the table throws it where its acceleration is -g; rest in between, after accumulated impacts."""
    a, omega = 0.02, 25.0  # a omega^2 = 1.27 g
    table = a * sp.sin(omega * nsd.time)
    law = nsd.NewtonImpact(0.3)
    run = nsd.Model(
        "events_chatter",
        [falling("ball", x)],
        [nsd.Contact("table", x - table, law)],
        scheme=nsd.EventDriven(),
        step=0.005,
        end=1.2,
        initial={x: 0, x.diff(): a * omega},
    ).run()
    period, leaves = 2 * np.pi / omega, np.arcsin(G / (a * omega**2)) / omega
    opened = np.array([e.time for e in run.events if e.kind == "opens"])
    assert len(opened) == 5
    np.testing.assert_allclose(opened, leaves + period * np.arange(5), rtol=0, atol=1e-9)
    impacts = [e for e in run.events if e.kind == "closes"]
    rests = [e.time for e in impacts if run["closed"][e.after]]
    assert len(rests) == 5 and len(impacts) > 30  # each time they accumulate
    steps = nsd.Model(
        "steps_chatter",
        [falling("ball", x)],
        [nsd.Contact("table", x - table, law)],
        scheme=nsd.MoreauJean(),
        step=2e-5,
        end=1.2,
        initial={x: 0, x.diff(): a * omega},
    ).run()
    np.testing.assert_allclose(np.interp(run.time, steps.time, steps["ball.x"]), run["ball.x"], rtol=0, atol=2e-4)


def test_two_balls_one_above_the_other():
    """A column that bounces, clatters and comes to rest: impacts between the balls and with the floor accumulate."""
    law = nsd.NewtonImpact(0.4)
    balls = [falling("low", x, 2), falling("high", y, 1)]
    contacts = [nsd.Contact("floor", x, law), nsd.Contact("between", y - x - sp.Rational(1, 10), law)]
    settings = {"initial": {x: 0.3, y: 0.8}}
    run = nsd.Model("events_two", balls, contacts, scheme=nsd.EventDriven(), step=0.01, end=2.5, **settings).run()
    steps = nsd.Model("steps_two", balls, contacts, scheme=nsd.MoreauJean(), step=5e-6, end=1.5, **settings).run()
    both = run.time <= 1.5
    for name in ("low.x", "high.y"):
        between = np.interp(run.time[both], steps.time, steps[name])
        np.testing.assert_allclose(between, run[name][both], rtol=0, atol=1e-3)
    assert run.final["floor.closed"] == run.final["between.closed"] == 1
    np.testing.assert_allclose([run.final["floor.force"], run.final["between.force"]], [3 * G, G], rtol=1e-10)


def test_a_run_goes_on_from_each_of_its_events():
    """Restarted from the row behind an event it is the same run to rounding, modes of contacts included."""
    k, v = 10.0, 0.5
    mass = nsd.LagrangianSystem(
        "mass", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y + k * x**2 / 2
    )
    belt = nsd.Contact("belt", y, nsd.NewtonImpactFriction(0, 0.3), tangent=x.diff() - v)
    model = nsd.Model(
        "events_restart", [mass], [belt], scheme=nsd.EventDriven(), step=0.01, end=3.0, initial={x: 0, y: 0}
    ).compile()
    run = model.run()
    assert len(run.events) > 1
    for event in run.events:
        again = model.run(restart=(run, event.after), step=(3.0 - event.time) / 100, end=3.0)
        np.testing.assert_allclose(again.final["mass.x"], run.final["mass.x"], atol=1e-8)


def rod(friction, rate):
    """A rod whose tip slides on the floor, its centre ahead of the tip."""
    body = nsd.LagrangianSystem(
        "rod", [x, y, phi], potential=G * y, kinetic=(x.diff() ** 2 + y.diff() ** 2 + phi.diff() ** 2 / 3) / 2
    )
    tip = nsd.Contact("tip", y - sp.sin(phi), nsd.NewtonImpactFriction(0, friction), tangent=x - sp.cos(phi))
    return nsd.Model(
        "events_rod",
        [body],
        [tip],
        scheme=nsd.EventDriven(),
        step=1e-3,
        end=0.05,
        initial={x: 0, y: np.sin(1.0), phi: 1.0, x.diff(): -3.0, phi.diff(): rate, y.diff(): rate * np.cos(1.0)},
    )


def test_painleves_rod_without_a_solution_is_refused():
    """With mu = 2 no force keeps its tip from going down while it slides; with 0.3 there is one, and it is right."""
    with pytest.raises(SolverError, match="Painleve") as caught:
        rod(2, 0.0).run()
    assert "tip" in str(caught.value) and "at t = 0 its gap is " in str(caught.value)
    run = rod(0.3, 0.0).run()
    c, s = np.cos(1.0), np.sin(1.0)
    # y'' = -g + N, phi'' = 3 (-cos N + sin 0.3 N) of the contact's lever; the tip's acceleration is zero
    force = G / (1 + 3 * c * (c - 0.3 * s))
    np.testing.assert_allclose(run["tip.force"][0], [force, 0.3 * force], rtol=1e-10)


def pendulum_with_a_stop(height, starts):
    """Two rods of 0.5 m with their masses at the ends over a rough floor; the lower one turns by no more than 1 rad."""
    a, b = dynamicsymbols("a b")
    energy = (a.diff() ** 2 + b.diff() ** 2 / 2 + a.diff() * b.diff() * sp.cos(a - b)) / 4
    rods = nsd.LagrangianSystem("rods", [a, b], kinetic=energy, potential=-G * (2 * sp.cos(a) + sp.cos(b)) / 2)
    floor = nsd.Contact(
        "floor",
        height - (sp.cos(a) + sp.cos(b)) / 2,
        nsd.NewtonImpactFriction(0.8, 1),
        tangent=(sp.sin(a) + sp.sin(b)) / 2,
    )
    stops = [nsd.Contact(f"stop{i}", 1 + s * (b - a), nsd.NewtonImpact(0.8)) for i, s in enumerate((-1, 1))]
    return nsd.Model(
        "events_jam",
        [rods],
        [floor, *stops],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=10.0,
        initial=dict(zip([a, b], starts, strict=True)),
    )


def test_impacts_that_are_only_nearly_at_one_instant():
    """Floor and stop clatter; all gaps that count as closed leave no impulse at last, the one that is zero does."""
    run = pendulum_with_a_stop(0.7, [-1.4827238, -1.1884333]).run()
    assert run.final["floor.closed"] == 1 and abs(run.final["floor.gap"]) < 1e-9
    assert max(abs(run.final["rods.a_dot"]), abs(run.final["rods.b_dot"])) < 1e-9


def test_an_impact_that_friction_jams_is_refused_with_its_state():
    """The tip slides on the floor as the stop strikes, to rebound: by all active sets there is no impulse."""
    a, b = -0.07, 0.93
    slides = np.linalg.solve([[np.sin(a), np.sin(b)], [np.cos(a), np.cos(b)]], [0, -2.0])
    with pytest.raises(SolverError, match="where things strike") as caught:
        pendulum_with_a_stop((np.cos(a) + np.cos(b)) / 2, [a, b]).run(
            initial=dict(zip(["rods.a_dot", "rods.b_dot"], slides, strict=True))
        )
    assert "'floor'" in str(caught.value) and "sliding_rate is -1" in str(caught.value)


def test_floor_and_stop_strike_in_turns_until_the_rods_rest():
    """They do so as their intervals fall to nothing: taken as one impact, they would leave no impulse at the last."""
    run = pendulum_with_a_stop(0.8, [0.50104594, 0.86892932]).run()
    a, b = run["rods.a_dot"], run["rods.b_dot"]
    energy = (a**2 + b**2 / 2 + a * b * np.cos(run["rods.a"] - run["rods.b"])) / 4
    energy -= G * (2 * np.cos(run["rods.a"]) + np.cos(run["rods.b"])) / 2
    assert np.diff(energy[run.time > 0.2]).max() < 1e-9  # Newton's law with friction gave some in the first impact
    assert max(abs(a[-1]), abs(b[-1])) < 1e-9
    assert run.final["floor.closed"] == 1 and min(run[f"{name}.gap"].min() for name in ("floor", "stop0")) > -1e-9


def test_what_bears_nothing_at_rest_does_not_pull():
    """Three closed rows on two coordinates: the least norm of what holds them had the stop pull by 2.2 N."""
    run = pendulum_with_a_stop(0.8, [1.52527417, 2.31835436]).run()
    assert run.final["floor.closed"] == 1 and abs(run.final["rods.b_dot"]) < 1e-9
    assert min(run[f"{name}.force"].min() for name in ("stop0", "stop1")) > -1e-9
    normal, friction = run["floor.force"].T
    assert normal.min() > -1e-9 and np.all(abs(friction) <= normal + 1e-9)


def test_where_two_motions_are_possible_the_contact_opens():
    """Painleve's other case: the tip would rise without a force, and a force would hold it as well. It rises."""
    run = rod(2, -6.0).run()
    assert run["tip.closed"][1] == 0 and np.all(run["tip.gap"][2:] > 0)


@pytest.mark.parametrize("within", [0.9, 0.3, 0.05])
def test_a_touch_and_go_before_another_event(within):
    """A puck that a field drives away strikes a wall between two looks, where without it it had turned just behind it;
    a ball falls on the floor in what is left of that time. The puck: x = 1 - v t + a t^2 / 2, v^2 = 2 a (1 + deep)."""
    a, deep, step = 50.0, 2e-4, 0.11
    speed = np.sqrt(2 * a * (1 + deep))
    hit = (speed - np.sqrt(speed**2 - 2 * a)) / a
    back = (speed + np.sqrt(speed**2 - 2 * a)) / a
    other = back + within * (2 * step - back)
    assert step < hit < back < other < 2 * step
    puck = nsd.LagrangianSystem("puck", [x], kinetic=x.diff() ** 2 / 2, potential=-a * x)
    run = nsd.Model(
        "events_touch_and_go",
        [puck, falling("ball", y)],
        [nsd.Contact("wall", x, nsd.NewtonImpact(0.5)), nsd.Contact("floor", y, nsd.NewtonImpact(0))],
        scheme=nsd.EventDriven(),
        step=step,
        end=3 * step,
        initial={x: 1, x.diff(): -speed, y: G * other**2 / 2},
    ).run()
    assert [event.name for event in run.events] == ["wall", "floor"]
    np.testing.assert_allclose([event.time for event in run.events], [hit, other], rtol=1e-9)


def test_restitution_zero_by_a_parameter():
    """A sweep over e with zero among its values: each member is the ball by hand, and that of its own run."""
    e = sp.Symbol("e")
    model = nsd.Model(
        "events_restitution",
        [falling("ball", z)],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=0.8,
        parameters={e: 0},
        initial={z: 1},
    ).compile(interpret=True)
    values = [0.0, 1e-320, 0.25, 0.0, 1.0]
    members = model.ensemble(parameters={"e": values})
    assert members.failures == ()
    fall = np.sqrt(2 / G)
    for member, value in zip(members.final, values, strict=True):
        run = model.run(parameters={"e": value})
        assert np.array_equal(np.array(list(member)), run.table[-1])
        since = 0.8 - fall
        expected = max(value * G * fall * since - G * since**2 / 2, 0.0) if value in (0.25, 1.0) else 0.0
        if value != 0.25:  # that one has bounced again
            np.testing.assert_allclose(run.final["ball.z"], expected, atol=1e-12)
        first = next(event for event in run.events if event.name == "floor")
        np.testing.assert_allclose(run["ball.z_dot"][first.after], value * G * fall, atol=1e-12)
