"""Code at -0.0: a zero with its sign bit set is zero, whatever ``atan2``, ``copysign`` or ``1 / x`` make of it.

Every point with zeros in it has twins in which one of them, or all, are -0.0. Entry by entry the code must give there
what it gives at 0.0, or another value that is right: the truth, or on a kink that of a side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

import mpmath
import numpy as np

from .kinks import nearby
from .problem import Findings, Problem, is_of_a_side
from .rounding import FACTOR, BoundedTruth
from .sample_points import Point

_MOST = 60  # twins that are looked at


def twins(points: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
    """Points with zeros, each with one in which some zeros are -0.0; counts and magnitudes keep their 0."""
    seen = set()
    for point in points:
        zeros = [s for s, v in point.items() if v == 0.0 and not s.is_nonnegative and not s.is_integer]
        for chosen in [zeros] if len(zeros) < 2 else [zeros, *([s] for s in zeros)]:
            key = (tuple(point.values()), tuple(chosen))
            if chosen and key not in seen:
                seen.add(key)
                yield {s: v + 0.0 for s, v in point.items()}, {**point, **dict.fromkeys(chosen, -0.0)}


def differing_at_minus_zero(problem: Problem, found: Findings, points: Sequence[Point]) -> list[Point]:
    """Look at the twins of points; returns those at which the code did not give numbers but did at 0.0."""
    pairs = list(islice(twins(points), _MOST))
    outcomes = problem.call([p for pair in pairs for p in pair])
    silent = []
    for (plain, minus), there, here in zip(pairs, outcomes[::2], outcomes[1::2], strict=True):
        if (first := there.numbers) is None:
            continue
        if (second := here.numbers) is None:
            silent.append(minus)
            continue
        values = zip(problem.filled(first), problem.filled(second), strict=True)
        changed = {
            k: (a, b)
            for k, (a, b) in enumerate(values)
            if a != b and not (np.isnan(a) and np.isnan(b)) and k not in found.unstable
        }
        if changed:
            _judge(problem, found, plain, minus, changed)
    return silent


def _judge(
    problem: Problem, found: Findings, plain: Point, minus: Point, changed: dict[int, tuple[float, float]]
) -> None:
    """Entries that the sign of a zero changes: wrong where the value at -0.0 is none that is right."""
    here = problem.truth_at(problem.values(plain))
    kink = nearby(problem.switches, problem.values(plain)) is not None
    if here is None and not kink:
        return  # outside the domain nothing is right or wrong
    own = [s for s, v in minus.items() if v == 0.0 and math.copysign(1.0, v) < 0]
    sides = problem.sides(minus, own) if kink else []
    for k, (a, b) in changed.items():
        if k in found.wrong or (is_of_a_side(b, k, sides, here) if kink or here is None else _right(b, k, here)):
            continue
        i, j = problem.place(k)
        found.fail(f"at -0.0 entry ({i + 1}, {j + 1}) gives {b:.6g}, at 0.0 {a:.6g}", k, minus)
        if not kink:
            found.wrong[k] = minus
            found.signed.add(k)


def _right(value: float, k: int, truth: BoundedTruth) -> bool:
    return bool(math.isfinite(value) and abs(mpmath.mpf(value) - truth.values[k]) <= FACTOR * truth.bounds[k])
