"""The functions of formulas, by their commands and by their names in upright letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from .operations import is_matrix

__all__ = ["COMMANDS", "INVERSES", "NAMED", "OF_MATRICES", "SEVERAL"]


def _diag(*entries: Any) -> sp.Matrix:
    return sp.diag(*entries)


def _trace(value: Any) -> Any:
    return value.trace() if isinstance(value, sp.MatrixBase) else sp.Trace(value) if is_matrix(value) else value


def _determinant(value: Any) -> Any:
    return value.det() if isinstance(value, sp.MatrixBase) else sp.Determinant(value)


COMMANDS: dict[str, Callable[..., Any]] = {
    "\\sin": sp.sin,
    "\\cos": sp.cos,
    "\\tan": sp.tan,
    "\\cot": sp.cot,
    "\\sec": sp.sec,
    "\\csc": sp.csc,
    "\\arcsin": sp.asin,
    "\\arccos": sp.acos,
    "\\arctan": sp.atan,
    "\\sinh": sp.sinh,
    "\\cosh": sp.cosh,
    "\\tanh": sp.tanh,
    "\\exp": sp.exp,
    "\\ln": sp.log,
    "\\log": sp.log,
    "\\det": _determinant,
    "\\max": sp.Max,
    "\\min": sp.Min,
}
"""Functions that are commands."""

NAMED: dict[str, Callable[..., Any]] = {
    "diag": _diag,
    "tr": _trace,
    "trace": _trace,
    "det": _determinant,
    "sgn": sp.sign,
    "sign": sp.sign,
    "atan2": sp.atan2,
    "arctan2": sp.atan2,
    "abs": sp.Abs,
    "sin": sp.sin,
    "cos": sp.cos,
    "tan": sp.tan,
    "exp": sp.exp,
    "sinc": sp.sinc,
    "asin": sp.asin,
    "acos": sp.acos,
    "atan": sp.atan,
}
"""Functions written in upright letters, such as ``\\operatorname{diag}``."""

INVERSES: dict[str, Callable[..., Any]] = {"\\sin": sp.asin, "\\cos": sp.acos, "\\tan": sp.atan}
"""What a superscript -1 makes of a function; of all others it has no settled meaning."""

OF_MATRICES = frozenset(("\\det", "\\exp"))
"""Functions that also take a matrix."""

SEVERAL = frozenset(("\\max", "\\min"))
"""Functions of several arguments, which need parentheses."""
