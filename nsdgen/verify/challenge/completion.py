"""Values for the matrices that only assumptions mention: a point of one statement made one of the whole setting.

A statement need not hold every matrix that is assumed to be something. Whether its counterexample lies on the
assumption set can be said only where those matrices have values as well; any that meet their assumptions will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import sympy as sp
from sympy.matrices.expressions import MatrixSymbol

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.numbers import draw_matrix

from .witness import Witness

FILLS = ("any", "zero", "one")
"""What a matrix is that no assumption draws: many equations between such matrices hold for zeros or identities."""

_FREE = 2  # the size of a dimension that nothing determines


def matrices_of(expressions: Iterable[Any]) -> tuple[MatrixSymbol, ...]:
    """The matrix symbols of expressions, by name."""
    return tuple(sorted(set().union(*(e.atoms(MatrixSymbol) for e in expressions)), key=lambda m: str(m.name)))


def with_matrices(
    witness: Witness, matrices: Sequence[MatrixSymbol], assumptions: Sequence[Any], rng: Random, fill: str = FILLS[0]
) -> Witness:
    """The witness with entries for those of the matrices of which it has none."""
    dimensions = {s.name for m in matrices for d in m.shape for s in as_expression(d).free_symbols}
    sizes = {**dict.fromkeys(dimensions - set(witness.scalars), _FREE), **witness.sizes}

    def size(dimension: Any) -> int:
        e = as_expression(dimension)
        return int(
            e.xreplace({s: as_expression(sizes.get(s.name, witness.scalars.get(s.name))) for s in e.free_symbols})
        )

    places = {m: [(i, j) for i in range(size(m.rows)) for j in range(size(m.cols))] for m in matrices}
    missing = [m for m, own in places.items() if not all(f"{m.name}[{i}, {j}]" in witness.scalars for i, j in own)]
    if not missing:
        return witness
    drawn = {m: _filled(fill, size(m.rows), size(m.cols), rng) for m in missing}
    for a in assumptions:
        drawn.update({m: v for m, v in (a.instance(rng, 1, size) or {}).items() if m in drawn})
    entries = {f"{m.name}[{i}, {j}]": v[i, j] for m, v in drawn.items() for i, j in places[m]}
    return replace(witness, scalars={**entries, **witness.scalars}, sizes=sizes)


def _filled(fill: str, rows: int, columns: int, rng: Random) -> sp.Matrix:
    if fill == "any":
        return draw_matrix(rng, 2, rows, columns)
    return sp.Matrix(rows, columns, lambda i, j: sp.Integer(i == j and fill == "one"))
