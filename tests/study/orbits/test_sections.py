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


def test_the_amplitude_is_right_wherever_in_the_period_the_motion_turns():
    """With little damping it turns just behind the period's start: that was missed by 5e-6."""
    x, w = io.x, np.array([0.3, 0.8, 1.7])
    force = sp.cos(io.omega * nsd.time) - x.diff() / 500
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2, forces=[force])
    given = {"step": 0.1, "end": 1, "parameters": {io.omega: 0.5}, "initial": {x: 1, x.diff(): 0}}
    model = nsd.Model("light", [mass], scheme=nsd.EventDriven(rtol=1e-13, atol=1e-14), **given)
    found = nsd.frequency_response(model, io.omega, w, x, settle=0)
    np.testing.assert_allclose(found.amplitude, 1 / np.abs(1 - w**2 + 0.002j * w), rtol=1e-9)


def test_the_first_harmonic_of_a_speed_that_jumps():
    """By quadrature of the closed form on both sides of the impact; the mean of equal instants was 2e-4 off."""
    t, v, state, _ = io.impacting(0.56)
    found = nsd.frequency_response(io.model(), io.omega, [io.OMEGA], "x_dot", settle=80, parameters={io.force: 0.56})
    exact = 0.0
    for s, begin, begun, end in ((state, 0.0, 0.0, t), (np.array([1.0, -io.E * v]), t, t, io.PERIOD)):
        nodes, weights = np.polynomial.legendre.leggauss(40)
        instants = begin + (end - begin) * (nodes + 1) / 2
        speeds = [io.flow(begun, s, instant - begun, 0.56)[1] for instant in instants]
        exact += (end - begin) / io.PERIOD * (weights * speeds) @ np.exp(-1j * io.OMEGA * instants)
    assert abs(found.harmonic[0] - exact) < 2e-5 * abs(exact)


def test_uncertainty_of_multipliers_does_not_depend_on_units():
    """One state in units of 1e-9: what was told was 1e9 times as much, and no special orbit was believed."""
    x, y = dynamicsymbols("x y")
    for unit in (1, 10**9):
        rhs = [y / unit, unit * (sp.cos(nsd.time) / 2 - x - x**3 - y / unit / 5)]
        model = nsd.Model(
            "duffing",
            [nsd.FirstOrderSystem("s", [x, y], rhs)],
            scheme=nsd.EventDriven(rtol=1e-13, atol=1e-14),
            step=0.1,
            end=1,
            initial={x: 0.8, y: 0.3 * unit},
        )
        orbit = nsd.periodic_orbit(model, 2 * np.pi, settle=5)
        assert orbit.uncertain < 1e-9
        assert np.linalg.det(orbit.monodromy) == pytest.approx(np.exp(-0.4 * np.pi), rel=1e-8)


def test_exponents_of_few_periods_have_errors(oscillator):
    """Of fewer than twenty periods the errors were zero, of none all exponents were -oo."""
    found = nsd.lyapunov_exponents(oscillator, PERIOD, periods=5, settle=20)
    assert (found.errors > 0).all() and np.isfinite(found.errors).all()
    with pytest.raises(ParameterError, match="periods"):
        nsd.lyapunov_exponents(oscillator, PERIOD, periods=0)


@pytest.mark.parametrize(("rate", "told"), [(10, -10.0), (30, -np.inf)])
def test_exponents_that_differences_cannot_tell_are_no_numbers(rate, told):
    """Of x' = A x with the eigenvalues -1 and -30 the second was -21.9 +- 0.2: the rounding of differences."""
    x, y = dynamicsymbols("x y")
    ways = sp.Matrix([[1, 1], [1, 2]])
    A = ways * sp.diag(-1, -rate) * ways.inv()
    system = nsd.FirstOrderSystem(
        "s", [x, y], list(A * sp.Matrix([x, y]) + sp.Matrix([sp.cos(2 * sp.pi * nsd.time), 0]))
    )
    model = nsd.Model("damped", [system], scheme=nsd.EventDriven(), step=0.1, end=1, initial={x: 1, y: 0})
    found = nsd.lyapunov_exponents(model, 1.0, periods=40, settle=5)
    np.testing.assert_allclose(found.values, [-1, told], atol=0.06)


