"""One hand Jacobian against an operator of a model or an expression, and the same inside a project's tests."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ParameterError
from nsdgen.verify import CFunction, Claim, Latex, assert_jacobian, build_library, check_jacobian

pytest_plugins = ["pytester"]

x, y, m = sp.symbols("x y m", real=True)
F = sp.Matrix([m * x**2 * y, sp.sin(x) + y])
J = F.jacobian([x, y])


def test_sympy_latex_and_python_against_an_expression():
    assert check_jacobian(J, of=F, wrt=[x, y]).verdict == "proved"
    assert check_jacobian(2 * J, of=F, wrt=[x, y]).verdict == "refuted"
    text = Latex(r"\begin{bmatrix} 2 m x y & m x^2 \\ \cos x & 1 \end{bmatrix}", {"x": x, "y": y, "m": m})
    assert check_jacobian(text, of=F, wrt=[x, y]).verdict == "proved"
    verdict = check_jacobian(
        lambda q: np.array([[6 * q[0] * q[1], 3 * q[0] ** 2], [np.cos(q[0]), 1]]), of=F, wrt=[x, y], parameters={m: 3.0}
    )
    assert verdict.verdict == "consistent"
    scalar = check_jacobian(lambda q, k: k * 2 * q[0], of=m * x**2, wrt=x, arguments=[(x,), m])
    assert scalar.verdict == "consistent"


def test_a_claim_about_a_jacobian_is_a_claim_like_others():
    claims = [
        nsd.verify.jacobian(J, of=F, wrt=[x, y], id="right"),
        nsd.verify.jacobian(2 * J, of=F, wrt=[x, y], id="twice"),
        nsd.verify.jacobian(lambda q: np.array([[2 * q[0]]]), of=x**2, wrt=x, id="code"),
    ]
    assert all(isinstance(c, Claim) for c in claims)
    for processes in (1, 2):
        found = nsd.verify.decide_all(claims, processes)
        assert [(v.id, v.verdict) for v in found] == [("right", "proved"), ("twice", "refuted"), ("code", "consistent")]
    with pytest.raises(ParameterError, match="is code, and a claim needs an expression"):
        nsd.verify.jacobian(J, of=lambda q: q, wrt=0)


def test_code_stands_alone_in_its_claim():
    code = nsd.verify.PythonFunction(lambda x: 2 * x, [x])
    found = nsd.verify.decide(Claim("two", statements=(nsd.verify.Equal(x, x), nsd.verify.Equal(2 * x, code))))
    assert (found.verdict, "one equality" in found.reason) == ("undecided", True)


def test_latex_with_shapes_that_cannot_agree_is_refuted():
    wide = Latex(r"\begin{bmatrix} 2 m x y & m x^2 \end{bmatrix}", {"x": x, "y": y, "m": m})
    assert check_jacobian(wide, of=F, wrt=[x, y]).verdict == "refuted"
    ill = Latex(r"A A", {"A": sp.Matrix([[x, y]])})
    assert check_jacobian(ill, of=F, wrt=[x, y]).verdict == "refuted"


def test_operators_of_a_model(example, compiled):
    model = example("tumbling_brick").model
    brick = model["brick"]
    force = brick.force
    assert list(force.arguments) == ["t", "q", "v"]
    assert set(brick) >= {"mass", "force", "force_q", "force_v"}
    emitted = compiled("tumbling_brick")["brick"].force_q
    assert check_jacobian(lambda t, q, v: emitted(t, q, v), of=force, wrt="q").verdict == "consistent"
    verdict = check_jacobian(lambda t, q, v: np.zeros((6, 6)), of=force, wrt="v")
    assert verdict.verdict == "refuted"
    assert {(e.row, e.column) for e in verdict.entries if e.verdict == "refuted"} <= {
        (i, j) for i in (4, 5, 6) for j in (4, 5, 6)
    }
    own = {s: sp.Symbol(name) for name, s in force.labels.items()}  # as somebody who knows nothing of assumptions
    assert check_jacobian(force.jacobian("v").subs(own), of=force, wrt="v").verdict == "proved"
    with pytest.raises(ParameterError, match="no argument 'x'"):
        force["x"]
    with pytest.raises(ParameterError, match="no system or relation 'brik'"):
        model["brik"]
    with pytest.raises(AttributeError, match="no operator 'forces'"):
        brick.forces  # noqa: B018


def test_a_c_function_against_an_operator_of_a_model(example, kernel_cache):
    ball = example("bouncing_ball").model["floor"]
    library = build_library("void g(double t, const double *q, double *out) { out[0] = 1.0; }")
    hand = CFunction(
        library,
        "g",
        "void(double t, const double *q, double *out)",
        {"t": ball.gap["t"], "q": ball.gap["q"]},
        parameters=ball.gap.parameters,
    )
    assert check_jacobian(hand, of=ball.gap, wrt="q").verdict == "consistent"


def test_assert_jacobian_says_what_is_wrong():
    assert assert_jacobian(J, of=F, wrt=[x, y], certified=True).verdict == "proved"
    assert assert_jacobian([[2 * m * x * y, m * x**2], [sp.cos(x), 1]], of=F, wrt=[x, y]).verdict == "proved"
    with pytest.raises(AssertionError, match=r"(?s)refuted.*named.*entry \(2, 1\)"):
        assert_jacobian(J + sp.Matrix([[0, 0], [1, 0]]), of=F, wrt=[x, y], id="named")
    with pytest.raises(ParameterError, match="about the arguments"):
        assert_jacobian(lambda q: q, of=F, wrt=[x, y], arguments=())
    with pytest.raises(ParameterError, match="is no Jacobian"):
        check_jacobian(3.0, of=F, wrt=[x, y])
    with pytest.raises(ParameterError, match="is no symbol"):
        check_jacobian(J, of=F, wrt=[1])


def test_the_pytest_plugin(pytester):
    pytester.makepyfile("""
        import numpy as np
        import sympy as sp
        x, y = sp.symbols("x y", real=True)

        def test_right(assert_jacobian):
            assert_jacobian(lambda q: np.array([[2 * q[0], 1.0]]), of=[x**2 + y], wrt=[x, y])

        def test_wrong(assert_jacobian):
            assert_jacobian(lambda q: np.array([[-2 * q[0], 1.0]]), of=[x**2 + y], wrt=[x, y])
    """)
    loaded = [] if pytester._request.config.pluginmanager.hasplugin("nsdgen") else ["-p", "nsdgen.verify.pytest_plugin"]
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *loaded)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*entry (1, 1): *should be 2*x*", "*slip: (1, 1): sign: it holds*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_hand_side_may_be_written_as_the_model_is():
    """With functions of time and their rates, in a matrix, lists or an array: it was refuted, for x(t) was not x."""
    from sympy.physics.mechanics import dynamicsymbols

    a, b = dynamicsymbols("a b")
    force = [-(a**3) - sp.sin(a * b) * b.diff(), -b + a.diff() * b]
    system = nsd.LagrangianSystem("s", [a, b], kinetic=(a.diff() ** 2 + b.diff() ** 2) / 2, forces=force)
    operator = nsd.Model("m", [system], scheme=nsd.MoreauJean(), step=1e-3, end=1, initial={a: 0, b: 0})["s"].force
    for wrt, symbols in (("q", [a, b]), ("v", [a.diff(), b.diff()])):
        hand = sp.Matrix(force).jacobian(symbols)
        for written in (hand, hand.tolist(), np.array(hand.tolist(), dtype=object)):
            assert check_jacobian(written, of=operator, wrt=wrt).verdict == "proved"
        assert check_jacobian(-hand, of=operator, wrt=wrt).verdict == "refuted"
    with pytest.raises(nsd.errors.ModelError, match="rows of different lengths"):
        check_jacobian([[1, 2], [3]], of=operator, wrt="q")
