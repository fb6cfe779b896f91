"""A time is a period of a model where the same state moves alike when it has passed."""

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

x, k = dynamicsymbols("x"), sp.Symbol("k", positive=True)
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


def basins(model, period):
    return nsd.basins_of_attraction(model, {x: [0, 1], x.diff(): [0, 1]}, period, settle=3)


@pytest.mark.parametrize("analysis", [nsd.periodic_orbit, nsd.lyapunov_exponents, basins])
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


def test_what_has_no_events_is_not_told_of_its_scheme(driven):
    with pytest.raises(ParameterError, match=r"no event is called(.|\n)*nothing in it makes events"):
        nsd.poincare_section(driven, "wall.closes")
