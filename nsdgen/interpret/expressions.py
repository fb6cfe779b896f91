"""Expressions of emitted text as trees; Cython's and C's are the same but for the words of logic.

A tree is a tuple that begins with its kind:

==================================  ===========================================
``("number", x)``                   a double
``("integer", n)``                  a whole number
``("name", text)``                  a value, an array or a constant of ``<math.h>``
``("entry", array, index, ...)``    ``in_[0][j]``
``("call", function, tree, ...)``   a function of doubles
``("negate", tree)``
``("sum", first, ("+", t), ...)``   from left to right
``("product", first, ("*", t), …)`` from left to right
``("compare", word, left, right)``  ``<``, ``<=``, ``>``, ``>=``, ``==``, ``!=``
``("and", tree, tree)``, ``("or", tree, tree)``, ``("not", tree)``
==================================  ===========================================
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

__all__ = ["Tree", "Unreadable", "parse"]

Tree: TypeAlias = tuple[Any, ...]

_TOKEN = re.compile(r"\s*(?:(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)|(\d+)|([^\W\d]\w*)"
                    r"|(<=|>=|==|!=|&&|\|\||[-+*/()\[\],<>!]))")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_WORDS = {"&&": "and", "||": "or", "!": "not"}
_NUMBER, _INTEGER, _NAME = 1, 2, 3


class Unreadable(ValueError):
    """A text that is not of the emitted language; the message says what."""


def parse(text: str) -> Tree:
    """The tree of an expression; raises ``Unreadable``."""
    reader = _Reader(text)
    try:
        tree = reader.either()
    except RecursionError:
        raise Unreadable("an expression that is nested too deeply") from None
    if reader.token:
        raise Unreadable(f"{reader.token!r} after an expression")
    return tree


class _Reader:
    """Recursive descent; ``token`` is the next one, an empty text at the end."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[int, str]] = []
        place, text = 0, text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise Unreadable(f"{text[place:place + 20]!r} in an expression")
            kind = match.lastindex or 0
            word = match[kind]
            self.tokens.append((kind, _WORDS.get(word, word)))
            place = match.end()
        self.tokens.append((0, ""))
        self.at = 0
        self.kind, self.token = self.tokens[0]

    def advance(self) -> str:
        """The token at hand; goes on to the next one."""
        token = self.token
        self.at += 1
        self.kind, self.token = self.tokens[min(self.at, len(self.tokens) - 1)]
        return token

    def expect(self, token: str) -> None:
        """Go past this token; raises ``Unreadable`` where another stands."""
        if self.token != token:
            raise Unreadable(f"{self.token or 'the end'!r} where {token!r} is expected")
        self.advance()

    def either(self) -> Tree:
        """Conditions joined by ``or``, which binds least."""
        tree = self.both()
        while self.token == "or":
            self.advance()
            tree = ("or", tree, self.both())
        return tree

    def both(self) -> Tree:
        """Conditions joined by ``and``."""
        tree = self.truth()
        while self.token == "and":
            self.advance()
            tree = ("and", tree, self.truth())
        return tree

    def truth(self) -> Tree:
        """A comparison, a negated condition, or a plain value."""
        # `not a < b` means one thing in Cython and another in C: emitted text has parentheses there.
        if self.token == "not":
            self.advance()
            return ("not", self.atom())
        tree = self.sum()
        if self.token in _COMPARISONS:
            tree = ("compare", self.advance(), tree, self.sum())
        if self.token in _COMPARISONS:
            raise Unreadable("a comparison of a comparison")
        return tree

    def sum(self) -> Tree:
        """Terms joined by + and -, in the order in which they are added."""
        tree = self.product()
        if self.token not in ("+", "-"):
            return tree
        terms: list[Any] = [tree]
        while self.token in ("+", "-"):
            terms.append((self.advance(), self.product()))
        return ("sum", *terms)

    def product(self) -> Tree:
        """Factors joined by * and /, in the order in which they are applied."""
        tree = self.signed()
        if self.token not in ("*", "/"):
            return tree
        factors: list[Any] = [tree]
        while self.token in ("*", "/"):
            factors.append((self.advance(), self.signed()))
        return ("product", *factors)

    def signed(self) -> Tree:
        """A factor, perhaps behind minus signs."""
        if self.token == "-":
            self.advance()
            return ("negate", self.signed())
        return self.atom()

    def atom(self) -> Tree:
        """A number, a name, or what stands in parentheses."""
        kind, token = self.kind, self.token
        if kind == _NUMBER:
            self.advance()
            return ("number", float(token))
        if kind == _INTEGER:
            self.advance()
            return ("integer", int(token))
        if kind == _NAME and token not in ("and", "or", "not"):
            self.advance()
            return self.named(token)
        self.expect("(")
        tree = self.either()
        self.expect(")")
        return tree

    def named(self, name: str) -> Tree:
        """What begins with a name: a call, an entry of an array, or the name alone."""
        if self.token == "(":
            self.advance()
            arguments = [self.either()]
            while self.token == ",":
                self.advance()
                arguments.append(self.either())
            self.expect(")")
            return ("call", name, *arguments)
        indices: list[Tree] = []
        while self.token == "[":
            self.advance()
            indices.append(self.sum())
            self.expect("]")
        return ("entry", name, *indices) if indices else ("name", name)
