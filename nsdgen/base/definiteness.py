"""What a mass matrix and an inertia tensor can be, whatever the units of their rows. Nothing but NumPy and SciPy here.

A mass matrix M is symmetric and positive semidefinite: 2 T = v^T M v >= 0. An inertia tensor I is that of some
distribution of mass: its second moments (tr I) / 2 - I are positive semidefinite, too, which for principal moments is
the triangle inequality I_1 + I_2 >= I_3.
"""

from typing import Any

import numpy as np

DEFINITE, INERTIA = "definite", "inertia"
_ROUNDING = 1e-9  # of entries divided by the roots of their diagonal ones
_DENSE = 400  # rows up to which eigenvalues are computed


def first_wrong(kind: str, matrices: np.ndarray) -> tuple[int, str] | None:
    """The first of some matrices [k, n, n] that is not of a kind, and why; None where all are.

    Matrices that are not finite are passed over.
    """
    if kind == DEFINITE and matrices.shape == (1, 1, 1) and not matrices.item() < 0:
        return None
    test = not_inertia if kind == INERTIA else not_definite
    for i in np.flatnonzero(_suspect(matrices) if kind == DEFINITE else np.ones(len(matrices), dtype=bool)):
        if reason := test(matrices[i]):
            return int(i), reason
    return None


def _suspect(matrices: np.ndarray) -> np.ndarray:
    """Of many matrices, those that are not diagonal with a diagonal >= 0, as most are."""
    found: np.ndarray
    count, n, _ = matrices.shape
    entries = matrices.reshape(count, n * n)
    if n == 1:
        found = entries[:, 0] < 0
        return found
    diagonal = entries[:, :: n + 1]
    elsewhere = np.count_nonzero(entries, axis=1) != np.count_nonzero(diagonal, axis=1)
    found = (diagonal < 0).any(axis=1) | elsewhere
    return found


def not_definite(matrix: np.ndarray) -> str:
    """Why a matrix [n, n] is not symmetric and positive semidefinite up to rounding; empty where it is."""
    diagonal = np.diagonal(matrix)
    if not np.isfinite(matrix).all():
        return ""
    if (negative := np.flatnonzero(diagonal < 0)).size:
        return f"entry ({negative[0]}, {negative[0]}) is {diagonal[negative[0]]:.6g}, which is negative"
    root = np.sqrt(diagonal)
    empty = root == 0
    if (matrix[empty] != 0).any() or (matrix[:, empty] != 0).any():
        row = np.flatnonzero(empty & ((matrix != 0).any(axis=0) | (matrix != 0).any(axis=1)))[0]
        return f"entry ({row}, {row}) is 0 and others of its row or column are not: it is indefinite"
    unit = np.where(empty, 1.0, root)
    scaled = matrix / unit[:, np.newaxis] / unit
    i, j = np.unravel_index(np.argmax(np.abs(scaled - scaled.T)), scaled.shape)
    if abs(scaled[i, j] - scaled[j, i]) > _ROUNDING:
        return f"entries ({i}, {j}) and ({j}, {i}) are {matrix[i, j]:.6g} and {matrix[j, i]:.6g}: it is not symmetric"
    return "" if _semidefinite((scaled + scaled.T) / 2) else "it is indefinite: some velocities have negative energy"


def not_inertia(matrix: np.ndarray) -> str:
    """Why a tensor [3, 3] is not that of a body; empty where it is."""
    if not np.isfinite(matrix).all() or (reason := not_definite(matrix)):
        return "" if not np.isfinite(matrix).all() else reason
    moments = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    if moments[2] - moments[0] - moments[1] > _ROUNDING * moments[2]:
        shown = ", ".join(f"{m:.6g}" for m in moments)
        return f"no body has the principal moments {shown}: the largest is above the sum of the others"
    return ""


def _semidefinite(scaled: np.ndarray) -> bool:
    n = len(scaled)
    if n <= _DENSE:
        return bool(np.linalg.eigvalsh(scaled)[0] >= -_ROUNDING)
    return _sparse_semidefinite(scaled)


def _sparse_semidefinite(scaled: np.ndarray) -> bool:
    """By the pivots of a factorisation without exchanges: all are positive where the matrix, lifted a little, is."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    lifted: Any = csc_array(scaled) + _ROUNDING * eye_array(len(scaled), format="csc")
    try:
        factors = splu(
            csc_array(lifted), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
    except RuntimeError:  # a pivot that is exactly zero
        return False
    return bool((factors.perm_r == factors.perm_c).all() and (factors.U.diagonal() > 0).all())
