"""Checks certificates of proofs with the standard library alone: ``python checker.py RECORDS.json``.

A formula is a polynomial {names as they are multiplied: coefficient}; a function of formulas is a name, of any value
where nobody defines it; "@A" is a matrix and keeps its place. The parts of a claim (``stated``) say which signs texts
have: -1, 0, 1 are below, at and above zero; -1 or 1, that there is an inverse. Steps of a proof add to what is known.
"""

import ast
import hashlib
import json
import sys
from fractions import Fraction
from typing import Any

ANY, ZERO, NOT_ZERO = {-1, 0, 1}, {0}, {-1, 1}
SAID = {"given": ZERO, "nonzero": NOT_ZERO, "positive": {1}, "nonnegative": {0, 1}}
GOALS = {"=": ZERO, "!=": NOT_ZERO, ">": {1}, ">=": {0, 1}}


def laws(texts: str, where: set[int], signs: set[int]) -> dict[str, tuple[set[int], set[int]]]:
    """Laws by what they say: the signs that their first argument must have, and their own."""
    return dict.fromkeys(texts.split("; "), (where, signs))


LAWS = laws("sin({0} + {1}) - sin({0})*cos({1}) - cos({0})*sin({1}); sin(-{0}) + sin({0})", ANY, ZERO)
LAWS |= laws("cos({0} + {1}) - cos({0})*cos({1}) + sin({0})*sin({1}); cos(-{0}) - cos({0})", ANY, ZERO)
LAWS |= laws("exp({0} + {1}) - exp({0})*exp({1}); exp(-{0}) - 1/exp({0}); atan(-{0}) + atan({0}); I**2 + 1", ANY, ZERO)
LAWS |= laws("sin({0})**2 + cos({0})**2 - 1; Abs({0})**2 - {0}**2; Abs(-{0}) - Abs({0})", ANY, ZERO)
LAWS |= laws("sin(0); cos(0) - 1; exp(0) - 1; atan(0); log(1); root(1, 2) - 1", ANY, ZERO)
LAWS |= laws("Abs({0}) - {0}; {1}*root({0}, {1})**{1} - {1}*{0}", {0, 1}, ZERO) | laws("Abs({0}) + {0}", {-1, 0}, ZERO)
LAWS |= laws("inv({0})*{0} - 1; {0}*inv({0}) - 1", NOT_ZERO, ZERO) | laws("root({0}, {1})", {0, 1}, {0, 1})
LAWS |= laws("choose({0}, {1}, {2}, {3}) - {1}", {-1}, ZERO) | laws("choose({0}, {1}, {2}, {3}) - {2}", ZERO, ZERO)
LAWS |= laws("choose({0}, {1}, {2}, {3}) - {3}", {1}, ZERO) | laws("Abs({0})", ANY, {0, 1})
LAWS |= laws("exp({0})", ANY, {1}) | laws("exp({0})*1", ANY, NOT_ZERO)


def add(p: Any, q: Any, k: Any = 1) -> Any:
    """p + k q."""
    return {m: c for m in {**p, **q} if (c := p.get(m, 0) + k * q.get(m, 0))}


def mul(*polynomials: Any) -> Any:
    """The product: numbers commute, matrices keep their order behind them."""
    product: Any = {(): 1}
    for p in polynomials:
        total: Any = {}
        for (m, a), (n, b) in ((x, y) for x in product.items() for y in p.items()):
            word = tuple(sorted(m + n, key=lambda name: "~" if name[0] == "@" else name))
            total[word] = total.get(word, 0) + a * b
        product = {m: c for m, c in total.items() if c}
    return product


def turned(p: Any) -> Any:
    """The transpose: matrices in opposite order, each of them turned."""
    turn = {x: f"@{x[3:-1]}" if x[:3] == "@T(" else f"@T({x[1:]})" for m in p for x in m if x[0] == "@"}
    return {(*(x for x in m if x not in turn), *(turn[x] for x in m[::-1] if x in turn)): c for m, c in p.items()}


def scalar(p: Any) -> Any:
    """A polynomial that has no matrix in it, for a matrix has no sign."""
    if any(name[0] == "@" for m in p for name in m):
        raise ValueError("a matrix where a number stands")
    return p


def written(p: Any) -> str:
    """A polynomial as a text, equal ones alike."""
    return " + ".join("*".join([str(c), *(name.lstrip("@") for name in m)]) for m, c in sorted(p.items())) or "0"


def parsed(text: str) -> Any:
    """The syntax of a text, which must have a meaning by itself, and no letters that Python reads as others."""
    return ast.parse(text if text.isascii() else "", mode="eval").body


OPERATORS: dict[Any, Any] = {ast.Add: add, ast.Sub: lambda p, q: add(p, q, -1), ast.Mult: mul}


