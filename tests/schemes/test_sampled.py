"""Sampled blocks: against recursions in NumPy, closed forms, and instants counted by index."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NonFinite, ParameterError, SolverError

x, v = dynamicsymbols("x v")
u, z, w, mu = sp.symbols("u z w mu")
lam = nsd.multipliers("lam", 1)
e = nsd.sampled("e")


def plant() -> nsd.FirstOrderSystem:
    return nsd.FirstOrderSystem("plant", [x, v], [v, u])


def controller(**changes: object) -> nsd.Sampled:
    given = {
        "samples": {"e": 1 - x, "d": -v},
        "state": [z],
        "update": {z: z + e * nsd.period},
        "holds": {u: 2 * e + nsd.sampled("d") + z / 2},
        "initial": {z: 0.25},
    }
    return nsd.Sampled("pid", 0.1, **{**given, **changes})  # type: ignore[arg-type]


def model(*blocks: nsd.Sampled, system: nsd.FirstOrderSystem | None = None, step: float = 0.01) -> nsd.Model:
    return nsd.Model(
        "loop",
        [system or plant()],
        scheme=nsd.ThetaGamma(theta=0.5),
        step=step,
        end=3,
        blocks=blocks,
        initial={x: 0, v: 0},
    )


@pytest.fixture(scope="module")
def loop() -> nsd.Model:
    return model(controller())


def recursion(every: int, h: float, steps: int, first: int = 0) -> np.ndarray:
    """The same loop by hand: columns x, v, e, z, u after all events of an instant."""
    position = speed = error = held = 0.0
    integral, rows = 0.25, []
    for k in range(steps + 1):
        if k >= first and (k - first) % every == 0:
            error = 1 - position
            held, integral = 2 * error - speed + integral / 2, integral + error * every * h
        rows.append((position, speed, error, integral, held))
        faster = speed + h * held
        position, speed = position + h * (speed + faster) / 2, faster
    return np.array(rows)


def columns(run: nsd.Trajectory) -> np.ndarray:
    return np.column_stack([run[name] for name in ("plant.x", "plant.v", "pid.e", "pid.z", "pid.u")])


def test_a_controller_follows_its_recursion(loop: nsd.Model) -> None:
    """Rows hold the state at an instant and what is held from there on; rounding over 300 steps."""
    assert np.abs(columns(loop.run()) - recursion(10, 0.01, 300)).max() < 1e-13


def test_period_offset_and_initial_values_are_data(loop: nsd.Model) -> None:
    run = loop.run(parameters={"pid.period": 0.05, "pid.offset": 0.02, "pid.z": 0.25})
    assert np.abs(columns(run) - recursion(5, 0.01, 300, first=2)).max() < 1e-13
    assert run["pid.u"][0] == 0 and run["pid.u"][2] != 0


def test_a_million_instants_are_counted_not_added(loop: nsd.Model) -> None:
    """0.1 is no double: adding it a hundred thousand times is off by more than a step's tenth."""
    run = loop.run(step=1e-4, end=10.0, parameters={"pid.period": 1e-4}, record=["pid.e", "plant.x"])
    assert np.array_equal(run["pid.e"], 1 - run["plant.x"])


def test_steps_end_at_instants_between_two() -> None:
    run = model(controller(between="cut"), step=0.03).run()
    at = np.flatnonzero(np.diff(run["pid.e"])) + 1
    assert np.abs(run.time[at] / 0.1 - np.round(run.time[at] / 0.1)).max() < 1e-12
    assert len(run.time) == 101 + 20  # of 30 instants ten fall on steps
    exact = recursion(10, 0.01, 300)  # the plant is integrated exactly whatever the steps
    assert np.abs(run["plant.x"][-1] - exact[-1, 0]) < 1e-13


