"""What objects show of themselves in a notebook, and its progress bars."""

import sys
import types

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.study import NoProgress
from nsdgen.study.progress import NotebookProgress, progress_bar
from nsdgen.verify import Claim, decide, derivative
from tests.example_models import load


class Notebook:
    """IPython as far as a bar asks for it: a running kernel, and displays that can be replaced."""

    def __init__(self, monkeypatch):
        self.shown: list[str] = []
        shell = types.SimpleNamespace(kernel=object())
        replace = types.SimpleNamespace(update=self.shown.append)
        display = types.ModuleType("IPython.display")
        display.HTML = str
        display.display = lambda text, display_id: self.shown.append(text) or replace
        package = types.ModuleType("IPython")
        package.get_ipython, package.display = lambda: shell, display
        monkeypatch.setitem(sys.modules, "IPython", package)
        monkeypatch.setitem(sys.modules, "IPython.display", display)


def test_a_bar_below_the_cell(monkeypatch):
    notebook = Notebook(monkeypatch)
    bar = progress_bar(True, 4.0, "<ball>")
    assert isinstance(bar, NotebookProgress)
    now = [0.0]
    with NotebookProgress(4.0, "<ball>", clock=lambda: now[0]) as bar:
        for done in (1.0, 2.0, 4.0):
            now[0] += 2.0
            bar.update(done)
    assert len(notebook.shown) == 4  # the last one when it is closed
    assert 'value="0.2500"' in notebook.shown[0] and "25 %" in notebook.shown[0] and "&lt;ball&gt;" in notebook.shown[0]
    assert 'value="1.0000"' in notebook.shown[-1] and "\x1b" not in "".join(notebook.shown)


def test_elsewhere_a_terminal_has_the_bar(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not isinstance(progress_bar(True, 1.0, "x"), NotebookProgress)
    assert type(progress_bar(False, 1.0, "x")) is NoProgress


@pytest.fixture(scope="module")
def ball():
    return load("bouncing_ball").model


def test_a_model_shows_its_equations(ball):
    assert "<math" in ball._repr_html_() and "floor" in ball._repr_html_()
    assert "m/s^2" in ball.compile()._repr_html_()


def test_a_trajectory_shows_curves_and_numbers(ball, monkeypatch):
    run = ball.run(end=0.6)
    page = run._repr_html_()
    assert page.count("<img") == 1 and "floor.impulse" in page
    monkeypatch.setattr("nsdgen.study.summary.find_spec", lambda name: None)
    assert "<img" not in run._repr_html_() and "floor.impulse" in run._repr_html_()


def test_an_animation_is_shown_in_a_frame(ball):
    page = ball.run(end=0.6).animate()
    assert page._repr_html_().startswith("<iframe") and "&lt;!doctype html&gt;" in page._repr_html_()
    assert page.text.startswith("<!doctype html>") and "MB" in repr(page)


def test_an_ensemble_shows_its_members(ball):
    members = ball.ensemble(parameters={"e": np.linspace(0.1, 0.9, 40)}, end=0.6, every=1000)
    assert members._repr_html_().count("<tr>") == 31 and "and 10 more members" in members._repr_html_()


def test_a_solution_shows_its_rows():
    page = nsd.solvers.solve_lcp(np.eye(40), -np.ones(40))._repr_html_()
    assert "and 10 more rows" in page and "residual" in page


def test_a_verdict_shows_what_is_wrong():
    x, y = sp.symbols("x y", real=True)
    claim = Claim("slip", derivative(sp.Matrix([x * y, x - y]), sp.Matrix([x, y])), sp.Matrix([[y, x], [1, 1]]))
    page = decide(claim)._repr_html_()
    assert "<strong>refuted</strong> slip" in page and "<li>entry (2, 2): 1, should be -1" in page
