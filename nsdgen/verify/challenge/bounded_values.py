"""Numbers, sums that end and relations, as values with bounds of their errors: part of :mod:`.meaning`."""

from collections.abc import Callable
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import mpmath
import sympy as sp

from .elementary import Undefined, Unsure
from .witness import Witness

_RELATIONS = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
LOOSE = 12
"""Digits that are trusted of a value with an integral or an infinite sum in it."""

_MOST_OF_INFINITE = 300  # terms before an infinite sum is extrapolated


def exhausted(f: Callable[[Any], Any], low: Any) -> Any:
    """The sum of terms that become nothing soon; None where they do not."""
    total, largest, small = mpmath.mpf(0), mpmath.mpf(0), 0
    for k in range(_MOST_OF_INFINITE):
        term = f(low + k)
        total, largest = total + term, max(largest, abs(term))
        small = small + 1 if abs(term) <= mpmath.eps * abs(total) else 0
        if small >= 8 and k >= 24:
            return total if largest * mpmath.eps <= mpmath.mpf(10) ** -LOOSE * (1 + abs(total)) else None
    return None


def related(difference: Any, relation: str) -> bool:
    """Whether a difference of two values, 0 where only rounding is left of it, is in a relation to 0."""
    if isinstance(difference, mpmath.mpc) and relation not in ("==", "!="):
        raise Undefined("complex numbers have no order")
    return bool(_RELATIONS[relation](difference, 0))


def rounded(exact: Fraction) -> tuple[Any, Any]:
    """A fraction at the working precision, with no error where it has so few digits."""
    value = mpmath.mpf(exact.numerator) / exact.denominator
    whole = exact.denominator & (exact.denominator - 1) == 0 and exact.numerator.bit_length() <= mpmath.mp.prec
    return value, mpmath.mpf(0) if whole else abs(value) * mpmath.eps


def constant(node: Any) -> Any:
    """The value of a number or a truth value, a decimal with the error of its last digit."""
    if node in (sp.true, sp.false):
        return bool(node)
    if node in (sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise Undefined(f"{node} is no number")
    if isinstance(node, sp.Float):
        value = mpmath.mpf(repr(float(node))) if node._prec <= 53 else mpmath.mpf(node)
        # Bounds are multiplied by 1000 before values are compared: this is the fifteenth digit of a double.
        return value, abs(value) * mpmath.mpf(2) ** (-4 - max(node._prec, 53))
    if node is sp.I:
        return mpmath.mpc(0, 1)
    if isinstance(node, sp.NumberSymbol):
        return Witness.number(node)
    raise Unsure(f"{node} has no value")
