"""Repairs: the small change of a hand-written side that makes it true, and the slip it suggests.

A repair is found with floating-point values at generic points of the assumption set and confirmed exactly. Whole
matrices come first (transposed, sign, factor, rows, columns or symbols exchanged, evaluated elsewhere), then single
entries (``edits``), the simplest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from operator import mul, neg
from random import Random
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.abstract_repair import abstract_repairs
from nsdgen.verify.assumption import Assumption, Values
from nsdgen.verify.cleaning import Cleaner
from nsdgen.verify.edits import Edit, Tree, entry_edits, family, float_value, monomial_slip
from nsdgen.verify.entrywise import compare, pairs_of
from nsdgen.verify.sampling import Point, Sampler
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import is_abstract, is_matrix, same_shape, shape_of

__all__ = ["Repair", "repair"]

POINTS = 3  # a wrong edit fits one generic point by chance hardly ever; three are cheap, and what fits is proved
MOST_ENTRIES = 12  # each is searched by itself: a bound on time
MOST_OPERATIONS = 400  # of a side whose symbols are exchanged: every exchange evaluates all of it


@dataclass(frozen=True)
class Repair:
    """The kind of slip and a sentence that says what to change."""

    slip: str
    sentence: str


def repair(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Repair | None:
    """The simplest repair of the hand side, None where no small one is found within the deadline."""
    try:
        if is_abstract(hand) or is_abstract(truth):
            return next((Repair(*found) for found in abstract_repairs(hand, truth, setting, deadline)), None)
        if not same_shape(shape_of(hand), shape_of(truth)):
            return _turned(hand, truth, setting, deadline)
        return _explicit(hand, truth, setting, deadline)
    except OutOfTime:
        return None


def _turned(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Repair | None:
    """Shapes that agree after transposition."""
    if (
        is_matrix(hand)
        and is_matrix(truth)
        and same_shape(shape_of(hand.T), shape_of(truth))
        and compare(pairs_of(hand.T, truth), setting, deadline).status == "proved"
    ):
        return Repair("transpose", "transpose the matrix")
    return None


class _CleanedSides:
    """Both sides cleaned, with generic points of the assumption set."""

    def __init__(self, hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> None:
        self.setting, self.deadline = setting, deadline
        pairs = pairs_of(hand, truth)
        cleaner = Cleaner([as_expression(s) for p in pairs for s in (p.left, p.right)] + [*setting.conditions])
        self.shape = tuple(hand.shape) if is_matrix(hand) else (1, 1)
        self.hand = [cleaner(p.left) for p in pairs]
        self.truth = [cleaner(p.right) for p in pairs]
        self.names = [f"entry ({p.row}, {p.column})" if p.row else "the expression" for p in pairs]
        sampler = Sampler(cleaner.facts(setting), [*self.hand, *self.truth], seed=1, values=cleaner.values)
        self.points: list[Point] = []
        for _ in range(6 * POINTS):
            point = sampler.point(3)
            if (
                point is not None
                and len(self.points) < POINTS
                and all(float_value(e, point) is not None for e in self.truth)
            ):
                self.points.append(point)
        self.goal = [self.values(e) for e in self.truth]
        self.symbols = sorted(set().union(*(e.free_symbols for e in (*self.hand, *self.truth))), key=lambda s: s.name)
        self._cleaner = cleaner

    def values(self, e: sp.Expr) -> list[complex | None]:
        """The values of an expression at the points."""
        return [float_value(e, p) for p in self.points]

    def fits(self, entries: Iterable[tuple[int, sp.Expr]]) -> bool:
        """Whether changed entries take the true values at all points."""
        return bool(self.points) and all(agree(self.values(e), self.goal[k]) for k, e in entries)

    def confirmed(self, entries: Iterable[tuple[int, sp.Expr]]) -> bool:
        """Whether changed entries are proved equal to the truth."""
        pairs = [p for k, e in entries for p in pairs_of(e, self.truth[k])]
        return compare(pairs, _cleaned(self.setting, self._cleaner), self.deadline.share(0.5)).status in (
            "proved",
            "consistent",
        )

    def wrong(self) -> list[int]:
        """Entries whose values differ from the truth."""
        return [k for k, e in enumerate(self.hand) if not agree(self.values(e), self.goal[k])]


def agree(a: list[complex | None], b: list[complex | None]) -> bool:
    """Whether two lists of values agree to 1e-9, relative."""
    return all(
        x is not None and y is not None and abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y))
        for x, y in zip(a, b, strict=True)
    )


class _Cleaned(Assumption):
    """An assumption whose expressions are cleaned."""

    def __init__(self, assumption: Any, cleaner: Cleaner) -> None:
        self.text, self._own, self._cleaner = assumption.text, assumption, cleaner

    def equations(self) -> tuple[sp.Expr, ...]:
        return tuple(map(self._cleaner, self._own.equations()))

    def positive(self) -> tuple[sp.Expr, ...]:
        return tuple(map(self._cleaner, self._own.positive()))

    def nonnegative(self) -> tuple[sp.Expr, ...]:
        return tuple(map(self._cleaner, self._own.nonnegative()))

    def nonzero(self) -> tuple[sp.Expr, ...]:
        return tuple(map(self._cleaner, self._own.nonzero()))

    def sample(self, rng: Random, level: int) -> Values:
        return {self._cleaner.symbol(s): v for s, v in (self._own.sample(rng, level) or {}).items()}


def _cleaned(setting: Setting, cleaner: Cleaner) -> Setting:
    return Setting(tuple(_Cleaned(a, cleaner) for a in setting.assumptions), setting.seed)


def _explicit(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Repair | None:
    case = _CleanedSides(hand, truth, setting, deadline)
    if not case.points:
        return None
    wrong = case.wrong()
    if len(case.hand) > 1 and len(wrong) > 1:
        for slip, sentence, entries in _whole(case, wrong):
            deadline.check()
            if case.fits(entries) and case.confirmed(entries):
                return Repair(slip, sentence)
    found: list[tuple[str, str]] = []
    for k in wrong[:MOST_ENTRIES]:
        best = _entry(case, k)
        if best is not None:
            found.append((best.slip, f"{best.sentence} in {case.names[k]}"))
    if not found:
        return None
    if len(found) < len(wrong[:MOST_ENTRIES]):  # the claim stays false: a term added here or there explains nothing
        found = [f for f in found if f[0] not in ("missing term", "extra term")]
        if not found:
            return None
    slips = [slip for slip, _ in found]
    slip = max(dict.fromkeys(slips), key=slips.count)
    sentences = "; ".join(dict.fromkeys(s for kind, s in found if kind == slip))
    return Repair(slip, sentences)


Changed = list[tuple[int, sp.Expr]]


def _whole(case: _CleanedSides, wrong: list[int]) -> Iterator[tuple[str, str, Changed]]:
    """Changes of the whole matrix, the simplest first."""
    rows, columns = case.shape
    everything = range(len(case.hand))

    def each(change: Callable[[sp.Expr], sp.Expr]) -> Changed:
        return [(k, change(case.hand[k])) for k in everything]

    if rows == columns and rows > 1:
        yield (
            "transpose",
            "transpose the matrix",
            [(k, case.hand[(k % columns) * columns + k // columns]) for k in everything],
        )
    yield "sign", "flip the sign of the whole", each(neg)
    for factor in (sp.Integer(2), sp.Integer(3), sp.Integer(4)):
        yield f"missing factor {factor}", f"multiply the whole by {factor}", each(partial(mul, factor))
        yield f"extra factor {factor}", f"divide the whole by {factor}", each(partial(mul, 1 / factor))
    for i, j in combinations(range(rows), 2):
        swap = {i: j, j: i}
        yield (
            "swapped index",
            f"exchange rows {i + 1} and {j + 1}",
            [(k, case.hand[swap.get(k // columns, k // columns) * columns + k % columns]) for k in everything],
        )
    for i, j in combinations(range(columns), 2):
        swap = {i: j, j: i}
        yield (
            "swapped index",
            f"exchange columns {i + 1} and {j + 1}",
            [(k, case.hand[(k // columns) * columns + swap.get(k % columns, k % columns)]) for k in everything],
        )
    written = sorted(set().union(*(case.hand[k].free_symbols for k in wrong)), key=lambda s: s.name)
    for a in written:
        for b in case.symbols:
            if a != b:
                same = family(a) == family(b)
                yield (
                    ("swapped index" if same else "wrong evaluation point"),
                    f"write {b} for {a}",
                    each(partial(_replaced, {a: b})),
                )
                if same and a.name < b.name:
                    yield "swapped index", f"exchange {a} and {b}", each(partial(_replaced, {a: b, b: a}))
    yield from _other_vectors(case)
    for factor in (*case.symbols, *(s**2 for s in case.symbols)):
        yield f"missing factor {factor}", f"multiply the whole by {factor}", each(partial(mul, factor))
        yield f"extra factor {factor}", f"divide the whole by {factor}", each(partial(mul, 1 / factor))
    for factor in (sp.Integer(2), sp.Integer(3)):
        for i in range(rows):
            row = [(k, case.hand[k] * factor) for k in everything if k // columns == i]
            yield (
                f"missing factor {factor}",
                f"multiply row {i + 1} by {factor}",
                row + [(k, case.hand[k]) for k in everything if k // columns != i],
            )
    for i in range(rows):
        yield (
            "sign",
            f"flip the sign of row {i + 1}",
            [(k, -case.hand[k] if k // columns == i else case.hand[k]) for k in everything],
        )
    for j in range(columns):
        yield (
            "sign",
            f"flip the sign of column {j + 1}",
            [(k, -case.hand[k] if k % columns == j else case.hand[k]) for k in everything],
        )


def _other_vectors(case: _CleanedSides) -> Iterator[tuple[str, str, Changed]]:
    """One vector written for another, everywhere or in the terms that hold a third one."""
    vectors: dict[str, list[sp.Symbol]] = {}
    for s in case.symbols:
        vectors.setdefault(re.sub(r"_?\d$", "", s.name), []).append(s)
    vectors = {name: found for name, found in vectors.items() if len(found) > 1}
    if sum(e.count_ops() for e in case.hand) > MOST_OPERATIONS:
        return
    addends = [sp.Add.make_args(sp.expand(e)) for e in case.hand]
    for a, b in permutations(vectors, 2):
        if len(vectors[a]) != len(vectors[b]):
            continue
        change = dict(zip(vectors[a], vectors[b], strict=True))
        yield "wrong argument", f"write {b} for {a}", [(k, e.xreplace(change)) for k, e in enumerate(case.hand)]
        for c, beside in vectors.items():
            if c not in (a, b):
                yield (
                    "wrong argument",
                    f"write {b} for {a} in the terms with {c}",
                    [
                        (k, sp.Add(*(t.xreplace(change) if t.free_symbols & set(beside) else t for t in terms)))
                        for k, terms in enumerate(addends)
                    ],
                )


def _replaced(values: dict[sp.Symbol, sp.Expr], e: sp.Expr) -> sp.Expr:
    return e.xreplace(values)


def _entry(case: _CleanedSides, k: int) -> Edit | None:
    """The simplest edit of one entry that makes it true."""
    tree = Tree(case.hand[k], case.points)
    if not tree.defined:
        return None
    for edit in entry_edits(tree, case.truth[k], case.symbols):
        case.deadline.check()
        if agree(edit.values, case.goal[k]) and case.confirmed([(k, edit.made())]):
            return edit
    for other in range(len(case.hand)):  # the entry stands in another place
        if other != k and case.hand[k] == case.truth[other] and not case.hand[k].is_number:
            return Edit("swapped index", ("this is {}", case.names[other]), case.goal[k], lambda: case.truth[k])
    return monomial_slip(case.hand[k], case.truth[k], case.goal[k])
