"""Proofs of the goals of a part of a claim, made from its text alone; who accepts them is another's question.

Equalities are combinations of what vanishes, opposites of inequalities are shown empty, and what depends on a sign is
proved in three cases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from nsdgen.verify.setting import Deadline

from .formulas import AT_ZERO, Formulas, Open, TooLarge, units_of
from .membership import cofactors, contradiction, polynomial_ring
from .polynomials import ONE, Polynomial, add, atom, letters, mul, named, text_of
from .texts import written
from .words import combined

Proof = dict[str, Any]

_MOST_POWER = 2  # of the product of what does not vanish that a difference is multiplied by
_MOST_CASES = 6  # one inside the other: three each
_MOST_MULTIPLIED = 6  # signs that are known: their products are as many as pairs of them
_GOALS = {"!=": {-1, 1}, ">": {1}, ">=": {0, 1}}


def proofs_of_part(part: dict[str, Any], deadline: Deadline) -> Iterator[dict[str, Any]]:
    """Proofs of all goals of a part, with the laws by which functions are read: with sums of arguments, then without.

    Raises ``OutOfTime``.
    """
    units = units_of(part, deadline)
    for own in (units, None) if units else (None,):
        try:
            laws: dict[str, list[str]] = {}
            proofs = [_proved(Formulas(part, g, own, laws, deadline), g, _MOST_CASES) for g in part["goals"]]
        except TooLarge:
            continue
        if None not in proofs:
            yield {"laws": laws, "goals": proofs}


def _proved(f: Formulas, goal: Sequence[Any], depth: int) -> Proof | None:
    """The proof of a goal in a case, by further cases where it needs some."""
    if f.cases and (nothing := _empty(f)) is not None:
        return nothing
    try:
        found, text = _direct(f, goal, depth)
    except Open as undecided:
        found, text = None, text_of(undecided.args[0])
    if found is not None:
        return found
    text = text or next(map(text_of, (*f.open, *_unsigned(f))), "")
    if not text or not depth or not f.real:
        return None
    ways = []
    for sign in (-1, 0, 1):
        way = _proved(f.but(text, (sign,)), goal, depth - 1)
        if way is None:
            return None
        ways.append(way)
    return {"case": text, "ways": ways}


def _unsigned(f: Formulas) -> Iterator[Polynomial]:
    """Arguments of absolute values that may have either sign."""
    yield from (args[0] for kind, args in f.functions.values() if kind == "Abs" and f.known(args[0]) >= {-1, 1})


def _direct(f: Formulas, goal: Sequence[Any], depth: int) -> tuple[Proof | None, str]:
    """The proof without cases, or a text by whose sign cases would help. Raises ``Open``."""
    kind, shape, *texts = goal
    left, right = map(f.text, texts)
    difference = add(left, right, -1)
    if kind != "=":
        inner = f.but(text_of(difference), {-1, 0, 1} - _GOALS[kind])
        found = _empty(inner) or _by_form(inner, difference, kind)
        return None if found is None else {"opposite": found}, ""
    top = f.cleared(difference)
    found = _equal(f, top, shape)
    if found is None and f.real and not f.shapes and all(f.known(p) <= {0, 1} for p in (left, right)):
        # what is not negative is equal where its squares are: their difference is that times the sum
        both = add(left, right)
        if f.known(both) == {0}:
            return None, text_of(left) if f.known(left) != {0} else ""
        if 0 in f.known(both) and _equal(f, mul(top, f.cleared(both)), shape) is not None:
            return None, text_of(both)
    return found, ""


def _empty(f: Formulas) -> Proof | None:
    """Numbers that show a case empty: what is known of signs, and of what vanishes, adds up to a contradiction."""
    if not f.real:
        return None
    if f.contradicted:
        return {"empty": [], "cofactors": []}
    rows = list(_rows(f))
    return _combined(f, rows) or _combined(f, [*rows, *_products(rows)])


Row = tuple[list[str], Polynomial, bool]
"""Factors as texts, their product, which is not negative, and whether it is positive."""


def _combined(f: Formulas, rows: Sequence[Row]) -> Proof | None:
    """A sum of rows that is negative, up to what vanishes."""
    given = list(f.given.values())
    found = contradiction([(p, strict, False) for _, p, strict in rows] + [(p, False, True) for p in given])
    if found is None:
        return None
    total: Polynomial = {}
    for c, p in zip(found, [*(p for _, p, _ in rows), *given], strict=True):
        total = add(total, p, c)
    below = Fraction(total.get((), 0)).denominator
    numbers = [c * below for c in found]
    terms = [[c, texts, []] for (texts, _, _), c in zip(rows, numbers, strict=False) if c]
    terms += [[int(-total[()] * below), [], []]] if total else []
    taken = zip(f.given, numbers[len(rows) :], strict=True)
    return {"empty": terms, "cofactors": [[f"({-c})", t, "1"] for t, c in taken if c]}


def _rows(f: Formulas) -> Iterator[Row]:
    """What is known of signs."""
    for p, signs in f.facts.values():
        if any(map(letters, p)) or {-1, 1} <= signs or signs == {0}:
            continue
        p = p if 1 in signs else {m: -c for m, c in p.items()}
        yield [text_of(p)], p, 0 not in signs


def _products(rows: Sequence[Row]) -> Iterator[Row]:
    """The products of two rows, where they are few."""
    for (t, p, one), (u, q, other) in combinations(rows, 2) if len(rows) <= _MOST_MULTIPLIED else ():
        yield [*t, *u], mul(p, q), one and other


def _by_form(f: Formulas, difference: Polynomial, kind: str) -> Proof | None:
    """The opposite of an inequality is empty: a form of the difference has the sign that it denies."""
    for form in _forms(f, difference):
        terms = _terms(f, form)
        if terms is None or (kind == ">" and not any(strict for *_, strict in terms)):
            continue
        below = lcm(*(c.denominator for c, *_ in terms))
        total = mul(difference, {(): Fraction(-below)})
        for c, factors, roots, _ in terms:
            total = add(total, mul({(): c * below}, *map(f.text, factors), *map(f.text, [*roots, *roots])))
        cleared = f.cleared(total)
        rest = _equal(f, cleared, ["1", "1"], most=0)
        if rest is not None and (cleared == total or not rest["cofactors"]):
            own = [[int(c * below), factors, roots] for c, factors, roots, _ in terms]
            return {"empty": [[below, [f"-({text_of(difference)})"], []], *own], "cofactors": rest["cofactors"]}
    return None


def _terms(f: Formulas, form: sp.Expr) -> list[Any] | None:
    """The terms of a form as number, factors, roots of squares, and whether it is positive; None where one is not."""
    found = []
    for term in sp.Add.make_args(form):
        number, rest = term.as_coeff_Mul()
        factors, roots, signs = [], [], {1}
        for part in sp.Mul.make_args(rest) if rest != 1 else ():
            base, n = part.as_base_exp()
            if not n.is_Integer:
                return None
            text = written(base if n > 0 else 1 / base)
            own = f.known(f.text(text))
            roots += [text] * (abs(int(n)) // 2)
            factors += [text] * (int(n) % 2)
            signs = {s * t ** abs(int(n)) for s in signs for t in own}
        if number < 0:
            factors, signs, number = [*factors, "-1"], {-s for s in signs}, -number
        if not signs <= {0, 1} or not number.is_Rational:
            return None
        if number:
            found.append((Fraction(number.p, number.q), factors, roots, 0 not in signs))
    return found


def _forms(f: Formulas, difference: Polynomial) -> Iterator[sp.Expr]:
    """Forms of a difference whose signs may be read off: as it is, factored, by completed squares, by what is known."""
    e = _expression(difference)
    yield e
    yield sp.factor(sp.together(e))
    names = {str(s): s for s in e.free_symbols}
    e = e.xreplace({s: 1 / _expression(f.functions[n][1][0]) for n, s in names.items() if n.startswith("inv(")})
    yield sp.factor(sp.together(e))
    for x in sorted(e.free_symbols, key=str):
        try:
            p = sp.Poly(e, x)
        except sp.PolynomialError:
            continue
        if p.degree() == 2:
            a, b, c = p.all_coeffs()
            rest = sp.factor(sp.together(c - b**2 / (4 * a)))
            yield sp.Add(sp.Mul(sp.factor(a), (x + b / (2 * a)) ** 2, evaluate=False), rest, evaluate=False)


def _expression(p: Polynomial) -> sp.Expr:
    """A polynomial in symbols that are called as its names are written."""
    return sp.Add(*(sp.Rational(c.numerator, c.denominator) * sp.Mul(*map(sp.Symbol, m)) for m, c in p.items()))


def _equal(f: Formulas, top: Polynomial, shape: Any, most: int = _MOST_POWER) -> Proof | None:
    """Multiplier and cofactors for a difference; None where it is no combination of what vanishes."""
    if not top:
        return {"times": [], "cofactors": []}
    relations = _near(top, [*f.given.items(), *_laws(f)])
    found = _words if f.shapes else _scalars
    factors = _factors(f, relations) if most else []
    for n in range(most + 1 if factors else 1):
        entries = found(f, top, relations, shape)
        if entries is not None:
            return {"times": [text_of(p) for p in factors] * n, "cofactors": entries}
        top = mul(top, *factors)
    return None


def _factors(f: Formulas, relations: Sequence[tuple[Any, Polynomial]]) -> list[Polynomial]:
    """What does not vanish, each once."""
    free = [p for p, s in f.facts.values() if 0 not in s and set(p) - {()} and not any(map(letters, p))]
    own = {name for _, p in relations for m in p for name in m if name.startswith("exp(")}
    return free + [atom(name) for name in sorted(own)]


def _laws(f: Formulas) -> Iterator[tuple[Any, Polynomial]]:
    """What vanishes by the laws of the functions that were read, with the law and its arguments."""
    for name, (kind, args) in list(f.functions.items()):
        texts, own = [text_of(a) for a in args], atom(name)
        a = args[0] if args else {}
        if kind in AT_ZERO and args and f.known(shifted := add(a, ONE, -AT_ZERO[kind][0])) == {0}:
            yield [AT_ZERO[kind][2], text_of(shifted)], add(own, ONE, -AT_ZERO[kind][1])
        if kind in ("sin", "cos") and args:
            sine, cosine = f"sin({named(a)})", f"cos({named(a)})"
            yield ["Pythagoras", *texts], add(add(atom(sine, sine), atom(cosine, cosine)), ONE, -1)
        elif name == "I":
            yield ["imaginary unit"], add(atom("I", "I"), ONE)
        elif kind == "Abs" and f.real:
            yield ["square", *texts], add(mul(own, own), mul(a, a), -1)
        elif kind == "sqrt" and f.known(a) <= {0, 1}:
            yield ["square root", *texts], f.cleared(add(mul(own, own), a, -1))
        elif kind == "root" and f.known(a) <= {0, 1} and set(args[1]) == {()}:
            yield ["root", *texts], f.cleared(add(mul(*[own] * int(args[1][()])), a, -1))
        elif name.startswith("@inv("):
            yield ["left inverse", *texts], add(mul(own, a), ONE, -1)
            yield ["right inverse", *texts], add(mul(a, own), ONE, -1)


def _near(top: Polynomial, known: Sequence[tuple[Any, Polynomial]]) -> list[tuple[Any, Polynomial]]:
    """The relations that share names with a polynomial, directly or through others."""
    names, left, chosen = _named(top), list(known), set[int]()
    while more := [k for k, (_, p) in enumerate(left) if k not in chosen and names & _named(p)]:
        chosen |= set(more)
        names = names.union(*(_named(left[k][1]) for k in more))
    return [left[k] for k in sorted(chosen)]


def _named(p: Polynomial) -> set[str]:
    """The names in a polynomial, those inside of transposes and inverses for these."""
    names = {n for m in p for n in m}
    inner = {w for n in names if n[0] == "@" for w in re.findall(r"[^\W\d]\w*", n)} - {"T", "inv"}
    return {n for n in names if n[0] != "@"} | {f"@{w}" for w in inner}


def _scalars(f: Formulas, top: Polynomial, relations: Sequence[tuple[Any, Polynomial]], _: Any) -> list[Any] | None:
    own = [p for _, p in relations]
    names = sorted({n for p in (top, *own) for m in p for n in m}, key=lambda n: (n.isidentifier(), n))
    ring = polynomial_ring(tuple(names))
    place = {n: k for k, n in enumerate(names)}
    found = cofactors(_entered(top, ring, place), [_entered(p, ring, place) for p in own], f.deadline)
    if found is None:
        return None
    read = [{tuple(n for n, k in zip(names, m, strict=True) for _ in range(k)): c for m, c in p.terms()} for p in found]
    return [[text_of(c), key, "1"] for (key, _), c in zip(relations, read, strict=True) if c]


def _words(f: Formulas, top: Polynomial, relations: Sequence[tuple[Any, Polynomial]], _: Any) -> list[Any] | None:
    """Cofactors from both sides; relations also turned, with those that turning takes for granted."""
    whole, laws = list(relations), []
    for key, p in relations:
        if any(map(letters, p)) and (q := f.turned(p)) != p:
            whole.append((["turned", key], q))
    for m in top:
        word = tuple(letters(m))
        for i in range(len(word)):
            for j in range(i + 1, len(word) + 1):
                part = atom(*word[i:j])
                if f.fits(word[i:j], ("1", "1")) and f.turned(part) != part:
                    laws.append(word[i:j])
    for word in dict.fromkeys(laws):
        p = atom(*word)
        whole.append((["scalar", text_of(p)], add(p, f.turned(p), -1)))
    found = combined(top, [p for _, p in whole], f.turn, f.deadline)
    if found is None:
        return None
    return [[text_of({before: c}), whole[k][0], text_of(atom(*after))] for (before, k, after), c in found.items()]


def _entered(p: Polynomial, ring: PolyRing, place: dict[str, int]) -> PolyElement:
    found = {}
    for m, c in p.items():
        powers = [0] * len(place)
        for name, n in Counter(m).items():
            powers[place[name]] = n
        found[tuple(powers)] = ring.domain(c.numerator, c.denominator)
    return ring.from_dict(found)
