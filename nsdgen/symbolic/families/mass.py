"""Mass matrices that cannot be meant, as far as symbols tell; runs check the rest by numbers."""

from __future__ import annotations

import numpy as np
import sympy as sp

from nsdgen.definiteness import DEFINITE, INERTIA, not_definite, not_inertia
from nsdgen.errors import ModelError

__all__ = ["refuse_mass"]

_LARGEST = 400  # rows of a matrix of numbers that is looked at as a whole


def refuse_mass(mass: sp.Matrix, kind: str = DEFINITE, *, where: str, fix: str) -> None:
    """Raise ``ModelError`` where a matrix over real symbols is certainly not symmetric or not positive semidefinite.

    For ``INERTIA`` also where it is certainly no inertia tensor.
    """
    entries = mass.todok()
    for (i, j), value in entries.items():
        if i == j and value.is_negative:
            raise ModelError(f"entry ({i}, {i}) is {value}, which is negative", where=where, fix=fix)
        if i != j and _differ(value, entries.get((j, i), sp.S.Zero)):
            raise ModelError(f"entries ({i}, {j}) and ({j}, {i}) differ: it is not symmetric", where=where, fix=fix)
    if mass.rows <= _LARGEST and all(value.is_number for value in entries.values()):
        numbers = np.array(mass.evalf().tolist(), dtype=float)
        if reason := (not_inertia if kind == INERTIA else not_definite)(numbers):
            raise ModelError(reason, where=where, fix=fix)


def _differ(a: sp.Expr, b: sp.Expr) -> bool:
    """Whether two expressions are certainly not equal everywhere; products and powers are multiplied out, no more."""
    if a == b:
        return False
    difference = sp.expand(a - b)
    return bool(difference.is_nonzero)
