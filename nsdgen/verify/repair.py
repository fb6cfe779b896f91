"""Repairs: the small change of a hand-written side that makes it true, and the slip it suggests.

A repair is found with floating-point values at generic points of the assumption set and confirmed at exact ones. Whole
matrices come first (transposed, sign, factor, rows, columns or symbols exchanged, evaluated elsewhere), then single
entries (``edits``), the simplest first.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from operator import mul, neg
from typing import Any

import mpmath
import sympy as sp

from nsdgen.base.counted import counted
from nsdgen.symbolic.expressions.conversion import is_matrix
from nsdgen.verify.abstract_repair import abstract_repairs
from nsdgen.verify.challenge.judged import POINTS, JudgedStatement
from nsdgen.verify.challenge.truth import truth_of
from nsdgen.verify.compare import compare, entries_of
from nsdgen.verify.edits import Edit, Tree, entry_edits, family, monomial_slip, values_at
from nsdgen.verify.setting import Deadline, OutOfTime, Setting
from nsdgen.verify.shapes import is_abstract, same_shape, shape_of
from nsdgen.verify.statement import Equal

Point = dict[sp.Symbol, sp.Expr]

FITTED = 3  # points: a wrong edit fits one by chance hardly ever, three are cheap, and what fits is confirmed
_DIGITS = 30  # of the numbers of a point
MOST_ENTRIES = 12  # each is searched by itself: a bound on time
MOST_OPERATIONS = 400  # of a side whose symbols are exchanged: every exchange evaluates all of it


@dataclass(frozen=True)
class Repair:
    """The slip that most of the wrong entries have, and sentences that say what to change in all of them."""

    slip: str
    sentence: str


def repair(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Repair | None:
    """The simplest repair of the hand side, None where no small one is found within the deadline."""
    try:
        if is_abstract(hand) or is_abstract(truth):
            return next((Repair(*found) for found in abstract_repairs(hand, truth, setting, deadline)), None)
        if not same_shape(shape_of(hand), shape_of(truth)):
            turned = is_matrix(hand) and is_matrix(truth) and same_shape(shape_of(hand.T), shape_of(truth))
            fits = turned and compare(Equal(hand.T, truth), setting, deadline).status == "proved"
            return Repair("transpose", "transpose the matrix") if fits else None
        return _explicit(hand, truth, setting, deadline)
    except OutOfTime:
        return None


class _CleanedSides:
    """Both sides cleaned, with generic points of the assumption set."""

    def __init__(self, hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> None:
        self.deadline = deadline
        entries = entries_of(Equal(hand, truth)).entries
        given = [s for pair in entries.values() for s in pair]
        case = JudgedStatement(Equal(hand, truth), setting)
        clean = [case.carried_out(e) for e in given]
        self.hand, self.truth = clean[::2], clean[1::2]
        self.matrix = sp.Matrix(*(hand.shape if is_matrix(hand) else (1, 1)), self.hand)
        self.names = [f"entry ({row}, {column})" if row else "the expression" for row, column in entries]
        self.symbols = sorted(set().union(*(e.free_symbols for e in clean)), key=lambda s: s.name)
        on_set = [w for w, t in case.looked_at(POINTS, deadline.share(0.2)) if t.holds is not None or case.meets(w)]
        self._witnesses = [w for w in on_set if all(s.name in w.scalars for s in self.symbols)]
        self.points: list[Point] = []
        for w in self._witnesses:
            with mpmath.workdps(_DIGITS):
                point = {s: sp.Float(w.scalar(s.name), _DIGITS) for s in self.symbols}
            if len(self.points) < FITTED and 0 not in point.values() and self._tells(point):
                self.points.append(point)
        self.goal = [self.values(e) for e in self.truth]

    def _tells(self, point: Point) -> bool:
        """Whether the truth has values at a point, and no two names one."""
        values = [v for e in self.truth for v in values_at(e, [point])]
        return len(set(point.values())) == len(point) and all(v == v for v in values)

    def values(self, e: sp.Expr) -> list[complex]:
        """The values of an expression at the points."""
        return values_at(e, self.points)

    def equal(self, given: Iterable[tuple[sp.Expr, sp.Expr]]) -> bool:
        """Whether pairs of cleaned expressions differ at no point."""
        return not any(truth_of(Equal(a, b), w).holds is False for a, b in given for w in self._witnesses)


def agree(a: list[complex], b: list[complex]) -> bool:
    """Whether two lists of values agree to 1e-9, relative."""
    return all(abs(x - y) <= 1e-9 * max(1.0, abs(x), abs(y)) for x, y in zip(a, b, strict=True))


def _explicit(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Repair | None:
    case = _CleanedSides(hand, truth, setting, deadline)
    if not case.points:
        return None
    wrong = [k for k, e in enumerate(case.hand) if not agree(case.values(e), case.goal[k])]
    if len(case.hand) > 1 and len(wrong) > 1:
        for slip, sentence, entries in _whole(case, wrong):
            deadline.check()
            fits = all(agree(case.values(e), goal) for e, goal in zip(entries, case.goal, strict=True))
            if fits and case.equal(zip(entries, case.truth, strict=True)):
                return Repair(slip, sentence)
        if (frame := _other_frame(case)) is not None:
            return frame
    edits = [(case.names[k], _entry(case, k)) for k in wrong[:MOST_ENTRIES]]
    found = [(e.slip, f"{e.sentence} in {name}") for name, e in edits if e is not None]
    if len(found) < len(edits):  # the claim stays false: a term added here or there explains nothing
        found = [f for f in found if f[0] not in ("missing term", "extra term")]
    if not found:
        return None
    slips = [slip for slip, _ in found]
    sentences = list(dict.fromkeys(sentence for _, sentence in found))
    if others := len(wrong) - len(found):
        sentences.append(f"{counted(others, 'further entry is', 'further entries are')} wrong")
    return Repair(max(dict.fromkeys(slips), key=slips.count), "; ".join(sentences))


Changed = Sequence[sp.Expr]
"""All entries of a matrix, row by row."""


def _whole(case: _CleanedSides, wrong: list[int]) -> Iterator[tuple[str, str, Changed]]:
    """Changes of the whole matrix, the simplest first."""
    hand = case.matrix
    lines = (("row", range(hand.rows)), ("column", range(hand.cols)))
    if hand.rows == hand.cols and hand.rows > 1:
        yield "transpose", "transpose the matrix", hand.T
    yield "sign", "flip the sign of the whole", hand.applyfunc(neg)
    yield from _by_factors(hand, map(sp.Integer, (2, 3, 4)))
    for kind, numbers in lines:
        for i, j in combinations(numbers, 2):
            order = [{i: j, j: i}.get(k, k) for k in numbers]
            chosen = (order, range(hand.cols)) if kind == "row" else (range(hand.rows), order)
            yield "swapped index", f"exchange {kind}s {i + 1} and {j + 1}", hand.extract(*map(list, chosen))
    written = sorted(set().union(*(case.hand[k].free_symbols for k in wrong)), key=lambda s: s.name)
    for a in written:
        for b in case.symbols:
            if a != b:
                same = family(a) == family(b)
                slip = "swapped index" if same else "wrong evaluation point"
                yield slip, f"write {b} for {a}", hand.xreplace({a: b})
                if same and a.name < b.name:
                    yield slip, f"exchange {a} and {b}", hand.xreplace({a: b, b: a})
    yield from _transposed_letters(case)
    yield from _negated(case)
    yield from _skew_sign(case)
    yield from _other_vectors(case)
    yield from _by_factors(hand, (*case.symbols, *(s**2 for s in case.symbols)))


def _by_factors(hand: sp.Matrix, factors: Iterable[sp.Expr]) -> Iterator[tuple[str, str, Changed]]:
    for factor in factors:
        yield f"missing factor {factor}", f"multiply the whole by {factor}", hand.applyfunc(partial(mul, factor))
        yield f"extra factor {factor}", f"divide the whole by {factor}", hand.applyfunc(partial(mul, 1 / factor))


def _vectors(case: _CleanedSides) -> dict[str, list[sp.Symbol]]:
    """The components of each vector, by its name."""
    found: dict[str, list[sp.Symbol]] = {}
    for s in case.symbols:
        found.setdefault(re.sub(r"_?\d$", "", s.name), []).append(s)
    return {name: own for name, own in found.items() if len(own) > 1}


def _transposed_letters(case: _CleanedSides) -> Iterator[tuple[str, str, Changed]]:
    """A square matrix of symbols written for its transpose, everywhere."""
    found: dict[str, dict[str, sp.Symbol]] = {}
    for s in case.symbols:
        if place := re.fullmatch(r"(.*?)_?(\d)_?(\d)", s.name):
            found.setdefault(place[1], {})[place[2] + place[3]] = s
    for name, own in found.items():
        change = {s: own[ij[::-1]] for ij, s in own.items() if ij[::-1] in own}
        if len(change) == len(own) > 1:
            yield "transpose", f"transpose {name} everywhere", case.matrix.xreplace(change)


def _negated(case: _CleanedSides) -> Iterator[tuple[str, str, Changed]]:
    """An angle or a vector of the other sense: the exponential, or a Cayley quotient, of the other rotation."""
    vectors = _vectors(case)
    groups = [(f"{s}", [s]) for s in case.symbols] + list(vectors.items())
    groups += [(f"the vector part of {name}", own[1:]) for name, own in vectors.items() if len(own) == 4]
    for name, own in groups:
        change = {s: -s for s in own}
        yield "opposite rotation", f"write -{name} for {name}", case.matrix.xreplace(change)


def _skew_sign(case: _CleanedSides) -> Iterator[tuple[str, str, Changed]]:
    """A matrix skew(v) that is added where it should be taken away: skew(omega) J + skew(J omega)."""
    if case.matrix.shape != (3, 3):
        return
    truth = sp.Matrix(3, 3, case.truth)
    half = ((truth - case.matrix) / 2).applyfunc(sp.expand)
    v = [half[2, 1], half[0, 2], half[1, 0]]
    whole = all(c.is_Integer for e in v for c in e.as_coefficients_dict().values())
    if whole and any(v) and half + half.T == sp.zeros(3, 3):
        yield "sign", f"flip the sign of skew(v), v = ({', '.join(map(str, v))})", truth


def _other_frame(case: _CleanedSides) -> Repair | None:
    """Sides that differ by a rotation from the left or from the right: rates in the frame of the body, or in space."""
    hand, truth = case.matrix, sp.Matrix(*case.matrix.shape, case.truth)
    if hand.rows != 3 or hand.cols != 3:
        return None
    if _same_tensor(case):
        return Repair("wrong frame", "turn the tensor the other way: R J R^T for R^T J R, or by another rotation")
    if sum(e.count_ops() for e in (*hand, *truth)) > MOST_OPERATIONS:
        return None
    for side, same in (("left", (hand.T * hand, truth.T * truth)), ("right", (hand * hand.T, truth * truth.T))):
        entries = list(zip(*same, strict=True))
        if all(agree(case.values(a), case.values(b)) for a, b in entries) and case.equal(entries):
            sentence = f"multiply by a rotation from the {side}: the rates are those of the other frame"
            return Repair("wrong frame", sentence)
    return None


def _same_tensor(case: _CleanedSides) -> bool:
    """Whether both sides are symmetric with the same eigenvalues: one tensor in two frames, and no slip of signs."""
    n = case.matrix.rows
    sides = [
        [sp.Matrix(n, n, at) for at in zip(*map(case.values, entries), strict=True)]
        for entries in (case.hand, case.truth)
    ]
    if any(v.is_real is not True for side in sides for m in side for v in m):
        return False
    if any((m - m.T).norm() > 1e-9 * m.norm() for side in sides for m in side):
        return False
    powers = [[complex((m**k).trace()) for m in side for k in range(1, n + 1)] for side in sides]
    unsigned = all(agree([*map(abs, a)], [*map(abs, b)]) for a, b in zip(*sides, strict=True))
    traces = [sp.Add(*entries[:: n + 1]) for entries in (case.hand, case.truth)]
    return not unsigned and agree(powers[0], powers[1]) and case.equal([(traces[0], traces[1])])


def _other_vectors(case: _CleanedSides) -> Iterator[tuple[str, str, Changed]]:
    """One vector written for another, everywhere or in the terms that hold a third one."""
    vectors = _vectors(case)
    if sum(e.count_ops() for e in case.hand) > MOST_OPERATIONS:
        return
    addends = [sp.Add.make_args(sp.expand(e)) for e in case.hand]
    for a, b in permutations(vectors, 2):
        if len(vectors[a]) != len(vectors[b]):
            continue
        change = dict(zip(vectors[a], vectors[b], strict=True))
        yield "wrong argument", f"write {b} for {a}", [e.xreplace(change) for e in case.hand]
        for c, beside in vectors.items():
            if c not in (a, b):
                held = [[t.xreplace(change) if t.free_symbols & set(beside) else t for t in terms] for terms in addends]
                yield "wrong argument", f"write {b} for {a} in the terms with {c}", [sp.Add(*terms) for terms in held]


def _entry(case: _CleanedSides, k: int) -> Edit | None:
    """The simplest edit of one entry that makes it true."""
    tree = Tree(case.hand[k], case.points)
    if any(v != v for v in tree.root.values):
        return None  # it has no value at a point
    for edit in entry_edits(tree, case.truth[k], case.symbols):
        case.deadline.check()
        if agree(edit.values, case.goal[k]) and case.equal([(edit.made(), case.truth[k])]):
            return edit
    for other in range(len(case.hand)):  # the entry stands in another place
        if other != k and case.hand[k] == case.truth[other] and not case.hand[k].is_number:
            return Edit("swapped index", ("this is {}", case.names[other]), case.goal[k], lambda: case.truth[k])
    return monomial_slip(case.hand[k], case.truth[k], case.goal[k])