def test_a_period_that_the_step_does_not_meet_is_refused_with_a_step_that_does(loop: nsd.Model) -> None:
    with pytest.raises(ParameterError, match=r"block 'pid': its period of 0\.1 s is 3.33333 steps") as error:
        loop.run(step=0.03)
    assert "step=0.0333333" in error.value.fix and "between='cut'" in error.value.fix
    with pytest.raises(ParameterError, match="offset"):
        loop.run(parameters={"pid.offset": 0.005})
    with pytest.raises(ParameterError, match="period > 0"):
        loop.run(parameters={"pid.period": 0})


@pytest.mark.parametrize("h", [1e-4, 2.5e-4])
def test_an_implicit_sliding_mode_controller_has_a_problem_of_its_own(h: float) -> None:
    """min over |u| <= 1 of the nominal sigma at the end of a period: u = clip(-sigma / (2 H), -1, 1)."""
    disturbance, period = sp.sin(50 * nsd.time), 1e-2
    block = nsd.Sampled(
        "smc",
        period,
        samples={"s": v},
        multipliers=lam,
        output=[nsd.sampled("s") + 2 * nsd.period * lam[0]],
        law=nsd.Relay(),
        holds={u: lam[0]},
    )
    system = nsd.FirstOrderSystem("plant", [x, v], [disturbance, 2 * u - disturbance])
    run = nsd.Model(
        "smc", [system], scheme=nsd.ThetaGamma(theta=0.5), step=h, end=1, blocks=[block], initial={x: 1, v: -1}
    ).run()
    assert np.abs(run["smc.u"] - np.clip(-run["smc.s"] / (2 * period), -1, 1)).max() < 1e-14
    assert np.abs(run["plant.v"][-1000:]).max() < 1.01 * period  # the disturbance over one period


def test_samples_are_taken_before_any_block_acts() -> None:
    """The second block samples what the first holds, and reads it too: the old and the new value."""
    one = nsd.Sampled("one", 0.1, samples={}, state=[z], update={z: z + 1}, holds={w: z})
    two = nsd.Sampled("two", 0.1, samples={"before": z}, holds={u: 100 * nsd.sampled("before") + z})
    run = nsd.Model(
        "order", [plant()], scheme=nsd.ThetaGamma(), step=0.1, end=0.5, blocks=[one, two], initial={x: 0, v: 0}
    ).run()
    count = np.arange(1, 7)
    assert run["one.z"].tolist() == count.tolist()
    assert run["two.u"].tolist() == (100 * (count - 1) + count).tolist()
    assert run["one.w"].tolist() == (count - 1).tolist()


def test_bounds_coefficients_and_gaps_read_what_is_held() -> None:
    """A brake whose force is set every 0.1 s: m v' = 5 - f, |f| <= 2 mu; a floor that is raised; e by formula."""
    speed, height = dynamicsymbols("speed height")
    force, level = nsd.multipliers("force", 1), sp.Symbol("level")
    slider = nsd.FirstOrderSystem("slider", [speed], [5])
    brake = nsd.FirstOrderRelation("brake", force, [speed], {slider: [force[0]]}, nsd.Box(-2 * mu, 2 * mu))
    stairs = nsd.Sampled(
        "stairs", 0.1, samples={"t": nsd.time}, holds={mu: 1 + nsd.sampled("t"), level: nsd.sampled("t")}
    )
    run = nsd.Model(
        "brake",
        [slider],
        [brake],
        scheme=nsd.ThetaGamma(theta=1, gamma=1),
        step=0.01,
        end=1.4,
        blocks=[stairs],
        initial={speed: 0},
    ).run()
    bound = 2 * (1 + np.floor(np.arange(140) / 10 + 1e-9) / 10)  # held over the step
    assert np.abs(np.diff(run["slider.speed"]) - 0.01 * (5 - bound)).max() < 1e-14
    ball = nsd.LagrangianSystem("ball", [height], kinetic=sp.diff(height, nsd.time) ** 2 / 2, potential=10 * height)
    floor = nsd.Contact("floor", height - level, nsd.NewtonImpact(0))
    run = nsd.Model(
        "lift",
        [ball],
        [floor],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=0.55,
        blocks=[stairs],
        initial={height: 0},
        allow_penetration=True,
    ).run()
    assert run["floor.gap"][10] == 0  # a step is recorded with what was held while it was made
    assert run["floor.gap"][11] == pytest.approx(-0.1, abs=1e-14)


