"""Functions in formulas, applied to their arguments."""

import re
from collections.abc import Callable
from typing import Any

from sympy import NonSquareMatrixError, ShapeError

from nsdgen.symbolic.expressions.conversion import is_matrix

from .decorated_names import COMMANDS, INVERSES, OF_MATRICES, SEVERAL, spelling
from .derivatives import CLOSING, Parser
from .operations import multiply, scalar
from .tokens import Token

_SPACE = re.compile(r"\\[,;: ]|~|\\q?quad|\\hspace|\\phantom")
_ENDS = ("\\frac", "\\sqrt", "|", "\\|")  # what shows where it ends, as parentheses do


def applied_command(parser: Parser, name: str) -> Any:
    """A function that TeX has a command for, whose name was read, applied to what follows."""
    start = parser.at - 1
    function, exponent = COMMANDS[name], None
    if parser.word() == "^":
        parser.at += 1
        parser.whole_number()
        if spelling(parser.argument_tokens(peek=True)).strip("{}") == "-1":
            parser.argument_tokens()
            if name not in INVERSES:
                raise parser.error(
                    f"{name}^{{-1}} may be an inverse function or a reciprocal",
                    "write \\frac{1}{...} or the name of the inverse function",
                    start,
                )
            function = INVERSES[name]
        elif name in SEVERAL:
            raise parser.error(f"a power of {name}", f"write parentheses around {name}(...)", start)
        else:
            exponent = parser.argument()
    value = _called(parser, function, _arguments_of(parser, name, start), start)
    return value if exponent is None else value**exponent


def _arguments_of(parser: Parser, name: str, start: int) -> list[Any]:
    if parser.word() in ("(", "[", "\\{"):
        values = _arguments(parser)
        if parser.word() == "^" and name not in SEVERAL | {"\\det"}:
            raise parser.error(
                f"the power may belong to {name} or to its argument: {name}^n(x) or {name}(x^n)",
                "write it after the name, or inside the parentheses",
            )
        return values
    if name in SEVERAL:
        raise parser.error(f"{name} without parentheses", f"write {name}(a, b)", start)
    if parser.word() != "{":
        return [_bare(parser)]
    child = parser.part(parser.argument_tokens())
    value = child.whole()
    if child.terms > (child.tokens[0].text in ("+", "-")):
        raise parser.error("nobody sees these braces: {x + y} looks like x + y", "write parentheses", start + 1)
    if parser.word() == "^":
        raise parser.error("the power may belong to the function or to its argument", "write it after the name")
    return [value]


def _called(parser: Parser, function: Callable[..., Any], arguments: list[Any], start: int) -> Any:
    """The function applied. Raises ``ModelError`` where it cannot be."""
    arguments = [scalar(a) for a in arguments]
    word = parser.tokens[start].text
    if word in COMMANDS and word not in OF_MATRICES and any(map(is_matrix, arguments)):
        raise parser.error(f"{word} of a matrix", "declare a function for it", start)
    try:
        return function(*arguments)
    except (ShapeError, NonSquareMatrixError):
        raise
    except Exception as error:  # what SymPy says to arguments it does not take
        raise parser.error(
            f"{word!r} cannot be applied to {len(arguments)} argument(s) of this kind: {error}",
            "check the arguments and the declaration",
            start,
        ) from error


def applied(parser: Parser, function: Callable[..., Any], token: Token) -> Any:
    """A declared or upright function, whose name was read, applied to its argument in parentheses."""
    if parser.word() not in ("(", "["):
        raise parser.error(
            f"{token.text!r} is a function, its argument is missing", "write its argument in parentheses"
        )
    start = parser.at
    return _called(parser, function, _arguments(parser), start - 1)


def _arguments(parser: Parser) -> list[Any]:
    closing = CLOSING[parser.tokens[parser.at].text]
    parser.at += 1
    bars, parser.bars = parser.bars, 0
    values = [parser.sum()]
    while parser.skip(",") or parser.skip(";"):
        values.append(parser.sum())
    parser.bars = bars
    parser.expect(closing)
    return values


def _bare(parser: Parser) -> Any:
    """The argument of a function without parentheses."""
    if parser.skip("-"):
        return -_bare(parser)
    first, value = parser.word(), parser.factor()
    while (
        (word := parser.word())
        and not parser.stops(word)
        and word not in COMMANDS
        and word not in CLOSING
        and word not in ("\\cdot", "\\times", "*", "\\begin", "\\nabla")
    ):
        if word == "/":
            raise parser.error("the quotient may belong to the argument or not", "write parentheses or \\frac")
        if _SPACE.search(parser.text, parser.tokens[parser.at - 1].place, parser.tokens[parser.at].place):
            raise parser.error(
                "the space may end the argument of the function or not: f(x) y or f(x y)", "write parentheses"
            )
        if first in _ENDS:
            raise parser.error(
                "the argument may end behind the fraction, root or bars, or not: f(x / 2) y or f(x y / 2)",
                "write parentheses",
            )
        parser.not_two_numbers()
        first = parser.word()
        value = multiply(value, parser.factor())
    return value
