"""Code that is wrong in one entry, in its shape or at later calls, or right though it looks wrong."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from nsdgen.verify import Claim, Positive, UnitVector, check_jacobian, decide, vector
from nsdgen.verify.foreign.hand_functions import CFunction, PythonFunction
from nsdgen.verify.foreign.shared_library import build_library

x, y, z = sp.symbols("x y z", real=True)
G = [x, y, z]
TRUTH = sp.Matrix([[sp.sin(x) * y, sp.exp(-(z**2))], [x * y * z, sp.cos(x - z)]])


def good(q):
    return np.array([[np.sin(q[0]) * q[1], np.exp(-(q[2] ** 2))], [q[0] * q[1] * q[2], np.cos(q[0] - q[2])]])


def entry(i, j, value):
    """The right function with one entry made from its value and the arguments."""

    def code(q):
        out = good(q)
        out[i, j] = value(out[i, j], q)
        return out

    return code


_BEFORE: list[tuple[float, ...]] = []  # in the process that calls the code


def _slow_state(q):
    out = good(q)
    out[1, 1] += 1e-4 * (bool(_BEFORE) and _BEFORE[-1][0] > 0.9)
    _BEFORE.append(tuple(q))
    return out


def _remembers(q):
    _BEFORE.append(tuple(q))
    out = good(q)
    out[0, 0] *= 1 + 1e-3 * (_BEFORE.count(tuple(q)) > 1)
    return out


def _writes(q):
    out = good(q)
    q[2] = 0.0
    return out


WRONG = {
    "transposed": lambda q: good(q).T,
    "flat": lambda q: good(q).T.ravel(),
    "one entry": entry(1, 0, lambda v, q: v + 1e-3),
    "relative": entry(0, 0, lambda v, q: v * (1 + 1e-10)),
    "sign for large": entry(1, 1, lambda v, q: v if q[0] < 90 else -v),
    "zero for small": entry(1, 0, lambda v, q: v if abs(v) > 1e-12 else 0.0),
    "series": entry(0, 0, lambda v, q: (q[0] - q[0] ** 3 / 6) * q[1] if abs(q[0]) < 1e-2 else v),
    "underflow": entry(0, 1, lambda v, q: np.float32(v)),
    "nan at one": entry(1, 1, lambda v, q: np.nan if q[0] == 1 else v),
    "inf at zero": entry(0, 1, lambda v, q: np.inf if q[2] == 0 else v),
    "equal arguments": entry(1, 1, lambda v, q: v if q[0] != q[2] else 0.0),
    "all equal": entry(0, 0, lambda v, q: v + (q[0] == q[1] == q[2])),
    "opposite": entry(0, 0, lambda v, q: v + (q[0] == -q[2])),
    "integers": entry(1, 0, lambda v, q: v + (q[0] == int(q[0]) and q[0] > 1)),
    "half": entry(0, 0, lambda v, q: v + (q[1] == 0.5)),
    "negative y": entry(0, 0, lambda v, q: abs(v)),
    "only positive": entry(0, 1, lambda v, q: v if q[2] >= 0 else 1 / v),
    "rounded": entry(0, 0, lambda v, q: round(float(v), 12)),
    "clipped": entry(1, 0, lambda v, q: np.clip(v, -1e3, 1e3)),
    "degrees": entry(0, 0, lambda v, q: np.sin(np.deg2rad(q[0])) * q[1]),
    "wrapped": entry(1, 1, lambda v, q: np.cos(np.mod(q[0], 6.28) - q[2])),
    "threshold": entry(1, 0, lambda v, q: v if abs(q[1]) < 123.25 else v + 1),
    "two thresholds": entry(1, 1, lambda v, q: v + (3.25 < q[0] < 3.2500001)),
    "state": _slow_state,
    "remembers": _remembers,
    "writes": _writes,
    "string": lambda q: [["1", "2"], ["3", "4"]],
    "ragged": lambda q: [[1.0, 2.0], [3.0]],
    "generator": lambda q: (v for v in good(q)),
    "extra dimension": lambda q: good(q)[None],
    "empty": lambda q: np.zeros((0, 2)),
    "complex": lambda q: good(q) + 1e-30j,
    "masked": lambda q: np.ma.masked_invalid(np.where(q[0] > 0, good(q), np.nan)),
    "exits": lambda q: (_ for _ in ()).throw(SystemExit(0)),
    "wrong arity": lambda q, v: good(q),
    "none at zero": lambda q: good(q) if q.any() else None,
    "datetime": lambda q: np.array([["2020", "2021"]], dtype="datetime64[Y]"),
}

RIGHT = {
    "arrays": good,
    "lists": lambda q: good(q).tolist(),
    "fortran": lambda q: np.asfortranarray(good(q)),
    "half sums": lambda q: (good(q) + good(q)) / 2,
    "noise": lambda q: good(q) * (1 + 1e-16),
    "matrix": lambda q: np.matrix(good(q)),
    "addition theorem": entry(1, 1, lambda v, q: np.cos(q[0]) * np.cos(q[2]) + np.sin(q[0]) * np.sin(q[2])),
    "strided": lambda q: np.repeat(good(q), 2, axis=1)[:, ::2],
}


def some(names):
    """Every sixth in each run, the others with those that are slow."""
    return [n if k % 6 == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(names)]


@pytest.mark.parametrize("name", some(WRONG))
@pytest.mark.few(3)
def test_wrong_code_is_refuted(name):
    _BEFORE.clear()
    found = decide(Claim("c", TRUTH, PythonFunction(WRONG[name], [G])))
    assert found.verdict == "refuted", found.confidence


@pytest.mark.parametrize("name", some(RIGHT))
def test_right_code_is_consistent(name):
    found = decide(Claim("c", TRUTH, PythonFunction(RIGHT[name], [G])))
    assert found.verdict == "consistent", found.reason


def test_code_on_an_assumption_set_is_asked_there_only():
    n = vector("n")
    truth = sp.Matrix([n.dot(n) * n[0]])
    on_sphere = PythonFunction(lambda v: np.array([v[0]]), [list(n)])
    assert decide(Claim("c", truth, on_sphere, UnitVector(n))).verdict == "consistent"
    assert decide(Claim("c", truth, on_sphere)).verdict == "refuted"
    root = PythonFunction(lambda v: np.sqrt(v[0]), [[x]])
    assert decide(Claim("c", sp.Matrix([sp.sqrt(x)]), root, Positive(x))).verdict == "consistent"


@pytest.mark.parametrize(
    ("jacobian", "verdict"),
    [
        (lambda q: np.array([[2 * q[0], 0.0], [q[1], q[0]]]), "consistent"),
        (lambda q: np.array([[2 * q[0], 0.0], [q[0], q[1]]]), "refuted"),
        (lambda q: np.array([[2 * q[0], 1e-7], [q[1], q[0]]]), "refuted"),
        (lambda q: np.array([[2 * q[0], q[1]], [0.0, q[0]]]), "refuted"),
    ],
)
def test_small_jacobians(jacobian, verdict):
    found = check_jacobian(jacobian, of=[x**2, x * y], wrt=[x, y])
    assert found.verdict == verdict, found.reason


SOURCE = r"""
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define GOOD out[0] = sin(q[0]) * q[1]; out[1] = exp(-q[2] * q[2]); \
    out[2] = q[0] * q[1] * q[2]; out[3] = cos(q[0] - q[2]);
