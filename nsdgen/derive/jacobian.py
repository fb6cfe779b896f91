"""Jacobians, entry by entry, in the sense that the nodes of nsdgen state for kinks."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

__all__ = ["jacobian"]


def jacobian(values: sp.MatrixBase, wrt: Sequence[sp.Symbol]) -> sp.Matrix:
    """d values[i] / d wrt[j] for a column of values.

    Entries that do not contain a symbol are zero without differentiating, which keeps
    large sparse systems cheap.
    """
    free = [e.free_symbols for e in values]
    return sp.Matrix(len(values), len(wrt), lambda i, j: values[i].diff(wrt[j]) if wrt[j] in free[i]
                     else sp.S.Zero)
