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
    run.to_csv(tmp_path / "run.csv")
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
