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
    from nsdgen.solvers.api.bounded import solve_box
    from nsdgen.solvers.api.complementarity import solve_lcp, solve_mlcp
    from nsdgen.solvers.api.condensed_friction import solve_friction
    from nsdgen.solvers.api.global_friction import GlobalSolution, solve_global_friction
    from nsdgen.solvers.api.mixed_cones import solve_mixed
    from nsdgen.solvers.api.multiple_impact import solve_multiple_impact
    from nsdgen.solvers.solution import Solution

_HOME = {
    "GlobalSolution": "nsdgen.solvers.api.global_friction",
    "Solution": "nsdgen.solvers.solution",
    "solve_box": "nsdgen.solvers.api.bounded",
    "solve_friction": "nsdgen.solvers.api.condensed_friction",
    "solve_global_friction": "nsdgen.solvers.api.global_friction",
    "solve_lcp": "nsdgen.solvers.api.complementarity",
    "solve_mixed": "nsdgen.solvers.api.mixed_cones",
    "solve_mlcp": "nsdgen.solvers.api.complementarity",
    "solve_multiple_impact": "nsdgen.solvers.api.multiple_impact",
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
    "solve_multiple_impact",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from nsdgen.base.suggest import absent

        raise absent(__name__, name, __all__)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
