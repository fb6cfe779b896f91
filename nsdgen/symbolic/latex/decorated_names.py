"""What is one name: a letter with its decorations, its subscripts, and marks such as a star; and names of functions.

A name is compared in a canonical spelling: ``\\tilde{q}_{k+1}`` and ``\\tilde q_{k + 1}`` are one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.conversion import is_matrix
from nsdgen.symbolic.latex.tokens import Token, complain, tokenize, words

DECORATIONS = words(
    r"""\tilde \hat \bar \vec \dot \ddot \dddot \check \breve \acute \grave \widetilde \widehat \overline \underline
    \mathring"""
)
"""Accents: they make another name."""

FONTS = words(r"\mathbf \boldsymbol \mathrm \mathcal \mathbb \mathfrak \mathit \mathtt \rm \bf \it")
"""Alphabets: a name is also found without its font, where it is not declared with it."""

UPRIGHT = words(r"\mathrm \rm")
"""Those of units and constants: a letter in one of them may be a quantity that is declared without it or not."""

MARKS = words(r"* ' + - \dagger \circ \pm \ominus \oplus")
"""Superscripts that belong to a name where a name with them is declared."""


def canonical(text: str) -> str:
    """The spelling under which a name is kept: tokens without spaces, groups of one token without braces."""
    return spelling(tokenize(text))


def spelling(tokens: Sequence[Token]) -> str:
    """:func:`canonical` of tokens."""
    words = [t.text for t in tokens]
    for _ in range(len(words)):
        for i in range(len(words) - 2):
            if words[i] == "{" and words[i + 2] == "}":
                words[i : i + 3] = [words[i + 1]]
                break
        else:
            break
    joined = ""
    for word in words:
        if joined and joined[-1].isalpha() and word[0].isalpha() and "\\" in joined.split("}")[-1].split("{")[-1]:
            joined += " "
        joined += word
    return joined


def plain(name: str) -> str:
    """The name without commands that only choose a font."""
    tokens = [t for t in tokenize(name) if t.text not in FONTS]
    return spelling(tokens)


def declared(symbols: Mapping[str, Any]) -> dict[str, Any]:
    """The symbols under their canonical names; raises ``ModelError`` where two names are one."""
    table: dict[str, Any] = {}
    for name, value in symbols.items():
        key = canonical(name)
        if key in table and table[key] != value:
            raise complain(name, 0, f"the name {name!r} is declared twice, in two spellings")
        table[key] = value
    return table


def _trace(value: Any) -> Any:
    return value.trace() if isinstance(value, sp.MatrixBase) else sp.Trace(value) if is_matrix(value) else value


def _determinant(value: Any) -> Any:
    return value.det() if isinstance(value, sp.MatrixBase) else sp.Determinant(value)


COMMANDS: dict[str, Callable[..., Any]] = {
    **{f"\\{name}": getattr(sp, name) for name in words("sin cos tan cot sec csc sinh cosh tanh exp log")},
    **{f"\\arc{name}": getattr(sp, f"a{name}") for name in ("sin", "cos", "tan")},
    "\\ln": sp.log,
    "\\det": _determinant,
    "\\max": sp.Max,
    "\\min": sp.Min,
}
"""Functions that are commands."""

NAMED: dict[str, Callable[..., Any]] = {
    **{name: getattr(sp, name) for name in words("diag sign atan2 sinc sin cos tan exp asin acos atan")},
    **dict.fromkeys(("tr", "trace"), _trace),
    "det": _determinant,
    "sgn": sp.sign,
    "arctan2": sp.atan2,
    "abs": sp.Abs,
}
"""Functions written in upright letters, such as ``\\operatorname{diag}``."""

INVERSES: dict[str, Callable[..., Any]] = {"\\sin": sp.asin, "\\cos": sp.acos, "\\tan": sp.atan}
"""What a superscript -1 makes of a function; of all others it has no settled meaning."""

OF_MATRICES = frozenset(("\\det", "\\exp"))
"""Functions that also take a matrix."""

SEVERAL = frozenset(("\\max", "\\min"))
"""Functions of several arguments, which need parentheses."""
