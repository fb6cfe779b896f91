"""Products of matrices of expressions that skip zeros.

SymPy multiplies each entry that meets a zero with it, and asks whether it may be infinite, which takes longer for
gradients of contacts than all the rest of their derivation, and an eighth of that of mechanisms of bodies. Expressions
of models are finite where they are evaluated.
"""

from collections import defaultdict

import sympy as sp


def product(left: sp.MatrixBase, right: sp.MatrixBase) -> sp.Matrix:
    """``left * right``, the terms of each sum in the order of SymPy's; raises ``ShapeError`` where sizes differ."""
    if left.cols != right.rows:
        raise sp.matrices.exceptions.ShapeError(f"{left.shape} times {right.shape}")
    rows: dict[int, list[tuple[int, sp.Expr]]] = defaultdict(list)
    for (k, j), entry in right.todok().items():
        rows[k].append((j, entry))
    terms: dict[tuple[int, int], list[sp.Expr]] = defaultdict(list)
    for (i, k), entry in left.todok().items():
        for j, other in rows[k]:
            terms[i, j].append(entry * other)
    return sp.Matrix(left.rows, right.cols, lambda i, j: sp.Add(*terms[i, j]) if (i, j) in terms else sp.S.Zero)


def dot(left: sp.MatrixBase, right: sp.MatrixBase) -> sp.Expr:
    """The inner product of two vectors; raises ``ValueError`` where sizes differ."""
    return sp.Add(*(a * b for a, b in zip(left.flat(), right.flat(), strict=True) if a != 0 and b != 0))
