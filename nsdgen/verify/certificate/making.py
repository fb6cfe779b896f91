"""The certificate of a reading that was proved: sides and assumptions as texts, and the cofactors of their difference.

It is made anew from the statements, from nothing that the prover found, through the reader of the checker itself; what
has no certificate of this kind (case distinctions, matrices of any size, implications between them) has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.assumptions import IndexRange
from nsdgen.verify.entrywise import pairs_of
from nsdgen.verify.ideal import polynomial_ring
from nsdgen.verify.quantities import substituted
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import build, is_abstract
from nsdgen.verify.statement import Equal, Iff, Implies, Zero

from .checker import TextReader, holds
from .membership import cofactors
from .splits import splits_of
from .texts import Inexpressible, Texts

__all__ = ["certified"]

Polynomial = dict[tuple[str, ...], Any]

_MOST_POWER = 2  # of the product of denominators that a numerator is multiplied by
# of a numerator: a bound on time and on the length of what is written; above it there is no certificate
_MOST_TERMS = 3000


def certified(statements: Sequence[Any], setting: Setting, deadline: Deadline) -> tuple[dict[str, Any], ...]:
    """A certificate per statement, each checked; empty where one of them has none within the time."""
    try:
        made = [
            _certificate(pairs, assumed, deadline) for s in statements for pairs, assumed in _equalities(s, setting)
        ]
    except Exception:  # whatever stands in the way: the proof has no certificate
        return ()
    whole = [c for c in made if c is not None]
    return tuple(whole) if len(whole) == len(made) and all(map(holds, whole)) else ()


def _equalities(statement: Any, setting: Setting) -> Iterator[tuple[list[tuple[Any, Any]], Setting]]:
    """The scalar equalities that a statement amounts to, with their setting. Raises ``Inexpressible``."""
    ranges = [a for a in setting.assumptions if isinstance(a, IndexRange)]
    if ranges:
        for values in ranges[0].values():
            chosen = tuple(substituted(a, values) for a in setting.assumptions if a is not ranges[0])
            yield from _equalities(substituted(statement, values), Setting(chosen, setting.seed))
        return
    if isinstance(statement, Implies):
        from nsdgen.verify.judge import premise

        premises = [a for p in statement.premises for a in premise(p)]
        for conclusion in statement.conclusions:
            yield from _equalities(conclusion, setting.but(*premises))
        return
    if isinstance(statement, Iff):
        for one, other in ((statement.left, statement.right), (statement.right, statement.left)):
            yield from _equalities(Implies(one, other), setting)
        return
    if isinstance(statement, Zero):
        sides: Sequence[Any] = (statement.expression, None)
    elif isinstance(statement, Equal):
        sides = statement.sides
    else:
        raise Inexpressible(type(statement).__name__)
    built: list[Any] = [None if s is None else build(s) for s in sides]
    built = [sp.ImmutableMatrix(s.as_explicit()) if s is not None and is_abstract(s) else s for s in built]
    pairs = []
    for a, b in pairwise(built):
        zero = b is None or b == 0
        b = (sp.zeros(*a.shape) if isinstance(a, sp.MatrixBase) else sp.S.Zero) if zero else b
        pairs += [(p.left, p.right) for p in pairs_of(a, b)]
    yield pairs, setting


def _certificate(pairs: Sequence[tuple[Any, Any]], setting: Setting, deadline: Deadline) -> dict[str, Any] | None:
    """The certificate of all pairs, or None where a difference is no member of the ideal."""
    equations = [e for a in setting.assumptions for e in a.equations()]
    free = [e for a in setting.assumptions for e in (*a.nonzero(), *a.positive())]
    texts = Texts([*(s for p in pairs for s in p), *equations, *free])
    written = [(texts(a), texts(b)) for a, b in pairs]
    said = {"assumptions": [texts(e) for e in equations], "nonzero": [texts(e) for e in free], "names": texts.names}
    for splits in (splits_of(texts.arguments), {}) if texts.arguments else ({},):
        entries = _entries(written, {**said, "splits": splits}, deadline)
        if entries is not None:
            return {**said, "splits": splits, "entries": entries}
    return None


def _entries(
    written: Sequence[tuple[str, str]], said: dict[str, Any], deadline: Deadline
) -> list[dict[str, Any]] | None:
    """Multiplier and cofactors for each pair of texts; None where one has none, or one is too large to look for."""
    reader = _Timed(said["splits"], deadline)
    try:
        given, known = ([reader.text(t)[0] for t in said[kind]] for kind in ("assumptions", "nonzero"))
        entries = []
        for left, right in written:
            deadline.check()
            top, below = reader.text(f"({left}) - ({right})")
            free = [dict(f) for f in below] + [p for p in known if p]
            found = _combination(top, free, given, reader, deadline) if top else ([], [])
            if found is None:
                return None
            entries.append({"left": left, "right": right, "multiplier": found[0], "cofactors": found[1]})
    except _TooLarge:
        return None
    return entries


class _TooLarge(Exception):
    """A polynomial of more terms than are looked at."""


class _Timed(TextReader):
    """The reader of the checker, which gives up when the time is over."""

    def __init__(self, splits: dict[str, list[str]], deadline: Deadline) -> None:
        super().__init__(splits)
        self.deadline = deadline

    def read(self, e: Any) -> Any:
        self.deadline.check()
        found = super().read(e)
        if len(found[0]) > _MOST_TERMS:
            raise _TooLarge
        return found


def _combination(
    top: Polynomial, free: Sequence[Polynomial], given: Sequence[Polynomial], reader: TextReader, deadline: Deadline
) -> tuple[list[str], list[Any]] | None:
    """The factors of the multiplier, and the relations with their cofactors, as texts.

    ``free`` are polynomials that do not vanish.
    """
    keys, relations = _near(top, [*range(len(given)), *reader.axioms], [*given, *reader.axioms.values()])
    names = sorted({n for p in (top, *relations, *free) for m in p for n in m}, key=lambda n: (n.isidentifier(), n))
    ring = polynomial_ring(tuple(sp.Symbol(n) for n in names))
    place = {n: k for k, n in enumerate(names)}
    generators = [_entered(p, ring, place) for p in relations]
    target = _entered(top, ring, place)
    factors: dict[PolyElement, PolyElement] = {}
    for f in (_entered(p, ring, place) for p in free):
        if f and not f.is_ground:
            factors.setdefault(f.monic(), f)  # once, however it is scaled
    for n in range(_MOST_POWER + 1 if factors else 1):
        found = cofactors(target, generators, deadline)
        if found is not None:
            return (
                [_text(f, names) for f in factors.values()] * n,
                [[key, _text(c, names)] for key, c in zip(keys, found, strict=True) if c],
            )
        for f in factors.values():
            target = target * f
    return None


def _near(top: Polynomial, keys: Sequence[Any], relations: Sequence[Polynomial]) -> tuple[list[Any], list[Polynomial]]:
    """The relations that share names with a polynomial, directly or through others."""
    names = {n for m in top for n in m}
    chosen: dict[int, None] = {}
    while True:
        more = [k for k, p in enumerate(relations) if k not in chosen and names & {n for m in p for n in m}]
        if not more:
            order = sorted(chosen)
            return [keys[k] for k in order], [relations[k] for k in order]
        for k in more:
            chosen[k] = None
            names |= {n for m in relations[k] for n in m}


def _entered(p: Polynomial, ring: PolyRing, place: dict[str, int]) -> PolyElement:
    found = {}
    for m, c in p.items():
        powers = [0] * len(place)
        for name, n in Counter(m).items():
            powers[place[name]] = n
        found[tuple(powers)] = ring.domain(c.numerator, c.denominator)
    return ring.from_dict(found)


def _text(p: PolyElement, names: Sequence[str]) -> str:
    """A polynomial as a text, its terms added in pairs, which keeps the tree of its syntax flat."""
    terms = []
    for m, c in p.terms():
        own = [n if n.isidentifier() else f"({n})" for n in names]
        factors = [name if n == 1 else f"{name}**{n}" for name, n in zip(own, m, strict=True) if n]
        terms.append("*".join([f"({c})"] * (c != 1 or not factors) + factors))
    while len(terms) > 1:
        terms = [f"({' + '.join(terms[k : k + 2])})" for k in range(0, len(terms), 2)]
    return terms[0]
