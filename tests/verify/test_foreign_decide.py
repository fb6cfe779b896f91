"""Code as a hand side: right code is consistent, and everything that can be wrong with code is a verdict."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest
import sympy as sp

from nsdgen.errors import CompileError, ParameterError
from nsdgen.verify.claim import Claim
from nsdgen.verify.foreign.decide import decide_code
from nsdgen.verify.foreign.hand_functions import CFunction, PythonFunction, SiconosPlugin
from nsdgen.verify.foreign.shared_library import build_library

q0, q1, v0, v1 = sp.symbols("q0 q1 v0 v1", real=True)
m, l = sp.symbols("m l", positive=True)
Q, V = (q0, q1), (v0, v1)
VALUES = {m: 1.5, l: 0.37}
FORCE = sp.Matrix([m * l * v1**2 * sp.sin(q0 - q1) + q1**2, -m * l * v0**2 * sp.sin(q0 - q1)])
TRUTH = FORCE.jacobian(Q)
WIDE = sp.Matrix([[l * sp.cos(q0), l * sp.cos(q1), v0], [sp.sin(q0), q1, 1]])

SOURCE = r"""
#include <math.h>
#define M 1.5
#define L 0.37
#define A (M * L * v[1] * v[1] * cos(q[0] - q[1]))
#define B (M * L * v[0] * v[0] * cos(q[0] - q[1]))
typedef unsigned int n_t;
#define PLUGIN(name) void name(n_t n, double *q, double *v, double *out, n_t nz, double *z)
PLUGIN(right)      { out[0] = A; out[1] = -B; out[2] = -A + 2 * q[1]; out[3] = B; }
PLUGIN(expanded)   { double c = cos(q[0]) * cos(q[1]) + sin(q[0]) * sin(q[1]);
                     out[0] = M * L * v[1] * v[1] * c; out[1] = -M * L * v[0] * v[0] * c;
                     out[2] = -M * L * v[1] * v[1] * c + q[1] + q[1]; out[3] = M * L * v[0] * v[0] * c; }
PLUGIN(transposed) { out[0] = A; out[1] = -A + 2 * q[1]; out[2] = -B; out[3] = B; }
PLUGIN(sign)       { out[0] = A; out[1] = B; out[2] = -A + 2 * q[1]; out[3] = B; }
PLUGIN(factor)     { out[0] = 2 * A; out[1] = -B; out[2] = -A + 2 * q[1]; out[3] = B / L; }
PLUGIN(term)       { out[0] = A; out[1] = -B; out[2] = -A; out[3] = B; }
PLUGIN(swapped)    { out[0] = A; out[1] = -B; out[2] = -A + 2 * q[1]; out[3] = M * L * v[0] * v[1] * cos(q[0] - q[1]); }
PLUGIN(constant)   { out[0] = A; out[1] = -B * 1.000000001; out[2] = -A + 2 * q[1]; out[3] = B; }
PLUGIN(crash)      { right(n, q, v, out, nz, z); if (q[0] > 0.2) *(volatile int *) 0 = 1; }
PLUGIN(hang)       { right(n, q, v, out, nz, z); if (q[0] > 0.2) for (;;) { volatile int i = 0; i++; } }
PLUGIN(nan_)       { right(n, q, v, out, nz, z); if (q[0] > 0.2) out[3] = 0.0 / 0.0; }
PLUGIN(over)       { right(n, q, v, out, nz, z); out[4] = 1; out[-1] = 2; }
PLUGIN(unwritten)  { out[0] = A; out[1] = -B; out[3] = B; }
PLUGIN(adds)       { out[0] = A; out[1] = -B; out[2] = -A + 2 * q[1]; out[3] += B; }
PLUGIN(writes_q)   { right(n, q, v, out, nz, z); q[0] = 0; }
int row(int n, const double *q, const double *v, double a, double *out) {
  if (n != 2) return 7;
  out[0] = L * cos(q[0]); out[1] = L * cos(q[1]); out[2] = a; out[3] = sin(q[0]); out[4] = q[1]; out[5] = 1; return 0; }
