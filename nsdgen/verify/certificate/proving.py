"""Proofs of the goals of a part of a claim, made from its text alone; who accepts them is another's question.

Equalities are combinations of what vanishes, inequalities sums of what is not negative, and what depends on a sign is
proved in three cases. In a case in which nothing is left, such a sum shows it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp

from nsdgen.verify.setting import Deadline

from .formulas import Formulas, TooLarge, units_of
from .membership import cofactors, contradiction, polynomial_ring
from .polynomials import ONE, Polynomial, add, atom, letters, mul, named, text_of
from .signs import NOTHING, POWER, Key
from .syntax import goal_text
from .texts import written
from .words import combined

Steps = list[Any]

_MOST_POWER = 2  # of the product of what does not vanish that a difference is multiplied by
_MOST_CASES = 6  # one inside the other: three each
_MOST_MULTIPLIED = 6  # signs that are known: their products are as many as pairs of them
_GOALS = {"!=": {-1, 1}, ">": {1}, ">=": {0, 1}}


def proofs_of_part(part: dict[str, Any], deadline: Deadline) -> Iterator[list[Steps]]:
    """Proofs of all goals of a part: with functions of sums by those of their terms, then without.

    Raises ``OutOfTime``.
    """
    units = units_of(part, deadline)
    for own in (units, None) if units else (None,):
        try:
            proofs = [_proved(Formulas(part, g, own, deadline), g, _MOST_CASES) for g in part["goals"]]
        except TooLarge:
            continue
        if None not in proofs:
            yield [p for p in proofs if p is not None]


def _proved(f: Formulas, goal: Sequence[Any], depth: int) -> Steps | None:
    """The proof of a goal in a case, by further cases where it needs some."""
    if f.cases and _empty(f):
        return f.steps
    found, text = _direct(f, goal)
    if found:
        return f.steps
    either = (args[0] for kind, args in f.functions.values() if kind == "Abs" and f.known(args[0]) >= {-1, 1})
    text = text or next(map(named, either), "")
    if not text or not depth or not f.real:
        return None
    return _by_cases(f, text, lambda inner: _proved(inner, goal, depth - 1))


def _by_cases(f: Formulas, text: str, prove: Callable[[Formulas], Steps | None]) -> Steps | None:
    """A proof below, at and above zero of a text."""
    ways = []
    for sign in (-1, 0, 1):
        way = prove(f.but(text, (sign,)))
        if way is None:
            return None
        ways.append(way)
    return [["case", text, ways]]


def _direct(f: Formulas, goal: Sequence[Any]) -> tuple[bool, str]:
    """Whether the steps prove the goal without cases, or a text by whose sign cases would help."""
    kind, *texts = goal[:3]
    left, right = map(f.text, texts)
    difference = add(left, right, -1)
    open_choice = next((named(p) for p in _open(f, difference)), "")
    if open_choice:
        return False, open_choice
    text = goal_text(goal)
    if kind != "=":
        if f.known(difference) <= _GOALS[kind]:
            if text not in f.said:
                f.have(text, NOTHING, [[[f.key(difference)], []]])
            return True, ""
        return _by_form(f, difference, kind, text) or _refuted(f, text, kind), ""
    top = f.cleared(difference)
    if _equal(f, top, text):
        return True, ""
    if f.real and not f.shapes and all(f.known(p) <= {0, 1} for p in (left, right)):
        # what is not negative is equal where its squares are: their difference is that times the sum
        both = add(left, right)
        if f.known(both) == {0}:
            return False, named(left) if f.known(left) != {0} else ""
        if 0 in f.known(both) and _equal(f, mul(top, f.cleared(both)), ""):
            return False, named(both)
    return False, ""


def _open(f: Formulas, p: Polynomial) -> Iterator[Polynomial]:
    """What decides a choice in a polynomial, the inner ones first."""
    for name in sorted({n for m in p for n in m}, key=len):
        kind, args = f.functions.get(name, ("", []))
        for a in args:
            yield from _open(f, a)
        if kind == "choose":
            yield args[0]


def _refuted(f: Formulas, text: str, kind: str) -> bool:
    """Whether the opposite of an inequality is empty, by cases of the sign of its difference."""
    if not f.real or text in f.said:
        return False

    def prove(inner: Formulas) -> Steps | None:
        return inner.steps if inner.said[text] <= _GOALS[kind] or _empty(inner) else None

    steps = _by_cases(f, text, prove)
    f.steps += steps or []
    return steps is not None


def _empty(f: Formulas) -> bool:
    """Whether what is known of signs, and of what vanishes, adds up to a contradiction, which is shown."""
    if not f.real:
        return False
    if f.contradiction():
        return True
    rows = list(_rows(f))
    return _combined(f, rows) or _combined(f, [*rows, *_products(rows)])


Row = tuple[list[Polynomial], Polynomial, bool]
"""Factors, their product, which is not negative, and whether it is positive."""


def _combined(f: Formulas, rows: Sequence[Row]) -> bool:
    """Whether a sum of rows is negative, up to what vanishes: a number that is not."""
    given = [f.cleared(f.text(t)) for t in f.given]
    found = contradiction([(p, strict, False) for _, p, strict in rows] + [(p, False, True) for p in given])
    if found is None:
        return False
    total: Polynomial = {}
    for c, p in zip(found, [*(p for _, p, _ in rows), *given], strict=True):
        total = add(total, p, c)
    terms: list[Any] = [[[str(c), *map(f.key, own)], []] for (own, _, _), c in zip(rows, found, strict=False) if c]
    terms += [[[str(-Fraction(total[()]))], []]] if total else []
    taken = zip(f.given, found[len(rows) :], strict=True)
    f.have("0", NOTHING, terms, [[f"({c})", t, "1"] for t, c in taken if c])
    return True


def _rows(f: Formulas) -> Iterator[Row]:
    """What is known of signs."""
    for p, signs in f.facts.values():
        if any(map(letters, p)) or {-1, 1} <= signs or signs == {0}:
            continue
        p = p if 1 in signs else {m: -c for m, c in p.items()}
        yield [p], p, 0 not in signs


def _products(rows: Sequence[Row]) -> Iterator[Row]:
    """The products of two rows, where they are few."""
    for (t, p, one), (u, q, other) in combinations(rows, 2) if len(rows) <= _MOST_MULTIPLIED else ():
        yield [*t, *u], mul(p, q), one and other


def _by_form(f: Formulas, difference: Polynomial, kind: str, text: str) -> bool:
    """Whether a form of the difference has the sign that is claimed, up to what vanishes."""
    for form in _forms(f, difference):
        terms = _terms(f, form)
        if terms is None or (kind != ">=" and not any(strict for *_, strict in terms)):
            continue
        rest = difference
        for c, factors, roots, _ in terms:
            rest = add(rest, mul({(): c}, *factors, *roots, *roots), -1)
        cleared = f.cleared(rest)
        entries = _entries(f, cleared, [*_relations(f, cleared)])
        if entries is not None and (cleared == rest or not entries):
            own = [[[str(c), *map(f.key, factors)], list(map(f.key, roots))] for c, factors, roots, _ in terms]
            f.have(text, NOTHING, own, _shown(f, entries))
            return True
    return False


def _terms(f: Formulas, form: sp.Expr) -> list[Any] | None:
    """The terms of a form as number, factors, roots of squares, and whether it is positive; None where one is not."""
    found = []
    for term in sp.Add.make_args(form):
        number, rest = term.as_coeff_Mul()
        factors, roots, signs = list[Polynomial](), list[Polynomial](), {1}
        for part in sp.Mul.make_args(rest) if rest != 1 else ():
            base, n = part.as_base_exp()
            if not n.is_Integer:
                return None
            p = f.text(written(base if n > 0 else 1 / base))
            own = f.known(p)
            roots += [p] * (abs(int(n)) // 2)
            factors += [p] * (int(n) % 2)
            signs = {s * t ** abs(int(n)) for s in signs for t in own}
        if number < 0:
            factors, signs, number = [*factors, {(): -1}], {-s for s in signs}, -number
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


Relations = list[tuple[Key, Polynomial]]
Entries = list[tuple[str, Key, str]]
"""Cofactors before and behind what vanishes."""


def _equal(f: Formulas, top: Polynomial, text: str) -> bool:
    """Whether a text vanishes whose numerator this is, by a multiplier and cofactors; "" shows nothing."""
    relations = _relations(f, top) if top else []
    factors = _factors(f, relations) if top else []
    for n in range(_MOST_POWER + 1 if factors else 1):
        entries = _entries(f, top, relations)
        if entries is not None:
            if text:
                f.have(text, [[[key for key, _ in factors] * n, []]], [], _shown(f, entries))
            return True
        top = mul(top, *(p for _, p in factors))
    return False


def _entries(f: Formulas, top: Polynomial, relations: Relations) -> Entries | None:
    """Cofactors for a polynomial; None where it is no combination of what vanishes."""
    if not top:
        return []
    return (_words if f.shapes else _scalars)(f, top, relations)


def _shown(f: Formulas, entries: Entries) -> list[Any]:
    """Cofactors, with steps that show what their laws ask of arguments."""
    for _, key, _ in entries:
        for text in [key[1]] if isinstance(key, list) and key[0] == _ROOT else ():
            f.key(f.text(text))
    return [list(e) for e in entries]


def _relations(f: Formulas, top: Polynomial) -> Relations:
    """What vanishes and shares names with a polynomial."""
    given = [(t, f.cleared(f.text(t))) for t in f.given]
    return _near(top, [*given, *_laws(f)])


def _factors(f: Formulas, relations: Relations) -> Relations:
    """What does not vanish, each once."""
    free = [p for p, s in f.facts.values() if 0 not in s and set(p) - {()} and not any(map(letters, p))]
    own = sorted({name for _, p in relations for m in p for name in m if name.startswith("exp(")})
    powers: Relations = [([POWER, named(f.functions[name][1][0])], atom(name)) for name in own]
    return [*((f.key(p), p) for p in free), *powers]


_ROOT = "{1}*root({0}, {1})**{1} - {1}*{0}"
_LEFT, _RIGHT = "inv({0})*{0} - 1", "{0}*inv({0}) - 1"


def _laws(f: Formulas) -> Iterator[tuple[Key, Polynomial]]:
    """What vanishes by the laws of the functions that were read, with the law and its arguments."""
    for name, (kind, args) in list(f.functions.items()):
        own = atom(name)
        a = args[0] if args else {}
        if kind in ("sin", "cos") and args:
            sine, cosine = f.call("sin", [a]), f.call("cos", [a])
            yield ["sin({0})**2 + cos({0})**2 - 1", named(a)], add(add(mul(sine, sine), mul(cosine, cosine)), ONE, -1)
        elif name == "I" and not f.real:
            yield ["I**2 + 1"], add(atom("I", "I"), ONE)
        elif kind == "Abs" and f.real:
            yield ["Abs({0})**2 - {0}**2", named(a)], f.cleared(add(mul(own, own), mul(a, a), -1))
        elif kind == "root" and f.known(a) <= {0, 1} and set(args[1]) == {()}:
            n = args[1][()]
            if n.denominator == 1 and n > 0:
                p = add(mul(*[own] * int(n)), a, -1)
                yield [_ROOT, *f.arguments(args)], f.cleared({m: n * c for m, c in p.items()})
        elif name.startswith("@inv("):
            for law, p in ((_LEFT, mul(own, a)), (_RIGHT, mul(a, own))):
                yield [law, f.key(a)], add(p, ONE, -1)


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


def _scalars(f: Formulas, top: Polynomial, relations: Relations) -> Entries | None:
    own = [p for _, p in relations]
    names = sorted({n for p in (top, *own) for m in p for n in m}, key=lambda n: (n.isidentifier(), n))
    ring = polynomial_ring(tuple(names))
    target, *generators = (
        ring.from_dict({tuple(map(m.count, names)): ring.domain(c.numerator, c.denominator) for m, c in p.items()})
        for p in (top, *own)
    )
    found = cofactors(target, generators, f.deadline)
    if found is None:
        return None
    read = [{tuple(n for n, k in zip(names, m, strict=True) for _ in range(k)): c for m, c in p.terms()} for p in found]
    return [(text_of(c), key, "1") for (key, _), c in zip(relations, read, strict=True) if c]


def _words(f: Formulas, top: Polynomial, relations: Relations) -> Entries | None:
    """Cofactors from both sides; relations also turned, with those that turning takes for granted."""
    whole = list(relations)
    for key, p in relations:
        if any(map(letters, p)) and (q := f.turned(p)) != p:
            whole.append((["turned", key], q))
    found = combined(top, [p for _, p in whole], f.deadline)
    if found is None:
        return None
    return [(text_of({before: c}), whole[k][0], text_of(atom(*after))) for (before, k, after), c in found.items()]
