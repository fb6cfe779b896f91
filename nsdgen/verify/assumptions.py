"""Assumptions: the set on which a claim is made, as equations, sign conditions and a source of exact points.

What every assumption answers is in ``assumption.py``; each one is a frozen record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

import sympy as sp
from sympy.matrices.expressions import Identity, MatrixExpr, MatrixSymbol

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.vector_algebra import column
from nsdgen.verify.assumption import Assumption, Values, label, name_of, placed
from nsdgen.verify.numbers import draw_matrix, orthogonal, sphere
from nsdgen.verify.shapes import is_abstract


@dataclass(frozen=True)
class _OfMatrix(Assumption):
    """What one matrix is said to be: explicit, a symbol, or any matrix expression."""

    matrix: Any

    words: ClassVar[str] = ""

    @property
    def text(self) -> str:  # type: ignore[override]
        """The name of the matrix and what it is: ``S symmetric``."""
        return f"{label(self.matrix)} {self.words}"

    def relations(self) -> tuple[MatrixExpr, ...]:
        """What vanishes of an abstract matrix."""
        return self._vanishing(self.matrix) if is_abstract(self.matrix) else ()

    def sample(self, rng: Random, level: int, size: Callable[[Any], int] = int) -> Values | None:
        """A matrix of simple numbers that is so; None unless it is a matrix symbol, or its entries are symbols."""
        m = self.matrix
        if is_abstract(m) and not isinstance(m, MatrixSymbol):
            return None
        drawn = self._drawn(rng, level, size(m.rows))
        if drawn is None or is_abstract(m):
            return None if drawn is None else {m: drawn}
        return placed(m, drawn)

    def _vanishing(self, m: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return ()

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix | None:
        return None


@dataclass(frozen=True, init=False)
class UnitVector(_OfMatrix):
    """|a| = 1 for a column of symbols, or an abstract column."""

    def __init__(self, entries: Any) -> None:
        object.__setattr__(self, "matrix", entries if is_abstract(entries) else column(entries))

    @property
    def text(self) -> str:  # type: ignore[override]
        """``|a| = 1``."""
        return f"|{label(self.matrix)}| = 1"

    def equations(self) -> tuple[sp.Expr, ...]:
        """a . a - 1, for an explicit column."""
        return () if is_abstract(self.matrix) else (sum((c**2 for c in self.matrix), sp.S.Zero) - 1,)

    def _vanishing(self, m: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return (m.T * m - Identity(1),)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        return sp.Matrix(sphere(rng, level, size))


class UnitQuaternion(UnitVector):
    """|p| = 1 for the four components of a quaternion."""


@dataclass(frozen=True, init=False)
class Orthonormal(Assumption):
    """Unit vectors, mutually orthogonal; a frame where they are as many as their components."""

    vectors: tuple[sp.ImmutableMatrix, ...]
    text: str

    def __init__(self, *vectors: Any) -> None:
        object.__setattr__(self, "vectors", tuple(column(v) for v in vectors))
        object.__setattr__(self, "text", ", ".join(name_of(v) for v in self.vectors) + " orthonormal")

    def equations(self) -> tuple[sp.Expr, ...]:
        """The entries of V^T V - 1, V = (a, b, ...), each once; of V V^T - 1 as well where V is square."""
        frame = sp.Matrix.hstack(*self.vectors)
        products = frame.T * frame - sp.eye(frame.cols)
        found = [products[i, j] for i in range(frame.cols) for j in range(i, frame.cols)]
        if frame.rows == frame.cols:
            outer = frame * frame.T - sp.eye(frame.rows)
            found += [outer[i, j] for i in range(frame.rows) for j in range(i, frame.rows)]
        return tuple(found)

    def sample(self, rng: Random, level: int, size: Callable[[Any], int] = int) -> Values | None:
        """Columns of a rational orthogonal matrix of either sign; None unless all entries are different symbols."""
        own = sp.Matrix.hstack(*self.vectors)
        if own.cols > own.rows:
            return None
        frame = orthogonal(rng, level, own.rows)
        if rng.random() < 0.5:
            frame[:, -1] = -frame[:, -1]
        return placed(own, frame[:, : own.cols])


class Rotation(_OfMatrix):
    """R^T R = R R^T = 1; explicit matrices of symbols have determinant 1 as well."""

    words = "is a rotation"

    def equations(self) -> tuple[sp.Expr, ...]:
        """The entries of R^T R - 1 and R R^T - 1; up to 3x3 also det R - 1 and R less its cofactors."""
        if is_abstract(self.matrix):
            return ()
        r = sp.Matrix(self.matrix)
        found = [*(r.T * r - sp.eye(r.rows)), *(r * r.T - sp.eye(r.rows))]
        if r.rows <= 3:  # a rotation is its own matrix of cofactors: these relations shorten every reduction
            found += [r.det() - 1, *(r - r.cofactor_matrix())]
        return tuple(dict.fromkeys(sp.expand(e) for e in found))

    def _vanishing(self, m: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return m.T * m - Identity(m.rows), m * m.T - Identity(m.rows)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        return orthogonal(rng, level, size)


class Symmetric(_OfMatrix):
    """S^T = S."""

    words = "symmetric"

    def equations(self) -> tuple[sp.Expr, ...]:
        """S_ij - S_ji above the diagonal, where the two are not the same already."""
        if is_abstract(self.matrix):
            return ()
        m = self.matrix
        return tuple(m[i, j] - m[j, i] for i in range(m.rows) for j in range(i + 1, m.rows) if m[i, j] != m[j, i])

    def _vanishing(self, m: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return (m.T - m,)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        half = draw_matrix(rng, level, size, size)
        return sp.Matrix(size, size, lambda i, j: half[min(i, j), max(i, j)])


class Skew(_OfMatrix):
    """A^T = -A."""

    words = "skew"

    def equations(self) -> tuple[sp.Expr, ...]:
        """A_ij + A_ji from the diagonal upwards, where the sum is not zero already."""
        if is_abstract(self.matrix):
            return ()
        m = self.matrix
        return tuple(e for i in range(m.rows) for j in range(i, m.rows) if (e := m[i, j] + m[j, i]) != 0)

    def _vanishing(self, m: MatrixExpr) -> tuple[MatrixExpr, ...]:
        return (m.T + m,)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        half = draw_matrix(rng, level, size, size)
        return half - half.T


class Invertible(_OfMatrix):
    """The square matrix (explicit, a symbol or any matrix expression) has an inverse."""

    words = "invertible"

    def nonzero(self) -> tuple[sp.Expr, ...]:
        """The determinant of an explicit matrix."""
        return () if is_abstract(self.matrix) else (sp.Matrix(self.matrix).det(method="berkowitz"),)


class PositiveDefinite(Symmetric):
    """Symmetric positive definite, hence invertible."""

    words = "symmetric positive definite"

    def positive(self) -> tuple[sp.Expr, ...]:
        """The leading principal minors of an explicit matrix (Sylvester's criterion)."""
        if is_abstract(self.matrix):
            return ()
        m = sp.Matrix(self.matrix)
        return tuple(m[:k, :k].det(method="berkowitz") for k in range(1, m.rows + 1))

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        root = draw_matrix(rng, level, size, size)
        return root.T * root + sp.eye(size)


@dataclass(frozen=True, init=False)
class _Signed(Assumption):
    """Expressions of one kind of sign condition."""

    expressions: tuple[sp.Expr, ...]

    def __init__(self, *expressions: Any) -> None:
        object.__setattr__(self, "expressions", tuple(as_expression(e) for e in expressions))

    sign: ClassVar[str]

    @property
    def text(self) -> str:  # type: ignore[override]
        """``a > 0, b > 0, ...``"""
        return ", ".join(f"{e} {self.sign} 0" for e in self.expressions)


class Positive(_Signed):
    """All expressions are > 0."""

    sign = ">"

    def positive(self) -> tuple[sp.Expr, ...]:
        """All expressions."""
        return self.expressions


class NonNegative(_Signed):
    """All expressions are >= 0."""

    sign = ">="

    def nonnegative(self) -> tuple[sp.Expr, ...]:
        """All expressions."""
        return self.expressions


class NonZero(_Signed):
    """No expression vanishes."""

    sign = "!="

    def nonzero(self) -> tuple[sp.Expr, ...]:
        """All expressions."""
        return self.expressions


@dataclass(frozen=True, init=False)
class Equation(Assumption):
    """left = right as an assumption: scalars, explicit matrices or abstract ones of the same shape."""

    left: Any
    right: Any
    text: str

    def __init__(self, left: Any, right: Any = 0, text: str = "") -> None:
        object.__setattr__(self, "left", column(left) if isinstance(left, (list, tuple)) else as_expression(left))
        object.__setattr__(self, "right", column(right) if isinstance(right, (list, tuple)) else as_expression(right))
        object.__setattr__(self, "text", text or f"{self.left} = {self.right}")

    def _difference(self) -> Any:
        if isinstance(self.left, (sp.MatrixBase, MatrixExpr)) and self.right == 0:
            return self.left
        try:
            return self.left - self.right
        except (sp.ShapeError, TypeError, ValueError) as error:
            raise ModelError(
                f"the sides of {self.text!r} have different shapes",
                where="assumption Equation",
                fix="give both sides the same shape",
            ) from error

    def equations(self) -> tuple[sp.Expr, ...]:
        """The entries of left - right that are not zero already; raises ``ModelError`` for different shapes."""
        difference = self._difference()
        if isinstance(difference, sp.MatrixBase):
            return tuple(e for e in difference if e != 0)
        return () if is_abstract(difference) else (difference,)

    def relations(self) -> tuple[MatrixExpr, ...]:
        """left - right of abstract sides; raises ``ModelError`` for different shapes."""
        difference = self._difference()
        return (difference,) if is_abstract(difference) else ()


class Orthogonal(Equation):
    """a . b = 0 for two columns."""

    def __init__(self, a: Any, b: Any) -> None:
        if is_abstract(a) or is_abstract(b):
            super().__init__(a.T * b, 0, f"{a} . {b} = 0")
        else:
            a, b = column(a), column(b)
            super().__init__((a.T * b)[0, 0], 0, f"{name_of(a)} . {name_of(b)} = 0")


@dataclass(frozen=True)
class IndexRange(Assumption):
    """The integer symbol ``index`` takes each of the values low..high; every one of them is checked."""

    index: sp.Symbol
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.high < self.low:
            raise ModelError(f"{self.low}..{self.high} is empty", where="assumption IndexRange", fix="give low <= high")

    @property
    def text(self) -> str:  # type: ignore[override]
        """``k in low..high``, by the name of the index."""
        return f"{self.index} in {self.low}..{self.high}"

    def sample(self, rng: Random, level: int, size: Callable[[Any], int] = int) -> Values | None:
        """One of the values."""
        return {self.index: sp.Integer(rng.randint(self.low, self.high))}

    def values(self) -> tuple[Mapping[sp.Symbol, sp.Integer], ...]:
        """One substitution per value of the range."""
        return tuple({self.index: sp.Integer(k)} for k in range(self.low, self.high + 1))
