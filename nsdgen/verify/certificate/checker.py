"""Checks certificates of proofs with the standard library alone: ``python checker.py RECORDS.json``.

A certificate says that multiplier * numerator(left - right) is the sum of cofactor * g, where every g is an assumption
or an axiom that this file makes itself: cos^2 + sin^2 = 1, sqrt(a)^2 = a, Abs(a)^2 = a^2. The multiplier consists of
denominators of the sides and of what is assumed not to vanish. Polynomials are lists of terms [coefficient, {name:
power}]; that the sum is right is also what ``identity.py`` checks, in forty lines. Nothing here comes from the prover,
nor from SymPy.
"""

from __future__ import annotations

import ast
import json
import sys
from fractions import Fraction
from typing import Any

Polynomial = dict[tuple[tuple[str, int], ...], Fraction]
"""{((name, power), ...): coefficient}."""

Bottom = dict[tuple[Any, ...], int]
"""{denominator factor, made monic: power}."""

def plus(p: Polynomial, q: Polynomial, k: int = 1) -> Polynomial:
    """p + k q."""
    total = dict(p)
    for m, c in q.items():
        total[m] = total.get(m, 0) + k * c
    return {m: c for m, c in total.items() if c}


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """p q."""
    total: Polynomial = {}
    for a, x in p.items():
        for b, y in q.items():
            powers = dict(a)
            for name, n in b:
                powers[name] = powers.get(name, 0) + n
            m = tuple(sorted(powers.items()))
            total[m] = total.get(m, 0) + x * y
    return {m: c for m, c in total.items() if c}


def power(p: Polynomial, n: int) -> Polynomial:
    """p^n for n >= 0."""
    result: Polynomial = {(): Fraction(1)}
    for _ in range(n):
        result = times(result, p)
    return result


def polynomial(terms: list[Any]) -> Polynomial:
    """The polynomial that a list of terms [coefficient, {name: power}] is."""
    total: Polynomial = {}
    for c, powers in terms:
        total = plus(total, {tuple(sorted(powers.items())): Fraction(c)})
    return total


def scaled(p: Polynomial) -> tuple[Any, ...]:
    """p with leading coefficient 1, as something that can be a key."""
    return tuple((m, p[m] / p[max(p)]) for m in sorted(p))


