"""The certificate of friction problems: from W, q, the coefficients and r alone.

A contact is measured twice, and the worse value counts. Both measure each law by itself, in units of r,
with an exchange rate rho (``law_violation``, ``_contact_laws.pxi``):

- in the contact's own units D (see ``contact_graph``) and the load of its part, or its own terms
  |W| |r| + |q| where these are less, down to LEAST_TERMS of the load: so a light contact cannot hide
  behind a heavy one, one part behind another, nor where little happens what is wrong there;
- in the units of the data, rho = m = max |W_ij|, relative to max |q| / m. Where contacts differ by
  many decades no r in double precision passes this, so that a contact which is right to
  FINE in its own units is right.

Of a u lost in the rounding of a large r neither says anything: that much counts as off.
Nothing depends on units, on frames of the tangents, on the size of r or of the coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import contact_residuals, law_violations

FINE = 1e-12  # of what is added up: a few thousand roundings; with contacts many decades apart no double does better


@dataclass(frozen=True)
class Measure:
    """What the residual of each contact is relative to; arrays are (contacts,), as in the data.

    ``m`` and ``load`` are max |W_ij| and max |q|; ``unit`` is D, ``own_load`` max |D q| of the
    contact's part, or its noise, ``own_size`` the largest entry of D W D in it.
    """

    m: float
    load: float
    unit: Vector
    own_size: Vector
    own_load: Vector

    def residual(
        self, W: Matrix, q: Vector, mu: Vector, r: Vector, rows: NDArray[np.intc] | slice = slice(None)
    ) -> Vector:
        """Of contacts ``rows`` whose matrix and offset are W and q, at r (n,); ``mu`` is (contacts, disks)."""
        count = len(mu)
        unit, size, load = self.unit[rows], self.own_size[rows], self.own_load[rows]
        terms = (abs(W) @ np.abs(r) + np.abs(q)).reshape(count, -1).max(axis=1)
        u, r = (W @ r + q).reshape(count, -1), r.reshape(count, -1)
        residual = np.empty(count)
        contact_residuals(u, r, mu, terms, self.m, self.load, unit, size, load, residual)
        return residual

    def of_load(self, u: Vector, mu: Vector, r: Vector) -> float:
        """The largest violation of all contacts at u and r (n,) beside the largest |q|, in units of the data."""
        count = len(mu)
        if not count:
            return 0.0
        off = law_violation(u.reshape(count, -1), r.reshape(count, -1), mu, np.full(count, self.m))
        return float(off.max(initial=0.0)) * (self.m / self.load)


def largest(W: Matrix) -> float:
    """max |W_ij|, 1 for a matrix of zeros."""
    entries = W if isinstance(W, np.ndarray) else W.data
    return float(np.abs(entries).max(initial=0.0)) or 1.0


def law_violation(u: Vector, r: Vector, mu: Vector, rho: Vector, terms: Vector | None = None) -> Vector:
    """What each contact is off by (contacts,), in units of r; without ``terms`` slow sliding may have any direction.

    ``u`` and ``r`` are (contacts, dim), ``mu`` (contacts, disks), ``rho`` and ``terms`` (contacts,): see
    ``_contact_laws.pxi``.
    """
    off = np.empty(len(mu))
    law_violations(u, r, mu, rho, np.full(len(mu), np.inf) if terms is None else terms, off)
    return off
