"""The texts of a goal as polynomials, for who looks for a proof: read as the checker will, with laws chosen for it.

This shares no code with the checker. Nothing here need be right: what is found is accepted there or is no proof.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from nsdgen.verify.setting import Deadline

from .polynomials import Polynomial, Word, add, atom, leading, letters, mul, named, text_of

Case = tuple[str, frozenset[int]]
"""A text and the signs that it has in a case."""
Signs = frozenset[int]

_MOST_TERMS = 3000  # of a formula: a bound on time and on the length of what is written
_MOST_PARTS = 12  # of an argument that is split: each is one more addition theorem, and terms double with each
_MOST_POWER = 40  # of a sum that is multiplied out
_ANY, _ZERO, _ABOVE, _NOT_BELOW, _NOT_ZERO = map(frozenset, ((-1, 0, 1), (0,), (1,), (0, 1), (-1, 1)))
_SAID = {"given": _ZERO, "nonzero": _NOT_ZERO, "positive": _ABOVE, "nonnegative": _NOT_BELOW}
_DOMAINS = {"inv": _NOT_ZERO, "sqrt": _NOT_BELOW, "root": _NOT_BELOW, "log": _ABOVE}
_SIGNS = {"exp": _ABOVE, "sqrt": _NOT_BELOW, "root": _NOT_BELOW, "Abs": _NOT_BELOW}
_TRUE = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}, "==": {0}, "!=": {-1, 1}}
_OPERATORS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SUMS = {"sin": "sine of a sum", "cos": "cosine of a sum", "exp": "power of a sum"}
_NEGATED = {"sin": "odd sine", "cos": "even cosine", "exp": "inverse power"}
_NEGATED |= {"atan": "odd arctangent", "Abs": "even absolute value"}
AT_ZERO = {
    "sin": (0, 0, "sine of zero"),
    "cos": (0, 1, "cosine of zero"),
    "exp": (0, 1, "power of zero"),
    "atan": (0, 0, "arctangent of zero"),
    "sqrt": (0, 0, "root of zero"),
    "log": (1, 0, "logarithm of one"),
}
"""Values of functions at an argument, and the law that says so."""
_ROOT_OF_ONE = "sqrt(1)"


_DEFINITIONS = {
    "Max": "a if a >= b else b",
    "Min": "a if a <= b else b",
    "sign": "0 if a == 0 else 1 if a > 0 else -1",
    "tan": "sin(a)/cos(a)",
    "cot": "cos(a)/sin(a)",
    "cosh": "(exp(a) + 1/exp(a))/2",
    "sinh": "(exp(a) - 1/exp(a))/2",
    "tanh": "(exp(a)**2 - 1)/(exp(a)**2 + 1)",
}


class Open(ValueError):
    """Which of several formulas counts is not known; the argument is the polynomial whose sign decides."""


class TooLarge(Exception):
    """A polynomial of more terms than are looked at."""


@lru_cache(maxsize=2048)
def _parsed(text: str) -> Any:
    return ast.parse(text, mode="eval").body


class Formulas:
    """A goal in one case: its formulas, what is known of them, and the laws by which they are read."""

    def __init__(
        self,
        part: Any,
        goal: Sequence[Any],
        units: dict[Word, Fraction] | None,
        laws: dict[str, list[str]],
        deadline: Deadline,
        cases: Iterable[Case] = (),
    ) -> None:
        self.part, self.goal, self.units, self.laws, self.deadline = part, goal, units, laws, deadline
        self.cases, self.bound = tuple(cases), dict[str, Polynomial]()
        self.functions: dict[str, tuple[str, list[Polynomial]]] = {}
        self.facts: dict[str, tuple[Polynomial, Signs]] = {}
        self.given: dict[str, Polynomial] = {}
        self.shapes = {f"@{name}": tuple(shape) for name, shape in part["matrices"].items()}
        said = [*self.cases, *((t, signs) for kind, signs in _SAID.items() for t in part[kind])]
        said += [(t, _ANY) for t in (*(f"inv({t})" for t in part["invertible"]), *goal[2:])]
        self.real = not part["complex"] and not any(
            getattr(n, "id", "") == "I" for t, _ in said for n in ast.walk(_parsed(t))
        )
        self.open: list[Polynomial] = []
        for again in (False, True):
            if (
                again
                and not self.open
                and not self.cases
                and not {"Abs", "inv"} & {f for f, _ in self.functions.values()}
            ):
                break  # nothing that was learned later would have been read in another way
            self.open = []
            for text, signs in said:
                self._say(text, signs)

    def _say(self, text: str, signs: Signs) -> None:
        try:
            p = self.text(text)
        except Open as undecided:
            self.open.append(undecided.args[0])
        except ValueError:
            pass
        else:
            self.learn(p, signs)
            if signs == _ZERO and p:
                self.given[text] = self.cleared(p)
        for f, args in list(self.functions.values()):
            if f in _DOMAINS and (self.real or f == "inv"):
                self.learn(args[0], _DOMAINS[f])

    def but(self, text: str, signs: Iterable[int]) -> Formulas:
        """The same goal where a text has one of some signs."""
        cases = (*self.cases, (text, frozenset(signs)))
        return Formulas(self.part, self.goal, self.units, self.laws, self.deadline, cases)

    @property
    def contradicted(self) -> bool:
        """Whether something has no sign at all: then there is nothing in this case."""
        return not all(signs for _, signs in self.facts.values())

    def learn(self, p: Polynomial, signs: Signs) -> None:
        """A polynomial has one of some signs."""
        p = self.cleared(p, 2)
        if not self.real and signs != _ZERO and not (len(p) == 1 and len(next(iter(p))) == 1):
            signs = _ANY if 0 in signs else _NOT_ZERO
        found = self.known(p) & signs
        if p and signs != _ANY:
            key, way = leading(p)
            self.facts[key] = {m: c * way for m, c in p.items()}, frozenset(s * way for s in found)
        elif not found:
            self.facts["0"] = {}, found

    # ---- reading

    def text(self, text: str) -> Polynomial:
        """What a text is. Raises ``Open``, ``TooLarge``, and ``ValueError`` for what is no formula."""
        return self.read(_parsed(text))

    def read(self, e: Any) -> Polynomial:
        """What a node of the syntax is."""
        self.deadline.check()
        found = self._read(e)
        if len(found) > _MOST_TERMS:
            raise TooLarge
        return found

    def _read(self, e: Any) -> Polynomial:
        if isinstance(e, ast.Constant) and type(e.value) is int:
            return {(): e.value} if e.value else {}
        if isinstance(e, ast.Name):
            return self.bound[e.id] if e.id in self.bound else self.call(e.id, [])
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            return {m: -c for m, c in self.read(e.operand).items()}
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.args:
            return self.call(e.func.id, [self.read(a) for a in e.args])
        if isinstance(e, ast.IfExp) and isinstance(e.test, ast.Compare):
            kind = _OPERATORS[type(e.test.ops[0])]
            chosen = self._holds(add(self.read(e.test.left), self.read(e.test.comparators[0]), -1), kind)
            return self.read(e.body if chosen else e.orelse)
        if isinstance(e, ast.BinOp):
            a, b = self.read(e.left), self.read(e.right)
            if isinstance(e.op, ast.Add | ast.Sub):
                return add(a, b, 1 if isinstance(e.op, ast.Add) else -1)
            if isinstance(e.op, ast.Mult):
                return mul(a, b)
            if isinstance(e.op, ast.Div) and not any(map(letters, b)):
                return mul(a, self.call("inv", [b]))
            power = b.get((), 0)
            if isinstance(e.op, ast.Pow) and set(b) <= {()} and power.denominator == 1 and power >= 0:
                if power > _MOST_POWER and len(a) > 1:
                    raise TooLarge
                return mul(*[a] * int(power))
        raise ValueError(f"{ast.unparse(e)} is no formula")

    def _holds(self, difference: Polynomial, kind: str) -> bool:
        signs, true = self.known(difference), _TRUE[kind]
        if signs <= true or not signs & true:
            return signs <= true
        raise Open(difference)

    def call(self, f: str, args: list[Polynomial]) -> Polynomial:
        """What a name, or a function of arguments, is; arguments are split and turned by laws."""
        if not args:
            name = f"@{f}" if f"@{f}" in self.shapes else f
            self.functions.setdefault(name, ("", args))
            return atom(name)
        a = args[0]
        if f in _DEFINITIONS:
            outer, self.bound = self.bound, dict(zip("ab", args, strict=False))
            try:
                return self.text(_DEFINITIONS[f])
            finally:
                self.bound = outer
        if f == "T":
            return self.turned(a)
        if f == "inv":
            return self._inverse(a)
        if f == "Abs" and self.real and not (signs := self.known(a)) >= _NOT_ZERO:
            return {m: -c for m, c in a.items()} if -1 in signs else a
        name = f"{f}({', '.join(map(named, args))})"
        if any(letters(m) for p in args for m in p):
            raise ValueError(f"{f} of a matrix")
        self.functions[name] = f, args
        if (f in AT_ZERO and name == f"{f}({AT_ZERO[f][0]})") or name == _ROOT_OF_ONE:
            _, value, law = AT_ZERO[f] if name != _ROOT_OF_ONE else (1, 1, "root of one")
            self.laws[name] = [law, "0"]
            return {(): value} if value else {}
        return (self._by_law(f, name, a) if f in _NEGATED and a else None) or atom(name)

    def _by_law(self, f: str, name: str, a: Polynomial) -> Polynomial | None:
        """A function of a sum, or of what is negative, by functions of its parts; None where it is a name."""
        m, c = min(a.items())
        if f in _SUMS and self.units is not None:
            unit = self.units.get(m, abs(c))
            first = {m: unit if c > 0 else -unit}
            if a != first and sum(abs(k) / Fraction(self.units.get(n, abs(k))) for n, k in a.items()) <= _MOST_PARTS:
                rest = add(a, first, -1)
                self.laws[name] = [_SUMS[f], text_of(first), text_of(rest)]
                if f == "exp":
                    return mul(self.call("exp", [first]), self.call("exp", [rest]))
                (s, t), (u, v) = ([self.call(g, [p]) for p in (first, rest)] for g in ("sin", "cos"))
                return add(mul(s, v), mul(u, t)) if f == "sin" else add(mul(u, v), mul(s, t), -1)
        if c > 0:
            return None
        other = {n: -k for n, k in a.items()}
        self.laws[name] = [_NEGATED[f], text_of(other)]
        found = self.call(f, [other])
        if f == "exp":
            return self.call("inv", [found])
        return {n: -k for n, k in found.items()} if f in ("sin", "atan") else found

    def _inverse(self, a: Polynomial) -> Polynomial:
        """One over a number, or the inverse of a formula as a name."""
        if set(a) <= {()}:
            if not a:
                raise ValueError("a division by zero")
            return {(): Fraction(1) / a[()]}
        name = f"inv({named(a)})"
        if word := next(filter(None, map(letters, a)), None):
            name = f"@{name}"
            self.shapes[name] = (self.shapes[word[-1]][1], self.shapes[word[0]][0])
        self.functions[name] = "inv", [a]
        return atom(name)

    def turned(self, p: Polynomial) -> Polynomial:
        """The transpose: words reversed, letters turned."""
        found: Polynomial = {}
        for m, c in p.items():
            own = letters(m)
            word = (*m[: len(m) - len(own)], *map(self.turn, own[::-1]))
            found[word] = c
        return found

    def turn(self, name: str) -> str:
        """The transpose of a letter."""
        other = f"@{name[3:-1]}" if name.startswith("@T(") else f"@T({name[1:]})"
        self.shapes[other] = self.shapes[name][::-1]
        return other

    def fits(self, word: Word, shape: Sequence[str]) -> bool:
        """Whether a word of matrices is one of a shape."""
        shapes = [self.shapes[name] for name in letters(word)]
        return all(a[1] == b[0] for a, b in pairwise(shapes)) and (shapes[0][0], shapes[-1][1]) == tuple(shape)

    # ---- signs

    def cleared(self, p: Polynomial, even: int = 1) -> Polynomial:
        """A polynomial times powers of what it divides by; of even ones for its sign."""
        while True:
            names = {name for m in p for name in m if name.startswith("inv(")}
            able = [n for n in names if 0 not in self.known(self.functions[n][1][0])]
            if not able:
                return p
            name = max(able, key=lambda n: (len(n), n))
            below = self.functions[name][1][0]
            most = -(-max(m.count(name) for m in p) // even) * even
            by_power: dict[int, Polynomial] = {}
            for m, c in p.items():
                k = most - m.count(name)
                by_power.setdefault(k, {})[tuple(n for n in m if n != name)] = c
            p = {}
            for k, terms in by_power.items():
                self.deadline.check()
                p = add(p, mul(terms, *[below] * k))

    def known(self, p: Polynomial) -> Signs:
        """The signs that a polynomial may have."""
        p = self.cleared(p, 2)
        if not p:
            return _ZERO
        key, way = leading(p)
        found = frozenset(s * way for s in self.facts[key][1]) if key in self.facts else _ANY
        if any(map(letters, p)) or (len(p) > 1 and not self.real):
            return found
        total = {0}
        for m, c in p.items():
            own = {1 if c > 0 else -1}
            for name in set(m):
                own = {s * t ** (m.count(name) if self.real else 1) for s in own for t in self.sign(name)}
            total = {u for s in total for t in own for u in (_ANY if s * t < 0 else (s or t,))}
            if len(total) == 3:
                return found
        return found & total

    def sign(self, name: str) -> Signs:
        """The signs that a name may have."""
        f = self.functions[name][0] if name in self.functions else ""
        own = _SIGNS.get(f, _ANY) if self.real else _NOT_ZERO if f == "exp" else _ANY
        key = f"1*{name}"
        return own & self.facts[key][1] if key in self.facts else own


def units_of(part: Any, deadline: Deadline) -> dict[Word, Fraction]:
    """For every term in arguments of sines and exponentials the largest part of which all are whole multiples."""
    units: dict[Word, Fraction] = {}
    texts = [*(t for kind in _SAID for t in part[kind]), *(t for goal in part["goals"] for t in goal[2:])]
    calls = [n for t in texts for n in ast.walk(_parsed(t)) if isinstance(n, ast.Call)]
    calls = [n for n in calls if getattr(n.func, "id", "") in (*_SUMS, *_DEFINITIONS)]
    read = Formulas(part, ["=", ["1", "1"], "0", "0"], None, {}, deadline) if calls else None
    for n in calls:
        try:
            argument = read.read(n.args[0]) if read else {}
        except ValueError:
            continue
        for m, c in argument.items():
            old = units.setdefault(m, c)
            below = lcm(old.denominator, c.denominator)
            units[m] = Fraction(gcd(int(old * below), int(c * below)), below)
    return units
