"""The numbers that code holds: where it may branch, and where it is therefore called.

Of a Python function the constants of its code object, of a shared library words that are doubles with few digits,
and of C text beside it the literals.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

from .hand_functions import ForeignFunction

__all__ = ["literals_of"]

MOST = 24
_LITERAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+(?:[eE][-+]?\d+)?)")
_USUAL = {0.0, 1.0, -1.0, 2.0}


def literals_of(function: ForeignFunction) -> tuple[float, ...]:
    """Finite numbers in the code, each once, those that are not small integers first."""
    target = getattr(function, "function", None)
    found: Iterable[float] = ()
    if target is not None:
        found = _of_python(target)
    elif (library := getattr(function, "library", None)) is not None:
        found = _of_library(Path(library))
    kept = dict.fromkeys(v for v in found if v not in _USUAL and 1e-7 <= abs(v) <= 1e7)
    return tuple(sorted(kept, key=lambda v: (v == int(v), abs(v))))[:MOST]


def _of_python(target: Any, depth: int = 4) -> list[float]:
    """Constants of a function and of the functions and numbers that it encloses."""
    if isinstance(target, int | float) and not isinstance(target, bool):
        return [float(target)]
    target = getattr(target, "func", target)
    code = getattr(target, "__code__", None)
    if not isinstance(code, CodeType) or not depth:
        return []
    found = _constants(code)
    for cell in getattr(target, "__closure__", None) or ():
        with suppress(ValueError):  # a cell that is not filled yet
            found += _of_python(cell.cell_contents, depth - 1)
    return found


def _constants(code: CodeType) -> list[float]:
    found: list[float] = []
    for c in code.co_consts:
        if isinstance(c, CodeType):
            found += _constants(c)
        elif isinstance(c, tuple):
            found += [float(v) for v in c if isinstance(v, int | float)]
        elif isinstance(c, int | float) and not isinstance(c, bool) and abs(c) < 1e15:
            found.append(float(c))
    return found


def _of_library(library: Path) -> list[float]:
    source = library.with_name("source.c")
    try:
        if source.is_file():
            return [float(m) for m in _LITERAL.findall(source.read_text(encoding="utf-8", errors="replace"))]
        content = library.read_bytes()[:1 << 22]
    except OSError:
        return []
    words = struct.unpack(f"<{len(content) // 8}d", content[:len(content) // 8 * 8])
    return [v for v in words if v == v and 1e-6 <= abs(v) <= 1e6 and len(repr(v).replace("-", "")) <= 8]
