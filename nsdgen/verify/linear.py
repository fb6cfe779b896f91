"""Linear arithmetic: which signs follow from known signs, nonlinear monomials counting as unknowns of their own.

Sound and not complete: what is infeasible as a linear system of monomials is infeasible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.certificate.membership import contradiction

__all__ = ["Row", "follows", "infeasible", "rows"]

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
    """Whether no real numbers for the monomials satisfy all rows."""
    system = dict.fromkeys((*given, *sorted(_squares(given), key=str)))
    number = {_ONE: ()} | {
        m: (k,) for k, m in enumerate(dict.fromkeys(m for c, _ in system for m, _ in c if m != _ONE))
    }
    polynomials = [({number[m]: Fraction(int(v.p), int(v.q)) for m, v in c}, strict, False) for c, strict in system]
    return contradiction(polynomials) is not None


def _squares(system: Iterable[Row]) -> set[Row]:
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
