"""Exact proofs: an expression vanishes on the assumption set, wherever it is defined.

Lower it to a rational function, bring it over its denominators, and reduce the numerator modulo a Groebner basis
of the assumptions' equations and the relations of roots, angles and the like. Remainder zero is a proof. Any other
remainder is no refutation: that takes a point (``sampling``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.ideal import Reducer, groebner, normal_form, polynomial_ring
from nsdgen.verify.lowering import Lowering
from nsdgen.verify.rational import to_fraction
from nsdgen.verify.setting import Deadline, Facts

__all__ = ["Contradiction", "Prover"]


class Contradiction(Exception):
    """The assumptions exclude each other (1 lies in their ideal); caught inside ``verify``."""


class Prover:
    """Proves that expressions vanish under fixed facts; ``expressions`` are all that will be asked about."""

    def __init__(self, facts: Facts, expressions: Iterable[sp.Expr], deadline: Deadline) -> None:
        self.deadline = deadline
        self.denominators: dict[sp.Expr, None] = {}
        self._solved, equations = _eliminated(facts)
        self._lowering = Lowering(facts)
        self._lowering.announce(e.xreplace(self._solved) for e in (*expressions, *equations))
        self._assumed = [sp.fraction(sp.together(self._lowering(e)))[0] for e in equations]
        self._nonzero = [self._lowering(e.xreplace(self._solved)) for e in (*facts.nonzero, *facts.positive)]
        self._bases: dict[tuple[PolyRing, frozenset[sp.Expr]], tuple[Reducer, ...]] = {}

    def vanishes(self, expression: sp.Expr, saturate: bool = False) -> bool:
        """Whether a proof was found that the expression is zero. Raises ``OutOfTime`` and ``Contradiction``.

        ``saturate`` also divides by what is known to be nonzero: z N in the ideal for a power z of it. Raises
        ``ZeroDivisionError`` where a denominator vanishes identically.
        """
        return self.vanishes_lowered(self.lower(expression), saturate)

    def lower(self, expression: sp.Expr) -> sp.Expr:
        """The expression as a rational function of symbols and generators."""
        return self._lowering(expression.xreplace(self._solved))

    def vanishes_lowered(self, lowered: sp.Expr, saturate: bool = False) -> bool:
        """The same for an expression that ``lower`` made."""
        self.deadline.check()
        if lowered == 0:
            return True
        ring, relations = self._neighbourhood(lowered)
        fraction = to_fraction(lowered, ring, self.deadline)
        if not fraction.numerator:
            self._note(fraction.factors)
            return True
        basis = self._basis(ring, relations)
        for factor, _ in fraction.factors:
            if not normal_form(factor, basis, self.deadline):
                raise ZeroDivisionError("a denominator vanishes under the assumptions")
        rest = normal_form(fraction.numerator, basis, self.deadline)
        if rest and saturate:
            divisors = [f for f, _ in fraction.factors]
            rest = self._saturated(rest, ring, basis, divisors)
        if rest:
            return False
        self._note(fraction.factors)
        return True

    def _note(self, factors: Iterable[tuple[PolyElement, int]]) -> None:
        """Remember what a proof divided by, where it is no generator of our own."""
        for factor, _ in factors:
            e = factor.as_expr()
            if not any(isinstance(s, sp.Dummy) for s in e.free_symbols):
                self.denominators[e] = None

    def _neighbourhood(self, lowered: sp.Expr) -> tuple[PolyRing, tuple[sp.Expr, ...]]:
        """The ring and the relations that share symbols with an expression, directly or through others."""
        symbols = set(lowered.free_symbols)
        open_relations = [r for r in dict.fromkeys([*self._lowering.relations, *self._assumed]) if r != 0]
        chosen: list[sp.Expr] = []
        grown = True
        while grown:
            near = [r for r in open_relations if r.free_symbols & symbols or not r.free_symbols]
            grown = bool(near)
            chosen += near
            open_relations = [r for r in open_relations if r not in near]
            symbols |= set().union(*(r.free_symbols for r in near))
        generators = [g for g in self._lowering.order if g in symbols]
        plain = sorted(symbols - set(generators), key=lambda s: (s.name, str(s.assumptions0)))
        return polynomial_ring((*generators, *plain)), tuple(chosen)

    def _basis(self, ring: PolyRing, relations: tuple[sp.Expr, ...]) -> tuple[Reducer, ...]:
        key = (ring, frozenset(relations))
        if key not in self._bases:
            read = [to_fraction(r, ring, self.deadline).numerator for r in relations]
            basis = groebner(read, self.deadline)
            if any(not any(lead) for lead, _ in basis):
                raise Contradiction
            self._bases[key] = basis
        return self._bases[key]

    def _saturated(
        self, rest: PolyElement, ring: PolyRing, basis: tuple[Reducer, ...], divisors: list[PolyElement]
    ) -> PolyElement:
        """The remainder modulo the ideal divided by all known nonzero factors, by one more variable."""
        for e in self._nonzero:
            if e.free_symbols and e.free_symbols <= set(ring.symbols):
                divisors.append(to_fraction(e, ring, self.deadline).numerator)
        product = ring.one
        for divisor in dict.fromkeys(d.monic() for d in divisors if d):
            product = product * divisor
        if product == 1:
            return rest
        extra = sp.Dummy("z")
        larger = polynomial_ring((extra, *ring.symbols))
        z = larger.gens[0]
        moved = [larger.from_dict({(0, *m): c for m, c in [(lead, larger.domain.one), *tail]}) for lead, tail in basis]
        enlarged = groebner([*moved, z * product.set_ring(larger) - 1], self.deadline)
        if any(not any(lead) for lead, _ in enlarged):  # nowhere do all of them differ from zero
            raise ZeroDivisionError("a denominator vanishes under the assumptions")
        return normal_form(rest.set_ring(larger), enlarged, self.deadline)


def _eliminated(facts: Facts) -> tuple[dict[sp.Symbol, sp.Expr], list[sp.Expr]]:
    """Symbols that an equation defines (linear, a number before them), with their values, and what equations remain.

    Symbols with a sampler of their own (a frame, a rotation) stay: their relations are made for reduction.
    """
    left, solved = list(facts.equations), dict[sp.Symbol, sp.Expr]()
    while True:
        found = next(((e, s, v) for e in left for s, v in _definitions(e, facts.covered)), None)
        if found is None:
            return solved, list(dict.fromkeys(e for e in left if e != 0))
        equation, symbol, value = found
        left.remove(equation)
        left = [sp.expand(e.xreplace({symbol: value})) for e in left]
        solved = {s: v.xreplace({symbol: value}) for s, v in solved.items()}
        solved[symbol] = value


def _definitions(e: sp.Expr, covered: frozenset[sp.Symbol]) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    for s in sorted(e.free_symbols - covered, key=lambda s: s.name):
        if e.is_polynomial(s) and not s.is_positive:
            p = sp.Poly(e, s)
            if p.degree() == 1 and p.LC().is_Rational:
                yield s, sp.expand(-p.TC() / p.LC())
