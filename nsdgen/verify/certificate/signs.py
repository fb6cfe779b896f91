"""The signs of polynomials, for who looks for a proof, with the steps by which the checker knows them too."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from nsdgen.verify.setting import Deadline

from .polynomials import Polynomial, Word, add, atom, leading, letters, mul, named

Signs = frozenset[int]
Key = Any
"""What the checker knows something of: a text, or a law with the texts of its arguments."""

ANY, ZERO, ABOVE, NOT_BELOW, NOT_ZERO = map(frozenset, ((-1, 0, 1), (0,), (1,), (0, 1), (-1, 1)))
POWER, REAL_POWER, SIZE, ROOT = "exp({0})*1", "exp({0})", "Abs({0})", "root({0}, {1})"
NOTHING: list[Any] = [[[], []]]  # a sum of one product of no factors: 1


class KnownSigns:
    """What is known in one case: signs of polynomials, and what functions are of.

    ``facts`` are polynomials and their signs by the text of what their multiples share, ``said`` what is said of texts,
    and ``steps`` those of a proof so far.
    """

    def __init__(self, real: bool, said: dict[str, Signs], deadline: Deadline) -> None:
        self.real, self.said, self.deadline = real, said, deadline
        self.steps: list[Any] = []
        self.functions: dict[str, tuple[str, list[Polynomial]]] = {}
        self.facts: dict[str, tuple[Polynomial, Signs]] = {}
        self._sources: dict[str, list[Any]] = {}  # of facts: texts, their signs and sizes beside these, and divisors
        self._literal: dict[str, str] = {}  # polynomials, as they are named, by texts that are known as they stand
        self._shown: dict[str, Signs] = {}  # what the checker knows of texts
        self._absurd: tuple[str, Polynomial] | None = None  # a number that has not the sign that it is said to have

    def learn(self, text: str, p: Polynomial, signs: Signs) -> None:
        """A text, which is a polynomial, has one of some signs."""
        self._literal.setdefault(named(p), text)
        if set(p) <= {()}:
            if not signs & _of_number(p.get((), 0)):
                self._absurd = text, p
            return
        q, below = self._cleared(p)
        key, way = leading(q)
        first = abs(q[max(q)])
        old = self.facts.get(key, (None, ANY))[1]
        self.facts[key] = {m: c * way / Fraction(first) for m, c in q.items()}, old & {s * way for s in signs}
        source = text, way, first, below
        if source not in self._sources.setdefault(key, []):
            self._sources[key].append(source)

    def known(self, p: Polynomial) -> Signs:
        """The signs that a polynomial may have."""
        if set(p) <= {()}:
            return _of_number(p.get((), 0))
        q, below = self._cleared(p)
        key, way = leading(q)
        found = frozenset(s * way for s in self.facts[key][1]) if key in self.facts else ANY
        if any(map(letters, q)) or (below and not self.real):
            return found
        return found & self._by_terms(q)

    def _by_terms(self, q: Polynomial) -> Signs:
        total = {0}
        for m, c in q.items():
            own = {1 if c > 0 else -1}
            for name in set(m):
                n = m.count(name)
                for of in [{t**n for t in self.sign(name)}] if self.real else [self.sign(name)] * n:
                    own = {s * t for s in own for t in of}
            total = {u for s in total for t in own for u in (ANY if s * t < 0 else (s or t,))}
            if len(total) == 3:
                break
        return frozenset(total)

    def sign(self, name: str) -> Signs:
        """The signs that a name may have."""
        f, args = self.functions.get(name, ("", []))
        own = ANY
        if f == "exp":
            own = ABOVE if self.real else NOT_ZERO
        elif f == "Abs" or (f == "root" and self.known(args[0]) <= NOT_BELOW):
            own = NOT_BELOW
        key = f"1*{name}"
        return own & self.facts[key][1] if key in self.facts else own

    def key(self, p: Polynomial) -> Key:
        """What the checker knows a polynomial by, after the steps that are added here."""
        text = named(p)
        if set(p) <= {()}:
            return text
        if (said := self._literal.get(text)) is not None and self.said.get(said, ANY) <= self.known(p):
            return said
        self._show(text, p)
        return text

    def _show(self, text: str, p: Polynomial) -> None:
        """Steps by which the checker knows of a text what is known of its polynomial."""
        signs = self.known(p)
        if self._shown.get(text, ANY) <= signs or any(map(letters, p)):
            return
        self._shown[text] = signs
        q, below = self._cleared(p)
        first, way = leading(q)
        found = ANY
        if first == text:
            for source, turn, size, own in self._sources.get(first, ()):
                factors = [source, *(["-1"] if turn < 0 else [])]
                self.have(text, [[[str(Fraction(size))], []]], [self._squared(factors, own)])
        elif first in self.facts:
            fact = self.key(self.facts[first][0])
            self.have(text, [self._squared([], below)], [[[str(Fraction(q[max(q)])), fact], []]])
        if first in self.facts:
            found = frozenset(s * way for s in self.facts[first][1])
        if found != signs:
            terms = [self._term(m, c) for m, c in q.items()]
            self.have(text, [self._squared([], below)], terms)

    def _squared(self, factors: list[Any], roots: Sequence[Polynomial]) -> list[Any]:
        """A product of factors and of squares; nobody knows a sign of the square of a complex number."""
        for b in roots:
            self._show(named(b), b)
        keys = list(map(named, roots))
        return [factors, keys] if self.real else [[*factors, *keys, *keys], []]

    def _term(self, m: Word, c: Any) -> list[Any]:
        """A term of a polynomial as a product."""
        factors, squares = [str(Fraction(c))], list[Any]()
        for name in dict.fromkeys(m):
            n, key = m.count(name), self._key_of_name(name)
            factors += [key] * (n % 2 if self.real else n)
            squares += [key] * (n // 2 if self.real else 0)
        return [factors, squares]

    def _key_of_name(self, name: str) -> Key:
        f, args = self.functions.get(name, ("", []))
        text = f"1*{name}"
        if text in self.facts:
            own = self._by_function(f, args)
            if own is not None:
                self.have(text, NOTHING, [[[own], []]])
            return self.key(atom(name))
        return self._by_function(f, args) or name

    def _by_function(self, f: str, args: Sequence[Polynomial]) -> Key:
        if f == "exp":
            return [REAL_POWER if self.real else POWER, named(args[0])]
        if f == "Abs":
            return [SIZE, named(args[0])]
        if f == "root" and self.known(args[0]) <= NOT_BELOW:
            return [ROOT, *self.arguments(args)]
        return None

    def arguments(self, args: Sequence[Polynomial]) -> list[str]:
        """The texts of arguments of a law, the sign of the first of which the checker knows."""
        return [self.key(args[0]), *map(named, args[1:])]

    def have(self, text: str, times: Any, products: Any, cofactors: Any = ()) -> None:
        """Add the step that shows the sign of a text, where it is not there yet."""
        step = ["have", text, times, products, list(cofactors)]
        if step not in self.steps:
            self.steps.append(step)

    def contradiction(self) -> bool:
        """Whether something has no sign at all, which is shown here: then there is nothing in this case."""
        if self._absurd is not None:
            text, p = self._absurd
            self.have(text, NOTHING, [[[named(p)], []]] if p else [])
            return True
        for key, (p, _) in list(self.facts.items()):
            if not self.known(p):
                self._show(key, p)
                return True
        return False

    def _cleared(self, p: Polynomial, step: int = 2) -> tuple[Polynomial, list[Polynomial]]:
        """A polynomial times powers, multiples of ``step``, of what it divides by, and of what: the longest first."""
        below: list[Polynomial] = []
        while True:
            names = {name for m in p for name in m if name.startswith("inv(")}
            able = [n for n in names if 0 not in self.known(self.functions[n][1][0])]
            if not able:
                return p, below
            name = max(able, key=lambda n: (len(n), n))
            divisor = self.functions[name][1][0]
            count = -(-max(m.count(name) for m in p) // step)
            by_power: dict[int, Polynomial] = {}
            for m, c in p.items():
                by_power.setdefault(step * count - m.count(name), {})[tuple(n for n in m if n != name)] = c
            p = {}
            for k, terms in by_power.items():
                self.deadline.check()
                p = add(p, mul(terms, *[divisor] * k))
            below += [divisor] * count

    def cleared(self, p: Polynomial) -> Polynomial:
        """A polynomial times powers of what it divides by, which the checker knows not to vanish."""
        p, below = self._cleared(p, 1)
        for divisor in below:
            self._show(named(divisor), divisor)
        return p


def _of_number(c: Any) -> Signs:
    return frozenset({(c > 0) - (c < 0)})
