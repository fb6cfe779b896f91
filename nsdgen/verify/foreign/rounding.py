"""Hand values in double precision against truth in fifty digits: a difference is an error or it is rounding.

The truth of an entry comes with a running error bound of its double evaluation, the rounding of its
inputs included. A hand code in another arrangement may round differently, by a small factor as a rule;
differences in between are decided by a property that tells the two apart: an error in a formula is a
smooth function of the inputs, and rounding is not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

DIGITS = 50  # thrice a double's: what cancels in an entry leaves its truth exact beside the double's error
FACTOR = 8.0
"""Differences up to this many error bounds are rounding."""

CERTAIN = 1e5
"""Differences of more error bounds than this are errors of the formula."""


@dataclass(frozen=True)
class BoundedTruth:
    """The entries of the truth at one point in row-major order, each with its error bound."""

    values: tuple[Any, ...]
    bounds: tuple[Any, ...]


def is_smooth(differences: Sequence[Any]) -> bool:
    """Whether differences at nearby points are one smooth function: they have one sign and about one size."""
    sizes = [abs(d) for d in differences]
    one_sign = all(d > 0 for d in differences) or all(d < 0 for d in differences)
    return one_sign and max(sizes) < 1.5 * min(sizes)
