"""nsd_hold against high precision: nilpotent, stiff, defective, oscillating, unstable and general matrices."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import mpmath
import numpy as np
import pytest

Hold = Callable[..., tuple[np.ndarray, np.ndarray]]
RANDOM = np.random.default_rng(7)
MODES = RANDOM.normal(size=(4, 4))
MATRICES = {
    "zero": np.zeros((2, 2)),
    "scalar": np.array([[-0.3]]),
    "tiny": RANDOM.normal(size=(3, 3)) * 1e-9,
    "nilpotent": np.array([[0.0, 1e6, 3.0], [0.0, 0.0, -2e3], [0.0, 0.0, 0.0]]),
    "stiff and diagonal": np.diag([-1e6, -1.0, -1e-3]),
    "stiff": MODES @ np.diag([-1e6, -1e3, -1.0, -0.1]) @ np.linalg.inv(MODES),
    "defective": np.array([[-2.0, 1.0, 0.0], [0.0, -2.0, 1.0], [0.0, 0.0, -2.0]]),
    "large Jordan block": np.array([[-1e3, 1e3], [0.0, -1e3]]),
    "rotation": np.array([[0.0, 100.0], [-100.0, 0.0]]),
    "unstable": np.array([[3.0, 1.0], [2.0, 20.0]]),
    "general": RANDOM.normal(size=(6, 6)) * 3,
}
"""Matrices X of which exp(X) - 1 and (exp(X) - 1) / X are wanted."""


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Hold:
    """nsd_hold(Y, M) -> (exp(X) - 1, phi(X) M^-1) with X = M^-1 Y."""
    folder: Path = tmp_path_factory.mktemp("matrix")
    (folder / "hold.c").write_text('#include "nsdgen_matrix.h"\nvoid hold(int n, double *v) { nsd_hold(n, v); }\n')
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang"
    flags = "-std=c99 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -ffp-contract=off -shared -fPIC"
    command = [
        *compiler.split(),
        *flags.split(),
        "-I",
        str(files("nsdgen") / "abi" / "include"),
        "hold.c",
        "-o",
        "hold.so",
    ]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "hold.so"))

    def call(y: np.ndarray, mass: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        n = len(y)
        values = np.concatenate([np.ravel(y), np.ravel(np.eye(n) if mass is None else mass)]).astype(float)
        library.hold(n, values.ctypes.data_as(ctypes.c_void_p))
        return values[: n * n].reshape(n, n), values[n * n :].reshape(n, n)

    return call


def exact(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """exp(X) - 1 and (exp(X) - 1) / X from the Taylor series of [[X, 1], [0, 0]] / 2^s, squared s times."""
    n = len(x)
    augmented = mpmath.zeros(2 * n)
    for i in range(n):
        augmented[i, n + i] = 1
        for j in range(n):
            augmented[i, j] = mpmath.mpf(float(x[i, j]))
    with mpmath.workdps(200):
        halvings = max(0, int(mpmath.ceil(mpmath.log(mpmath.mnorm(augmented, 1), 2))) + 8)
        scaled, term, total = augmented / mpmath.mpf(2) ** halvings, mpmath.eye(2 * n), mpmath.eye(2 * n)
        for k in range(1, 60):
            term = term * scaled / k
            total += term
        for _ in range(halvings):
            total = total * total
        grown = np.array([[float(total[i, j] - (i == j)) for j in range(n)] for i in range(n)])
        gained = np.array([[float(total[i, n + j]) for j in range(n)] for i in range(n)])
    return grown, gained


def error(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-300))


@pytest.mark.parametrize("name", MATRICES)
def test_the_exponential_and_its_integral(hold: Hold, name: str) -> None:
    """Relative to the norm within 1e-14 times the conditioning, of which the norm of X is the least there is."""
    x = MATRICES[name]
    allowed = 1e-14 * max(1.0, np.abs(x).sum(axis=0).max())
    for found, wanted in zip(hold(x), exact(x), strict=True):
        assert error(found, wanted) <= allowed


@pytest.mark.parametrize("name", ["nilpotent", "stiff and diagonal", "defective", "general", "tiny"])
def test_these_are_exact_to_rounding(hold: Hold, name: str) -> None:
    """No digit is lost to a large norm where the problem itself is well conditioned: slow modes beside fast ones."""
    for found, wanted in zip(hold(MATRICES[name]), exact(MATRICES[name]), strict=True):
        assert (np.abs(found - wanted).max(axis=0) <= 1e-14 * np.abs(wanted).max(axis=0)).all()


def test_a_mass_divides(hold: Hold) -> None:
    mass = np.array([[2.0, 1.0], [0.5, 3.0]])
    y = MATRICES["unstable"]
    grown, gained = exact(np.linalg.solve(mass, y))
    found = hold(y, mass)
    assert error(found[0], grown) < 1e-13 and error(found[1], gained @ np.linalg.inv(mass)) < 1e-13


@pytest.mark.parametrize("mass", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 3.0], [1 / 3, 1.0]], [[0.0, 0.0], [0.0, 1.0]]])
def test_a_singular_mass_gives_no_numbers(hold: Hold, mass: list[list[float]]) -> None:
    assert np.isnan(hold(MATRICES["unstable"], np.array(mass))).all()


def test_masses_of_other_units_are_not_singular(hold: Hold) -> None:
    """1e-12 F beside 1 H."""
    mass = np.diag([1e-12, 1.0])
    assert error(hold(np.diag([-2e-12, -3.0]), mass)[0], np.diag(np.expm1([-2.0, -3.0]))) < 1e-15


def test_what_is_not_finite_stays_so(hold: Hold) -> None:
    assert np.isnan(hold(np.array([[np.inf]]))).all() and np.isnan(hold(np.array([[np.nan]]))).all()
