"""A polynomial as a combination of others: the cofactors that prove it a member of their ideal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sympy.polys.rings import PolyElement

from nsdgen.verify.setting import Deadline

__all__ = ["cofactors"]


def cofactors(target: PolyElement, generators: Sequence[PolyElement], deadline: Deadline) -> list[PolyElement] | None:
    """c with target = sum c_i g_i, or None where target is no member of the ideal. Raises ``OutOfTime``."""
    ring = target.ring
    basis = [
        (g, [ring.one if i == k else ring.zero for i in range(len(generators))]) for k, g in enumerate(generators) if g
    ]
    found = _divided(target, basis, len(generators))
    if not found[0]:
        return found[1]
    pairs = list(combinations(range(len(basis)), 2))
    while pairs:
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
            found = _divided(target, basis, len(generators))
            if not found[0]:
                return found[1]
    return None


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
