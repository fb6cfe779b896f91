"""The table of kernels of an emitted module, read from its initialisers in C (``table.py`` writes them)."""

import re
from dataclasses import dataclass
from typing import TypeAlias

Row: TypeAlias = tuple[bytes | int, ...]
"""The fields of a structure, references to other arrays as the place in them, zeros at the end left out."""


class Unreadable(ValueError):
    """A text that is not of the emitted language; the message says what."""


@dataclass(frozen=True)
class ModuleTable:
    """The rows of each array of the table, the version of the interface, name and hash of the module."""

    version: tuple[int, int]
    name: bytes
    hash: bytes
    positions: tuple[int, ...]
    inputs: tuple[Row, ...]
    outputs: tuple[Row, ...]
    kernels: tuple[Row, ...]
    classes: tuple[Row, ...]

    def arrays(self, kernel: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
        """The rows of the inputs and of the outputs of a kernel."""
        n_in, n_out, first_in, first_out = (number(self.kernels[kernel], field) for field in (3, 4, 5, 6))
        if first_in + n_in > len(self.inputs) or first_out + n_out > len(self.outputs):
            raise Unreadable(f"kernel {kernel} has arrays that the table does not have")
        return self.inputs[first_in : first_in + n_in], self.outputs[first_out : first_out + n_out]

    def sizes(self, kernel: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """How many values each input and each output of a kernel holds."""
        inputs, outputs = self.arrays(kernel)
        return tuple(number(row, 2) for row in inputs), tuple(number(row, 4) for row in outputs)


_MODULE = re.compile(
    r"static nsdgen_module MODULE = {\s*(\d+), (\d+),\s*(?:sizeof\(\w+\),\s*)+"
    r'"([^"]*)", "([^"]*)", (\d+), CLASSES,\s*};'
)
_FIELD = re.compile(r'"([^"]*)"|[A-Z]+ \+ (\d+)|(-?\d+)')
_ROW = re.compile(r'{((?:"[^"]*"|[^"{}])*)}')


def number(row: Row, field: int) -> int:
    """A field that is a number; raises ``Unreadable``."""
    value = row[field] if field < len(row) else 0
    if not isinstance(value, int):
        raise Unreadable(f"{value!r} in the table where a number is meant")
    return value


def name(row: Row) -> str:
    """The first field of a row; raises ``Unreadable``."""
    if not isinstance(row[0], bytes):
        raise Unreadable(f"{row[0]!r} in the table where a name is meant")
    return row[0].decode()


def module_table(text: str) -> ModuleTable:
    """The table of a module's text; raises ``Unreadable``."""
    found = _MODULE.search(text)
    if found is None:
        raise Unreadable("the text has no table of kernels")
    classes = _rows(text, "static const nsdgen_class CLASSES")
    if len(classes) != int(found[5]):
        raise Unreadable(f"{found[5]} classes are announced, {len(classes)} are there")
    return ModuleTable(
        (int(found[1]), int(found[2])),
        _bytes(found[3]),
        _bytes(found[4]),
        tuple(int(p) for p in _array(text, "static const int32_t POSITIONS", "").split(",") if p.strip()),
        _rows(text, "static const nsdgen_input INPUTS"),
        _rows(text, "static const nsdgen_output OUTPUTS"),
        _rows(text, "static nsdgen_kernel KERNELS"),
        classes,
    )


def _array(text: str, start: str, default: str | None = None) -> str:
    """What stands between the braces of an array."""
    begin = text.find(f"\n{start}[] = {{\n")
    if begin < 0:
        if default is None:
            raise Unreadable(f"the table has no {start.rpartition(' ')[2]}")
        return default
    begin += len(start) + len("\n[] = {\n")
    return text[begin : text.index("\n};", begin)]


def _rows(text: str, start: str) -> tuple[Row, ...]:
    rows = _ROW.finditer(_array(text, start))
    return tuple(tuple(_field(match) for match in _FIELD.finditer(row[1])) for row in rows)


def _field(match: re.Match[str]) -> bytes | int:
    return _bytes(match[1]) if match[1] is not None else int(match[2] or match[3])


def _bytes(escaped: str) -> bytes:
    """The bytes of a string in C, in which all but plain characters are written in octal."""
    return re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), escaped.encode("ascii"))
