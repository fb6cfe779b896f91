"""The certificate of problems of several cones, of contacts alone too: from A, b, the laws and z alone.

Rows are measured in natural units of their connected part, A near 1, and its load, max |b| = 1. They answer to their
own terms (``relative_violation``), and what is given must be visible beside these (``drowned``).

A contact is measured twice, law by law (``_contact_laws.pxi``), and the worse value counts:

- in natural units, beside the load of its part, or its own terms where these are less: so a light contact cannot hide
  behind a heavy one, one part behind another, nor where little happens what is wrong there;
- where there are contacts alone, in the units of the data, with rho = max |A_ij|, relative to max |b| / rho; beside
  other rows in natural units again. Where contacts differ by many decades no z in double precision passes this, so
  that a contact which is right to FINE in its own units is right.

Of a u lost in the rounding of a large r neither says anything: that much counts as off.

Contacts on bodies, M v = H r + f, may carry reactions beside which nothing of f is visible: a column of masses far
apart. A row of M v = H r + f is measured twice, and the worse value counts: beside its own terms, so that a light body
cannot hide behind a heavy one, and beside the load, so that a large r cannot hide it; one that is right to FINE of its
own terms is right, for no v and r in double precision do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import NOISE, SEEN, contact_residuals, law_violations
from nsdgen.solvers.certify.row_certificate import drowned, relative_violation

Contacts = tuple[NDArray[np.intp], Vector]  # rows (contacts, dim) and coefficients (contacts, disks) of one dimension

FINE = 1e-12  # of what is added up: a few thousand roundings; with contacts many decades apart no double does better
ROUNDING = 1e-15  # of the load: less is nothing


@dataclass(frozen=True)
class Whole:
    """What a contact is measured beside in the units of the data: the largest entry of A and of b of all parts."""

    size: float
    load: float

    @classmethod
    def of(cls, A: Matrix, b: Vector) -> Whole:
        """That of a problem in its data; the size is 1 for a matrix of zeros."""
        entries = A if isinstance(A, np.ndarray) else A.data
        return cls(float(np.abs(entries).max(initial=0.0)) or 1.0, float(np.abs(b).max(initial=0.0)))


@dataclass(frozen=True)
class DataUnits:
    """What contacts alone are measured beside: y and z in the data are ``rate`` and ``unit`` (n,) times those here.

    ``size`` (n,) is the largest entry of the matrix of a row's part, near 1.
    """

    whole: Whole
    rate: Vector
    unit: Vector
    size: Vector


def mixed_certificate(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: Sequence[Contacts], z: Vector, tol: float,
    load: float | None = None, beside: DataUnits | None = None,
) -> tuple[Vector, Vector]:  # fmt: skip
    """y with exact signs (n,), and what each row is off by (n,), that of a contact on all of its rows.

    ``A`` and ``b`` are in natural units; rows of contacts have no bounds. ``load`` is that of contacts on bodies, where
    all other rows are M v = H r + f; else None. ``beside`` is given for contacts alone.
    """
    raw, size = A @ z + b, abs(A)
    terms = size @ np.abs(z) + np.abs(b)
    y = np.where(z == lower, np.maximum(raw, 0.0), np.where(z == upper, np.minimum(raw, 0.0), 0.0))
    y = np.where(lower == upper, raw, y)
    for rows, _ in contacts:
        y[rows] = raw[rows]
    wrong = np.abs(raw - y)
    if beside is not None:
        off = np.zeros_like(wrong)
    elif load is None:
        off = relative_violation(size, terms, wrong, tol)
        if drowned(size, np.abs(b), terms, wrong):
            off = np.maximum(off, 1.0)
    else:
        off = np.divide(wrong, terms, out=np.zeros_like(wrong), where=terms > 0.0)
        off = np.where((off <= FINE) | (wrong <= ROUNDING), off, np.maximum(off, wrong))
    given = load or 1.0
    for rows, mu in contacts:
        one, residual = np.ones(len(rows)), np.empty(len(rows))
        terms_of = terms[rows].max(axis=1)
        if beside is None:
            contact_residuals(raw[rows], z[rows], mu, terms_of, 1.0, given, one, one, given * one, residual)
        else:
            first = rows[:, 0]
            rate, unit, own = beside.rate[first], beside.unit[first], np.sqrt(beside.unit[first] / beside.rate[first])
            # What the rounding of common motions leaves a contact counts for it alone: others may be far heavier.
            most = rate * np.abs(b[rows]).max(axis=1)
            noise = np.minimum(NOISE * beside.whole.load, np.where(most > 0.0, SEEN * most, np.inf))
            least = own * np.maximum(rate, noise)
            contact_residuals(
                rate[:, None] * raw[rows], unit[:, None] * z[rows], mu, rate * terms_of, beside.whole.size,
                beside.whole.load, own, beside.size[first], least, residual,
            )  # fmt: skip
        off[rows] = np.maximum(off[rows], residual[:, None])
    off[~(np.isfinite(off) & (lower <= z) & (z <= upper))] = np.inf
    return y, off


def violation_of_load(u: Vector, r: Vector, mu: Vector, whole: Whole) -> float:
    """The largest violation of a law at u and r (contacts, dim) beside the largest |b|, in units of the data."""
    off, infinite = np.empty(len(mu)), np.full(len(mu), np.inf)
    law_violations(u, r, mu, np.full(len(mu), whole.size), infinite, off)
    worst = float(off.max(initial=0.0))
    return worst * (whole.size / whole.load) if worst else 0.0
