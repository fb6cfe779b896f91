"""What cannot be a period, a section, a list of values or a start is refused by name, before numbers are made of it."""

import re

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

x, y = dynamicsymbols("x y")
k, other = sp.symbols("k other", positive=True)
PERIOD = 2 * sp.pi


@pytest.fixture(scope="module")
def driven():
    """A damped oscillator under a force of period 2 pi."""
    mass = nsd.LagrangianSystem(
        "mass",
        [x],
        kinetic=x.diff() ** 2 / 2,
        potential=x**2 / 2,
        forces=[k * sp.cos(nsd.time) - x.diff() / 9],
    )
    return nsd.Model("driven", [mass], scheme=nsd.EventDriven(), step=0.1, end=1, parameters={k: 1}, initial={x: 0})


@pytest.mark.parametrize("analysis", [nsd.periodic_orbit, nsd.lyapunov_exponents])
def test_a_time_that_is_no_period_of_the_force_is_refused(driven, analysis):
    """It was answered: a motion that comes back to its state and not to its phase, and goes elsewhere then."""
    with pytest.raises(ParameterError, match=r"from the same state .* in 5 s, and to .* after these"):
        analysis(driven, 5.0)


def test_multiples_of_the_period_are_periods(driven):
    once, twice = (nsd.periodic_orbit(driven, n * PERIOD) for n in (1, 2))
    assert twice.state == pytest.approx(once.state, abs=1e-8)


def test_any_time_is_a_period_of_exponents_of_what_is_autonomous(driven):
    found = nsd.lyapunov_exponents(driven, 3.0, periods=20, settle=0, near={x: 1}, parameters={k: 1e-300})
    assert found.values.sum() == pytest.approx(-1 / 9, rel=1e-6)


MISTAKES = {
    "text for a period": (lambda m: nsd.periodic_orbit(m, "2*pi"), "'2\\*pi' is not a number"),
    "a period of zero": (lambda m: nsd.periodic_orbit(m, 0), "a period of 0 s"),
    "periods before the start": (lambda m: nsd.periodic_orbit(m, PERIOD, settle=-1), "settle is -1"),
    "a share of periods": (lambda m: nsd.periodic_orbit(m, PERIOD, settle=2.5), "settle is 2.5"),
    "a start too short": (lambda m: nsd.periodic_orbit(m, PERIOD, near=[1]), "has 1 numbers"),
    "no range": (lambda m: nsd.follow_orbit(m, PERIOD, k, 1.0), "1.0 is no list of numbers"),
    "a range elsewhere": (lambda m: nsd.follow_orbit(m, PERIOD, k, (2, 3)), "k = 1 is not in the range"),
    "a stranger to follow": (lambda m: nsd.follow_orbit(m, PERIOD, other, (0, 2)), "'other' is no parameter"),
    "a stranger on an axis": (lambda m: nsd.bifurcation_diagram(m, other, [1], PERIOD), "'other' is no parameter"),
    "no values": (lambda m: nsd.bifurcation_diagram(m, k, [], PERIOD), "is no list of numbers"),
    "a frequency of zero": (lambda m: nsd.frequency_response(m, k, [0, 1], x), "is no list of numbers above 0"),
    "one period": (lambda m: nsd.lyapunov_exponents(m, PERIOD, periods=1), "periods is 1"),
    "half a plane": (lambda m: nsd.poincare_section(m, (x,)), "is no plane"),
    "an unknown direction": (lambda m: nsd.poincare_section(m, (x, 0, "up")), "is no plane"),
    "text for a value": (lambda m: nsd.poincare_section(m, (x, "0")), "'0' is not a number"),
    "an event of nothing": (lambda m: nsd.poincare_section(m, "wall.closes"), "nothing in it makes events"),
    "text on a grid": (lambda m: nsd.basins_of_attraction(m, {x: "ab", x.diff(): [0]}, PERIOD), "no list of numbers"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(driven, mistake):
    call, message = MISTAKES[mistake]
    with pytest.raises(ParameterError) as error:
        call(driven)
    assert re.search(message, str(error.value))
