"""Checks certificates of proofs with the standard library alone: ``python checker.py RECORDS.json``.

A certificate holds a claim as text (``stated``), the hash of that text, and a proof for each of its goals. A proof of
left = right says: a product of what does not vanish, times the numerator of left - right, is a sum of cofactors times
assumptions or axioms. Goals hold wherever both sides are defined; where nobody writes I, that is where all is real. A
formula is read as {names as they are multiplied: coefficient} over factors {polynomial: power}; names of matrices
("@A") keep their order, and every word of a proof fits the shape of its goal. Nothing comes from the prover.

A case distinction has a proof below, at and above zero of an expression that is defined everywhere; a case that cannot
be shows a positive sum of what is not negative that is negative itself. left = integral of f from a to b follows from
left' = f and left(a) = 0 where the form of left shows that it is continuous between them; left = right up to an order,
from equal derivatives at the point.
"""

import ast
import hashlib
import json
import sys
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

AXIOMS = {"I": "I**2 + 1", "sqrt": "sqrt({0})**2 - ({0})", "root": "root({0}, {1})**{1} - ({0})"}
AXIOMS |= dict.fromkeys(("sin", "cos"), "sin({0})**2 + cos({0})**2 - 1") | {"Abs": "Abs({0})**2 - ({0})**2"}
DEFINED = {"tan": "sin({0})/cos({0})", "cot": "cos({0})/sin({0})", "sinh": "(exp({0}) - 1/exp({0}))/2"}
DEFINED |= {"cosh": "(exp({0}) + 1/exp({0}))/2", "tanh": "(exp({0})**2 - 1)/(exp({0})**2 + 1)"}
DEFINED |= {"Max": "({0}) if ({0}) >= ({1}) else ({1})", "Min": "({0}) if ({0}) <= ({1}) else ({1})"}
DEFINED |= {"sign": "0 if ({0}) == 0 else 1 if ({0}) > 0 else -1"}
NEGATED = {"sin": "-sin({0})", "cos": "cos({0})", "exp": "1/exp({0})", "atan": "-atan({0})"}
ADDED = {"sin": "sin({0})*cos({1}) + cos({0})*sin({1})", "cos": "cos({0})*cos({1}) - sin({0})*sin({1})"}
ADDED |= {"exp": "exp({0})*exp({1})"}
VALUES = {"sin(0)": 0, "cos(0)": 1, "exp(0)": 1, "log(1)": 0, "atan(0)": 0, "sqrt(0)": 0, "sqrt(1)": 1}
SLOPES = {"sin": "cos({0})", "cos": "-sin({0})", "exp": "exp({0})", "log": "1/({0})", "sqrt": "1/(2*sqrt({0}))"}
SLOPES |= {"atan": "1/(1 + ({0})**2)"}
SMOOTH = {f: {-1, 0, 1} for f in ("sin", "cos", "exp", "atan", "sinh", "cosh", "tanh", "Max", "Min", "Abs")}
SMOOTH |= {"sqrt": {0, 1}, "log": {1}}  # where their arguments have these signs
SIGNS = {"exp": {1}, "cosh": {1}, "sqrt": {0, 1}, "Abs": {0, 1}}
TRUE = {ast.Lt: {-1}, ast.LtE: {-1, 0}, ast.Gt: {1}, ast.GtE: {0, 1}, ast.Eq: {0}, ast.NotEq: {-1, 1}}
ORDERS = {">": {1}, ">=": {0, 1}}
KINDS = ("given", "nonnegative", "nonzero", "invertible", "positive")
ONE = {(): Fraction(1)}


def add(p: Any, q: Any, k: Any = 1) -> Any:
    """p + k q."""
    return {m: c for m in {**p, **q} if (c := p.get(m, 0) + k * q.get(m, 0))}


def mul(*polynomials: Any) -> Any:
    """The product: numbers commute, matrices keep their order behind them."""
    product: Any = ONE
    for p in polynomials:
        total: Any = Counter()
        for (m, a), (n, b) in ((x, y) for x in product.items() for y in p.items()):
            total[tuple(sorted(m + n, key=lambda name: "~" if name[0] == "@" else name))] += a * b
        product = {m: c for m, c in total.items() if c}
    return product


def letters(m: Any) -> list[str]:
    """The matrices in a word."""
    return [name for name in m if name[0] == "@"]


def written(p: Any) -> str:
    """A polynomial as a text."""
    return " + ".join("*".join([f"({c})", *(name.lstrip("@") for name in m)]) for m, c in sorted(p.items()))


