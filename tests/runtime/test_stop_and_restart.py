"""Runs that end where an expression is zero, and runs that go on from a recorded row."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

z, y, u = dynamicsymbols("z y u")
level = sp.Symbol("level")
G = 9.81
SCHEMES = {"steps": nsd.MoreauJean(), "events": nsd.EventDriven()}


def falling(scheme, stop_when, **settings):
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model(
        "stop_falling",
        [ball],
        scheme=scheme,
        initial={z: 1.0},
        stop_when=stop_when,
        parameters={level: 0.5},
        **{"step": 0.05, "end": 1.0, **settings},
    )


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
@pytest.mark.parametrize("start", [0.0, 3.0])
def test_the_run_ends_where_the_ball_passes_a_level(scheme, start):
    """theta = 1/2 is exact for a constant force, so that both schemes know the time sqrt(2 (1 - level) / g)."""
    run = falling(scheme, z - level, start=start, end=start + 1).run()
    (event,) = run.events
    assert (event.name, event.kind, event.before, event.after) == ("stop", "zero", len(run) - 1, len(run) - 1)
    assert abs(run.time[-1] - start - np.sqrt(1 / G)) < 1e-15 * max(1, 8 * start)
    assert abs(run.final["ball.z"] - 0.5) < 1e-14
    other = falling(scheme, z - level).run(parameters={"level": 0.75})
    assert abs(other.time[-1] - np.sqrt(0.5 / G)) < 1e-15


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_the_direction_counts_and_the_first_of_several_ends_the_run(scheme):
    body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2, potential=z**2 / 2)

    def end(*stops):
        return nsd.Model(
            "stop_oscillator", [body], scheme=scheme, initial={z: 1.0}, step=0.001, end=20.0, stop_when=list(stops)
        ).run()

    close = 1e-5 if isinstance(scheme, nsd.MoreauJean) else 1e-10
    np.testing.assert_allclose(end(z).time[-1], np.pi / 2, atol=close)
    np.testing.assert_allclose(end(nsd.StopWhen(z, "rising")).time[-1], 1.5 * np.pi, atol=close)
    np.testing.assert_allclose(end(z.diff()).time[-1], np.pi, atol=close)  # zero at the start: not looked at there
    run = end(nsd.StopWhen(z, "rising", name="up"), nsd.StopWhen(z.diff(), "falling", name="turn"))
    assert run.events[-1].name == "up"
    np.testing.assert_allclose(run.time[-1], 1.5 * np.pi, atol=close)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_an_expression_of_two_systems(scheme):
    """Two balls from 1 m and from 0 m upwards at 2 m/s meet after half a second."""
    balls = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=G * q) for n, q in (("a", z), ("b", y))]
    run = nsd.Model(
        "stop_meeting", balls, scheme=scheme, initial={z: 1.0, y: 0.0, y.diff(): 2.0}, step=0.03, end=1, stop_when=z - y
    ).run()
    np.testing.assert_allclose(run.time[-1], 0.5, rtol=1e-14)


def test_systems_under_different_schemes():
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    tank = nsd.FirstOrderSystem("tank", [u], rhs=[-u])
    run = nsd.Model(
        "stop_mixed",
        [ball, tank],
        scheme={ball: nsd.MoreauJean(), tank: nsd.ThetaGamma()},
        step=1e-3,
        end=5,
        initial={z: 1.0, u: 1.0},
        stop_when=z + u - 1,
    ).run()
    assert abs(run.final["ball.z"] + run.final["tank.u"] - 1) < 1e-13 and run.time[-1] < 5


def test_a_condition_that_is_never_met_changes_nothing():
    free, watched = falling(nsd.MoreauJean(), None).run(), falling(nsd.MoreauJean(), z + 100).run()
    assert len(free) == len(watched) and not watched.events
    np.testing.assert_array_equal(free["ball.z"], watched["ball.z"])


@pytest.mark.parametrize(
    ("stop", "what"),
    [(nsd.time > 1, "involves no system"), ("z", "stop"), (u, "involves no system"), (sp.Symbol("k") * z, "k")],
)
def test_what_is_no_condition_is_refused(stop, what):
    with pytest.raises(ModelError, match=what):
        falling(nsd.MoreauJean(), stop)


def test_a_direction_that_is_none():
    with pytest.raises(ModelError, match="direction='up' is unknown"):
        nsd.StopWhen(z, "up")


def bouncing(scheme, **settings):
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model(
        "restart_ball",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0.8))],
        scheme=scheme,
        initial={z: 1.0},
        **{"step": 2.0**-8, "end": 2.0, **settings},
    )


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.SchatzmanPaoli(), nsd.D1Minus()], ids=lambda s: s.name)
def test_a_run_goes_on_as_if_it_had_not_been_interrupted(scheme):
    """The step is a power of two, so that times are exact; every row but its counters is the same to the last bit."""
    whole = bouncing(scheme).run()
    for row in (1, 130, 300):
        rest = bouncing(scheme).run(restart=(whole, row))
        np.testing.assert_array_equal(rest.time, whole.time[row:])
        np.testing.assert_array_equal(rest.table, whole.table[row:])


def test_states_of_two_steps_want_steps_of_one_length():
    """The last position is h before; taken for that of another h, a body flew on at twice its speed, or at 1e14 m/s."""
    model = bouncing(nsd.SchatzmanPaoli())
    whole = model.run(end=1.0)
    for first in (whole, bouncing(nsd.SchatzmanPaoli()).run(end=1.0, step=2.0**-9)):
        step = 2.0**-9 if first is whole else None
        with pytest.raises(ParameterError, match="states that belong to its step"):
            model.run(restart=first, step=step)
    with pytest.raises(ModelError, match=r"'stop.zero' ends steps early, .* two steps of one length"):
        falling(nsd.SchatzmanPaoli(), z - level).run()
    other = bouncing(nsd.MoreauJean())
    assert other.run(restart=other.run(end=0.25), step=2.0**-9, end=0.375).final["ball.z"] == pytest.approx(
        1.0 - G * 0.375**2 / 2, abs=1e-12
    )


def test_a_member_of_an_ensemble_is_no_start():
    """It does not say with which step it was made."""
    model = bouncing(nsd.MoreauJean())
    member = model.ensemble(initial={"z": [1.0, 2.0]}).of(0)
    with pytest.raises(ParameterError, match="does not say with which step"):
        model.run(restart=member)


def test_a_restart_from_the_last_row_goes_further():
    whole, half = bouncing(nsd.MoreauJean()).run(), bouncing(nsd.MoreauJean()).run(end=1.0)
    rest = bouncing(nsd.MoreauJean()).run(restart=half)
    np.testing.assert_array_equal(rest.table, whole.table[256:])


def test_a_restart_between_and_at_events():
    model = bouncing(nsd.EventDriven(), end=4.5)
    whole = model.run()
    for row in (30, whole.events[2].before, whole.events[2].after, len(whole) - 5):
        rest = model.run(restart=(whole, row), end=whole.time[-1])
        at_end = [run.final["ball.z"] for run in (whole, rest)]
        np.testing.assert_allclose(at_end[1], at_end[0], rtol=0, atol=1e-12)
        later = [event.time for event in whole.events if event.before > row]
        found = [event.time for event in rest.events if event.kind == "closes"]
        both = min(len(found), len(later)) - 5  # where impacts accumulate, the limit is known sooner or later
        np.testing.assert_allclose(found[: max(both, 0)], later[: max(both, 0)], rtol=0, atol=1e-11)
        np.testing.assert_allclose(found[-1:], later[-1:], rtol=0, atol=1e-11)


def test_what_cannot_be_gone_on_from():
    model = bouncing(nsd.MoreauJean())
    run = model.run()
    for given, others, what in (
        (run, {"start": 1.0}, "start is given, too"),
        (run, {"initial": {"ball.z": 1.0}}, "initial is given, too"),
        ((run, 10**6), {}, "row"),
        (3, {}, "is no trajectory"),
        (model.run(record=["z"]), {}, "was not recorded"),
        (falling(nsd.MoreauJean(), None).run(), {}, "was not recorded"),
    ):
        with pytest.raises(ParameterError, match=what):
            model.run(restart=given, end=5.0, **others)


def test_a_restart_beside_a_block_that_python_computes_is_refused():
    force = sp.Symbol("force")
    body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2, forces=[force])
    block = nsd.Sampled("control", 0.1, samples={"z": z}, holds=[force], computed_by=lambda: lambda t, s: -s["z"])
    model = nsd.Model("restart_block", [body], blocks=[block], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={z: 1})
    with pytest.raises(ParameterError, match="remembers is in no row"):
        model.run(restart=model.run(), end=2)


def test_a_restart_under_hysteresis_is_refused():
    """A contact between its two thresholds is active or not as it was before, which no row says."""
    model = bouncing(nsd.MoreauJean(activation="hysteresis"))
    with pytest.raises(ParameterError, match="whether 'floor' was active is not recorded"):
        model.run(restart=model.run(), end=3.0)


def test_events_are_known_whatever_is_recorded():
    assert [e.name for e in falling(nsd.MoreauJean(), z - 0.5).run(record=["z"]).events] == ["stop"]


def test_events_survive_a_file(tmp_path):
    run = bouncing(nsd.EventDriven()).run()
    assert len(run.events) > 1
    for name in ("run.nc", "run.npz"):
        run.save(tmp_path / name)
        assert nsd.Trajectory.load(tmp_path / name).events == run.events
