"""Why a friction problem has no solution: normal velocities that no reactions keep from being negative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.feasible import Feasibility, exclusion

__all__ = ["excluding_reactions"]

Rows = NDArray[np.signedinteger]

_ENTRIES = 300_000  # of W: up to here the linear program is quicker than the methods that it makes needless
_DROWNS = 1e13  # times q: terms beside which q is no longer seen, so that no certificate passes
_PULLS = 1e-7  # of the largest multiplier: a contact with less is not among those that exclude each other


def excluding_reactions(W: Matrix, q: Vector, mu: Vector) -> tuple[Feasibility, Rows]:
    """Contacts whose u_N = (W r + q)_N >= 0 exclude each other for r_N >= 0, whatever frictions are.

    ``mu`` is (contacts, disks). Friction is left out but where there is none, so that the proof holds for all
    coefficients. ``NEARLY_EXCLUDED`` says that only reactions fit beside which q cannot be seen.
    """
    entries = W.size if isinstance(W, np.ndarray) else W.nnz
    if entries > _ENTRIES:
        return Feasibility.UNKNOWN, np.zeros(0, dtype=np.intp)
    dim = len(q) // len(mu)
    slides = np.repeat(mu, (dim - 1) // mu.shape[1], axis=1) > 0.0
    lower, upper = np.zeros((len(mu), dim)), np.full((len(mu), dim), np.inf)
    lower[:, 1:], upper[:, 1:] = np.where(slides, -np.inf, 0.0), np.where(slides, np.inf, 0.0)
    normal = np.zeros((len(mu), dim), dtype=bool)
    normal[:, 0] = True
    known, pull = exclusion(W, q, lower.ravel(), upper.ravel(), normal.ravel(), _DROWNS)
    if known == Feasibility.UNKNOWN:
        return known, np.zeros(0, dtype=np.intp)
    weight = (np.abs(pull) * np.abs(W).sum(axis=1))[::dim]
    return known, np.flatnonzero(weight > _PULLS * weight.max())
