"""Right code is not refuted for what doubles, its caller or its clock do; code that hides its faults is."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy import Heaviside as H
from sympy import Piecewise as P
from sympy import Rational as Q

from nsdgen.verify import CFunction, Claim, IndexRange, NonNegative, PythonFunction, build_library, decide

T, X, Y = sp.symbols("t x y", real=True)
_HEAD = """
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static sigjmp_buf back;
static void leave(int s) { _exit(0); }
static void jump(int s) { siglongjmp(back, 1); }
void f(const double* x, double* o) {
"""


def claim(truth, body, symbols=(X,), assumptions=(), **about):
    library = build_library(_HEAD + body + "\n}\n")
    code = CFunction(library, "f", "void(const double *x, double *out)", {"x": list(symbols)}, **about)
    return Claim("code", truth, code, assumptions)


@pytest.mark.parametrize(
    ("truth", "value"),
    [
        (sp.exp(X**2), "exp(x[0] * x[0])"),
        pytest.param(sp.exp(X) * X**200, "exp(x[0]) * pow(x[0], 200)", marks=pytest.mark.slow),
        (1 / X**100, "1 / pow(x[0], 100)"),
        pytest.param(sp.cosh(X), "cosh(x[0])", marks=pytest.mark.slow),
        pytest.param(sp.ceiling(sp.exp(X)), "ceil(exp(x[0]))", marks=pytest.mark.slow),
    ],
)
def test_code_is_not_wrong_where_the_truth_is_beyond_doubles(truth, value):
    assert decide(claim(truth, f"o[0] = {value};"), budget=3.0).verdict in ("consistent", "undecided")


def test_infinity_is_wrong_where_the_truth_is_a_double():
    found = decide(claim(sp.exp(X**2), "o[0] = x[0] > 3 ? INFINITY : exp(x[0] * x[0]);"))
    assert found.verdict == "refuted" and "inf" in found.reason


@pytest.mark.parametrize("zeroed", [True, False])
def test_an_output_that_is_promised_as_zeros_may_be_added_to(zeroed):
    code = claim(sp.Matrix([X, X**2]), "o[0] += x[0]; o[1] += x[0] * x[0];", zeroed=zeroed)
    assert decide(code).verdict == ("consistent" if zeroed else "refuted")


@pytest.mark.parametrize(
    ("truth", "value"),
    [
        (sp.sign(Q(37, 10) * T - 1), "(3.7 * x[0] - 1 > 0) - (3.7 * x[0] - 1 < 0)"),
        (P((1, Q(37, 10) * T > 2), (0, True)), "3.7 * x[0] > 2 ? 1 : 0"),
        (P((1, sp.sin(T) > Q(1, 2)), (0, True)), "sin(x[0]) > 0.5 ? 1 : 0"),
        (sp.sign(sp.sin(Q(37, 10) * T)), "(sin(3.7 * x[0]) > 0) - (sin(3.7 * x[0]) < 0)"),
        (P((1, sp.Mod(Q(37, 10) * T, 1) < Q(3, 10)), (0, True)), "3.7 * x[0] - floor(3.7 * x[0]) < 0.3 ? 1 : 0"),
        (P((1, Q(7, 10) <= T), (0, True)), "x[0] >= 0.7"),
        (H(T - Q(3, 10)), "x[0] > 0.3 ? 1 : x[0] < 0.3 ? 0 : 0.5"),
        (sp.floor(Q(37, 10) * T), "floor(3.7 * x[0])"),
    ],
)
@pytest.mark.few(3)
def test_at_a_jump_code_may_round_to_the_other_side(truth, value):
    assert decide(claim(truth, f"o[0] = {value};", (T,))).verdict == "consistent"


@pytest.mark.parametrize("at_zero", ["0.0 / 0.0", "7"])
def test_where_the_truth_has_no_value_code_may_give_any(at_zero):
    """A normal of length 0 is on a kink that points are moved onto."""
    body = f"double n = hypot(x[0], x[1]); o[0] = n > 0 ? x[0] / n : {at_zero};"
    assert decide(claim(X / sp.sqrt(X**2 + Y**2), body, (X, Y))).verdict == "consistent"


def test_at_a_jump_a_value_of_no_side_is_wrong():
    assert (
        decide(claim(P((1, T > 2), (0, True)), "o[0] = x[0] > 2 ? 1 : x[0] == 2 ? 7 : 0;", (T,))).verdict == "refuted"
    )


def from_the_start(q):
    if q[0] < 1:
        raise ValueError("before the start")
    return 2 * q


def of_an_index(q):
    return {1.0: q, 2.0: 4 * q, 3.0: 9 * q}[float(q[0])]


@pytest.mark.parametrize(
    ("truth", "function", "assumption"),
    [(2 * T, from_the_start, NonNegative(T - 1)), (T**3, of_an_index, IndexRange(T, 1, 3))],
)
def test_code_is_asked_on_its_assumptions_only(truth, function, assumption):
    found = decide(Claim("code", truth, PythonFunction(function, [[T]]), [assumption]))
    assert found.verdict in ("consistent", "undecided"), found.reason


HIDDEN = "volatile double q = x[1]; (void)q;"


@pytest.mark.parametrize(
    "body",
    [
        f"signal(SIGSEGV, leave); signal(SIGBUS, leave); {HIDDEN} o[0] = x[0] * x[0];",
        f"signal(SIGSEGV, jump); if (!sigsetjmp(back, 1)) {{ {HIDDEN} }} o[0] = x[0] * x[0];",
        "struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = jump; a.sa_flags = SA_NODEFER;"
        f"sigaction(SIGSEGV, &a, 0); if (!sigsetjmp(back, 1)) {{ {HIDDEN} }} o[0] = x[0] * x[0];",
        "volatile double* own = (volatile double*)x; own[0] = own[0]; o[0] = x[0] * x[0];",
        "volatile double* own = (volatile double*)x; double a = own[0]; own[0] = 3; own[0] = a; o[0] = a * a;",
        "if (x[0] > 1.5) kill(0, SIGTERM); o[0] = x[0] * x[0];",
        "if (x[0] > 1.5) kill(0, SIGKILL); o[0] = x[0] * x[0];",
    ],
)
@pytest.mark.few(3)
def test_code_that_hides_its_faults_is_refuted_and_ends_nobody_else(body):
    assert decide(claim(X**2, body)).verdict == "refuted"


def test_slow_code_and_slow_truths_count_against_the_budget():
    slow = decide(claim(X**2, "usleep(100000); o[0] = x[0] * x[0];"), budget=0.35)
    assert slow.verdict == "undecided" and slow.seconds < 30
    assert decide(claim(sp.exp(-sp.exp(X)), "o[0] = exp(-exp(x[0]));"), budget=5.0).verdict == "consistent"


def test_digits_that_code_loses_are_no_slip_of_its_formula():
    """1 - cos x in place of 2 sin^2 (x / 2): it was told that the result is 1 times the right one."""
    found = decide(claim(sp.Matrix([2 * sp.sin(X / 2) ** 2, X]), "o[0] = 1 - cos(x[0]); o[1] = x[0];"))
    assert found.verdict == "refuted" and "loses digits where its terms cancel" in found.slip
