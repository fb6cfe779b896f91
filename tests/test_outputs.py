"""Recorded quantities of the user's own: right under every scheme, in runs, ensembles, sweeps and files."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

x, y = dynamicsymbols("x y")
k, omega = sp.symbols("k omega", positive=True)
SCHEMES = [nsd.MoreauJean(), nsd.EventDriven(), nsd.Rattle(), nsd.GeneralisedAlpha(), nsd.D1Minus()]


def driven(scheme, **settings):
    mass = nsd.LagrangianSystem(
        "mass", [x], kinetic=x.diff() ** 2 / 2, potential=k * x**2 / 2, forces=[sp.cos(omega * nsd.time)], units=["m"]
    )
    wall = nsd.Contact("wall", 1 - x, nsd.NewtonImpact(sp.Rational(4, 5)))
    power = nsd.OutputColumn(sp.cos(omega * nsd.time) * x.diff(), "W")
    outputs = {"power": power, "energy": x.diff() ** 2 / 2 + k * x**2 / 2}
    return nsd.Model(
        "driven",
        [mass],
        [wall],
        scheme=scheme,
        step=0.05,
        end=4,
        parameters={k: 1, omega: 0.8},
        initial={x: 0.5, x.diff(): 0.1},
        outputs=outputs,
        **settings,
    )


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
def test_an_output_is_its_expression_of_the_recorded_columns(scheme):
    run = driven(scheme).run(parameters={k: 1.5})
    power = np.cos(0.8 * run.time) * run["x_dot"]
    assert np.abs(run["power"] - power).max() < 1e-14
    assert np.abs(run["outputs.energy"] - run["x_dot"] ** 2 / 2 - 0.75 * run["x"] ** 2).max() < 1e-14
    assert run.unit("power") == "W"


def test_outputs_in_ensembles_sweeps_files_and_stops(tmp_path):
    pytest.importorskip("xarray")
    model = driven(nsd.MoreauJean())
    found = nsd.sweep(model, {k: [1.0, 1.5]}, reduce=["max power"], last=["power"])
    run = model.run(parameters={k: 1.5})
    assert found["max outputs.power"].values[1] == run["power"].max()
    assert found["outputs.power"].attrs["units"] == "W" and found["outputs.power"].values[1] == run["power"][-1]
    run.save(tmp_path / "run.csv")
    assert "outputs.power [W]" in (tmp_path / "run.csv").read_text().splitlines()[0]


def test_outputs_of_states_of_several_systems():
    first = nsd.FirstOrderSystem("first", [x], rhs=[-x], units=["V"])
    second = nsd.FirstOrderSystem("second", [y], rhs=[-2 * y], units=["V"])
    for scheme in (nsd.ThetaGamma(), nsd.EventDriven()):
        model = nsd.Model(
            "pair", [first, second], scheme=scheme, step=0.1, end=1, initial={x: 1, y: 2}, outputs={"both": x * y}
        )
        run = model.run()
        assert np.abs(run["both"] - run["x"] * run["y"]).max() < 1e-14


@pytest.mark.parametrize("wrong", [[x], {1: x}, {"a": "x"}, {"a": dynamicsymbols("w")}])
def test_what_is_no_output_is_refused(wrong):
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    with pytest.raises(ModelError):
        nsd.Model("wrong", [mass], scheme=nsd.MoreauJean(), step=1, end=1, outputs=wrong)


lam = nsd.multipliers("lam", 1)
MEAN = nsd.recorded("floor.impulse") / nsd.step
STEPPED = [
    (nsd.MoreauJean(), MEAN),
    (nsd.Rattle(), MEAN),
    (nsd.Variational(), MEAN),
    (nsd.GeneralisedAlpha(), MEAN),
    (nsd.D1Minus(), nsd.recorded("floor.force_right")),
]
MASS, GRAVITY = 2.0, 9.81


def dropped(scheme, force):
    """A mass dropped onto a floor without rebound, and what its contact does besides."""
    mass = nsd.LagrangianSystem("ball", [x], kinetic=MASS * x.diff() ** 2 / 2, potential=MASS * GRAVITY * x)
    floor = nsd.Contact("floor", x, nsd.NewtonImpact(0))
    outputs = {"weight": nsd.OutputColumn(force, "N"), "power": nsd.OutputColumn(force * x.diff(), "W")}
    settings = {"step": 0.01, "end": 1, "initial": {x: 0.1}, "outputs": outputs}
    return nsd.Model("dropped", [mass], [floor], scheme=scheme, **settings)


@pytest.mark.parametrize(("scheme", "force"), STEPPED, ids=lambda s: getattr(s, "name", ""))
def test_the_force_of_a_contact_at_rest_is_the_weight(scheme, force):
    run = dropped(scheme, force).run()
    resting = run.time > 0.5
    assert np.abs(run["weight"][resting] - MASS * GRAVITY).max() < 1e-9
    assert np.abs(run["weight"][run.time < 0.1]).max() == 0 and run.unit("weight") == "N"
    assert np.abs(run["outputs.power"] - run["weight"] * run["x_dot"]).max() < 1e-12


def test_the_force_of_a_contact_at_an_instant_is_the_weight():
    run = dropped(nsd.EventDriven(), nsd.recorded("floor.force")).run()
    lands = np.sqrt(0.2 / GRAVITY)
    assert np.abs(run["weight"][run.time > lands + 1e-9] - MASS * GRAVITY).max() < 1e-12
    assert np.abs(run["weight"][run.time < lands - 1e-9]).max() == 0


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(), nsd.ZeroOrderHold(), nsd.EventDriven()], ids=lambda s: s.name)
def test_the_output_of_a_relay_dissipates_until_it_sticks(scheme):
    """x' = lam in -Sgn(x) from 1: lam = -1 until t = 1, then 0, and what it takes is the square of the start."""
    system = nsd.FirstOrderSystem("mass", [x], rhs=[0])
    relay = nsd.FirstOrderRelation("relay", lam, [x], {system: lam}, nsd.Relay(1))
    outputs = {"power": nsd.OutputColumn(2 * x * lam[0], "W"), "force": lam[0]}
    run = nsd.Model("m", [system], [relay], scheme=scheme, step=0.01, end=2, initial={x: 1}, outputs=outputs).run()
    inside = (run.time > 0.005) & (run.time < 0.985)
    assert np.abs(run["force"][inside] + 1).max() < 1e-12 and np.abs(run["force"][run.time > 1.015]).max() < 1e-12
    assert np.abs(run["power"][inside] + 2 * (1 - run.time[inside])).max() < 1e-12
    assert (run["outputs.force"] == run["relay.lam[0]"]).all()


