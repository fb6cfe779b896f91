"""Mass matrices that cannot be meant, as far as symbols tell; runs check the rest by numbers."""

import numpy as np
import sympy as sp

from nsdgen.base.definiteness import DEFINITE, INERTIA, not_definite, not_inertia
from nsdgen.errors import ModelError

_ROUNDING = 1e-12  # of sums of some thousand doubles, beside their largest term
_LARGEST = 400  # rows of a matrix of numbers that is looked at as a whole


def refuse_mass(mass: sp.Matrix, kind: str = DEFINITE, *, where: str, fix: str) -> None:
    """Raise ``ModelError`` where a matrix over real symbols is certainly not symmetric or not positive semidefinite.

    For ``INERTIA`` also where it is certainly no inertia tensor.
    """
    entries = mass.todok()
    for (i, j), value in entries.items():
        if i == j and value.is_negative:
            raise ModelError(f"entry ({i}, {i}) is {value}, which is negative", where=where, fix=fix)
    if places := asymmetric(mass):
        i, j = places
        raise ModelError(f"entries ({i}, {j}) and ({j}, {i}) differ: it is not symmetric", where=where, fix=fix)
    if mass.rows <= _LARGEST and all(value.is_number for value in entries.values()):
        numbers = np.array(mass.evalf().tolist(), dtype=float)
        if reason := (not_inertia if kind == INERTIA else not_definite)(numbers):
            raise ModelError(reason, where=where, fix=fix)


def asymmetric(matrix: sp.Matrix) -> tuple[int, int] | None:
    """The first place (i, j) at which a matrix is certainly not symmetric, beyond rounding; None where there is none.

    Products and powers are multiplied out, no more. Where there are doubles, a term is rounding beside the largest
    coefficient that it has in the matrix: of a tensor that was rotated in numbers what should be 0 is some 1e-17.
    """
    entries = matrix.todok()
    differing = [
        (i, j, value, entries.get((j, i), sp.S.Zero))
        for (i, j), value in entries.items()
        if i != j and value != entries.get((j, i), sp.S.Zero)
    ]
    if not differing:
        return None
    doubles, largest = matrix.has(sp.Float), dict[sp.Expr, sp.Expr]()
    for value in entries.values() if doubles else ():
        for term, coefficient in _terms(value).items():
            largest[term] = max(largest.get(term, 0), abs(coefficient))
    return next(
        (
            (i, j)
            for i, j, a, b in differing
            if sp.Add(
                *(
                    coefficient * term
                    for term, coefficient in _terms(a - b).items()
                    if not doubles or abs(coefficient) > _ROUNDING * largest.get(term, 0)
                )
            ).is_nonzero
        ),
        None,
    )


def _terms(value: sp.Expr) -> dict[sp.Expr, sp.Expr]:
    """The coefficients of the terms of an expression."""
    return dict(sp.expand(value).as_coefficients_dict())
