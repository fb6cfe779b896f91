"""Rows of several cones as one dense friction problem where nothing is unusual: regular equalities, alike units.

The same problem as that of ``elimination.py`` and ``contact_form.py``, which look at sparsity, singular equalities and
units far apart; whatever needs that look is left to them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.mixed.contact_form import ContactRows
from nsdgen.solvers.mixed.elimination import CANCELLED

__all__ = ["DenseForm", "dense_form"]

MOST_ROWS = 600  # dense work grows as the cube: beyond, elimination by sparsity is the better way
REGULAR = 1e6  # of |A_ee^-1| |A_ee|: more loses too many digits
SYMMETRIC = 1e-9  # of the roots of both diagonal entries
SPREAD = 1e8  # of diagonal entries: units of contacts are then alike

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class DenseForm:
    """W (n, n), q (n,) and mu (contacts, disks) of contacts with ``dim`` rows; ``slots`` are those of rows ``rest``.

    ``inverse`` is that of the rows ``equality``, ``outer`` their coupling with ``rest``, ``inner`` their offset.
    """

    W: Vector
    q: Vector
    mu: Vector
    dim: int
    slots: Rows
    rest: Rows
    equality: Rows
    inverse: Vector
    outer: Vector
    inner: Vector

    def embedded(self, z: Vector) -> Vector:
        """r of the friction problem from a guess of z."""
        r = np.zeros(len(self.q))
        r[self.slots] = z[self.rest]
        return r

    def extracted(self, r: Vector, u: Vector) -> tuple[Vector, Vector]:
        """z and y of all rows."""
        z, y = np.zeros((2, len(self.rest) + len(self.equality)))
        z[self.rest], y[self.rest] = r[self.slots], u[self.slots]
        if len(self.equality):
            z[self.equality] = -self.inverse @ (self.outer @ z[self.rest] + self.inner)
        return z, y


def dense_form(A: Matrix, b: Vector, equality: Rows, rest: Rows, contacts: list[ContactRows]) -> DenseForm | None:
    """The friction problem of ``contacts``, which cover the rows ``rest``; None where it is unusual."""
    if not isinstance(A, np.ndarray) or len(b) > MOST_ROWS:
        return None
    order = np.concatenate([contact.rows for contact in contacts])
    offset, inverse, outer, inner = b[order], np.zeros((0, 0)), np.zeros((0, len(order))), b[equality]
    whole = A[order[:, None], order]
    if len(equality):
        found = _inverse(A[equality[:, None], equality])
        if found is None:
            return None
        inverse, outer, lower = found, A[equality[:, None], order], A[order[:, None], equality]
        # What is left of terms that cancel is rounding: a contact held by the equalities must not seem to close.
        size = np.abs(lower) @ np.abs(inverse)
        terms = np.abs(whole) + size @ np.abs(outer), np.abs(offset) + size @ np.abs(inner)
        whole, offset = whole - lower @ inverse @ outer, offset - lower @ inverse @ inner
        whole[np.abs(whole) <= CANCELLED * terms[0]] = 0.0
        offset[np.abs(offset) <= CANCELLED * terms[1]] = 0.0
    diagonal = whole.diagonal()
    if not (diagonal.min() > 0.0 and diagonal.max() <= SPREAD * diagonal.min()):
        return None
    root = np.sqrt(diagonal)
    if not (np.abs(whole - whole.T) <= SYMMETRIC * root[:, None] * root).all():
        return None
    dim = max(len(contact.rows) for contact in contacts)
    mu = np.array([(contact.mu, contact.mu_rolling) for contact in contacts])[:, : 2 if dim == 5 else 1]
    sizes = [len(contact.rows) for contact in contacts]
    slots = np.concatenate([k * dim + np.arange(size) for k, size in enumerate(sizes)])
    W, q = whole, offset
    if len(slots) < len(contacts) * dim:
        # Tangents that nothing drives, as stiff as the contact.
        W, q = np.diag(np.repeat(diagonal[np.cumsum([0, *sizes[:-1]])], dim)), np.zeros(len(contacts) * dim)
        W[slots[:, None], slots], q[slots] = whole, offset
    every = np.argsort(order)
    return DenseForm(
        W, q, np.ascontiguousarray(mu), dim, slots[every], order[every], equality, inverse, outer[:, every], inner
    )


def _inverse(block: Vector) -> Vector | None:
    """The inverse of the equality rows' own block; None where it is singular or loses digits."""
    try:
        inverse = np.asarray(np.linalg.inv(block), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    lost = (np.abs(inverse) @ np.abs(block)).max()
    return inverse if lost <= REGULAR else None
