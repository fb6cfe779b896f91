"""A position in a formula: what stands there, where groups end, errors that show the place, and declared names.

Of the names that begin somewhere the longest counts; subscripts pick entries.
"""

from collections.abc import Mapping
from typing import Any

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import is_matrix

from .decorated_names import DECORATIONS, FONTS, MARKS, UPRIGHT, plain, spelling
from .tokens import Token, complain, tokenize, words

STOP = words(r") ] } \} | \| & \\ , ; = \end + - \pm \rangle < > \leq \geq \le \ge \neq")
"""What ends a product."""


class DeclaredTokens:
    """Tokens of a formula whose names are declared, and the number ``at`` of the next one.

    ``first_index`` is the number of a first entry.
    """

    def __init__(self, text: str, symbols: Mapping[str, Any], first_index: int = 1) -> None:
        self.text, self.tokens, self.at = text, tokenize(text), 0
        self.symbols, self.first_index = symbols, first_index

    def argument_tokens(self, *, peek: bool = False) -> list[Token]:
        """The next group or token, behind which the position is then; with ``peek`` it stays."""
        if not self.word():
            raise self.error("something is missing at the end", "complete the formula")
        end = self.group_end(self.at)
        found = self.tokens[self.at : end]
        if not peek:
            self.at = end
        return found

    def text_at(self, place: int) -> str:
        """The token at a place, "" behind the last."""
        return self.tokens[place].text if place < len(self.tokens) else ""

    def word(self, ahead: int = 0) -> str:
        """The token so many places ahead."""
        return self.text_at(self.at + ahead)

    def skip(self, word: str) -> bool:
        """Go past a token where it is the next one, and say whether it was."""
        if self.word() == word:
            self.at += 1
            return True
        return False

    def expect(self, word: str) -> None:
        """Go past a token; raises ``ModelError`` where another one stands there."""
        if not self.skip(word):
            raise self.error(f"{word!r} is missing", "close the bracket")

    def error(self, message: str, fix: str = "", place: int | None = None) -> ModelError:
        """An error that shows a place, by default the next one."""
        number = self.at if place is None else place
        where = self.tokens[number].place if number < len(self.tokens) else len(self.text)
        return complain(self.text, where, message, fix)

    def script_end(self, place: int) -> int:
        """Where a subscript or superscript ends."""
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

    def declared_name(self) -> tuple[Any, int] | None:
        """The value of the longest declared name that begins here and where it ends; None where there is none."""
        core = self.core_end(self.at)
        if core == self.at:
            return None
        for end in reversed(self.name_ends(core)):
            if end == core and (picked := self._picked(core)) is not None:
                return picked
            written = spelling(self.tokens[self.at : end])
            for name in dict.fromkeys((written, _swapped(written), plain(written))):
                if name in self.symbols:
                    if name not in (written, _swapped(written)) and not is_matrix(self.symbols[name]):
                        self._not_upright(core)
                    return self.symbols[name], end
        return None

    def _not_upright(self, core: int) -> None:
        """Raises ``ModelError`` for an upright letter whose declared quantity is written without its font."""
        written = spelling(self.tokens[self.at : core])
        letter = plain(written).strip("{}")
        if self.text_at(self.at) in UPRIGHT and len(letter) == 1 and written not in self.symbols:
            raise self.error(
                f"an upright {letter} may be the quantity {letter} or a unit or constant: x m or 5 m (metres)",
                f"write {letter}, or declare {written!r}",
            )

    def _picked(self, core: int) -> tuple[Any, int] | None:
        """An entry of a declared matrix, where the subscript of its name is a number."""
        base = spelling(self.tokens[self.at : core])
        value = self.symbols.get(base, self.symbols.get(plain(base)))
        return self._entry(value, core) if is_matrix(value) and self.text_at(core) == "_" else None

    def _entry(self, value: Any, core: int) -> tuple[Any, int] | None:
        """The entry of a declared matrix that a numeric subscript picks."""
        end = self.script_end(core)
        digits = [t.text for t in self.tokens[core + 1 : end] if t.text not in ("{", "}", ",")]
        if not digits or not all(d.isdigit() for d in digits):
            return None
        numbers = [int(d) for d in digits] if len(digits) > 1 or 1 in value.shape else [int(d) for d in digits[0]]
        place = [n - self.first_index for n in numbers]
        if len(place) == 1 and 1 in value.shape:
            place = [place[0], 0] if value.cols == 1 else [0, place[0]]
        if len(place) != 2 or not (0 <= place[0] < value.rows and 0 <= place[1] < value.cols):
            raise self.error(
                f"there is no entry {','.join(digits)} in a matrix of shape {value.shape}",
                f"subscripts start at {self.first_index}",
                core,
            )
        return value[place[0], place[1]], end

    def core_end(self, start: int) -> int:
        """Where a letter, a command or a decorated group ends; ``start`` where none begins."""
        word = self.text_at(start)
        if word in DECORATIONS or word in FONTS:
            return self.group_end(start + 1)
        ordinary = len(word) == 1 and word.isalpha()
        command = word.startswith("\\") and word[1:].isalpha() and word not in STOP
        return start + 1 if ordinary or command else start

    def name_ends(self, core: int) -> list[int]:
        """The ends of all names that begin with this core: bare, with subscript, with mark, with both."""
        ends, end = [core], core
        for _ in range(2):
            if self.text_at(end) == "_":
                end = self.script_end(end)
            elif self.text_at(end) == "^":
                stop = self.script_end(end)
                inner = spelling(self.tokens[end + 1 : stop]).strip("{}")
                if inner not in MARKS and not any(spelling(self.tokens[self.at : stop]) == s for s in self.symbols):
                    break
                end = stop
            elif self.text_at(end) == "'":
                end += 1
            else:
                break
            ends.append(end)
        return ends


def _swapped(name: str) -> str:
    """``q^*_1`` for ``q_1^*`` and the reverse."""
    if "^" in name and "_" in name:
        up, down = name.index("^"), name.index("_")
        first, second = min(up, down), max(up, down)
        return name[:first] + name[second:] + name[first:second]
    return name
