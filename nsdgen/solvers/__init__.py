"""Solvers of one-step problems, usable by themselves.

``solve_lcp``, ``solve_mlcp``, ``solve_box``, ``solve_friction``, ``solve_global_friction`` and ``solve_mixed`` take
plain arrays or sparse matrices and need neither a model nor the symbolic side. Names are imported when first
used: the steppers reach the compiled modules of this package without loading what only
Python callers need.
"""

from nsdgen.base.lazy_names import lazy_names

_HOMES = {
    "GlobalSolution": "nsdgen.solvers.api.global_friction",
    "SlidingRoot": "nsdgen.solvers.api.sliding_roots",
    "Solution": "nsdgen.solvers.solution",
    "sliding_roots": "nsdgen.solvers.api.sliding_roots",
    "solve_box": "nsdgen.solvers.api.bounded",
    "solve_friction": "nsdgen.solvers.api.condensed_friction",
    "solve_global_friction": "nsdgen.solvers.api.global_friction",
    "solve_lcp": "nsdgen.solvers.api.complementarity",
    "solve_mixed": "nsdgen.solvers.api.mixed_cones",
    "solve_mlcp": "nsdgen.solvers.api.complementarity",
    "solve_multiple_impact": "nsdgen.solvers.api.multiple_impact",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
