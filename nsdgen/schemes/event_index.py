"""Rows that say something of states alone on certain pieces of their laws: its derivative takes the place of one.

An ideal diode in a branch with a coil holds the coil's current where it blocks, although each row holds a multiplier:
i_D = 0 and i - i_D = 0 leave i = 0, and nothing of the voltage. With r(s, lambda) what is zero on these pieces and
n^T dr/dlambda = 0 it is c(s) = n^T r that is said, and a motion has dc/dt = 0, as where a row is one of states.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from nsdgen.symbolic.expressions.jacobian import jacobian

_MOST_CHOICES = 256
"""Choices of pieces and of what is zero that are looked at, of rows that share multipliers: eight diodes. Rows of more
are taken as they are."""


_LARGEST_DENOMINATOR = 10**5
"""Numbers are taken for fractions up to this one: of doubles drawn at random one in 1e5 is one to rounding."""

_ROUNDED = 2e-15
"""Of a number that products and quotients of a few others leave, as 3 * 0.1 and 0.3 differ."""


@dataclass(frozen=True)
class RowPiece:
    """``value`` is zero where a row is on jump ``number``, or left of it; ``None`` where a derivative of it is."""

    number: int
    on_jump: bool
    value: sp.Expr | None


@dataclass(frozen=True)
class SaidOfStates:
    """``said[i]``, zero and free of multipliers, takes the place of row i where rows are on ``pieces``, by number, and
    the functions ``zero`` of parameters are zero."""

    said: dict[int, sp.Expr]
    pieces: dict[int, RowPiece]
    zero: frozenset[sp.Expr]


def hidden(
    rows: Sequence[Sequence[RowPiece]],
    multipliers: Sequence[sp.Symbol],
    moving: Sequence[sp.Symbol],
    parameters: Sequence[sp.Symbol],
) -> Iterator[SaidOfStates]:
    """What rows say of states alone, for each choice of their pieces, with more zero first.

    Gains may vanish where switches are on or off, or a resistance is nothing. Combinations that depend on ``moving``,
    states and time, are none.
    """
    for numbers in _connected(rows, multipliers):
        for h in _hidden([rows[i] for i in numbers], multipliers, moving, parameters):
            pieces = {numbers[i]: piece for i, piece in h.pieces.items()}
            yield SaidOfStates({numbers[i]: e for i, e in h.said.items()}, pieces, h.zero)


def _connected(rows: Sequence[Sequence[RowPiece]], multipliers: Sequence[sp.Symbol]) -> list[list[int]]:
    """The numbers of rows that share multipliers, directly or by others."""
    found: list[tuple[list[int], set[sp.Basic]]] = []
    for i, row in enumerate(rows):
        held = set().union(*(p.value.free_symbols for p in row if p.value is not None)) & set(multipliers)
        near = [part for part in found if part[1] & held]
        found = [part for part in found if part not in near]
        found.append((sorted([i, *(k for part in near for k in part[0])]), held.union(*(part[1] for part in near))))
    return [numbers for numbers, _ in found]


def _hidden(
    rows: Sequence[Sequence[RowPiece]],
    multipliers: Sequence[sp.Symbol],
    moving: Sequence[sp.Symbol],
    parameters: Sequence[sp.Symbol],
) -> Iterator[SaidOfStates]:
    """The same of rows that are looked at together."""
    if math.prod(map(len, rows)) > _MOST_CHOICES:
        return
    rows = [[_exact(piece, multipliers) for piece in row] for row in rows]
    entries = [e for row in rows for piece in row for e in _gains([piece], multipliers)]
    ideal = _factors(entries, set(parameters))
    for pieces in product(*rows) if math.prod(map(len, rows)) << len(ideal) <= _MOST_CHOICES else ():
        gains = _gains(pieces, multipliers)
        found: list[SaidOfStates] = []
        for count in range(len(ideal) + 1):
            for zero in map(frozenset, combinations(ideal, count)):
                values = _solved(zero)
                if values is None:
                    continue
                said = _said(gains.xreplace(values), pieces, multipliers, moving, values)
                if said and not any(len(h.said) == len(said) and h.zero <= zero for h in found):
                    found.append(SaidOfStates(said, dict(enumerate(pieces)), zero))
        yield from reversed(found)


def _gains(pieces: Sequence[RowPiece], multipliers: Sequence[sp.Symbol]) -> sp.Matrix:
    """dr/dlambda, zero in rows of derivatives."""
    return jacobian(sp.Matrix([sp.S.Zero if p.value is None else p.value for p in pieces]), multipliers)


def _exact(piece: RowPiece, multipliers: Sequence[sp.Symbol]) -> RowPiece:
    """The same in fractions, by the first gain that is a number: rows that are multiples but for rounding are so."""
    if piece.value is None or not piece.value.has(sp.Float):
        return piece
    first = next((g for g in _gains([piece], multipliers) if g.is_Float), sp.S.One)
    value = sp.expand(piece.value / first)
    return replace(piece, value=value.xreplace({f: _fraction(float(f)) for f in value.atoms(sp.Float)}))


def _fraction(value: float) -> sp.Rational:
    """What a number is to rounding, of few digits where there is such a one."""
    whole = Fraction(10) ** math.floor(math.log10(abs(value))) if value else Fraction(1)
    exact = Fraction(value) / whole
    near = exact.limit_denominator(_LARGEST_DENOMINATOR)
    found = whole * (near if abs(near - exact) <= _ROUNDED * abs(exact) else exact)
    return sp.Rational(found.numerator, found.denominator)


def _factors(gains: Sequence[sp.Expr], parameters: set[sp.Symbol]) -> list[sp.Expr]:
    """What gains are zero with: factors of parameters alone that may vanish, and are linear in one of them."""
    found: dict[sp.Expr, None] = {}
    for e in gains:
        for factor, _ in sp.factor_list(sp.fraction(sp.together(e))[0])[1] if e.free_symbols & parameters else ():
            if factor.free_symbols <= parameters and factor.is_zero is not False and _solved([factor]):
                found.setdefault(min(factor, -factor, key=sp.default_sort_key))
    return list(found)


def _solved(zero: Iterable[sp.Expr]) -> dict[sp.Symbol, sp.Expr] | None:
    """Parameters by others where all of this is zero; ``None`` where it never is, or says it of no parameter."""
    values: dict[sp.Symbol, sp.Expr] = {}
    for factor in sorted(zero, key=sp.default_sort_key):
        rest = sp.expand(factor.xreplace(values))
        slopes = [(s, rest.diff(s)) for s in sorted(rest.free_symbols, key=sp.default_sort_key)]
        linear = next(((s, slope) for s, slope in slopes if slope.is_number), None)
        if linear is None:
            return None
        s, slope = linear
        value = sp.expand(s - rest / slope)
        values = {other: e.xreplace({s: value}) for other, e in values.items()} | {s: value}
    return values


def _said(
    gains: sp.Matrix,
    pieces: Sequence[RowPiece],
    multipliers: Sequence[sp.Symbol],
    moving: Sequence[sp.Symbol],
    values: dict[sp.Symbol, sp.Expr],
) -> dict[int, sp.Expr]:
    """Combinations of rows without multipliers, each in the place of a row of its own."""
    own = [i for i, p in enumerate(pieces) if p.value is not None]
    if not own:
        return {}
    matrix = DomainMatrix.from_Matrix(gains.extract(own[::-1], list(range(gains.cols))).T).to_field()
    left, places = matrix.nullspace().rref()
    found = {}
    for k, place in enumerate(places):
        combination = left[k, :].to_Matrix()
        terms = (n * pieces[i].value for n, i in zip(combination, own[::-1], strict=True))
        said = sp.expand(sp.Add(*terms).xreplace(values))
        if said.free_symbols.isdisjoint(multipliers) and combination.free_symbols.isdisjoint(moving):
            found[own[::-1][place]] = said
    return found
