"""``derive``, ``inspect`` and ``compile``: what they print."""

import json
import re

import pytest

from nsdgen import __version__


def test_derive_as_text(nsdgen, ball):
    answer = nsdgen("derive", ball)
    assert answer.code == 0
    assert "system class ball: ball" in answer.out
    assert "relation class floor: floor" in answer.out
    assert "mass(q): M(q)\n      1x1; depends on parameters\n      = m\n" in answer.out
    assert "where gap_rate = z_dot" in answer.out
    assert "    iteration_matrix: W = dR/dw\n" in answer.out  # R itself was said above
    assert "cases(1 if " in answer.out
    assert re.search(r"\b(state|rate|run|memory)/", answer.out) is None


def test_derive_as_json(nsdgen, ball):
    data = json.loads(nsdgen("derive", ball, "--json").out)
    ball_class, floor = data["classes"]
    assert floor["instances"] == ["floor"]
    mass = ball_class["operators"][0]
    assert (mass["name"], mass["shape"], mass["entries"]) == ("mass", [1, 1], [[0, 0, "m"]])
    assert mass["depends"] == ["parameters"]
    assert [q["name"] for q in ball_class["step"]] == ["unknown", "residual", "iteration_matrix", "state", "frozen"]


def test_derive_as_latex(nsdgen, ball):
    text = nsdgen("derive", ball, "--latex").out
    assert text.startswith(r"\documentclass")
    assert r"\begin{cases}" in text
    assert r"\dot{z}_{k}" in text
    assert text.count(r"\begin{align*}") == text.count(r"\end{align*}")
    assert re.search(r"\b(state|rate|run|memory)/", text) is None


@pytest.mark.parametrize(
    ("name", "one_in"),
    [
        ("diode_bridge", 1),
        ("cam_follower", 1),
        *(pytest.param("tumbling_brick", one_in, marks=pytest.mark.slow) for one_in in (16, 1)),
    ],
)
def test_the_formulas_are_valid_tex(example, name, one_in):
    """matplotlib parses every formula of moderate length, cell by cell of matrices and cases: one in so many."""
    mathtext = pytest.importorskip("matplotlib.mathtext")
    from nsdgen.derive.listing.typeset import as_latex

    parser, found = mathtext.MathTextParser("path"), {}
    text = as_latex(example(name).model.derive())
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align", text, re.DOTALL):
        plain = re.sub(r"\\(begin|end)\{\w+\}|\\Big[lr]", "", block).replace(r"\bmod", "+")
        cells = re.split(r"&|\\\\\s", plain)
        found |= dict.fromkeys(cell.strip() for cell in cells if cell.strip() and len(cell) < 160)
    for cell in list(found)[::one_in]:
        parser.parse(f"${cell}$")
    for heading in re.findall(r"\\quad (.*)\\\\ ", text):
        parser.parse(heading)
    assert len(found) > 25


def test_inspect_a_model_file(nsdgen, ball):
    out = nsdgen("inspect", ball).out
    for part in (
        "parameters",
        "kg",
        "classes",
        "floor on ball",
        "MoreauJean(theta=0.5",
        "floor.impulse",
        "N s",
        "ball.residual",
        "_kernels",
        "derive ",
    ):
        assert part in out


def test_inspect_a_trajectory(nsdgen, ball):
    nsdgen("run", ball, "--end", "1", "--out", "out.nc", "-p", "e=0.25")
    out = nsdgen("inspect", "out.nc").out
    assert "201 instants of the model bouncing_ball, 0 to 1 s" in out
    assert "'e': 0.25" in out
    assert "floor.impulse" in out
    assert re.search(rf"^  nsdgen +{re.escape(__version__)}$", out, re.MULTILINE)


def test_compile_into_the_cache(nsdgen, ball, kernel_cache):
    answer = nsdgen("compile", ball)
    assert answer.code == 0
    assert str(kernel_cache) in answer.out
    assert nsdgen("compile", ball, "-q").out == ""


def test_compile_a_package_and_use_it(nsdgen, ball, folder):
    assert nsdgen("compile", ball, "-o", "generated").code == 0
    package = folder / "generated" / "bouncing_ball"
    assert {"_kernels.pyx", "model.json", "__init__.py", "README.md", ".gitignore"} <= {
        path.name for path in package.iterdir()
    }
    assert "(a compiled package)" in nsdgen("run", package, "--end", "1").out
    assert str(package) in nsdgen("inspect", package).out


@pytest.mark.parametrize(
    ("name", "owner"), [("numpy", "an installed package"), ("queue", "a module of Python"), ("ball of mine", "")]
)
def test_a_package_that_would_hide_another(nsdgen, ball, folder, name, owner):
    ball.write_text(ball.read_text().replace('"bouncing_ball"', repr(name)))
    answer = nsdgen("compile", ball, "-o", "generated")
    assert answer.code == 0
    assert ("Warning" in answer.out) == bool(owner)
    assert owner in answer.out


