"""Alternating direction method of multipliers for frictional contacts, from one factorisation.

With y in the cones, each round solves (W + rho I) r = rho (y - x) - q - s for r, projects
y = P_K(r + x) and sums x = x + r - y. At a fixed point -rho x is u~, De Saxcé's velocity, so
that s = (mu |u_T| + mu_r |u_R|) e_N is taken from it: far more stable than from W y + q. A small
rho makes r what would keep all contacts from moving. Where most of them do not move this ends in a
few rounds, however large the problem and however many solutions it has; elsewhere it
stalls, which is soon seen. Everything is in the normalised units of ``ContactProblem``.

The scheme without friction's s: S. Boyd et al., Distributed optimization and statistical learning via
the alternating direction method of multipliers, Found. Trends Mach. Learn. 3 (2011), section 3.1.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_array, csc_array
from scipy.sparse.linalg import splu

from nsdgen.solvers.contacts._gauss_seidel import ContactProblem
from nsdgen.solvers.linalg.sparse_lu import NEARLY_SYMMETRIC

__all__ = ["admm"]

Array = NDArray[np.float64]

PENALTY = 1e-3  # rho, beside W_ii near 1
CHECK = 4  # rounds between two looks at the residual
STALLED = 0.5  # of the least residual before: what each look must bring
LOOKS = 2  # in a row without it


def admm(problem: ContactProblem, r: Array, limit: int, tolerance: float) -> tuple[Array, float, int]:
    """At most ``limit`` rounds from r (contacts, dim): the best iterate, its natural map, the rounds.

    Ends early where the natural map is at most ``tolerance`` or stops falling.
    """
    n, d = r.size, problem.dim
    best, least = r, problem.residual(r)[0]
    blocks = problem.blocks.copy()
    blocks[problem.diagonal] += PENALTY * np.eye(d)
    rows = bsr_array((blocks, problem.column, problem.start), shape=(n, n)).tocsr()
    try:
        # By rows it is the transpose by columns. The pattern holds the whole diagonal: it is never singular,
        # and needs no other check.
        factor = splu(csc_array((rows.data, rows.indices, rows.indptr), shape=(n, n)), **NEARLY_SYMMETRIC)
    except RuntimeError:
        return best, least, 0
    y, x = r, np.zeros_like(r)
    right = np.empty_like(r)
    disks = [slice(1, min(d, 3)), slice(3, 5)][: problem.mu.shape[1]]
    looks, k = 0, 0
    for k in range(1, limit + 1):
        np.subtract(PENALTY * (y - x), problem.q, out=right)
        for j, disk in enumerate(disks):
            right[:, 0] -= PENALTY * problem.mu[:, j] * _lengths(x[:, disk])
        x = x + factor.solve(right.ravel(), "T").reshape(r.shape)
        y = x.copy()
        problem.project(y)
        x -= y
        if k % CHECK == 0:
            residual = problem.residual(y)[0]
            looks = 0 if residual < STALLED * least else looks + 1
            if residual < least:
                best, least = y, residual
            if least <= tolerance or looks == LOOKS:
                break
    return best, least, k


def _lengths(x: Array) -> Array:
    return np.sqrt(np.einsum("ij,ij->i", x, x))
