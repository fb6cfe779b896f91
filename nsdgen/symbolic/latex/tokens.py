"""LaTeX text to tokens: commands, single characters, numbers; white space and layout left out."""

import re
from dataclasses import dataclass

from nsdgen.errors import ModelError

_TOKEN = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)|(?P<command>\\(?:[A-Za-z]+\*?|.))|(?P<number>\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<space>[\s~]+)|(?P<character>.)",
    re.DOTALL,
)


def words(text: str) -> frozenset[str]:
    """The words of a text: what stands between spaces."""
    return frozenset(text.split())


_LAYOUT = words(
    r"""\left \right \middle \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm
    \, \; \: \! \quad \qquad \displaystyle \textstyle \scriptstyle \limits \nolimits \hline \nonumber \notag
    \noindent \strut \mathstrut \allowbreak \relax"""
) | {"\\ "}
"""Commands that change how a formula looks and not what it says."""

_SPELLINGS = r"""
\{ \lbrace
\} \rbrace
[ \lbrack
] \rbrack
| \lvert \rvert \vert
\| \lVert \rVert \Vert
\frac \dfrac \tfrac \cfrac
* \ast \star
\top \intercal \transpose
' \prime
\times \wedge
\mathrm \mathsf \text \textrm \operatorname
\boldsymbol \bm \mathbfit
"""
_SAME = {other: word for word, *others in map(str.split, _SPELLINGS.split("\n")[1:-1]) for other in others}
"""Other spellings of the same thing, after the one that is kept."""

_ARGUMENT = {"\\hspace", "\\hspace*", "\\vspace", "\\label", "\\phantom", "\\tag"}
"""Layout commands whose argument is skipped as well."""


_LENGTH = re.compile(r"\[\s*-?\d*\.?\d*\s*(?:mm|cm|in|pt|pc|em|ex|bp|dd|cc|sp|mu|\\[A-Za-z]+)\s*\]")


@dataclass(frozen=True)
class Token:
    """A command, character or number, and where it starts in the text."""

    text: str
    kind: str
    place: int


def tokenize(text: str) -> list[Token]:
    """The tokens that carry meaning, in order."""
    tokens: list[Token] = []
    skip, depth, after = False, 0, 0
    for match in _TOKEN.finditer(text):
        if match.start() < after:  # the space of a line break
            continue
        kind, word = match.lastgroup or "", match.group()
        if kind in ("space", "comment"):
            continue
        if skip:
            depth += (word == "{") - (word == "}")
            skip = depth > 0
            continue
        if word in _LAYOUT:
            continue
        if word in _ARGUMENT:
            skip = True
            continue
        if word in ("\\\\", "\\\\*"):
            word, after = "\\\\", _line_space(text, match.end())
        word = _SAME.get(word, word)
        tokens.append(Token(word, "command" if word.startswith("\\") else kind, match.start()))
    return tokens


def _line_space(text: str, place: int) -> int:
    """Where the text goes on after a line break: behind its space, ``[2mm]``. Raises ``ModelError`` for no length."""
    star = re.compile(r"\s*\*?\s*").match(text, place)
    start = star.end() if star else place
    if not text.startswith("[", start):
        return place
    length = _LENGTH.match(text, start)
    if length is None:
        raise complain(
            text,
            start,
            "after a line break TeX takes [...] as a length",
            "write {} before a bracket that begins a row, or a length such as [2mm]",
        )
    return length.end()


def complain(text: str, place: int, message: str, fix: str = "") -> ModelError:
    """An error that shows the place in the text."""
    start, end = max(place - 20, 0), min(place + 20, len(text))
    shown = f"{'...' if start else ''}{text[start:place]}>>>{text[place:end]}{'...' if end < len(text) else ''}"
    return ModelError(message, where=f"LaTeX, character {place + 1}: {' '.join(shown.split())}", fix=fix)
