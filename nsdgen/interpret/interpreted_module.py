"""The text of an emitted module, taken apart, as an object that the runtime takes for a compiled one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from nsdgen.base.collecting import seldom_collecting
from nsdgen.base.pieces import header
from nsdgen.emit.table_text import ModuleTable, Unreadable, module_table
from nsdgen.errors import ModuleMismatch
from nsdgen.interpret.assembler import MachineProgram, assemble
from nsdgen.interpret.statements import statements


@dataclass(frozen=True)
class FunctionLines:
    """The lines between head and end of a function; ``first`` is the number of the first of them, from 1.

    Equal ones compute the same, whatever they are called and wherever they stand.
    """

    name: str = field(compare=False)
    lines: tuple[str, ...]
    first: int = field(compare=False)
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


@dataclass(frozen=True, eq=False)
class InterpretedModule:
    """Kernels in the register machine; the capsule is that of a compiled module, and keeps all of it alive."""

    __nsdgen__: Any
    interpreted: bool = True

    def take_over(self, extension: Any) -> None:
        """Let the compiled module of the same text do the work, for everything that is bound to these kernels."""
        from nsdgen.interpret._machine import take_over

        take_over(self.__nsdgen__, extension)


def interpret(text: str) -> InterpretedModule:
    """The kernels of an emitted text, ready to be called: no compiler and no file is needed.

    They compute what the compiled module computes, to the bit, two to five times slower; the function that
    makes the steps of small models is not among them. Raises ``ModuleMismatch`` where the text is not what this version
    of nsdgen emits.
    """
    from nsdgen.interpret._machine import capsule

    try:
        parts = take_apart(text)
        with seldom_collecting():
            programs = [_program(source, parts.table.sizes(n)) for n, source in enumerate(parts.kernels)]
    except Unreadable as error:
        raise ModuleMismatch(
            f"the text of the kernels cannot be interpreted: {error}",
            fix="derive the model again with this version of nsdgen, or compile the text",
        ) from error
    return InterpretedModule(capsule(parts.table, programs))


@lru_cache(maxsize=1024)  # those of about ten models: one that differs a little from another has many of its kernels
def _program(source: FunctionLines, sizes: tuple[tuple[int, ...], tuple[int, ...]]) -> MachineProgram:
    from nsdgen.interpret._machine import ARITIES, OPERATIONS

    try:
        body = statements(source.lines, source.first, in_c=source.in_c)
        return assemble(body, sizes, OPERATIONS, ARITIES)
    except Unreadable as error:
        raise Unreadable(f"kernel {source.name}: {error}") from error
