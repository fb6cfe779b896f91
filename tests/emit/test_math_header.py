"""The C helpers against high precision: nsd_mod, nsd_sign, nsd_stumpff."""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from random import Random

import mpmath
import pytest

SOURCE = """
#include "nsdgen_math.h"
double mod(double a, double b) { return nsd_mod(a, b); }
double sign(double a) { return nsd_sign(a); }
double stumpff(int k, double s) { return nsd_stumpff(k, s); }
"""


@pytest.fixture(scope="module")
def helpers(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("header")
    (folder / "helpers.c").write_text(SOURCE)
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang"
    flags = "-std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -ffp-contract=off -shared -fPIC"
    include = str(files("nsdgen") / "abi" / "include")
    command = [*compiler.split(), *flags.split(), "-I", include, "helpers.c", "-o", "helpers.so"]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "helpers.so"))
    for name, arguments in (
        ("mod", [ctypes.c_double] * 2),
        ("sign", [ctypes.c_double]),
        ("stumpff", [ctypes.c_int, ctypes.c_double]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = ctypes.c_double, arguments
    return library


def exact(k: int, s: float) -> mpmath.mpf:
    """c_k(s) by closed forms and the recursion, with digits to spare; by series near zero."""
    value = mpmath.mpf(s)
    if abs(s) < 100:
        terms = ((-value) ** i / mpmath.factorial(k + 2 * i) for i in range(60))
        return mpmath.fsum(terms)
    root = mpmath.sqrt(abs(value))
    if k == 0:
        return mpmath.cos(root) if s > 0 else mpmath.cosh(root)
    if k == 1:
        return (mpmath.sin(root) if s > 0 else mpmath.sinh(root)) / root
    return (1 / mpmath.factorial(k - 2) - exact(k - 2, s)) / value


def envelope(k: int, s: float) -> float:
    """The size of c_k around s: circular functions pass through zero, their amplitude does not."""
    if s < 1 or k > 2:
        return 0.0
    return (1.0, s**-0.5, 4 / s)[k]


@pytest.mark.parametrize("k", range(11))
@pytest.mark.few(3)
def test_stumpff(helpers: ctypes.CDLL, k: int) -> None:
    random = Random(k)
    worst = 0.0
    with mpmath.workdps(60):
        for _ in range(600):
            s = random.choice((-1, 1)) * 10 ** random.uniform(-6, 4.5)
            wanted = exact(k, s)
            unit = math.ulp(max(abs(float(wanted)), envelope(k, s)))
            worst = max(worst, float(abs(helpers.stumpff(k, s) - wanted)) / unit)
    assert worst < 5.0 if k > 2 else worst < 2.6


@pytest.mark.parametrize("k", range(9))
def test_stumpff_at_zero(helpers: ctypes.CDLL, k: int) -> None:
    assert helpers.stumpff(k, 0.0) == helpers.stumpff(k, -0.0) == 1 / math.factorial(k)


def test_stumpff_overflows_to_infinity(helpers: ctypes.CDLL) -> None:
    assert [helpers.stumpff(k, -1e12) for k in range(5)] == [math.inf] * 5


CASES = [0.0, 0.5, 1.0, 2.5, 7.0, 1e-30, 1e17, 359.9999, 360.0]


@pytest.mark.parametrize("b", [1.0, -1.0, 360.0, -2.5, 0.1])
def test_modulo_is_that_of_python(helpers: ctypes.CDLL, b: float) -> None:
    operation: Callable[[float, float], float] = helpers.mod
    for a in (*CASES, *(-case for case in CASES)):
        assert operation(a, b) == a % b
        assert math.copysign(1, operation(a, b)) == math.copysign(1, a % b)


def test_sign(helpers: ctypes.CDLL) -> None:
    assert [helpers.sign(a) for a in (-3.0, -0.0, 0.0, 1e-300, math.inf)] == [-1, 0, 0, 1, 1]
    assert math.isnan(helpers.sign(math.nan))
