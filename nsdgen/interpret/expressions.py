"""Expressions of emitted text as trees; Cython's and C's are the same but for the words of logic."""

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

_TOKEN = re.compile(r"\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+|[^\W\d]\w*|<=|>=|==|!=|&&|\|\||[-+*/()\[\],<>!]")
_CONDITION = re.compile(r"[<>=!&|]|\b(?:and|or|not)\b")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_WORDS = {"&&": "and", "||": "or", "!": "not"}


def parse(text: str) -> Expression:
    """The expression of a text; raises ``Unreadable``."""
    reader = _ExpressionReader(text)
    try:
        tree = reader.either()
    except RecursionError:
        raise Unreadable("an expression that is nested too deeply") from None
    if reader.token:
        raise Unreadable(f"{reader.token!r} after an expression")
    return tree


class _ExpressionReader:
    """Recursive descent; ``token`` is the next one, an empty text at the end."""

    def __init__(self, text: str) -> None:
        tokens = _TOKEN.findall(text)
        if "".join(tokens) != "".join(text.split()):
            raise Unreadable(f"{_TOKEN.sub('', text).strip()[:20]!r} in an expression")
        self.conditions = _CONDITION.search(text) is not None  # most expressions have none, and skip what reads them
        if self.conditions:
            tokens = [_WORDS.get(token, token) for token in tokens]
        self.rest = iter([*tokens, ""])
        self.token = next(self.rest)

    def advance(self) -> str:
        """The token at hand; goes on to the next one."""
        token = self.token
        self.token = next(self.rest, "")
        return token

    def expect(self, token: str) -> None:
        """Go past this token; raises ``Unreadable`` where another stands."""
        if self.token != token:
            raise Unreadable(f"{self.token or 'the end'!r} where {token!r} is expected")
        self.token = next(self.rest, "")

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
            return Logic("not", (self.factor(),))
        tree = self.sum()
        if self.token in _COMPARISONS:
            tree = Comparison(self.advance(), tree, self.sum())
        if self.token in _COMPARISONS:
            raise Unreadable("a comparison of a comparison")
        return tree

    def sum(self) -> Expression:
        """Terms joined by + and -, in the order in which they are added; factors of each, as they are applied."""
        terms: list[Expression] = []
        signs = "+"
        while True:
            term = self.factor()
            if self.token in ("*", "/"):
                factors, operators = [term], "*"
                while self.token in ("*", "/"):
                    operators += self.advance()
                    factors.append(self.factor())
                term = Product(tuple(factors), operators)
            terms.append(term)
            if self.token not in ("+", "-"):
                return Sum(tuple(terms), signs) if len(terms) > 1 else term
            signs += self.advance()

    def factor(self) -> Expression:
        """A number, a name, or what stands in parentheses; perhaps behind minus signs."""
        token = self.advance()
        first = token[:1]
        if first.isdecimal():
            return Integer(int(token)) if token.isdecimal() else Number(float(token))
        if token == "-":
            return Negation(self.factor())
        if (first.isalpha() or first == "_") and token not in ("and", "or", "not"):
            return self.named(token) if self.token in ("(", "[") else Name(token)
        if token != "(":
            raise Unreadable(f"{token or 'the end'!r} where '(' is expected")
        tree = self.either()
        self.expect(")")
        return tree

    def named(self, name: str) -> Expression:
        """A call, or an entry of an array."""
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
        return ArrayEntry(name, tuple(indices))