def test_a_held_value_outside_its_range_stops_the_run() -> None:
    """A block that makes a friction coefficient negative: named, with the state kept."""
    across, up = dynamicsymbols("across up")
    puck = nsd.LagrangianSystem(
        "puck", [across, up], kinetic=(across.diff() ** 2 + up.diff() ** 2) / 2, potential=10 * up
    )
    ground = nsd.Contact("ground", up, nsd.NewtonImpactFriction(0, mu), tangent=across)
    block = nsd.Sampled("wear", 0.1, samples={"t": nsd.time}, holds={mu: 0.25 - nsd.sampled("t")})
    with pytest.raises(NonFinite, match=r"relation 'ground': .*-0\.05") as error:
        nsd.Model(
            "wear",
            [puck],
            [ground],
            scheme=nsd.MoreauJean(),
            step=0.01,
            end=1,
            blocks=[block],
            initial={across: 0, up: 0},
        ).run()
    assert error.value.recording.time[-1] == pytest.approx(0.29)


def test_a_problem_without_a_solution_names_the_block() -> None:
    block = nsd.Sampled(
        "odd",
        0.1,
        samples={"s": x},
        multipliers=lam,
        output=[nsd.sampled("s") - 1 + 0 * lam[0]],
        law=nsd.Equality(),
        holds={u: lam[0]},
    )
    with pytest.raises(SolverError, match="'odd'"):
        model(block).run()


def test_hysteresis_is_a_state() -> None:
    """A Schmitt trigger on a sine: it switches at +0.5 going up and at -0.5 going down."""
    high = sp.Symbol("high")
    s = nsd.sampled("s")
    new = sp.Piecewise((1, s > 0.5), (0, s < -0.5), (high, True))
    trigger = nsd.Sampled(
        "trigger", 1e-3, samples={"s": sp.sin(2 * sp.pi * nsd.time)}, state=[high], update={high: new}, holds={u: new}
    )
    run = nsd.Model(
        "schmitt", [plant()], scheme=nsd.ThetaGamma(), step=1e-3, end=2, blocks=[trigger], initial={x: 0, v: 0}
    ).run()
    at = run.time[1:][np.diff(run["trigger.u"]) != 0]
    assert np.abs(at - [1 / 12, 7 / 12, 13 / 12, 19 / 12]).max() < 1.1e-3


def test_the_step_stands_for_h_in_every_expression() -> None:
    """x' = h over one second; a step that is cut counts with its own length."""
    system = nsd.FirstOrderSystem("clock", [x], [nsd.step])
    steady = nsd.Model("steps", [system], scheme=nsd.ThetaGamma(theta=1), step=0.1, end=1, initial={x: 0})
    assert steady.run()["clock.x"][-1] == pytest.approx(0.1, abs=1e-15)
    assert steady.run(step=0.05)["clock.x"][-1] == pytest.approx(0.05, abs=1e-15)
    with pytest.raises(ParameterError, match="is the step itself"):
        steady.run(parameters={"nsd.step": 0.05})
    block = nsd.Sampled("odd", 0.25, samples={}, holds={u: 1}, between="cut")
    cut = nsd.Model("cut", [system], scheme=nsd.ThetaGamma(theta=1), step=0.1, end=1, blocks=[block], initial={x: 0})
    steps = np.diff(cut.run().time)
    assert cut.run()["clock.x"][-1] == pytest.approx(float(np.sum(steps**2)), abs=1e-15)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"update": {}}, "z has no update"),
        ({"holds": {}, "state": [], "update": {}}, "neither a state nor outputs"),
        ({"holds": {z: 1}}, "z is a state and held"),
        ({"holds": {x: 1}}, "no symbol"),
        ({"holds": {u: x}}, "as a sample"),
        ({"initial": {mu: 1}}, "mu is neither"),
        ({"between": "skip"}, "unknown"),
        ({"multipliers": lam}, "entr"),
        ({"offset": -1}, "offset"),
        ({"samples": {"e-": x}}, "no name of a sample"),
        ({"holds": {u: nsd.sampled("missing")}}, "nobody's symbol"),
        ({"law": nsd.NewtonImpact(0)}, "belong together"),
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=said) as error:
        model(controller(**changes))
    assert "pid" in str(error.value) and error.value.fix


