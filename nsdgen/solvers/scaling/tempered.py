"""Problems whose numbers are so large or small that products of them overflow or vanish: in units near 1, and back.

With w_i = 2^Q_i w'_i, z_j = 2^Z_j z'_j the problem w = M z + q becomes one of 2^-Q_i M_ij 2^Z_j and 2^-Q_i q_i: the
laws of rows stay what they are, those of contacts too where all of w have one unit and all of z. Powers of two round
nothing.
Solved and certified there, z may yet be no double: too large, or rounded away.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.linalg._linalg import exponents
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.scaling.least_terms import LEAST
from nsdgen.solvers.scaling.natural_units import natural_units
from nsdgen.solvers.solution import Solution

FAR = 200  # binary exponents up to which nothing is done

Exponents = NDArray[np.intp]


@dataclass(frozen=True)
class Tempered:
    """``matrix`` (n, n) and ``offset`` (n,) in units near 1; ``rows``, ``columns`` (n,): the exponents of w and z."""

    matrix: Matrix
    offset: Vector
    rows: Exponents
    columns: Exponents

    def inner(self, z: Vector) -> Vector:
        """A guess, or bounds, in these units."""
        return scaled(z, -self.columns)

    def outer(self, z: Vector) -> Vector:
        """z of the problem as given, as near as doubles are."""
        return scaled(z, self.columns)

    def solution(
        self, solve: Callable[[], Solution], tol: float, residual: Callable[[Vector], float] | None = None
    ) -> Solution:
        """What ``solve`` finds in these units, in those of the data.

        ``residual`` judges, in these units, the z that doubles leave of it, or else how much of z is lost does. Raises
        ``SolverError`` where that is above ``tol``, and hands on those of ``solve``.
        """
        try:
            part = solve()
        except SolverError as error:
            error.z = None if error.z is None else self.outer(np.asarray(error.z))
            raise
        z = self.outer(part.z)
        rounded = self.inner(z)
        if not np.array_equal(rounded, part.z):
            judged = residual is not None and np.isfinite(z).all()
            size = residual(rounded) if judged else relative_loss(part.z, rounded)  # type: ignore[misc]
            if not size <= tol and not self._is_rounding(rounded, part, tol):
                raise no_double(z, size)
            part = replace(part, residual=max(part.residual, size))
        w = scaled(part.w, self.rows)
        if not np.isfinite(w).all():
            raise no_double(z, np.inf, "w of the solution")
        return replace(part, z=z, w=w)

    def _is_rounding(self, z: Vector, part: Solution, tol: float) -> bool:
        """Whether what z is off by is nothing in units of the data: the grid of subnormal numbers."""
        with np.errstate(invalid="ignore", over="ignore"):
            off = scaled(np.abs(self.matrix @ z + self.offset - part.w), self.rows)
        return bool((off <= tol * LEAST).all())


def tempered(M: Matrix, q: Vector) -> Tempered | None:
    """The problem with one unit for all of w and one for all of z; None where it is near enough as it is."""
    P, Q = (largest_exponent(x) for x in (M if isinstance(M, np.ndarray) else M.data, q))
    if abs(P) <= FAR and abs(Q) <= FAR:
        return None
    every = np.ones(len(q), dtype=np.intp)
    return in_exponents(M, q, Q * every, (Q - P) * every)


def tempered_rows(M: Matrix, q: Vector) -> Tempered | None:
    """The problem with units for each row and each column, loads near 1 in each connected part.

    None as above, and where such units bring it no nearer.
    """
    if (far := _reaches(M, q)) <= FAR:
        return None
    row, column = (np.rint(np.log2(x)).astype(np.intp) for x in natural_units(M))
    first, order = connected_parts(M)
    with np.errstate(divide="ignore"):
        size = np.where(q != 0.0, np.frexp(q)[1] + row, np.iinfo(np.intp).min)
    load = np.maximum.reduceat(size[order], first[:-1])
    each = np.empty_like(row)
    each[order] = np.repeat(np.where(load > np.iinfo(np.intp).min, load, 0), np.diff(first))
    found = in_exponents(M, q, each - row, each + column)
    # Loads that are nothing beside others of the same part stay far off in any units.
    return found if _reaches(found.matrix, found.offset) < far else None


def in_exponents(M: Matrix, q: Vector, rows: Exponents, columns: Exponents) -> Tempered:
    """The problem with the exponents ``rows`` of w (n,) and ``columns`` of z (n,)."""
    if isinstance(M, np.ndarray):
        matrix = scaled(M, columns - rows[:, None])
    else:
        matrix = M.copy()
        matrix.data = scaled(M.data, columns[M.indices] - np.repeat(rows, np.diff(M.indptr)))
    return Tempered(matrix, scaled(q, -rows), rows, columns)


def largest_exponent(x: Vector) -> int:
    """The binary exponent of the largest entry, 0 where there is none but zeros."""
    if (plain := exponents(x, x.ndim)) is not None:
        return plain[0]  # type: ignore[no-any-return]
    return int(np.frexp(np.abs(x).max(initial=0.0))[1])


def _reaches(M: Matrix, q: Vector) -> int:
    return max(_reach(M if isinstance(M, np.ndarray) else M.data), _reach(q))


def _reach(x: Vector) -> int:
    """The largest binary exponent, up or down, of an entry that is not zero."""
    if (plain := exponents(x, x.ndim)) is not None:
        return max(abs(plain[0]), abs(plain[1]))
    return int(np.abs(np.frexp(x)[1]).max(initial=0))  # that of zero is 0


def scaled(x: Vector, power: Exponents | int) -> Vector:
    """2^power x, infinite or zero where doubles end."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(x, power))


def relative_loss(z: Vector, rounded: Vector) -> float:
    """What of z (n,) is lost where doubles leave ``rounded`` of it, beside the largest entry."""
    if not z.any():
        return 0.0
    with np.errstate(invalid="ignore"):
        return float(np.abs(rounded - z).max(initial=0.0) / np.abs(z).max(initial=0.0))


def no_double(z: Vector, size: float, name: str = "the solution") -> SolverError:
    """The error for a solution, or the part ``name`` of it, of which doubles leave ``z``, which is off by ``size``."""
    what = "too large for a double" if not np.isfinite(size) or not np.isfinite(z).all() else "too small for a double"
    error = SolverError(f"{name} is {what}; residual {size:.3g}", fix="state the problem in other units")
    error.reason, error.z, error.rows = "not converged", z, ()
    return error
