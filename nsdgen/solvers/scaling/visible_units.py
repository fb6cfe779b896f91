"""Natural units of the entries of a matrix that matter beside those of their row and column.

``natural_units`` counts exponents, so that the rounding that terms leave behind where they cancel
(a lever arm along the normal of a contact) weighs more than all other entries.
"""

import numpy as np
from scipy.sparse import csr_array

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.scaling.natural_units import natural_units

VISIBLE = 2.0**-30  # of the largest entries of row and column: less does not count
ROUNDS = 2  # of leaving entries out: the units of what is left may show others that do not count
SWEEPS = 5  # each halves the exponents that rows and columns are apart


def visible_units(M: Matrix) -> tuple[Vector, Vector]:
    """Powers of two R, C (n,) for which the entries of R M C that matter are near 1; M is (n, n), dense or sparse.

    An entry does not count that is small where the largest ones of all rows and columns are near 1. These
    units start from natural ones, so that M given in other units drops the same.
    """
    kept = csr_array(M, copy=True)
    for _ in range(ROUNDS):
        rates, units = natural_units(kept)
        left = _drop(kept, rates, units)
        if left is None:
            return rates, units
        kept = left
    return natural_units(kept)


def _drop(M: csr_array, rates: Vector, units: Vector) -> csr_array | None:
    """M without the entries that do not count; None where all do."""
    M.eliminate_zeros()
    n = M.shape[0]
    row, column = np.repeat(np.arange(n), np.diff(M.indptr)), M.indices
    size = np.abs(M.data) * rates[row] * units[column]
    for _ in range(SWEEPS):
        across, down = np.zeros(n), np.zeros(n)
        np.maximum.at(across, row, size)
        np.maximum.at(down, column, size)
        size = size / np.sqrt(across[row] * down[column])
    seen = size > VISIBLE
    if seen.all():
        return None
    ends = np.concatenate([[0], np.cumsum(np.bincount(row[seen], minlength=n))])
    return csr_array((M.data[seen], column[seen], ends), shape=(n, n))
