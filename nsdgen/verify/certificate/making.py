"""The certificate of a reading that was proved: sides and assumptions as texts, and the cofactors of their difference.

It is made anew from the statements, from nothing that the prover found, through the reader of the checker itself; what
has no certificate of this kind (case distinctions, matrices of any size, implications between them) has none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import lcm
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.assumptions import IndexRange
from nsdgen.verify.entrywise import pairs_of
from nsdgen.verify.ideal import polynomial_ring
from nsdgen.verify.quantities import substituted
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import build, is_abstract
from nsdgen.verify.statement import Equal, Iff, Implies, Zero

from .checker import Polynomial, Reader, holds
from .membership import cofactors
from .texts import Texts, Unreadable

__all__ = ["certified"]

_MOST_POWER = 2  # of the product of denominators that a numerator is multiplied by
_MOST_TERMS = 3000


def certified(statements: Sequence[Any], setting: Setting, deadline: Deadline) -> tuple[dict[str, Any], ...]:
    """A certificate per statement, each checked; empty where one of them has none within the time."""
    try:
        made = [_certificate(pairs, assumed, deadline) for s in statements
                for pairs, assumed in _equalities(s, setting)]
    except (Unreadable, OutOfTime, ValueError, TypeError, KeyError, RecursionError, SyntaxError, IndexError,
            ZeroDivisionError, NotImplementedError, AttributeError):
        return ()
    whole = [c for c in made if c is not None]
    return tuple(whole) if len(whole) == len(made) and all(map(holds, whole)) else ()


def _equalities(statement: Any, setting: Setting) -> Iterator[tuple[list[tuple[Any, Any]], Setting]]:
    """The scalar equalities that a statement amounts to, with their setting. Raises ``Unreadable``."""
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
        raise Unreadable(type(statement).__name__)
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
    assumptions, nonzero = [texts(e) for e in equations], [texts(e) for e in free]
    parts = _parts([*(t for pair in written for t in pair), *assumptions])
    reader = _Timed(parts, deadline)
    given = [reader.read(e)[0] for e in assumptions]
    known = [p for p in (reader.read(e)[0] for e in nonzero) if p]
    entries: list[dict[str, Any]] = []
    generators: dict[str, list[Any]] = {}
    for left, right in written:
        deadline.check()
        top, bottom = reader.read(f"({left}) - ({right})")
        if len(top) > _MOST_TERMS:
            return None
        found = _combination(top, [dict(f) for f in bottom] + known, given, reader, deadline) if top else ([], [], [])
        if found is None:
            return None
        multiplier, numerator, cofactors_found = found
        entries.append({"left": left, "right": right, "multiplier": multiplier, "numerator": numerator,
                        "cofactors": cofactors_found})
        generators |= {str(key): _terms(given[key] if isinstance(key, int) else reader.axioms[key])
                       for key, _ in cofactors_found}
    return {"assumptions": assumptions, "nonzero": nonzero, "names": texts.names, "parts": parts,
            "generators": generators, "entries": entries}


class _Timed(Reader):
    """The reader of the checker, which gives up when the time is over."""

    def __init__(self, parts: dict[str, int], deadline: Deadline) -> None:
        super().__init__(parts)
        self.deadline = deadline

    def fraction(self, e: Any) -> Any:
        self.deadline.check()
        found = super().fraction(e)
        if len(found[0]) > _MOST_TERMS:
            raise OutOfTime
        return found


def _parts(texts: Sequence[str]) -> dict[str, int]:
    """Into how many parts each monomial of an angle is divided, so that all its multiples are whole ones."""
    met: dict[str, int] = {}
    reader = Reader({})
    for text in texts:
        for e in ast.walk(ast.parse(text)):
            if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in ("sin", "cos", "tan"):
                for monomial, k in reader.fraction(e.args[0])[0].items():
                    key = reader.monomial(monomial)
                    met[key] = lcm(met.get(key, 1), k.denominator)
    return {text: n for text, n in met.items() if n > 1}


def _combination(top: Polynomial, free: Sequence[Polynomial], given: Sequence[Polynomial], reader: Reader,
                 deadline: Deadline) -> tuple[list[Any], list[Any], list[Any]] | None:
    """The multiplier as texts, the multiplied numerator and its cofactors as lists of terms.

    ``free`` are polynomials that do not vanish.
    """
    keys: list[Any] = [*range(len(given)), *reader.axioms]
    relations = [*given, *reader.axioms.values()]
    keys, relations = _near(top, keys, relations)
    names = sorted({n for p in (top, *relations, *free) for m in p for n, _ in m}, key=lambda n: (n.isidentifier(), n))
    ring = polynomial_ring(tuple(sp.Symbol(n) for n in names))
    place = {n: k for k, n in enumerate(names)}
    generators = [_entered(p, ring, place) for p in relations]
    target = _entered(top, ring, place)
    factors = list(dict.fromkeys(f.monic() for f in (_entered(p, ring, place) for p in free) if f and not f.is_ground))
    for n in range(_MOST_POWER + 1 if factors else 1):
        found = cofactors(target, generators, deadline)
        if found is not None:
            return ([[_text(f, names), n] for f in factors] if n else [], _listed(target, names),
                    [[key, _listed(c, names)] for key, c in zip(keys, found, strict=True) if c])
        for f in factors:
            target = target * f
    return None


def _near(top: Polynomial, keys: Sequence[Any], relations: Sequence[Polynomial]) -> tuple[list[Any], list[Polynomial]]:
    """The relations that share names with a polynomial, directly or through others."""
    names = {n for m in top for n, _ in m}
    chosen: dict[int, None] = {}
    while True:
        more = [k for k, p in enumerate(relations) if k not in chosen and names & {n for m in p for n, _ in m}]
        if not more:
            order = sorted(chosen)
            return [keys[k] for k in order], [relations[k] for k in order]
        for k in more:
            chosen[k] = None
            names |= {n for m in relations[k] for n, _ in m}


def _entered(p: Polynomial, ring: PolyRing, place: dict[str, int]) -> PolyElement:
    found = {}
    for m, c in p.items():
        powers = [0] * len(place)
        for name, n in m:
            powers[place[name]] = n
        found[tuple(powers)] = ring.domain(c.numerator, c.denominator)
    return ring.from_dict(found)


def _terms(p: Polynomial) -> list[Any]:
    """A polynomial as a list of terms [coefficient, {name: power}]."""
    return [[str(c), dict(m)] for m, c in sorted(p.items())]


def _listed(p: PolyElement, names: Sequence[str]) -> list[Any]:
    return [[str(c), {name: n for name, n in zip(names, m, strict=True) if n}] for m, c in p.terms()]


def _text(p: PolyElement, names: Sequence[str]) -> str:
    """A polynomial as a text of the names of its atoms."""
    terms = []
    for m, c in p.terms():
        factors = [name if n == 1 else f"{name}**{n}" for name, n in zip(names, m, strict=True) if n]
        terms.append("*".join([f"({c})", *factors]))
    return " + ".join(terms) or "0"
