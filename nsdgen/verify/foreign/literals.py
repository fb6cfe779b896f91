"""The numbers that code holds: where it may branch, and where it is therefore called.

Of a Python function its constants, its defaults and the numbers that the names in it stand for, of a shared library
words that are doubles with few digits, and of C text beside it the literals and their quotients.
"""

import re
import struct
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from .hand_functions import ForeignFunction

MOST = 24  # fractions first: each adds points on it and on both sides
_LITERAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+(?:[eE][-+]?\d+)?)")
_QUOTIENT = re.compile(rf"{_LITERAL.pattern}\s*/\s*{_LITERAL.pattern}")
_MOST_OF_ONE = 16  # numbers of one container
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
    """Numbers in a function: its constants, its defaults, and what the names in it stand for."""
    if not depth:
        return []
    if (numbers := _numbers(target)) is not None:
        return numbers
    target = getattr(target, "func", target)
    code = getattr(target, "__code__", None)
    if not isinstance(code, CodeType):
        return []
    parts = _parts(code)
    found = [n for part in parts for constant in part.co_consts for n in _numbers(constant) or ()]
    for value in (*(target.__defaults__ or ()), *(target.__kwdefaults__ or {}).values()):
        found += _numbers(value) or []
    for cell in target.__closure__ or ():
        with suppress(ValueError):  # a cell that is not filled yet
            found += _of_python(cell.cell_contents, depth - 1)
    names = dict.fromkeys(name for part in parts for name in part.co_names)
    for name in names:
        value = target.__globals__.get(name)
        if isinstance(value, ModuleType | type):  # np.pi, Limits.slip: of a class all, of a module what is written
            attributes = names if isinstance(value, ModuleType) else sorted(vars(value))
            found += [v for a in attributes for v in _numbers(getattr(value, a, None)) or ()]
        elif value is not None and value is not target:
            found += _of_python(value, depth - 1)
    return found


def _numbers(value: Any) -> list[float] | None:
    """The numbers of a number or of a small container; None for something else."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [float(value)] if abs(value) < 1e15 else []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(size := getattr(value, "size", None), int) and hasattr(value, "tolist"):  # of NumPy
        value = value.tolist() if size <= _MOST_OF_ONE else []
        value = value if isinstance(value, list) else [value]
    if isinstance(value, list | tuple | set | frozenset):
        return [n for v in list(value)[:_MOST_OF_ONE] for n in _numbers(v) or ()]
    return None


def _parts(code: CodeType) -> list[CodeType]:
    """The code of a function and of those written in it."""
    return [code, *(part for c in code.co_consts if isinstance(c, CodeType) for part in _parts(c))]


def _of_library(library: Path) -> list[float]:
    source = library.with_name("source.c")
    try:
        if source.is_file():
            text = source.read_text(encoding="utf-8", errors="replace")
            quotients = [float(a) / float(b) for a, b in _QUOTIENT.findall(text) if float(b)]
            return [*(float(m) for m in _LITERAL.findall(text)), *quotients]
        content = library.read_bytes()[: 1 << 22]
    except OSError:
        return []
    words = struct.unpack(f"<{len(content) // 8}d", content[: len(content) // 8 * 8])
    return [v for v in words if v == v and 1e-6 <= abs(v) <= 1e6 and len(repr(v).replace("-", "")) <= 8]
