"""``nsdgen/solvers/generated`` holds what nsdgen derives and emits today, byte for byte."""

from __future__ import annotations

import operator
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import nsdgen
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.text import render
from nsdgen.emit.tree import ArrayEntry, Integer
from nsdgen.symbolic.expressions.nodes import Branch, Let, piecewise
from tools.solver_kernels.statements import solver_kernels
from tools.solver_kernels.text import emit_solver_kernels, store_in_arms

ROOT = Path(nsdgen.__file__).resolve().parents[1]
FOLDER = ROOT / "nsdgen" / "solvers" / "generated"
FILES = ("alart_curnier.pxd", "slip_equations.pxd")


@pytest.fixture(scope="module")
def emitted() -> dict[str, str]:
    return emit_solver_kernels()


def test_the_folder_holds_these_files_and_nothing_else(emitted: dict[str, str]) -> None:
    assert tuple(emitted) == FILES
    assert sorted(p.name for p in FOLDER.iterdir() if p.suffix == ".pxd") == sorted(FILES)


@pytest.mark.parametrize("name", FILES)
def test_the_committed_file_is_what_the_generator_writes(emitted: dict[str, str], name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == emitted[name], (
        f"{name} differs: run `make generated` and review the difference"
    )


def test_the_hash_seed_changes_nothing(emitted: dict[str, str]) -> None:
    """One process with a seed of its own, and this one."""
    code = "from tools.solver_kernels import text as s; print(*s.emit_solver_kernels().values(), sep='', end='')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4711"},
    )
    assert run.stdout == "".join(emitted.values())


def test_every_function_says_what_it_computes(emitted: dict[str, str]) -> None:
    for group, kernels in solver_kernels().items():
        text = emitted[f"{group}.pxd"]
        for kernel in kernels:
            head = text[text.index(f"# {kernel.name}\n") : text.index(f"cdef inline void {kernel.name}(")]
            assert "#   in  " in head
            assert "#   out " in head
            assert "operations over all branches" in head


def test_branches_are_real_and_compute_nothing_that_others_need(emitted: dict[str, str]) -> None:
    text = emitted["alart_curnier.pxd"]
    body = text[text.index("cdef inline void alart_curnier_3(") :]
    before, inside = body.split("if x_N > 0.0:")
    assert "sqrt" not in before
    assert "length_T <=" in inside
    sticking = inside[inside.index("elif length_T <= ") :]
    assert "/" not in sticking[: sticking.index("else:")]


def as_python(text: str, name: str) -> Callable[..., None]:
    """An emitted function, read as Python: it has nothing of C but declarations."""
    lines = text[text.index(f"cdef inline void {name}(") :].splitlines()
    body = lines[lines.index(") noexcept nogil:") + 1 :]
    body = body[: body.index("")] if "" in body else body
    code = [re.sub(r"^    cdef double (\w+ = )", r"    \1", line) for line in body]
    arguments = [line.strip(" ,").split()[-1] for line in lines[1 : lines.index(") noexcept nogil:")]]
    code = [f"def {name}({', '.join(arguments)}):", *(line for line in code if "cdef double" not in line)]
    space: dict[str, Any] = {"sqrt": mpmath.sqrt, "fabs": abs}
    exec("\n".join(code), space)
    function: Callable[..., None] = space[name]
    return function


def in_many_digits(expr: sp.Basic, point: dict[sp.Symbol, Any]) -> Any:
    """The value of a record's expression, node by node."""
    if expr in point:
        return point[expr]
    if isinstance(expr, Let):
        return in_many_digits(expr.args[1], point)
    if isinstance(expr, Branch):
        for value, condition in zip(expr.values, expr.conditions, strict=True):
            if condition == sp.true or in_many_digits(condition, point):
                return in_many_digits(value, point)
    if isinstance(expr, sp.Number):
        return mpmath.mpf(expr.p) / expr.q
    args = [in_many_digits(arg, point) for arg in expr.args]
    return OPERATIONS[expr.func](*args)


OPERATIONS: dict[Any, Callable[..., Any]] = {
    sp.Add: lambda *args: mpmath.fsum(args),
    sp.Mul: lambda *args: mpmath.fprod(args),
    sp.Pow: mpmath.power,
    sp.Abs: abs,
    sp.And: lambda *args: all(args),
    sp.Eq: operator.eq,
    sp.StrictGreaterThan: operator.gt,
    sp.GreaterThan: operator.ge,
    sp.LessThan: operator.le,
    sp.StrictLessThan: operator.lt,
}


@pytest.mark.parametrize("group", [name.removesuffix(".pxd") for name in FILES])
def test_the_text_computes_what_the_records_say(emitted: dict[str, str], group: str) -> None:
    rng = np.random.default_rng(17)
    with mpmath.workdps(40):
        for kernel in solver_kernels()[group]:
            function = as_python(emitted[f"{group}.pxd"], kernel.name)
            for _ in range(30):
                values = [
                    rng.integers(-3, 6, len(a.symbols)) * rng.choice([0.25, 1.0], len(a.symbols)) for a in kernel.inputs
                ]
                arrays = [[mpmath.mpf(v) for v in part] for part in values]
                point = {
                    s: v
                    for a, part in zip(kernel.inputs, arrays, strict=True)
                    for s, v in zip(a.symbols, part, strict=True)
                }
                if "mu" in {s.name for s in point}:
                    point = {s: abs(v) if s.name == "mu" else v for s, v in point.items()}
                    arrays = [[point[s] for s in a.symbols] for a in kernel.inputs]
                out = [[mpmath.nan] * (o.rows * o.cols) for o in kernel.outputs]
                function(*(part[0] if len(part) == 1 else part for part in arrays), *out)
                for place, output in zip(out, kernel.outputs, strict=True):
                    wanted = [mpmath.mpf(0)] * len(place)
                    for i, j, entry in output.entries:
                        wanted[i * output.cols + j] = in_many_digits(entry, point)
                    assert all(abs(a - b) <= 1e-12 for a, b in zip(place, wanted, strict=True)), (kernel.name, point)


def test_arms_store_what_nothing_else_reads() -> None:
    x, y = sp.symbols("x y", real=True)
    once, twice = piecewise((x, x > 0), (x * y, True)), piecewise((2 * y, x > 0), (y**2, True))
    inner = piecewise((piecewise((x, y > 1), (y, True)), x > 0), (0, True))
    outputs = [StoredValue(ArrayEntry("a", (Integer(i),)), e) for i, e in enumerate((once, twice, 3 * twice, inner))]
    body = store_in_arms(lower(outputs, {x: "x", y: "y"}))
    assert body.temporaries == ("x1",)
    assert (
        "\n".join(render(body))
        == """\
if x > 0.0:
    a[0] = x
    x1 = 2.0*y
    if y > 1.0:
        a[3] = x
    else:
        a[3] = y
else:
    a[0] = x*y
    x1 = y*y
    a[3] = 0.0
a[1] = x1
a[2] = 3.0*x1"""
    )
