"""Checks certificates of proofs with the standard library alone: ``python checker.py RECORDS.json``.

A certificate holds a claim as text (``stated``), the hash of that text, and a proof for each of its goals: that
left = right, or left > right, wherever both are defined and, where nobody writes I, real. A formula is read as
{names as they are multiplied: coefficient}; a function of formulas is a name of its own, and what is known of functions
stands in the tables below. Names of matrices ("@A") keep their order; every word of a proof fits the shape of its goal.

A proof of left = right says: what does not vanish, times left - right without its inverses, is a sum of cofactors times
what vanishes. ``case`` gives a proof below, at and above zero of a formula. ``empty`` says that nothing is left: a sum
of what is not negative, some of it positive, is zero. An inequality is proved by showing that its opposite is empty.
Functions are defined everywhere, by any value where nobody defines them: of that value nothing is known.
"""

import ast
import hashlib
import json
import sys
from ast import walk
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

ANY, SCALAR, ONE = {-1, 0, 1}, ["1", "1"], {(): 1}  # signs: below, at and above zero
LAWS: dict[str, tuple[str, str, set[int]]] = {  # left = right where a has one of these signs
    "sine of a sum": ("sin(a + b)", "sin(a)*cos(b) + cos(a)*sin(b)", ANY),
    "cosine of a sum": ("cos(a + b)", "cos(a)*cos(b) - sin(a)*sin(b)", ANY),
    "power of a sum": ("exp(a + b)", "exp(a)*exp(b)", ANY),
    "odd sine": ("sin(-a)", "-sin(a)", ANY),
    "even cosine": ("cos(-a)", "cos(a)", ANY),
    "odd arctangent": ("atan(-a)", "-atan(a)", ANY),
    "even absolute value": ("Abs(-a)", "Abs(a)", ANY),
    "inverse power": ("exp(-a)", "1/exp(a)", ANY),
    "sine of zero": ("sin(a)", "0", {0}),
    "cosine of zero": ("cos(a)", "1", {0}),
    "power of zero": ("exp(a)", "1", {0}),
    "arctangent of zero": ("atan(a)", "0", {0}),
    "root of zero": ("sqrt(a)", "0", {0}),
    "root of one": ("sqrt(1 + a)", "1", {0}),
    "logarithm of one": ("log(1 + a)", "0", {0}),
    "Pythagoras": ("sin(a)**2 + cos(a)**2", "1", ANY),
    "imaginary unit": ("I**2", "-1", ANY),
    "square": ("Abs(a)**2", "a**2", ANY),
    "square root": ("sqrt(a)**2", "a", {0, 1}),
    "root": ("root(a, b)*root(a, b)**(b - 1)", "a", {0, 1}),
    "left inverse": ("inv(a)*a", "1", {-1, 1}),
    "right inverse": ("a*inv(a)", "1", {-1, 1}),
}
NOT_OF = {True: "imaginary unit", False: "square"}  # what is no law of real numbers, and of complex ones
DEFINED = {"tan": "sin(a)/cos(a)", "cot": "cos(a)/sin(a)", "sinh": "(exp(a) - 1/exp(a))/2"}
DEFINED |= {"cosh": "(exp(a) + 1/exp(a))/2", "tanh": "(exp(a)**2 - 1)/(exp(a)**2 + 1)"}
DEFINED |= {"Max": "a if a >= b else b", "Min": "a if a <= b else b", "sign": "0 if a == 0 else 1 if a > 0 else -1"}
SIGNS = {"exp": {1}, "sqrt": {0, 1}, "root": {0, 1}, "Abs": {0, 1}}
DOMAIN = {"inv": {-1, 1}, "sqrt": {0, 1}, "root": {0, 1}, "log": {1}}
TRUE = {ast.Lt: {-1}, ast.LtE: {-1, 0}, ast.Gt: {1}, ast.GtE: {0, 1}, ast.Eq: {0}, ast.NotEq: {-1, 1}}
SAID = {"given": {0}, "nonzero": {-1, 1}, "positive": {1}, "nonnegative": {0, 1}}
GOALS = {"!=": {-1, 1}, ">": {1}, ">=": {0, 1}}


def add(p: Any, q: Any, k: Any = 1) -> Any:
    """p + k q."""
    total = dict(p)
    for m, c in q.items():
        total[m] = total.get(m, 0) + k * c
    return {m: c for m, c in total.items() if c}


