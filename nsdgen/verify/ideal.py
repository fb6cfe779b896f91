"""Polynomial ideals over the rationals: normal forms modulo a Groebner basis, within a budget.

Graded reverse lexicographic order. Where the leading monomials of the generators are pairwise coprime (one sphere,
sin^2 + cos^2 = 1, w^2 = radicand) the generators are a Groebner basis already (Buchberger's first criterion).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.orderings import grevlex
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.setting import Deadline

__all__ = ["Reducer", "groebner", "normal_form", "polynomial_ring", "reducer"]


@lru_cache(maxsize=256)
def polynomial_ring(symbols: tuple[sp.Symbol, ...]) -> PolyRing:
    """Q[symbols], the first symbol largest."""
    return PolyRing(symbols or (sp.Dummy("unused"),), QQ, grevlex)


Reducer = tuple[tuple[int, ...], list[tuple[tuple[int, ...], Any]]]


def reducer(g: PolyElement) -> Reducer:
    """A polynomial as its leading monomial and the terms of the rest, divided by the leading coefficient."""
    lead, c = g.LM, g.LC
    return lead, [(m, d / c) for m, d in g.iterterms() if m != lead]


def normal_form(polynomial: PolyElement, basis: Sequence[Reducer], deadline: Deadline) -> PolyElement:
    """The remainder of division by ``basis``; zero proves membership in its ideal."""
    ring = polynomial.ring
    times, over = ring.monomial_mul, ring.monomial_div
    rest, remainder = dict(polynomial), ring.zero
    steps = 0
    while rest:  # in no particular order: the normal form modulo a Groebner basis is unique
        steps += 1
        if steps % 256 == 0:
            deadline.check()
        top, factor = rest.popitem()
        for monomial, tail in basis:
            quotient = over(top, monomial)
            if quotient is not None:
                for m, c in tail:
                    place = times(m, quotient)
                    if value := rest.get(place, 0) - c * factor:
                        rest[place] = value
                    else:
                        rest.pop(place, None)
                break
        else:
            if value := remainder.get(top, 0) + factor:
                remainder[top] = value
            else:
                remainder.pop(top, None)
    return remainder


def _coprime(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return not any(x and y for x, y in zip(a, b, strict=True))


def groebner(generators: Iterable[PolyElement], deadline: Deadline) -> tuple[Reducer, ...]:
    """A Groebner basis by Buchberger's algorithm, smallest common multiple first. Raises ``OutOfTime``."""
    given = list(dict.fromkeys(g.monic() for g in generators if g))
    if not given:
        return ()
    ring = given[0].ring
    given.sort(key=lambda g: ring.order(g.LM))
    basis: list[Reducer] = []
    polynomials: list[PolyElement] = []
    waiting: list[tuple[Any, int, int]] = []
    open_pairs: set[tuple[int, int]] = set()

    def join(g: PolyElement) -> None:
        new, k = reducer(g), len(basis)
        for i, (lead, _) in enumerate(basis):
            if not _coprime(lead, new[0]):
                heappush(waiting, (ring.order(ring.monomial_lcm(lead, new[0])), i, k))
                open_pairs.add((i, k))
        basis.append(new)
        polynomials.append(g)

    for g in given:
        rest = normal_form(g, basis, deadline)
        if rest:
            join(rest.monic())
    while waiting:
        deadline.check()
        _, i, j = heappop(waiting)
        open_pairs.discard((i, j))
        first, second = basis[i][0], basis[j][0]
        common = ring.monomial_lcm(first, second)
        if any(
            k not in (i, j)
            and ring.monomial_div(common, basis[k][0]) is not None
            and (min(i, k), max(i, k)) not in open_pairs
            and (min(j, k), max(j, k)) not in open_pairs
            for k in range(len(basis))
        ):
            continue  # Buchberger's second criterion
        s = polynomials[i].mul_monom(ring.monomial_div(common, first)) - polynomials[j].mul_monom(
            ring.monomial_div(common, second)
        )
        rest = normal_form(s, basis, deadline)
        if rest:
            join(rest.monic())
            if not any(rest.LM):
                return (reducer(ring.one),)
    return _minimal(ring, basis)


def _minimal(ring: PolyRing, basis: list[Reducer]) -> tuple[Reducer, ...]:
    """The basis without elements whose leading monomial another one divides."""
    kept: list[Reducer] = []
    for g in sorted(basis, key=lambda g: ring.order(g[0])):
        if not any(ring.monomial_div(g[0], k[0]) is not None for k in kept):
            kept.append(g)
    return tuple(kept)
