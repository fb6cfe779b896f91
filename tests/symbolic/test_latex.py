"""Formulas as documents write them, against the same formulas typed in SymPy."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from sympy import ShapeError

from nsdgen.errors import ModelError
from nsdgen.symbolic.latex.hand import Latex

x, y, z, th, t = sp.symbols("x y z theta t", real=True)
q0, q1, q2, q3 = sp.symbols("q0:4", real=True)
a, b = sp.Matrix(sp.symbols("a1:4", real=True)), sp.Matrix(sp.symbols("b1:4", real=True))
A = sp.Matrix(2, 2, sp.symbols("A1:5", real=True))
f = sp.Function("f")
SYMBOLS = {
    "x": x,
    "y": y,
    "z": z,
    r"\theta": th,
    "t": t,
    "a": a,
    "b": b,
    "A": A,
    "f": f,
    "q_0": q0,
    r"\tilde{q}_1": q1,
    r"\dot q_{k+1}": q2,
    r"q^\star": q3,
    r"\mathbf{v}": b,
    r"R": lambda p: sp.Matrix([[p, 0], [0, p]]),
}


def read(text, **more):
    return Latex(text, SYMBOLS, **more)()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"2 x y - \frac{1}{2} z", 2 * x * y - z / 2),
        (r"\tfrac12 x^2", x**2 / 2),
        (r"-x^{2}+ y", -(x**2) + y),
        (r"\left(\frac{x+y}{z}\right)^2", ((x + y) / z) ** 2),
        (r"\sin 2 x \cos y", sp.sin(2 * x) * sp.cos(y)),
        (r"\sin^2\theta + \cos^{2}(\theta)", sp.sin(th) ** 2 + sp.cos(th) ** 2),
        (r"\sin^{-1} x", sp.asin(x)),
        (r"\sin\frac{\theta}{2}", sp.sin(th / 2)),
        (r"\sqrt{x^2+y^2} + \sqrt[3]{z}", sp.sqrt(x**2 + y**2) + sp.sign(z) * sp.Abs(z) ** sp.Rational(1, 3)),
        (r"e^{-x t} + \exp(x)", sp.exp(-x * t) + sp.exp(x)),
        (r"q_{0} \tilde q_1 + \dot{q}_{k+1} q^\star", q0 * q1 + q2 * q3),
        (r"{q^\star}^2", q3**2),
        (r"\left( x + y \right) \bigl[ x - y \bigr]", (x + y) * (x - y)),
        (r"f(x, t) x", f(x, t) * x),
        (r"x (y + z)", x * (y + z)),
        (r"x \cdot -y", -x * y),
        (r"(x / 2) z", x / 2 * z),
        (r"1 / 2 z", z / 2),
        (r"|x| + \lVert a \rVert", sp.Abs(x) + sp.sqrt(sum(e**2 for e in a))),
        (r"a^\top b", (a.T * b)[0]),
        (r"a \cdot b", (a.T * b)[0]),
        (r"x + a^{T} b", x + (a.T * b)[0]),
        (r"a_2 + A_{21} + A_{1,2}", a[1] + A[1, 0] + A[0, 1]),
        (r"2\pi x % a comment", 2 * sp.pi * x),
        (r"\begin{vmatrix} x & y \\ z & t \end{vmatrix}", x * t - y * z),
        (r"\frac{\partial}{\partial x}\left(x^2 y\right)", 2 * x * y),
        (r"\frac{\partial^2 x^3 y}{\partial x \partial y}", 3 * x**2),
        (r"\operatorname{tr}(A)", A.trace()),
        (r"a^2", (a.T * a)[0]),
        (r"\mathrm{sgn}(x)", sp.sign(x)),
    ],
)
def test_scalars(text, expected):
    assert sp.simplify(read(text) - expected) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\begin{bmatrix} x & 0 \\ 0 & y \end{bmatrix} A", sp.diag(x, y) * A),
        (r"\left[\begin{array}{cc} x & -y \\ y & x \\ \end{array}\right]", sp.Matrix([[x, -y], [y, x]])),
        (r"\begin{pmatrix} x \\ y \end{pmatrix}^T", sp.Matrix([[x, y]])),
        (r"a \times b", a.cross(b)),
        (r"a \times \mathbf{v} - b \times a", 2 * a.cross(b)),
        (r"2 a b^\top", 2 * a * b.T),
        (r"A^{-1}", A.inv()),
        (r"A^{-\top}", A.T.inv()),
        (r"R(x + 1) A", (x + 1) * A),
        (r"\nabla_a (a^\top a)", 2 * a.T),
        (r"\nabla_a^\top (a^\top b)", b),
        (r"\frac{\partial (a \times b)}{\partial b}", a.cross(b).jacobian(b)),
        (r"\begin{bmatrix} A & 0 \\ 0 & x \end{bmatrix}", sp.diag(A, x)),
        (r"\mathrm{diag}(x, y) - A", sp.diag(x, y) - A),
        (r"\mathbf{v}", b),
    ],
)
def test_matrices(text, expected):
    assert (read(text) - expected).applyfunc(sp.simplify) == sp.zeros(*expected.shape)


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        (r"x + w_{3} y", r"the name 'w_3' is not declared", "character 5"),
        (r"x + \hat{x}", r"hat x", "character 5"),
        (r"(x + y", r"'\)' is missing", "character 7"),
        (r"x + y)", r"'\)' is not expected", "character 6"),
        (r"x = y", "one side of the equation", "character 3"),
        (r"\begin{cases} x \end{cases}", "environment 'cases'", "character 1"),
        (r"x^\dagger", "belongs to no declared name", "character 2"),
        (r"R A", "its argument is missing", "character 3"),
        (r"\frac{x}", "missing at the end", "character 9"),
        (r"A_{34}", "no entry", ""),
        (r"x +", "missing at the end", "character 4"),
        (r"{x", "never closed", "character 1"),
        (r"\nabla a", "without a subscript", ""),
        (r"\frac{x+y}{z}^2", r"\(a / b\)\^n or a / b\^n", "character 14"),
        (r"x / 2 z", r"\(a / b\) c or a / \(b c\)", "character 7"),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(text, message, place):
    with pytest.raises(ModelError, match=message) as caught:
        read(text)
    assert place in str(caught.value)


@pytest.mark.parametrize("text", [r"a + x", r"A a", r"x / a", r"a^\top A"])
def test_shapes_that_cannot_agree_stay_shape_errors(text):
    with pytest.raises((ShapeError, ValueError)):
        read(text)


def test_entries_counted_from_zero():
    assert read("a_0 + A_{01}", first_index=0) == a[0] + A[0, 1]


def test_a_name_declared_twice_is_refused():
    with pytest.raises(ModelError, match="twice"):
        Latex("q_1", {"q_1": x, "q_{1}": y})()


EXPRESSIONS = st.recursive(
    st.sampled_from([x, y, z, th, sp.Integer(2), sp.Rational(3, 4)]),
    lambda inner: st.one_of(
        st.builds(lambda u, v: u + v, inner, inner),
        st.builds(lambda u, v: u * v, inner, inner),
        st.builds(lambda u, v: u - v, inner, inner),
        st.builds(sp.sin, inner),
        st.builds(sp.cos, inner),
        st.builds(lambda u: u**2, inner),
        st.builds(lambda u: sp.sqrt(u**2 + 1), inner),
        st.builds(lambda u, v: u / (v**2 + 1), inner, inner),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_what_sympy_prints_is_read_back(expression):
    again = Latex(sp.latex(expression), SYMBOLS)()
    point = {x: 0.3, y: -0.7, z: 1.1, th: 0.45}
    assert abs(sp.N(again.subs(point) - expression.subs(point), 25)) < 1e-9 * (1 + abs(sp.N(expression.subs(point))))
