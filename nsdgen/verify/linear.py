"""Linear arithmetic: which signs follow from known signs, nonlinear monomials counting as unknowns of their own.

Sound and not complete: what is infeasible as a linear system of monomials is infeasible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression

__all__ = ["Row", "follows", "infeasible", "rows"]

MOST_ROWS = 120  # Fourier-Motzkin may square their number with every unknown
_ONE = sp.S.One

Row = tuple[frozenset[tuple[Any, sp.Rational]], bool]
"""Coefficients by monomial (the constant under 1) of a sum that is > 0 (True) or >= 0 (False)."""


@lru_cache(maxsize=4096)
def _row(e: sp.Expr, strict: bool) -> Row | None:
    """The expression as a row; None where it is no polynomial with rational coefficients."""
    found: dict[Any, sp.Rational] = {}
    for term in sp.Add.make_args(sp.expand(e)):
        number, monomial = term.as_coeff_Mul(rational=True)
        if not isinstance(number, sp.Rational) or monomial.has(sp.nan, sp.zoo, sp.oo, sp.I):
            return None
        found[monomial] = found.get(monomial, sp.S.Zero) + number
    return frozenset((m, c) for m, c in found.items() if c), strict


def rows(positive: Iterable[sp.Expr], nonnegative: Iterable[sp.Expr], equations: Iterable[sp.Expr] = ()) -> list[Row]:
    """What is known, as rows; what cannot be one is left out."""
    both = [(e, False) for q in equations for e in (q, -q)]
    found = [
        _row(as_expression(e), s)
        for e, s in [*((e, True) for e in positive), *((e, False) for e in nonnegative), *both]
    ]
    return [r for r in found if r is not None]


def follows(e: sp.Expr, strict: bool, known: Sequence[Row]) -> bool:
    """Whether e > 0 (``strict``) or e >= 0 follows from the rows."""
    opposite = _row(-e, not strict)
    return opposite is not None and infeasible([*known, opposite])


def infeasible(given: Sequence[Row]) -> bool:
    """Whether no real numbers for the monomials satisfy all rows: Fourier and Motzkin's elimination."""
    current = {(_scaled(dict(c)), s) for c, s in given}
    current |= _squares(current)
    while True:
        if any(_is_contradiction(dict(c), s) for c, s in current):
            return True
        unknown = _next_unknown(current)
        if unknown is None or len(current) > MOST_ROWS:
            return False
        current = _without(current, unknown)


def _squares(system: set[Row]) -> set[Row]:
    """Even powers are not negative."""
    monomials = {m for c, _ in system for m, _ in c if m is not _ONE}
    even = {
        m
        for m in monomials
        if all(p.as_base_exp()[1].is_even and p.as_base_exp()[0].is_real for p in sp.Mul.make_args(m))
    }
    signed = {m: m.is_positive for m in monomials if m.is_nonnegative}
    return {(frozenset({(m, _ONE)}), bool(signed.get(m))) for m in even | set(signed)} | {
        (frozenset({(m, -_ONE)}), bool(m.is_negative)) for m in monomials if m.is_nonpositive
    }


def _scaled(c: dict[Any, sp.Rational]) -> frozenset[tuple[Any, sp.Rational]]:
    size = max((abs(v) for v in c.values()), default=_ONE)
    return frozenset((m, v / size) for m, v in c.items())


def _is_contradiction(c: dict[Any, sp.Rational], strict: bool) -> bool:
    if any(m is not _ONE for m in c):
        return False
    constant = c.get(_ONE, sp.S.Zero)
    return bool(constant < 0 or (strict and constant == 0))


def _next_unknown(system: set[Row]) -> Any:
    """The monomial whose elimination makes the fewest rows."""
    counts: dict[Any, list[int]] = {}
    for c, _ in system:
        for m, v in c:
            if m is not _ONE:
                counts.setdefault(m, [0, 0])[bool(v > 0)] += 1
    if not counts:
        return None
    return min(counts, key=lambda m: (counts[m][0] * counts[m][1] - sum(counts[m]), str(m)))


def _without(system: set[Row], unknown: Any) -> set[Row]:
    kept: set[Row] = set()
    above: list[tuple[dict[Any, sp.Rational], bool, sp.Rational]] = []
    below: list[tuple[dict[Any, sp.Rational], bool, sp.Rational]] = []
    for c, s in system:
        value = dict(c).get(unknown, sp.S.Zero)
        if value == 0:
            kept.add((c, s))
        else:
            (above if value > 0 else below).append((dict(c), s, abs(value)))
    for first, s, p in above:
        for second, t, q in below:
            total = {m: first.get(m, sp.S.Zero) * q + second.get(m, sp.S.Zero) * p for m in {*first, *second}}
            kept.add((_scaled({m: v for m, v in total.items() if v}), s or t))
    return kept
