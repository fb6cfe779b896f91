"""LaTeX text to tokens: commands, single characters, numbers; white space and layout left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nsdgen.errors import ModelError

__all__ = ["Token", "complain", "tokenize"]

_TOKEN = re.compile(r"(?P<comment>(?<!\\)%[^\n]*)|(?P<command>\\(?:[A-Za-z]+\*?|.))|(?P<number>\d+(?:\.\d+)?|\.\d+)"
                    r"|(?P<space>[\s~]+)|(?P<character>.)", re.DOTALL)

_LAYOUT = {
    "\\left", "\\right", "\\middle", "\\big", "\\Big", "\\bigg", "\\Bigg", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr",
    "\\biggl", "\\biggr", "\\Biggl", "\\Biggr", "\\bigm", "\\Bigm", "\\,", "\\;", "\\:", "\\!", "\\ ", "\\quad",
    "\\qquad", "\\displaystyle", "\\textstyle", "\\scriptstyle", "\\limits", "\\nolimits", "\\hline",
    "\\nonumber", "\\notag", "\\noindent", "\\strut", "\\mathstrut", "\\allowbreak", "\\relax",
}
"""Commands that change how a formula looks and not what it says."""

_SAME = {"\\lbrace": "\\{", "\\rbrace": "\\}", "\\lbrack": "[", "\\rbrack": "]", "\\lvert": "|", "\\rvert": "|",
         "\\vert": "|", "\\lVert": "\\|", "\\rVert": "\\|", "\\Vert": "\\|", "\\dfrac": "\\frac", "\\tfrac": "\\frac",
         "\\cfrac": "\\frac", "\\ast": "*", "\\intercal": "\\top", "\\transpose": "\\top", "\\prime": "'",
         "\\wedge": "\\times", "\\mathsf": "\\mathrm", "\\bm": "\\boldsymbol", "\\mathbfit": "\\boldsymbol",
         "\\text": "\\mathrm", "\\textrm": "\\mathrm", "\\operatorname": "\\mathrm", "\\star": "*"}
"""Other spellings of the same thing."""

_ARGUMENT = {"\\hspace", "\\hspace*", "\\vspace", "\\label", "\\phantom", "\\tag"}
"""Layout commands whose argument is skipped as well."""


@dataclass(frozen=True)
class Token:
    """A command, character or number, and where it starts in the text."""

    text: str
    kind: str
    place: int


def tokenize(text: str) -> list[Token]:
    """The tokens that carry meaning, in order."""
    tokens: list[Token] = []
    skip, depth = False, 0
    for match in _TOKEN.finditer(text):
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
        word = _SAME.get(word, word)
        tokens.append(Token(word, "command" if word.startswith("\\") else kind, match.start()))
    return tokens


def complain(text: str, place: int, message: str, fix: str = "") -> ModelError:
    """An error that shows the place in the text."""
    start, end = max(place - 20, 0), min(place + 20, len(text))
    shown = f"{'...' if start else ''}{text[start:place]}>>>{text[place:end]}{'...' if end < len(text) else ''}"
    return ModelError(message, where=f"LaTeX, character {place + 1}: {' '.join(shown.split())}", fix=fix)
