"""The argument lists of C functions, read from a prototype or from all that a header or source declares.

Only what such functions use: ``double`` scalars, integers, pointers to ``double``. A pointer
to ``const double`` is an input; of the others one is the output.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from nsdgen.errors import ParameterError

from .c_call import INTEGERS, CArgument

_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_FUNCTION = re.compile(r"\b(?:void|int|double)\s+(\w+)\s*\(([^(){};]*)\)\s*(?:[;{]|noexcept)")
_TYPEDEF = re.compile(r"\btypedef\s+([\w\s]+?)\s+(\w+)\s*;")
_WORDS_OF_TYPES = {"signed", "unsigned", "short", "long", "int", "char", "double", "float", "complex", "_Complex"}
_OTHER_INTEGER = re.compile(r"\b(?:u?int(?:8|16|32|64)_t|short|\w*[iI]nteger)\b")


def parse_prototype(text: str, output: str | None = None) -> tuple[str, tuple[CArgument, ...]]:
    """The return type (``void`` or ``int``) and the parameters of ``void(int n, const double *q, double *out)``.

    A name between the return type and the parenthesis is allowed and ignored. ``output`` names
    the array that is written; by default it is the last pointer that is not to ``const``. All
    other pointers are inputs. Raises ``ParameterError`` naming the part it cannot read.
    """
    match = re.fullmatch(r"\s*(?:extern\s+(?:\"C\"\s+)?)?(?:static\s+)?(\w+)\s*\w*\s*\((.*)\)\s*;?\s*", text, re.DOTALL)
    if not match or match[1] not in ("void", "int"):
        raise ParameterError(
            f"{text!r} is no prototype of a function that returns void or int",
            where="C signature",
            fix='write it like "void(int n, const double *q, double *out)"',
        )
    read: list[CArgument] = []
    for number, part in enumerate(match[2].split(",")):
        if (argument := _argument(part, number)) is None:
            raise ParameterError(
                f"cannot read the argument {part.strip()!r}",
                where="C signature",
                fix="arguments are integers, double, const double * and double *",
            )
        read.append(argument)
    target = output or next((a.name for a in reversed(read) if a.kind == "output"), "")
    names = [a.name for a in read]
    if target not in names:
        raise ParameterError(
            f"no argument called {target!r}" if target else "no argument that can be written",
            where=f"C signature {text!r}",
            fix="one argument must be 'double *' and hold the result",
        )
    if doubled := [n for i, n in enumerate(names) if n in names[:i]]:
        raise ParameterError(f"two arguments are called {doubled[0]!r}", where=f"C signature {text!r}")
    inputs = (replace(a, kind="input") if a.kind == "output" else a for a in read)
    return match[1], tuple(replace(a, kind="output") if a.name == target else a for a in inputs)


def declared_kinds(files: Sequence[Path]) -> dict[str, str]:
    """:func:`kinds_of` the arguments of everything that files declare or define, by name.

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
        text = _OTHER_INTEGER.sub("int", _MACRO.sub("", _COMMENT.sub(" ", text)))
        for meaning, name in _TYPEDEF.findall(text):
            if _argument(meaning, 0) is not None:
                text = re.sub(rf"\b{name}\b", meaning, text)
        for name, arguments in _FUNCTION.findall(text):
            given = arguments.split(",") if arguments.strip() not in ("", "void") else []
            kinds = kinds_of(_argument(a, number) for number, a in enumerate(given))
            if found.setdefault(name, kinds) != kinds:
                raise ParameterError(
                    f"{name!r} is declared in two ways",
                    where=str(file),
                    fix="give the header that the library was built with",
                )
    return found


def kinds_of(arguments: Iterable[CArgument | None]) -> str:
    """One letter per argument: ``d`` a double, ``u`` an integer, ``p`` a pointer to doubles, ``?`` anything else."""
    letters = {"real": "d", "integer": "u", "input": "p", "output": "p"}
    return "".join("?" if a is None else letters[a.kind] for a in arguments)


def _argument(text: str, number: int) -> CArgument | None:
    """One parameter, a pointer that is not to ``const`` as an output; None where it is none that can be passed."""
    stars = text.count("*") + len(re.findall(r"\[\w*\]", text))
    words = _WORD.findall(re.sub(r"\[\w*\]", " ", text))
    const = "const" in words
    words = [w for w in words if w not in ("const", "restrict", "__restrict", "__restrict__")]
    kind = list(takewhile(lambda w: w in _WORDS_OF_TYPES, words)) or words[:1] or ["?"]
    ctype = " ".join(w for w in kind if w not in ("signed", "int"))
    ctype = f"{ctype} int".strip() if ctype in ("", "unsigned") else ctype
    name = words[len(kind)] if len(words) > len(kind) else f"argument{number + 1}"
    if ctype == "double" and stars <= 1:
        return CArgument("real" if not stars else "input" if const else "output", name, ctype)
    return CArgument("integer", name, ctype) if ctype in INTEGERS and not stars else None
