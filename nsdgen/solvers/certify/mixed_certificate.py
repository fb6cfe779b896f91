"""The certificate of problems of several cones: from A, b, the laws and z alone.

Everything is measured in natural units of its connected part, A near 1, and its load, max |b| = 1. Rows answer to their
own terms (``relative_violation``), and what is given must be visible beside these (``drowned``). Contacts answer law by
law to the load, or to their own terms where these are less, as in ``contact_certificate``.

Contacts on bodies, M v = H r + f, may carry reactions beside which nothing of f is visible: a column of masses far
apart. A row of M v = H r + f is measured twice, and the worse value counts: beside its own terms, so that a light body
cannot hide behind a heavy one, and beside the load, so that a large r cannot hide it; one that is right to FINE of its
own terms is right, for no v and r in double precision do better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import contact_residuals
from nsdgen.solvers.certify.contact_certificate import FINE
from nsdgen.solvers.certify.row_certificate import drowned, relative_violation

Contacts = tuple[NDArray[np.intp], Vector]  # rows (contacts, dim) and coefficients (contacts, disks) of one dimension

ROUNDING = 1e-15  # of the load: less is nothing


def mixed_certificate(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: Sequence[Contacts], z: Vector, tol: float,
    load: float | None = None,
) -> tuple[Vector, Vector]:  # fmt: skip
    """y with exact signs (n,), and what each row is off by (n,), that of a contact on all of its rows.

    ``A`` and ``b`` are in natural units; rows of contacts have no bounds. ``load`` is that of contacts on bodies, where
    all other rows are M v = H r + f; else None.
    """
    raw, size = A @ z + b, abs(A)
    terms = size @ np.abs(z) + np.abs(b)
    y = np.where(z == lower, np.maximum(raw, 0.0), np.where(z == upper, np.minimum(raw, 0.0), 0.0))
    y = np.where(lower == upper, raw, y)
    for rows, _ in contacts:
        y[rows] = raw[rows]
    wrong = np.abs(raw - y)
    if load is None:
        off = relative_violation(size, terms, wrong, tol)
        if drowned(size, np.abs(b), terms, wrong):
            off = np.maximum(off, 1.0)
    else:
        off = np.divide(wrong, terms, out=np.zeros_like(wrong), where=terms > 0.0)
        off = np.where((off <= FINE) | (wrong <= ROUNDING), off, np.maximum(off, wrong))
    given = load or 1.0
    for rows, mu in contacts:
        one, residual = np.ones(len(rows)), np.empty(len(rows))
        contact_residuals(raw[rows], z[rows], mu, terms[rows].max(axis=1), 1.0, given, one, one, given * one, residual)
        off[rows] = np.maximum(off[rows], residual[:, None])
    off[~(np.isfinite(off) & (lower <= z) & (z <= upper))] = np.inf
    return y, off
