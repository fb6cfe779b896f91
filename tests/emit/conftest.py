"""Two independent readings of an expression: SymPy nodes by mpmath, emitted text by Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath
import pytest
import sympy as sp

from nsdgen.base.memory import Memory
from nsdgen.emit.lower import StoredValue, lower
from nsdgen.emit.text import render
from nsdgen.emit.tree import KernelBody, Name
from nsdgen.symbolic.expressions.nodes import Branch, Floor, Let, Modulo, Sign, Stumpff

DIGITS = 40
ELEMENTARY = (
    "exp",
    "log",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
)


def stumpff(k: int, s: Any) -> Any:
    """c_k(s) by its series, with digits to spare."""
    with mpmath.workdps(DIGITS + 20 + int(abs(s) ** 0.5)):
        s = mpmath.mpf(s)
        terms = range(30 + int(3 * abs(s) ** 0.5))
        return mpmath.fsum((-s) ** i / mpmath.factorial(k + 2 * i) for i in terms)


def evaluate(expr: sp.Basic, values: Mapping[sp.Symbol, float]) -> Any:
    """The value of an expression, node by node, in high precision."""
    if expr in values:
        return mpmath.mpf(values[expr])
    if isinstance(expr, Branch):
        pairs = zip(expr.values, expr.conditions, strict=True)
        return next(evaluate(v, values) for v, c in pairs if evaluate(c, values))
    if isinstance(expr, Let):
        return evaluate(expr.args[1], values)
    if expr in (sp.true, sp.false):
        return bool(expr)
    if isinstance(expr, sp.Rational):
        return mpmath.mpf(expr.p) / expr.q
    if isinstance(expr, sp.Float):
        return mpmath.mpf(float(expr))
    args = [evaluate(arg, values) for arg in expr.args]
    if isinstance(expr, sp.Add):
        return mpmath.fsum(args)
    if isinstance(expr, sp.Mul):
        return mpmath.fprod(args)
    return RULES[type(expr)](*args)


RULES: dict[type, Callable[..., Any]] = {
    type(sp.pi): lambda: +mpmath.pi,
    type(sp.E): lambda: +mpmath.e,
    sp.Pow: mpmath.power,
    sp.Abs: abs,
    Modulo: lambda a, b: a - b * mpmath.floor(a / b),
    Floor: mpmath.floor,
    Sign: mpmath.sign,
    Stumpff: lambda k, s: stumpff(int(k), s),
    sp.StrictLessThan: lambda a, b: a < b,
    sp.LessThan: lambda a, b: a <= b,
    sp.StrictGreaterThan: lambda a, b: a > b,
    sp.GreaterThan: lambda a, b: a >= b,
    sp.Equality: lambda a, b: a == b,
    sp.Unequality: lambda a, b: a != b,
    sp.And: lambda *args: all(args),
    sp.Or: lambda *args: any(args),
    sp.Not: lambda a: not a,
    **{getattr(sp, name): getattr(mpmath, name) for name in ELEMENTARY},
}

C_NAMES: dict[str, Any] = {
    "fabs": abs,
    "floor": lambda a: float(math.floor(a)),
    "M_PI": math.pi,
    "M_E": math.e,
    "nsd_mod": lambda a, b: a % b,
    "nsd_sign": lambda a: float((a > 0) - (a < 0)),
    "nsd_stumpff": lambda k, s: float(stumpff(k, s)),
    **{name: getattr(math, name) for name in ("sqrt", "pow", *ELEMENTARY)},
}


def run_text(lines: Sequence[str], values: Mapping[str, float]) -> dict[str, Any]:
    """Emitted lines are Python as well: run them and return what they assigned."""
    space: dict[str, Any] = {**C_NAMES, **values, "out": {}}
    exec("\n".join(lines), space)
    return space


def run_body(body: KernelBody, values: Mapping[str, float]) -> dict[Any, float]:
    return run_text(render(body), values)["out"]


@pytest.fixture
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """No code of kernels is remembered: for tests that change how it is written."""
    monkeypatch.setattr("nsdgen.emit.module._CODE", Memory(0))


@pytest.fixture(scope="session")
def truth() -> Callable[..., Any]:
    """``truth(expr, {symbol: value})`` in high precision."""

    def value(expr: sp.Basic, values: Mapping[sp.Symbol, float]) -> Any:
        with mpmath.workdps(DIGITS):
            return evaluate(expr, values)

    return value


@pytest.fixture(scope="session")
def compute() -> Callable[..., list[float]]:
    """``compute([expr, ...], {symbol: value})`` through the lowering."""

    def values_of(exprs: Sequence[sp.Expr], values: Mapping[sp.Symbol, float], names: Any = None) -> list[float]:
        names = names or {symbol: symbol.name for symbol in values}
        body = lower([StoredValue(Name(f"out[{i}]"), expr) for i, expr in enumerate(exprs)], names)
        out = run_body(body, {names[symbol]: value for symbol, value in values.items()})
        return [out[i] for i in range(len(exprs))]

    return values_of
