"""Points for statements about matrices of any size: sizes, numbers for scalars, and for every entry of each matrix.

An assumption about one matrix (symmetric, a rotation) draws it; equations between matrices are met as equations
between entries are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import sympy as sp
from sympy.matrices.expressions import MatrixSymbol
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.assumption import said
from nsdgen.verify.numbers import LEVELS, draw, draw_matrix
from nsdgen.verify.shapes import is_abstract

from .challenge_points import Named, fitted, signed
from .matrix_values import scalars_of
from .witness import Witness
from .zeros import Values, moved_onto

_PATTERNS = ((1, 1), (2, 2), (1, 2), (2, 1), (2, 3))  # sizes of the first dimension and the next, in turn


def matrix_challenges(
    names: Named,
    matrices: Sequence[MatrixSymbol],
    assumptions: Sequence[Any],
    shown: Sequence[Any],
    rng: Random,
    count: int,
) -> Iterator[Witness]:
    """Witnesses on or near the assumption set, of rising size; who uses them checks that they lie on it."""
    relations = [e for a in assumptions for kind, e in a.said() if kind == "given" and is_abstract(e)]
    shaped = [*matrices, *relations, *(e for e in shown if isinstance(e, sp.MatrixExpr))]
    dimensions = sorted({s for e in shaped for d in e.shape for s in as_expression(d).free_symbols}, key=str)
    scalars = Named({n: s for n, s in names.symbols.items() if n not in {d.name for d in dimensions}})
    equations = said(assumptions, "given")
    before = list(dict.fromkeys(c for r in relations for c in scalars_of(r) if c.free_symbols))
    found = 0
    for number in range(3 * count):
        if found == count:
            return
        pattern = _PATTERNS[number % len(_PATTERNS) if dimensions else 0]
        sizes = {d: sp.Integer(pattern[k % 2]) for k, d in enumerate(dimensions)}

        def size(dimension: Any, sizes: dict[Any, Any] = sizes) -> int:
            return int(as_expression(dimension).xreplace(sizes))

        level = min(number // len(_PATTERNS), LEVELS - 1)  # the simplest come first
        values = _drawn(scalars, matrices, assumptions, rng, level, size)
        fixed = {d.name: n for d, n in sizes.items()}
        values |= {n: v for n, v in fixed.items() if n in names.symbols}
        between = [e for r in relations for e in _entries(r, tuple(sizes.items()))]
        if before and number % 4 == 3:  # where a factor is zero it says nothing of what it stands before
            between.append(before[number // 4 % len(before)])
        met = moved_onto([*equations, *between], values, rng, frozenset(fixed))
        if met is not None and all(names.admits(n, v) for n, v in met.items()):
            found += 1
            yield Witness({n: v for n, v in met.items() if n not in fixed}, sizes={n: int(k) for n, k in fixed.items()})


def matrices_of(expressions: Iterable[Any]) -> tuple[MatrixSymbol, ...]:
    """The matrix symbols of expressions, by name."""
    return tuple(sorted(set().union(*(e.atoms(MatrixSymbol) for e in expressions)), key=lambda m: str(m.name)))


def _drawn(
    names: Named,
    matrices: Sequence[MatrixSymbol],
    assumptions: Sequence[Any],
    rng: Random,
    level: int,
    size: Callable[[Any], int],
) -> Values:
    """Numbers for scalars and for the entries of matrices, as assumptions say."""
    drawn: dict[Any, Any] = {m: draw_matrix(rng, level, size(m.rows), size(m.cols)) for m in matrices}
    values = {
        n: fitted(symbols, draw(rng, rng.choice((level, LEVELS - 1))), rng) for n, symbols in names.symbols.items()
    }
    for a in assumptions:
        drawn.update(a.sample(rng, level, size) or {})
    for s, v in drawn.items():
        values |= (
            {f"{s.name}[{i}, {j}]": v[i, j] for i in range(v.rows) for j in range(v.cols)}
            if isinstance(s, MatrixSymbol)
            else {s.name: v}
        )
    return signed(names, assumptions, values)


@lru_cache(maxsize=256)
def _entries(relation: Any, sizes: tuple[tuple[sp.Symbol, sp.Integer], ...]) -> tuple[sp.Expr, ...]:
    """The entries of a relation between matrices of some sizes."""
    explicit = relation.xreplace(dict(sizes)).doit().as_explicit()
    named = {m: sp.Symbol(f"{m.parent}[{m.i}, {m.j}]", real=True) for m in explicit.atoms(MatrixElement)}
    return tuple(e for e in explicit.xreplace(named) if e != 0)