class Reader:
    """Texts as fractions (numerator, {denominator factor: power}); axioms of the functions met are collected."""

    def __init__(self, parts: dict[str, int]) -> None:
        self.parts = parts  # into how many a monomial of an angle is divided
        self.axioms: dict[str, Polynomial] = {}

    def read(self, text: str) -> tuple[Polynomial, Bottom]:
        """The fraction that a text is."""
        return self.fraction(ast.parse(text, mode="eval").body)

    def polynomial(self, text: str) -> Polynomial:
        """The polynomial that a text is; raises ``ValueError`` for a fraction."""
        top, bottom = self.read(text)
        if bottom:
            raise ValueError(f"{text} is a fraction")
        return top

    def fraction(self, e: Any) -> tuple[Polynomial, Bottom]:
        """What a node of the syntax tree is."""
        if isinstance(e, ast.Constant) and isinstance(e.value, int):
            return ({(): Fraction(e.value)} if e.value else {}), {}
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            top, bottom = self.fraction(e.operand)
            return plus({}, top, -1), bottom
        if isinstance(e, ast.BinOp):
            return self.operation(e)
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in ("sin", "cos") and (
                found := self.angle(e.args[0])):
            return found[e.func.id == "cos"], {}
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "tan":
            sine, cosine = (ast.Call(ast.Name(name), e.args, []) for name in ("sin", "cos"))
            return self.fraction(ast.BinOp(sine, ast.Div(), cosine))
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in ("sqrt", "Abs"):
            return self.root(e.func.id, e.args[0])
        return self.atom(e), {}

    def atom(self, e: Any) -> Polynomial:
        """Something about which only its text is known; I is the imaginary unit."""
        own: Polynomial = {((ast.unparse(e), 1),): Fraction(1)}
        if isinstance(e, ast.Name) and e.id == "I":
            self.axioms["I"] = plus(power(own, 2), {(): Fraction(1)})
        return own

    def operation(self, e: ast.BinOp) -> tuple[Polynomial, Bottom]:
        """Sums, products, quotients; powers with exponents that are multiples of 1/2."""
        if isinstance(e.op, ast.Pow):
            n = self.fraction(e.right)[0].get((), 0)
            if self.fraction(e.right) != (({(): n} if n else {}), {}):
                return self.atom(e), {}
            top, bottom = self.fraction(e.left) if n == int(n) else self.root("sqrt", e.left)
            if n != int(n) and 2 * n != int(2 * n):
                return self.atom(e), {}
            n = int(n) if n == int(n) else int(2 * n)
            return self.inverse(top, bottom, -n) if n < 0 else (power(top, n), {d: k * n for d, k in bottom.items()})
        (a, b), (c, d) = self.fraction(e.left), self.fraction(e.right)
        if isinstance(e.op, ast.Div):
            c, d = self.inverse(c, d, 1)
        if isinstance(e.op, ast.Mult | ast.Div):
            return times(a, c), {f: b.get(f, 0) + d.get(f, 0) for f in {*b, *d}}
        common = {f: max(b.get(f, 0), d.get(f, 0)) for f in {*b, *d}}
        a, c = self.over(a, b, common), self.over(c, d, common)
        return plus(a, c, -1 if isinstance(e.op, ast.Sub) else 1), common

    def over(self, top: Polynomial, bottom: Bottom, common: Bottom) -> Polynomial:
        """The numerator over a common denominator."""
        for f, n in common.items():
            top = times(top, power(dict(f), n - bottom.get(f, 0)))
        return top

    def inverse(self, top: Polynomial, bottom: Bottom, n: int) -> tuple[Polynomial, Bottom]:
        """The power -n of a fraction."""
        lead = top[max(top)]  # an IndexError for 1/0 is a failed check
        over = self.over({(): lead ** -n}, {}, {f: k * n for f, k in bottom.items()})
        return over, ({} if top.keys() == {()} else {scaled(top): n})

    def root(self, name: str, e: Any) -> tuple[Polynomial, Bottom]:
        """sqrt or Abs of something, and the axiom for its square."""
        (top, bottom), own = self.fraction(e), self.atom(ast.Call(ast.Name(name), [e], []))
        if name == "Abs" and any(isinstance(n, ast.Name) and n.id == "I" for n in ast.walk(e)):
            return own, {}
        square = self.over(power(own, 2), {}, bottom if name == "sqrt" else {f: 2 * n for f, n in bottom.items()})
        self.axioms[next(iter(own))[0][0]] = plus(square, power(top, 1 if name == "sqrt" else 2), -1)
        return own, {}

    def monomial(self, m: tuple[tuple[str, int], ...]) -> str:
        """The text of a monomial, in the spelling of ``ast.unparse``."""
        return ast.unparse(ast.parse("*".join(f"{name}**{n}" for name, n in m) or "1"))

    def angle(self, e: Any) -> tuple[Polynomial, Polynomial] | None:
        """(sin, cos) of a polynomial, by the addition theorems from those of parts of its monomials."""
        top, bottom = self.fraction(e)
        s: Polynomial = {}
        c: Polynomial = {(): Fraction(1)}
        for m, k in top.items():
            text = self.monomial(m)
            n = k * self.parts.get(text, 1)
            if bottom or n != int(n):
                return None
            one: list[Polynomial] = [{((f"{f}[{text}]", 1),): Fraction(1)} for f in ("sin", "cos")]
            self.axioms[f"cos[{text}]"] = plus(plus(power(one[0], 2), power(one[1], 2)), {(): Fraction(1)}, -1)
            for _ in range(abs(int(n))):
                sign = 1 if n > 0 else -1
                s, c = plus(times(s, one[1]), times(c, one[0]), sign), plus(times(c, one[1]), times(s, one[0]), -sign)
        return s, c


def holds(certificate: dict[str, Any]) -> bool:
    """Whether a certificate proves left = right wherever both sides are defined and the assumptions hold."""
    reader = Reader(certificate["parts"])
    given = [reader.read(text)[0] for text in certificate["assumptions"]]
    nonzero = [reader.read(text)[0] for text in certificate["nonzero"]]
    for entry in certificate["entries"]:
        top, bottom = reader.read(f"({entry['left']}) - ({entry['right']})")
        allowed = {*bottom, *(scaled(p) for p in nonzero if p)}
        for text, n in entry["multiplier"]:
            factor = reader.polynomial(text)
            if scaled(factor) not in allowed:
                return False
            top = times(top, power(factor, n))
        if plus(top, polynomial(entry["numerator"]), -1):
            return False
        for key, cofactor in entry["cofactors"]:
            g = given[key] if isinstance(key, int) else reader.axioms[key]
            if plus(g, polynomial(certificate["generators"][str(key)]), -1):
                return False
            top = plus(top, times(polynomial(cofactor), g), -1)
        if top:
            return False
    return True


def main(path: str) -> int:
    """Check all certificates of a file of records; the exit code is 1 where one fails."""
    with open(path, encoding="utf-8") as file:
        records = json.load(file)
    records = [r for record in records for r in (record, *record.get("readings", ()))]
    failed = [r["id"] for r in records for c in r.get("certificate", ()) if not holds(c)]
    proofs = [r for r in records if r["verdict"] in ("proved", "proved under")]
    print(f"{len(proofs)} proofs, {sum(bool(r.get('certificate')) for r in proofs)} with a certificate, "
          f"{len(failed)} certificates fail {failed}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
