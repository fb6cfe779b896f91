"""Reports: whole pages that fetch nothing, with the equations as stated, what was derived, and the run."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.cli.main import main
from nsdgen.errors import ParameterError, StepError
from nsdgen.symbolic.description.stated_equations import stated_equations
from nsdgen.symbolic.expressions.mathml import mathml

MODEL = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
import nsdgen as nsd

x = dynamicsymbols("x")
k = sp.Symbol("k", positive=True)
cell = nsd.FirstOrderSystem("cell", [x], rhs=[-k * x])
model = nsd.Model("decay & <co>", [cell], scheme=nsd.ThetaGamma(), step=0.1, end=1, parameters={k: 2}, initial={x: 1})
"""


class _Checker(HTMLParser):
    """Every element is closed by its own end tag, but for those that have none."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"meta", "br", "mspace", "link", "input"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def ball() -> nsd.Model:
    """A ball that falls on a floor."""
    z, (m, g) = dynamicsymbols("z"), sp.symbols("m g", positive=True)
    system = nsd.LagrangianSystem("ball", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0.5))
    return nsd.Model(
        "ball",
        [system],
        [floor],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=1,
        parameters={m: nsd.Parameter(2, "kg"), g: 9.81},
        initial={z: 1},
    )


def test_a_report_is_whole_and_fetches_nothing(tmp_path: Path) -> None:
    model, path = ball(), tmp_path / "ball.html"
    model.report(path, source="# <the model>", plotted=["ball.z"])
    text = path.read_text(encoding="utf-8")
    checker = _Checker()
    checker.feed(text)
    assert checker.open == []
    outside = re.sub(r'srcdoc="[^"]*"', "", text)
    assert not re.search(r"<script|<link|src=|@import|url\((?!#)", outside)
    headings = re.findall(r"<h2 id=\"(\w+)\"", text)
    assert headings == [
        *("stated", "parameters", "found", "derived", "run", "motion", "diagnosis", "accepted", "kernels", "versions"),
        "source",
    ]
    assert "&lt;the model&gt;" in text and "NewtonImpact" in text and "<svg" in text
    moving = html.unescape(re.findall(r'srcdoc="([^"]*)"', text)[0])
    assert moving.startswith("<!doctype html>") and "ball.z" in moving
    assert nsd.__version__ in text


def test_equations_are_those_of_the_model() -> None:
    """The typeset terms against MathML of expressions written here, dots over velocities."""
    text = stated_equations(ball().description)
    z_dot, m, g = sp.symbols("z_dot m g")
    assert mathml(m * z_dot**2 / 2) in text and mathml(-g * m) in text and mathml(g * m * sp.Symbol("z")) in text
    assert "<mover><mi>z</mi><mo>˙</mo></mover>" in text
    assert ball()._repr_html_().count('<section class="class">') == 2


def test_what_is_named_once_stands_below_its_equation() -> None:
    """A force over an intermediate result was shown as text with the result in it at each place."""
    x, k = dynamicsymbols("x"), sp.Symbol("k")
    lift = nsd.let("lift", k * nsd.mod(nsd.time, 2))
    cell = nsd.FirstOrderSystem("cell", [x], rhs=[lift * x - lift])
    text = stated_equations(
        nsd.Model(
            "lifted", [cell], scheme=nsd.ThetaGamma(), step=0.1, end=1, parameters={k: 1}, initial={x: 1}
        ).description
    )
    named, seen = sp.symbols("lift x")
    assert mathml(named * seen - named) in text
    assert f'<p>where</p><math display="block">{mathml(named)}<mo>=</mo><mrow>' in text
    assert "<mo>mod</mo><mn>2</mn>" in text


def test_derived_formulas_define_the_names_they_use(tmp_path: Path) -> None:
    ball().report(tmp_path / "ball.html")
    text = (tmp_path / "ball.html").read_text(encoding="utf-8")
    derived = text[text.index('id="derived"') : text.index('id="run"')]
    z_next, h, z_k, rate = sp.symbols("z_next h z_k z_dot_theta")
    assert f"{mathml(z_next)}<mo>=</mo>{mathml(h * rate + z_k)}" in derived
    assert "Let" not in derived


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "decay.py"
    file.write_text(MODEL, encoding="utf-8")
    assert main(["report", str(file), "-o", str(tmp_path / "decay.html"), "-p", "k=3", "--end", "0.5"]) == 0
    assert "saved" in capsys.readouterr().out
    text = (tmp_path / "decay.html").read_text(encoding="utf-8")
    assert "<title>decay &amp; &lt;co&gt;</title>" in text and "k in this run" in text and "to 0.5 s" in text
    assert main(["report", str(file), "-o", str(tmp_path / "decay.pdf")]) == ParameterError.exit_code
    assert "ends with .html" in capsys.readouterr().err


def test_a_run_that_fails_is_reported_as_far_as_it_came(tmp_path: Path) -> None:
    """x' = x^2 leaves all bounds at t = 1."""
    x = dynamicsymbols("x")
    blowing = nsd.FirstOrderSystem("blowing", [x], rhs=[x**2])
    model = nsd.Model("blowing", [blowing], scheme=nsd.ThetaGamma(), step=0.05, end=2, initial={x: 1})
    with pytest.raises(StepError) as caught:
        model.report(tmp_path / "blowing.html")
    assert "blowing.html" in "".join(caught.value.__notes__)
    assert "did not reach its end" in (tmp_path / "blowing.html").read_text(encoding="utf-8")
