"""What the tests of the derivation compare with: expressions in high precision, and the product of quaternions.

The evaluation is :mod:`nsdgen.symbolic.graph.running_error`, which shares no code with derivation and emission.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nsdgen.symbolic.graph.running_error import UNIT, BoundedEvaluator, evaluate, stumpff

__all__ = ["UNIT", "BoundedEvaluator", "evaluate", "hamilton", "stumpff"]


def hamilton(p: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    """The product of two quaternions from i^2 = j^2 = k^2 = ijk = -1."""
    a, b, c, d = p
    e, f, g, h = q
    return [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
