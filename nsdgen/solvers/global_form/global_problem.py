"""A friction problem in global variables as its solvers see it: in natural units, and condensed to its contacts.

M v = H r + f, u = H^T v + b, with everything scaled as in ``global_units`` and divided by the load of
its part, so that diagonals of M and of the contacts' own blocks, and loads, are near 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csc_array, hstack

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.scaling.global_units import Factor, GlobalUnits, in_units, solve_with

__all__ = ["GlobalData", "GlobalProblem", "scaled_problem"]

UNEVEN = 3e-5  # of the largest entry of H: the smallest of a freedom and a contact, the root of a ratio of masses
CHUNK = 64  # columns of H that are solved for at a time
MOST_ENTRIES = 30_000_000  # of W
FULL_REACTIONS = 150  # up to which W may be full at no loss
FULL = 0.3  # of its entries: W is then stored as a whole


@dataclass(frozen=True)
class GlobalData:
    """The checked problem; M and H dense or in compressed columns, b (contacts, dim), mu (contacts, disks)."""

    M: Matrix
    f: Vector
    H: Matrix
    b: Vector
    mu: Vector


@dataclass(frozen=True)
class GlobalProblem:
    """In natural units: M (n, n), H (n, contacts * dim), f (n), b (contacts, dim), mu (contacts, disks).

    ``stiffness`` (contacts, dim) is the diagonal of H^T M^-1 H, exact or estimated; ``factor`` and ``regular`` are
    those of ``factorised``.
    """

    M: Matrix
    H: Matrix
    f: Vector
    b: Vector
    mu: Vector
    stiffness: Vector
    factor: Factor | None
    regular: bool

    def velocity(self, v: Vector) -> Vector:
        """u (contacts, dim)."""
        return np.asarray((self.H.T @ v).reshape(self.b.shape) + self.b)

    def follow(self, r: Vector) -> Vector:
        """v of the dynamics under r, with one refinement; where M is singular a guess."""
        right = self.H @ r.ravel() + self.f
        v = solve_with(self.factor, right)
        return v + solve_with(self.factor, right - self.M @ v) if self.regular else v

    @cached_property
    def uneven(self) -> bool:
        """Whether masses are so far apart that what a light body carries hides its own motion.

        A freedom counts for a contact by its largest entry: single ones may be small for any reason.
        """
        H = coo_array(self.H)
        count, dim = self.b.shape
        pairs, place = np.unique(H.coords[0] * count + H.coords[1] // dim, return_inverse=True)
        largest = np.zeros(len(pairs))
        np.maximum.at(largest, place, np.abs(H.data))
        largest = largest[largest > 0.0]
        return bool(len(largest)) and float(largest.min()) < UNEVEN * float(largest.max())

    def mobility(self, factor: Factor | None) -> Matrix | None:
        """W = H^T M^-1 H with ``factor`` for M, dense or sparse; None where it would fill far more than M and H do."""
        n = self.b.size
        if isinstance(self.H, np.ndarray) or factor is None:
            directions = self.H if isinstance(self.H, np.ndarray) else self.H.toarray()
            return np.ascontiguousarray(directions.T @ solve_with(factor, directions))
        parts, entries = [], 0
        for first in range(0, n, CHUNK):
            columns = factor.solve(self.H[:, first : first + CHUNK].toarray())
            parts.append(csc_array(self.H.T @ columns))
            entries += parts[-1].nnz
            if entries > MOST_ENTRIES or (n > FULL_REACTIONS and entries > FULL * n * (first + CHUNK)):
                return None
        W = hstack(parts, format="csr")
        return W.toarray() if entries > FULL * n**2 else W


def scaled_problem(data: GlobalData, units: GlobalUnits) -> GlobalProblem:
    """The problem in ``units``."""
    dim = data.b.shape[1]
    S, D = units.freedom, units.contact
    load = units.load[units.part_of_contact][:, None]
    return GlobalProblem(
        in_units(data.M, S, S), in_units(data.H, S, np.repeat(D, dim)), S * data.f / units.load[units.part_of_freedom],
        data.b * D[:, None] / load, data.mu, units.stiffness, units.factor, units.regular,
    )  # fmt: skip
