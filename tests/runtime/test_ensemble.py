"""Ensembles: the numbers of single runs, whatever the threads; what is kept; failures, interrupts, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError, StepError

OMEGA = np.linspace(30.0, 75.0, 9)


@pytest.fixture(scope="module")
def cam(compiled):
    return compiled("cam_follower")


def same(one, other):
    return (
        one.table.tobytes() == other.table.tobytes()
        and one.time.tobytes() == other.time.tobytes()
        and one.final.tobytes() == other.final.tobytes()
        and np.array_equal(one.member, other.member)
        and all(one.reduced[k].tobytes() == other.reduced[k].tobytes() for k in one.reduced)
    )


def test_members_have_the_bits_of_single_runs(cam):
    found = cam.ensemble(parameters={"omega": OMEGA, "e": 0.7}, initial={"u": 0.5 + 0.01 * OMEGA}, end=0.5, every=1)
    assert len(found) == 9 and found.complete and not found.failures
    for i, omega in enumerate(OMEGA):
        alone = cam.run(parameters={"omega": omega, "e": 0.7}, initial={"u": 0.5 + 0.01 * omega}, end=0.5)
        own = found.of(i)
        assert own.table.tobytes() == alone.table.tobytes() and own.time.tobytes() == alone.time.tobytes()
        assert found.final[i].tobytes() == alone.table[-1].tobytes() and found.steps[i] == len(alone) - 1
    assert np.array_equal(found.values["omega"], OMEGA)


@pytest.mark.parametrize("name", ["cam_follower", "tumbling_brick"])
def test_bits_do_not_depend_on_the_number_of_threads(compiled, name):
    model = compiled(name)
    vary = {"omega": OMEGA} if name == "cam_follower" else {"g": np.linspace(5.0, 15.0, 9)}
    column = "follower.u" if name == "cam_follower" else model.run(end=model.record.step).columns[0].name
    results = [
        model.ensemble(parameters=vary, end=200 * model.record.step, every=3, threads=n, reduce=[f"mean {column}"])
        for n in (1, 2, 5)
    ]
    assert same(results[0], results[1]) and same(results[0], results[2])


def test_only_what_is_asked_for_is_kept(cam):
    end, since = 1.0, 0.4
    found = cam.ensemble(
        parameters={"omega": OMEGA},
        end=end,
        since=since,
        when="impulse",
        every=1,
        record=["u", "impulse"],
        reduce=["max u", "min follower.u_dot", "mean follower.u"],
    )
    for i, omega in enumerate(OMEGA):
        alone = cam.run(parameters={"omega": omega}, end=end)
        late = np.arange(len(alone)) >= 4000
        hit = late & (alone["cam.impulse"] > 0)
        rows = found.member == i
        assert np.array_equal(found["follower.u"][rows], alone["follower.u"][hit])
        assert np.array_equal(found.time[rows], alone.time[hit])
        assert found.reduced["max follower.u"][i] == alone["follower.u"][late].max()
        assert found.reduced["min follower.u_dot"][i] == alone["follower.u_dot"][late].min()
        assert found.reduced["mean follower.u"][i] == pytest.approx(alone["follower.u"][late].mean(), rel=1e-12)
        assert found.last("u")[i] == alone["follower.u"][-1]


def test_nothing_but_the_end_is_kept_by_default(cam):
    found = cam.ensemble(parameters={"omega": OMEGA}, end=0.1)
    assert found.table.shape[0] == 0 and np.isfinite(found.final).all()


def test_a_member_that_fails_is_reported_and_the_others_go_on(cam):
    mass = np.array([1.0, -1.0, 2.0])
    found = cam.ensemble(parameters={"mu": mass}, end=0.1, every=10)
    assert [f.member for f in found.failures] == [1]
    assert found.failures[0].values == {"mu": -1.0} and "mu=-1" in str(found.failures[0])
    assert np.isfinite(found.last("u")[[0, 2]]).all()
    assert len(found.of(2)) == 101


def test_an_interrupt_keeps_what_was_done(cam, monkeypatch):
    from nsdgen.study import run_ensemble

    class Stop:
        def __init__(self, *_):
            pass

        def update(self, made):
            if made > 8e6:  # of 4e8: some are done
                raise KeyboardInterrupt

        def close(self):
            pass

    monkeypatch.setattr(run_ensemble, "progress_bar", Stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        cam.ensemble(parameters={"omega": np.linspace(30.0, 75.0, 2000)}, end=20.0, progress=True)
    found = caught.value.ensemble
    assert not found.complete and 0 < (found.steps == 200_000).sum() < 2000
    assert np.isnan(found.last("u")).any() and np.isfinite(found.last("u")).any()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"parameters": {"omega": 30.0}}, "nothing differs"),
        ({"parameters": {"omega": [1.0, 2.0], "e": [0.5]}}, "the lists have 1, 2 values"),
        ({"parameters": {"omega": ["fast"]}}, "no numbers"),
        ({"parameters": {"omega": OMEGA}, "when": "force"}, "nothing called 'force' was recorded"),
        ({"parameters": {"omega": OMEGA}, "reduce": ["median u"]}, "no reduction"),
        ({"parameters": {"omega": OMEGA}, "threads": 0}, "threads"),
        ({"parameters": {"omega": OMEGA}, "every": -1}, "every"),
        ({"parameters": {"omga": OMEGA}}, "did you mean 'omega'"),  # of no member's values
        ({"parameters": {"omega": OMEGA}, "initial": {"w": 1.0}}, "no initial value is called 'w'"),
        ({"parameters": {"omega": OMEGA}, "options": {"theta_": 1.0}}, "no scheme option"),
        ({"parameters": [1]}, "parameters is .1., not a mapping"),
        ({"parameters": {"omega": np.ones((2, 3))}}, "more than one number"),
        ({"initial": {"u": np.ones((2, 3))}}, "takes one number, got 3"),
    ],
)
def test_requests_that_make_no_sense_are_refused(cam, given, match):
    with pytest.raises(ParameterError, match=match):
        cam.ensemble(end=0.1, **given)


@pytest.fixture(scope="module")
def bouncing():
    """A ball from impact to impact, with a run that ends where it is high enough again."""
    z, e = dynamicsymbols("z"), sp.Symbol("e", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
    return nsd.Model(
        "bouncing",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.EventDriven(),
        step=1e-2,
        end=2,
        parameters={e: 0.5},
        initial={z: 1},
        stop_when=nsd.StopWhen(z - 0.3, "rising"),
    ).compile()


def test_a_member_keeps_the_rows_of_its_run_events_and_the_end_among_them(bouncing):
    """And its reductions are over these: the start, sides of impacts, the instant at which it ends."""
    kinds = ("max", "min", "mean")
    found = bouncing.ensemble(parameters={"e": [0.2, 0.5, 0.9]}, every=1, reduce=[f"{kind} ball.z" for kind in kinds])
    for i, e in enumerate((0.2, 0.5, 0.9)):
        alone, own = bouncing.run(parameters={"e": e}), found.of(i)
        assert own.table.tobytes() == alone.table.tobytes() and own.time.tobytes() == alone.time.tobytes()
        for kind in kinds:
            expected = getattr(np, kind)(alone["ball.z"])
            assert found.reduced[f"{kind} ball.z"][i] == pytest.approx(expected, rel=1e-13, abs=1e-15)
    assert found.time[found.member == 2][-1] < 1.9  # it has ended
    impacts = bouncing.ensemble(parameters={"e": [0.2, 0.5, 0.9]}, every=1, when="floor.impulse")
    assert len(impacts.time) > 3 and (impacts["floor.impulse"] > 0).all()


def test_what_is_reduced_over_nothing_is_no_number(cam):
    found = cam.ensemble(parameters={"omega": OMEGA}, end=0.1, since=1.0, reduce=["max u", "min u", "mean u"])
    assert all(np.isnan(values).all() for values in found.reduced.values())


def test_vectors_have_a_row_for_each_member():
    body = nsd.RigidBody("body", 1.0, sp.diag(1, 2, 3))
    model = nsd.Model(
        "free",
        [body],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=0.1,
        initial={
            body.position: [0, 0, 0],
            body.quaternion: [1, 0, 0, 0],
            body.velocity: [0, 0, 0],
            body.angular_velocity: [1, 0, 0],
        },
    )
    spins = [[0.1, 2.0, 0.0], [1.0, 0.0, 0.3]]
    compiled = model.compile()
    found = model.ensemble(initial={body.angular_velocity: spins})
    for i, spin in enumerate(spins):
        assert found.final[i].tobytes() == compiled.run(initial={"body.angular_velocity": spin}).table[-1].tobytes()
    assert found.values["body.angular_velocity[1]"].tolist() == [2.0, 0.0]


def test_one_name_in_two_groups_is_told_apart():
    """A parameter of a model may be called like an option of its scheme."""
    x, theta = dynamicsymbols("x"), sp.Symbol("theta")
    system = nsd.FirstOrderSystem("s", [x], [-theta * x])
    model = nsd.Model(
        "twice", [system], scheme=nsd.ThetaGamma(), step=1e-2, end=0.1, parameters={theta: 1.0}, initial={x: 1.0}
    ).compile()
    found = model.ensemble(parameters={"theta": [1.0, 2.0]}, options={"theta": [0.5, 1.0]})
    assert {name: values.tolist() for name, values in found.values.items()} == {
        "theta": [1.0, 2.0],
        "options theta": [0.5, 1.0],
    }


def test_what_does_not_fit_is_refused_before_the_start(cam, monkeypatch):
    from nsdgen.runtime import selection

    monkeypatch.setattr(selection, "free_memory", lambda: 10_000_000)
    with pytest.raises(ParameterError, match="do not fit into memory"):
        cam.ensemble(parameters={"omega": OMEGA}, end=50.0, every=1)


def test_every_member_may_fail_by_its_own_values(cam):
    found = cam.ensemble(parameters={"omega": [30.0, float("nan")]}, end=0.1)
    assert [f.member for f in found.failures] == [1] and "omega" in str(found.failures[0])


def test_a_compiled_model_is_pickled_as_text_and_record(cam):
    copy = pickle.loads(pickle.dumps(cam))
    assert copy.run(end=0.1).table.tobytes() == cam.run(end=0.1).table.tobytes()


def test_the_end_of_a_member_that_fails_is_its_last_good_step():
    """The record of a step that failed halfway holds multipliers of its last iterate."""
    x, y = dynamicsymbols("x y")
    k, t = sp.Symbol("k"), nsd.time
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y, forces=[sp.sqrt(1 - k * t), 0]
    )
    floor = nsd.Contact("floor", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0.5, 0.3))
    model = nsd.Model(
        "halfway",
        [block],
        [floor],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=3,
        parameters={k: 9.0},
        initial={x: 0, y: 0, x.diff(): 1},
    ).compile(interpret=True)
    found = model.ensemble(parameters={"k": [9.0, 11.0]})
    assert len(found.failures) == 2
    for i, value in enumerate((9.0, 11.0)):
        with pytest.raises(StepError) as caught:
            model.run(parameters={"k": value})
        assert found.final[i].tobytes() == caught.value.trajectory.table[-1].tobytes()


def test_nothing_before_since_is_kept_or_reduced():
    """The impact at sqrt 2, in the step that ends at 1.5, was kept and reduced; of such members it was a start."""
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-1])
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(1))
    given = {"scheme": nsd.EventDriven(), "step": 0.1, "end": 4.5, "initial": {z: 1, z.diff(): 0}}
    model = nsd.Model("ball", [ball], [floor], **given).compile()
    run = model.run()
    for since in (1.5, 1.41, 1.45):
        found = model.ensemble(initial={"z": [1.0, 1.0]}, since=since, every=1, reduce=["min z_dot", "mean z"], end=4.5)
        late = run.time >= since
        assert np.array_equal(found.of(0).time, run.time[late])
        assert found.reduced["min ball.z_dot"][1] == run["z_dot"][late].min()
        assert found.reduced["mean ball.z"][1] == pytest.approx(run["z"][late].mean(), rel=1e-13)
        assert [(e.time, e.name, e.kind) for e in found.of(1).events] == [
            (e.time, e.name, e.kind) for e in run.events if e.time >= since
        ]


def test_what_is_no_number_stays_in_a_reduction():
    """The root of x^2 - 0.01 where x passes zero: largest and smallest values of what came after it were given."""
    x = dynamicsymbols("x")
    model = nsd.Model(
        "root",
        [nsd.FirstOrderSystem("ramp", [x], [1])],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=1.0,
        initial={x: -0.45},
        outputs={"root": sp.sqrt(x**2 - sp.Rational(1, 100))},
    )
    found = model.ensemble(initial={"x": [-0.45, 1.0]}, reduce=[f"{kind} root" for kind in ("max", "min", "mean")])
    for values in found.reduced.values():
        assert np.isnan(values[0]) and np.isfinite(values[1])
