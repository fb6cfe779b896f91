"""What an emitted text says of its own kernels, read back from its comments and its table.

A package holds text and record but no derivation; its README and ``nsdgen inspect`` need
shapes and operation counts. They are in the text, in lines that the template writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nsdgen.abi import KernelRole

__all__ = ["KernelNote", "kernel_notes"]

_KERNEL = re.compile(
    r"^# \[tag\] (?P<title>.*)\n#   (?P<formula>.*)\n#   in  (?P<inputs>.*)\n"
    r"(?:#   (?:units|     ) .*\n)*(?P<outputs>(?:#   out .*\n)*)"
    r"#   (?P<operations>\d+) operations?$",
    re.MULTILINE,
)
_CLASS_ROW = re.compile(r'^    \{".*", \d+, (?P<count>\d+), KERNELS \+ \d+\},$', re.MULTILINE)
_KERNEL_ROW = re.compile(
    r'^    \{".*", (?P<role>\d+), -?\d+, \d+, \d+, INPUTS \+ \d+, OUTPUTS \+ \d+\},$', re.MULTILINE
)
_OPERAND = re.compile(r"(\w+)\[(\d+)\]")


@dataclass(frozen=True)
class KernelNote:
    """A kernel as its comment describes it; ``cls`` counts the classes of the module.

    ``inputs`` are pairs of name and size, ``outputs`` lines such as ``mass 3x3; depends: ...``.
    """

    cls: int
    name: str
    role: int
    formula: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]
    operations: int

    @property
    def is_operator(self) -> bool:
        """Whether it evaluates a derived operator, which callers may use by name."""
        return self.role == KernelRole.OPERATOR

    @property
    def shape(self) -> str:
        """Of the first output, e.g. ``3x3, 5 nonzeros``."""
        return self.outputs[0].partition(";")[0].partition(" ")[2]

    @property
    def operands(self) -> tuple[tuple[str, int], ...]:
        """What a caller of an operator passes: all inputs but the parameters."""
        return tuple((name.rstrip("_"), size) for name, size in self.inputs if name != "parameters")


def kernel_notes(text: str) -> tuple[KernelNote, ...]:
    """One note per kernel of an emitted module, in the order of its table."""
    classes = [number for number, row in enumerate(_CLASS_ROW.finditer(text)) for _ in range(int(row["count"]))]
    roles = [int(row["role"]) for row in _KERNEL_ROW.finditer(text)]
    return tuple(
        KernelNote(
            cls,
            found["title"].rpartition(": ")[2],
            role,
            found["formula"],
            tuple((name, int(size)) for name, size in _OPERAND.findall(found["inputs"])),
            tuple(line.removeprefix("#   out ") for line in found["outputs"].splitlines()),
            int(found["operations"]),
        )
        for cls, role, found in zip(classes, roles, _KERNEL.finditer(text), strict=True)
    )
