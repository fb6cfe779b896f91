"""``derive``, ``inspect`` and ``compile``: what they print."""

import json
import re

import pytest


def test_derive_as_text(nsdgen, ball):
    answer = nsdgen("derive", ball)
    assert answer.code == 0
    assert "system class ball: ball" in answer.out
    assert "relation class floor: floor" in answer.out
    assert "mass(q): M(q)\n      1x1; depends on parameters\n      = m\n" in answer.out
    assert "where gap_rate = z_dot" in answer.out
    assert "cases(1 if " in answer.out
    assert re.search(r"\b(state|rate|run|memory)/", answer.out) is None


def test_derive_as_json(nsdgen, ball):
    data = json.loads(nsdgen("derive", ball, "--json").out)
    ball_class, floor = data["classes"]
    assert floor["instances"] == ["floor"]
    mass = ball_class["operators"][0]
    assert (mass["name"], mass["shape"], mass["entries"]) == ("mass", [1, 1], [[0, 0, "m"]])
    assert mass["depends"] == ["parameters"]
    assert [q["name"] for q in ball_class["step"]] == ["unknown", "residual", "iteration_matrix", "state"]


def test_derive_as_latex(nsdgen, ball):
    text = nsdgen("derive", ball, "--latex").out
    assert text.startswith(r"\documentclass")
    assert r"\begin{cases}" in text
    assert r"\dot{z}_{k}" in text
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}")
    assert re.search(r"\b(state|rate|run|memory)/", text) is None


@pytest.mark.parametrize("name", ["diode_bridge", "cam_follower", "tumbling_brick"])
def test_the_formulas_are_valid_tex(example, name):
    """matplotlib parses every formula of moderate length, cell by cell of matrices and cases."""
    mathtext = pytest.importorskip("matplotlib.mathtext")
    from nsdgen.cli.typeset import as_latex

    parser, parsed = mathtext.MathTextParser("path"), 0
    text = as_latex(example(name).model.derive())
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align", text, re.DOTALL):
        plain = re.sub(r"\\(begin|end)\{\w+\}", "", block).replace(r"\bmod", "+")
        for cell in re.split(r"&|\\\\\s", plain):
            if cell.strip() and len(cell) < 300:
                parser.parse(f"${cell.strip()}$")
                parsed += 1
    assert parsed > 50


def test_inspect_a_model_file(nsdgen, ball):
    out = nsdgen("inspect", ball).out
    for part in ("parameters", "kg", "classes", "floor on ball", "MoreauJean(theta=0.5", "floor.impulse", "N s",
                 "ball.residual", "_kernels", "derive "):
        assert part in out


def test_inspect_a_trajectory(nsdgen, ball):
    nsdgen("run", ball, "--end", "1", "--out", "out.nc", "-p", "e=0.25")
    out = nsdgen("inspect", "out.nc").out
    assert "201 instants of the model bouncing_ball, 0 to 1 s" in out
    assert "'e': 0.25" in out
    assert "floor.impulse" in out


def test_compile_into_the_cache(nsdgen, ball, kernel_cache):
    answer = nsdgen("compile", ball)
    assert answer.code == 0
    assert str(kernel_cache) in answer.out
    assert nsdgen("compile", ball, "-q").out == ""


def test_compile_a_package_and_use_it(nsdgen, ball, folder):
    assert nsdgen("compile", ball, "-o", "generated").code == 0
    package = folder / "generated" / "bouncing_ball"
    assert {"_kernels.pyx", "model.json", "__init__.py", "README.md", ".gitignore"} <= {
        path.name for path in package.iterdir()}
    assert "(a compiled package)" in nsdgen("run", package, "--end", "1").out
    assert str(package) in nsdgen("inspect", package).out


def test_names_as_tex():
    from nsdgen.cli.notation import name_as_tex

    for name, tex in {
        "z": "z", "z_dot_k": r"\dot{z}_{k}", "theta1": r"\theta_{1}", "lam0": r"\lambda_{0}", "p0_hat": r"\hat{p}_{0}",
        "x_next": "x_{k+1}", "gap_rate_k": r"\mathrm{gap}_{\mathrm{rate},k}",
    }.items():
        assert name_as_tex(name) == tex


def test_a_name_of_the_user_stays():
    import sympy as sp

    from nsdgen.cli.notation import display_names
    from nsdgen.symbolic.entry import own_symbol

    step, mine = own_symbol("run", "h"), sp.Symbol("h", real=True)
    assert display_names([step, mine]) == {mine: "h", step: "h_run"}
