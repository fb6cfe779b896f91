"""Functions of constants as numbers.

A compiler that meets cos(1.0) writes down the rounded value, the library computes one that may differ in the last bit,
and not every compiler looks. So that the bits of a text depend on the text alone, such values are numbers in it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import mpmath

from nsdgen.emit.expression_graph import Graph, Kind

__all__ = ["constant_call"]

_DIGITS = 40
_NAMED = {"M_PI": mpmath.pi, "M_E": mpmath.e}
_EXACT = ("sqrt", "fabs", "floor", "nsd_mod", "nsd_sign", "nsd_stumpff")
"""Functions that round alike wherever they are computed, and those of our own, which are made of such ones."""
_OTHERWISE = {"pow": "power"}
_JUMPS: dict[str, Callable[..., float]] = {
    "fabs": abs, "floor": math.floor, "nsd_mod": operator.mod, "nsd_sign": lambda a: (a > 0) - (a < 0)}
"""Of doubles, as emitted code computes them: rounding decides on which side of a jump they lie."""


def constant_call(graph: Graph, name: str, args: tuple[int, ...]) -> float | None:
    """The value of a function of constants; None where an argument is none, or the value is no finite double."""
    if name in _EXACT:
        return None
    with mpmath.workdps(_DIGITS):
        values = [_value(graph, arg) for arg in args]
        if any(value is None for value in values):
            return None
        try:
            value = float(getattr(mpmath, _OTHERWISE.get(name, name))(*values))
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):  # complex, infinite
            return None
    return value if value - value == 0.0 else None


def _value(graph: Graph, index: int) -> Any:
    """A constant made of numbers by sums and products, or None."""
    node = graph.nodes[index]
    if node.kind is Kind.NUMBER:
        return mpmath.mpf(float(node.text))
    if node.kind is Kind.SYMBOL:
        return +_NAMED[node.text] if node.text in _NAMED else None
    if node.kind is Kind.CALL and node.text in _JUMPS:
        found = _double(graph, index)
        return None if found is None else mpmath.mpf(found)
    if node.kind not in (Kind.NEGATION, Kind.SUM, Kind.PRODUCT) and (node.kind, node.text) != (Kind.CALL, "sqrt"):
        return None
    values: list[Any] = []
    for arg in node.args:
        values.append(_value(graph, arg))
        if values[-1] is None:
            return None
    if node.kind is Kind.NEGATION:
        return -values[0]
    if node.kind is Kind.CALL:
        return mpmath.sqrt(values[0])
    total = values[0]
    for word, value in zip(node.text[1:], values[1:], strict=True):
        if node.kind is Kind.SUM:
            total = total + value if word == "+" else total - value
        elif word == "/" and not value:
            return None
        else:
            total = total * value if word == "*" else total / value
    return total


def _double(graph: Graph, index: int) -> float | None:
    """A constant as emitted code computes it, each operation rounded; None where it is none, or not finite."""
    node = graph.nodes[index]
    if node.kind is Kind.NUMBER:
        return float(node.text)
    if node.kind is Kind.SYMBOL:
        return float(_NAMED[node.text]) if node.text in _NAMED else None
    args = [_double(graph, arg) for arg in node.args]
    values = [value for value in args if value is not None]
    if len(values) < len(args):
        return None
    try:
        if node.kind is Kind.NEGATION:
            return -values[0]
        if node.kind in (Kind.SUM, Kind.PRODUCT):
            pairs = zip(node.text[1:], values[1:], strict=True)
            found = reduce(lambda total, pair: _ROUNDED[pair[0]](total, pair[1]), pairs, values[0])
        elif node.kind is Kind.CALL and node.text in ("sqrt", *_JUMPS):
            found = float(math.sqrt(*values) if node.text == "sqrt" else _JUMPS[node.text](*values))
        else:
            return None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return found if math.isfinite(found) else None


_ROUNDED: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