def test_states_that_are_tied_to_each_other_are_refused_by_name():
    """The message was that of a start that violates its constraint, which nobody had given."""
    x, y = dynamicsymbols("x y")
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9 * y)
    rod = nsd.Bilateral("rod", x**2 + y**2 - 1)
    start = {x: 0, y: -1, x.diff(): 0, y.diff(): 0}
    model = nsd.Model("pendulum", [bob], [rod], scheme=nsd.EventDriven(), step=0.1, end=1, initial=start)
    for analysis in (nsd.periodic_orbit, nsd.lyapunov_exponents):
        with pytest.raises(ParameterError, match="'rod' ties states"):
            analysis(model, 1.0)


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


def test_sections_end_where_the_motion_does():
    """A ball on a floor, height 1, gravity 1, without loss: it lands at sqrt 2, 3 sqrt 2, ... and is at 1/2 half way.

    A period that is given with an event, or that does not divide the time, moved the end to the next multiple.
    """
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-1])
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(1))
    given = {"scheme": nsd.EventDriven(), "step": 0.1, "initial": {z: 1, z.diff(): 0}}
    model = nsd.Model("ball", [ball], [floor], end=4.3, **given)
    hits = nsd.poincare_section(model, "floor.closes", period=4.0)
    np.testing.assert_allclose(hits.times, np.sqrt(2) * np.array([1, 3]), atol=1e-9)
    np.testing.assert_allclose(nsd.poincare_section(model, 1.0, end=3.6).times, [0, 1, 2, 3], atol=1e-12)
    rises = nsd.poincare_section(model, (z, 0.5), since=1.82)
    np.testing.assert_allclose(rises.times, [2 * np.sqrt(2) - 1], atol=1e-9)
    assert not len(nsd.poincare_section(model, (z, 0.5), since=1.83))
    with pytest.raises(ParameterError, match="is no plane"):
        nsd.poincare_section(model, (z, 0.5, "down"))
    stopped = nsd.Model("ball", [ball], [floor], end=4.3, stop_when=[z - sp.Rational(1, 10)], **given)
    np.testing.assert_allclose(nsd.poincare_section(stopped, 0.7).times, [0, 0.7])


@pytest.mark.parametrize("ahead", [0.0, 1e-9, 1e-3])
def test_planes_are_met_to_rounding_at_any_speed(ahead):
    """10 MHz: no step was shorter than a nanosecond. It passes the plane ``ahead`` of a row, in radians."""
    x, y = dynamicsymbols("x y")
    rate = 10**7
    system = nsd.FirstOrderSystem("s", [x, y], [rate * y, -rate * x])
    start = {x: float(np.sin(-ahead)), y: float(np.cos(ahead))}
    model = nsd.Model("fast", [system], scheme=nsd.EventDriven(), step=1e-8, end=2.2e-6, initial=start)
    found = nsd.poincare_section(model, (x, 0))
    expected = (ahead + 2 * np.pi * np.arange(0 if ahead else 1, 4)) / rate
    np.testing.assert_allclose(found.times, expected, rtol=1e-10, atol=1e-18)
    assert np.abs(found["x"]).max() < 1e-12


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
    with pytest.raises(ParameterError, match="this is a picture of an area"):  # its page had the attractors alone
        found.plot().save(tmp_path / "basins.html")


def test_basins_beside_motions_that_fly_away_and_states_that_die_out():
    """x' = x - x^3 up to 3/2, x' = x beyond; a third state dies out in all motions. Neither says how near is near."""
    x, y, z = dynamicsymbols("x y z")
    well = sp.Piecewise((x - x**3, sp.Abs(x) < sp.Rational(3, 2)), (x, True))
    system = nsd.FirstOrderSystem("s", [x, y, z], [well, -y, -z + x * y])
    model = nsd.Model("wells", [system], scheme=nsd.EventDriven(), step=0.1, end=1, initial={x: 0.1, y: 0, z: 0})
    found = nsd.basins_of_attraction(model, {x: [-2, -1.2, 0.5, 1, 2], y: [-1, 1]}, 1.0, settle=60)
    assert found.which.T.tolist() == [[-1, 0, 1, 1, -1]] * 2
    np.testing.assert_allclose([a[0, 0] for a in found.attractors], [-1, 1], atol=1e-9)


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
