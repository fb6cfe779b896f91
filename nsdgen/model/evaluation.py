"""The expression graph on arrays: every node once, with NumPy."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from nsdgen.emit.expression_graph import CompactGraph, ExpressionNode, Kind
from nsdgen.errors import EmissionError

_CONSTANTS = {"M_PI": np.pi, "M_E": np.e, "True": True, "False": False}
_CALLS: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, n) for n in ("exp", "log", "fabs", "sqrt", "floor", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"a{n}": getattr(np, f"arc{n}") for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "atan2": np.arctan2, "pow": np.power,
    "erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float]),
    "nsd_mod": np.mod, "nsd_sign": np.sign,
}  # fmt: skip
_RELATIONS: dict[str, Callable[..., Any]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
_LOGIC: dict[str, Callable[..., Any]] = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not}


def evaluated(program: CompactGraph, operand: Callable[[str], Any]) -> list[Any]:
    """The values of the roots; ``operand`` gives those of symbols by name, numbers or arrays that broadcast.

    Raises ``EmissionError`` for a function that NumPy and SciPy do not have.
    """
    found: list[Any] = []
    with np.errstate(all="ignore"):  # arms of branches that are not taken
        for node in program.nodes:
            found.append(_value(node, [found[i] for i in node.args], operand))
    return [found[root] for root in program.roots]


def _value(node: ExpressionNode, args: Sequence[Any], operand: Callable[[str], Any]) -> Any:
    match node.kind:
        case Kind.NUMBER:
            return float(node.text)
        case Kind.SYMBOL:
            return _CONSTANTS[node.text] if node.text in _CONSTANTS else operand(node.text)
        case Kind.NEGATION:
            return -args[0]
        case Kind.SUM:
            return sum(a if sign == "+" else -a for sign, a in zip(node.text, args, strict=True))
        case Kind.PRODUCT:
            over = node.text.count("*")
            top = reduce(np.multiply, args[:over])
            return top / reduce(np.multiply, args[over:]) if args[over:] else top
        case Kind.CALL if node.text in _CALLS:
            return _CALLS[node.text](*args)
        case Kind.RELATION:
            return _RELATIONS[node.text](*args)
        case Kind.LOGIC:
            return reduce(_LOGIC[node.text], args) if len(args) > 1 else _LOGIC[node.text](*args)
        case Kind.BRANCH:
            taken = args[-1]
            for value, condition in zip(args[-3::-2], args[-2::-2], strict=True):
                taken = np.where(condition, value, taken)
            return taken
    raise EmissionError(f"{node.text!r} cannot be evaluated on arrays", fix="draw it by other functions")
