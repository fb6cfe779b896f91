"""Noncommutative polynomials: words in matrix letters with rational-function coefficients, and rewriting.

A letter is (weight, name, transposed); a word is a tuple of letters, the empty word the identity. Relations become
rules "leading word -> rest" in the degree-lexicographic order, completed as far as a budget allows (overlaps of
leading words, Knuth and Bendix 1970, Mora 1986). Every rule is a consequence of the relations, so a polynomial that
rewrites to zero is zero for all matrices that satisfy them; a partial completion proves less, never more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nsdgen.verify.setting import Deadline, OutOfTime

__all__ = ["Letter", "Polynomial", "Rewriting", "Word", "add", "defined_letter", "multiply", "scale"]

Letter = tuple[int, str, bool]
Word = tuple[Letter, ...]
Polynomial = dict[Word, Any]

MOST_RULES = 160  # their overlaps grow as the square of their number: a bound on time
LONGEST = 12  # letters of a word in which two rules overlap: without a bound completion need not end
DEFINED = 1000  # weight of a defined letter: more than any word without one has letters


def _enter(polynomial: Polynomial, word: Word, more: Any) -> None:
    """Add to the coefficient of a word, in place; words with the coefficient 0 are left out."""
    if value := polynomial.get(word, 0) + more:
        polynomial[word] = value
    else:
        polynomial.pop(word, None)


def add(a: Polynomial, b: Polynomial, factor: Any = 1) -> Polynomial:
    """a + factor b."""
    total = dict(a)
    for word, c in b.items():
        _enter(total, word, c * factor)
    return total


def scale(a: Polynomial, factor: Any) -> Polynomial:
    """factor a."""
    return {word: c * factor for word, c in a.items()} if factor else {}


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b, words joined in this order."""
    product: Polynomial = {}
    for left, c in a.items():
        for right, d in b.items():
            _enter(product, left + right, c * d)
    return product


@dataclass(frozen=True)
class _Rule:
    lead: Word
    rest: Polynomial

    def __hash__(self) -> int:
        return hash(self.lead)


class Rewriting:
    """Rules made from polynomials that vanish; ``divided`` collects leading coefficients that are no numbers.

    ``defined`` names letters that a relation defines: they weigh more than any word without them, so that the
    relation replaces them and no coefficient is divided by.
    """

    def __init__(
        self, relations: Iterable[Polynomial], deadline: Deadline, defined: frozenset[str] = frozenset()
    ) -> None:
        self.deadline, self._defined = deadline, defined
        self.divided: list[Any] = []
        self.rules: list[_Rule] = []
        self._complete(list(relations))

    def _key(self, word: Word) -> tuple[int, Word]:
        return sum(DEFINED if name in self._defined else 1 for _, name, _ in word), word

    def reduce(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial with every leading word of a rule replaced, until none occurs. Raises ``OutOfTime``."""
        rest = dict(polynomial)
        done: Polynomial = {}
        steps = 0
        while rest:
            steps += 1
            if steps % 32 == 0:
                self.deadline.check()
            word, c = rest.popitem()
            for rule in self.rules:
                at = _find(word, rule.lead)
                if at >= 0:
                    before, after = word[:at], word[at + len(rule.lead) :]
                    for middle, d in rule.rest.items():
                        _enter(rest, before + middle + after, c * d)
                    break
            else:
                _enter(done, word, c)
        return done

    def _rule(self, polynomial: Polynomial) -> _Rule | None:
        """The polynomial as a rule for its largest word."""
        lead = max(polynomial, key=self._key)
        if not lead:
            return None  # a number equals zero: a contradiction that proves nothing here
        c = polynomial[lead]
        if not (c.numer.is_ground and c.denom.is_ground):
            self.divided.append(c)
        return _Rule(lead, {word: -d / c for word, d in polynomial.items() if word != lead})

    def _complete(self, waiting: list[Polynomial]) -> None:
        with_time = True
        while waiting and with_time and len(self.rules) < MOST_RULES:
            waiting.sort(key=lambda p: max(map(self._key, p), default=(0, ())), reverse=True)
            try:
                reduced = self.reduce(waiting.pop())
            except OutOfTime:
                return
            if not reduced:
                continue
            new = self._rule(reduced)
            if new is None:
                continue
            kept = []
            one = next(iter(reduced.values())).field.one
            for old in self.rules:  # a rule whose leading word the new one rewrites is read again
                if _find(old.lead, new.lead) >= 0:
                    waiting.append(add({old.lead: one}, old.rest, -1))
                else:
                    kept.append(old)
            self.rules = [*kept, new]
            self.rules.sort(key=lambda r: self._key(r.lead))
            for other in self.rules:
                waiting += _overlaps(new, other)
                if other is not new:
                    waiting += _overlaps(other, new)


def _find(word: Word, part: Word) -> int:
    """Where ``part`` begins inside ``word``, or -1."""
    n = len(part)
    for i in range(len(word) - n + 1):
        if word[i : i + n] == part:
            return i
    return -1


def _overlaps(first: _Rule, second: _Rule) -> list[Polynomial]:
    """What both ways of rewriting a word say, where an end of the first lead is a beginning of the second."""
    found = []
    for n in range(1, min(len(first.lead), len(second.lead))):
        if first.lead[-n:] == second.lead[:n] and len(first.lead) + len(second.lead) - n <= LONGEST:
            before, after = first.lead[:-n], second.lead[n:]
            one_way = {word + after: c for word, c in first.rest.items()}
            other_way = {before + word: c for word, c in second.rest.items()}
            found.append(add(one_way, other_way, -1))
    return found


def defined_letter(relation: Polynomial, taken: frozenset[str]) -> str | None:
    """A letter that the relation defines: it stands alone with a number before it and nowhere else in it."""
    for word in sorted(relation):
        if len(word) == 1 and word[0][0] == 0 and not word[0][2] and word[0][1] not in taken:
            c, name = relation[word], word[0][1]
            alone = sum(1 for w in relation for letter in w if letter[1] == name) == 1
            if alone and c.numer.is_ground and c.denom.is_ground:
                return name
    return None
