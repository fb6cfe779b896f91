"""Solvers of one-step problems, usable by themselves.

``solve_lcp``, ``solve_mlcp``, ``solve_box``, ``solve_friction``, ``solve_global_friction`` and ``solve_mixed`` take
plain arrays or sparse matrices and need neither a model nor the symbolic side. Names are imported when first
used: the steppers reach the compiled modules of this package without loading what only
Python callers need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nsdgen.solvers.box import solve_box
    from nsdgen.solvers.friction import solve_friction
    from nsdgen.solvers.global_friction import GlobalSolution, solve_global_friction
    from nsdgen.solvers.mixed import solve_mixed
    from nsdgen.solvers.mlcp import solve_lcp, solve_mlcp
    from nsdgen.solvers.problem import Solution

_HOME = {
    "GlobalSolution": "nsdgen.solvers.global_friction",
    "Solution": "nsdgen.solvers.problem",
    "solve_box": "nsdgen.solvers.box",
    "solve_friction": "nsdgen.solvers.friction",
    "solve_global_friction": "nsdgen.solvers.global_friction",
    "solve_lcp": "nsdgen.solvers.mlcp",
    "solve_mixed": "nsdgen.solvers.mixed",
    "solve_mlcp": "nsdgen.solvers.mlcp",
}

__all__ = [
    "GlobalSolution",
    "Solution",
    "solve_box",
    "solve_friction",
    "solve_global_friction",
    "solve_lcp",
    "solve_mixed",
    "solve_mlcp",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from nsdgen.suggest import absent

        raise absent(__name__, name, __all__)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
