"""What an emitted text says of its own kernels.

A package holds text and record but no derivation; its README and ``nsdgen inspect`` need
shapes, formulas and operation counts. Shapes are in its table; formulas and counts are in comments alone.
"""

import re
from dataclasses import dataclass

from nsdgen.abi import KernelRole
from nsdgen.emit.table_text import Row, module_table, name, number

_COMMENT = re.compile(r"^# \[tag\] .*\n#   (.*)\n#   in  .*\n(?:#   .*\n)*?#   (\d+) operations?$", re.MULTILINE)


@dataclass(frozen=True)
class KernelNote:
    """A kernel of class number ``cls``; ``inputs`` are pairs of name and size, ``shape`` is of the first output."""

    cls: int
    name: str
    role: int
    formula: str
    inputs: tuple[tuple[str, int], ...]
    shape: str
    operations: int

    @property
    def is_operator(self) -> bool:
        """Whether it evaluates a derived operator, which callers may use by name."""
        return self.role == KernelRole.OPERATOR

    @property
    def operands(self) -> tuple[tuple[str, int], ...]:
        """What a caller of an operator passes: all inputs but the parameters."""
        return tuple((array.rstrip("_"), size) for array, size in self.inputs if array != "parameters")


def kernel_notes(text: str) -> tuple[KernelNote, ...]:
    """One note per kernel of an emitted module, in the order of its table."""
    table = module_table(text)
    classes = [cls for cls, row in enumerate(table.classes) for _ in range(number(row, 2))]
    notes = []
    for place, (cls, row, found) in enumerate(zip(classes, table.kernels, _COMMENT.finditer(text), strict=True)):
        given, written = table.arrays(place)
        inputs = tuple((name(array), number(array, 2)) for array in given)
        notes.append(KernelNote(cls, name(row), number(row, 1), found[1], inputs, _shape(written[0]), int(found[2])))
    return tuple(notes)


def _shape(output: Row) -> str:
    """Rows and columns, and how many entries there are where these are not all, e.g. ``3x3, 5 nonzeros``."""
    rows, columns, entries = (number(output, field) for field in (2, 3, 4))
    given = "" if entries == rows * columns else f", {entries} nonzeros" if entries else ", zero"
    return f"{rows}x{columns}{given}"
