"""A friction problem in global variables as its solvers see it: in natural units, part by part.

M v = H r + f, u = H^T v + b, with everything scaled as in ``global_units`` and divided by the load of
its part, so that diagonals of M and of the contacts' own blocks, and loads, are near 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import SuperLU

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.contacts._gauss_seidel import ContactProblem
from nsdgen.solvers.scaling.global_units import GlobalUnits, factorised, solve_with

__all__ = ["CoulombLaw", "GlobalProblem", "scaled_problem"]

ROUNDING = 3e-16  # of its terms: an imbalance that is none
UNEVEN = 3e-5  # of the largest entry of H: the smallest one, the root of a ratio of masses
FINEST, COARSE = 1e-14, 1e-4  # between these the terms decide


class CoulombLaw:
    """Coulomb's law of all contacts for velocities u given from outside; arrays are (contacts, dim).

    The compiled functions are those of the condensed problem with W = 0 and q = u.
    """

    def __init__(self, mu: Vector, dim: int) -> None:
        count = len(mu)
        each = np.arange(count + 1, dtype=np.intc)
        self._u = np.zeros((count, dim))
        self._contacts = ContactProblem(
            np.zeros((count, dim, dim)), each[:-1].copy(), each, each[:-1].copy(), self._u, np.ascontiguousarray(mu)
        )

    def residual(self, u: Vector, r: Vector) -> float:
        """The largest natural map with rho = 1."""
        self._u[:] = u
        return float(self._contacts.residual(r)[0])

    def linearize(self, rho: Vector, u: Vector, r: Vector) -> tuple[Vector, Vector, Vector]:
        """The Alart-Curnier function and its derivatives by r and u (contacts, dim, dim)."""
        count, dim = r.shape
        self._u[:] = u
        f = np.empty((count, dim))
        by_r, by_u = np.empty((count, dim, dim)), np.empty((count, dim, dim))
        self._contacts.linearize(rho, r, f, by_r, by_u)
        return f, by_r, by_u

    def project(self, r: Vector) -> Vector:
        """The nearest point of each cone."""
        result = np.ascontiguousarray(r).copy()
        self._contacts.project(result)
        return result


@dataclass(frozen=True)
class GlobalProblem:
    """In natural units: M (n, n), H (n, contacts * dim) in compressed columns, f (n), b (contacts, dim).

    ``mu`` is (contacts, disks), ``stiffness`` (contacts, dim) the diagonal of H^T M^-1 H, exact or
    estimated; ``factor`` and ``regular`` are those of ``factorised``.
    """

    M: Matrix
    H: Matrix
    f: Vector
    b: Vector
    mu: Vector
    stiffness: Vector
    factor: SuperLU | None
    regular: bool
    law: CoulombLaw

    def velocity(self, v: Vector) -> Vector:
        """u (contacts, dim)."""
        return np.asarray((self.H.T @ v).reshape(self.b.shape) + self.b)

    def imbalance(self, v: Vector, r: Vector) -> Vector:
        """M v - H r - f (n)."""
        return np.asarray(self.M @ v - self.H @ r.ravel() - self.f)

    def follow(self, r: Vector) -> Vector:
        """v of the dynamics under r, with one refinement; where M is singular a guess."""
        right = self.H @ r.ravel() + self.f
        v = solve_with(self.factor, right)
        return v + solve_with(self.factor, right - self.M @ v) if self.regular else v

    def residual(self, v: Vector, r: Vector) -> float:
        """The largest natural map, or imbalance that is more than rounding where that is larger."""
        value = max(self.off_balance(v, r), self.law.residual(self.velocity(v), r))
        return value if np.isfinite(value) else np.inf

    def off_balance(self, v: Vector, r: Vector, more: Vector | float = 0.0) -> float:
        """The largest entry of M v - H r - f + ``more`` beyond the rounding of its terms.

        Light bodies between heavy ones carry loads beside which their own motion is rounding: there only the law tells
        what v is.
        """
        off = np.abs(self.imbalance(v, r) + more)
        largest = float(off.max(initial=0.0))
        if not (self.uneven and FINEST < largest < COARSE):
            return largest
        terms = self.sizes[0] @ np.abs(v) + self.sizes[1] @ np.abs(r.ravel()) + np.abs(self.f)
        return float(np.maximum(off - ROUNDING * terms, 0.0).max())

    @cached_property
    def uneven(self) -> bool:
        """Whether masses are so far apart that what a light body carries hides its own motion."""
        entries = np.abs(self.H.data[self.H.data != 0.0])
        return bool(len(entries)) and float(entries.min()) < UNEVEN * float(entries.max())

    @cached_property
    def sizes(self) -> tuple[Matrix, Matrix]:
        """|M|, |H|."""
        return abs(self.M), abs(self.H)

    def part(self, freedoms: NDArray[np.intp], contacts: NDArray[np.intp]) -> GlobalProblem:
        """Some rows by themselves."""
        dim = self.b.shape[1]
        columns = (contacts[:, None] * dim + np.arange(dim)).ravel()
        M = csc_array(self.M[freedoms][:, freedoms])
        H = csc_array(self.H[freedoms][:, columns])
        mu = self.mu[contacts]
        return GlobalProblem(
            M, H, self.f[freedoms], self.b[contacts], mu, self.stiffness[contacts], *factorised(M), CoulombLaw(mu, dim)
        )


def scaled_problem(M: Matrix, f: Vector, H: Matrix, b: Vector, mu: Vector, units: GlobalUnits) -> GlobalProblem:
    """The problem in ``units``; b is (contacts, dim)."""
    dim = b.shape[1]
    S, D = units.freedom, units.contact
    rows = diags_array(S)
    load = units.load[units.part_of_contact][:, None]
    return GlobalProblem(
        csc_array(rows @ M @ rows), csc_array(rows @ H @ diags_array(np.repeat(D, dim))),
        S * f / units.load[units.part_of_freedom], b * D[:, None] / load, mu, units.stiffness,
        units.factor, units.regular, CoulombLaw(mu, dim),
    )  # fmt: skip
