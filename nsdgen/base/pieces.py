"""A module's text in pieces: in a package, what nsdgen brings along stands in files beside the kernels.

A text is *whole* wherever it is worked with: hashed, kept in the cache, compiled, interpreted, pickled. It then holds
nsdgen's C headers, and behind the kernels all that a person seldom reads. A package holds these pieces as files that
the text includes, so that its kernels are read first. A piece begins with a comment that names it, and ends with one::

    /* nsdgen_math.h: ...                # _module.pxi: ...
    #endif /* nsdgen_math.h */           # end of _module.pxi
"""

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

_HEADER = re.compile(r"^/\* (nsdgen_\w+\.h): .*?^#endif /\* \1 \*/$", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^# (_\w+\.pxi): .*?^# end of \1$", re.MULTILINE | re.DOTALL)
_INCLUDED_HEADER = re.compile(r'^#include "(nsdgen_\w+\.h)"$', re.MULTILINE)
_INCLUDED_PART = re.compile(r'^include "(_\w+\.pxi)"$', re.MULTILINE)


@cache
def header(name: str) -> str:
    """A C header of nsdgen's, as texts hold it."""
    return (files("nsdgen") / "abi" / "include" / name).read_text(encoding="utf-8").strip()


def apart(text: str) -> tuple[str, dict[str, str]]:
    """A whole text with lines that include its pieces, and these by the names of their files."""
    pieces: dict[str, str] = {}

    def included(line: str) -> Callable[[re.Match[str]], str]:
        def put(found: re.Match[str]) -> str:
            pieces[found[1]] = f"{found[0]}\n"
            return line.format(found[1])

        return put

    text = _HEADER.sub(included('#include "{}"'), text)  # parts hold headers
    return _PART.sub(included('include "{}"'), text), pieces


def whole(text: str, read: Callable[[str], str]) -> str:
    """The text with its pieces in the places of the lines that include them; ``read`` gives a file by its name."""
    for line in (_INCLUDED_PART, _INCLUDED_HEADER):
        text = line.sub(lambda found: read(found[1]).removesuffix("\n"), text)
    return text