def test_outputs_of_multipliers_in_ensembles_and_sweeps():
    """Members that step together in lanes, kept columns, reductions and last values: the numbers of single runs."""
    model = dropped(nsd.MoreauJean(), MEAN)
    heights = np.linspace(0.02, 0.2, 9)
    found = model.ensemble(initial={x: heights}, record=["weight", "power"], every=10)
    swept = nsd.sweep(model, {x: heights}, reduce=["max weight"], last=["power"])
    for i, height in enumerate(heights):
        run = model.run(initial={x: height})
        assert (found.of(i)["weight"] == run["weight"][::10]).all()
        assert swept["max outputs.weight"].values[i] == run["weight"].max()
        assert swept["outputs.power"].values[i] == run["power"][-1]


def test_outputs_of_systems_under_several_schemes():
    first = nsd.FirstOrderSystem("first", [x], rhs=[-x])
    second = nsd.FirstOrderSystem("second", [y], rhs=[-2 * y])
    schemes = {first: nsd.ThetaGamma(), second: nsd.ZeroOrderHold()}
    settings = {"scheme": schemes, "step": 0.1, "end": 1, "initial": {x: 1, y: 2}, "outputs": {"both": x * y}}
    run = nsd.Model("pair", [first, second], **settings).run()
    assert np.abs(run["both"] - run["x"] * run["y"]).max() < 1e-15