class ProvedCase:
    """What is known in one case of a goal: the signs of texts, and what functions are read as."""

    def __init__(self, part: Any, needed: Any) -> None:
        self.real, self.matrices = not part["complex"], part["matrices"]
        self.signs, self.values = dict[str, set[int]](), dict[str, Any]()
        for text, signs in ((t, s) for said in (part, needed) for kind, s in SAID.items() for t in said[kind]):
            self.signs[text] = self.signs.get(text, ANY) & signs

    def read(self, e: Any) -> Any:
        """A text, or a node of its syntax, as a polynomial. Raises ``ValueError`` for what is no formula."""
        match e:
            case str():
                return self.read(parsed(e))
            case ast.Constant(value=int(n)) if type(n) is int:
                return add({}, {(): n})
            case ast.Name(id=name) if name != "I" or not self.real:
                return {(f"@{name}" if name in self.matrices else name,): 1}
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return add({}, self.read(a), -1)
            case ast.BinOp(left=a, op=op, right=b) if type(op) in OPERATORS:
                return OPERATORS[type(op)](self.read(a), self.read(b))
            case ast.BinOp(left=a, op=ast.Div(), right=b):
                return mul(self.read(a), self.call("inv", [scalar(self.read(b))]))
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))) if type(n) is int:
                return mul(*[self.read(a)] * n)
            case ast.Call(func=ast.Name(id=f), args=[_, *_] as args, keywords=[]):
                return self.call(f, [self.read(a) for a in args])
        raise ValueError(f"{e} is no formula")

    def call(self, f: str, args: Any) -> Any:
        """What a function of formulas is: what it is read as, or a name."""
        matrix = any(x[0] == "@" for p in args for m in p for x in m)
        name = f"{'@' * matrix}{f}({', '.join(map(written, args))})"
        if f == "T" or (f == "inv" and set(args[0]) <= {()}):
            return turned(args[0]) if f == "T" else {(): Fraction(1) / args[0][()]}
        if matrix and f != "inv":
            raise ValueError(f"{f} of a matrix")
        return self.values.get(name, {(name,): 1})

    def cleared(self, p: Any) -> Any:
        """A polynomial times powers of what it divides by, where that is known not to vanish."""
        for name in sorted({x for m in p for x in m if x.startswith("inv(")}, key=len, reverse=True):
            if 0 not in self.signs.get(name[4:-1], ANY):
                most, total = max(m.count(name) for m in p), dict[Any, Any]()
                for k in range(most + 1):
                    own = {tuple(x for x in m if x != name): c for m, c in p.items() if m.count(name) == k}
                    total = add(total, mul(own, *[scalar(self.read(name[4:-1]))] * (most - k)))
                return self.cleared(total)
        return p

    def fact(self, key: Any) -> Any:
        """A polynomial and its signs: of a text as they are known, by a law (two are of real ones), or that turned."""
        match key:
            case str():
                p, signs = self.read(key), self.signs.get(key, ANY)
                return p, signs & {((c := p.get((), 0)) > 0) - (c < 0)} if set(p) <= {()} else signs
            case ["turned", other]:
                return turned(self.fact(other)[0]), self.fact(other)[1]
            case [law, *texts] if self.real or law not in ("exp({0})", "Abs({0})**2 - {0}**2"):
                if LAWS[law][0] == ANY or self.fact(texts[0])[1] <= LAWS[law][0]:
                    return self.read(law.format(*(f"({ast.unparse(parsed(t))})" for t in texts))), LAWS[law][1]
        raise ValueError(f"{key} is not known")

    def total(self, products: Any) -> Any:
        """A sum of products of factors and squares, and its signs."""
        total, signs = dict[Any, Any](), ZERO
        for factors, roots in products:
            product, own = {(): 1}, {1}
            for key, n in [*((k, 1) for k in factors), *((k, 2) for k in roots if self.real)]:
                p, of = self.fact(key)
                product, own = mul(product, *[scalar(p)] * n), {s * t**n for s in own for t in of}
            total = add(total, product)
            signs = {u for s in signs for t in own for u in (ANY if s * t < 0 else {s or t})}
        return total, signs

    def proves(self, goal: str, signs: Any, steps: Any) -> bool:
        """Whether a text has one of some signs, or nothing is left, after steps that add to what is known."""
        for step in steps:
            match step:
                case ["case", text, ways]:
                    scalar(self.read(text))
                    known, own = self.fact(text)[1], (self.signs, self.values)
                    for sign, way in zip((-1, 0, 1), ways, strict=True):
                        self.signs, self.values = {**own[0], text: known & {sign}}, dict(own[1])
                        if not self.proves(goal, signs, way):
                            return False
                    return self.real
                case ["let", name, factor, key] if self.fact(key)[1] <= ZERO:
                    self.values[name] = add({(name,): 1}, self.fact(key)[0], -Fraction(factor))
                case ["have", text, times, products, cofactors]:
                    (d, below), (n, above) = self.total(times), self.total(products)
                    rest = add(mul(d, self.read(text) if products else self.cleared(self.read(text))), n, -1)
                    for before, key, after in cofactors:
                        p, known = self.fact(key)
                        rest = add(rest, mul(self.read(before), self.cleared(p), self.read(after)), -1)
                        below = below if known <= ZERO else ANY
                    if 0 in below or self.cleared(rest):
                        return False
                    self.signs[text] = self.fact(text)[1] & {s * t for s in below for t in above}
        return self.signs.get(goal, ANY) <= signs or set() in self.signs.values()


def holds(certificate: Any) -> bool:
    """Whether a certificate proves the claim that it states, every goal of it."""
    try:
        stated = json.dumps(certificate["stated"], sort_keys=True).encode()
        return hashlib.sha256(stated).hexdigest() == certificate["claim"] and all(
            ProvedCase(part, needed).proves(
                f"({ast.unparse(parsed(left))}) - ({ast.unparse(parsed(right))})", GOALS[kind], steps
            )
            for part, proofs in zip(certificate["stated"], certificate["proofs"], strict=True)
            for (kind, left, right, needed), steps in zip(part["goals"], proofs, strict=True)
        )
    except Exception:  # what cannot be read proves nothing
        return False


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [r for record in json.load(file) for r in (record["readings"] or [record])]
    proofs = [r for r in records if r["verdict"] in ("proved", "proved under")]
    failed = [r["id"] for r in proofs if not holds(r["certificate"])]
    print(f"{len(proofs)} certificates, {len(failed)} of them not accepted {failed}")
    sys.exit(bool(failed))
