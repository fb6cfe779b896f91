"""Derivatives in formulas: nabla and fractions of differentials."""

from typing import Any

from nsdgen.symbolic.expressions.conversion import is_matrix

from .decorated_names import spelling
from .operations import differentiate

Parser = Any  # of :mod:`.parser`, which calls these functions for what is a derivative

TRANSPOSE = {"\\top", "T", "\\mathrm T", "{T}", "\\mathrm{T}"}
"""Superscripts that transpose."""

CLOSING = {"(": ")", "[": "]", "\\{": "\\}", "|": "|", "\\|": "\\|"}
"""Brackets with what closes them."""


def starts_derivative(parser: Parser) -> bool:
    """Whether a fraction of differentials begins here."""
    if parser.word() != "\\frac":
        return False
    first = parser.text_at(parser.at + 2) if parser.word(1) == "{" else parser.word(1)
    below = parser.group_end(parser.at + 1)
    under = parser.text_at(below + 1)
    return (first == "\\partial" and under == "\\partial") or (first == under == "d" and "d" not in parser.symbols)


def derivative(parser: Parser) -> Any:
    """``\\nabla_x f``, ``\\frac{\\partial f}{\\partial x}``, ``\\frac{\\partial}{\\partial x} f``."""
    start = parser.at
    if parser.skip("\\nabla"):
        if not parser.skip("_"):
            raise parser.error("nabla without a subscript", "write \\nabla_x, with respect to what")
        wrt, transposed = parser.argument(), parser.skip("^")
        if transposed and spelling(parser.argument_tokens()).strip("{}") not in TRANSPOSE:
            raise parser.error(
                "a superscript of nabla that is no transpose", "write second derivatives as fractions", start
            )
        value = _differentiated(parser, _operand(parser), wrt, start)
        return value.T if transposed else value
    parser.at += 1
    above = parser.part(parser.argument_tokens())
    below = parser.part(parser.argument_tokens())
    total, order = above.word() == "d", _differential(above)
    value = above.sum() if above.at < len(above.tokens) else _operand(parser)
    if above.at < len(above.tokens):
        raise parser.error("the numerator of the derivative cannot be read", "write \\partial f", start)
    count = 0
    while below.at < len(below.tokens):
        _differential(below, power=False)
        wrt, times_ = _base_with_power(below)
        count += times_
        for _ in range(times_):
            if total and not _depends(value, wrt):
                raise parser.error(
                    "a total derivative of something that does not depend on the variable",
                    "declare it as a function of the variable, or write \\partial",
                    start,
                )
            value = _differentiated(parser, value, wrt, start)
    if count != order:
        raise parser.error(f"a derivative of order {order} by {count} variables", "check the powers", start)
    return value


def _operand(parser: Parser) -> Any:
    """What an operator differentiates: one factor, the last of its product."""
    bracketed = parser.word() in CLOSING
    value = parser.factor()
    if (word := parser.word()) and not parser.stops(word) and not bracketed:
        raise parser.error("the derivative may end before this factor or after it", "write parentheses")
    return value


def _differentiated(parser: Parser, value: Any, wrt: Any, start: int) -> Any:
    try:
        return differentiate(value, wrt)
    except (ValueError, TypeError, AttributeError) as error:
        raise parser.error(
            f"the derivative cannot be taken: {error}", "differentiate by a declared symbol or vector", start
        ) from error


def _differential(parser: Parser, power: bool = True) -> int:
    """The sign of a differential, and its order."""
    if parser.word() not in ("\\partial", "d"):
        raise parser.error("a differential is expected here", "write \\partial before every name")
    parser.at += 1
    if not (power and parser.word() == "^"):
        return 1
    parser.at += 1
    order = parser.argument()
    if not getattr(order, "is_Integer", False) or order < 1:
        raise parser.error("the order of a derivative is no number", "write \\partial^2")
    return int(order)


def _base_with_power(parser: Parser) -> tuple[Any, int]:
    value, times_ = parser.base(), 1
    if parser.skip("^"):
        exponent = parser.argument()
        if not getattr(exponent, "is_Integer", False):
            raise parser.error("the order of a derivative is no number", "write \\partial x^2")
        times_ = int(exponent)
    return value, times_


def _depends(value: Any, wrt: Any) -> bool:
    """Whether a derivative by ``wrt`` is more than zero by default."""
    symbols = set(wrt.free_symbols) if is_matrix(wrt) else {wrt}
    return bool(value.free_symbols & symbols)
