"""What pictures of branches, exponents and responses show; and that a motion run again is run as it was."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from nsdgen.study.orbits.diagram import Response
from nsdgen.study.orbits.exponents import Exponents
from nsdgen.study.orbits.flow import again
from nsdgen.study.orbits.follow import OrbitBranch
from nsdgen.study.orbits.special import Special

from . import impact_oscillator as io

pytest.importorskip("matplotlib")


class Motion(dict):
    """Columns of a motion, with what a picture asks a trajectory for."""

    origin = SimpleNamespace(record=SimpleNamespace(parameters=[SimpleNamespace(name="F", unit="N")]))

    def unit(self, name):
        return {"mass.x": "m"}[name]


def orbit(peak, stable):
    motion = Motion({"mass.x": np.array([0.0, peak, -1.0])})
    return SimpleNamespace(columns=("mass.x",), period=2.0, stable=stable, motion=motion)


def test_a_branch_is_drawn_by_its_largest_values_stable_and_not():
    peaks, ways = (1.0, 1.1, 1.3, 1.6, 1.7), (True, True, False, True, True)
    orbits = tuple(map(orbit, peaks, ways))
    fold = Special("fold", 0.25, 2, orbits[2], "the branch turns back")
    branch = OrbitBranch("F", np.array([0.1, 0.2, 0.25, 0.2, 0.1]), orbits, (fold,), "the end")
    place = branch.plot().axes[0]
    stable, unstable, mark = place.lines
    assert stable.get_ydata() == pytest.approx([1.0, 1.1, np.nan, 1.6, 1.7], nan_ok=True)
    assert unstable.get_ydata() == pytest.approx([np.nan, 1.1, 1.3, 1.6, np.nan], nan_ok=True)  # no gap between both
    assert (stable.get_linestyle(), unstable.get_linestyle()) == ("-", "--")
    assert [*mark.get_xdata(), *mark.get_ydata()] == [0.25, 1.3] and place.texts[0].get_text() == "fold"
    assert (place.get_xlabel(), place.get_ylabel()) == ("F [N]", "largest mass.x [m]")
    assert panel_of(branch.plot())["notes"] == [[0.25, 1.3, "fold"]]


def panel_of(plot):
    """The first panel of its page."""
    return json.loads(
        re.search(r'<script id="scene"[^>]*>(.*?)</script>', plot.written("html").decode(), re.DOTALL)[1]
    )["panels"][0]


def test_exponents_are_drawn_as_means_that_settle():
    logarithms = np.array([[0.2, -0.4], [0.4, -0.2], [0.3, -0.6]])
    found = Exponents(np.array([0.15, -0.2]), np.array([0.01, 0.02]), 2.0, 0, 0, logarithms)
    place = found.plot().axes[0]
    assert place.lines[0].get_ydata() == pytest.approx([0.1, 0.15, 0.15])
    assert place.lines[1].get_ydata() == pytest.approx([-0.2, -0.15, -0.2])
    low = [band.get_xy()[1] if hasattr(band, "get_xy") else None for band in place.patches]
    assert low == pytest.approx([0.14, -0.22])
    assert place.get_ylabel() == "exponent [1/s]"
    ends = [level["ends"] for level in panel_of(found.plot())["levels"]]  # a page had neither bands nor the line at 0
    assert ends == [[0.0, 0.0], pytest.approx([0.14, 0.16]), pytest.approx([-0.22, -0.18])]


def test_a_response_is_drawn_as_amplitude_and_phase():
    harmonic = np.array([1.0, -1j, -1.0])
    found = Response(
        "mass.x", "m", np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 1.0]), harmonic, np.array([True] * 3)
    )
    top, bottom = found.plot().axes
    assert top.lines[0].get_ydata() == pytest.approx([1.0, 5.0, 1.0])
    assert bottom.lines[0].get_ydata() == pytest.approx([0.0, -90.0, -180.0])
    assert (top.get_ylabel(), bottom.get_xlabel()) == ("amplitude [m]", "frequency [rad/s]")


def test_a_motion_is_run_again_with_its_options():
    """Sections and grazings ran it with those of the model."""
    run = io.model().run(end=1.0, options={"rest_rate": 1e-6}, parameters={"F": 0.3})
    found = again(run, 3, float(run.time[4]), 0.01)
    assert found.attributes["scheme"] == run.attributes["scheme"]
    assert found.attributes["parameters"] == run.attributes["parameters"]
    assert found["mass.x"][-1] == pytest.approx(run["mass.x"][4], abs=1e-12)
