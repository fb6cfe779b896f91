"""``nsdgen study``: each analysis from the command line, on the impact oscillator in closed form."""

import pytest

MODEL = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
import nsdgen as nsd

x = dynamicsymbols("x")
F, omega = sp.symbols("F omega", positive=True)
mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2,
                            forces=[F * sp.cos(omega * nsd.time) - x.diff() / 10], units=["m"])
wall = nsd.Contact("wall", 1 - x, nsd.NewtonImpact(sp.Rational(4, 5)))
model = nsd.Model("impact_oscillator", [mass], [wall], scheme=nsd.EventDriven(), step=0.1, end=80,
                  parameters={F: nsd.Parameter(0.3, "N"), omega: nsd.Parameter(0.8, "rad/s")},
                  initial={x: 0, x.diff(): 0})
"""
PERIOD = ("--period", "2*pi/omega")


@pytest.fixture
def study(tmp_path, monkeypatch, capsys):
    from nsdgen.cli.main import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(MODEL)

    def run(analysis, *options):
        code = main(["study", analysis, "m.py", *options])
        return code, capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("analysis", "options", "said"),
    [
        ("orbit", (*PERIOD, "--plot-file", "o.svg"), "stable: disturbances shrink by 0.6752"),
        ("orbit", (*PERIOD, "--plot", "gap", "--plot-file", "g.svg"), "stable"),  # which has no rate of its name
        pytest.param(
            "follow",
            (*PERIOD, "-p", "F=0.36:0.38", "--plot-file", "f.pdf"),
            "grazing of wall at F = 0.36878177",
            marks=pytest.mark.slow,
        ),
        (
            "section",
            ("--at", "wall.closes", *PERIOD, "-p", "F=0.56", "--plot-file", "s.png"),
            "points before each wall",
        ),
        (
            "diagram",
            (*PERIOD, "-p", "F=0.3:0.35:2", "--settle", "9", "--keep", "3", "--plot-file", "d.svg"),
            "2 values",
        ),
        ("exponents", (*PERIOD, "--settle", "9", "--keep", "20", "--plot-file", "e.svg"), "regular"),
        ("chaos", (*PERIOD, "--settle", "30", "--keep", "120", "--plot-file", "c.svg"), "regular"),
        ("response", ("-p", "omega=[1.5,2]", "--plot", "x", "--plot-file", "r.svg"), "2 rad/s: amplitude 0.0997785157"),
        ("basins", (*PERIOD, "--initial", "x=-1:0.9:3", "--initial", "x_dot=-1:1:3", "--plot-file", "b.svg"), "100.0%"),
    ],
)
@pytest.mark.few(3)
def test_each_analysis_says_what_it_finds(study, tmp_path, analysis, options, said):
    code, out = study(analysis, *options)
    assert code == 0, out.err
    assert said in out.out
    if "--plot-file" in options:
        assert (tmp_path / options[options.index("--plot-file") + 1]).stat().st_size > 1000


def test_what_cannot_be_analysed_says_what_to_do(study):
    for given, said in (
        (("orbits", *PERIOD), "use one of orbit, follow"),
        (("orbit",), "write --period"),
        (("follow", *PERIOD), "-p omega=30:80:100"),
        (("orbit", "--period", "2*pi/w"), "is no parameter"),
        # What changed nothing was taken without a word
        (("section", *PERIOD, "--settle", "5"), "leave it out; it is for orbit, follow, diagram"),
        (("orbit", *PERIOD, "--end", "5"), "--end: orbit does not take it"),
        (("response", "-p", "omega=[1.5,2]", "--plot", "x", "--initial", "x=1"), "response does not take it"),
        (("orbit", *PERIOD, "-p", "F=[0.3,0.4]"), "'F' has several values"),
        (("orbit", *PERIOD, "--initial", "x=[0.3,0.4]"), "x[0]"),
        (("basins", *PERIOD, "--initial", "x=1"), "'x' has one value"),
        (("section", *PERIOD, "--at", "x=one"), "'one' is not allowed in a value"),
    ):
        code, out = study(*given)
        assert code == 2 and said in out.err
