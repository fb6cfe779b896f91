"""The text of an emitted module, taken apart: the body of each kernel, and the table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nsdgen.base.pieces import header
from nsdgen.emit.table_text import ModuleTable, Unreadable, module_table


@dataclass(frozen=True)
class FunctionLines:
    """The lines between head and end of a function; ``first`` is the number of the first of them, from 1."""

    name: str
    lines: tuple[str, ...]
    first: int
    in_c: bool


@dataclass(frozen=True)
class ReadModule:
    """The kernels of a module in the order of its table."""

    table: ModuleTable
    kernels: tuple[FunctionLines, ...]


_SIGNATURE = r"(\w+)\(const double \*const \*in_, double \*const \*out\)"
_CYTHON = re.compile(rf"cdef (?:inline )?void {_SIGNATURE} noexcept nogil:")
_C = re.compile(rf"static void {_SIGNATURE}")
_CALLS = re.compile(r"^cdef nsdgen_call\[(\d+)\] calls = \[\n(.*?)\n\]", re.MULTILINE | re.DOTALL)
_HEADERS = {"nsdgen_math.h": "inline double nsd_mod(double a", "nsdgen_matrix.h": "void nsd_hold(int n"}


def take_apart(text: str) -> ReadModule:
    """Kernels and table of a text; raises ``Unreadable``."""
    for name, function in _HEADERS.items():
        # its functions are called from here: they must be those of the text
        if f"\nstatic {function}" in text and header(name) not in text:
            raise Unreadable(f"the text holds another {name} than this version of nsdgen")
    called = _CALLS.search(text)
    if called is None:
        raise Unreadable("the text has no list of kernels")
    names = re.findall(r"\w+", called[2])
    if len(names) != int(called[1]):
        raise Unreadable(f"{called[1]} kernels are announced, {len(names)} are there")
    sources = {source.name: source for source in _functions(text.split("\n"))}
    if missing := [name for name in names if name not in sources]:
        raise Unreadable(f"the kernel {missing[0]} is not there")
    table = module_table(text)
    if len(table.kernels) != len(names):
        raise Unreadable(f"the table describes {len(table.kernels)} kernels of {len(names)}")
    return ReadModule(table, tuple(sources[name] for name in names))


def _functions(lines: list[str]) -> Iterator[FunctionLines]:
    """Every function with the signature of a kernel."""
    for number, line in enumerate(lines):
        if match := _CYTHON.fullmatch(line):
            end = next((n for n in range(number + 1, len(lines)) if lines[n] and lines[n][0] != " "), len(lines))
            yield FunctionLines(match[1], tuple(lines[number + 1 : end]), number + 2, in_c=False)
        elif (match := _C.fullmatch(line)) and lines[number + 1] == "{":
            end = lines.index("}", number)
            yield FunctionLines(match[1], tuple(lines[number + 2 : end]), number + 3, in_c=True)
