"""Code that is wrong by approximation, tables, caches, kinds of numbers or in one place; and odd code that is right."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
import sympy as sp

from nsdgen.verify import Claim, decide
from nsdgen.verify.foreign.hand_functions import CFunction, PythonFunction
from nsdgen.verify.foreign.shared_library import build_library

x, y, z = sp.symbols("x y z", real=True)
G = [x, y, z]
TRUTH = sp.Matrix([[x * y, sp.sin(z)]])
NODES = np.linspace(-np.pi, np.pi, 20001)


def row(product, sine):
    return np.array([[product, sine]])


def good(q):
    return row(q[0] * q[1], np.sin(q[2]))


def _series(z, terms=12):
    return sum((-1) ** k * z ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(terms))


class _Counts:
    def __init__(self):
        self.kept = {}

    def __call__(self, q):
        return self.kept.setdefault(tuple(np.round(q, 3)), good(q))


def _fixed_point(z):
    s = z
    for _ in range(4):  # Newton's method for asin(s) = z, too few steps
        s = s - (np.arcsin(np.clip(s, -1, 1)) - z) * np.sqrt(max(1 - s * s, 0))
    return s


def _at(place, tolerance=0.0):
    return lambda q: row(q[0] * q[1] + (abs(q[0] - place) <= tolerance), np.sin(q[2]))


WRONG = {
    "table": lambda q: row(q[0] * q[1], np.interp((q[2] + np.pi) % (2 * np.pi) - np.pi, NODES, np.sin(NODES))),
    "series": lambda q: row(q[0] * q[1], _series(q[2])),
    "few steps": lambda q: row(q[0] * q[1], _fixed_point(q[2])),
    "difference quotient": lambda q: row(q[0] * q[1], (np.cos(q[2] - 1e-6) - np.cos(q[2] + 1e-6)) / 2e-6),
    "logarithms": lambda q: row(np.exp(np.log(abs(q[0])) + np.log(abs(q[1]))), np.sin(q[2])),
    "squares": lambda q: row(np.sqrt((q[0] * q[1]) ** 2), np.sin(q[2])),
    "single": lambda q: good(q.astype(np.float32)),
    "rounded": lambda q: np.round(good(q), 9),
    "wrapped": lambda q: row((q[0] * q[1] + 1e4) % 2e4 - 1e4, np.sin(q[2])),
    "degrees": lambda q: row(q[0] * q[1], np.sin(q[2] if abs(q[2]) < 8 else np.deg2rad(q[2]))),
    "cast": lambda q: row(float(np.int64(q[0] * 1e6)) * 1e-6 * q[1], np.sin(q[2])),
    "cache": _Counts(),
    "a default": _at(0.1234567),
    "a wider default": _at(-77.125, 1e-9),
    "a large place": lambda q: row(q[0] * q[1] if q[0] * q[1] < 31250 else 31250.0, np.sin(q[2])),
    "one sign": lambda q: row(q[0] * abs(q[1]) if q[0] < 0 and q[1] < 0 and q[2] < 0 else q[0] * q[1], np.sin(q[2])),
    "equal entries": lambda q: row(q[0] * q[1] if q[0] != q[1] else 0.0, np.sin(q[2])),
    "nan at zero": lambda q: row(q[0] * q[1] * (q[2] / q[2]), np.sin(q[2])),
    "column": lambda q: good(q).T,
    "three entries": lambda q: np.array([[q[0] * q[1], np.sin(q[2]), 0.0]]),
    "booleans": lambda q: good(q) > 0,
    "changes its input": lambda q: (good(q), q.fill(0))[0],
    "half angle": lambda q: row(q[0] * q[1], 2 * np.sin(q[2] / 2) * np.sqrt(1 - np.sin(q[2] / 2) ** 2)),
    "shifted": lambda q: row(q[0] * q[1], np.cos(q[2] - 1.5707963)),
    "conjugated": lambda q: good(q) * (1 + 1e-7j),
    "infinite": lambda q: good(q) if q[1] < 90 else good(q) * np.inf,
    "a set": lambda q: {q[0] * q[1], np.sin(q[2])},
    "text": lambda q: [[str(q[0] * q[1]), np.sin(q[2])]],
    "ties": lambda q: row(q[0] * q[1], np.sin(q[2]) if q[2] != np.pi else 0.1),
}

RIGHT = {
    "partial": functools.partial(lambda k, q: good(q) * k, 1),
    "method": type("T", (), {"f": lambda self, q: good(q)})().f,
    "matrix": lambda q: np.asmatrix(good(q)),
    "objects": lambda q: good(q).astype(object),
    "lists": lambda q: good(q).tolist(),
    "another way": lambda q: row(
        ((q[0] + q[1]) ** 2 - (q[0] - q[1]) ** 2) / 4 if abs(q[0] - q[1]) < 0 else q[0] * q[1], np.sin(q[2])
    ),
    "transposed twice": lambda q: good(q).T.copy().T,
    "long": lambda q: row(np.prod(q[:2].astype(np.longdouble)), np.sin(q[2])),
    "fused": lambda q: row(math.fsum([q[0] * q[1]]), math.sin(q[2])),
    "polar": lambda q: row(q[0] * q[1], np.exp(1j * q[2]).imag),
    "strides": lambda q: np.vstack([good(q), good(q)])[::2],
    "reused output": (lambda kept: lambda q: np.copyto(kept, good(q)) or kept)(np.zeros((1, 2))),
}


def some(names, step=8):
    return [n if k % step == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(names)]


@pytest.mark.parametrize("name", some(WRONG))
@pytest.mark.few(2)
def test_wrong_code_is_refuted(name):
    found = decide(Claim("c", TRUTH, PythonFunction(WRONG[name], [G])))
    assert found.verdict == "refuted", (found.verdict, found.reason, found.note)


@pytest.mark.parametrize("name", some(RIGHT))
def test_right_code_is_not_refuted(name):
    found = decide(Claim("c", TRUTH, PythonFunction(RIGHT[name], [G])))
    assert found.verdict == "consistent", (found.verdict, found.reason)


SOURCE = r"""
#include <math.h>
#define SINE out[1] = sin(q[2]);
void right(const double *q, double *out) { double p = q[0]; p *= q[1]; out[0] = p; SINE }
void fused(const double *q, double *out) { out[0] = fma(q[0], q[1], 0.0); SINE }
void integer(const double *q, double *out) { int i = q[1] * 65536;
  out[0] = q[0] * (i / 65536.0) + q[0] * (q[1] - i / 65536.0); SINE }
