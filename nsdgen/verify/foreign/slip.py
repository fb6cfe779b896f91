"""What a wrong Jacobian was probably meant to be: edits of the truth that reproduce the values of the code.

The code is known by its values only. What it holds is then the edited truth, and its slip the opposite of the edit.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.symbolic.expressions.nodes import plain
from nsdgen.symbolic.graph.running_error import evaluate_all
from nsdgen.verify.edits import MOST_ADDENDS, Tree, entry_edits

_CLOSE = 1e-11  # an edit is exact but for rounding of the code, which is far smaller at points of moderate size
_MOST_EDITS = 3000  # each is evaluated at all points: a bound on time, for a guess is a courtesy
_OPPOSITE = {"missing": "extra", "extra": "missing"}
_BY_ROWS = "stored row by row where columns are expected, or the reverse"

Array = Any


def guess_slip(
    truth: sp.Matrix,
    hand: Array,
    values: Sequence[Mapping[sp.Symbol, float]],
    wrong: Sequence[int],
    unwritten: Collection[int] = (),
) -> str:
    """A sentence about the whole matrix or about each wrong entry; empty without an idea.

    ``hand`` has the shape (points, entries); ``values`` are those of the symbols at these points; ``wrong`` and
    ``unwritten`` are numbers of entries, row by row.
    """
    table = np.array([[float(x) for x in evaluate_all(list(truth), point)] for point in values])
    table, hand = (given.reshape(len(values), truth.rows, truth.cols) for given in (table, hand))
    if not unwritten and (whole := _of_whole(table, hand, truth.shape)):
        return whole
    guesses: dict[str, list[str]] = {}
    for k in wrong:
        i, j = divmod(k, truth.cols)
        guess = "never written" if k in unwritten else _of_entry(truth, table, hand[:, i, j], (i, j), values)
        guesses.setdefault(guess, []).append(f"({i + 1}, {j + 1})")
    return "; ".join(f"{', '.join(places)}: {guess}" for guess, places in guesses.items() if guess)


def _of_whole(table: Array, hand: Array, shape: tuple[int, int]) -> str:
    rows, cols = shape
    if not table.any():
        return ""
    if _same(hand, table):
        return "none of the formula: the code loses digits where its terms cancel"
    if rows == cols and rows > 1 and _same(hand, table.transpose(0, 2, 1)):
        return f"the result is transposed, or {_BY_ROWS}"
    back = hand.reshape(len(hand), cols, rows).transpose(0, 2, 1)
    if 1 not in shape and (_same(hand, table.transpose(0, 2, 1).reshape(table.shape)) or _same(back, table)):
        return f"the result is {_BY_ROWS}"
    if _same(hand, -table):
        return "the sign of the whole result is wrong"
    ratio = _ratio(hand, table)
    return "" if ratio is None or rows * cols == 1 else f"the whole result is {_number(ratio)} times the right one"


def _of_entry(
    truth: sp.Matrix, table: Array, hand: Array, at: tuple[int, int], values: Sequence[Mapping[sp.Symbol, float]]
) -> str:
    right = table[:, *at]
    if not hand.any():
        return "the entry is missing (it is 0)"
    if not right.any():
        return _another_entry(table, hand, at) or "the entry must be 0"
    if (ratio := _ratio(hand, right)) is not None and abs(ratio - 1) < 1e-6:
        return f"off by a relative {abs(ratio - 1):.1e}: a constant with too few digits"
    entry = plain(truth[at])
    symbols = sorted(values[0], key=lambda s: s.name)
    for edit in islice(entry_edits(Tree(entry, list(map(dict, values))), sp.S.Zero, symbols), _MOST_EDITS):
        column = np.array([np.nan if v is None or isinstance(v, complex) else v for v in edit.values])
        if _same(column, hand):
            kind, _, what = edit.slip.partition(" ")
            return f"{_OPPOSITE.get(kind, kind)} {what}".rstrip() + f": it holds {edit.made()}"
    if lacking := _lacking(entry, hand, values):
        return f"missing term: it lacks {lacking}"
    if other := _another_entry(table, hand, at):
        return other
    return "" if ratio is None else f"extra factor {_number(ratio)}"


def _lacking(entry: sp.Expr, hand: Array, values: Sequence[Mapping[sp.Symbol, float]]) -> sp.Expr | None:
    """The terms of a sum that the hand lacks, the fewest; None where it is no part of the sum."""
    terms = sp.Add.make_args(entry)
    if not 1 < len(terms) <= MOST_ADDENDS:
        return None
    table = np.array([[float(x) for x in evaluate_all(terms, point)] for point in values]).T
    for n in range(len(terms) - 1, 0, -1):
        for kept in combinations(range(len(terms)), n):
            if _same(table[list(kept)].sum(axis=0), hand):
                return entry - sp.Add(*(terms[k] for k in kept))
    return None


def _another_entry(table: Array, hand: Array, at: tuple[int, int]) -> str:
    rows, cols = table.shape[1:]
    places = [(k, l) for k in range(rows) for l in range(cols) if (k, l) != at and table[:, k, l].any()]
    for k, l in sorted(places, key=lambda p: (p != at[::-1], p[0] != at[0], p[1] != at[1])):
        for sign, word in ((1.0, ""), (-1.0, "minus ")):
            if _same(hand, sign * table[:, k, l]):
                return f"swapped index: it holds {word}the entry ({k + 1}, {l + 1})"
    return ""


def _same(left: Array, right: Array) -> bool:
    size = max(float(np.abs(left).max(initial=0.0)), float(np.abs(right).max(initial=0.0)))
    return bool(
        np.isfinite(size) and np.all(np.abs(left - right) <= _CLOSE * (np.abs(left) + np.abs(right)) + 1e-13 * size)
    )


def _ratio(hand: Array, right: Array) -> float | None:
    """c with hand = c right at all points and in all entries, or None."""
    place = np.abs(right) > 1e-6 * np.abs(right).max(initial=0.0)
    if not place.any() or not hand[place].all():
        return None
    c = float(np.median(hand[place] / right[place]))
    return c if np.isfinite(c) and _same(hand, c * right) else None


def _number(c: float) -> str:
    fraction = Fraction(c).limit_denominator(64)
    return str(fraction) if abs(float(fraction) - c) <= 1e-8 * abs(c) else f"{c:.12g}"