def parsed(text: str) -> Any:
    """A text, which stands for itself, as syntax; raises ``ValueError`` for letters that Python reads as others."""
    if not text.isascii():
        raise ValueError("other letters may be read as these")
    return ast.parse(text, mode="eval").body


def names_of(e: Any) -> set[str]:
    """The identifiers in a piece of syntax."""
    return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}


def difference(left: str, right: str) -> Any:
    """left - right, each read by itself."""
    return ast.BinOp(parsed(left), ast.Sub(), parsed(right))


class Open(ValueError):
    """Which of several formulas counts is not known; the argument is the text whose sign decides."""


def replaced(text: str, x: str, value: str) -> str:
    """A text with a value, read by itself, in the place of a name."""
    whole, inner = parsed(text), ast.unparse(parsed(value))
    for n in ast.walk(whole):
        if isinstance(n, ast.Name) and n.id == x:
            n.id = f"({inner})"
    return ast.unparse(whole)


def slope(e: Any, x: str) -> str:
    """The derivative by a name, as a text. Raises ``KeyError`` and ``ValueError`` where there is none here."""
    if x not in names_of(e):
        return "0"
    match e:
        case ast.Name():
            return "1"
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return f"-({slope(a, x)})"
        case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))):
            return f"{n}*({ast.unparse(a)})**{n - 1}*({slope(a, x)})" if n > 0 else "0"
        case ast.BinOp(left=a, op=kind, right=b):
            u, v, du, dv = (f"({t})" for t in (ast.unparse(a), ast.unparse(b), slope(a, x), slope(b, x)))
            sums = {ast.Add: f"{du} + {dv}", ast.Sub: f"{du} - {dv}", ast.Mult: f"{du}*{v} + {u}*{dv}"}
            return {**sums, ast.Div: f"{du}/{v} - {u}*{dv}/{v}**2"}[type(kind)]
        case ast.Call(func=ast.Name(id=f), args=[a]) if f in DEFINED:
            return slope(parsed(DEFINED[f].format(ast.unparse(a))), x)
        case ast.Call(func=ast.Name(id=f), args=[a]):
            return f"({SLOPES[f].format(ast.unparse(a))})*({slope(a, x)})"
    raise ValueError(f"{ast.unparse(e)} has no derivative here")


