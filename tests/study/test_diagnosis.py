"""Diagnosis of runs: what it says is what the columns and the mechanics say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

(z,) = dynamicsymbols("z,")
x, v = dynamicsymbols("x v")


def ball(scheme: nsd.schemes.Scheme | None = None, restitution: float = 0.5, **given: float) -> nsd.Model:
    system = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2, forces=[-20], units=["m"])
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(restitution))
    return nsd.Model(
        "ball",
        [system],
        [floor],
        scheme=scheme or nsd.MoreauJean(),
        initial={z: 1, z.diff(): 0},
        **{"step": 1e-2, "end": 2.0, **given},
    )


def by_name(found: object) -> dict[str, float]:
    return dict(found.energy)  # type: ignore[attr-defined]


def test_the_balance_of_a_ball_that_comes_to_rest() -> None:
    """It starts and ends at rest; the floor takes what gravity gave, m g (1 - z_end), and the midpoint rule nothing."""
    run = ball(end=5.0).run()
    energy = by_name(run.diagnose())
    fallen = 20 * (1 - run["z"][-1])
    assert energy["change"] == pytest.approx(0, abs=1e-12)
    assert energy["forces on ball"] == pytest.approx(fallen, rel=1e-12)
    assert energy["floor"] == pytest.approx(-fallen, rel=1e-12)
    assert abs(energy["the scheme"]) < 1e-12 * fallen


def test_a_run_with_parameters_of_its_own_is_balanced_with_these() -> None:
    """Kinetic energy and forces were those of the model's own parameters; the midpoint rule keeps energy."""
    m, k = sp.symbols("m k", positive=True)
    system = nsd.LagrangianSystem("mass", [z], kinetic=m * z.diff() ** 2 / 2, potential=k * z**2 / 2)
    given = {"step": 1e-2, "end": 1, "parameters": {m: 1.0, k: 4.0}, "initial": {z: 1, z.diff(): 0}}
    run = nsd.Model("mass", [system], scheme=nsd.MoreauJean(theta=0.5), **given).run(parameters={m: 3.0, k: 2.0})
    energy = by_name(run.diagnose())
    assert energy["change"] == pytest.approx(1.5 * run["z_dot"][-1] ** 2, rel=1e-12)
    assert energy["forces on mass"] == pytest.approx(1 - run["z"][-1] ** 2, rel=1e-12)
    assert abs(energy["the scheme"]) < 1e-12


def test_what_a_block_pushes_is_no_work_of_the_scheme() -> None:
    """A block holds the force 3: the balance took the 0 of its start for it, and the scheme gave all energy."""
    u = sp.Symbol("u", real=True)
    system = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2, forces=[u])
    block = nsd.Sampled("drive", 0.1, holds={u: 3})
    given = {"step": 1e-2, "end": 1, "blocks": [block], "initial": {z: 0, z.diff(): 0}}
    told = nsd.Model("driven", [system], scheme=nsd.MoreauJean(), **given).run().diagnose()
    assert not told.energy and "a block changes what acts on mass" in str(told)


def test_a_scheme_that_takes_energy_is_told() -> None:
    """A linear oscillator under theta = 1 loses (2 theta - 1) / 2 |dv|^2 a step: implicit Euler's damping."""
    system = nsd.LagrangianSystem("mass", [z], kinetic=z.diff() ** 2 / 2, potential=50 * z**2, units=["m"])
    model = nsd.Model("mass", [system], scheme=nsd.MoreauJean(theta=1), step=1e-2, end=1, initial={z: 1, z.diff(): 0})
    run = model.run()
    energy = by_name(run.diagnose())
    velocity, place = run["z_dot"], run["z"]
    potential = 50 * (place[-1] ** 2 - place[0] ** 2)
    lost = (velocity[-1] ** 2 - velocity[0] ** 2) / 2 + potential
    assert lost < -1  # J, of 50
    own = -0.5 * 1e-2 * sum(100 * np.diff(place) / 1 * (velocity[1:] + velocity[:-1]) / 2)
    assert energy["the scheme"] == pytest.approx(own, rel=1e-9)


def test_penetration_drift_and_ranks_are_those_of_the_columns() -> None:
    run = ball().run()
    (deepest,) = [f for f in run.diagnose().findings if f.what == "penetration"]
    assert deepest.value == -run["floor.gap"].min() and deepest.time == run.time[run["floor.gap"].argmin()]
    assert deepest.name == "floor" and deepest.unit == "m" and "Projection" in deepest.advice
    body = nsd.RigidBody("body", 1, sp.eye(3)).apply_force([0, 0, -9.81])
    corners = [body.point([a, b, 0]) for a in (-1, 1) for b in (-1, 1)]
    plane = nsd.contacts_between(corners, nsd.Plane("ground", [0, 0, 1]), nsd.NewtonImpact(0))
    pin = nsd.Distance("string", body.point([0, 0, 0]), [0, 0, 1], 1)
    model = nsd.Model(
        "plate", [body], [*plane, pin], scheme=nsd.MoreauJean(), step=1e-2, end=0.1, initial={body.position: [0, 0, 0]}
    )
    run = model.run()
    found = {f.what.partition(",")[0]: f for f in run.diagnose().findings}
    assert found["multipliers that are not unique"].value == run["rank_deficiency"].max() > 0
    assert found["drift"].value == np.abs(run["string.gap"]).max()


def test_events_and_where_no_balance_can_be_told(tmp_path: Path) -> None:
    run = ball(nsd.EventDriven(), 1.0).run()
    told = run.diagnose()
    (events,) = [f for f in told.findings if f.what == "events"]
    assert events.value == len(run.events) > 1 and not told.energy and "schemes that make steps" in str(told)
    circuit = nsd.FirstOrderSystem("line", [x], [-x], units=["V"])
    alone = nsd.Model("line", [circuit], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1}).run()
    assert "line is not a mechanical system" in str(alone.diagnose())
    assert "not every step" in str(ball().run(every=2).diagnose())
    assert "not all columns" in str(ball().run(record=["z"]).diagnose())
    model = ball()
    model.run().save(tmp_path / "run.npz")
    read = nsd.Trajectory.load(tmp_path / "run.npz")
    assert by_name(read.diagnose(model)) == by_name(model.run().diagnose())
    with pytest.raises(ParameterError, match="not known what this run was made by"):
        read.diagnose()
    assert "<table>" in read.diagnose(model)._repr_html_()


def test_what_records_no_rates_is_named() -> None:
    body = nsd.RigidBody("wheel", 1, sp.eye(3))
    pin = nsd.Revolute("pin", nsd.Marker(body), nsd.Marker())
    model = nsd.Model(
        "wheel",
        [body],
        [pin, pin.motor(force=2)],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=1,
        initial={body.position: [0, 0, 0]},
    )
    told = str(model.run().diagnose())
    assert "the scheme, and pin motor, which record no rates" in told and "+2  " in told
