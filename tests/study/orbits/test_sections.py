"""Sections, exponents, diagrams, responses and basins against closed forms, and the map of the bouncing ball."""

import itertools

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError
from nsdgen.study.orbits.diagram import _differ
from nsdgen.study.orbits.section import Section

from . import impact_oscillator as io

PERIOD = 2 * sp.pi / io.omega


@pytest.fixture(scope="module")
def oscillator():
    return io.model()


def test_a_linear_response_is_its_transfer_function(oscillator):
    values = np.array([0.5, 0.9, 1.0, 1.3])
    found = nsd.frequency_response(oscillator, io.omega, values, io.x, parameters={io.force: 0.05})
    exact = 0.05 / (1 - values**2 + 2j * io.ZETA * values)
    assert np.abs(found.harmonic - exact).max() < 1e-11  # |exact| <= 0.5 < 1: nothing is hit
    assert np.abs(found.amplitude - np.abs(exact)).max() < 1e-9
    assert found.stable.all() and found.unit == "m"


def test_exponents_of_a_linear_motion_and_of_an_orbit_with_impacts(oscillator):
    """Without impacts both are -zeta; of an orbit that hits they are ln|multiplier| / T, in their sum exactly."""
    free = nsd.lyapunov_exponents(oscillator, PERIOD, periods=40, settle=20)
    assert free.values == pytest.approx([-io.ZETA, -io.ZETA], abs=3e-3) and free.values.sum() == pytest.approx(
        -2 * io.ZETA, abs=1e-8
    )
    _, _, state, exact = io.impacting(0.56)
    assert np.abs(exact).max() < 1  # behind the flip
    hit = nsd.lyapunov_exponents(oscillator, PERIOD, periods=40, settle=60, near=state, parameters={io.force: 0.56})
    assert hit.values.sum() == pytest.approx(np.log(np.abs(exact)).sum() / io.PERIOD, abs=1e-7)
    assert "regular" in hit.words


def test_the_zero_one_test_tells_a_circle_from_chaos():
    n = np.arange(2000)
    assert nsd.chaos_test(np.cos(np.sqrt(2) * n) + 0.5 * np.cos(2 * np.sqrt(2) * n)) < 0.1
    logistic = [0.3]
    for _ in n[1:]:
        logistic.append(3.97 * logistic[-1] * (1 - logistic[-1]))
    assert nsd.chaos_test(logistic) > 0.9
    with pytest.raises(ParameterError):
        nsd.chaos_test([1.0])


def test_sections_at_a_phase_at_a_plane_and_at_impacts(oscillator):
    F = {io.force: 0.56}
    t, v, state, _ = io.impacting(0.56)
    settings = {"near": state, "parameters": F}
    once = nsd.poincare_section(oscillator, PERIOD, end=8 * io.PERIOD, **settings)
    assert len(once) == 9 and np.abs(once.states - state).max() < 1e-9
    hits = nsd.poincare_section(oscillator, "wall.closes", end=8 * io.PERIOD, period=PERIOD, **settings)
    assert len(hits) == 8 and np.abs(hits["x_dot"] - v).max() < 1e-9
    assert np.abs(hits["phase"] - t / io.PERIOD % 1).max() < 1e-9
    plane = nsd.poincare_section(oscillator, (io.x, 0.3), end=8 * io.PERIOD, **settings)
    assert np.abs(plane["x"] - 0.3).max() < 1e-12 and (plane["x_dot"] > 0).all() and np.ptp(plane["x_dot"]) < 1e-9


def test_a_diagram_goes_up_and_down_and_tells_two_attractors(oscillator, tmp_path):
    """Before the grazing nothing is hit; behind the flip the motion that hits once a period is where both ways end."""
    found = nsd.bifurcation_diagram(oscillator, io.force, [0.34, 0.36, 0.54, 0.58], PERIOD, settle=150, keep=20)
    assert np.ptp(found.up[0].states, axis=0).max() < 1e-9 and np.ptp(found.up[-1].states, axis=0).max() < 1e-9
    assert not found.coexist[-1] and not found.failures
    for plot, name in ((found.plot("x"), "diagram.svg"), (found.up[1].plot(), "section.pdf")):
        plot.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    assert plot.axes[0].get_xlabel() == "mass.x [m]"


