"""Traces and determinants of abstract matrices in one form for all that are equal by their laws.

tr(A + B) = tr A + tr B, tr(A B) = tr(B A), tr(A^T) = tr A; det(A B) = det A det B, det(c A) = c^n det A,
det(A^T) = det A, det(A^-1) = 1/det A.
"""

from typing import Any

import sympy as sp
from sympy.matrices.expressions import Identity, Inverse, MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

_KINDS = (sp.Trace, sp.Determinant)


def with_named_traces(*sides: Any) -> list[Any]:
    """The sides with a scalar for each trace and determinant of a matrix without entries, the same for equal ones."""
    found = {f for e in sides if isinstance(e, sp.Basic) for f in e.atoms(*_KINDS) if f.atoms(MatrixSymbol)}
    if not found:
        return list(sides)
    canonical = {f: _trace(f.args[0]) if isinstance(f, sp.Trace) else _determinant(f.args[0]) for f in found}
    sides = tuple(e.xreplace(canonical) if isinstance(e, sp.Expr) else e for e in sides)
    left = sorted({t for e in sides if isinstance(e, sp.Basic) for t in e.atoms(*_KINDS)}, key=str)
    named = {t: sp.Dummy(f"t{k}", real=True) for k, t in enumerate(left)}
    return [e.xreplace(named) if isinstance(e, sp.Basic) else e for e in sides]


def _trace(m: Any) -> Any:
    m = m.doit().expand().doit()
    if isinstance(m, MatAdd):
        return sp.Add(*(_trace(a) for a in m.args))
    if isinstance(m, Identity):
        return m.rows
    factor, matrices = m.as_coeff_matrices() if isinstance(m, MatMul) else (sp.S.One, [m])
    matrices = [
        x
        for p in matrices
        for x in ([p.base] * int(p.exp) if isinstance(p, MatPow) and p.exp.is_Integer and p.exp > 0 else [p])
    ]
    turned = [Transpose(x).doit() for x in reversed(matrices)]
    words = [w[k:] + w[:k] for w in (matrices, turned) for k in range(len(w))]
    return factor * sp.Trace(MatMul(*min(words, key=lambda w: [str(x) for x in w])))


def _determinant(m: Any) -> Any:
    m = m.doit()
    if isinstance(m, Identity):
        return sp.S.One
    if isinstance(m, Transpose):
        return _determinant(m.arg)
    if isinstance(m, Inverse):
        return 1 / _determinant(m.arg)
    if isinstance(m, MatPow):
        return _determinant(m.base) ** m.exp
    if isinstance(m, MatMul):
        factor, matrices = m.as_coeff_matrices()
        if all(x.is_square for x in matrices):
            return factor**m.rows * sp.Mul(*(_determinant(x) for x in matrices))
    return sp.Determinant(min(m, Transpose(m).doit(), key=str))
