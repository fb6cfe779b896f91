"""Units of rows and columns in which the entries of a matrix are near 1.

The scaling of A. R. Curtis and J. K. Reid (On the automatic scaling of matrices for Gaussian
elimination, J. Inst. Maths Applics 10, 1972): exponents r, c with the least sum of
(log2 |m_ij| + r_i + c_j)^2 over the nonzero entries. A convex problem with one answer
(up to a factor between rows and columns of each independent part), so that M given in
other units gets the same units in the end; a symmetric pattern of sizes gets r = c.
"""

import numpy as np
from scipy.sparse import csr_array

from nsdgen.solvers.arrays import Matrix, Vector

ITERATIONS = 60  # of conjugate gradients, which arrive long before; units need not be exact
ACCURACY = 1e-3  # of a binary digit


def natural_units(M: Matrix) -> tuple[Vector, Vector]:
    """Powers of two R, C (n,) for which the entries of R M C are near 1; M stays dense where it is."""
    entries, pattern = _logarithms(M)
    # Conjugate gradients on the normal equations, preconditioned by the numbers of entries.
    x = np.zeros(sum(entries.shape))
    n = entries.shape[0]
    weight = np.maximum(np.concatenate([pattern.sum(axis=1), pattern.sum(axis=0)]), 1.0)
    rest = -np.concatenate([entries.sum(axis=1), entries.sum(axis=0)])
    step, before = np.zeros_like(x), 1.0
    turned = pattern.T if isinstance(pattern, np.ndarray) else pattern.T.tocsr()
    for _ in range(ITERATIONS):
        if np.abs(rest / weight).max(initial=0.0) <= ACCURACY:
            break
        scaled = rest / weight
        product = float(rest @ scaled)
        step = scaled + product / before * step
        before = product
        image = weight * step + np.concatenate([pattern @ step[n:], turned @ step[:n]])
        curvature = float(step @ image)
        if not curvature > 0.0:
            break
        x = x + product / curvature * step
        rest = rest - product / curvature * image
    scale = np.exp2(np.rint(x))
    return scale[:n], scale[n:]


def in_units(A: Matrix, row: Vector, column: Vector) -> Matrix:
    """The matrix, dense or in compressed rows, with row i times ``row[i]`` and column j times ``column[j]``."""
    if isinstance(A, np.ndarray):
        return row[:, None] * A * column
    result = csr_array(A, copy=True)
    result.data *= np.repeat(row, np.diff(result.indptr)) * column[result.indices]
    return result


def _logarithms(M: Matrix) -> tuple[Matrix, Matrix]:
    """log2 |m_ij| of the entries that are not zero, and ones in their places."""
    if isinstance(M, np.ndarray):
        pattern = M != 0.0
        return np.log2(np.abs(M), out=np.zeros(M.shape), where=pattern), pattern.astype(np.float64)
    entries = csr_array(M, copy=True)
    entries.eliminate_zeros()
    pattern = entries.copy()
    pattern.data = np.ones_like(entries.data)
    entries.data = np.log2(np.abs(entries.data))
    return entries, pattern
