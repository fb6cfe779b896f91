"""The certificate of a claim: a proof for each goal of its text, or None where one has none.

It is made from the text alone, from nothing that the prover found, through the reader of the checker itself.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.claim import Reading
from nsdgen.verify.quantities import Hidden
from nsdgen.verify.setting import Deadline, OutOfTime, Setting

from .checker import ClaimReader, Open, add, difference, letters, mul, parsed, replaced, slope
from .checker import holds as accepted
from .claim_text import part_of, single_statements, stated_parts
from .membership import cofactors, contradiction, polynomial_ring
from .splits import splits_of
from .texts import Inexpressible, written
from .words import combined

Polynomial = dict[tuple[str, ...], Any]
Proof = dict[str, Any]

_MOST_POWER = 2  # of the product of denominators that a numerator is multiplied by
# of a numerator: a bound on time and on the length of what is written; above it there is no certificate
_MOST_TERMS = 3000
_MOST_CASES = 6  # one inside the other: three each


def holds(certificate: dict[str, Any], reading: Any) -> bool:
    """Whether the checker accepts a certificate, and it states what the reading of a claim says."""
    try:
        stated = stated_parts(reading)
    except Inexpressible:
        return False
    return bool(stated) and certificate["claim"] == _hash(stated) and accepted(certificate)


def _hash(stated: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class ProvedPart:
    """A single statement under assumptions with its text and the proofs of its goals, which the checker accepted."""

    statement: Any
    assumptions: tuple[Any, ...]
    part: dict[str, Any]
    proof: Proof

    def is_of(self, statement: Any, assumptions: tuple[Any, ...]) -> bool:
        """Whether this is the statement, under these assumptions."""
        return bool(statement == self.statement) and assumptions == self.assumptions


def certified(reading: Any, deadline: Deadline, known: Sequence[ProvedPart] = ()) -> dict[str, Any] | None:
    """The certificate of a reading as it was typed, accepted by the checker part by part; None where none is found.

    ``known`` are parts that were proved before: they are not written and proved again.
    """
    try:
        parts = [_proved_part(s, assumed, deadline, known) for s, assumed in single_statements(reading)]
    except Exception:  # whatever stands in the way: the proof has no certificate
        return None
    return _certificate(parts) if parts else None


def proofs_of(statement: Any, setting: Setting, deadline: Deadline) -> tuple[ProvedPart, ...]:
    """The parts of one statement under a setting, where all are proved; else none."""
    assumptions = tuple(a for a in setting.assumptions if not isinstance(a, Hidden))
    try:
        singles = single_statements(Reading("", statement, assumptions))
        return tuple(_proved_part(*one, deadline, ()) for one in singles)
    except Exception:  # whatever stands in the way: there is no proof
        return ()


def _proved_part(
    statement: Any, assumptions: tuple[Any, ...], deadline: Deadline, known: Sequence[ProvedPart]
) -> ProvedPart:
    """The part of a single statement with its proof. Raises ``_Unproved``."""
    if (same := next((k for k in known if k.is_of(statement, assumptions)), None)) is not None:
        return same
    part, texts = part_of(statement, assumptions)
    if (same := next((k for k in known if k.part == part), None)) is not None:
        return same
    for splits in (splits_of(texts.arguments), {}) if texts.arguments else ({},):
        if (found := _proofs(part, splits, deadline)) is not None:
            proved = ProvedPart(statement, assumptions, part, {"splits": splits, "goals": found})
            if accepted(_certificate([proved])):
                return proved
            break
    raise _Unproved


def _certificate(parts: Sequence[ProvedPart]) -> dict[str, Any]:
    """What is stated, its hash, and its proofs, as they are read from a file."""
    stated = [p.part for p in parts]
    certificate = {"stated": stated, "claim": _hash(stated), "proofs": [p.proof for p in parts]}
    return dict(json.loads(json.dumps(certificate)))


def _proofs(part: dict[str, Any], splits: dict[str, list[str]], deadline: Deadline) -> list[Proof] | None:
    proofs: list[Proof] = []
    try:
        reader = _TimedReader(part, splits, deadline)
        for goal in part["goals"]:
            found = _proved(reader, goal, deadline, _MOST_CASES)
            if found is None:
                return None
            proofs.append(found)
    except (_TooLarge, OutOfTime):
        return None
    return proofs


class _Unproved(Exception):
    """A part for which no proof was found."""


class _TooLarge(Exception):
    """A polynomial of more terms than are looked at."""


class _TimedReader(ClaimReader):
    """The reader of the checker, which gives up when the time is over and remembers how matrices are written."""

    def __init__(self, part: Any, splits: dict[str, list[str]], deadline: Deadline) -> None:
        self.deadline, self.written = deadline, dict[str, str]()
        super().__init__(part, splits)

    def but(self, **more: list[str]) -> Any:
        return _TimedReader(self.part | more, self.splits, self.deadline)

    def read(self, e: Any) -> Any:
        self.deadline.check()
        found = super().read(e)
        if len(found[0]) > _MOST_TERMS:
            raise _TooLarge
        return found

    def spelled(self, name: str) -> str:
        """The text of a letter or of a scalar."""
        if name[0] == "@":
            return name[1:]
        return name if name.isidentifier() else f"({name})"


def _proved(reader: _TimedReader, goal: Sequence[Any], deadline: Deadline, depth: int) -> Proof | None:
    """The proof of a goal, by cases where it needs some."""
    try:
        found = _direct(reader, goal, deadline)
        undecided = next((e for e in reader.unread if isinstance(e, Open)), None)
        if found is not None or undecided is None:
            return found
        text = str(undecided)
    except Open as decided:
        text = str(decided)
    if depth == 0:
        return None
    given, positive = reader.part["given"], reader.part["positive"]
    cases: Proof = {"case": text}
    for way, more in (
        ("below", {"positive": [*positive, f"-({text})"]}),
        ("zero", {"given": [*given, text]}),
        ("above", {"positive": [*positive, text]}),
    ):
        inner = reader.but(**more)
        proof = _empty(inner) or _proved(inner, goal, deadline, depth - 1)
        if proof is None:
            return None
        cases[way] = proof
    return cases


def _empty(reader: _TimedReader) -> Proof | None:
    """Numbers that show a case empty: what is known of signs, and of what vanishes, adds up to a contradiction."""
    rows = [(k, p, s) for k, (p, s) in enumerate(reader.signed) if s <= {0, 1}]
    rows = [r for r in rows if not any(map(letters, r[1]))]
    found = contradiction([(p, 0 not in s, s == {0}) for _, p, s in rows])
    if found is None:
        return None
    counted, equal = [], []
    for (k, _, s), c in zip(rows, found, strict=True):
        if c and s == {0}:
            equal.append([str(-c), k, "1"])
        elif c:
            counted.append([int(c), k])
    return {"empty": counted, "cofactors": equal}


def _direct(reader: _TimedReader, goal: Sequence[Any], deadline: Deadline) -> Proof | None:
    kind, shape, *texts = goal
    if kind == "=":
        found = _equal(reader, difference(*texts), shape, deadline)
        if found is None and all(reader.signs(parsed(t)) <= {0, 1} for t in texts):
            first, second = (f"({t})**2" for t in texts)
            squares = _equal(reader, difference(first, second), shape, deadline)
            return None if squares is None else {"squares": squares}
        return found
    if kind == "integral":
        left, integrand, x, low, high = texts
        inner = reader.without(high)
        if all(reader.signs(parsed(t)) == {1} for t in (low, high)):
            inner = inner.but(positive=[*inner.part["positive"], high])
        rate = difference(slope(parsed(left), high), replaced(integrand, x, high))
        return _parts(inner, [rate, parsed(replaced(left, high, low))], shape, deadline)
    if kind == "order":
        left, right, x, at, order = texts
        slopes = [ast.unparse(difference(left, right))]
        for _ in range(order - 1):
            slopes.append(slope(parsed(slopes[-1]), x))
        return _parts(reader.without(x), [parsed(replaced(t, x, at)) for t in slopes], shape, deadline)
    for form in _forms(reader, *texts):
        found = _equal(reader, ast.BinOp(difference(*texts), ast.Sub(), parsed(form)), shape, deadline)
        if found is not None and reader.proves(goal, {**found, "form": form}):
            return {**found, "form": form}
    return None


def _parts(reader: Any, goals: Sequence[Any], shape: Any, deadline: Deadline) -> Proof | None:
    parts = [_equal(reader, e, shape, deadline) for e in goals]
    return None if None in parts else {"parts": parts}


def _forms(reader: _TimedReader, left: str, right: str) -> list[str]:
    """Texts of left - right whose signs may be read off: as it is, factored, by completed squares."""
    top, below = reader.read(difference(left, right))
    e = _expression(top) / sp.Mul(*(_expression(dict(f)) for f in below.elements()))
    forms = [ast.unparse(difference(left, right)), written(sp.factor(sp.together(e))), written(sp.expand(e))]
    for x in sorted(e.free_symbols, key=str):
        try:
            p = sp.Poly(e, x)
        except sp.PolynomialError:
            continue
        if p.degree() == 2:
            a, b, c = p.all_coeffs()
            rest = sp.factor(sp.together(c - b**2 / (4 * a)))
            forms.append(f"({written(sp.factor(a))})*({written(x + b / (2 * a))})**2 + ({written(rest)})")
    return forms if below else [*forms, *_sums(reader, top)]


def _sums(reader: _TimedReader, top: Polynomial) -> list[str]:
    """Texts as sums of what is assumed positive, times numbers, and of a number."""
    rows = [(p, s) for p, s in reader.signed if s <= {0, 1} and not any(map(letters, p))]
    found = contradiction([*((p, 0 not in s, s == {0}) for p, s in rows), (mul(top, {(): Fraction(-1)}), False, False)])
    if not found or not found[-1]:
        return []
    terms = [sp.Rational(c, found[-1]) * _expression(p) for c, (p, _) in zip(found, rows, strict=False) if c]
    rest = sp.expand(_expression(top) - sp.Add(*terms))
    return [" + ".join(f"({written(t)})" for t in (*terms, rest))]


def _expression(p: Polynomial) -> sp.Expr:
    """A polynomial in symbols that are called as its names are written."""
    return sp.Add(*(sp.Rational(c.numerator, c.denominator) * sp.Mul(*map(sp.Symbol, m)) for m, c in p.items()))


def _equal(reader: Any, e: Any, shape: Any, deadline: Deadline) -> Proof | None:
    """Multiplier and cofactors for a difference; None where it is no combination of what vanishes."""
    top, below = reader.read(e)
    if not top:
        return {"multiplier": [], "cofactors": []}
    free = [dict(f) for f in below] + [p for p, s in reader.signed if 0 not in s and not any(map(letters, p))]
    keys: list[Any] = [*range(len(reader.given)), *reader.axioms]
    relations = [*reader.given, *reader.axioms.values()]
    keys, relations = _near(top, keys, relations)
    scalars = {name for p in relations for m in p for name in m if name.startswith("exp(")}
    free += [{(name,): Fraction(1)} for name in sorted(scalars)]
    factors: dict[str, Polynomial] = {}
    for p in free:
        if set(p) - {()}:
            scale = p[max(p)]
            factors.setdefault(str(sorted((m, c / scale) for m, c in p.items())), p)
    found = _words if reader.shapes else _scalars
    for n in range(_MOST_POWER + 1 if factors else 1):
        entries = found(top, keys, relations, reader, shape, deadline)
        if entries is not None:
            return {"multiplier": [_text(f, reader.spelled) for f in factors.values()] * n, "cofactors": entries}
        top = mul(top, *factors.values())
    return None


def _near(top: Polynomial, keys: Sequence[Any], relations: Sequence[Polynomial]) -> tuple[list[Any], list[Polynomial]]:
    """The relations that share names with a polynomial, directly or through others."""
    names = _named(top)
    chosen: dict[int, None] = {}
    while True:
        more = [k for k, p in enumerate(relations) if k not in chosen and names & _named(p)]
        if not more:
            order = sorted(chosen)
            return [keys[k] for k in order], [relations[k] for k in order]
        for k in more:
            chosen[k] = None
            names |= _named(relations[k])


def _named(p: Polynomial) -> set[str]:
    """The names in a polynomial, those inside of transposes and inverses for these."""
    names = {n for m in p for n in m}
    inner = {w for n in names if n[0] == "@" for w in re.findall(r"[^\W\d]\w*", n)} - {"T", "inv"}
    return {n for n in names if n[0] != "@"} | {f"@{w}" for w in inner}


def _scalars(
    top: Polynomial, keys: list[Any], relations: list[Polynomial], reader: _TimedReader, shape: Any, deadline: Deadline
) -> list[Any] | None:
    names = sorted({n for p in (top, *relations) for m in p for n in m}, key=lambda n: (n.isidentifier(), n))
    ring = polynomial_ring(tuple(names))
    place = {n: k for k, n in enumerate(names)}
    found = cofactors(_entered(top, ring, place), [_entered(p, ring, place) for p in relations], deadline)
    if found is None:
        return None
    read = [{tuple(n for n, k in zip(names, m, strict=True) for _ in range(k)): c for m, c in p.terms()} for p in found]
    return [[_text(c, reader.spelled), k, "1"] for k, c in zip(keys, read, strict=True) if c]


def _words(
    top: Polynomial, keys: list[Any], relations: list[Polynomial], reader: _TimedReader, shape: Any, deadline: Deadline
) -> list[Any] | None:
    """Cofactors from both sides; relations also turned, with those that turning takes for granted."""
    whole, laws = list(zip(keys, relations, strict=True)), []
    for k, p in list(whole):
        if any(map(letters, p)) and (q := reader.turned(p)) != p:
            whole.append((["turned", k], q))
    for m in top:
        word = tuple(letters(m))
        for i in range(len(word)):
            for j in range(i + 1, len(word) + 1):
                part = {word[i:j]: Fraction(1)}
                if reader.fits(word[i:j], ("1", "1")) and reader.turned(part) != part:
                    laws.append(word[i:j])
    for word in dict.fromkeys(laws):
        p = {word: Fraction(1)}
        whole.append((["scalar", _text(p, reader.spelled)], add(p, reader.turned(p), -1)))
    found = combined(top, [p for _, p in whole], reader.turn, deadline)
    if found is None:
        return None
    return [
        [_text({before: c}, reader.spelled), whole[k][0], _text({after: Fraction(1)}, reader.spelled)]
        for (before, k, after), c in found.items()
    ]


def _entered(p: Polynomial, ring: PolyRing, place: dict[str, int]) -> PolyElement:
    found = {}
    for m, c in p.items():
        powers = [0] * len(place)
        for name, n in Counter(m).items():
            powers[place[name]] = n
        found[tuple(powers)] = ring.domain(c.numerator, c.denominator)
    return ring.from_dict(found)


def _text(p: Polynomial, spelled: Any) -> str:
    """A polynomial as a text, its terms added in pairs, which keeps the tree of its syntax flat."""
    terms = []
    for m, c in p.items():
        factors = [spelled(n) for n in m]
        terms.append("*".join([f"({c})"] * (c != 1 or not factors) + factors))
    while len(terms) > 1:
        terms = [f"({' + '.join(terms[k : k + 2])})" for k in range(0, len(terms), 2)]
    return terms[0] if terms else "0"
