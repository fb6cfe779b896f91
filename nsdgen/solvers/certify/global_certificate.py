"""The certificate of friction problems in global variables: from M, f, H, b, the coefficients, v and r alone.

Rows of M v = H r + f count twice, and the worse value counts: relative to the row's own terms
|M| |v| + |H| |r| + |f|, so that a light body cannot hide behind a heavy one; and in natural units (see
``global_units``), relative to the load of the data, so that a large r cannot hide it. A row right
to FINE of its own terms is right: no v and r in double precision do better.

Contacts are measured with u = H^T v + b as in ``contact_certificate``: law by law in their own
units and the load of their part, and in the common units of the data. What replaces the entries of
the condensed W is the diagonal of each contact's own block, exact or estimated (see
``global_units``). A contact whose columns of H are zero has none: its u is b, and any exchange rate serves
for that. Where q = b + H^T M^-1 f is but the rounding of its terms, a u that is rounding
of |H|^T |v| + |b| is right. Where M is singular, W and q are those of a shifted M, these terms are the
load if they are the smaller, down to LEAST_TERMS of it, and the common units are left out.

Changing the units of time, mass, of each freedom, of each contact changes none of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.contact_certificate import FINE, law_violation
from nsdgen.solvers.scaling.contact_units import NOISE, largest_of_part
from nsdgen.solvers.scaling.global_units import GlobalUnits, global_units

__all__ = ["GlobalMeasure", "global_measure", "global_residual"]

LEAST_TERMS = 1e-4  # of the load: what terms count for at least where they replace it, as where all is at rest
ROUNDING = 1e-15  # of the load of a part: a smaller residual of the dynamics is none


@dataclass(frozen=True)
class GlobalMeasure:
    """What residuals are relative to.

    ``row_load`` (parts) is the load of rows of the dynamics in natural units, ``m`` and ``load`` are
    max W_ii and max |q| in units of the data.
    """

    units: GlobalUnits
    row_load: Vector
    m: float
    load: float

    def dynamics(self, M: Matrix, f: Vector, H: Matrix, v: Vector, r: Vector) -> Vector:
        """The residual of each row of M v = H r + f."""
        off = np.abs(M @ v - H @ r - f)
        terms = abs(M) @ np.abs(v) + abs(H) @ np.abs(r) + np.abs(f)
        own = np.divide(off, terms, out=np.zeros_like(off), where=terms > 0.0)
        natural = off * self.units.freedom / self.row_load[self.units.part_of_freedom]
        residual = np.where(own <= FINE, own, np.where(natural <= ROUNDING, natural, np.maximum(own, natural)))
        return np.where(np.isfinite(residual), residual, np.inf)

    def law(self, H: Matrix, b: Vector, mu: Vector, v: Vector, r: Vector) -> Vector:
        """The residual of each contact; b is (contacts, dim), ``mu`` (contacts, disks)."""
        units = self.units
        count = len(mu)
        if not count:
            return np.zeros(0)
        unit, part = units.contact, units.part_of_contact
        r = r.reshape(count, -1)
        u = (H.T @ v).reshape(count, -1) + b
        terms = (abs(H).T @ np.abs(v)).reshape(count, -1) + np.abs(b)
        own_terms = terms.max(axis=1) * unit
        terms = largest_of_part(own_terms, part, units.parts)[part]
        load = units.load[part]
        blur = (own_terms + load) / unit  # a v at rest is the rounding of M^-1 f, which is in the load
        if not units.regular:
            load = np.clip(terms, LEAST_TERMS * load, load)
        map_ = law_violation(u, r, mu, unit**-2.0, blur) / unit
        own = map_ / load
        lost = np.divide(map_, terms, out=own.copy(), where=terms > 0.0)
        common = law_violation(u, r, mu, np.full(count, self.m)) * (self.m / self.load)
        worse = np.maximum(own, common) if units.regular else own
        residual = np.where(own <= FINE, own, np.where(lost <= NOISE, lost, worse))
        return np.where(np.isfinite(residual), residual, np.inf)


def global_measure(M: Matrix, f: Vector, H: Matrix, b: Vector) -> GlobalMeasure:
    """The measure of a checked problem; M and H are both dense or in compressed columns, b is (contacts, dim)."""
    units = global_units(M, f, H, b)
    moved = largest_of_part(np.abs(units.freedom * f), units.part_of_freedom, units.parts)
    diagonal = units.stiffness.max(axis=1, initial=0.0) / units.contact**2
    q = b + (H.T @ units.velocity).reshape(b.shape)
    load = float(np.abs(q).max(initial=0.0))
    return GlobalMeasure(units, np.maximum(moved, units.load), float(diagonal.max(initial=0.0)) or 1.0, load or 1.0)


def global_residual(
    M: Matrix, f: Vector, H: Matrix, b: Vector, mu: Vector, dim: int, v: Vector, r: Vector
) -> tuple[Vector, Vector]:
    """Residuals of the rows of the dynamics (n,) and of the contacts (contacts,) at v (n,), r (contacts * dim,).

    M and H are both dense or in compressed columns, b is (contacts * dim,), ``mu`` (contacts, disks).
    """
    offset = np.reshape(b, (len(mu), dim))
    measure = global_measure(M, f, H, offset)
    return measure.dynamics(M, f, H, v, r), measure.law(H, offset, mu, v, r)
