"""The functions of formulas, by their commands and by their names in upright letters."""

from collections.abc import Callable
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import is_matrix

from .tokens import words


def _trace(value: Any) -> Any:
    return value.trace() if isinstance(value, sp.MatrixBase) else sp.Trace(value) if is_matrix(value) else value


def _determinant(value: Any) -> Any:
    return value.det() if isinstance(value, sp.MatrixBase) else sp.Determinant(value)


COMMANDS: dict[str, Callable[..., Any]] = {
    **{f"\\{name}": getattr(sp, name) for name in words("sin cos tan cot sec csc sinh cosh tanh exp log")},
    **{f"\\arc{name}": getattr(sp, f"a{name}") for name in ("sin", "cos", "tan")},
    "\\ln": sp.log,
    "\\det": _determinant,
    "\\max": sp.Max,
    "\\min": sp.Min,
}
"""Functions that are commands."""

NAMED: dict[str, Callable[..., Any]] = {
    **{name: getattr(sp, name) for name in words("diag sign atan2 sinc sin cos tan exp asin acos atan")},
    **dict.fromkeys(("tr", "trace"), _trace),
    "det": _determinant,
    "sgn": sp.sign,
    "arctan2": sp.atan2,
    "abs": sp.Abs,
}
"""Functions written in upright letters, such as ``\\operatorname{diag}``."""

INVERSES: dict[str, Callable[..., Any]] = {"\\sin": sp.asin, "\\cos": sp.acos, "\\tan": sp.atan}
"""What a superscript -1 makes of a function; of all others it has no settled meaning."""

OF_MATRICES = frozenset(("\\det", "\\exp"))
"""Functions that also take a matrix."""

SEVERAL = frozenset(("\\max", "\\min"))
"""Functions of several arguments, which need parentheses."""
