"""A position in the tokens of a formula: what stands there, where groups end, and errors that show the place."""

from __future__ import annotations

from nsdgen.errors import ModelError

from .decorated_names import DECORATIONS, FONTS
from .tokens import Token, complain, tokenize

__all__ = ["Cursor"]


class Cursor:
    """Tokens and the number ``at`` of the next one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.at = 0

    def argument_tokens(self, *, peek: bool = False) -> list[Token]:
        if not self.word():
            raise self.error("something is missing at the end", "complete the formula")
        end = self.group_end(self.at)
        found = self.tokens[self.at : end]
        if not peek:
            self.at = end
        return found

    def text_at(self, place: int) -> str:
        return self.tokens[place].text if place < len(self.tokens) else ""

    def word(self, ahead: int = 0) -> str:
        return self.text_at(self.at + ahead)

    def skip(self, word: str) -> bool:
        if self.word() == word:
            self.at += 1
            return True
        return False

    def expect(self, word: str) -> None:
        if not self.skip(word):
            raise self.error(f"{word!r} is missing", "close the bracket")

    def error(self, message: str, fix: str = "", place: int | None = None) -> ModelError:
        number = self.at if place is None else place
        where = self.tokens[number].place if number < len(self.tokens) else len(self.text)
        return complain(self.text, where, message, fix)

    def script_end(self, place: int) -> int:
        return self.group_end(place + 1)

    def group_end(self, start: int) -> int:
        """The end of a group in braces, of a decorated name, or of one token."""
        word = self.text_at(start)
        if word in DECORATIONS or word in FONTS:
            return self.group_end(start + 1)
        if word != "{":
            if word.isdigit() and len(word) > 1:  # TeX takes one digit: \\frac12 is one half
                whole = self.tokens[start]
                self.tokens[start : start + 1] = [
                    Token(word[0], "number", whole.place),
                    Token(word[1:], "number", whole.place + 1),
                ]
            return min(start + 1, len(self.tokens))
        depth = 0
        for i in range(start, len(self.tokens)):
            depth += (self.tokens[i].text == "{") - (self.tokens[i].text == "}")
            if depth == 0:
                return i + 1
        raise self.error("this brace is never closed", "", start)
