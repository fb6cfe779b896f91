"""What a matrix of a complementarity problem is: P, P0, definite, semidefinite, or none of these.

Up to :data:`MOST_MINORS` rows every principal minor is computed, in units in which rows and columns are near 1. A P
matrix has one solution for every right-hand side, a semidefinite one has solutions of one y wherever it has any.
"""

from itertools import combinations

import numpy as np

CLASSES = ("positive definite", "positive semidefinite", "P", "P0", "none")
"""From the narrowest; a definite matrix is P and semidefinite, both are P0."""

MOST_MINORS = 12  # 4095 minors; each row more doubles them
_ROUNDING = 1e-11  # of eigenvalues and minors of up to some hundred rows, in units near 1


def matrix_class(matrix: np.ndarray) -> str:
    """One of :data:`CLASSES`, the narrowest that is certain.

    ``"undecided"`` for a matrix above :data:`MOST_MINORS` rows that is not semidefinite.
    """
    if not len(matrix):
        return CLASSES[0]
    scaled = _scaled(np.asarray(matrix, dtype=float))
    least = float(np.linalg.eigvalsh((scaled + scaled.T) / 2)[0])
    if least > _ROUNDING:
        return "positive definite"
    if len(matrix) > MOST_MINORS:
        return "positive semidefinite" if least >= -_ROUNDING else "undecided"
    smallest = min(
        float(np.linalg.det(scaled[np.ix_(rows, rows)]))
        for k in range(1, len(scaled) + 1)
        for rows in combinations(range(len(scaled)), k)
    )
    if smallest > _ROUNDING:
        return "P"
    if least >= -_ROUNDING:
        return "positive semidefinite"
    return "P0" if smallest >= -_ROUNDING else "none"


def meet(found: list[str]) -> str:
    """The class of all matrices of a list: what is true of each of them."""
    if not found or "undecided" in found:
        return "undecided"
    kinds = set(found)
    for name, members in (
        ("positive definite", CLASSES[:1]),
        ("positive semidefinite", CLASSES[:2]),
        ("P", ("positive definite", "P")),
        ("P0", CLASSES[:4]),
    ):
        if kinds <= set(members):
            return name
    return "none"


def _scaled(matrix: np.ndarray) -> np.ndarray:
    """D A D with positive D and the diagonal near 1: none of the classes is changed by it."""
    diagonal = np.abs(np.diagonal(matrix))
    largest = np.maximum(np.abs(matrix).max(axis=0), np.abs(matrix).max(axis=1))
    unit = np.sqrt(np.where(diagonal > 1e-14 * largest, diagonal, np.where(largest > 0, largest, 1.0)))
    found: np.ndarray = matrix / unit[:, np.newaxis] / unit
    return found