def test_one_symbol_has_one_holder() -> None:
    again = nsd.Sampled("again", 0.1, samples={}, holds={u: 1})
    with pytest.raises(ModelError, match=r"u is held as 'pid\.u'"):
        model(controller(), again)
    with pytest.raises(ModelError, match="is a parameter"):
        nsd.Model(
            "loop",
            [plant()],
            scheme=nsd.ThetaGamma(),
            step=0.1,
            end=1,
            blocks=[controller()],
            parameters={u: 1},
            initial={x: 0, v: 0},
        )
    with pytest.raises(ModelError, match="is no block"):
        nsd.Model("loop", [plant()], scheme=nsd.ThetaGamma(), step=0.1, end=1, blocks=[plant()], initial={x: 0, v: 0})


def test_what_is_held_costs_a_new_exponential_only_where_it_enters_the_matrices() -> None:
    """x' = -rate x + push, both held, changing at every instant: x+ = e^(-rate h) x + (1 - e^(-rate h)) push / rate."""
    rate, push, count = sp.symbols("rate push count")
    decay = nsd.FirstOrderSystem("decay", [x], [-rate * x + push])
    block = nsd.Sampled(
        "block",
        0.1,
        state=[count],
        update={count: count + 1},
        initial={count: 0},
        holds={rate: 1 + count / 10, push: sp.cos(count)},
    )
    model = nsd.Model("decay", [decay], scheme=nsd.ZeroOrderHold(), step=0.1, end=2, blocks=[block], initial={x: 1})
    record = model.compile().record
    held = [record.parameters[a.index].name for a in record.systems[0].arguments]
    assert [(held[slot], everything) for cls, slot, everything in record.passing if cls == 0] == [("block.push", True)]
    run, value = model.run(), 1.0
    for k in range(20):
        now = 1 + k / 10
        value = np.exp(-now * 0.1) * value + (1 - np.exp(-now * 0.1)) * np.cos(k) / now
        assert run["x"][k + 1] == pytest.approx(value, rel=1e-13)


def test_a_held_bound_keeps_the_exponential_and_a_held_coefficient_does_too() -> None:
    """Of what is kept, derivatives of a relation are computed again, what its system froze is not."""
    level, gain = sp.symbols("level gain", positive=True)
    count, lam = sp.Symbol("count"), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [-x + 3])
    relay = nsd.FirstOrderRelation("relay", lam, [gain * x], {system: lam}, nsd.Relay(level))
    block = nsd.Sampled(
        "block",
        0.1,
        state=[count],
        update={count: count + 1},
        initial={count: 0, level: 1, gain: 1},
        holds={level: 1 + count / 20, gain: 1 + count},
    )
    model = nsd.Model(
        "held", [system], [relay], scheme=nsd.ZeroOrderHold(), step=0.1, end=1, blocks=[block], initial={x: 1}
    )
    assert {everything for cls, _, everything in model.compile().record.passing if cls == 1} == {False}
    run, value = model.run(), 1.0
    for k in range(10):
        value = np.exp(-0.1) * value + (1 - np.exp(-0.1)) * (3 - (1 + k / 20))
        assert run["x"][k + 1] == pytest.approx(value, rel=1e-13)
