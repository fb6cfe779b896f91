"""The argument list of a C function, read from its prototype.

Only what such functions use: ``double`` scalars, integers, pointers to ``double``. A pointer
to ``const double`` is an input; of the others one is the output.
"""

from __future__ import annotations

import re

from nsdgen.errors import ParameterError

from .c_call import CArgument, Kind

_INTEGERS = {"int", "unsigned int", "unsigned", "long", "unsigned long", "size_t", "long long"}
_WORD = re.compile(r"[A-Za-z_]\w*")


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
    parts = [p.strip() for p in match[2].split(",")]
    read = [_parameter(part, number) for number, part in enumerate(parts)]
    pointers = [name for kind, name, _ in read if kind == "pointer"]
    target = output or (pointers[-1] if pointers else "")
    names = [name for _, name, _ in read]
    if target not in names:
        raise ParameterError(
            f"no argument called {target!r}" if target else "no argument that can be written",
            where=f"C signature {text!r}",
            fix="one argument must be 'double *' and hold the result",
        )
    if doubled := [n for i, n in enumerate(names) if n in names[:i]]:
        raise ParameterError(f"two arguments are called {doubled[0]!r}", where=f"C signature {text!r}")
    kinds: dict[str, Kind] = {"integer": "integer", "real": "real", "const": "input", "pointer": "input"}
    return match[1], tuple(
        CArgument("output" if name == target else kinds[kind], name, ctype) for kind, name, ctype in read
    )


def _parameter(text: str, number: int) -> tuple[str, str, str]:
    """(integer, real, const or pointer; name; C type) of one parameter."""
    stars = text.count("*") + len(re.findall(r"\[\w*\]", text))
    words = _WORD.findall(re.sub(r"\[\w*\]", " ", text))
    const = "const" in words
    words = [w for w in words if w not in ("const", "restrict", "__restrict", "__restrict__")]
    for length in (3, 2, 1):
        ctype = " ".join(words[:length])
        if len(words) >= length and (ctype == "double" or ctype in _INTEGERS):
            name = words[length] if len(words) > length else f"argument{number + 1}"
            if ctype == "double" and stars <= 1:
                return (("const" if const else "pointer") if stars else "real"), name, "double"
            if ctype in _INTEGERS and not stars:
                return "integer", name, ctype
            break
    raise ParameterError(
        f"cannot read the argument {text!r}",
        where="C signature",
        fix="arguments are integers, double, const double * and double *",
    )
