"""Formulas that a careless reader would read wrongly: each is read as it is meant, or refused at its place."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.latex.hand import Latex
from nsdgen.verify import Claim, decide

x, y, z, th, t = sp.symbols("x y z theta t", real=True)
a, b, w = (sp.Matrix(sp.symbols(f"{n}1:4", real=True)) for n in "abw")
A, J = (sp.Matrix(3, 3, sp.symbols(f"{n}1:10", real=True)) for n in "AJ")
f = sp.Function("f")
SYMBOLS = {"x": x, "y": y, "z": z, r"\theta": th, "t": t, "a": a, "b": b, r"\Omega": w, "A": A, "J": J, "f": f, "I": J}


def read(text):
    return Latex(text, SYMBOLS)()


@pytest.mark.parametrize(
    "text",
    [
        *(rf"\{name}^{{-1}}(x)" for name in ("exp", "sinh", "cosh", "tanh", "cot", "sec", "csc", "ln", "log")),
        r"\det^{-1}(A)",
        r"\max^{-1}(x, y)",
        r"\max^2(x, y)",
        r"\min x",
        r"\max x y",
        r"\max{x}",
        r"\begin{bmatrix} x & \\ y & z \end{bmatrix}",
        r"\begin{bmatrix} x & & y \end{bmatrix}",
        r"\begin{bmatrix} & x \\ y & z \end{bmatrix}",
        r"\begin{bmatrix} x & y \\ & z \end{bmatrix}",
        r"\begin{bmatrix} x & y \\ \\ z & t \end{bmatrix}",
        r"\begin{bmatrix} x & y \\ z \end{bmatrix}",
        r"\begin{bmatrix} \end{bmatrix}",
        r"\begin{bmatrix} x & y & \end{bmatrix}",
        r"\begin{bmatrix} x \\[y] z \end{bmatrix}",
        r"\begin{bmatrix} x \\ [2 m] y \end{bmatrix}",
        r"1\,000 x",
        "1 000 x",
        "2 3",
        "x^2 3 4",
        "007 x",
        r"2\frac{1}{2} x",
        r"3\frac12",
        r"1\;5",
        "1.5 2",
        r"\|A\|",
        r"\left\|A\right\|",
        r"\lVert A \rVert",
        r"\langle x \rangle",
        r"\langle a, b \rangle",
        "x^12",
        r"x^{2}^{3}",
        "x^2^3",
        r"\sin^12 x",
        r"x / y z",
        r"x / (y) z",
        r"\sin x / 2",
        r"\cos\theta~x",
        r"\cos\theta\hspace{2mm}x",
        r"\cos\theta\phantom{x}x",
        r"2 \mathrm{x}",
        r"2 \text{x}",
        r"{\rm x} y",
        r"\mathrm{x}^2",
        r"\sin{x}^2",
        r"\frac{\partial^2 x^3}{\partial x}",
        r"\frac{\partial x^3}{\partial x^2}",
        r"\frac{d x}{d t}",
        r"\frac{\partial}{\partial x} x^2 y",
        r"\nabla_a a \cdot b a",
        r"\nabla_x^2 x^3",
        r"\nabla_a^{-1} (a \cdot b)",
        r"{x + y}^2",
        r"{-x}^2",
        r"{x y}^2",
        r"{\frac{x}{y}}^2",
        r"x {y + z}",
        r"x {-y}",
        r"\sin{x + y}",
        r"\sin\frac{x}{2} y",
        r"\arctan\frac{y}{x} z",
        r"\sin 2 \frac{x}{y} z",
        r"\cos\sqrt{x} y",
        r"\ln|x| y",
        r"\frac{\partial^n x}{\partial x}",
        r"a \times b \times \Omega",
        r"A^{1/2}",
        r"A^{x}",
        r"\sqrt{A}",
        r"\sqrt[A]{x}",
        r"\sin A",
        r"\sin(x, y)",
        r"f",
        r"x!",
        r"90^\circ",
        r"x'",
        r"\lfloor x \rfloor",
        r"\binom{x}{y}",
        r"x \pm y",
        r"\overline{x y}",
        r"\int x",
        r"\sum_i x",
        r"\lim x",
        r"x \% y",
        r"1,000",
        r"x_{ij}",
        r"{}",
        r"x {} y",
        r"\log_{10} x",
        "x..y",
        "1.",
        r"\mathrm{sin}",
        r"\operatorname{foo}(x)",
        r"\begin{cases} x \\ y \end{cases}",
        r"x &",
        r"x \\ y",
        "x = y",
        "x <= y",
    ],
)
def test_what_is_not_understood_is_an_error_that_shows_the_place(text):
    with pytest.raises(ModelError, match=r"LaTeX, character \d+"):
        read(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\begin{bmatrix} x \\[2mm] y \end{bmatrix}", sp.Matrix([x, y])),
        (r"\begin{bmatrix} x \\*[-1.5ex] y \end{bmatrix}", sp.Matrix([x, y])),
        (r"\begin{bmatrix} x \\ y \\ \end{bmatrix}", sp.Matrix([x, y])),
        (r"\Omega\times I\Omega", w.cross(J * w)),
        (r"\Omega\times(I\Omega)", w.cross(J * w)),
        (r"J a \times A b", (J * a).cross(A * b)),
        (r"2 a \times b x", 2 * x * a.cross(b)),
    ],
)
def test_matrices_are_read_as_they_are_meant(text, expected):
    assert (read(text) - expected).applyfunc(sp.expand) == sp.zeros(*expected.shape)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"a\cdot A b", (a.T * A * b)[0]),
        (r"a \cdot b x", (a.T * b)[0] * x),
        (r"a \cdot b \times \Omega", a.dot(b.cross(w))),
        (r"a \times b \cdot \Omega", a.cross(b).dot(w)),
        (r"\sin{x} y", sp.sin(x) * y),
        (r"\sin{-x}", -sp.sin(x)),
        (r"\sin{\left(x + y\right)} z", sp.sin(x + y) * z),
        (r"{\left(x + y\right)}^{2}", (x + y) ** 2),
        (r"{x y} z", x * y * z),
        (r"\sin\frac{x}{2}\cos\frac{y}{2}", sp.sin(x / 2) * sp.cos(y / 2)),
        (r"\sin\frac{x}{2}(y)", sp.sin(x / 2) * y),
        (r"\sin x\frac{y}{z}", sp.sin(x * y / z)),
        (r"\sin x y", sp.sin(x * y)),
        (r"\sin^{-1} x", sp.asin(x)),
        (r"\exp^{2}(x)", sp.exp(x) ** 2),
        (r"x^{12}", x**12),
        (r"x^1 y", x * y),
        (r"\frac12 x", x / 2),
        (r"2 \cdot 3 x", 6 * x),
        (r"2 \cdot \frac{1}{2} x", x),
        (r"x \frac{1}{2}", x / 2),
        (r"0.05 x", x / 20),
        (r"\frac{\partial}{\partial x}(x^2 y)", 2 * x * y),
        (r"\frac{d f(t)}{d t}", f(t).diff(t)),
        (r"\frac{\partial^2 f(x)}{\partial x^2}", f(x).diff(x, 2)),
        (r"|A|", A.det()),
        (r"\|a\|^2", (a.T * a)[0]),
        (r"\ln|x|", sp.log(sp.Abs(x))),
        (r"1/2 x y", x * y / 2),
        (r"x / y", x / y),
        (r"x / y + z", x / y + z),
    ],
)
def test_scalars_are_read_as_they_are_meant(text, expected):
    assert sp.simplify(read(text) - expected) == 0


def test_an_upright_letter_is_a_quantity_where_it_is_declared_so_and_a_matrix_in_any_font():
    assert Latex(r"2 \mathrm{m}", {r"\mathrm{m}": x})() == 2 * x
    assert read(r"\mathrm{A}_{12}") == A[0, 1]
    with pytest.raises(ModelError, match=r"may be the quantity x or a unit"):
        read(r"5 \mathrm{x}")


def test_the_real_root_of_a_negative_number():
    assert read(r"\sqrt[3]{-8}") == -2


def test_an_odd_root_of_what_is_complex_is_not_the_real_one():
    c = sp.Symbol("c", complex=True)
    for given, symbols in ((r"\sqrt[3]{c}", {"c": c}), (r"\sqrt[3]{i x}", {"i": sp.I, "x": x})):
        with pytest.raises(ModelError, match="which root"):
            Latex(given, symbols)()
    assert decide(Claim("c", Latex(r"(\sqrt[3]{c})^3", {"c": c}), c)).verdict == "undecided"


@pytest.mark.parametrize("text", [r"\begin{bmatrix} x & \\ y & z \end{bmatrix}", r"\exp^{-1}(x)", "w_9", "1\\,000 x"])
def test_unreadable_text_is_undecided_and_not_refuted(text):
    found = decide(Claim("c", x, Latex(text, SYMBOLS)))
    assert found.verdict == "undecided"
    assert "LaTeX, character" in found.reason
