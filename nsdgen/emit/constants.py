"""Functions of constants as numbers.

A compiler that meets cos(1.0) writes down the rounded value, the library computes one that may differ in the last bit,
and not every compiler looks. So that the bits of a text depend on the text alone, such values are numbers in it.
"""

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import mpmath

from nsdgen.emit.expression_graph import Graph, Kind

_DIGITS = 40  # a double holds 17: sums may cancel twenty and their value is still rounded once
_NAMED = {"M_PI": mpmath.pi, "M_E": mpmath.e}
_EXACT = ("sqrt", "fabs", "floor", "nsd_mod", "nsd_sign", "nsd_stumpff")
"""Functions that round alike wherever they are computed, and those of our own, which are made of such ones."""
_OTHERWISE = {"pow": "power"}
_JUMPS: dict[str, Callable[..., float]] = {
    "fabs": abs,
    "floor": math.floor,
    "nsd_mod": operator.mod,
    "nsd_sign": lambda a: (a > 0) - (a < 0),
}
"""Of doubles, as emitted code computes them: rounding decides on which side of a jump they lie."""


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def constant_call(graph: Graph, name: str, args: tuple[int, ...]) -> float | None:
    """The value of a function of constants; None where an argument is none, or the value is no finite double."""
    if name in _EXACT:
        return None
    with mpmath.workdps(_DIGITS):
        try:
            values = [_value(graph, arg, mpmath.mpf) for arg in args]
            if any(value is None for value in values):
                return None
            value = float(getattr(mpmath, _OTHERWISE.get(name, name))(*values))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):  # complex, infinite
            return None
    return value if math.isfinite(value) else None


def _value(graph: Graph, index: int, number: Callable[[Any], Any]) -> Any:
    """A constant made by sums, products, roots and jumps, or None; ``number`` rounds each operation, or hardly does.

    Raises what its operations raise, and ``OverflowError`` where a jump is infinitely far.
    """
    node = graph.nodes[index]
    if node.kind is Kind.NUMBER:
        return number(float(node.text))
    if node.kind is Kind.SYMBOL:
        return number(_NAMED[node.text]) if node.text in _NAMED else None
    jumps = node.kind is Kind.CALL and node.text in _JUMPS
    if (
        not jumps
        and node.kind not in (Kind.NEGATION, Kind.SUM, Kind.PRODUCT)
        and (node.kind, node.text) != (Kind.CALL, "sqrt")
    ):
        return None
    values = [_value(graph, arg, float if jumps else number) for arg in node.args]
    if any(value is None for value in values):
        return None
    if jumps:
        if not all(map(math.isfinite, values)):
            raise OverflowError(node.text)
        return number(_JUMPS[node.text](*values))
    if node.kind is Kind.NEGATION:
        return -values[0]
    if node.kind is Kind.CALL:
        return number(mpmath.sqrt(values[0]))
    pairs = zip(node.text[1:], values[1:], strict=True)
    return reduce(lambda total, pair: _OPERATIONS[pair[0]](total, pair[1]), pairs, values[0])