def test_basins_of_two_wells(tmp_path):
    """x'' = x - x^3 - x'/2: two wells, and by symmetry each the mirror of the other."""
    x, T = io.x, 2.0
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, forces=[x - x**3 - x.diff() / 2])
    model = nsd.Model("wells", [mass], scheme=nsd.EventDriven(), step=0.1, end=1, initial={x: 0.1, x.diff(): 0})
    grid = np.linspace(-2, 2, 8)
    found = nsd.basins_of_attraction(model, {x: grid, x.diff(): grid}, T, settle=60)
    assert len(found.attractors) == 2 and (found.which >= 0).all()
    assert (found.which != found.which[::-1, ::-1]).all()
    found.plot().save(tmp_path / "basins.png")


def test_a_ball_on_a_table_has_the_exponents_of_its_map():
    """One impact a period: every impact shrinks areas of the flow by e^2, and flight keeps them."""
    z = dynamicsymbols("z")
    a, e, g = 0.05, 0.5, 9.81
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-g], units=["m"])
    table = nsd.Contact("table", z - a * sp.sin(16 * nsd.time), nsd.NewtonImpact(e))
    model = nsd.Model(
        "ball", [ball], [table], scheme=nsd.EventDriven(), step=0.01, end=1, initial={z: 0.5, z.diff(): 0}
    )
    T = 2 * np.pi / 16
    found = nsd.lyapunov_exponents(model, T, periods=100, settle=100)
    hits = nsd.poincare_section(model, "table.closes", period=T, end=200 * T)
    late = (hits["time"] > 100 * T).sum()
    assert late == 100 and found.values.sum() * T == pytest.approx(2 * np.log(e), abs=1e-7)


def test_schemes_that_make_steps_have_sections_once_a_period_diagrams_and_basins():
    """Where nothing hits, steps of order two come to the linear response; impacts and planes are refused."""
    model = io.model(scheme=nsd.MoreauJean(theta=0.5))
    given = {"since": 60 * io.PERIOD, "end": 70 * io.PERIOD, "parameters": {"F": 0.3}}
    found = nsd.poincare_section(model, PERIOD, **given)
    exact = io.forced(0.0, 0.3)
    np.testing.assert_allclose(found.states, np.broadcast_to(exact, (11, 2)), atol=5e-3)
    diagram = nsd.bifurcation_diagram(model, "F", [0.2, 0.58], PERIOD, settle=60, keep=10)
    events = nsd.bifurcation_diagram(io.model(), "F", [0.2, 0.58], PERIOD, settle=60, keep=10)
    for a, b in zip(diagram.up, events.up, strict=True):
        np.testing.assert_allclose(np.sort(a["x"])[[0, -1]], np.sort(b["x"])[[0, -1]], atol=0.1)
    for at in ("wall.closes", ("mass.x", 0.3)):
        with pytest.raises(ParameterError, match="makes steps"):
            nsd.poincare_section(model, at, period=PERIOD)
    with pytest.raises(ParameterError, match="makes steps"):
        nsd.lyapunov_exponents(model, PERIOD)


def test_the_zero_one_test_of_a_motion_that_stands_still():
    """What is left of a settled orbit is rounding, which looks random."""
    assert nsd.chaos_test(1 + 1e-12 * np.random.default_rng(0).standard_normal(500)) == 0


def _section(points):
    points = np.asarray(points, dtype=float)
    return Section(("m.x", "m.v"), ("m", "m/s"), "once a period", np.arange(len(points)), points, 2, None)


def test_two_samples_of_one_irregular_motion_are_no_two_attractors():
    """Stretches of the map of Henon differ from each other by less than from a point, a circle or their own mirror."""
    points = [np.array([0.1, 0.1])]
    for _ in range(3000):
        x, y = points[-1]
        points.append(np.array([1 - 1.4 * x**2 + y, 0.3 * x]))
    stretches = [_section(points[k : k + 60]) for k in range(100, 2900, 60)]
    assert not any(_differ(a, b) for a, b in itertools.pairwise(stretches))
    turns = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    assert not _differ(_section(circle), _section(circle @ [[0.8, 0.6], [-0.6, 0.8]]))
    fixed = _section([points[1000]] * 60)
    for other in (fixed, _section(circle), _section(-np.array(points[100:160]))):
        assert _differ(stretches[0], other)
    assert not _differ(fixed, fixed) and _differ(fixed, _section(fixed.table + [0.1, 0.0]))