void halves(const double *q, double *out) { out[0] = 1 / 2 * 2 * q[0] * q[1]; SINE }
void shadow(const double *q, double *out) { double s = 0;
  { double s = sin(q[2]); (void) s; } out[0] = q[0] * q[1]; out[1] = s; }
void absolute(const double *q, double *out) { out[0] = q[0] * q[1]; out[1] = q[2] < -31.4 ? -sin(q[2]) : sin(q[2]); }
void switched(const double *q, double *out) {
  switch ((int) q[0]) { case 2: out[0] = 0; break; default: out[0] = q[0] * q[1]; } SINE }
void bits(const double *q, double *out) { union { double d; unsigned long u; } a = {q[0] * q[1]};
  a.u &= ~0xfffffUL; out[0] = a.d; SINE }
void precedence(const double *q, double *out) { out[0] = q[0] * q[1] + 0 == 1 ? 1 : q[0] * q[1]; SINE }
void rare(const double *q, double *out) { out[0] = q[0] * q[1]; out[1] = q[2] == 2.71828 ? 0 : sin(q[2]); }
void once(const double *q, double *out) { static int first = 1; out[0] = first ? 0 : q[0] * q[1]; first = 0; SINE }
void tables(const double *q, double *out) { static const double t[] = {0, 1, 2, 3};
  out[0] = q[1] >= 0 && q[1] <= 3 && q[1] == floor(q[1]) ? q[0] * t[(int) q[1] ^ (q[1] == 3)] : q[0] * q[1]; SINE }
"""
COMPILED = {
    "right": "consistent",
    "fused": "consistent",
    "precedence": "consistent",
    "integer": "consistent",
    **dict.fromkeys(("halves", "shadow", "absolute", "switched", "bits", "rare", "once", "tables"), "refuted"),
}


@pytest.mark.parametrize("name", some(COMPILED, 6))
def test_compiled_code(kernel_cache, name):
    """``integer`` is right whatever its integer is; ``precedence`` reads as a comparison and is right all the same."""
    code = CFunction(build_library(SOURCE), name, "void(double *q, double *out)", {"q": G})
    found = decide(Claim(name, TRUTH, code))
    assert found.verdict == COMPILED[name], (found.verdict, found.reason, found.confidence)
