"""Why a problem with friction has no solution: rows whose signs exclude each other, whatever frictions are."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.feasible import Feasibility, exclusion

Rows = NDArray[np.signedinteger]

_ENTRIES = 300_000  # of the matrix: up to here the linear program is quicker than the methods that it makes needless
_DROWNS = 1e13  # times b: terms beside which b is no longer seen, so that no certificate passes
_PULLS = 1e-7  # of the largest multiplier: a row with less is not among those that exclude each other


def excluding_rows(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: Sequence[tuple[Rows, Vector]]
) -> tuple[Feasibility, Rows]:
    """Rows of y = A z + b whose signs exclude each other, of contacts the normal ones: u_N >= 0 for r_N >= 0.

    ``lower`` and ``upper`` (n,) bound z of the other rows. ``contacts`` are rows (contacts, dim) and coefficients
    (contacts, disks) of each dimension; friction is left out but where there is none, so that the proof holds for all
    coefficients. ``NEARLY_EXCLUDED`` says that only a z fits beside which b cannot be seen.
    """
    none = np.zeros(0, dtype=np.intp)
    size = np.ravel(abs(A).sum(axis=1))
    normals = np.concatenate([rows[:, 0] for rows, _ in contacts])
    if len(lost := normals[(size[normals] == 0.0) & (b[normals] < 0.0)]):
        return Feasibility.EXCLUDED, lost  # they close, and nothing changes that
    if (A.size if isinstance(A, np.ndarray) else A.nnz) > _ENTRIES:
        return Feasibility.UNKNOWN, none
    lower, upper, asked = lower.copy(), upper.copy(), np.ones(len(b), dtype=bool)
    for rows, mu in contacts:
        slides = np.repeat(mu, (rows.shape[1] - 1) // mu.shape[1], axis=1) > 0.0
        asked[rows[:, 1:]] = False
        lower[rows[:, 0]], upper[rows[:, 0]] = 0.0, np.inf
        lower[rows[:, 1:]], upper[rows[:, 1:]] = np.where(slides, -np.inf, 0.0), np.where(slides, np.inf, 0.0)
    known, pull = exclusion(A, b, lower, upper, asked, _DROWNS)
    if known == Feasibility.UNKNOWN:
        return known, none
    weight = np.abs(pull) * (size + np.abs(b))
    return known, np.flatnonzero(weight > _PULLS * weight.max())
