"""Code that disturbs its caller, its process or the numbers of others; and a few oddities that are right."""

from __future__ import annotations

import decimal
import fractions
import os
import random
import signal
import sys
import warnings

import numpy as np
import pytest
import sympy as sp

from nsdgen.verify import Claim, decide
from nsdgen.verify.foreign.hand_functions import CFunction, PythonFunction
from nsdgen.verify.foreign.shared_library import build_library

x, y, z = sp.symbols("x y z", real=True)
G = [x, y, z]
TRUTH = sp.Matrix([[x * y, sp.sin(z)]])


def good(q):
    return np.array([[q[0] * q[1], np.sin(q[2])]])


def after(act):
    """The right function, which does something else before it answers."""

    def code(q):
        act(q)
        return good(q)

    return code


def when(condition, act):
    return after(lambda q: act() if condition(q) else None)


def _recursion(q):
    return _recursion(q)


_KEPT: list[float] = []


def _last_call(q):
    _KEPT.append(float(q[2]))
    return good([q[0], q[1], _KEPT[max(len(_KEPT) - 2, 0)]])


def _bomb(q):
    return good(q) if q[0] < 50 else np.zeros(10**13)


WRONG = {
    "leaves": when(lambda q: q[0] > 3, lambda: os._exit(0)),
    "kills itself": when(lambda q: q[0] > 3, lambda: os.kill(os.getpid(), signal.SIGKILL)),
    "recursion": _recursion,
    "memory": _bomb,
    "interrupt": when(lambda q: q[1] > 3, lambda: (_ for _ in ()).throw(KeyboardInterrupt())),
    "noise": lambda q: good(q) + 1e-9 * random.random(),
    "noise of numpy": lambda q: good(q) * (1 + 1e-9 * np.random.default_rng().random()),
    "clock": lambda q: good(q) + 1e-12 * (os.times().elapsed % 1),
    "half precision": lambda q: good(q).astype(np.float16),
    "integers": lambda q: good(q).astype(int),
    "sorted arguments": lambda q: good(np.sort(q)),
    "absolute": lambda q: np.abs(good(q)),
    "wrapped angle": lambda q: np.array([[q[0] * q[1], np.sin((q[2] + 3.14159) % 6.28318 - 3.14159)]]),
    "guarded division": lambda q: np.array([[q[0] * q[1] * q[2] / (q[2] + 1e-12), np.sin(q[2])]]),
    "clamped": lambda q: np.array([[max(min(q[0] * q[1], 1e6), -1e6), np.sin(q[2])]]),
    "small angle": lambda q: np.array([[q[0] * q[1], q[2] if abs(q[2]) < 1e-2 else np.sin(q[2])]]),
    "last call": lambda q: _last_call(q),
    "decimals": lambda q: [[decimal.Decimal(float(q[0] * q[1])), np.sin(q[2])]],
    "nothing": lambda q: None,
    "a dictionary": lambda q: {0: good(q)},
    "an exception": lambda q: ValueError("x"),
    "a type": lambda q: np.ndarray,
    "bytes": lambda q: good(q).tobytes(),
    "nested": lambda q: [[[good(q)]]],
}

RIGHT = {
    "prints": after(lambda q: print("x" * 10000)),
    "prints errors": after(lambda q: print("y", file=sys.stderr)),
    "raw output": after(lambda q: os.write(1, b"\0\1\2{]")),
    "warns": after(lambda q: warnings.warn("w", stacklevel=1)),
    "raises at signals": after(lambda q: np.seterr(all="raise")),
    "folder": after(lambda q: os.chdir("/")),
    "fractions": lambda q: [[fractions.Fraction(float(q[0])) * fractions.Fraction(float(q[1])), float(np.sin(q[2]))]],
    "long doubles": lambda q: good(q.astype(np.longdouble)),
    "sympy": lambda q: sp.Matrix(good(q)),
    "seeded": after(lambda q: random.seed(1)),
    "no input": after(lambda q: sys.stdin.close()),
}


def some(names, step=8):
    return [n if k % step == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(names)]


@pytest.mark.parametrize("name", some(WRONG))
def test_wrong_code_is_refuted(name):
    assert decide(Claim("c", TRUTH, PythonFunction(WRONG[name], [G]))).verdict == "refuted"


@pytest.mark.parametrize("name", some(RIGHT))
def test_right_code_is_not_refuted(name):
    found = decide(Claim("c", TRUTH, PythonFunction(RIGHT[name], [G])))
    assert found.verdict in ("consistent", "undecided"), found.reason


SOURCE = r"""
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define GOOD out[0] = q[0] * q[1]; out[1] = sin(q[2]);
void right(const double *q, double *out) { GOOD }
void says(const double *q, double *out) { GOOD puts("hello"); fflush(stdout); }
void rounds(const double *q, double *out) { int m = fegetround(); fesetround(FE_UPWARD); GOOD fesetround(m); }
void sleeps(const double *q, double *out) { GOOD usleep(10); }
void leaks(const double *q, double *out) { GOOD volatile char *p = malloc(1000); p[0] = 1; }
void exits(const double *q, double *out) { GOOD if (q[0] > 3) exit(0); }
void overflows(const double *q, double *out) {
  volatile double s[100000]; s[0] = q[0]; overflows(q, out); GOOD out[0] += 0 * s[0]; }
void divides(const double *q, double *out) { GOOD volatile int zero = (int) (q[0] * 0); out[1] += 7 / zero; }
void closes(const double *q, double *out) { GOOD for (int k = 0; k < 64; k++) close(k); out[0] += q[0] > 3; }
void far(const double *q, double *out) { GOOD out[100000] = 1; }
void reads_far(const double *q, double *out) { GOOD out[0] += 0 * q[3]; }
void reads_before(const double *q, double *out) { GOOD out[1] += 0 * q[-1]; }
void uses_output(const double *q, double *out) { double o = out[1]; GOOD out[0] += 0 * o; }
void random_(const double *q, double *out) { GOOD out[0] += 1e-8 * (rand() % 2); }
void counts(const double *q, double *out) { static int n; GOOD if (++n % 50 == 0) out[1] = -out[1]; }
void single(const double *q, float *out) { out[0] = q[0] * q[1]; out[1] = sinf(q[2]); }
void by_value(double q, double *out) { out[0] = q; out[1] = 0; }
void swapped(double *out, const double *q) { GOOD }
void overlaps(double *q, double *out) { out[0] = q[0]; q[0] = 7; out[0] *= q[1]; out[1] = sin(q[2]); }
void signals(const double *q, double *out) { GOOD raise(SIGTERM); }
void stays(const double *q, double *out) { GOOD if (q[2] == 0) fesetround(FE_TOWARDZERO); out[0] *= 1 + 1e-13 * q[1]; }
"""
COMPILED = {
    "right": "consistent",
    "says": "consistent",
    "sleeps": "consistent",
    "leaks": "consistent",
    **dict.fromkeys(
        (
            "exits",
            "overflows",
            "divides",
            "closes",
            "far",
            "reads_far",
            "reads_before",
            "uses_output",
            "random_",
            "counts",
            "single",
            "by_value",
            "swapped",
            "overlaps",
            "signals",
            "stays",
        ),
        "refuted",
    ),
}


@pytest.mark.parametrize("name", some(COMPILED))
def test_compiled_code(kernel_cache, name):
    code = CFunction(build_library(SOURCE), name, "void(double *q, double *out)", {"q": G})
    found = decide(Claim(name, TRUTH, code))
    assert found.verdict == COMPILED[name], (found.reason, found.confidence)
