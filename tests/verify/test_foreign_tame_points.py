"""Code that is wrong where a comparison at a few tame points would not see it."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from nsdgen.verify import Claim, check_jacobian, decide
from nsdgen.verify.foreign.hand_functions import CFunction, PythonFunction
from nsdgen.verify.foreign.shared_library import build_library

x, y = sp.symbols("x y", real=True)
TRUTH = sp.Matrix([[sp.sin(x), x * y]])
KINK = sp.Matrix([[sp.Abs(x), y]])


def good(q):
    return np.array([[np.sin(q[0]), q[0] * q[1]]])


def kinked(q):
    return np.array([[abs(q[0]), q[1]]])


def beside(change):
    """The right function with its array changed."""

    def wrong(q):
        return change(q, good(q))

    return wrong


# The same, no function of a module.
same = beside(lambda q, right: right)


def where(condition, by=1.0):
    def change(q, right):
        return right + by if condition(q) else right

    return beside(change)


_STATE = {"calls": 0}


def _counting():
    def code(q):
        _STATE["calls"] += 1
        return good(q) + (1e-3 if _STATE["calls"] > 30 else 0.0)

    return code


LIMIT, TABLE, LIMITS = 0.6181, (0.25, 3.875), {"slip": 7.0625}


class Limits:
    slip = 9.03125


def _inner(value):
    return value == 0.9173


def _with_default():
    def code(q, limit=0.3331, *, other=0.3337):
        return good(q) + (q[1] == limit or q[1] == other)

    return code


def _shared(array=np.zeros((1, 2))):  # noqa: B008
    def code(q):
        array[:] = good(q)
        return array

    return code


WRONG = {
    "a number of the module": where(lambda q: q[0] == LIMIT),
    "a table": where(lambda q: q[0] in TABLE),
    "a dictionary": where(lambda q: q[0] == LIMITS["slip"]),
    "of a class": where(lambda q: q[0] == Limits.slip),
    "of another function": where(lambda q: _inner(q[1])),
    "default": _with_default(),
    "length one": where(lambda q: abs(np.hypot(*q) - 1) < 1e-14),
    "30 degrees": where(lambda q: abs(q[0] - np.pi / 6) < 1e-12),
    "root of two": where(lambda q: q[0] == np.sqrt(2)),
    "e": where(lambda q: q[0] == np.e),
    "opposite": where(lambda q: q[0] == -q[1]),
    "single precision": lambda q: good(q.astype(np.float32)),
    "a late error": beside(lambda q, r: r * (1 if q[0] * q[1] >= 0 else 1 + 1e-9)),
    "raises at zero": beside(lambda q, r: r if q[0] else 1 / 0),
    "imaginary": beside(lambda q, r: r + 1j),
    "text": beside(lambda q, r: np.array([["1.0", "2.0"]])),
    "masked": beside(lambda q, r: np.ma.masked_array(r, mask=[[False, True]])),
    "none": beside(lambda q, r: None),
    "boolean": beside(lambda q, r: r > 0),
    "object": beside(lambda q, r: [[x, 1.0]]),
    "far": where(lambda q: q[0] > 50),
    "very far": where(lambda q: abs(q[0]) > 5e5),
    "zero": where(lambda q: q[0] == 0),
    "both zero": where(lambda q: q[0] == 0 and q[1] == 0),
    "one": where(lambda q: q[0] == 1.0),
    "minus one": where(lambda q: q[1] == -1.0),
    "small": where(lambda q: 0 < abs(q[0]) < 1e-6),
    "pi": where(lambda q: q[0] == np.pi),
    "half pi": where(lambda q: abs(q[0] - np.pi / 2) < 1e-12),
    "equal": where(lambda q: q[0] == q[1]),
    "literal": where(lambda q: q[0] == 0.37),
    "literal y": where(lambda q: q[1] == -7.25),
    "band": where(lambda q: 12.5 <= q[1] <= 12.5000001),
    "literal in a tuple": where(lambda q: q[0] in (0.123, 4.56)),
    "state": _counting(),
    "two": where(lambda q: q[0] == 2.0),
    "tiny and not": where(lambda q: abs(q[0]) < 1e-3 < abs(q[1])),
    "mixed decades": where(lambda q: abs(q[0]) > 1e3 and abs(q[1]) < 1e-2),
    "decade": where(lambda q: abs(q[1]) > 1e3),
}


@pytest.mark.parametrize(
    "name", [n if k % 4 == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(WRONG)]
)
@pytest.mark.few(3)
def test_wrong_code_is_refuted(name):
    _STATE["calls"] = 0
    assert decide(Claim("c", TRUTH, PythonFunction(WRONG[name], [[x, y]]))).verdict == "refuted"


def negative(value):
    return value == 0 and np.signbit(value)


SIGNED = {
    "first": where(lambda q: negative(q[0]), [[0.5, 0]]),
    "second": where(lambda q: negative(q[1]), [[0, np.nan]]),
    "both": where(lambda q: negative(q[0]) and negative(q[1]), [[0, 1e-9]]),
    "copysign": lambda q: np.array([[np.sin(q[0]) + (np.copysign(1, q[0]) < 0) * (q[0] >= 0), q[0] * q[1]]]),
    "raises": beside(lambda q, r: 1 / 0 if negative(q[1]) else r),
}


@pytest.mark.parametrize("name", SIGNED)
def test_minus_zero_is_zero(name):
    found = decide(Claim("c", TRUTH, PythonFunction(SIGNED[name], [[x, y]])))
    assert found.verdict == "refuted"
    assert "-0.0" in dict(found.counterexample.point).values()
    wrong = [(e.row, e.column) for e in found.entries if e.verdict == "refuted"]
    if name != "raises":
        assert wrong == [(1, 2 if name in ("second", "both") else 1)]
        assert "-0.0" in found.slip and "at -0.0 entry" in found.reason


def test_on_a_kink_minus_zero_may_give_the_other_side():
    truth = sp.Matrix([[sp.atan2(y, x), sp.sign(x)]])

    def right(q):
        return np.array([[np.arctan2(q[1], q[0]), np.copysign(1.0, q[0])]])

    def wrong(q):
        return np.array([[np.arctan2(q[1], q[0]), 3.0 if negative(q[0]) else np.sign(q[0])]])

    assert decide(Claim("c", truth, PythonFunction(right, [[x, y]]))).verdict == "consistent"
    found = decide(Claim("c", truth, PythonFunction(wrong, [[x, y]])))
    assert (found.verdict, "at -0.0 entry (1, 2) gives 3" in found.reason) == ("refuted", True)


@pytest.mark.parametrize("at_kink", [np.nan, 55.0, -3.0, np.inf])
@pytest.mark.few(2)
def test_what_code_gives_on_a_kink_counts(at_kink):
    def wrong(q):
        return kinked(q) if q[0] != 0 else np.array([[at_kink, q[1]]])

    found = decide(Claim("c", KINK, PythonFunction(wrong, [[x, y]])))
    assert (found.verdict, "kink" in found.reason) == ("refuted", True)


@pytest.mark.parametrize("at_kink", [-1.0, 0.0, 1.0, 0.5])
@pytest.mark.few(2)
def test_a_value_between_the_sides_of_a_jump_is_right(at_kink):
    def right(q):
        return np.array([[np.sign(q[0]) if q[0] else at_kink, q[1]]])

    assert decide(Claim("c", sp.Matrix([[sp.sign(x), y]]), PythonFunction(right, [[x, y]]))).verdict == "consistent"


@pytest.mark.parametrize(
    "code",
    [
        same,
        lambda q: [[float(np.sin(q[0])), float(q[0] * q[1])]],
        beside(lambda q, r: r.astype(object)),
        beside(lambda q, r: r + 0j),
        beside(lambda q, r: r[0]),
        _shared(),
    ],
)
@pytest.mark.few(2)
def test_right_code_is_consistent(code):
    assert decide(Claim("c", TRUTH, PythonFunction(code, [[x, y]]))).verdict == "consistent"


def test_a_small_entry_beside_a_large_one_is_not_forgotten():
    of, wrt = [10**10 * x, x / 2 + y], [x, y]

    def wrong(q):
        return np.array([[1e10, 0.0], [0.0, 1.0]])

    assert check_jacobian(wrong, of=of, wrt=wrt).verdict == "refuted"
    right = check_jacobian(lambda q: np.array([[1e10, 0.0], [0.5, 1.0]]), of=of, wrt=wrt)
    assert right.verdict == "consistent"


def test_symbols_of_one_name_are_matched_and_the_verdict_says_so():
    positive = sp.Symbol("x", positive=True)
    found = decide(Claim("c", TRUTH.xreplace({x: positive}), PythonFunction(same, [[x, y]])))
    assert (found.verdict, "matched by name" in found.note) == ("consistent", True)


def test_a_truth_without_values_is_no_agreement():
    found = decide(Claim("c", sp.Matrix([[sp.sqrt(-1 - x**2), y]]), PythonFunction(same, [[x, y]])))
    assert found.verdict == "undecided"


def test_a_missing_library_is_the_verdict_of_its_claim(tmp_path):
    code = CFunction(tmp_path / "none.so", "f", "void(const double *q, double *out)", {"q": [x, y]})
    found = decide(Claim("c", TRUTH, code))
    assert (found.verdict, "cannot be opened" in found.reason) == ("undecided", True)


SOURCE = r"""
#include <math.h>
#define GOOD out[0] = sin(q[0]); out[1] = q[0] * q[1];
void right(const double *q, double *out) { GOOD }
void reads_behind(const double *q, double *out) { GOOD out[0] += 0 * q[2]; volatile double a = q[2]; (void) a; }
void reads_before(const double *q, double *out) { GOOD volatile double a = q[-1]; (void) a; }
void writes_far(const double *q, double *out) { GOOD out[100] = 1; }
void writes_far_before(const double *q, double *out) { GOOD out[-80] = 1; }
void reads_output(const double *q, double *out) { GOOD volatile double a = out[2]; (void) a; }
void literal(const double *q, double *out) { GOOD if (q[0] == 0.7321) out[0] = 0; }
void third(const double *q, double *out) { GOOD if (q[0] == 1.0 / 3) out[0] = 1; }
void single(const double *q, double *out) { GOOD out[0] = sinf((float) q[0]); }
void skips(const double *q, double *out) { out[0] = sin(q[0]); if (q[1] != 0) out[1] = q[0] * q[1]; }
void state(const double *q, double *out) { static int n; GOOD if (++n > 150) out[1] += 1; }
void signed_zero(const double *q, double *out) { GOOD if (q[1] == 0 && signbit(q[1])) out[1] = 1; }
void last(const double *q, double *out) { static double p; GOOD out[1] += 1e-6 * p; p = q[0]; }
"""


@pytest.fixture(scope="module")
def library(kernel_cache):
    return build_library(SOURCE)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("right", "consistent"),
        *(
            (n, "refuted")
            for n in (
                "reads_behind",
                "reads_before",
                "writes_far",
                "writes_far_before",
                "reads_output",
                "literal",
                "state",
                "third",
                "single",
                "skips",
                "last",
                "signed_zero",
            )
        ),
    ],
)
@pytest.mark.few(3)
def test_compiled_code(library, name, verdict):
    found = decide(Claim(name, TRUTH, CFunction(library, name, "void(const double *q, double *out)", {"q": [x, y]})))
    assert found.verdict == verdict, found.reason
    if name.startswith(("reads", "writes")):
        assert "out of bounds" in found.reason
