"""The grammar of formulas: sums of products of factors with scripts; a recursive descent over tokens.

What is not declared is an error that shows the place. Products keep their order; writing things side by side
multiplies them. ``\\sin 2 x \\cos y`` is sin(2 x) cos(y): an argument without parentheses ends at the next
function, sign or bracket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp
from sympy import ShapeError

from nsdgen.symbolic.expressions.conversion import is_matrix

from .applications import applied, applied_command
from .declared import STOP, DeclaredTokens
from .decorated_names import COMMANDS, MARKS, NAMED, plain, spelling
from .derivatives import CLOSING, TRANSPOSE, derivative, starts_derivative
from .operations import Ambiguous, add, beside, divide, inverse, joined, magnitude, matrix, multiply, power, scalar
from .tokens import Token, words

_ENVIRONMENTS = words("bmatrix pmatrix matrix Bmatrix vmatrix array smallmatrix bsmallmatrix psmallmatrix")
_CONSTANTS = {"\\pi": sp.pi, "\\infty": sp.oo}
_BARS = {"|", "\\|"}
_SIGNS = ("\\cdot", "\\times", "*")


class Parser(DeclaredTokens):
    """A formula and a position in it; ``symbols`` are canonical names with their values.

    ``first_index`` is the number of the first entry, for subscripts that pick an entry of a declared matrix.
    """

    def __init__(self, text: str, symbols: Mapping[str, Any], first_index: int = 1) -> None:
        super().__init__(text, symbols, first_index)
        self.bars = self.terms = 0

    def whole(self) -> Any:
        """The value of the whole text; raises ``ModelError`` where something is left over."""
        value = self.sum()
        if self.at < len(self.tokens):
            word = self.tokens[self.at].text
            fix = "write one side of the equation" if word == "=" else "check the brackets before it"
            raise self.error(f"{word!r} is not expected here", fix)
        return value

    # ---- sums and products

    def sum(self) -> Any:
        """[+-] product ([+-] product) ..., whose signs are counted as ``terms``, a first one too."""
        start, terms = self.at, 0
        sign = -1 if self.skip("-") else 1
        if sign == 1:
            self.skip("+")
        terms += self.at - start
        value = self._product()
        value = multiply(sp.Integer(-1), value) if sign == -1 else value
        while (word := self.word()) in ("+", "-"):
            self.at += 1
            term = self._product()
            value = add(value, multiply(sp.Integer(-1), term) if word == "-" else term)
            terms += 1
        self.terms = terms
        return value

    def _product(self) -> Any:
        """Groups of factors written side by side, joined by signs of products."""
        start = self.at
        groups, signs = [self._side_by_side()], []
        while (word := self.word()) in _SIGNS:
            self.at += 1
            signs.append(word)
            groups.append(self._side_by_side())
        try:
            return joined([beside(g) for g in groups], signs)
        except Ambiguous as error:
            raise self.error(str(error), "write parentheses", start) from error
        except ShapeError:
            if not signs or all(len(g) == 1 for g in groups):
                raise
        flat = [f for g in groups for f in g]  # a . b c where b c has no shape: the sign joins its neighbours only
        spread = [
            w for g, sign in zip(groups, [*signs, ""], strict=True) for w in ["", *[""] * (len(g) - 2), sign][-len(g) :]
        ][:-1]
        return joined(flat, spread)

    def _side_by_side(self) -> list[Any]:
        """Factors without a sign between them; a quotient a / b is one of them."""
        factors = [self.factor()]
        divided = False
        while (word := self.word()) and not self.stops(word) and word not in _SIGNS:
            if word == "/":
                self.at += 1
                above, below = beside(factors), self.factor()
                factors = [divide(above, below)]
                divided = not all(isinstance(part, sp.Number) for part in (above, below))
                continue
            if divided:
                raise self.error(
                    "what is beside a quotient a / b may belong to b or not: (a / b) c or a / (b c)",
                    "write \\frac, or parentheses",
                )
            self.not_two_numbers()
            factors.append(self.factor())
        return factors

    def not_two_numbers(self) -> None:
        """Raises ``ModelError`` for digits beside digits: 1 000, or 2 1/2."""
        before, here = self.tokens[self.at - 1], self.tokens[self.at]
        if here.kind == "number" and before.kind == "number":
            raise self.error("two numbers side by side", "write one number without spaces, or \\cdot between them")
        if (
            before.kind == "number"
            and here.text == "\\frac"
            and all(
                t.kind == "number" or t.text in "{}"
                for t in self.tokens[self.at + 1 : self.group_end(self.group_end(self.at + 1))]
            )
        ):
            raise self.error(
                "a number beside a fraction of numbers is a sum to some and a product to others",
                "write + or \\cdot between them",
            )

    def stops(self, word: str) -> bool:
        """Whether a token ends a product."""
        return word in STOP and not (word in _BARS and not self.bars)

    def factor(self) -> Any:
        """A value with its superscripts."""
        if not self.word():
            raise self.error("something is missing at the end", "complete the formula")
        if self.word() in ("-", "+") and self.at and self.tokens[self.at - 1].text in ("\\cdot", "\\times", "*", "/"):
            sign = -1 if self.tokens[self.at].text == "-" else 1
            self.at += 1
            return multiply(sp.Integer(sign), self.factor())
        if self.word() == "\\nabla" or starts_derivative(self):
            return derivative(self)
        start = self.at
        value = self.base()
        if self.word() == "^":
            self._one_reading_of_a_power(start, value)
            value = self._raised(value)
            if self.word() == "^":
                raise self.error("two superscripts", "write braces")
        return value

    def _one_reading_of_a_power(self, start: int, value: Any) -> None:
        """Raises ``ModelError`` where a power may belong to more or less than what stands before it."""
        if self.text_at(start) == "\\frac":
            raise self.error("the power may belong to the fraction or not: (a / b)^n or a / b^n", "write parentheses")
        core = self.core_end(start)
        of_matrix = is_matrix(self.symbols.get(spelling(self.tokens[start:core]))) and self.text_at(core) == "_"
        inner = spelling(self.tokens[self.at + 1 : self.script_end(self.at)]).strip("{}")
        if of_matrix and not is_matrix(value) and inner == "-1":
            raise self.error(
                "this may be the reciprocal of an entry or an entry of the inverse: 1 / a or (A^-1)_ij",
                "write \\frac{1}{...}, or declare a name for the entry",
            )

    def _raised(self, value: Any) -> Any:
        start = self.at
        self.at += 1
        written = spelling(self.argument_tokens())
        inner = written[1:-1] if written.startswith("{") and written.endswith("}") else written
        if is_matrix(value) and (inner in TRANSPOSE or inner == "T"):
            return value.T
        if is_matrix(value) and inner in ("-T", "-\\top"):
            return inverse(value.T)
        if is_matrix(value) and inner == "-1":
            return inverse(value)
        if inner in MARKS:
            self.at = start
            raise self.error(
                f"the mark {inner!r} belongs to no declared name", "declare the name together with its mark"
            )
        self.at = start + 1
        self.whole_number()
        exponent = self.argument()
        if is_matrix(value) and 1 not in value.shape and not getattr(exponent, "is_Integer", False):
            raise self.error("a power of a matrix that is no integer", "declare a name for it", start)
        return power(value, exponent)

    def whole_number(self) -> None:
        """Raises ``ModelError`` where TeX would take the first digit of a number only."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        split = (
            after is not None
            and token is not None
            and token.kind == after.kind == "number"
            and (after.place == token.place + len(token.text))
        )
        if token is not None and token.kind == "number" and (split or len(token.text) > 1):
            raise self.error("TeX takes only the first digit of the number here", "write braces around the number")

    # ---- single values

    def base(self) -> Any:
        """A value without superscripts."""
        token = self.tokens[self.at]
        word = token.text
        if token.kind == "number":
            if len(word) > 1 and word[0] == "0" and word[1] != ".":
                raise self.error(f"the number {word} begins with a zero", "write numbers without spaces")
            self.at += 1
            return sp.Rational(word)
        if word == "{":
            return self._braced()
        if word in CLOSING:
            return self._bracket(word)
        if word == "\\frac":
            self.at += 1
            above = self.argument()
            return divide(above, self.argument())
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
            self.expect(CLOSING[opening])
            if opening == "\\|" and is_matrix(value) and 1 not in value.shape:
                raise self.error("which norm of a matrix is meant is not said", "declare a function for it")
            if is_matrix(value) and 1 not in value.shape and value.rows != value.cols:
                raise self.error(f"bars around a matrix of shape {value.shape}", "declare a function for it")
            return magnitude(value)
        bars, self.bars = self.bars, 0
        value = self.sum()
        self.bars = bars
        self.expect(CLOSING[opening])
        return value

    def _braced(self) -> Any:
        """A group in braces. Raises ``ModelError`` where it would say something else without what nobody sees."""
        start = self.at
        child = self.part(self.argument_tokens())
        if not child.tokens:
            raise self.error("an empty group", "", start)
        value = child.whole()
        child.at = 0
        _, end = child.declared_name() or (None, 1)
        bracketed = child.word() in CLOSING and child.terms == 0
        one = bracketed or end == len(child.tokens)
        if child.terms or (self.word() == "^" and not one):
            raise self.error("nobody sees these braces: {a + b} c looks like a + b c", "write parentheses", start)
        return value

    def _root(self) -> Any:
        self.at += 1
        index: Any = sp.Integer(2)
        if self.skip("["):
            index = self.sum()
            self.expect("]")
        inside = scalar(self.argument())
        if is_matrix(inside) or is_matrix(index):
            raise self.error("the root of a matrix", "declare a name for it")
        if getattr(index, "is_odd", False):  # the real root, of negative numbers too
            if any(s.is_complex and not s.is_extended_real for s in {*inside.free_symbols, *inside.atoms(type(sp.I))}):
                raise self.error("which root of a complex quantity is meant is not said", "write z^{1/3}")
            return sp.sign(inside) * sp.Abs(inside) ** (1 / index)
        return inside ** (1 / index)

    def _named(self) -> Any:
        """A declared name, a function, a constant; longest name first."""
        start = self.at
        found = self.declared_name()
        if found is not None:
            value, self.at = found
            if callable(value) and not isinstance(value, sp.Basic | sp.MatrixBase):
                return applied(self, value, self.tokens[start])
            return value
        token = self.tokens[start]
        if token.text in COMMANDS:
            self.at += 1
            return applied_command(self, token.text)
        core = self.core_end(start)
        upright = spelling(self.tokens[start:core])
        name = plain(upright).strip("{}")
        if upright.startswith("\\mathrm") and name in NAMED:
            self.at = core
            return applied(self, NAMED[name], token)
        if token.text in _CONSTANTS:
            self.at += 1
            return _CONSTANTS[token.text]
        if token.text == "e" and self.word(1) == "^":
            self.at += 2
            return sp.exp(self.argument())
        shown = spelling(self.tokens[start : self.name_ends(core)[-1]]) if core > start else token.text
        raise self.error(f"the name {shown!r} is not declared", f"add it: symbols={{{shown!r}: ...}}", start)

    # ---- matrices

    def _environment(self) -> Any:
        start = self.at
        name = self._environment_name()
        if name not in _ENVIRONMENTS:
            raise self.error(
                f"the environment {name!r} is not known", f"use one of {', '.join(sorted(_ENVIRONMENTS))}", start
            )
        if name == "array":
            self.at = self.group_end(self.at)
        bars, self.bars = self.bars, 0
        rows: list[list[Any]] = [[]]
        while self.word() != "\\end":
            if not self.word():
                raise self.error(f"the environment {name!r} is never closed", "", start)
            rows[-1].append(self._cell())
            if self.skip("\\\\"):
                if self.word() != "\\end":
                    rows.append([])
            elif not self.skip("&") and self.word() != "\\end":
                raise self.error(f"{self.word()!r} is not expected in a matrix", "check the cell before it")
        if self.tokens[self.at - 1].text == "&":
            raise self.error("an empty cell", "write 0 where an entry is zero")
        self.bars = bars
        if self._environment_name() != name:
            raise self.error(f"\\begin{{{name}}} is closed by another \\end", "", start)
        widths = {len(row) for row in rows}
        if len(widths) != 1 or widths == {0}:
            raise self.error(f"the rows have {', '.join(map(str, sorted(widths)))} cells", "complete the matrix", start)
        values = matrix(rows)
        return values.det() if name == "vmatrix" else values

    def _cell(self) -> Any:
        if self.word() in ("&", "\\\\", "\\end", ""):
            raise self.error("an empty cell", "write 0 where an entry is zero")
        return self.sum()

    def _environment_name(self) -> str:
        self.at += 1
        return "".join(t.text for t in self.argument_tokens() if t.text not in ("{", "}"))

    # ---- groups

    def argument(self) -> Any:
        """The value of a group in braces or of the next single token (with its decoration)."""
        start = self.at
        child = self.part(self.argument_tokens())
        if not child.tokens:
            raise self.error("an empty group", "", start)
        return child.whole()

    def part(self, tokens: Sequence[Token]) -> Parser:
        """A parser of a group of tokens, braces removed, with the same symbols."""
        child = Parser("", self.symbols, self.first_index)
        inner = list(tokens[1:-1]) if tokens and tokens[0].text == "{" else list(tokens)
        child.text, child.tokens = self.text, inner
        return child
