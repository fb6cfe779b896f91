"""The certificate of problems of several cones: from A, b, the laws and z alone.

Everything is measured in natural units of its connected part, A near 1, and its load, max |b| = 1. Rows answer to their
own terms (``relative_violation``), and what is given must be visible beside these (``drowned``). Contacts answer law by
law to the load, or to their own terms where these are less, as in ``contact_certificate``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._contact_laws import contact_residuals
from nsdgen.solvers.certify.row_certificate import drowned, relative_violation

__all__ = ["Contacts", "mixed_certificate"]

Contacts = tuple[NDArray[np.intp], Vector]  # rows (contacts, dim) and coefficients (contacts, disks) of one dimension


def mixed_certificate(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: Sequence[Contacts], z: Vector, tol: float
) -> tuple[Vector, Vector]:
    """y with exact signs (n,), and what each row is off by (n,), that of a contact on all of its rows.

    ``A`` and ``b`` are in natural units; rows of contacts have no bounds.
    """
    raw, size = A @ z + b, abs(A)
    terms = size @ np.abs(z) + np.abs(b)
    y = np.where(z == lower, np.maximum(raw, 0.0), np.where(z == upper, np.minimum(raw, 0.0), 0.0))
    y = np.where(lower == upper, raw, y)
    for rows, _ in contacts:
        y[rows] = raw[rows]
    wrong = np.abs(raw - y)
    off = relative_violation(size, terms, wrong, tol)
    if drowned(size, np.abs(b), terms, wrong):
        off = np.maximum(off, 1.0)
    for rows, mu in contacts:
        one, residual = np.ones(len(rows)), np.empty(len(rows))
        contact_residuals(raw[rows], z[rows], mu, terms[rows].max(axis=1), 1.0, 1.0, one, one, one, residual)
        off[rows] = np.maximum(off[rows], residual[:, None])
    off[~(np.isfinite(off) & (lower <= z) & (z <= upper))] = np.inf
    return y, off