void column(double *out, int n, const double *q, double a) {
  out[0] = L * cos(q[0]); out[2] = L * cos(q[1]); out[4] = a; out[1] = sin(q[0]); out[3] = q[1]; out[5] = 1; }
"""


@pytest.fixture(scope="module")
def library(kernel_cache):
    return build_library(SOURCE)


def decided(library, name, **options):
    plugin = SiconosPlugin(
        library, name, "LagrangianDS.jacobianFGyrq", {"q": Q, "velocity": V}, parameters=VALUES, **options
    )
    return decide_code(Claim(f"test-{name}", TRUTH, plugin), plugin)


@pytest.mark.parametrize("name", ["right", "expanded"])
def test_right_code_is_consistent_in_any_arrangement(library, name):
    verdict = decided(library, name)
    assert (verdict.verdict, verdict.reason, verdict.counterexample) == ("consistent", "", None)


@pytest.mark.parametrize(
    ("name", "slip", "wrong"),
    [
        ("transposed", "transposed", [(1, 2), (2, 1)]),
        ("sign", "(2, 1): sign: it holds ", [(2, 1)]),
        ("factor", "(1, 1): extra factor 2", [(1, 1), (2, 2)]),
        ("term", "(1, 2): missing term: it holds ", [(1, 2)]),
        ("swapped", "(2, 2): swapped index: it holds ", [(2, 2)]),
        ("constant", "a constant with too few digits", [(2, 1)]),
    ],
)
@pytest.mark.few(2)
def test_slips_are_found_and_named(library, name, slip, wrong):
    verdict = decided(library, name)
    assert verdict.verdict == "refuted"
    assert [(e.row, e.column) for e in verdict.entries if e.verdict == "refuted"] == wrong
    assert slip in verdict.slip
    i, j = wrong[0]
    assert str(TRUTH[i - 1, j - 1]) in verdict.correction
    assert all(
        value in ("0", "1", "-1", "2", "1/2", "1/4") for name, value in verdict.counterexample.point if name not in "ml"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("crash", "SIGSEGV"),
        ("hang", "no answer within 0.2 s"),
        ("nan_", "nan where the value is finite"),
        ("over", "out of bounds, behind the end of an array"),
        ("unwritten", r"never writes (1, 2)"),
        ("adds", "reads its output"),
        ("writes_q", "writes to its input q"),
    ],
)
@pytest.mark.few(3)
def test_what_code_does_wrong_is_a_verdict(library, name, reason):
    verdict = decided(library, name, time_limit=0.2)
    assert verdict.verdict == "refuted"
    assert reason in verdict.reason


def test_what_is_never_written_keeps_no_state(library):
    """Its place had 0 when it was compared and what the caller put there when it was called again."""
    assert decided(library, "unwritten").reason == "it never writes (1, 2)"


def test_an_entry_of_zeros_that_is_never_written_loses_no_digits():
    """What lay there was 0, so that the whole seemed right but for rounding."""
    code = build_library("void some(const double *q, double *out) { out[0] = q[1]; out[2] = q[0]; }")
    call = CFunction(code, "some", "void(const double *q, double *out)", {"q": Q}, order="column")
    verdict = decide_code(Claim("some", sp.Matrix([Q[1], 0, Q[0]]), call), call)
    assert verdict.verdict == "refuted" and verdict.slip == "(2, 1): never written"


def test_an_unwritten_entry_is_zero_where_the_caller_fills_zeros(library):
    verdict = decided(library, "unwritten", zeroed=True)
    assert "never writes" not in verdict.reason
    assert verdict.slip == "(1, 2): the entry is missing (it is 0)"


def test_rows_and_columns(library):
    row = CFunction(
        library,
        "row",
        "int row(int n, const double *q, const double *v, double a, double *out)",
        {"q": Q, "v": V, "a": v0},
        {"n": 2},
        parameters={l: 0.37},
    )
    column = CFunction(
        library,
        "column",
        "void(double *out, int n, const double *q, double a)",
        {"q": Q, "a": v0},
        {"n": 2},
        order="column",
        output="out",
        parameters={l: 0.37},
    )
    assert decide_code(Claim("row", WIDE, row), row).verdict == "consistent"
    assert decide_code(Claim("column", WIDE, column), column).verdict == "consistent"
    mixed = CFunction(
        library,
        "column",
        "void(double *out, int n, const double *q, double a)",
        {"q": Q, "a": v0},
        {"n": 2},
        order="row",
        output="out",
        parameters={l: 0.37},
    )
    assert "row by row" in decide_code(Claim("mixed", WIDE, mixed), mixed).slip
    failing = CFunction(
        library,
        "row",
        "int row(int n, const double *q, const double *v, double a, double *out)",
        {"q": Q, "v": V, "a": v0},
        {"n": 3},
        parameters={l: 0.37},
    )
    assert "it returned 7" in decide_code(Claim("failing", WIDE, failing), failing).reason


def good(q, v):
    a, b = (
        VALUES[m] * VALUES[l] * v[1] ** 2 * np.cos(q[0] - q[1]),
        VALUES[m] * VALUES[l] * v[0] ** 2 * np.cos(q[0] - q[1]),
    )
    return np.array([[a, -a + 2 * q[1]], [-b, b]])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (good, ""),
        (lambda q, v: good(q, v).T, "transposed"),
        (lambda q, v: 1 / 0, "ZeroDivisionError"),
        (lambda q, v: np.zeros(3), "shape (3,)"),
        (lambda q, v: good(q, v) * [[1, 1], [1, np.nan]], "nan"),
    ],
)
@pytest.mark.few(2)
def test_python_functions(function, expected):
    hand = PythonFunction(function, [Q, V], parameters=VALUES)
    verdict = decide_code(Claim("python", TRUTH, hand), hand)
    assert verdict.ok is not bool(expected)
    assert expected in verdict.reason + verdict.slip


def test_a_call_that_fails_where_the_one_before_did_not():
    library = build_library("int odd(double *q, double *out) { static int n; out[0] = q[0]; return ++n % 2 ? 0 : 9; }")
    odd = CFunction(library, "odd", "int(double *q, double *out)", {"q": [q0]})
    assert "it returned 9" in decide_code(Claim("odd", sp.Matrix([q0]), odd), odd).reason


def test_a_python_function_that_kills_its_process():
    import os

    hand = PythonFunction(lambda q: os._exit(3), [Q])
    assert "exit status 3" in decide_code(Claim("kill", sp.Matrix([q0]), hand), hand).reason


@pytest.mark.parametrize(
    ("truth", "function", "said"),
    [
        (sp.Abs(q0).diff(q0), lambda x: 1.0 if x > 0 else -1.0, "a jump, the value on it is that of a side"),
        (sp.Max(q0, 1), lambda x: max(x, 1.0), "q0 - 1 = 0"),
        (sp.Piecewise((q0**2, q0 < 2), (4 * q0 - 4, True)), lambda x: x * x if x < 2 else 4 * x - 4, "q0 - 2 = 0"),
        (sp.Mod(q0, 3), lambda x: x % 3, "q0/3 is an integer"),
    ],
)
@pytest.mark.few(2)
def test_kinks_are_reported_apart(truth, function, said):
    hand = PythonFunction(function, [q0])
    verdict = decide_code(Claim("kink", truth, hand), hand)
    assert verdict.verdict == "consistent"
    assert said.replace("q0 - 1", "") in verdict.note.replace("q0 - 1", "").replace("1 - q0", "")


def test_a_value_on_a_kink_that_belongs_to_no_side_is_wrong():
    hand = PythonFunction(lambda x: 2 * abs(x) if x else 7.0, [q0])
    verdict = decide_code(Claim("kink", 2 * sp.Abs(q0), hand), hand)
    assert verdict.verdict == "refuted"
    assert "entry (1, 1) gives 7, the sides are" in verdict.reason


def test_the_other_side_of_a_kink_counts():
    hand = PythonFunction(lambda x: max(x, 1.0) if x < 1.002 else 1.0, [q0])
    assert decide_code(Claim("kink", sp.Max(q0, 1), hand), hand).verdict == "refuted"


def test_rounding_is_no_error():
    """1 - cos x and 2 sin^2(x/2) are equal; the first loses all digits for small x and is still no error."""
    hand = PythonFunction(lambda x: 1 - np.cos(x), [q0])
    assert decide_code(Claim("cancel", 1 - sp.cos(q0), hand), hand).verdict == "consistent"
    exact = PythonFunction(lambda x: 2 * np.sin(x / 2) ** 2, [q0])
    assert decide_code(Claim("exact", 1 - sp.cos(q0), exact), exact).verdict == "consistent"


def test_points_lie_on_the_assumption_set():
    from nsdgen.verify import UnitQuaternion

    p = sp.symbols("p0:4", real=True)
    square = PythonFunction(lambda p: np.array([1 - 2 * (p[2] ** 2 + p[3] ** 2)]), [p])
    truth = sp.Matrix([p[0] ** 2 + p[1] ** 2 - p[2] ** 2 - p[3] ** 2])
    assert decide_code(Claim("unit", truth, square, [UnitQuaternion(p)]), square).verdict == "consistent"
    assert decide_code(Claim("any", truth, square), square).verdict == "refuted"


def test_what_cannot_be_understood_is_refused(library, tmp_path):
    plugin = SiconosPlugin(library, "right", "LagrangianDS.jacobianFGyrq", {"q": Q, "velocity": V})
    absent = SiconosPlugin(library, "absent", "LagrangianDS.mass", {"q": Q})
    with pytest.raises(ParameterError, match=r"the truth holds l, m"):
        decide_code(Claim("x", TRUTH, plugin), plugin)
    with pytest.raises(ParameterError, match="no plugin convention"):
        SiconosPlugin(library, "right", "LagrangianDS.jac", {"q": Q})
    with pytest.raises(ParameterError, match="has no argument 'x'"):
        SiconosPlugin(library, "right", "LagrangianDS.mass", {"x": Q})
    with pytest.raises(ParameterError, match="gives 2 columns, the truth has 1"):
        decide_code(Claim("x", sp.Matrix(Q), plugin), plugin)
    with pytest.raises(ParameterError, match="cannot be opened"):
        decide_code(Claim("x", sp.eye(2), absent), absent)
    with pytest.raises(ParameterError, match="nothing is said about the argument 'n'"):
        CFunction(library, "row", "void(int n, double *out)", {})
    with pytest.raises(ParameterError, match="cannot read the argument 'struct s x'"):
        CFunction(library, "row", "void(struct s x, double *out)", {})
    with pytest.raises(ParameterError, match="is no symbol"):
        PythonFunction(abs, [3])
    with pytest.raises(CompileError, match="nonsense"):
        build_library("nonsense", cache=tmp_path)


def _slipped(rng: random.Random, matrix: sp.Matrix) -> tuple[sp.Matrix, tuple[int, int]]:
    """One random slip in one nonzero entry."""
    places = [(i, j) for i in range(matrix.rows) for j in range(matrix.cols) if matrix[i, j] != 0]
    i, j = rng.choice(places)
    entry = matrix[i, j]
    kind = rng.choice(["sign", "factor", "drop", "symbol"])
    terms = sp.Add.make_args(entry)
    if kind == "drop" and len(terms) > 1:
        changed = entry - rng.choice(terms)
    elif kind == "symbol" and (used := sorted(entry.free_symbols & {*Q, *V}, key=str)):
        changed = entry.subs(rng.choice(used), rng.choice([s for s in (*Q, *V) if s not in used] or [m]))
    else:
        changed = -entry if kind == "sign" else entry * rng.choice([2, l, sp.Rational(1, 2)])
    slipped = matrix.copy()
    slipped[i, j] = changed
    return slipped, (i + 1, j + 1)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 6))])
def test_random_slips_are_refuted_at_their_entry(seed):
    rng = random.Random(seed)
    slipped, place = _slipped(rng, TRUTH)
    function = sp.lambdify([Q, V], slipped.subs(VALUES), modules="numpy")
    hand = PythonFunction(functools.partial(_call, function), [Q, V], parameters=VALUES)
    verdict = decide_code(Claim("slip", TRUTH, hand), hand)
    assert [(e.row, e.column) for e in verdict.entries if e.verdict == "refuted"] == [place]
    assert verdict.slip


def _call(function, q, v):
    return np.array(function(q, v), dtype=float)
