"""Reading matrix expressions as blocks of noncommutative polynomials.

A matrix expression becomes a grid of cells with row and column sizes; all but block matrices are one cell. The
inverse of a polynomial P is a letter of its own, with the relations P X = X P = 1; products of square letters are
inverted factor by factor. Words of one row and one column are scalars: they equal their transposes and commute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import sympy as sp
from sympy.matrices.expressions import (
    BlockDiagMatrix,
    BlockMatrix,
    Identity,
    Inverse,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    Transpose,
    ZeroMatrix,
)
from sympy.polys.domains import QQ
from sympy.polys.fields import FracField
from sympy.polys.orderings import lex

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.noncommutative import Letter, Polynomial, Word, add, multiply, scale

__all__ = ["CannotSplit", "ExpressionReader", "Grid", "scalars_of"]


class CannotSplit(Exception):
    """Blocks of different partitions meet and cannot be split; the proof is given up, nothing else."""


@dataclass(frozen=True)
class Grid:
    """Cells of polynomials; ``rows`` and ``columns`` are the sizes of the blocks."""

    rows: tuple[sp.Expr, ...]
    columns: tuple[sp.Expr, ...]
    cells: tuple[tuple[Polynomial, ...], ...]


def scalars_of(expression: Any) -> list[sp.Expr]:
    """The scalar factors of a matrix expression, in order of appearance."""
    found: list[sp.Expr] = []
    for part in sp.preorder_traversal(expression):
        if isinstance(part, MatMul):
            found += [a for a in part.args if not isinstance(a, MatrixExpr)]
    return found


class ExpressionReader:
    """Reads expressions over one field of coefficients; remembers letters, their shapes and inverses.

    ``lower`` makes a rational function of ``symbols`` from a scalar.
    """

    def __init__(self, symbols: Iterable[sp.Symbol], lower: Callable[[sp.Expr], sp.Expr]) -> None:
        self.field = FracField(tuple(symbols) or (sp.Dummy("unused"),), QQ, lex)
        self._lower = lower
        self.shapes: dict[str, tuple[sp.Expr, sp.Expr]] = {}
        self._inverses: dict[Any, tuple[str, Polynomial]] = {}
        self._transposed: dict[str, str] = {}
        self.relations: list[Polynomial] = []
        self.simplify: Callable[[Polynomial], Polynomial] = lambda p: p

    def coefficient(self, scalar: sp.Expr) -> Any:
        """A scalar as an element of the field."""
        return self.field.from_expr(sp.together(self._lower(scalar)))

    def expression(self, coefficient: Any) -> sp.Expr:
        """A coefficient as an expression of the lowered symbols."""
        return coefficient.as_expr()

    def read(self, e: Any) -> Grid:
        """The grid of an expression. Raises ``CannotSplit``."""
        if isinstance(e, MatAdd):
            return self._sum([self.read(a) for a in e.args])
        if isinstance(e, MatMul):
            factor, parts = self.field.one, []
            for a in e.args:
                if isinstance(a, MatrixExpr):
                    parts.append(self.read(a))
                else:
                    factor = factor * self.coefficient(a)
            product = reduce(self._product, parts)
            return _grid(product.rows, product.columns, lambda i, j: scale(product.cells[i][j], factor))
        if isinstance(e, Transpose):
            return self._transpose(self.read(e.arg))
        if isinstance(e, BlockDiagMatrix):
            blocks = e.args
            return self._blocks(
                [
                    [b if i == j else ZeroMatrix(b.rows, c.cols) for j, c in enumerate(blocks)]
                    for i, b in enumerate(blocks)
                ]
            )
        if isinstance(e, BlockMatrix):
            return self._blocks([[e.blocks[i, j] for j in range(e.blocks.cols)] for i in range(e.blocks.rows)])
        size = (as_expression(e.shape[0]),), (as_expression(e.shape[1]),)
        if isinstance(e, ZeroMatrix):
            return Grid(*size, (({},),))
        if isinstance(e, Identity):
            return Grid(*size, (({(): self.field.one},),))
        if isinstance(e, (Inverse, MatPow)):
            power = sp.S.NegativeOne if isinstance(e, Inverse) else e.exp
            if isinstance(power, sp.Integer):
                return self._power(self.read(e.args[0]), int(power))
        return Grid(*size, (({(self._letter(e),): self.field.one},),))

    def _letter(self, e: MatrixExpr) -> Letter:
        name = str(e)
        self.shapes[name] = (as_expression(e.shape[0]), as_expression(e.shape[1]))
        return (0, name, False)

    def minus(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """a - b."""
        return add(a, b, -self.field.one)

    # -- grids ---------------------------------------------------------------------------------------------------

    def _blocks(self, parts: list[list[MatrixExpr]]) -> Grid:
        grids = [[self.read(p) for p in row] for row in parts]
        rows: list[sp.Expr] = []
        cells: list[tuple[Polynomial, ...]] = []
        columns: tuple[sp.Expr, ...] = tuple(c for g in grids[0] for c in g.columns)
        for row in grids:
            heights = max((g.rows for g in row), key=len)
            row = [self.split(g, heights, g.columns) for g in row]
            rows += heights
            cells += [tuple(c for g in row for c in g.cells[k]) for k in range(len(heights))]
        return Grid(tuple(rows), columns, tuple(cells))

    def split(self, g: Grid, rows: tuple[sp.Expr, ...], columns: tuple[sp.Expr, ...]) -> Grid:
        """The same matrix in finer blocks, possible for multiples of the identity and for zero."""
        if _same(g.rows, rows) and _same(g.columns, columns):
            return g
        if len(g.rows) == len(g.columns) == 1:
            cell = g.cells[0][0]
            if not cell:
                return _grid(rows, columns, lambda i, j: {})
            if set(cell) == {()} and (_same(rows, columns) or len(rows) == 1 or len(columns) == 1):
                both = rows if len(rows) > 1 else columns
                return _grid(both, both, lambda i, j: dict(cell) if i == j else {})
        raise CannotSplit

    def _sum(self, parts: list[Grid]) -> Grid:
        finest = max(parts, key=lambda g: len(g.rows) * len(g.columns))
        rows, columns = finest.rows, finest.columns
        split = [self.split(part, rows, columns).cells for part in parts]
        return _grid(rows, columns, lambda i, j: reduce(add, (cells[i][j] for cells in split)))

    def _product(self, a: Grid, b: Grid) -> Grid:
        if not _same(a.columns, b.rows):
            if len(a.columns) < len(b.rows):
                a = self.split(a, a.rows, b.rows)
            else:
                b = self.split(b, a.columns, b.columns)

        def cell(i: int, j: int) -> Polynomial:
            return reduce(add, (multiply(a.cells[i][k], b.cells[k][j]) for k in range(len(a.columns))))

        return _grid(a.rows, b.columns, cell)

    def _transpose(self, g: Grid) -> Grid:
        return _grid(g.columns, g.rows, lambda i, j: self.transpose(g.cells[j][i]))

    def _power(self, g: Grid, power: int) -> Grid:
        if power < 0:
            if len(g.rows) != 1:
                raise CannotSplit
            g = Grid(g.rows, g.columns, ((self.inverse(g.cells[0][0]),),))
        result = _grid(g.rows, g.rows, lambda i, j: {(): self.field.one} if i == j else {})
        for _ in range(abs(power)):
            result = self._product(result, g)
        return result

    # -- letters -------------------------------------------------------------------------------------------------

    def transpose(self, p: Polynomial) -> Polynomial:
        """The transpose: words reversed, letters transposed; the inverse of P becomes the inverse of P^T."""
        return {tuple(self._turned(letter) for letter in reversed(word)): c for word, c in p.items()}

    def _turned(self, letter: Letter) -> Letter:
        weight, name, transposed = letter
        if weight == 0:
            return (0, name, not transposed)
        if name not in self._transposed:
            base = next(p for n, p in self._inverses.values() if n == name)
            ((turned, _),) = self.inverse(self.transpose(base)).items()
            self._transposed[name] = turned[0][1]
            self._transposed[turned[0][1]] = name
        return (1, self._transposed[name], False)

    def inverse(self, p: Polynomial) -> Polynomial:
        """The inverse of a square polynomial as a letter, or as a product of letters."""
        p = self.simplify(p)
        if not p:
            raise ZeroDivisionError("the inverse of the zero matrix")
        lead = max(p, key=lambda w: (len(w), w))
        c = p[lead]
        if len(p) == 1:
            if not lead:
                return {(): 1 / c}
            if len(lead) > 1 and all(map(self._square, lead)):
                product: Polynomial = {(): 1 / c}
                for factor in reversed(lead):
                    product = multiply(product, self.inverse({(factor,): self.field.one}))
                return product
            if len(lead) == 1 and lead[0][0] == 1:
                return scale(next(q for n, q in self._inverses.values() if n == lead[0][1]), 1 / c)
        monic = scale(p, 1 / c)
        key = tuple(sorted((word, str(d)) for word, d in monic.items()))
        if key not in self._inverses:
            name = f"inverse {len(self._inverses)}"
            self._inverses[key] = (name, monic)
            letter: Polynomial = {((1, name, False),): self.field.one}
            one: Polynomial = {(): self.field.one}
            self.shapes[name] = self._shape(lead)
            self.relations += [self.minus(multiply(monic, letter), one), self.minus(multiply(letter, monic), one)]
        return {((1, self._inverses[key][0], False),): 1 / c}

    def _square(self, letter: Letter) -> bool:
        rows, columns = self.shapes[letter[1]]
        return sp.expand(rows - columns) == 0

    def _shape(self, word: Word) -> tuple[sp.Expr, sp.Expr]:
        first, last = self.shapes[word[0][1]], self.shapes[word[-1][1]]
        return first[1 if word[0][2] else 0], last[0 if word[-1][2] else 1]

    def canonical(self, p: Polynomial) -> Polynomial:
        """The polynomial with the scalar parts of its words (one row, one column) sorted and turned one way."""
        result: Polynomial = {}
        for word, c in p.items():
            result = add(result, {self._sorted(word): c})
        return result

    def _sorted(self, word: Word) -> Word:
        if not word:
            return word
        parts: list[Word] = [()]
        for letter in word:
            rows, columns = self.shapes[letter[1]]
            if letter[2]:
                rows, columns = columns, rows
            if rows == 1 and parts[-1]:
                parts.append(())
            parts[-1] = (*parts[-1], letter)
            if columns == 1:
                parts.append(())
        parts = [p for p in parts if p]
        scalars = [p for p in parts if self._shape(p) == (1, 1)]
        turned = [min(p, tuple(self._turned(x) for x in reversed(p))) for p in scalars]
        left = [p for p in parts if self._shape(p) != (1, 1) and self._shape(p)[1] == 1]
        right = [p for p in parts if self._shape(p) != (1, 1) and self._shape(p)[1] != 1]
        return tuple(x for p in (*left, *sorted(turned), *right) for x in p)


def _same(a: tuple[sp.Expr, ...], b: tuple[sp.Expr, ...]) -> bool:
    return len(a) == len(b) and all(sp.expand(m - n) == 0 for m, n in zip(a, b, strict=True))


def _grid(rows: tuple[sp.Expr, ...], columns: tuple[sp.Expr, ...], cell: Callable[[int, int], Polynomial]) -> Grid:
    """The grid of blocks of these sizes with the cells that a function gives."""
    return Grid(rows, columns, tuple(tuple(cell(i, j) for j in range(len(columns))) for i in range(len(rows))))
