"""Matrices of a user as data: numbers become symbols called by their place, other entries stay expressions."""

import math
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import matrix
from nsdgen.symbolic.expressions.generic_rank import generic_rank


class MatrixData:
    """Reads the matrices of one system; ``numbers`` maps the symbol of each number, ``owner.A[0,1]``, to its value.

    The pattern is what a matrix holds: the stored entries of a sparse matrix, zeros among them, and otherwise what is
    not zero.
    """

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.numbers: dict[sp.Symbol, float] = {}

    def matrix(self, label: str, value: Any, rows: int | None = None, cols: int | None = None) -> sp.ImmutableMatrix:
        """A matrix of symbols, expressions and zeros; ``None`` is zero. Raises ``ModelError`` for shape and entries."""
        where = f"system {self.owner!r}, {label}"
        shape, entries = ((rows or 0, cols or 0), {}) if value is None else _read(value, rows, cols, where)
        wanted = (shape[0] if rows is None else rows, shape[1] if cols is None else cols)
        if shape != wanted:
            raise ModelError(
                f"has shape {shape[0]}x{shape[1]}, expected {wanted[0]}x{wanted[1]}",
                where=where,
                fix="for n states, m inputs, p outputs: A and E are n x n, B is n x m, C is p x n, "
                "D is p x m, e has n entries",
            )
        return sp.ImmutableSparseMatrix(
            *shape, {place: self._entry(label, place, entry, where, shape[1] == 1) for place, entry in entries.items()}
        ).as_immutable()

    def mass(self, label: str, value: Any, rows: int) -> sp.ImmutableMatrix:
        """As :meth:`matrix`; the numbers of a singular one that is not so by its rows of zeros are no data.

        Which combinations of equations have no derivative decides the expressions of a step.
        """
        found = self.matrix(label, value, rows=rows, cols=rows)
        if not all(entry in self.numbers for entry in found.todok().values()):
            return found
        exact = found.xreplace({symbol: sp.Rational(self.numbers[symbol]) for symbol in found.free_symbols})
        if generic_rank(exact) == generic_rank(found):
            return found
        for symbol in found.free_symbols:
            del self.numbers[symbol]
        return exact

    def _entry(self, label: str, place: tuple[int, int], entry: Any, where: str, column: bool) -> sp.Expr:
        if isinstance(entry, sp.Expr) and not entry.is_number:
            return entry
        number = _real(entry)
        if not math.isfinite(number):
            raise ModelError(f"entry {place} is {entry}", where=where, fix="give finite real numbers")
        index = str(place[0]) if column and label in ("e", "f") else f"{place[0]},{place[1]}"
        symbol = sp.Symbol(f"{self.owner}.{label}[{index}]", real=True)
        self.numbers[symbol] = number
        return symbol

    def refuse_wrong_square(self, label: str, found: sp.MatrixBase) -> None:
        """Raise ``ModelError`` where a matrix is not square, or empty."""
        if found.rows != found.cols or not found.rows:
            raise ModelError(
                f"has shape {found.rows}x{found.cols}",
                where=f"system {self.owner!r}, {label}",
                fix="it is square, with a row for each state",
            )


def _real(entry: Any) -> float:
    """A number as a double, NaN where it is no real number."""
    try:
        return math.nan if isinstance(entry, str) else float(entry)
    except (TypeError, ValueError):
        return math.nan


def _read(
    value: Any, rows: int | None, cols: int | None, where: str
) -> tuple[tuple[int, int], dict[tuple[int, int], Any]]:
    """Shape and entries of a matrix in any form."""
    if hasattr(value, "tocoo"):
        coo = value.tocoo(copy=True)
        coo.sum_duplicates()
        places = zip(np.asarray(coo.row).tolist(), np.asarray(coo.col).tolist(), strict=True)
        return tuple(coo.shape), dict(zip(places, np.asarray(coo.data).tolist(), strict=True))
    if isinstance(value, sp.MatrixBase):
        return value.shape, _nonzeros(value)
    array = np.array(value, dtype=object)
    if any(isinstance(entry, list | tuple) for entry in array.flat):
        raise ModelError("has rows of different lengths", where=where, fix="give each row as many entries")
    if array.ndim == 1:  # a column, unless the other side has that many entries
        array = array.reshape(1, -1) if rows is None and cols == array.size else array.reshape(-1, 1)
    if array.ndim > 2:
        raise ModelError(f"has {array.ndim} dimensions", where=where, fix="give a matrix")
    if array.ndim == 2 and all(_plain(entry) for entry in array.flat):
        return array.shape, {place: entry for place, entry in np.ndenumerate(array) if entry != 0}
    symbolic = matrix(array.tolist() if array.ndim else value, where=where)
    return symbolic.shape, _nonzeros(symbolic)


def _nonzeros(m: sp.MatrixBase) -> dict[tuple[int, int], sp.Expr]:
    """The entries that are not known to be zero (a Float 0.0 is none of SymPy's zeros)."""
    return {place: entry for place, entry in m.todok().items() if not entry.is_zero}


def _plain(entry: Any) -> bool:
    return isinstance(entry, int | float | complex | np.number) and not isinstance(entry, bool)


def state_space_matrices(given: Any, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The matrices A, B, C, D of a state-space object and, where it has labels, names of states, inputs and outputs.

    Raises ``ModelError`` for an object without these matrices and for one in discrete time.
    """
    missing = [label for label in "ABCD" if not hasattr(given, label)]
    if missing:
        advice = "convert it to a state space first: .to_ss() of scipy.signal, control.ss(...) of python-control"
        raise ModelError(f"{type(given).__name__} has no matrix {missing[0]}", where=where, fix=advice)
    if getattr(given, "dt", None) not in (None, 0):
        raise ModelError(
            f"it is in discrete time, dt = {given.dt}", where=where, fix="give the system in continuous time"
        )
    matrices = {label: np.atleast_2d(np.asarray(getattr(given, label))) for label in "ABCD"}
    labels = {"states": "state_labels", "inputs": "input_labels", "outputs": "output_labels"}
    return matrices, {
        ours: list(getattr(given, theirs)) for ours, theirs in labels.items() if getattr(given, theirs, None)
    }
