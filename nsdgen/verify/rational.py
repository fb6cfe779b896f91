"""Rational functions as one numerator over a product of denominators, without a single greatest common divisor.

Adding fractions needs a common multiple of denominators only. In mechanics these are few (a step, a norm, a mass),
so keeping them as a product of known factors is faster than cancelling after every operation.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.setting import Deadline

__all__ = ["Fraction", "to_fraction"]


@dataclass(frozen=True)
class Fraction:
    """``numerator`` over the product of ``factors`` (monic polynomials with their powers)."""

    numerator: PolyElement
    factors: tuple[tuple[PolyElement, int], ...] = ()


def to_fraction(expression: sp.Expr, ring: PolyRing, deadline: Deadline) -> Fraction:
    """The lowered expression in the ring's symbols. Raises ``ZeroDivisionError`` for a denominator that is 0."""
    return _RationalReader(ring, deadline).read(expression)


class _RationalReader:
    """One walk over an expression, equal parts read once."""

    def __init__(self, ring: PolyRing, deadline: Deadline) -> None:
        self.ring, self.deadline = ring, deadline
        self._generator = dict(zip(ring.symbols, ring.gens, strict=True))
        self._done: dict[sp.Expr, Fraction] = {}

    def read(self, e: sp.Expr) -> Fraction:
        found = self._done.get(e)
        if found is None:
            found = self._done[e] = self._read(e)
        return found

    def _read(self, e: sp.Expr) -> Fraction:
        if isinstance(e, sp.Rational):
            return Fraction(self.ring(QQ(e.p, e.q)))
        if isinstance(e, sp.Symbol):
            return Fraction(self._generator[e])
        self.deadline.check()
        if isinstance(e, sp.Add):
            return self._sum([self.read(a) for a in e.args])
        if isinstance(e, sp.Mul):
            product = self.ring.one
            powers: dict[PolyElement, int] = {}
            for a in e.args:
                part = self.read(a)
                product = product * part.numerator
                for factor, power in part.factors:
                    powers[factor] = powers.get(factor, 0) + power
            return Fraction(product, tuple(powers.items()))
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Integer):
            return self._power(self.read(e.base), int(e.exp))
        raise TypeError(f"{e} is no rational function")  # a fault of the lowering, never of a claim

    def _sum(self, parts: list[Fraction]) -> Fraction:
        common: dict[PolyElement, int] = {}
        for part in parts:
            for factor, power in part.factors:
                common[factor] = max(common.get(factor, 0), power)
        total = self.ring.zero
        for part in parts:
            own, term = dict(part.factors), part.numerator
            for factor, power in common.items():
                if missing := power - own.get(factor, 0):
                    term = term * factor**missing
            total = total + term
        return Fraction(total, tuple(common.items()))

    def _power(self, base: Fraction, power: int) -> Fraction:
        if power >= 0:
            return Fraction(base.numerator**power, tuple((f, n * power) for f, n in base.factors))
        if not base.numerator:
            raise ZeroDivisionError("a denominator is identically zero")
        numerator = self.ring.one
        for factor, n in base.factors:
            numerator = numerator * factor ** (n * -power)
        factors: dict[PolyElement, int] = {}
        leading = base.numerator.LC
        for factor, n in _split(base.numerator.monic()):
            factors[factor] = factors.get(factor, 0) + n * -power
        return Fraction(numerator * (QQ(1) / leading) ** -power, tuple(factors.items()))


def _split(polynomial: PolyElement) -> list[tuple[PolyElement, int]]:
    """A monic polynomial as powers of symbols times a rest, so that h and h m share their factor."""
    ring = polynomial.ring
    common = list(polynomial.LM)
    for monomial in polynomial.itermonoms():
        common = [min(a, b) for a, b in zip(common, monomial, strict=True)]
    found = [(g, n) for g, n in zip(ring.gens, common, strict=True) if n]
    rest = ring.from_dict({tuple(a - b for a, b in zip(m, common, strict=True)): c for m, c in polynomial.iterterms()})
    return found if rest == 1 else [*found, (rest, 1)]
