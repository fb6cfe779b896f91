"""The texts of a goal as polynomials, for who looks for a proof: read as the checker will, with the steps it needs.

This shares no code with the checker. Nothing here need be right: what is found is accepted there or is no proof.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Any

from nsdgen.verify.setting import Deadline

from .polynomials import Polynomial, Word, add, atom, letters, mul, named
from .signs import ANY, NOT_ZERO, ZERO, Key, KnownSigns, Signs
from .syntax import SAID, parsed

Case = tuple[str, frozenset[int]]
"""A text and the signs that it has in a case."""

_MOST_TERMS = 3000  # of a formula: a bound on time and on the length of what is written
_MOST_PARTS = 12  # of an argument that is split: each is one more addition theorem, and terms double with each
_MOST_POWER = 40  # of a sum that is multiplied out
_SUMS = {
    "sin": "sin({0} + {1}) - sin({0})*cos({1}) - cos({0})*sin({1})",
    "cos": "cos({0} + {1}) - cos({0})*cos({1}) + sin({0})*sin({1})",
    "exp": "exp({0} + {1}) - exp({0})*exp({1})",
}
_NEGATED = {
    "sin": "sin(-{0}) + sin({0})",
    "cos": "cos(-{0}) - cos({0})",
    "exp": "exp(-{0}) - 1/exp({0})",
    "atan": "atan(-{0}) + atan({0})",
    "Abs": "Abs(-{0}) - Abs({0})",
}
_VALUES = {"sin(0)": 0, "cos(0)": 1, "exp(0)": 1, "atan(0)": 0, "log(1)": 0, "root(1, 2)": 1}
_CHOICES = {s: f"choose({{0}}, {{1}}, {{2}}, {{3}}) - {{{k}}}" for s, k in ((-1, 1), (0, 2), (1, 3))}


class TooLarge(Exception):
    """A polynomial of more terms than are looked at."""


class Formulas(KnownSigns):
    """A goal in one case: its formulas and what is known of them; ``given`` are texts that vanish."""

    def __init__(
        self,
        part: Any,
        goal: Sequence[Any],
        units: dict[Word, Fraction] | None,
        deadline: Deadline,
        cases: Iterable[Case] = (),
    ) -> None:
        self.part, self.goal, self.units, self.cases = part, goal, units, tuple(cases)
        self.values: dict[str, Polynomial] = {}
        self.given: list[str] = []
        self.shapes = {f"@{name}": tuple(shape) for name, shape in part["matrices"].items()}
        said: dict[str, Signs] = dict(self.cases)
        for text, signs in ((t, s) for own in (part, goal[3]) for kind, s in SAID.items() for t in own[kind]):
            said[text] = said.get(text, ANY) & signs
        super().__init__(not part["complex"], said, deadline)
        for again in (False, True):
            if again and not self.cases and not {"Abs", "inv", "choose"} & {f for f, _ in self.functions.values()}:
                break  # nothing that was learned later would have been read in another way
            self.given = []
            for text, signs in self.said.items():
                with suppress(ValueError):  # what is not understood says nothing
                    self.learn(text, p := self.text(text), signs)
                    self.given += [text] if signs == ZERO and p else []

    def but(self, text: str, signs: Iterable[int]) -> Formulas:
        """The same goal where a text has one of some signs."""
        cases = (*self.cases, (text, frozenset(signs)))
        return Formulas(self.part, self.goal, self.units, self.deadline, cases)

    # ---- reading

    def text(self, text: str) -> Polynomial:
        """What a text is. Raises ``TooLarge``, and ``ValueError`` for what is no formula."""
        return self.read(parsed(text))

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
            name = f"@{e.id}" if f"@{e.id}" in self.shapes else e.id
            self.functions.setdefault(name, ("", []))
            return atom(name)
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
            return {m: -c for m, c in self.read(e.operand).items()}
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.args:
            return self.call(e.func.id, [self.read(a) for a in e.args])
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

    def call(self, f: str, args: list[Polynomial]) -> Polynomial:
        """What a function of arguments is; arguments are split and turned by laws."""
        a = args[0]
        if f == "T":
            return self.turned(a)
        if f == "inv":
            return self._inverse(a)
        name = f"{f}({', '.join(map(named, args))})"
        if any(letters(m) for p in args for m in p):
            raise ValueError(f"{f} of a matrix")
        if name in self.values:
            return self.values[name]
        self.functions[name] = f, args
        if name in _VALUES:
            value = _VALUES[name]
            return self._let(name, [f"{name} - 1" if value else name], {(): 1} if value else {})
        if f == "Abs" and self.real and not (signs := self.known(a)) >= NOT_ZERO:
            law, way = ("Abs({0}) - {0}", 1) if -1 not in signs else ("Abs({0}) + {0}", -1)
            return self._let(name, [law, *self.arguments(args)], {m: way * c for m, c in a.items()})
        if f == "choose" and len(signs := self.known(a)) <= 1:
            sign = next(iter(signs), 0)
            return self._let(name, [_CHOICES[sign], *self.arguments(args)], args[sign + 2])
        return (self._by_law(f, name, a) if f in _NEGATED and a else None) or atom(name)

    def _let(self, name: str, key: Key, value: Polynomial) -> Polynomial:
        """From here on a function is read as a value, by a law whose first term it is."""
        self.values[name] = value
        self.steps.append(["let", name, "1", key])
        return value

    def _by_law(self, f: str, name: str, a: Polynomial) -> Polynomial | None:
        """A function of a sum, or of what is negative, by functions of its parts; None where it is a name."""
        m, c = min(a.items())
        if f in _SUMS and self.units is not None:
            unit = self.units.get(m, abs(c))
            first = {m: unit if c > 0 else -unit}
            if a != first and sum(abs(k) / Fraction(self.units.get(n, abs(k))) for n, k in a.items()) <= _MOST_PARTS:
                rest = add(a, first, -1)
                key = [_SUMS[f], named(first), named(rest)]
                if f == "exp":
                    return self._let(name, key, mul(self.call("exp", [first]), self.call("exp", [rest])))
                (s, t), (u, v) = ([self.call(g, [p]) for p in (first, rest)] for g in ("sin", "cos"))
                value = add(mul(s, v), mul(u, t)) if f == "sin" else add(mul(u, v), mul(s, t), -1)
                return self._let(name, key, value)
        if c > 0:
            return None
        other = {n: -k for n, k in a.items()}
        found = self.call(f, [other])
        if f == "exp":
            found = self.call("inv", [found])
        elif f in ("sin", "atan"):
            found = {n: -k for n, k in found.items()}
        return self._let(name, [_NEGATED[f], named(other)], found)

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
            found[*m[: len(m) - len(own)], *map(self.turn, own[::-1])] = c
        return found

    def turn(self, name: str) -> str:
        """The transpose of a letter."""
        other = f"@{name[3:-1]}" if name.startswith("@T(") else f"@T({name[1:]})"
        self.shapes[other] = self.shapes[name][::-1]
        return other

    def one_by_one(self, p: Polynomial) -> Iterator[Word]:
        """Words of matrices in a polynomial that are 1 x 1 and not turned into themselves."""
        for m in p:
            word = letters(m)
            for i in range(len(word)):
                for j in range(i + 1, len(word) + 1):
                    part, shapes = atom(*word[i:j]), [self.shapes[name] for name in word[i:j]]
                    fits = all(a[1] == b[0] for a, b in pairwise(shapes)) and shapes[0][0] == shapes[-1][1] == "1"
                    if fits and self.turned(part) != part:
                        yield word[i:j]


def units_of(part: Any, deadline: Deadline) -> dict[Word, Fraction]:
    """For every term in arguments of sines and exponentials the largest part of which all are whole multiples."""
    units: dict[Word, Fraction] = {}
    texts = [*(t for kind in SAID for t in part[kind]), *(t for goal in part["goals"] for t in goal[1:3])]
    calls = [n for t in texts for n in ast.walk(parsed(t)) if isinstance(n, ast.Call)]
    calls = [n for n in calls if getattr(n.func, "id", "") in _SUMS]
    read = Formulas(part, part["goals"][0], None, deadline) if calls else None
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


def numbers_in(part: Any, deadline: Deadline) -> list[str]:
    """Products in the goals of a part that are 1 x 1 matrices: numbers, which are their own transposes."""
    found: dict[Word, None] = {}
    for goal in part["goals"] if part["matrices"] else ():
        read = Formulas(part, goal, None, deadline)
        for text in goal[1:3]:
            found |= dict.fromkeys(read.one_by_one(read.text(text)))
    return ["*".join(name.lstrip("@") for name in word) for word in found]
