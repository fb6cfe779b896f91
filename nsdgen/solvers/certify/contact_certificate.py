"""The certificate of friction problems: from W, q, the coefficients and r alone.

A contact is measured twice, and the worse value counts. Both are a natural map
r - P_K(r - u~ / rho) with De Saxcé's velocity u~ = u + (mu |u_T| + mu_r |u_R|) e_N:

- in the contact's own units D (see ``contact_units``) and the load of its part, so that
  a light contact cannot hide behind a heavy one, or one part behind another;
- in the units of the data, rho = m = max |W_ij|, relative to max |q| / m. Where contacts differ by
  many decades no r in double precision passes this, so that a contact which is right to
  FINE in its own units is right.

Of a u lost in the rounding of a large r the map says nothing: that much counts as off.
Nothing depends on units, on frames of the tangents, on the size of r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector

__all__ = ["FINE", "Measure", "largest", "natural_map"]

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
        own = natural_map(u, r, mu, size / unit**2) * (size / (unit * self.own_load[rows]))
        common = natural_map(u, r, mu, np.full(count, self.m)) * (self.m / self.load)
        residual = np.where(own <= FINE, own, np.maximum(own, common))
        return np.where(np.isfinite(residual), residual, np.inf)


def largest(W: Matrix) -> float:
    """max |W_ij|, 1 for a matrix of zeros."""
    entries = W if isinstance(W, np.ndarray) else W.data
    return float(np.abs(entries).max(initial=0.0)) or 1.0


def natural_map(u: Vector, r: Vector, mu: Vector, rho: Vector) -> Vector:
    """Largest entry of r - P_K(r - u~ / rho) of each contact (contacts,), or what of u it cannot see."""
    dim = r.shape[1]
    disks = [slice(1, min(dim, 3)), slice(3, 5)][: mu.shape[1]]
    x = r - u / rho[:, None]
    for k, disk in enumerate(disks):
        x[:, 0] -= mu[:, k] * np.linalg.norm(u[:, disk], axis=1) / rho
    lengths = [np.linalg.norm(x[:, disk], axis=1) for disk in disks]
    height = _cone_height(x[:, 0], lengths, mu)
    nearest = np.column_stack([height, x[:, 1:]])
    for k, disk in enumerate(disks):
        radius = mu[:, k] * height
        outside = lengths[k] > radius
        shrink = np.divide(radius, lengths[k], out=np.ones_like(radius), where=outside)
        nearest[:, disk] *= shrink[:, None]
    lost = np.minimum(BLIND * np.abs(r).max(axis=1), np.abs(u).max(axis=1) / rho)
    return np.maximum(np.abs(r - nearest).max(axis=1), lost)


def _cone_height(x: Vector, lengths: list[Vector], mu: Vector) -> Vector:
    """Height of the nearest point of each cone: the zero of an increasing broken line, or 0.

    Each subset of disks that x lies outside of gives one piece of the line; the zero of a
    piece that is a zero of the whole is the height.
    """

    def broken(t: Vector) -> Vector:
        return t - x - sum(mu[:, k] * np.maximum(0.0, lengths[k] - mu[:, k] * t) for k in range(len(lengths)))

    best, least = np.zeros_like(x), np.full_like(x, np.inf)
    for subset in range(1 << len(lengths)):
        inside = [k for k in range(len(lengths)) if subset >> k & 1]
        top = x + sum(mu[:, k] * lengths[k] for k in inside)
        t = top / (1.0 + sum(mu[:, k] ** 2 for k in inside))
        off = np.abs(broken(t))
        best, least = np.where(off < least, t, best), np.minimum(off, least)
    return np.maximum(best, 0.0)
