"""A polynomial as a combination of others: the cofactors that prove it a member of their ideal."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import lcm
from typing import Any

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.orderings import grevlex
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.setting import Deadline

from .polynomials import add


@lru_cache(maxsize=256)
def polynomial_ring(names: tuple[str, ...]) -> PolyRing:
    """Q[names] in graded reverse lexicographic order, the first name largest."""
    return PolyRing([sp.Symbol(n) for n in names or ("unused",)], QQ, grevlex)


def cofactors(target: PolyElement, generators: Sequence[PolyElement], deadline: Deadline) -> list[PolyElement] | None:
    """c with target = sum c_i g_i, or None where target is no member of the ideal. Raises ``OutOfTime``."""
    ring = target.ring
    basis = [
        (g, [ring.one if i == k else ring.zero for i in range(len(generators))]) for k, g in enumerate(generators) if g
    ]
    left, found = _divided(target, basis, len(generators))
    pairs = list(combinations(range(len(basis)), 2))
    while left and pairs:
        deadline.check()
        pairs.sort(key=lambda p: ring.order(ring.monomial_lcm(basis[p[0]][0].LM, basis[p[1]][0].LM)), reverse=True)
        i, j = pairs.pop()
        (f, rows_f), (g, rows_g) = basis[i], basis[j]
        common = ring.monomial_lcm(f.LM, g.LM)
        if common == ring.monomial_mul(f.LM, g.LM):
            continue  # Buchberger's first criterion
        a = ring.term_new(ring.monomial_div(common, f.LM), ring.domain.one / f.LC)
        b = ring.term_new(ring.monomial_div(common, g.LM), ring.domain.one / g.LC)
        rest, rows = _divided(f * a - g * b, basis, len(generators))
        if rest:
            pairs += [(k, len(basis)) for k in range(len(basis))]
            basis.append((rest, [x * a - y * b - z for x, y, z in zip(rows_f, rows_g, rows, strict=True)]))
            left, found = _divided(target, basis, len(generators))
    return None if left else found


def _divided(
    p: PolyElement, basis: Sequence[tuple[PolyElement, list[PolyElement]]], count: int
) -> tuple[PolyElement, list[PolyElement]]:
    """The remainder of p, and p minus it in terms of the generators."""
    rows = [p.ring.zero] * count
    if not basis or not p:
        return p, rows
    quotients, rest = p.div([g for g, _ in basis])
    for q, (_, own) in zip(quotients, basis, strict=True):
        if q:
            rows = [r + q * o for r, o in zip(rows, own, strict=True)]
    return rest, rows


_MOST_ROWS = 120  # Fourier and Motzkin's elimination may square their number with every unknown


def contradiction(rows: Sequence[tuple[dict[Any, Fraction], bool, bool]]) -> list[int] | None:
    """Whole numbers whose sum with polynomials is a contradiction; None where linear arithmetic finds none.

    A row says that a polynomial is > 0 (strict), >= 0, or, the third, that it vanishes: only its number may be below 0.
    Monomials count as unknowns of their own.
    """
    current = [(p, strict, {k: Fraction(1)}) for k, (p, strict, _) in enumerate(rows)]
    turned = [(k, {m: -c for m, c in p.items()}) for k, (p, _, zero) in enumerate(rows) if zero]
    current += [(p, False, {k: Fraction(-1)}) for k, p in turned]
    while True:
        for p, strict, origin in current:
            if not set(p) - {()} and (p.get((), 0) < 0 or (strict and not p)):
                below = lcm(*(Fraction(c).denominator for c in origin.values()))
                return [int(origin.get(k, 0) * below) for k in range(len(rows))]
        counts: dict[Any, list[int]] = {}
        for p, _, _ in current:
            for m in set(p) - {()}:
                counts.setdefault(m, [0, 0])[p[m] > 0] += 1
        if not counts or len(current) > _MOST_ROWS:
            return None
        unknown = min(counts, key=lambda m: (counts[m][0] * counts[m][1] - sum(counts[m]), m))
        current = _without(current, unknown)


def _without(rows: list[Any], unknown: Any) -> list[Any]:
    kept = {_direction(*r[:2]): r for r in rows if unknown not in r[0]}
    above, below = ([r for r in rows if unknown in r[0] and (r[0][unknown] > 0) == up] for up in (True, False))
    for p, s, u in above:
        for q, t, v in below:
            k = Fraction(p[unknown]) / -q[unknown]
            made = (add(p, q, k), s or t, add(u, v, k))
            kept.setdefault(_direction(*made[:2]), made)
    return list(kept.values())


def _direction(p: dict[Any, Any], strict: bool) -> Any:
    """What two rows share that differ by a positive factor."""
    size = max(map(abs, p.values()), default=1)
    return frozenset((m, Fraction(c) / size) for m, c in p.items()), strict