def mul(*polynomials: Any) -> Any:
    """The product: numbers commute, matrices keep their order behind them."""
    product: Any = ONE
    for p in polynomials:
        total: Any = {}
        for (m, a), (n, b) in ((x, y) for x in product.items() for y in p.items()):
            word = tuple(sorted(m + n, key=lambda name: "~" if name[0] == "@" else name))
            total[word] = total.get(word, 0) + a * b
        product = {m: c for m, c in total.items() if c}
    return product


def letters(m: Any) -> list[str]:
    """The matrices in a word."""
    return [name for name in m if name[0] == "@"]


def written(p: Any) -> str:
    """A polynomial as a text, equal ones alike."""
    return " + ".join("*".join([str(c), *(name.lstrip("@") for name in m)]) for m, c in sorted(p.items())) or "0"


def monic(p: Any) -> str:
    """What multiples of a polynomial have in common."""
    return written(mul(p, {(): Fraction(1) / p[max(p)]}))


def way(p: Any) -> int:
    """The sign of a polynomial beside that."""
    return 1 if p[max(p)] > 0 else -1


def scalar(p: Any) -> Any:
    """A polynomial, if no matrix is in it."""
    if any(map(letters, p)):
        raise ValueError("a matrix has no sign")
    return p


@lru_cache(maxsize=1000)  # a text is read for every goal and case
def parsed(text: str) -> Any:
    """A text, which stands for itself, as syntax; raises ``ValueError`` for letters that Python reads as others."""
    if not text.isascii():
        raise ValueError("other letters may be read as these")
    return ast.parse(text, mode="eval").body


