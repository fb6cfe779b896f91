"""In how many entries a function and an operator differ, at a few points: enough to tell operators apart."""

from __future__ import annotations

from itertools import islice

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.foreign.hand_functions import SiconosPlugin
from nsdgen.verify.foreign.rounding import CERTAIN, truth_at
from nsdgen.verify.foreign.sample_points import sample
from nsdgen.verify.foreign.worker import Worker

from .operators import PlatformOperator

_POINTS = 10  # different operators differ at nearly all of them; what agrees is compared at many afterwards


def differing_entries(function: SiconosPlugin, truth: PlatformOperator, seed: int = 0) -> int | None:
    """The number of entries that differ by more than rounding; None where no point could be compared."""
    rows, cols = truth.matrix.shape
    entries = tuple(as_expression(e) for e in truth.matrix)
    groups = [symbols for _, symbols in function.inputs]
    wrong: set[int] = set()
    compared = 0
    with Worker(function.call(rows, cols), 1.0) as worker:
        for point in islice(sample(function.symbols, groups, (), 3 * _POINTS, seed), 2, None, 3):
            known = truth_at(entries, entries, {**function.parameters, **point})
            outcome = worker.evaluate([[[point[s] for s in symbols] for symbols in groups]])[0]
            if known is None or (answer := outcome.numbers) is None:
                continue
            compared += 1
            for k, (hand, exact, bound) in enumerate(zip(answer.values, known.values, known.bounds, strict=True)):
                hand = 0.0 if k in answer.unwritten else hand
                if not abs(hand - exact) <= CERTAIN * bound:
                    wrong.add(k)
    return len(wrong) if compared else None
