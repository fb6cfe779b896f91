"""The certificate of friction problems: from W, q, the coefficients and r alone.

A contact is measured twice, and the worse value counts. Both measure each law by itself, in units of r,
with an exchange rate rho (``law_violation``):

- in the contact's own units D (see ``contact_units``) and the load of its part, so that
  a light contact cannot hide behind a heavy one, or one part behind another;
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

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Matrix, Vector

__all__ = ["FINE", "Measure", "largest", "law_violation"]

FINE = 1e-12
BLIND = 0.5 * np.finfo(float).eps  # of r: a smaller u / rho is lost in r - u / rho


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
        u, r = (W @ r + q).reshape(count, -1), r.reshape(count, -1)
        unit, size = self.unit[rows], self.own_size[rows]
        own = law_violation(u, r, mu, size / unit**2) * (size / (unit * self.own_load[rows]))
        common = law_violation(u, r, mu, np.full(count, self.m)) * (self.m / self.load)
        residual = np.where(own <= FINE, own, np.maximum(own, common))
        return np.where(np.isfinite(residual), residual, np.inf)


def largest(W: Matrix) -> float:
    """max |W_ij|, 1 for a matrix of zeros."""
    entries = W if isinstance(W, np.ndarray) else W.data
    return float(np.abs(entries).max(initial=0.0)) or 1.0


def law_violation(u: Vector, r: Vector, mu: Vector, rho: Vector) -> Vector:
    """What each contact is off by (contacts,), in units of r, or what of u cannot be seen beside it.

    The largest of what it pulls, -r_N, what it penetrates, -u_N / rho, what it acts at a distance, u_N / rho or
    the largest |r_i| if that is less, and for each disk r_T - P(r_T - u_T / rho), P the projection on the disk
    of radius mu r_N: zero exactly where Coulomb's law holds. Source of the last one: P. Alart and A. Curnier, 1991.
    """
    dim = r.shape[1]
    acting, moving = np.abs(r).max(axis=1), np.abs(u).max(axis=1) / rho
    apart = u[:, 0] / rho
    worst = np.maximum(-r[:, 0], np.where(apart < 0.0, -apart, np.minimum(apart, acting)))
    x = r - u / rho[:, None]
    for k, disk in enumerate([slice(1, min(dim, 3)), slice(3, 5)][: mu.shape[1]]):
        radius = np.maximum(r[:, 0], 0.0) * np.minimum(mu[:, k], NO_SLIP)
        radius[(mu[:, k] >= NO_SLIP) & (r[:, 0] > 0.0)] = np.inf
        length = np.linalg.norm(x[:, disk], axis=1)
        outside = length > radius
        shrink = np.divide(radius, length, out=np.ones_like(radius), where=outside)
        worst = np.maximum(worst, np.abs(r[:, disk] - shrink[:, None] * x[:, disk]).max(axis=1))
    return np.maximum(worst, np.minimum(BLIND * acting, moving))