def test_outputs_in_sections_and_their_plots(tmp_path):
    """Once a period, at impacts and where a plane is crossed: the expression at the states of the section."""
    k_, period = 1.0, 2 * np.pi / 0.8
    model = driven(nsd.EventDriven(rtol=1e-10, atol=1e-12))
    for at in (period, "wall.closes", (x, 0.3)):
        found = nsd.poincare_section(model, at, end=80, since=40, period=period)
        position, rate = found.states.T
        assert len(found) and np.abs(found["energy"] - rate**2 / 2 - k_ * position**2 / 2).max() < 1e-12
        assert np.abs(found["power"] - np.cos(0.8 * found.times) * rate).max() < 1e-12
    found.plot("x", "power").save(tmp_path / "section.svg")
    assert "outputs.power [W]" in (tmp_path / "section.svg").read_text() or found.units[2] == "W"


@pytest.mark.parametrize("name", ["floor.forc", "outputs.power", "first"])
def test_what_is_not_recorded_is_refused_with_what_is(name):
    with pytest.raises(ModelError, match=r"nothing called|an output itself"):
        dropped(nsd.MoreauJean(), nsd.recorded(name)).derive()


def test_an_output_may_read_time_and_multipliers_alone():
    run = dropped(nsd.MoreauJean(), nsd.time * nsd.recorded("newton_iterations")).run()
    assert (run["weight"] == run.time * run["newton_iterations"]).all()


@pytest.mark.parametrize(
    "scheme", [nsd.D1Minus(), nsd.GeneralisedAlpha(), nsd.Rattle()], ids=lambda s: type(s).__name__
)
def test_relations_of_one_class_keep_their_names_in_every_stage(scheme):
    """b.lam_b_end[0], though the kernels were made for the relation a, whose multiplier is lam_a."""
    bodies, brakes = [], []
    for name in "ab":
        place = dynamicsymbols(f"x_{name}")
        bodies.append(nsd.LagrangianSystem(f"body {name}", [place], kinetic=place.diff() ** 2 / 2, forces=[1]))
        lam = nsd.multipliers(f"lam_{name}", 1)
        brakes.append(nsd.OutputRelation(name, lam, [place.diff()], {bodies[-1]: [lam[0]]}, nsd.Relay(2)))
    start = {body.coordinates[0]: 0 for body in bodies}
    run = nsd.Model("m", bodies, brakes, scheme=scheme, step=0.01, end=0.01, initial=start).run()
    found = [c.name for c in run.columns if "lam" in c.name]
    assert any("_end" in name for name in found)
    assert all(name.startswith((f"{name[0]}.lam_{name[0]}", f"{name[0]}.lam_{name[0]}_")) for name in found), found


def test_multipliers_of_which_one_is_called_after_another_keep_their_names():
    """lam0_x0_end belongs to lam0_x0, though it begins as lam0 does."""
    bodies, brakes = [], []
    for name, first, second in (("a", "lam0_x", "lam"), ("b", "mu", "nu")):
        places = dynamicsymbols(f"x_{name} y_{name}")
        kinetic = sum(p.diff() ** 2 for p in places) / 2
        bodies.append(nsd.LagrangianSystem(f"body {name}", list(places), kinetic=kinetic, forces=[1, 1]))
        lam = [*nsd.multipliers(first, 1), *nsd.multipliers(second, 1)]
        brakes.append(nsd.OutputRelation(name, lam, [p.diff() for p in places], {bodies[-1]: lam}, nsd.Relay(2)))
    start = {place: 0 for body in bodies for place in body.coordinates}
    run = nsd.Model("m", bodies, brakes, scheme=nsd.D1Minus(), step=0.01, end=0.01, initial=start).run()
    assert {"b.mu0", "b.nu0", "b.mu0_end", "b.nu0_end"} <= {column.name for column in run.columns}
