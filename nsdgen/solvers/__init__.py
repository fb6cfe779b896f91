"""Solvers of one-step problems, usable by themselves.

``solve_lcp`` and ``solve_mlcp`` take plain arrays and need neither a model nor the
symbolic side. Names are imported when first used: the steppers reach the compiled
modules of this package without loading what only Python callers need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nsdgen.solvers.mlcp import Solution, solve_lcp, solve_mlcp

_HOME = {
    "Solution": "nsdgen.solvers.mlcp",
    "solve_lcp": "nsdgen.solvers.mlcp",
    "solve_mlcp": "nsdgen.solvers.mlcp",
}

__all__ = ["Solution", "solve_lcp", "solve_mlcp"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