void right(const double *q, double *out) { GOOD }
void column(const double *q, double *out) { GOOD double t = out[1]; out[1] = out[2]; out[2] = t; }
void adds(const double *q, double *out) { double o = out[0]; GOOD out[0] += o; }
void one_behind(const double *q, double *out) { GOOD out[4] = 0; }
void one_before(const double *q, double *out) { GOOD out[-1] = 0; }
void restores(const double *q, double *out) { GOOD volatile double *o = out; double t = o[4]; o[4] = 1; o[4] = t; }
void writes_input(double *q, double *out) { GOOD q[1] += 1; }
void scratch(double *q, double *out) { GOOD double t = q[0]; q[0] = 0; q[0] = t; }
void aborts(const double *q, double *out) { GOOD if (q[0] == 2.0) abort(); }
void divides(const double *q, double *out) { GOOD out[3] *= q[1] / q[1]; }
void uninitialised(const double *q, double *out) { GOOD if (q[0] > 5) { volatile double s[8]; out[0] = s[3] + 1; } }
void float_angle(const double *q, double *out) { GOOD out[3] = cosf((float) (q[0] - q[2])); }
void first_only(const double *q, double *out) { out[0] = sin(q[0]) * q[1]; }
void copies(const double *q, double *out) { static double kept[4]; GOOD memcpy(kept, out, sizeof kept); }
void toggles(const double *q, double *out) { static int n; GOOD n = !n; if (n) out[2] += 1e-9; }
void nan_far(const double *q, double *out) { GOOD if (fabs(q[1]) > 1e4) out[2] = NAN; }
"""


@pytest.fixture(scope="module")
def library(kernel_cache):
    return build_library(SOURCE)


COMPILED = (
    "right",
    "scratch",
    "copies",
    "column",
    "adds",
    "one_behind",
    "one_before",
    "restores",
    "writes_input",
    "aborts",
    "divides",
    "uninitialised",
    "float_angle",
    "first_only",
    "toggles",
    "nan_far",
)


@pytest.mark.parametrize("name", some(COMPILED))
def test_compiled_code(library, name):
    verdict = "consistent" if name in COMPILED[:3] else "refuted"
    found = decide(Claim(name, TRUTH, CFunction(library, name, "void(double *q, double *out)", {"q": G})))
    assert found.verdict == verdict, (found.reason, found.confidence)
