"""nsd_active_set, nsd_same_set, nsd_box_set: what the last set left makes no difference; and they solve the problem."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from importlib.resources import files
from itertools import product
from pathlib import Path

import numpy as np
import pytest

SIZES = (2, 3, 4, 5)
SOURCE = """
#define NSD_ROWS 8
#include "nsdgen_step.h"
#include "nsdgen_box.h"
#define SAME(n) case n: return nsd_same_set(n, a, b, cone, z, &memory);

/* z of one problem after the other, which share A, as steps solve them: from the z before, with what that one left. */
static int one(int n, const double *a, const double *b, const int *cone, double *z, int start)
{
    static nsd_memory memory;
    if (start)
        memory.factored = 0;
    switch (n) { SAME(2) SAME(3) SAME(4) }
    return nsd_active_set(5, a, b, cone, z, &memory);
}

void together(int n, int count, const double *a, const double *b, const int *cone, double *z, int *decided)
{
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < n; ++i)
            z[k * n + i] = k ? z[(k - 1) * n + i] : 0.0;
        decided[k] = one(n, a, b + k * n, cone, z + k * n, k == 0);
    }
}

/* The same from nothing each time, with n that no compiler sees. */
void alone(volatile int n, int count, const double *a, const double *b, const int *cone, double *z, int *decided)
{
    for (int k = 0; k < count; ++k) {
        nsd_memory memory;
        memory.factored = 0;
        for (int i = 0; i < n; ++i)
            z[k * n + i] = k ? z[(k - 1) * n + i] : 0.0;
        decided[k] = nsd_active_set(n, a, b + k * n, cone, z + k * n, &memory);
    }
}

#define BOX(n) case n: decided[k] = nsd_box_set(n, a, right, bound, z + k * n, y, &off, &memory); break;

/* The same for bounds, with n written out and what the last set left, or not. */
void boxes(volatile int n, int count, const double *a, const double *b, const double *bound, double *z, int *decided,
           int written_out)
{
    nsd_memory memory;
    memory.factored = 0;
    for (int k = 0; k < count; ++k) {
        const double *right = b + k * n;
        double y[NSD_ROWS], off;
        for (int i = 0; i < n; ++i)
            z[k * n + i] = k ? z[(k - 1) * n + i] : 0.0;
        memory.factored &= written_out;
        switch (written_out ? n : 0) {
            BOX(1) BOX(2) BOX(3) BOX(4) BOX(5)
        default: decided[k] = nsd_box_set(n, a, right, bound, z + k * n, y, &off, &memory);
        }
    }
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("active_set")
    (folder / "sets.c").write_text(SOURCE)
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang"
    flags = "-std=c99 -D_GNU_SOURCE -O2 -ffp-contract=off -shared -fPIC"
    command = [
        *compiler.split(),
        *flags.split(),
        "-I",
        str(files("nsdgen") / "abi" / "include"),
        "sets.c",
        "-o",
        "sets.so",
    ]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "sets.so"))


def solved(
    function: ctypes._FuncPointer, a: np.ndarray, b: np.ndarray, cone: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """z of every problem, and how it was decided."""
    z, decided = np.zeros_like(b), np.zeros(len(b), dtype=np.intc)
    function(len(a), len(b), *(x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, cone, z, decided)))
    return z, decided


def problems(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A positive definite matrix, with skew parts, units and pivots of 1 among them, and loads that stay a while."""
    random = np.random.default_rng(seed)
    root, skew = random.normal(size=(2, n, n))
    a = root @ root.T + 0.3 * np.eye(n) + (skew - skew.T)
    if seed % 3 == 0:
        a = np.eye(n) + np.triu(skew, 1) - np.triu(skew, 1).T  # a pivot of 1, exchanged rows
    units = 10.0 ** random.integers(-6, 7, size=n)
    loads = np.repeat(random.normal(size=(60, n)), 3, axis=0) * (1 + 1e-3 * random.normal(size=(180, n)))
    loads[5::40] *= 1e-12
    loads[7::40, 0] = 0.0
    return a * units[:, None] * units, loads * units


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.few(2)
def test_each_set_has_the_bits_of_the_general_function_and_solves_the_problem(library, n):
    met = set()
    for seed, cone in enumerate(product((0, 1), repeat=n)):
        kinds = np.array(cone, dtype=np.intc)
        a, b = problems(n, seed)
        z, decided = solved(library.together, a, b, kinds)
        same, general = solved(library.alone, a, b, kinds)
        assert (decided == general).all()
        assert z[decided > 0].tobytes() == same[decided > 0].tobytes()
        assert (decided == 1).mean() > 0.9
        z, b = z[decided == 1], b[decided == 1]
        y, terms = z @ a.T + b, abs(z) @ abs(a).T + abs(b)
        equal = kinds == 0
        assert (z[:, ~equal] >= 0).all()
        assert (y[:, ~equal] >= -1e-10 * terms[:, ~equal]).all()
        assert (abs(y) <= 1e-11 * terms)[equal | (z > 0)].all()
        met |= {tuple(row) for row in (z != 0) | equal}
    assert len(met) == 2**n


def test_a_solution_that_is_not_clear_is_no_solution(library):
    """z = y = 0 in a row may have others, and what is no number has none: neither is decided here."""
    a = np.array([[1.0, 0.5], [0.5, 1.0]])
    cone = np.ones(2, dtype=np.intc)
    b = np.array([[-1.0, -0.5], [-1.0, -0.5], [-1.0, 1.0], [np.nan, 1.0], [-1.0, np.inf]])
    _, decided = solved(library.together, a, b, cone)
    assert decided.tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("n", [1, *SIZES])
def test_rows_with_bounds_have_them_too(library, n):
    random = np.random.default_rng(n)
    met = set()
    for seed in range(12):
        a, b = problems(n, seed)
        units = np.sqrt(abs(np.diag(a)))
        a, b = a / units[:, None] / units, b / units
        bound = np.sort(random.normal(size=(n, 2)), axis=1) * 0.3
        kinds = random.integers(0, 4, size=n)
        bound[kinds == 0] = [-np.inf, np.inf]
        bound[kinds == 1] = [0.0, np.inf]
        found = []
        for written_out in (1, 0):
            z, decided = np.zeros_like(b), np.zeros(len(b), dtype=np.intc)
            arrays = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, bound, z, decided)]
            library.boxes(n, len(b), *arrays, written_out)
            found.append((z, decided))
        (z, decided), (same, general) = found
        assert (decided == general).all() and (decided == 1).mean() > 0.9
        assert z[decided == 1].tobytes() == same[decided == 1].tobytes()
        z, b = z[decided == 1], b[decided == 1]
        y, tiny = z @ a.T + b, 1e-9 * (abs(z) @ abs(a).T + abs(b))
        lower, upper = z == bound[:, 0], z == bound[:, 1]
        assert ((bound[:, 0] <= z) & (z <= bound[:, 1])).all()
        assert (np.where(lower, y >= -tiny, np.where(upper, y <= tiny, abs(y) <= tiny))).all()
        met |= {(tuple(low), tuple(up)) for low, up in zip(lower, upper, strict=True)}
    assert len(met) >= 3**n / 3
