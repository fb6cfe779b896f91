"""Why a friction problem in global variables has no solution: normal velocities that exclude each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csr_array, diags_array

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.feasible import excludes
from nsdgen.solvers.certify.shortfall import multipliers_of_shortfall

__all__ = ["excluding_contacts", "unsupported_contacts"]

Rows = NDArray[np.signedinteger]

_PULLS = 1e-7  # of the largest multiplier: a contact with less is not among those that exclude each other


def unsupported_contacts(H: Matrix, b: Vector) -> Rows:
    """Contacts that close, b_N < 0, though no velocity moves their normal; ``b`` is (contacts, dim)."""
    normal = abs(H[:, :: b.shape[1]]).sum(axis=0) if H.shape[0] else np.zeros(len(b))
    return np.flatnonzero((np.asarray(normal).ravel() == 0.0) & (b[:, 0] < 0.0))


def excluding_contacts(H: Matrix, b: Vector, freedom: Vector, contact: Vector) -> Rows:
    """Contacts of which no v opens or stops all, H_N^T v + b_N >= 0; none where the linear program finds no proof.

    The rows of the linear program are those of the scaled problem; the contacts with multipliers exclude each other
    by themselves, for the numbers given (``excludes``). ``freedom`` (n,) and ``contact`` (contacts,) are the units
    of ``GlobalUnits``.
    """
    dim = b.shape[1]
    largest = float((np.abs(b[:, 0]) * contact).max(initial=0.0))
    if largest == 0.0 or not H.shape[0]:
        return np.zeros(0, dtype=np.intp)
    normal = diags_array(contact) @ csr_array(H[:, ::dim].T) @ diags_array(freedom)
    free = np.full(H.shape[0], np.inf)
    pull = multipliers_of_shortfall(-normal, b[:, 0] * contact / largest, -free, free)
    if pull is None:
        return np.zeros(0, dtype=np.intp)
    pull = np.where(pull > _PULLS * pull.max(), pull, 0.0)
    # As a square problem: rows of contacts, then of free velocities that nothing is asked of.
    count, n = len(b), H.shape[0]
    square = csr_array(block_array([[csr_array((count, count)), csr_array(H[:, ::dim].T)], [None, csr_array((n, n))]]))
    lower = np.concatenate([np.zeros(count), -free])
    offset, multipliers = np.concatenate([b[:, 0], np.zeros(n)]), np.concatenate([pull * contact, np.zeros(n)])
    proved = excludes(square, offset, lower, np.full(count + n, np.inf), multipliers)
    return np.flatnonzero(pull) if proved else np.zeros(0, dtype=np.intp)