class GoalReader:
    """Reads the texts of one goal of a claim as polynomials, with what is known where both sides are defined.

    ``laws`` say how names of functions are read; ``cases`` are further texts with the signs that they have.
    """

    def __init__(self, part: Any, goal: Any, laws: Any, cases: Any = ()) -> None:
        self.part, self.goal, self.laws, self.cases = part, goal, laws, cases
        self.atoms, self.defined = dict[str, Any](), list[Any]()  # functions with their arguments
        self.bound, self.facts = dict[str, Any](), dict[str, set[int]]()  # what names and polynomials may be
        self.shapes = {f"@{name}": tuple(shape) for name, shape in part["matrices"].items()}
        said = [*cases, *((text, signs) for kind, signs in SAID.items() for text in part[kind])]
        said += [(text, ANY) for text in (*(f"inv({t})" for t in part["invertible"]), *goal[2:])]
        self.real = not part["complex"] and not any(
            getattr(n, "id", "") == "I" for t, _ in said for n in walk(parsed(t))
        )
        for k, (text, signs) in [*enumerate(said)] * 2:  # twice: one may decide how another is read
            self.stated = k >= len(cases)  # and defined, what only a proof writes need not be
            with suppress(ValueError):  # what is not understood says nothing
                self.learn(self.text(text), signs)
            for f, p in self.defined:
                self.learn(p, DOMAIN[f] if self.real or f == "inv" else ANY)
        self.stated = False

    def but(self, p: Any, signs: set[int]) -> Any:
        """A reader of the same goal where a polynomial has one of some signs."""
        return type(self)(self.part, self.goal, self.laws, (*self.cases, (written(p), signs)))

    def learn(self, p: Any, signs: set[int]) -> None:
        """A polynomial has one of some signs."""
        p = self.cleared(p, 2)
        if not self.real and signs != {0} and not (len(p) == 1 and len(*p) == 1):  # of products, no more than that
            signs = ANY if 0 in signs else {-1, 1}
        found = self.known(p) & signs
        if p and signs != ANY:
            self.facts[monic(p)] = {s * way(p) for s in found}
        elif not found:
            self.facts["0"] = found

    def text(self, text: str, stated: bool = True, **bound: Any) -> Any:
        """What a text is, with polynomials in the place of names."""
        outer, self.bound, self.stated = (self.bound, self.stated), bound, self.stated and stated
        try:
            return self.read(parsed(text))
        finally:
            self.bound, self.stated = outer

    def read(self, e: Any) -> Any:
        """What a node of the syntax is. Raises ``ValueError`` for what has no meaning here."""
        match e:
            case ast.Constant(value=int(n)) if type(n) is int:
                return add({}, {(): n})
            case ast.Name(id=x):
                return self.bound[x] if x in self.bound else self.call(x, [])
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return add({}, self.read(a), -1)
            case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as kind, right=b):
                return add(self.read(a), self.read(b), 1 if isinstance(kind, ast.Add) else -1)
            case ast.BinOp(left=a, op=ast.Mult(), right=b):
                return mul(self.read(a), self.read(b))
            case ast.BinOp(left=a, op=ast.Div(), right=b) if not any(map(letters, q := self.read(b))):
                return mul(self.read(a), self.call("inv", [q]))
            case ast.BinOp(left=a, op=ast.Pow(), right=b) if set(n := self.read(b)) <= {()}:
                k = n.get((), 0)
                if k.denominator == 1 and k >= 0:
                    return mul(*[self.read(a)] * int(k))
            case ast.IfExp(test=ast.Compare(left=a, ops=[op], comparators=[b]), body=yes, orelse=no):
                signs, true = self.known(scalar(add(self.read(a), self.read(b), -1))), TRUE[type(op)]
                if signs <= true or not signs & true:
                    return self.read(yes if signs <= true else no)
            case ast.Call(func=ast.Name(id=f), args=args, keywords=[]) if args:
                return self.call(f, [self.read(a) for a in args])
        raise ValueError(f"{ast.unparse(e)} is no formula, or which one is not known")

    def call(self, f: str, args: list[Any]) -> Any:
        """What a name, or a function of arguments, is: by its definition, by a law of the proof, or a name."""
        a, name = args[0] if args else {}, f"{f}({', '.join(map(written, args))})" if args else f
        if f == "T" and args:
            return self.turned(a)
        if f == "inv" and args and set(a) <= {()}:
            return {(): Fraction(1) / a[()]}  # of zero: that raises
        if f == "Abs" and args and self.real and not {-1, 1} <= (signs := self.known(scalar(a))):
            return a if -1 not in signs else add({}, a, -1)
        if f in DEFINED and args:
            return self.text(DEFINED[f], **dict(zip("ab", args, strict=False)))
        if any(letters(m) for p in args for m in p):
            if f != "inv":
                raise ValueError(f"{f} of a matrix")
            name, word = f"@{name}", next(filter(None, map(letters, a)))
            self.shapes[name] = (self.shapes[word[-1]][1], self.shapes[word[0]][0])
        name = f"@{name}" if f"@{name}" in self.shapes else name
        self.atoms[name] = (f if args else ""), args  # a name that is called as a function is none
        if self.stated and args and f in DOMAIN and (f, a) not in self.defined:
            self.defined.append((f, a))
        if name not in self.laws:
            return {(name,): 1}
        own, self.laws = self.laws, {k: law for k, law in self.laws.items() if k != name}
        try:
            left, right = self.law(*own[name])
        finally:
            self.laws = own
        if left != {(name,): 1}:
            raise ValueError(f"a law of something else than {name}")
        return right

    def law(self, name: str, *texts: str) -> Any:
        """Both sides of a law for some arguments, of which the first has the sign that it asks for."""
        left, right, signs = LAWS[name]
        bound = {x: self.text(t, False) for x, t in zip("ab", texts, strict=False)}
        if (signs != ANY and not self.known(bound["a"]) <= signs) or name == NOT_OF[self.real]:
            raise ValueError(f"the law of the {name} is not known for {texts}")
        return self.text(left, False, **bound), self.text(right, False, **bound)

    def turned(self, p: Any) -> Any:
        """The transpose: words reversed, letters turned."""
        found = {}
        for m, c in p.items():
            own = letters(m)[::-1]
            turned = [f"@{name[3:-1]}" if name.startswith("@T(") else f"@T({name[1:]})" for name in own]
            self.shapes |= {t: self.shapes[name][::-1] for t, name in zip(turned, own, strict=True)}
            found[*m[: len(m) - len(own)], *turned] = c
        return found

    def fits(self, word: Any, shape: Any) -> bool:
        """Whether a word is a matrix of a shape; the empty one is the identity of any size."""
        shapes = [self.shapes[name] for name in letters(word)]
        chained = all(a[1] == b[0] for a, b in pairwise(shapes))
        return (chained and (shapes[0][0], shapes[-1][1]) == tuple(shape)) if shapes else shape[0] == shape[1]

    def cleared(self, p: Any, even: int = 1) -> Any:
        """A polynomial times powers of what it divides by, where that is not zero; of even ones for its sign."""
        names = {name for m in p for name in m if name.startswith("inv(")}
        for name in sorted(names, key=len, reverse=True):
            if 0 not in self.known(below := self.atoms[name][1][0]):
                most = -(-max(m.count(name) for m in p) // even) * even
                terms = [({tuple(x for x in m if x != name): c}, most - m.count(name)) for m, c in p.items()]
                p = {}
                for term, power in terms:
                    p = add(p, mul(term, *[below] * power))
                return self.cleared(p, even)
        return p

    def known(self, p: Any) -> set[int]:
        """The signs that a polynomial may have: those that are known of it, and those that its terms let it have."""
        p, total = self.cleared(p, 2), {0}
        found = {s * way(p) for s in self.facts.get(monic(p), ANY)} if p else total
        if any(map(letters, p)) or (len(p) > 1 and not self.real):
            return found
        for m, c in p.items():
            own = {1 if c > 0 else -1}
            for name in set(m):
                own = {s * t ** (m.count(name) if self.real else 1) for s in own for t in self.sign(name)}
            total = {u for s in total for t in own for u in (ANY if s * t < 0 else {s or t})}
        return found & total

    def sign(self, name: str) -> set[int]:
        """The signs that a name may have."""
        f = self.atoms[name][0]
        own = SIGNS.get(f, ANY) if self.real else {-1, 1} if f == "exp" else ANY
        return own & self.facts.get(f"1*{name}", ANY)

    def proves(self, goal: Any, proof: Any) -> bool:
        """Whether a proof shows a goal, in each case where it distinguishes some."""
        kind, shape, left, right = goal
        if "case" in proof:
            p, ways = scalar(self.text(proof["case"])), zip((-1, 0, 1), proof["ways"], strict=True)
            return self.real and all(self.but(p, {s}).proves(goal, way) for s, way in ways)
        if "empty" in proof:
            return self.real and self.empty(proof["empty"], proof["cofactors"])
        p = add(self.text(left), self.text(right), -1)
        if kind in GOALS:
            inner = self.but(p, ANY - GOALS[kind])
            return (self.real or kind == "!=") and inner.proves(["=", SCALAR, "1", "0"], proof["opposite"])
        factors = [scalar(self.text(t)) for t in proof["times"]]
        sound = kind == "=" and all(0 not in self.known(f) for f in factors)
        return sound and not self.less(mul(self.cleared(p), *factors), shape, proof["cofactors"])

    def less(self, rest: Any, shape: Any, cofactors: Any) -> Any:
        """A polynomial less cofactors times what vanishes."""
        words = list(rest)
        for before, key, after in cofactors:
            a, b, relation = self.text(before), self.text(after), self.cleared(self.vanishing(key))
            words += [x + y + z for x in a for y in relation for z in b] if self.shapes else []
            rest = add(rest, mul(a, relation, b), -1)
        if not all(self.fits(m, shape) for m in words):
            raise ValueError("the shapes differ")
        return rest

    def vanishing(self, key: Any) -> Any:
        """What vanishes: by what is known, or by a law; that turned; a 1 x 1 matrix less it turned."""
        match key:
            case str() if self.known(p := self.text(key)) == {0}:
                return p
            case ["turned", other]:
                return self.turned(self.vanishing(other))
            case ["scalar", text]:
                if all(self.fits(m, SCALAR) for m in self.text(text)):
                    return add(self.text(text), self.turned(self.text(text)), -1)
            case [name, *texts]:
                left, right = self.law(name, *texts)
                return add(left, right, -1)
        raise ValueError(f"{key} is not known to vanish")

    def empty(self, terms: Any, cofactors: Any) -> bool:
        """Whether signs contradict each other, or a sum of what is not negative, some of it positive, is zero."""
        total, strict = self.less({}, SCALAR, cofactors), False
        for n, factors, roots in terms:
            product, signs = {(): n}, {1}
            for p, power in [(scalar(self.text(t)), k) for k, own in ((1, factors), (2, roots)) for t in own]:
                signs = {s * t**power for s in signs for t in self.known(p)}
                product = mul(product, *[p] * power)
            if type(n) is not int or n <= 0 or not signs <= {0, 1}:
                return False
            total, strict = add(total, product), strict or 0 not in signs
        return (strict and not self.cleared(total)) or not all(self.facts.values())


def holds(certificate: Any) -> bool:
    """Whether a certificate proves the claim that it states, every goal of it."""
    try:
        stated = json.dumps(certificate["stated"], sort_keys=True).encode()
        return hashlib.sha256(stated).hexdigest() == certificate["claim"] and all(
            GoalReader(part, goal, proofs["laws"]).proves(goal, proof)
            for part, proofs in zip(certificate["stated"], certificate["proofs"], strict=True)
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
