"""The functions that a header or a source file declares, with the kinds of their arguments.

The kinds are one letter per argument, as in the table of conventions: ``d`` a double, ``u`` an integer, ``p`` a
pointer to doubles. What is no such argument (a struct, a callback) makes the function none that can be matched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from nsdgen.errors import ParameterError
from nsdgen.verify.foreign.conventions import Convention

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_FUNCTION = re.compile(r"\b(?:void|int|double)\s+(\w+)\s*\(([^(){};]*)\)\s*(?:[;{]|noexcept)")
_TYPEDEF = re.compile(r"\btypedef\s+([\w\s]+?)\s+(\w+)\s*;")
_INTEGER = re.compile(r"\b(?:u?int(?:8|16|32|64)_t|int|unsigned|long|short|size_t|\w*[iI]nteger)\b")


def declared_kinds(files: Sequence[Path]) -> dict[str, str]:
    """Kinds of the arguments by the name of the function, of everything that the files declare or define.

    Raises ``ParameterError`` for a file that cannot be read, and for two declarations that disagree.
    """
    found: dict[str, str] = {}
    for file in files:
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ParameterError(
                f"the header cannot be read: {error.strerror}",
                where=str(file),
                fix="give a header or the source of the plugin",
            ) from error
        text = _MACRO.sub("", _COMMENT.sub(" ", text))
        named = _TYPEDEF.findall(text)
        integers = {name for meaning, name in named if _INTEGER.search(meaning)}
        doubles = [name for meaning, name in named if meaning.strip() == "double"]
        text = re.sub(rf"\b(?:{'|'.join(doubles)})\b", "double", text) if doubles else text
        for name, arguments in _FUNCTION.findall(text):
            kinds = _kinds(arguments, integers)
            if found.setdefault(name, kinds) != kinds:
                raise ParameterError(
                    f"{name!r} is declared in two ways",
                    where=str(file),
                    fix="give the header that the library was built with",
                )
    return found


def _kinds(arguments: str, integers: set[str]) -> str:
    """One letter per argument; ``?`` for what no plugin of the platform takes."""
    return "".join(_kind(a, integers) for a in arguments.split(",")) if arguments.strip() not in ("", "void") else ""


def _kind(argument: str, integers: set[str]) -> str:
    stars = argument.count("*") + argument.count("[")
    if re.search(r"\bdouble\b", argument):
        return "dp?"[min(stars, 2)]
    integer = _INTEGER.search(argument) or integers & set(re.findall(r"\w+", argument))
    return "u" if integer and not stars else "?"


def kinds_of(convention: Convention) -> str:
    """The kinds of a plugin function's arguments, from its convention."""
    return "".join({"real": "d", "integer": "u"}.get(slot.kind, "p") for slot in convention.slots)
