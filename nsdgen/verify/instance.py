"""Instances of abstract matrices: small sizes and exact numbers that satisfy the assumptions.

Assumptions about single matrices (symmetric, a rotation) give instances of their own. Equations between matrices
are solved exactly for matrices in which they are jointly linear; the others are drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from random import Random
from typing import Any

import sympy as sp
from sympy.matrices.expressions import (
    BlockDiagMatrix,
    BlockMatrix,
    HadamardProduct,
    Identity,
    Inverse,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Transpose,
    ZeroMatrix,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.numbers import LEVELS, draw_matrix
from nsdgen.verify.sampling import Point, Sampler
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import is_abstract


@dataclass(frozen=True)
class Instance:
    """Sizes of the dimensions, values of the scalars, explicit matrices of the symbols."""

    sizes: dict[sp.Symbol, int]
    scalars: Point
    matrices: dict[MatrixSymbol, sp.Matrix]


class Singular(Exception):
    """An inverse does not exist at this instance."""


def value_of(e: Any, at: Instance, scalar: Callable[[sp.Expr], sp.Expr]) -> sp.Matrix:
    """The explicit value of a matrix expression. Raises ``Singular``."""
    if isinstance(e, sp.MatrixBase):
        return sp.Matrix(e).applyfunc(lambda x: _scalar(x, at, scalar))
    if isinstance(e, MatrixSymbol):
        return at.matrices[e]
    if isinstance(e, MatAdd):
        return reduce(add, (value_of(a, at, scalar) for a in e.args))
    if isinstance(e, MatMul):
        values = [(isinstance(a, MatrixExpr), a) for a in e.args]
        product = reduce(mul, (value_of(a, at, scalar) for matrix, a in values if matrix))
        factor = sp.Mul(*(_scalar(a, at, scalar) for matrix, a in values if not matrix))
        if factor.has(sp.zoo, sp.nan):
            raise Singular
        return product * factor
    if isinstance(e, Transpose):
        return value_of(e.arg, at, scalar).T
    if isinstance(e, Inverse) or (isinstance(e, MatPow) and isinstance(e.exp, sp.Integer)):
        base = value_of(e.args[0], at, scalar)
        power = -1 if isinstance(e, Inverse) else int(e.exp)
        if power < 0 and base.det() == 0:
            raise Singular
        return base**power
    if isinstance(e, BlockDiagMatrix):
        return sp.diag(*(value_of(a, at, scalar) for a in e.args))
    if isinstance(e, BlockMatrix):
        return sp.Matrix.vstack(
            *(
                sp.Matrix.hstack(*(value_of(e.blocks[i, j], at, scalar) for j in range(e.blocks.cols)))
                for i in range(e.blocks.rows)
            )
        )
    if isinstance(e, HadamardProduct):
        return reduce(sp.matrices.dense.matrix_multiply_elementwise, (value_of(a, at, scalar) for a in e.args))
    if isinstance(e, Identity):
        return sp.eye(_size(e.shape[0], at.sizes))
    if isinstance(e, ZeroMatrix):
        return sp.zeros(_size(e.shape[0], at.sizes), _size(e.shape[1], at.sizes))
    raise Singular(f"{e} has no explicit value")


def _scalar(e: sp.Expr, at: Instance, clean: Callable[[sp.Expr], sp.Expr]) -> sp.Expr:
    """The value of a scalar factor, determinants and traces included. Raises ``Singular`` where it has none."""
    known = {f: value_of(f.args[0], at, clean) for f in e.atoms(sp.Determinant, sp.Trace)}
    e = e.xreplace({f: m.det() if isinstance(f, sp.Determinant) else m.trace() for f, m in known.items()})
    if e.has(MatrixSymbol):  # entries, also under sums up to a size
        e = e.xreplace({d: sp.Integer(n) for d, n in at.sizes.items()}).doit()
        e = e.xreplace({x: at.matrices[x.parent][x.i, x.j] for x in e.atoms(MatrixElement) if x.parent in at.matrices})
    if e.has(MatrixSymbol):
        raise Singular(f"{e} has no explicit value")
    return clean(e).xreplace(at.scalars)


def _size(dimension: Any, sizes: dict[sp.Symbol, int]) -> int:
    return int(as_expression(dimension).xreplace(sizes))


class Instances:
    """Draws instances on which all assumptions of a setting hold."""

    def __init__(
        self,
        expressions: Sequence[Any],
        setting: Setting,
        sampler: Sampler,
        scalar: Callable[[sp.Expr], sp.Expr],
        seed: int = 0,
    ) -> None:
        self.setting, self.sampler, self.scalar, self._rng = setting, sampler, scalar, Random(seed)
        related = [a.matrix for a in setting.assumptions if isinstance(getattr(a, "matrix", None), MatrixExpr)]
        everything = [*expressions, *setting.relations, *related]
        self.symbols = sorted(set().union(*(e.atoms(MatrixSymbol) for e in everything)), key=str)
        self.dimensions = sorted(
            set().union(
                *(as_expression(d).free_symbols for e in self.symbols for d in e.shape),
                *(as_expression(d).free_symbols for e in everything for d in e.shape),
            ),
            key=str,
        )
        self.invertible = [
            a.matrix for a in setting.assumptions if type(a).__name__ == "Invertible" and is_abstract(a.matrix)
        ]
        self._equations = [r for a in setting.assumptions if hasattr(a, "left") for r in a.relations()]
        self._solvable = self._choices()
        self._fixed = {s.name for a in setting.assumptions for e in a.equations() for s in e.free_symbols}
        self._fixed |= {s.name for r in self._equations for s in r.free_symbols} | {d.name for d in self.dimensions}

    def draw(self, deadline: Deadline) -> Iterator[Instance]:
        """Instances of rising size and level."""
        for level in range(LEVELS - 1):
            for sizes in self._sizes():
                deadline.check()
                for fractions in (False, True, False):
                    found = self._one(level, sizes, LEVELS - 1 if fractions else level)
                    if found is not None:
                        yield found

    def never_moved(self, seen: Sequence[Instance]) -> list[str]:
        """Names of scalars that no assumption fixes and that had one value in all instances."""
        values: dict[str, set[sp.Expr]] = {}
        for at in seen:
            for s, v in at.scalars.items():
                values.setdefault(s.name, set()).add(v)
        return sorted(name for name, found in values.items() if len(found) == 1 and name not in self._fixed)

    def _sizes(self) -> list[dict[sp.Symbol, int]]:
        count = len(self.dimensions)
        rows = [
            (1,) * count,
            (2,) * count,
            tuple(1 + k % 2 for k in range(count)),
            tuple(2 - k % 2 for k in range(count)),
            tuple(2 + k % 2 for k in range(count)),
        ]
        return [dict(zip(self.dimensions, row, strict=True)) for row in dict.fromkeys(rows)]

    def _choices(self) -> list[tuple[MatrixSymbol, ...]]:
        """Which symbols to solve the equations for: one per equation, in the order of promise."""
        own = {s for a in self.setting.assumptions for s in (a.instance(Random(0), 0, lambda d: 2) or {})}
        equations = self._equations
        options = []
        for e in equations:
            inside = set().union(*(i.atoms(MatrixSymbol) for i in e.atoms(Inverse, MatPow)), set())
            terms = e.args if isinstance(e, MatAdd) else (e,)
            alone = {
                a
                for t in terms
                for a in (
                    [t]
                    if isinstance(t, MatrixSymbol)
                    else [
                        f
                        for f in t.args
                        if isinstance(f, MatrixSymbol) and len([x for x in t.args if isinstance(x, MatrixExpr)]) == 1
                    ]
                )
            }
            options.append(sorted(e.atoms(MatrixSymbol) - own - inside, key=lambda s: (s not in alone, str(s))))
        found = [c for c in itertools.islice(itertools.product(*options), 400) if len(set(c)) == len(c)]
        return found[:24]

    def _one(self, level: int, sizes: dict[sp.Symbol, int], scalar_level: int) -> Instance | None:
        """An instance of the level; scalars have a level of their own: 0 < gamma <= 1 holds 1 as its only integer."""
        scalars = self.sampler.point(scalar_level)
        if scalars is None:
            return None
        named = {d.name: sp.Integer(n) for d, n in sizes.items()}
        scalars = {s: named.get(s.name, v) for s, v in scalars.items()}
        matrices = {s: draw_matrix(self._rng, level, _size(s.rows, sizes), _size(s.cols, sizes)) for s in self.symbols}
        for a in self.setting.assumptions:
            matrices.update(a.instance(self._rng, level, lambda d: _size(d, sizes)) or {})
        at = Instance(sizes, scalars, matrices)
        if self._equations and not self._solved(at):
            return None
        try:
            if any(sp.simplify(x) != 0 for r in self.setting.relations for x in value_of(r, at, self.scalar)):
                return None
            if any(value_of(w, at, self.scalar).det() == 0 for w in self.invertible):
                return None
        except Singular:
            return None
        return at

    def _solved(self, at: Instance) -> bool:
        """Solve the equations in place for the first choice of symbols that works."""
        kept = dict(at.matrices)
        for choice in self._solvable:
            at.matrices.update(kept)
            try:
                if self._solve(at, choice):
                    return True
            except Singular:
                continue
        at.matrices.update(kept)
        return False

    def _solve(self, at: Instance, choice: tuple[MatrixSymbol, ...]) -> bool:
        equations = self._equations
        places = [(s, i, j) for s in choice for i in range(at.matrices[s].rows) for j in range(at.matrices[s].cols)]
        start = {s: at.matrices[s] for s in choice}

        def residual() -> sp.Matrix:
            return sp.Matrix([x for e in equations for x in value_of(e, at, self.scalar)])

        base = residual()
        if not any(base):
            return True
        columns = []
        for s, i, j in places:
            moved = sp.Matrix(start[s])
            moved[i, j] += 1
            at.matrices[s] = moved
            columns.append(residual() - base)
            at.matrices[s] = start[s]
        if not columns:
            return False
        unknown = sp.symbols(f"u:{len(columns)}")
        solutions = sp.linsolve((sp.Matrix.hstack(*columns), -base), *unknown)
        if not solutions:
            return False
        chosen = {u: sp.Integer(self._rng.choice((0, 0, 1))) for u in unknown}
        step = [e.xreplace(chosen) for e in next(iter(solutions))]
        for (s, i, j), d in zip(places, step, strict=True):
            moved = sp.Matrix(at.matrices[s])
            moved[i, j] += d
            at.matrices[s] = moved
        return not any(residual())
