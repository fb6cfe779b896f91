"""Expressions of emitted text as trees; Cython's and C's are the same but for the words of logic."""

from __future__ import annotations

import re
from collections.abc import Callable

from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.tree import (
    ArrayEntry,
    Call,
    Comparison,
    Expression,
    Integer,
    Logic,
    Name,
    Negation,
    Number,
    Product,
    Sum,
)

_TOKEN = re.compile(
    r"\s*(?:(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)|(\d+)|([^\W\d]\w*)"
    r"|(<=|>=|==|!=|&&|\|\||[-+*/()\[\],<>!]))"
)
_CONDITION = re.compile(r"[<>=!&|]|\b(?:and|or|not)\b")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_WORDS = {"&&": "and", "||": "or", "!": "not"}
_NUMBER, _INTEGER, _NAME = 1, 2, 3


def parse(text: str) -> Expression:
    """The expression of a text; raises ``Unreadable``."""
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
        self.conditions = _CONDITION.search(text) is not None  # most expressions have none, and skip what reads them
        place, text = 0, text.rstrip()
        for match in _TOKEN.finditer(text):
            if match.start() != place:
                break
            kind = match.lastindex or 0
            word = match[kind]
            self.tokens.append((kind, _WORDS.get(word, word)))
            place = match.end()
        if place < len(text):
            raise Unreadable(f"{text[place : place + 20]!r} in an expression")
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

    def either(self) -> Expression:
        """Conditions joined by ``or``, which binds least; a sum where the text has no condition."""
        if not self.conditions:
            return self.sum()
        return self.joined("or", self.both)

    def both(self) -> Expression:
        """Conditions joined by ``and``."""
        return self.joined("and", self.truth)

    def joined(self, word: str, part: Callable[[], Expression]) -> Expression:
        """Conditions joined by a word, or the only one."""
        parts = [part()]
        while self.token == word:
            self.advance()
            parts.append(part())
        return Logic(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def truth(self) -> Expression:
        """A comparison, a negated condition, or a plain value."""
        # `not a < b` means one thing in Cython and another in C: emitted text has parentheses there.
        if self.token == "not":
            self.advance()
            return Logic("not", (self.atom(),))
        tree = self.sum()
        if self.token in _COMPARISONS:
            tree = Comparison(self.advance(), tree, self.sum())
        if self.token in _COMPARISONS:
            raise Unreadable("a comparison of a comparison")
        return tree

    def sum(self) -> Expression:
        """Terms joined by + and -, in the order in which they are added."""
        tree = self.product()
        if self.token not in ("+", "-"):
            return tree
        terms, signs = [tree], "+"
        while self.token in ("+", "-"):
            signs += self.advance()
            terms.append(self.product())
        return Sum(tuple(terms), signs)

    def product(self) -> Expression:
        """Factors joined by * and /, in the order in which they are applied."""
        tree = self.signed()
        if self.token not in ("*", "/"):
            return tree
        factors, operators = [tree], "*"
        while self.token in ("*", "/"):
            operators += self.advance()
            factors.append(self.signed())
        return Product(tuple(factors), operators)

    def signed(self) -> Expression:
        """A factor, perhaps behind minus signs."""
        if self.token == "-":
            self.advance()
            return Negation(self.signed())
        return self.atom()

    def atom(self) -> Expression:
        """A number, a name, or what stands in parentheses."""
        kind, token = self.kind, self.token
        if kind == _NUMBER:
            self.advance()
            return Number(float(token))
        if kind == _INTEGER:
            self.advance()
            return Integer(int(token))
        if kind == _NAME and token not in ("and", "or", "not"):
            self.advance()
            return self.named(token)
        self.expect("(")
        tree = self.either()
        self.expect(")")
        return tree

    def named(self, name: str) -> Expression:
        """What begins with a name: a call, an entry of an array, or the name alone."""
        if self.token == "(":
            self.advance()
            arguments = [self.either()]
            while self.token == ",":
                self.advance()
                arguments.append(self.either())
            self.expect(")")
            return Call(name, tuple(arguments))
        indices: list[Expression] = []
        while self.token == "[":
            self.advance()
            indices.append(self.sum())
            self.expect("]")
        return ArrayEntry(name, tuple(indices)) if indices else Name(name)
