"""Indices in emitted loops, and loops written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.tree import ArrayEntry, Expression, Integer, Name, Negation, Product, Sum


@dataclass(frozen=True)
class MovingPlace:
    """``base + first + sum of factor * counter``; with a ``table`` ``base`` and ``width`` times what it holds there."""

    first: int
    factors: tuple[tuple[int, int], ...] = ()
    table: tuple[int, ...] | None = None
    base: int = 0
    width: int = 1

    @property
    def word(self) -> int | MovingPlace:
        """A number where the place is the same in all passes."""
        return self if self.factors else self.at(())

    def at(self, counters: Sequence[int]) -> int:
        """The place in one pass; raises ``Unreadable`` where the table ends before it."""
        index = self.first
        for factor, counter in self.factors:
            index += factor * counters[counter]
        if self.table is not None:
            if not 0 <= index < len(self.table):
                raise Unreadable(f"place {index} of a table of {len(self.table)}")
            index = self.width * self.table[index]
        return self.base + index


@dataclass(frozen=True)
class Stored:
    """A mark behind the operation that computes an entry of output ``number``; none of the code."""

    number: int
    entry: int | MovingPlace


@dataclass(frozen=True)
class Passes:
    """The code of a loop: once for each value of its counter.

    With a ``head`` all passes are one operation: its words, then how many passes there are, then those of each pass.
    """

    counter: int
    first: int | MovingPlace
    end: int | MovingPlace
    body: list[Word]
    head: tuple[int, ...] = ()


Word: TypeAlias = int | MovingPlace | Stored | Passes


def write_out(word: Word, counters: list[int], code: list[int], stored: set[tuple[int, int]]) -> None:
    """Append what a word stands for while the loops around it are at these counters."""
    match word:
        case int():
            code.append(word)
        case MovingPlace():
            code.append(word.at(counters))
        case Stored(number=number, entry=entry):
            stored.add((number, _at(entry, counters)))
        case Passes(counter=counter, body=body):
            passes = range(_at(word.first, counters), _at(word.end, counters))
            code += [*word.head, len(passes)] if word.head else []
            for value in passes:
                counters[counter] = value
                for inner in body:
                    if type(inner) is int:
                        code.append(inner)
                    else:
                        write_out(inner, counters, code, stored)


def _at(place: int | MovingPlace, counters: Sequence[int]) -> int:
    return place.at(counters) if isinstance(place, MovingPlace) else place


def place(
    tree: Expression, counters: Mapping[str, int], tables: Mapping[str, tuple[int, ...]], base: int = 0
) -> MovingPlace:
    """The place that an index names; raises ``Unreadable`` where it is none."""
    match tree:
        case Sum((ArrayEntry() as inner, Integer(offset)), "++"):
            return place(inner, counters, tables, base + offset)
        case Sum((Product((Integer(), ArrayEntry())) as inner, Integer(offset)), "++"):
            return place(inner, counters, tables, base + offset)
        case Product((Integer(width), ArrayEntry() as inner), "**"):
            return replace(place(inner, counters, tables, base), width=width)
    if isinstance(tree, ArrayEntry) and len(tree.index) == 1 and tree.array in tables:
        return MovingPlace(*_ordered(_affine(tree.index[0], counters)), tables[tree.array], base)
    return MovingPlace(*_ordered(_affine(tree, counters)), None, base)


def _ordered(affine: Mapping[int, int]) -> tuple[int, tuple[tuple[int, int], ...]]:
    return affine.get(-1, 0), tuple((f, c) for c, f in sorted(affine.items()) if c >= 0 and f)


def _affine(tree: Expression, counters: Mapping[str, int]) -> dict[int, int]:
    """The factor of each counter, and of -1 what is added."""
    match tree:
        case Integer(number):
            return {-1: number}
        case Name(name) if name in counters:
            return {counters[name]: 1}
        case Negation(inner):
            return _scaled(_affine(inner, counters), -1)
        case Sum(terms, signs):
            total: dict[int, int] = {}
            for sign, term in zip(signs, terms, strict=True):
                for counter, factor in _scaled(_affine(term, counters), 1 if sign == "+" else -1).items():
                    total[counter] = total.get(counter, 0) + factor
            return total
        case Product((Integer(number), inner), "**"):
            return _scaled(_affine(inner, counters), number)
        case Product((Negation(Integer(number)), inner), "**"):
            return _scaled(_affine(inner, counters), -number)
    raise Unreadable("an index that is no sum of multiples of counters")


def _scaled(affine: Mapping[int, int], factor: int) -> dict[int, int]:
    return {counter: factor * value for counter, value in affine.items()}
