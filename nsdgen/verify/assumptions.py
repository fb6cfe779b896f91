"""Assumptions: the set on which a claim is made, as equations, sign conditions and a source of exact points.

What every assumption answers is in ``assumption.py``; each one is a frozen record.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

import sympy as sp
from sympy.matrices.expressions import Identity, MatrixSymbol

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression, is_matrix
from nsdgen.symbolic.vector_algebra import column
from nsdgen.verify.assumption import Assumption, Said, Values, name_of, placed
from nsdgen.verify.numbers import draw_matrix, orthogonal, sphere
from nsdgen.verify.shapes import deciding_minors, is_abstract


@dataclass(frozen=True)
class _OfMatrix(Assumption):
    """What one matrix is said to be: explicit, a symbol, or any matrix expression."""

    matrix: Any

    words: ClassVar[str] = ""

    @property
    def text(self) -> str:  # type: ignore[override]
        """The name of the matrix and what it is: ``S symmetric``."""
        return f"{name_of(self.matrix)} {self.words}"

    def said(self) -> Iterable[Said]:
        """What vanishes: an abstract matrix, or entries from the diagonal upwards, for the others are the same."""
        for m in self._vanishing(self.matrix):
            whole = [m] if is_abstract(m) else [m[i, j] for i in range(m.rows) for j in range(i, m.cols)]
            yield from (("given", e) for e in dict.fromkeys(whole) if e != 0)

    def sample(self, rng: Random, level: int, size: Callable[[Any], int] = int) -> Values | None:
        """A matrix of simple numbers that is so; None unless it is a matrix symbol, or its entries are symbols."""
        m = self.matrix
        drawn = None if is_abstract(m) and not isinstance(m, MatrixSymbol) else self._drawn(rng, level, size(m.rows))
        if drawn is None:
            return None
        return {m: drawn} if is_abstract(m) else placed(m, drawn[:, : m.cols])

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        """Matrices that are symmetric or skew, and zero."""
        return ()

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix | None:
        """A matrix with so many rows."""
        return None


def _one(m: Any, size: Any) -> Any:
    return Identity(size) if is_abstract(m) else sp.eye(size)


@dataclass(frozen=True, init=False)
class UnitVector(_OfMatrix):
    """|a| = 1 for a column of symbols, or an abstract column."""

    def __init__(self, entries: Any) -> None:
        object.__setattr__(self, "matrix", entries if is_abstract(entries) else column(entries))

    @property
    def text(self) -> str:  # type: ignore[override]
        """``|a| = 1``."""
        return f"|{name_of(self.matrix)}| = 1"

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        return (m.T * m - _one(m, 1),)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        return sp.Matrix(sphere(rng, level, size))


class UnitQuaternion(UnitVector):
    """|p| = 1 for the four components of a quaternion."""


@dataclass(frozen=True, init=False)
class Orthonormal(_OfMatrix):
    """Unit vectors, mutually orthogonal; a frame where they are as many as their components."""

    def __init__(self, *vectors: Any) -> None:
        object.__setattr__(self, "matrix", sp.ImmutableMatrix.hstack(*map(column, vectors)))

    @property
    def text(self) -> str:  # type: ignore[override]
        """``a, b orthonormal``."""
        return ", ".join(name_of(self.matrix[:, k]) for k in range(self.matrix.cols)) + " orthonormal"

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        """V^T V - 1, V = (a, b, ...), and V V^T - 1 where V is square."""
        return m.T * m - _one(m, m.cols), *([m * m.T - _one(m, m.rows)] if m.rows == m.cols else [])

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix | None:
        """A frame of either sign."""
        frame = orthogonal(rng, level, size)
        frame[:, -1] = rng.choice((-1, 1)) * frame[:, -1]
        return frame if self.matrix.cols <= size else None


class Rotation(_OfMatrix):
    """R^T R = R R^T = 1; explicit matrices of symbols have determinant 1 as well."""

    words = "is a rotation"

    def said(self) -> Iterable[Said]:
        """What vanishes; of explicit matrices up to 3 x 3 also det R - 1 and R less its cofactors."""
        yield from super().said()
        if not is_abstract(self.matrix) and self.matrix.rows <= 3:  # these relations shorten every reduction
            r = sp.Matrix(self.matrix)
            yield from (("given", sp.expand(e)) for e in (r.det() - 1, *(r - r.cofactor_matrix())))

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        return m.T * m - _one(m, m.rows), m * m.T - _one(m, m.rows)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        return orthogonal(rng, level, size)


class Symmetric(_OfMatrix):
    """S^T = S."""

    words = "symmetric"

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        return (m.T - m,)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        half = draw_matrix(rng, level, size, size)
        return sp.Matrix(size, size, lambda i, j: half[min(i, j), max(i, j)])


class Skew(_OfMatrix):
    """A^T = -A."""

    words = "skew"

    def _vanishing(self, m: Any) -> tuple[Any, ...]:
        return (m.T + m,)

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        half = draw_matrix(rng, level, size, size)
        return half - half.T


class Invertible(_OfMatrix):
    """The square matrix (explicit, a symbol or any matrix expression) has an inverse."""

    words = "invertible"

    def said(self) -> Iterable[Said]:
        """That an abstract matrix has an inverse, or an explicit one a determinant that is not 0."""
        yield "nonzero", self.matrix if is_abstract(self.matrix) else sp.Matrix(self.matrix).det(method="berkowitz")


class PositiveDefinite(Symmetric):
    """Symmetric positive definite, hence invertible."""

    words = "symmetric positive definite"

    def said(self) -> Iterable[Said]:
        """Symmetry, and positive leading principal minors of an explicit matrix (Sylvester's criterion)."""
        yield from super().said()
        if is_abstract(self.matrix):
            yield from (("nonzero", self.matrix), ("positive", self.matrix))
        else:
            yield from (("positive", d) for d in deciding_minors(sp.ImmutableMatrix(self.matrix)))

    def _drawn(self, rng: Random, level: int, size: int) -> sp.Matrix:
        """B^T B + 1 with a B of simple numbers."""
        root = draw_matrix(rng, level, size, size)
        return root.T * root + sp.eye(size)


@dataclass(frozen=True, init=False)
class _Signed(Assumption):
    """Expressions of one kind of sign condition."""

    expressions: tuple[sp.Expr, ...]

    def __init__(self, *expressions: Any) -> None:
        object.__setattr__(self, "expressions", tuple(as_expression(e) for e in expressions))

    kind: ClassVar[str]
    sign: ClassVar[str]

    @property
    def text(self) -> str:  # type: ignore[override]
        """``a > 0, b > 0, ...``"""
        return ", ".join(f"{e} {self.sign} 0" for e in self.expressions)

    def said(self) -> Iterable[Said]:
        """The sign of each expression."""
        return ((self.kind, e) for e in self.expressions)


class Positive(_Signed):
    """All expressions are > 0."""

    kind, sign = "positive", ">"


class NonNegative(_Signed):
    """All expressions are >= 0."""

    kind, sign = "nonnegative", ">="


class NonZero(_Signed):
    """No expression vanishes."""

    kind, sign = "nonzero", "!="


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

    def said(self) -> Iterable[Said]:
        """left - right of abstract or scalar sides, or its entries that are not zero already.

        Raises ``ModelError`` for different shapes.
        """
        try:
            difference = self.left if is_matrix(self.left) and self.right == 0 else self.left - self.right
        except (sp.ShapeError, TypeError, ValueError) as error:
            raise ModelError(
                f"the sides of {self.text!r} have different shapes",
                where="assumption Equation",
                fix="give both sides the same shape",
            ) from error
        entries = [e for e in difference if e != 0] if isinstance(difference, sp.MatrixBase) else [difference]
        return (("given", e) for e in entries)


class Orthogonal(Equation):
    """a . b = 0 for two columns."""

    def __init__(self, a: Any, b: Any) -> None:
        a, b = (side if is_abstract(side) else column(side) for side in (a, b))
        product = a.T * b
        super().__init__(product if is_abstract(product) else product[0], 0, f"{name_of(a)} . {name_of(b)} = 0")


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