@pytest.mark.parametrize("name", ["diode_bridge", "cam_follower"])
def test_long_formulas_are_broken(example, name):
    from nsdgen.derive.listing.typeset import as_latex

    text = as_latex(example(name).model.derive())
    assert r"\texttt" not in text
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align", text, re.DOTALL):
        for row in block.split(" \\\\\n"):
            if "cases" not in row:  # whose own rows end in the same way
                assert len(re.findall(r"\\left\b", row)) == len(re.findall(r"\\right\b", row))
                assert row.count("{") == row.count("}")
        assert block.count(r"\Bigl(") == block.count(r"\Bigr)")


def test_broken_formulas():
    from nsdgen.derive.listing.lines import broken

    assert broken("a + b") == ["a + b"]
    assert broken("aaa + bbb - ccc", 10) == ["aaa + bbb", "- ccc"]
    assert broken("- aaa - bbb", 6) == ["- aaa", "- bbb"]
    assert broken(r"\frac{a + b}{c + d}", 5) == [r"\frac{a + b}{c + d}"]
    assert broken(r"x \, \left(- a + b\right) + \left(c\right)", 20) == [
        r"x \, \Bigl(- a",
        r"+ b\Bigr)",
        r"+ \left(c\right)",
    ]
    assert broken(r"\begin{cases} a + b & c \end{cases} + \left|a + b\right|", 20) == [
        r"\begin{cases} a + b & c \end{cases}",
        r"+ \left|a + b\right|",
    ]


def test_words_as_tex():
    from nsdgen.derive.listing.notation import words_as_tex

    for words, tex in {
        "rho = H^T lambda": r"$\rho$ $=$ $H^{T}$ $\lambda$",
        "W = dR/dw": r"$W$ $=$ $\partial R/\partial w$",
        "x_k+1 = x": "$x_{k+1}$ $=$ $x$",
        "y at t_next": "$y$ at $t_{k+1}$",
        "the model's gap <= 0": r"the model's gap $\leq$ 0",
        "q* = q, q' = T(q) v": "$q$$*$ $=$ $q$, $q'$ $=$ $T$($q$) $v$",
        "50 % & more": r"50 \% \& more",
    }.items():
        assert words_as_tex(words) == tex


def test_names_as_tex():
    from nsdgen.derive.listing.notation import name_as_tex

    for name, tex in {
        "z": "z",
        "z_dot_k": r"\dot{z}_{k}",
        "theta1": r"\theta_{1}",
        "lam0": r"\lambda_{0}",
        "p0_hat": r"\hat{p}_{0}",
        "x_next": "x_{k+1}",
        "gap_rate_k": r"\mathrm{gap}_{\mathrm{rate},k}",
    }.items():
        assert name_as_tex(name) == tex


def test_a_name_of_the_user_stays():
    import sympy as sp

    from nsdgen.derive.listing.notation import display_names
    from nsdgen.symbolic.expressions.entry import own_symbol

    step, mine = own_symbol("run", "h"), sp.Symbol("h", real=True)
    assert display_names([step, mine]) == {mine: "h", step: "h_run"}


def test_hundreds_of_instances_are_one_line(nsdgen, example, folder, settle):
    """Text, LaTeX and inspect show the first names, the last and their number; JSON has them all."""
    from nsdgen.derive.listing.listing import as_json, as_text
    from nsdgen.derive.listing.typeset import as_latex

    derivation = example("bead_column").build(500).derive()
    for text in (as_text(derivation), as_latex(derivation)):
        assert "bead 4, bead 5, ... bead 499 (500 instances)" in text
        assert "bead 6," not in text
    assert '"bead 234"' in as_json(derivation)


def test_instances_few_and_many():
    from nsdgen.record.overview import instances

    assert instances(["a", "b"]) == "a, b"
    assert instances([str(i) for i in range(8)]) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert instances([str(i) for i in range(9)]) == "0, 1, 2, 3, 4, 5, ... 8 (9 instances)"


def test_plain_formulas_are_in_the_syntax_of_sympy():
    import sympy as sp

    from nsdgen.derive.listing.notation import Plain
    from nsdgen.symbolic.expressions.nodes import Floor, Modulo, Sign

    x, y = sp.symbols("x y", real=True)
    shown = [Plain({}).formula(e) for e in (Modulo(x + 1, y), 2 * Floor(x / y), Sign(x), sp.sin(x) * sp.atan2(x, y))]
    assert shown == ["Mod(x + 1, y)", "2*floor(x/y)", "sign(x)", "sin(x)*atan2(x, y)"]
