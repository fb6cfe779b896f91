"""What analyses of orbits cannot use is refused by name, before anything is run for it."""

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ParameterError

from . import impact_oscillator as io

x, w, T = io.x, io.omega, io.PERIOD


@pytest.fixture(scope="module")
def model():
    return io.model().compile()


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ("period", lambda m: nsd.periodic_orbit(m, 0)),
        ("period", lambda m: nsd.poincare_section(m, -1.0)),
        ("period", lambda m: nsd.periodic_orbit(m, np.nan)),
        ("period", lambda m: nsd.lyapunov_exponents(m, "long")),
        ("period", lambda m: nsd.frequency_response(m, w, [0.0], "x")),
        ("values", lambda m: nsd.frequency_response(m, w, ["fast"], "x")),
        ("values", lambda m: nsd.bifurcation_diagram(m, w, [], T)),
        ("parameter", lambda m: nsd.bifurcation_diagram(m, "q", [1.0], T)),
        ("settle", lambda m: nsd.periodic_orbit(m, T, settle=1.5)),
        ("settle", lambda m: nsd.bifurcation_diagram(m, w, [0.8], T, settle=-1)),
        ("keep", lambda m: nsd.bifurcation_diagram(m, w, [0.8], T, keep=0)),
        ("near", lambda m: nsd.periodic_orbit(m, T, near=[1.0])),
        ("at", lambda m: nsd.poincare_section(m, ("x", "high"))),
        ("since", lambda m: nsd.poincare_section(m, T, since=np.nan)),
        ("over", lambda m: nsd.basins_of_attraction(m, {"x": [np.nan], "x_dot": [0]}, T)),
        ("parameter", lambda m: nsd.follow_orbit(m, T, w, 0.4)),
        ("most", lambda m: nsd.follow_orbit(m, 2 * sp.pi / w, w, (0.7, 0.9), most=0)),
        ("parameters", lambda m: nsd.periodic_orbit(m, T, parameters=[1])),
        ("seed", lambda m: nsd.chaos_test(np.arange(200.0), seed="a")),
        ("frequencies", lambda m: nsd.chaos_test(np.arange(200.0), frequencies=0)),
        ("chaos_test", lambda m: nsd.chaos_test("abc")),
    ],
)
def test_what_no_analysis_can_use_is_refused_by_name(model, where, asked):
    """They were bare errors of Python, or gave empty results."""
    with pytest.raises(ParameterError) as refused:
        asked(model)
    assert where in str(refused.value).partition("\n")[0]
