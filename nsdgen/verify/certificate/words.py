"""Polynomials in matrices as combinations of others: cofactors from the left and from the right, by rewriting.

Relations become rules "leading word -> rest", completed as far as a budget allows (overlaps of leading words, Knuth and
Bendix 1970, Mora 1986); each rule carries the combination of relations that it is. What rewrites to zero is then a
combination as well. Numbers and names of scalars stand in front of the word: a rule is used where both divide.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from nsdgen.verify.setting import Deadline, OutOfTime

from .polynomials import Polynomial, Word, add, letters, mul, ordered

Combination = dict[tuple[Word, int, Word], Any]
"""Coefficients by what stands before a relation, its number, and what stands behind it."""

_MOST_RULES = 160  # their overlaps grow as the square of their number: a bound on time
_LONGEST = 12  # letters of a word in which two rules overlap: without a bound completion need not end
_Rule = tuple[Word, Word, Polynomial, Combination]  # letters and scalars of the leading word, the whole, its origin


def _order(m: Word) -> Any:
    own = letters(m)
    return len(own), own, len(m), m


def _times(before: Word, c: Combination, after: Word, factor: Any) -> Combination:
    return {(ordered(before + b), k, ordered(a + after)): n * factor for (b, k, a), n in c.items()}


class _WordRewriting:
    def __init__(self, relations: Sequence[Polynomial], deadline: Deadline) -> None:
        self.deadline, self.rules = deadline, list[_Rule]()
        self.waiting: list[tuple[Polynomial, Combination]] = [
            (r, {((), k, ()): Fraction(1)}) for k, r in enumerate(relations) if r
        ]

    def reduced(self, p: Polynomial) -> tuple[Polynomial, Combination]:
        """What is left of a polynomial, and what was taken away."""
        rest, done, taken = dict(p), Polynomial(), Combination()
        steps = 0
        while rest:
            steps += 1
            if steps % 16 == 0:
                self.deadline.check()
            m = max(rest, key=_order)
            found = next(self._uses(m), None)
            if found is None:
                done[m] = rest.pop(m)
                continue
            before, (_, _, whole, origin), after, lead = found
            factor = Fraction(rest[m]) / whole[lead]
            rest = add(rest, mul({before: factor}, whole, {after: Fraction(1)}), -1)
            taken = add(taken, _times(before, origin, after, factor))
        return done, taken

    def _uses(self, m: Word) -> Iterator[tuple[Word, _Rule, Word, Word]]:
        own = letters(m)
        numbers = Counter(m[: len(m) - len(own)])
        for rule in self.rules:
            lead, scalars = rule[:2]
            if Counter(scalars) - numbers:
                continue
            n = len(lead)
            for i in range(len(own) - n + 1):
                if own[i : i + n] == lead:
                    left = tuple(sorted((numbers - Counter(scalars)).elements())) + own[:i]
                    yield left, rule, own[i + n :], scalars + lead

    def complete(self) -> Iterator[bool]:
        """One more rule at a time, until there is none: whether more are waiting."""
        while self.waiting and len(self.rules) < _MOST_RULES:
            self.waiting.sort(key=lambda w: max(map(_order, w[0])), reverse=True)
            p, origin = self.waiting.pop()
            p, taken = self.reduced(p)
            if not p:
                continue
            origin = add(origin, taken, -1)
            lead = max(p, key=_order)
            if not lead:
                continue  # a number equals zero: a contradiction that proves nothing here
            own = letters(lead)
            new: _Rule = (own, lead[: len(lead) - len(own)], p, origin)
            again = [r for r in self.rules if _inside(own, r[0]) and not Counter(new[1]) - Counter(r[1])]
            self.waiting += [r[2:] for r in again]  # rules whose leading words the new one rewrites
            self.rules = sorted([*(r for r in self.rules if r not in again), new], key=lambda r: _order(r[1] + r[0]))
            for other in self.rules:
                self._meet(new, other)
                if other is not new:
                    self._meet(other, new)
            yield bool(self.waiting)

    def _meet(self, a: _Rule, b: _Rule) -> None:
        """What both ways of rewriting a word say, where an end of the first lead is a beginning of the second."""
        x, y = a[2][a[1] + a[0]], b[2][b[1] + b[0]]
        first, second = Counter(a[1]), Counter(b[1])
        more_a, more_b = (tuple(sorted(c.elements())) for c in (second - first, first - second))
        for n in range(1, min(len(a[0]), len(b[0])) + (a is not b)):
            if a[0][-n:] == b[0][:n] and len(a[0]) + len(b[0]) - n <= _LONGEST:
                before, after = (*more_b, *a[0][:-n]), b[0][n:]
                one = mul({more_a: Fraction(1) / x}, a[2], {after: Fraction(1)})
                other = mul({before: Fraction(1) / y}, b[2])
                if p := add(one, other, -1):
                    origin = _times(more_a, a[3], after, Fraction(1) / x)
                    self.waiting.append((p, add(origin, _times(before, b[3], (), Fraction(1) / y), -1)))


def _inside(part: Word, word: Word) -> bool:
    return any(word[i : i + len(part)] == part for i in range(len(word) - len(part) + 1))


def combined(target: Polynomial, relations: Sequence[Polynomial], deadline: Deadline) -> Combination | None:
    """The target as a combination of relations; None where none is found in time."""
    rewriting = _WordRewriting(relations, deadline)
    tried = 0
    try:
        for count, more in enumerate(chain(rewriting.complete(), [False]), 1):
            if count >= 2 * tried or not more:
                tried = count
                rest, taken = rewriting.reduced(target)
                if not rest:
                    return taken
    except OutOfTime:
        pass
    return None
