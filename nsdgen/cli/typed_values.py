"""Values typed on the command line: ``-p omega=2*pi*700/60``, ``-p start="[0, 1e-3]"``.

A value is arithmetic on numbers, ``pi`` and ``e``, with ``sqrt``, ``sin`` and ``cos``, or a
list of such values, or ``inf`` by itself. The text is parsed, never executed. Other parameters cannot be named:
``e`` to the right of the equals sign is Euler's number.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from nsdgen.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

_LONGEST = 1000  # characters: beyond any sane value, below what would exhaust the parser
_CONSTANTS = {"pi": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Callable[[float], float]] = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos}
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,  # unlike **, never complex and never an endless integer
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_ALLOWED = "use numbers, + - * / **, parentheses, pi, e, sqrt, sin, cos, or a list [1, 2, 3]"
_FINITE = "give a value that is a finite real number"


def parse_assignment(text: str) -> tuple[str, float | list[float]]:
    """``"omega=2*pi"`` as ``("omega", 6.28...)``; a list gives a list of floats.

    Raises ParameterError when there is no name, no equals sign or no value.
    """
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ParameterError(f"{text!r} assigns nothing", fix="write name=value, for instance omega=2*pi*50")
    return name.strip(), evaluate(value)


def parse_varied(text: str) -> tuple[str, float | np.ndarray | tuple[float, float]]:
    """``omega=30:80:400`` are 400 values from 30 to 80, ``30:80`` is a range, a list an array, all else one number."""
    import numpy as np  # not for the parser of the command line

    name, _, value = text.partition("=")
    parts = value.split(":")
    if len(parts) == 1:
        name, found = parse_assignment(text)
        return name, np.array(found) if isinstance(found, list) else found
    if len(parts) > 3:
        raise _no_values(text)
    if not name.strip():
        raise ParameterError(f"{text!r} assigns nothing", fix="write name=from:to:count")
    low, high = map(one_number, parts[:2])
    if len(parts) == 2:
        return name.strip(), (low, high)
    count = one_number(parts[2])
    if count < 1 or not count.is_integer():
        raise _no_values(text)
    return name.strip(), np.linspace(low, high, int(count))


def _no_values(text: str) -> ParameterError:
    return ParameterError(f"{text!r} names no values", fix="write omega=30:80:400, 400 values from 30 to 80")


def parse_lengths(text: str) -> float | np.ndarray | tuple[float, float]:
    """The values of :func:`parse_varied` without a name."""
    return parse_varied(f"step={text}")[1]


def one_number(text: str) -> float:
    """The number that ``text`` stands for. Raises as :func:`evaluate` does, and for a list."""
    value = evaluate(text)
    if isinstance(value, list):
        raise ParameterError(f"{text!r} is a list where one number is meant", fix="give one number")
    return value


def positive(text: str) -> float:
    """The number > 0 that ``text`` stands for."""
    value = one_number(text)
    if value <= 0:
        raise ParameterError(f"{text!r} is not positive", fix="give a number > 0")
    return value


def count(text: str) -> int:
    """How many of something. Raises ``ParameterError`` for what is no whole number >= 0."""
    if not text.isdecimal():
        raise ParameterError(f"{text!r} is no whole number", fix="give an integer such as 2")
    return int(text)


def evaluate(text: str) -> float | list[float]:
    """The number, or the list of numbers, that ``text`` stands for.

    Raises ParameterError, naming the offending part, for anything but arithmetic and for
    results that are not finite real numbers; ``inf`` by itself is infinite.
    """
    text = text.strip()
    node = _parsed(text)
    if isinstance(node, ast.Name) and node.id == "inf":
        return math.inf  # a friction coefficient may be infinite; all else refuses it by name
    if isinstance(node, ast.List):
        return [_number(entry, text) for entry in node.elts]
    return _number(node, text)


def parse_period(text: str) -> float | Callable[[Mapping[str, float]], float]:
    """A number, or a function of the values of parameters: ``2*pi/omega``. Raises as :func:`evaluate` does."""
    node = _parsed(text.strip())
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - _CONSTANTS.keys() - _FUNCTIONS.keys()

    def value(parameters: Mapping[str, float]) -> float:
        if strangers := sorted(names - parameters.keys()):
            raise ParameterError(f"{strangers[0]!r} is no parameter", fix=f"use {', '.join(parameters) or 'numbers'}")
        put = _NumbersForNames({name: float(parameters[name]) for name in names})
        return _number(ast.fix_missing_locations(put.visit(_parsed(text.strip()))), text)

    return value if names else _number(node, text)


class _NumbersForNames(ast.NodeTransformer):
    """Numbers in place of names."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast calls it
        """The number of a name that has one."""
        return ast.copy_location(ast.Constant(self.values[node.id]), node) if node.id in self.values else node


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ParameterError(
            f"the value {text[:40]!r}... is {len(text)} characters long",
            fix=f"keep it under {_LONGEST} characters, or set it in the model file",
        )
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _refused(text, text, "cannot be read as a value") from error


def _number(node: ast.expr, text: str) -> float:
    try:
        value = _value(node, text)
    except RecursionError as error:
        raise _refused(text, text, "is nested too deeply") from error
    if not math.isfinite(value):
        raise _refused(_source(node, text), text, "is not finite", _FINITE)
    return value


def _value(node: ast.expr, text: str) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _computed(node, text, float, number)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=op, operand=inner) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(inner, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            operands = _value(left, text), _value(right, text)
            return _computed(node, text, _BINARY[type(op)], *operands)
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _FUNCTIONS:
            return _computed(node, text, _FUNCTIONS[name], _value(inner, text))
    raise _refused(_source(node, text), text, "is not allowed in a value", _advice(node))


def _computed(node: ast.expr, text: str, function: Callable[..., float], *operands: float) -> float:
    try:
        return function(*operands)
    except (ArithmeticError, ValueError) as error:
        why = f"has no value ({error})"
        raise _refused(_source(node, text), text, why, _FINITE) from error


def _advice(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        return "write powers as 2**3"
    if isinstance(node, ast.Tuple):
        return "write decimals with a point, 0.5, and vectors in brackets, [0, 5]"
    if isinstance(node, ast.List):
        return "write one flat list, [1, 2, 3]"
    return _ALLOWED


def _source(node: ast.expr, text: str) -> str:
    return ast.get_source_segment(text, node) or text


def _refused(part: str, text: str, why: str, fix: str = _ALLOWED) -> ParameterError:
    place = "" if part == text else f" (in {text!r})"
    return ParameterError(f"{part!r} {why}{place}", fix=fix)