class ClaimReader:
    """Reads texts of one part of a claim, as (polynomial, Counter of the factors below it), with axioms and signs."""

    def __init__(self, part: Any, splits: Any) -> None:
        self.part, self.splits, self.learning = part, splits, True
        self.axioms = dict[str, Any]()
        self.shapes = {f"@{name}": tuple(shape) for name, shape in part["matrices"].items()}
        said = [t for kind in KINDS for t in part[kind]]
        said += [str(t) for goal in part["goals"] for t in goal[2:]]
        self.real = not part["complex"] and not any("I" in names_of(parsed(t)) for t in said)
        self.signed: list[Any] = []  # polynomials, and the signs that each may have
        for _ in range(2):  # what is said of one may decide how another is read
            found, self.unread = [], list[Exception]()
            for kind, signs in (("given", {0}), ("nonzero", {-1, 1}), ("positive", {1}), ("nonnegative", {0, 1})):
                for text in part[kind]:
                    try:
                        p, below = self.text(text)
                        found.append((mul(p, *map(dict, below.elements())) if signs != {0} else p, signs))
                    except ValueError as error:  # what is not understood says nothing here: that 0 is 0, or anything
                        self.unread.append(error)
                        found.append(({}, {0} if signs == {0} else {-1, 0, 1}))
            self.signed = found
        self.given = [p for p, signs in self.signed if signs == {0}]
        for t in part["invertible"]:
            self.inverse(self.text(t)[0])

    def text(self, text: str) -> Any:
        """What a text is."""
        return self.read(parsed(text))

    def read(self, e: Any) -> Any:
        """What a node of the syntax is. Raises ``ValueError`` for what has no meaning here, or none yet."""
        match e:
            case ast.IfExp(test=condition, body=a, orelse=b):
                return self.read(a if self.chosen(condition) else b)
            case ast.Constant(value=int(n)) if type(n) is int:
                return add({(): Fraction(n)}, {}), Counter()
            case ast.Name(id=name):
                return ({(f"@{name}",): Fraction(1)}, Counter()) if f"@{name}" in self.shapes else self.call(name, [])
            case ast.UnaryOp(op=ast.USub(), operand=a):
                p, below = self.read(a)
                return add({}, p, -1), below
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))) if type(n) is int:
                p, below = self.read(a)
                return mul(*[p] * n), Counter({f: n * k for f, k in below.items()})
            case ast.BinOp(left=a, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as kind, right=b):
                (p, c), (q, d) = self.read(a), self.read(b)
                if isinstance(kind, ast.Div):
                    if not q or any(map(letters, q)):
                        raise ValueError("a division by zero or by a matrix")
                    (q, d), k = (mul(*map(dict, d.elements())), Counter([frozenset(q.items())])), q.get((), 0)
                    if d == {frozenset({((), k)}): 1}:
                        q, d = mul(q, {(): 1 / k}), Counter()
                if isinstance(kind, ast.Mult | ast.Div):
                    return mul(p, q), c + d
                p, q = (mul(r, *map(dict, ((c | d) - own).elements())) for r, own in ((p, c), (q, d)))
                return add(p, q, -1 if isinstance(kind, ast.Sub) else 1), c | d
            case ast.Call(func=ast.Name(id=f), args=args, keywords=[]) if args:
                return self.call(f, args)
        raise ValueError(f"{ast.unparse(e)} is no formula")

    def call(self, f: str, args: list[Any]) -> Any:
        """What a name, or a function of arguments, is; an absolute value of one sign is its argument, or less that."""
        inner = [ast.unparse(a) for a in args]
        if f == "Abs" and args and (signs := self.signs(args[0])) != {-1, 0, 1} and signs != {-1, 1}:
            return self.read(args[0] if 1 in signs else ast.UnaryOp(ast.USub(), args[0]))
        if f == "T":
            p, below = self.read(args[0])
            return self.turned(p), below
        if f == "inv":
            p, below = self.read(args[0])
            return mul(*map(dict, below.elements()), self.inverse(p)), Counter()
        if f in DEFINED and args:
            return self.text(DEFINED[f].format(*inner))
        if f in NEGATED and args and isinstance(args[0], ast.UnaryOp):
            return self.text(NEGATED[f].format(ast.unparse(args[0].operand)))
        if f in ADDED and args and inner[0] in self.splits:
            first, rest = self.splits[inner[0]]
            before, self.learning = self.learning, False  # what only a proof writes teaches nothing
            whole = self.read(ast.BinOp(difference(inner[0], first), ast.Sub(), parsed(rest)))[0]
            self.learning = before
            if whole:
                raise ValueError(f"{inner[0]} is not the sum of {first} and {rest}")
            return self.text(ADDED[f].format(first, rest))
        name = f"{f}({', '.join(inner)})" if args else f
        if name in VALUES:
            return add({(): Fraction(VALUES[name])}, {}), Counter()
        if self.learning and f in AXIOMS and name not in self.axioms and (f != "Abs" or self.real):
            self.axioms[name] = {}  # while its axiom is read
            self.axioms[name] = self.text(AXIOMS[f].format(*inner))[0]
        return {(name,): Fraction(1)}, Counter()

    def chosen(self, test: Any) -> bool:
        """Whether a condition holds. Raises ``Open`` where that depends on a sign that is not known."""
        match test:
            case ast.BoolOp(op=kind, values=parts):
                return (all if isinstance(kind, ast.And) else any)([self.chosen(a) for a in parts])
            case ast.UnaryOp(op=ast.Not(), operand=a):
                return not self.chosen(a)
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                signs, true = self.signs(e := ast.BinOp(a, ast.Sub(), b)), TRUE[type(op)]
                if signs <= true or not signs & true:
                    return signs <= true
                raise Open(ast.unparse(e))
        raise ValueError(f"{ast.unparse(test)} is no condition")

    def signs(self, e: Any) -> set[int]:
        """The signs that a value may have: below, at and above zero."""
        p, below = self.read(e)
        p = mul(p, *map(dict, below.elements()))
        if not p:
            return {0}
        if any(map(letters, p)):
            return {-1, 0, 1}
        m = next(iter(p))
        for q, signs in ((ONE, {1}), *self.signed):
            if (c := p[m] / q[m] if m in q else 0) and not add(p, q, -c):
                return {s if c > 0 else -s for s in signs}
        match e if self.real else None:
            case ast.UnaryOp(operand=a):
                return {-s for s in self.signs(a)}
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))):
                return {1 if n == 0 else s ** (2 - n % 2) for s in self.signs(a)}
            case ast.BinOp(left=a, op=ast.Mult() | ast.Div(), right=b):
                return {s * t for s in self.signs(a) for t in self.signs(b)}
            case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as kind, right=b):
                way = 1 if isinstance(kind, ast.Add) else -1
                both = {(s, way * t) for s in self.signs(a) for t in self.signs(b)}
                return {-1, 0, 1} if both & {(1, -1), (-1, 1)} else {s or t for s, t in both}
            case ast.Call(func=ast.Name(id=f)) if f in SIGNS:
                return SIGNS[f]
        return {-1, 0, 1}

    def smooth(self, e: Any, x: str = "") -> bool:
        """Whether the form of an expression shows it continuous and defined for all real values (of one name)."""
        for n in ast.walk(e):
            match n if not x or x in names_of(n) else None:
                case ast.BinOp(op=ast.Div(), right=b) if (not x or x in names_of(b)) and 0 in self.signs(b):
                    return False
                case ast.Call(func=ast.Name(id=f), args=[a, *_], keywords=[]):
                    if not self.signs(a) <= SMOOTH.get(f, set()):
                        return False
                case ast.Call() | ast.IfExp():
                    return False
        return True

    def fits(self, monomial: Any, shape: Any) -> bool:
        """Whether a word is a matrix of a shape; the empty one is the identity of any size."""
        shapes = [self.shapes[name] for name in letters(monomial)]
        chained = all(a[1] == b[0] for a, b in pairwise(shapes))
        return (chained and (shapes[0][0], shapes[-1][1]) == tuple(shape)) if shapes else shape[0] == shape[1]

    def inverse(self, p: Any) -> Any:
        """The inverse of a square matrix, as a name; where the claim has it, with axioms."""
        name, word = f"@inv({written(p)})", next(filter(None, map(letters, p)))
        self.shapes[name] = (self.shapes[word[-1]][1], self.shapes[word[0]][0])
        own = {(name,): Fraction(1)}
        if self.learning:
            self.axioms |= {f"{name} left": add(mul(own, p), ONE, -1), f"{name} right": add(mul(p, own), ONE, -1)}
        return own

    def turned(self, p: Any) -> Any:
        """The transpose: words reversed, letters turned."""
        return mul(ONE, {(*m[: len(m) - len(letters(m))], *map(self.turn, letters(m)[::-1])): c for m, c in p.items()})

    def turn(self, name: str) -> str:
        """The transpose of a letter."""
        other = f"@{name[3:-1]}" if name.startswith("@T(") else f"@T({name[1:]})"
        self.shapes[other] = self.shapes[name][::-1]
        return other

    def but(self, **more: list[str]) -> Any:
        """A reader of the same part with other assumptions of some kinds."""
        return type(self)(self.part | more, self.splits)

    def proves(self, goal: Any, proof: Any) -> bool:
        """Whether a proof shows a goal, in each case where it distinguishes some."""
        kind, shape, *texts = goal
        if "case" in proof:
            text, given, positive = proof["case"], self.part["given"], self.part["positive"]
            ways = [("below", {"positive": [*positive, f"-({text})"]}), ("zero", {"given": [*given, text]})]
            ways += [("above", {"positive": [*positive, text]})]
            total = self.real and self.smooth(parsed(text)) and not names_of(parsed(text)) & {*self.part["matrices"]}
            return total and all(self.but(**more).proves(goal, proof[way]) for way, more in ways)
        if "empty" in proof:
            return self.empty(proof["empty"], proof["cofactors"])
        if "squares" in proof and kind == "=":  # what is not negative is equal where its squares are
            sides = [parsed(t) for t in texts]
            first, second = (ast.BinOp(e, ast.Pow(), ast.Constant(2)) for e in sides)
            same = self.equal(ast.BinOp(first, ast.Sub(), second), shape, proof["squares"])
            return same and all(self.signs(e) <= {0, 1} for e in sides)
        if kind in ORDERS:
            form = parsed(proof["form"])
            same = self.equal(ast.BinOp(difference(*texts), ast.Sub(), form), shape, proof)
            return same and self.smooth(form) and self.signs(form) <= ORDERS[kind]
        if kind == "integral":
            return self.integral(shape, *texts, *proof["parts"])
        if kind == "order":
            return self.ordered(shape, texts, proof["parts"])
        return kind == "=" and self.equal(difference(*texts), shape, proof)

    def equal(self, e: Any, shape: Any, proof: Any) -> bool:
        """Whether multiplier and cofactors show that a difference is zero."""
        rest, below = self.read(e)
        self.learning = False  # what is no part of the claim has no axioms
        factors = [parsed(t) for t in proof["multiplier"]]
        rest = self.less(mul(rest, *(self.read(f)[0] for f in factors)), shape, proof["cofactors"])
        sound = all(self.read(f)[0] in map(dict, below) or 0 not in self.signs(f) for f in factors)
        self.learning = True
        return sound and not rest

    def less(self, rest: Any, shape: Any, cofactors: Any) -> Any:
        """A polynomial less cofactors times what vanishes: facts and axioms, also turned; scalars less them turned."""
        words = list(rest)
        for before, key, after in cofactors:
            way, of = key if isinstance(key, list) else ("", key)
            if way == "scalar":  # is its transpose
                relation = add(p := self.text(of)[0], self.turned(p), -1)
                if not all(self.fits(m, ("1", "1")) for m in p):
                    raise ValueError("no scalar")
            else:
                relation = self.given[of] if isinstance(of, int) else self.axioms[of]
                relation = self.turned(relation) if way == "turned" else relation
            a, b = self.text(before)[0], self.text(after)[0]
            words += [x + y + z for x in a for y in relation for z in b] if self.shapes else []
            rest = add(rest, mul(a, relation, b), -1)
        if not all(self.fits(m, shape) for m in words):
            raise ValueError("the shapes differ")
        return rest

    def empty(self, counted: Any, cofactors: Any) -> bool:
        """Whether a positive sum of what is not negative, up to what vanishes, is negative: or 0, where one is not."""
        total, strict = self.less({}, ("1", "1"), cofactors), False
        for n, k in counted:
            p, signs = self.signed[k]
            if type(n) is not int or n <= 0 or not signs <= {0, 1}:
                return False
            total, strict = add(total, p, n), strict or 0 not in signs
        return (total.get((), 0) < 0 and len(total) == 1) or (strict and not total)

    def without(self, x: str) -> Any:
        """The reader without what is assumed of a name."""
        return self.but(**{kind: [t for t in self.part[kind] if x not in names_of(parsed(t))] for kind in KINDS})

    def integral(self, shape: Any, left: str, integrand: str, x: str, low: str, high: str, *parts: Any) -> bool:
        """Whether left is the integral of a function of x from low to the name high."""
        others = names_of(parsed(low)) | (names_of(parsed(integrand)) if x != high else set())
        reader = self.without(high)
        if all(self.signs(parsed(t)) == {1} for t in (low, high)):  # and so is what is between them
            reader = reader.but(positive=[*reader.part["positive"], high])
        rate = difference(slope(parsed(left), high), replaced(integrand, x, high))
        pairs = zip((rate, parsed(replaced(left, high, low))), parts, strict=True)
        fine = high not in others and reader.smooth(parsed(left), high)
        return fine and all(reader.equal(e, shape, proof) for e, proof in pairs)

    def ordered(self, shape: Any, said: list[Any], parts: Any) -> bool:
        """Whether left - right is O((x - at)**order): it has derivatives there up to that one, the others vanish."""
        left, right, x, at, order = said
        reader, texts = self.without(x), [ast.unparse(difference(left, right))]
        for _ in range(order):
            texts.append(slope(parsed(texts[-1]), x))
        *steps, _ = (parsed(replaced(t, x, at)) for t in texts)
        reader.read(parsed(replaced(texts[-1], x, at)))  # which is no division by zero
        return order > 0 and all(reader.equal(e, shape, proof) for e, proof in zip(steps, parts, strict=True))


def holds(certificate: Any) -> bool:
    """Whether a certificate proves the claim that it states, every goal of it."""
    try:
        stated = json.dumps(certificate["stated"], sort_keys=True).encode()
        return hashlib.sha256(stated).hexdigest() == certificate["claim"] and all(
            own.proves(goal, proof)
            for part, proofs in zip(certificate["stated"], certificate["proofs"], strict=True)
            for own in [ClaimReader(part, proofs["splits"])]
            for goal, proof in zip(part["goals"], proofs["goals"], strict=True)
        )
    except Exception:  # what cannot be read proves nothing
        return False


def main() -> int:
    """Check the records of a file."""
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [r for record in json.load(file) for r in (record["readings"] or [record])]
    proofs = [r for r in records if r["verdict"].startswith("proved")]
    failed = [r["id"] for r in proofs if "without" not in r["verdict"] and not holds(r["certificate"])]
    with_one = sum(bool(r["certificate"]) for r in proofs)
    print(f"{len(proofs)} proofs, {with_one} with a certificate, {len(failed)} of them not accepted {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
