"""Equations that stand in another order than their unknowns: what is small on the diagonal of W is no pivot then.

Terms of a row over such an entry would be a change of the unknown without bounds, beside which any row of a relation is
small: relations were off by half of their terms, and Newton's method ended after one iteration.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import subprocess
from importlib.resources import files
from itertools import permutations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.study import run_ensemble

FAR, SMALL = 1e6, 1e-12  # units of one unknown and of one equation beside the others; an entry that is as good as 0


def matrices() -> dict[str, np.ndarray]:
    """W of algebraic equations, by its kind: cycles, two that share an unknown, one in other units."""
    shift = {k: np.roll(np.eye(k), 1, axis=1) for k in (2, 3, 4)}
    found = {f"cycle{k}": np.where(w > 0, w, SMALL * np.eye(k)) for k, w in shift.items()}
    found["roundish"] = np.where(shift[3] > 0, 1.0, 1e-6 * np.eye(3))
    shared = np.ones((3, 3)) - (1 - SMALL) * np.eye(3)
    shared[0, 1] = 2.0
    found["shared"] = shared
    found["units"] = np.diag([1, 1 / FAR, 1]) @ found["cycle3"] @ np.diag([1, 1, FAR])
    return found


def model_of(kinds: dict[str, np.ndarray]) -> nsd.Model:
    """A system of each kind, W x = W 1 + e_0 lam, with x_0 and lam in a nonlinear relation."""
    systems, relations, start = [], [], {}
    for name, w in kinds.items():
        k = len(w)
        x = [*dynamicsymbols(f"{name}_x:{k}")]
        [lam] = nsd.multipliers("lam", 1)
        level = [float(v) for v in w @ np.ones(k)]
        rows = [sum(float(w[i, j]) * x[j] for j in range(k) if w[i, j]) - level[i] for i in range(k)]
        systems.append(nsd.FirstOrderSystem(name, x, rows, mass=sp.zeros(k, k)))
        unit = float(np.abs(w[np.argmax(np.abs(w[:, 0])), 0]))
        reaction = [0] * k
        reaction[int(np.argmax(np.abs(w[:, 0])))] = unit * lam
        y = sp.exp(x[0]) - 8 + 0.3 * lam**3 + lam
        relations.append(nsd.FirstOrderRelation(f"{name}_held", [lam], [y], {systems[-1]: reaction}, nsd.Equality()))
        start |= dict.fromkeys(x, 1.0)
    scheme = nsd.ThetaGamma(theta=1, gamma=1)
    return nsd.Model("exchanged", systems, relations, scheme=scheme, step=0.1, end=0.2, initial=start)


def off(run: nsd.Run, kinds: dict[str, np.ndarray]) -> float:
    """The largest row of all relations at the end, of terms of about 8."""
    pairs = [(run[f"{name}.{name}_x0"][-1], run[f"{name}_held.lam"][-1]) for name in kinds]
    return max(abs(math.exp(x) - 8 + 0.3 * lam**3 + lam) for x, lam in pairs)


def test_cycles_of_equations_leave_the_test_of_a_relation_as_it_is(monkeypatch, kernel_cache):
    kinds = matrices()
    model = model_of(kinds)
    compiled = model.compile()
    monkeypatch.setattr(run_ensemble, "_WORTH", 0)  # in lanes
    together = compiled.ensemble(initial={"cycle3.cycle3_x0": np.linspace(1, 1.2, 9)}, every=1)
    for run in (model.compile(interpret=True).run(), compiled.run(), compiled.run(generic=True), together.of(0)):
        assert off(run, kinds) < 1e-10


@pytest.mark.parametrize("small", [1e-12, 1e-9, 1e-6, 0, 1])
def test_a_pair_that_is_exchanged_leaves_the_test_of_a_relation_as_it_is(small, monkeypatch, kernel_cache):
    """x' in the second row, y' in the first."""
    x, y = dynamicsymbols("x y")
    [lam] = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("pair", [x, y], [-y, 0], mass=[[small, 1], [1, 0]])
    held = nsd.FirstOrderRelation("held", [lam], [sp.exp(x) + x - 8 - nsd.time], {system: [0, lam]}, nsd.Equality())
    start = {x: 1.82082, y: 1}
    model = nsd.Model("exchanged", [system], [held], scheme=nsd.ThetaGamma(), step=1e-2, end=0.1, initial=start)
    compiled = model.compile()
    monkeypatch.setattr(run_ensemble, "_WORTH", 0)  # in lanes
    together = compiled.ensemble(initial={"pair.y": np.linspace(1, 2, 9)}, every=1)
    for found in (model.compile(interpret=True).run(), compiled.run(), compiled.run(generic=True), together.of(0)):
        off = np.exp(found["pair.x"]) + found["pair.x"] - 8 - found.time
        np.testing.assert_allclose(off[1:], 0, atol=1e-10)


SOURCE = """
#include "nsdgen_newton.h"
void exchange(int n, int count, const int32_t *row, const int32_t *col, const double *w, const double *scale,
              double *resolved)
{
    int work[50];
    for (int k = 0; k < count; ++k)
        nsd_resolve_exchanged(n, n * n, row, col, w + k * n * n, scale, work, resolved + k * n);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("exchanged")
    (folder / "exchange.c").write_text(SOURCE)
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "clang"
    flags = ["-std=c99", "-O1", "-shared", "-fPIC", "-I", str(files("nsdgen") / "abi" / "include")]
    subprocess.run([*compiler.split(), *flags, "exchange.c", "-o", "exchange.so"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "exchange.so"))


def excess(exponents: np.ndarray, cycle: tuple[int, ...]) -> int:
    """By how many powers of two a cycle's entries exceed 2^7 times those of the diagonal."""
    steps = zip(cycle, cycle[1:] + cycle[:1], strict=True)
    return int(sum(exponents[i, j] - exponents[j, j] - 7 for i, j in steps))


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_what_is_exchanged_is_what_enumeration_of_all_cycles_finds(library, n, by_rows):
    """All of a cycle that exceeds the rest; no such cycle is left; nothing where there is none; units do not matter.

    What is exchanged is resolved by another row, and without terms of that to nothing.
    """
    random = np.random.default_rng(n)
    exponents = random.integers(-9, 16 - n, size=(400, n, n)) * (random.random((400, n, n)) < 0.7)
    exponents[:, range(n), range(n)] = random.integers(-10, 12, size=(400, n))
    units = random.integers(-60, 61, size=(400, n, 1)) + random.integers(-60, 61, size=(400, 1, n))
    w = np.ldexp(random.choice([-1.0, 1.0], size=(400, n, n)), exponents + units)
    places = [np.ascontiguousarray(a.ravel(), dtype=np.int32) for a in np.indices((n, n))]
    order = random.permutation(n * n)
    given = w if by_rows else np.ascontiguousarray(w.reshape(400, -1)[:, order])
    where = [None if by_rows else np.ascontiguousarray(a[order]) for a in places]
    resolved, scale = np.ones((400, n)), np.zeros(n)
    arrays = [None if a is None else a.ctypes.data_as(ctypes.c_void_p) for a in (*where, given, scale, resolved)]
    library.exchange(n, 400, *arrays)
    cycles = [c for k in range(2, n + 1) for c in permutations(range(n), k) if c[0] == min(c)]
    for e, left in zip(exponents, resolved, strict=True):
        beyond = [c for c in cycles if excess(e, c) > 0]
        exchanged = set(np.flatnonzero(left == 0))
        assert all(exchanged & set(c) for c in beyond)
        assert exchanged <= {i for c in beyond for i in c}
        if len(beyond) == 1:
            assert exchanged == set(beyond[0])
    assert 20 < (resolved.min(axis=1) == 0).sum() < 380


def test_an_unknown_is_resolved_by_the_terms_of_the_row_that_it_takes(library):
    """x in the second row with 4 x, y in the first with 2 y, beside diagonal entries that are rounding."""
    w, scale, resolved = np.array([1e-17, 2.0, 4.0, 1e-17]), np.array([6.0, 8.0]), np.ones(2)
    arrays = [None, None, *(a.ctypes.data_as(ctypes.c_void_p) for a in (w, scale, resolved))]
    library.exchange(2, 1, *arrays)
    np.testing.assert_array_equal(resolved, [2.0, 3.0])
