"""The grammar of formulas: sums of products of factors with scripts; a recursive descent over tokens.

What is not declared is an error that shows the place. Products keep their order; writing things side by side
multiplies them. ``\\sin 2 x \\cos y`` is sin(2 x) cos(y): an argument without parentheses ends at the next
function, sign or bracket.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError

from .functions import COMMANDS, INVERSES, NAMED
from .names import DECORATIONS, FONTS, MARKS, plain, spelling
from .operations import add, differentiate, divide, dot, is_matrix, magnitude, matrix, multiply, power, times
from .tokens import Token, complain, tokenize

__all__ = ["Parser"]

_CLOSING = {"(": ")", "[": "]", "\\{": "\\}", "|": "|", "\\|": "\\|", "\\langle": "\\rangle"}
_ENVIRONMENTS = ("bmatrix", "pmatrix", "matrix", "Bmatrix", "vmatrix", "array", "smallmatrix", "bsmallmatrix",
                 "psmallmatrix")
_STOP = {")", "]", "}", "\\}", "|", "\\|", "&", "\\\\", ",", ";", "=", "\\end", "+", "-", "\\pm", "\\rangle", "<", ">",
         "\\leq", "\\geq", "\\le", "\\ge", "\\neq"}
_TRANSPOSE = {"\\top", "T", "\\mathrm T", "{T}", "\\mathrm{T}"}
_CONSTANTS = {"\\pi": sp.pi, "\\infty": sp.oo}
_BARS = {"|", "\\|"}


class Parser:
    """A formula and a position in it; ``symbols`` are canonical names with their values.

    ``first_index`` is the number of the first entry, for subscripts that pick an entry of a declared matrix.
    """

    def __init__(self, text: str, symbols: Mapping[str, Any], first_index: int = 1) -> None:
        self.text, self.symbols, self.first_index = text, symbols, first_index
        self.tokens = tokenize(text)
        self.at = 0
        self.bars = 0

    def whole(self) -> Any:
        """The value of the whole text; raises ``ModelError`` where something is left over."""
        value = self.sum()
        if self.at < len(self.tokens):
            word = self.tokens[self.at].text
            fix = "write one side of the equation" if word == "=" else "check the brackets before it"
            raise self._error(f"{word!r} is not expected here", fix)
        return value

    # ---- sums and products

    def sum(self) -> Any:
        """[+-] product ([+-] product) ..."""
        sign = -1 if self._skip("-") else 1
        if sign == 1:
            self._skip("+")
        value = self._product()
        value = multiply(sp.Integer(-1), value) if sign == -1 else value
        while (word := self._word()) in ("+", "-"):
            self.at += 1
            term = self._product()
            value = add(value, multiply(sp.Integer(-1), term) if word == "-" else term)
        return value

    def _product(self) -> Any:
        value = self._factor()
        while (word := self._word()) and not self._stops(word):
            operation: Callable[[Any, Any], Any] = multiply
            if word in ("\\cdot", "\\times", "*", "/"):
                self.at += 1
                operation = {"\\cdot": dot, "\\times": times, "*": multiply, "/": divide}[word]
            value = operation(value, self._factor())
        return value

    def _stops(self, word: str) -> bool:
        return word in _STOP and not (word in _BARS and not self.bars)

    def _factor(self) -> Any:
        """A value with its superscripts."""
        if not self._word():
            raise self._error("something is missing at the end", "complete the formula")
        if self._word() in ("-", "+") and self.at and self.tokens[self.at - 1].text in ("\\cdot", "\\times", "*", "/"):
            sign = -1 if self.tokens[self.at].text == "-" else 1
            self.at += 1
            return multiply(sp.Integer(sign), self._factor())
        if self._word() == "\\nabla" or self._starts_derivative():
            return self._derivative()
        value = self._base()
        while self._word() == "^":
            value = self._raised(value)
        return value

    def _raised(self, value: Any) -> Any:
        start = self.at
        self.at += 1
        written = spelling(self._argument_tokens())
        inner = written[1:-1] if written.startswith("{") and written.endswith("}") else written
        if is_matrix(value) and (inner in _TRANSPOSE or inner == "T"):
            return value.T
        if is_matrix(value) and inner in ("-T", "-\\top"):
            return value.T.inv()
        if is_matrix(value) and inner == "-1":
            return value.inv()
        if inner in MARKS:
            self.at = start
            raise self._error(f"the mark {inner!r} belongs to no declared name",
                              "declare the name together with its mark")
        self.at = start + 1
        return power(value, self._argument())

    # ---- single values

    def _base(self) -> Any:
        token = self.tokens[self.at]
        word = token.text
        if token.kind == "number":
            self.at += 1
            return sp.Rational(word)
        if word in ("{",):
            return self._argument()
        if word in _CLOSING:
            return self._bracket(word)
        if word == "\\frac":
            self.at += 1
            above = self._argument()
            return divide(above, self._argument())
        if word == "\\sqrt":
            return self._root()
        if word == "\\begin":
            return self._environment()
        return self._named()

    def _bracket(self, opening: str) -> Any:
        self.at += 1
        if opening in _BARS:
            self.bars += 1
            value = self.sum()
            self.bars -= 1
            self._expect(_CLOSING[opening])
            return magnitude(value)
        bars, self.bars = self.bars, 0
        value = self.sum()
        self.bars = bars
        self._expect(_CLOSING[opening])
        return value

    def _root(self) -> Any:
        self.at += 1
        index: Any = sp.Integer(2)
        if self._skip("["):
            index = self.sum()
            self._expect("]")
        return self._argument() ** (1 / index)

    def _named(self) -> Any:
        """A declared name, a function, a constant; longest name first."""
        start = self.at
        found = self._declared_name()
        if found is not None:
            value, self.at = found
            if callable(value) and not isinstance(value, sp.Basic | sp.MatrixBase):
                return self._applied(value, self.tokens[start])
            return value
        token = self.tokens[start]
        if token.text in COMMANDS:
            self.at += 1
            return self._function(token.text)
        core = self._core_end(start)
        upright = spelling(self.tokens[start:core])
        name = plain(upright).strip("{}")
        if upright.startswith("\\mathrm") and name in NAMED:
            self.at = core
            return self._applied(NAMED[name], token)
        if token.text in _CONSTANTS:
            self.at += 1
            return _CONSTANTS[token.text]
        if token.text == "e" and self._word(1) == "^":
            self.at += 2
            return sp.exp(self._argument())
        shown = spelling(self.tokens[start:self._name_ends(core)[-1]]) if core > start else token.text
        raise self._error(f"the name {shown!r} is not declared", f"add it: symbols={{{shown!r}: ...}}", start)

    def _declared_name(self) -> tuple[Any, int] | None:
        core = self._core_end(self.at)
        if core == self.at:
            return None
        for end in reversed(self._name_ends(core)):
            if end == core and (picked := self._picked(core)) is not None:
                return picked
            written = spelling(self.tokens[self.at:end])
            for name in dict.fromkeys((written, _swapped(written), plain(written))):
                if name in self.symbols:
                    return self.symbols[name], end
        return None

    def _picked(self, core: int) -> tuple[Any, int] | None:
        """An entry of a declared matrix, where the subscript of its name is a number."""
        base = spelling(self.tokens[self.at:core])
        value = self.symbols.get(base, self.symbols.get(plain(base)))
        return self._entry(value, core) if is_matrix(value) and self._at(core) == "_" else None

    def _entry(self, value: Any, core: int) -> tuple[Any, int] | None:
        """The entry of a declared matrix that a numeric subscript picks."""
        end = self._script_end(core)
        digits = [t.text for t in self.tokens[core + 1:end] if t.text not in ("{", "}", ",")]
        if not digits or not all(d.isdigit() for d in digits):
            return None
        numbers = [int(d) for d in digits] if len(digits) > 1 or 1 in value.shape else [int(d) for d in digits[0]]
        place = [n - self.first_index for n in numbers]
        if len(place) == 1 and 1 in value.shape:
            place = [place[0], 0] if value.cols == 1 else [0, place[0]]
        if len(place) != 2 or not (0 <= place[0] < value.rows and 0 <= place[1] < value.cols):
            raise self._error(f"there is no entry {','.join(digits)} in a matrix of shape {value.shape}",
                              f"subscripts start at {self.first_index}", core)
        return value[place[0], place[1]], end

    def _core_end(self, start: int) -> int:
        """Where a letter, a command or a decorated group ends; ``start`` where none begins."""
        word = self._at(start)
        if word in DECORATIONS or word in FONTS:
            return self._group_end(start + 1)
        ordinary = len(word) == 1 and word.isalpha()
        command = word.startswith("\\") and word[1:].isalpha() and word not in _STOP
        return start + 1 if ordinary or command else start

    def _name_ends(self, core: int) -> list[int]:
        """The ends of all names that begin with this core: bare, with subscript, with mark, with both."""
        ends, end = [core], core
        for _ in range(2):
            if self._at(end) == "_":
                end = self._script_end(end)
            elif self._at(end) == "^":
                stop = self._script_end(end)
                inner = spelling(self.tokens[end + 1:stop]).strip("{}")
                if inner not in MARKS and not any(spelling(self.tokens[self.at:stop]) == s for s in self.symbols):
                    break
                end = stop
            elif self._at(end) == "'":
                end += 1
            else:
                break
            ends.append(end)
        return ends

    def _script_end(self, place: int) -> int:
        return self._group_end(place + 1)

    def _group_end(self, start: int) -> int:
        """The end of a group in braces, of a decorated name, or of one token."""
        word = self._at(start)
        if word in DECORATIONS or word in FONTS:
            return self._group_end(start + 1)
        if word != "{":
            if word.isdigit() and len(word) > 1:  # TeX takes one digit: \\frac12 is one half
                whole = self.tokens[start]
                self.tokens[start:start + 1] = [Token(word[0], "number", whole.place),
                                                Token(word[1:], "number", whole.place + 1)]
            return min(start + 1, len(self.tokens))
        depth = 0
        for i in range(start, len(self.tokens)):
            depth += (self.tokens[i].text == "{") - (self.tokens[i].text == "}")
            if depth == 0:
                return i + 1
        raise self._error("this brace is never closed", "", start)

    # ---- functions

    def _function(self, name: str) -> Any:
        function, exponent = COMMANDS[name], None
        if self._word() == "^":
            self.at += 1
            if spelling(self._argument_tokens(peek=True)).strip("{}") == "-1":
                self._argument_tokens()
                function = INVERSES.get(name, function)
            else:
                exponent = self._argument()
        value = function(*self._arguments()) if self._word() in ("(", "[", "\\{") else function(self._bare())
        return value if exponent is None else value**exponent

    def _applied(self, function: Callable[..., Any], token: Token) -> Any:
        if self._word() not in ("(", "["):
            raise self._error(f"{token.text!r} is a function, its argument is missing",
                              "write its argument in parentheses")
        start = self.at
        arguments = self._arguments()
        try:
            return function(*arguments)
        except TypeError as error:
            raise self._error(f"{token.text!r} cannot be applied to {len(arguments)} arguments: {error}",
                              "check the declaration of the function", start) from error

    def _arguments(self) -> list[Any]:
        closing = _CLOSING[self.tokens[self.at].text]
        self.at += 1
        bars, self.bars = self.bars, 0
        values = [self.sum()]
        while self._skip(",") or self._skip(";"):
            values.append(self.sum())
        self.bars = bars
        self._expect(closing)
        return values

    def _bare(self) -> Any:
        """The argument of a function without parentheses."""
        if self._skip("-"):
            return -self._bare()
        value = self._factor()
        while (word := self._word()) and not self._stops(word) and word not in COMMANDS and word not in _CLOSING \
                and word not in ("\\cdot", "\\times", "*", "\\begin", "\\nabla"):
            operation = divide if word == "/" else multiply
            self.at += word == "/"
            value = operation(value, self._factor())
        return value

    # ---- matrices

    def _environment(self) -> Any:
        start = self.at
        name = self._environment_name()
        if name not in _ENVIRONMENTS:
            raise self._error(f"the environment {name!r} is not known", f"use one of {', '.join(_ENVIRONMENTS)}", start)
        if name == "array":
            self.at = self._group_end(self.at)
        bars, self.bars = self.bars, 0
        rows: list[list[Any]] = [[]]
        while self._word() != "\\end":
            if not self._word():
                raise self._error(f"the environment {name!r} is never closed", "", start)
            if self._skip("\\\\"):
                rows.append([])
            elif not self._skip("&"):
                rows[-1].append(self.sum())
        self.bars = bars
        if self._environment_name() != name:
            raise self._error(f"\\begin{{{name}}} is closed by another \\end", "", start)
        values = matrix([row for row in rows if row])
        return values.det() if name == "vmatrix" else values

    def _environment_name(self) -> str:
        self.at += 1
        return "".join(t.text for t in self._argument_tokens() if t.text not in ("{", "}"))

    # ---- derivatives

    def _starts_derivative(self) -> bool:
        if self._word() != "\\frac":
            return False
        first = self._at(self.at + 2) if self._word(1) == "{" else self._word(1)
        below = self._group_end(self.at + 1)
        under = self._at(below + 1)
        return (first == "\\partial" and under == "\\partial") or (
            first == under == "d" and "d" not in self.symbols)

    def _derivative(self) -> Any:
        """``\\nabla_x f``, ``\\frac{\\partial f}{\\partial x}``, ``\\frac{\\partial}{\\partial x} f``."""
        if self._skip("\\nabla"):
            if not self._skip("_"):
                raise self._error("nabla without a subscript", "write \\nabla_x, with respect to what")
            wrt, transposed = self._argument(), False
            if self._word() == "^":
                self.at += 1
                transposed = spelling(self._argument_tokens()).strip("{}") in _TRANSPOSE
            value = differentiate(self._factor(), wrt)
            return value.T if transposed else value
        self.at += 1
        above = Parser._of(self, self._argument_tokens())
        below = Parser._of(self, self._argument_tokens())
        above._differential()
        value = above.sum() if above.at < len(above.tokens) else self._factor()
        while below.at < len(below.tokens):
            below._differential(count=False)
            wrt = below._base_with_power()
            for _ in range(wrt[1]):
                value = differentiate(value, wrt[0])
        return value

    def _differential(self, count: bool = True) -> None:
        if self._word() not in ("\\partial", "d"):
            raise self._error("a differential is expected here", "write \\partial before every name")
        self.at += 1
        if count and self._word() == "^":
            self.at += 1
            self._argument_tokens()

    def _base_with_power(self) -> tuple[Any, int]:
        value, times_ = self._base(), 1
        if self._skip("^"):
            times_ = int(self._argument())
        return value, times_

    @staticmethod
    def _of(parent: Parser, tokens: Sequence[Token]) -> Parser:
        """A parser of a group of tokens, braces removed, with the same symbols."""
        child = Parser("", parent.symbols, parent.first_index)
        inner = list(tokens[1:-1]) if tokens and tokens[0].text == "{" else list(tokens)
        child.text, child.tokens = parent.text, inner
        return child

    # ---- tokens

    def _argument(self) -> Any:
        """The value of a group in braces or of the next single token (with its decoration)."""
        start = self.at
        child = Parser._of(self, self._argument_tokens())
        if not child.tokens:
            raise self._error("an empty group", "", start)
        return child.whole()

    def _argument_tokens(self, *, peek: bool = False) -> list[Token]:
        if not self._word():
            raise self._error("something is missing at the end", "complete the formula")
        end = self._group_end(self.at)
        found = self.tokens[self.at:end]
        if not peek:
            self.at = end
        return found

    def _at(self, place: int) -> str:
        return self.tokens[place].text if place < len(self.tokens) else ""

    def _word(self, ahead: int = 0) -> str:
        return self._at(self.at + ahead)

    def _skip(self, word: str) -> bool:
        if self._word() == word:
            self.at += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._skip(word):
            raise self._error(f"{word!r} is missing", "close the bracket")

    def _error(self, message: str, fix: str = "", place: int | None = None) -> ModelError:
        number = self.at if place is None else place
        where = self.tokens[number].place if number < len(self.tokens) else len(self.text)
        return complain(self.text, where, message, fix)


def _swapped(name: str) -> str:
    """``q^*_1`` for ``q_1^*`` and the reverse."""
    if "^" in name and "_" in name:
        up, down = name.index("^"), name.index("_")
        first, second = min(up, down), max(up, down)
        return name[:first] + name[second:] + name[first:second]
    return name
