"""The table of a module: what the runtime knows of its kernels, as initialisers of the C structures of the ABI.

Zeros at the end of an initialiser are left out, as C allows. Kernels that read the same arrays share the
list of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nsdgen.base.names import c_string
from nsdgen.derive.kernel import Input, Kernel, KernelModule, Output

_WIDTH = 112  # characters: with its indent a line of numbers stays within 120, the length of lines in nsdgen


@dataclass(frozen=True)
class TableText:
    """The lines between the braces of each array of the table."""

    positions: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    kernels: tuple[str, ...]
    classes: tuple[str, ...]


def make_table(module: KernelModule) -> TableText:
    """The table of all kernels of a module, class after class."""
    kernels = [k for cls in module.classes for k in cls.kernels]
    positions = _SharedRuns()
    inputs = _SharedRuns()
    outputs: list[str] = []
    lines: list[str] = []
    rows: list[str] = []
    for k in kernels:
        first_in = inputs.of([_input(a) for a in k.inputs])
        lines.append(_kernel(k, first_in, len(rows)))
        written = [_output(out, positions) for out in k.outputs]
        rows += written
        outputs += wrapped(written, _WIDTH)
    classes, first = [], 0
    for cls in module.classes:
        classes.append(f'{{"{c_string(cls.name)}", {int(cls.kind)}, {len(cls.kernels)}, KERNELS + {first}}}')
        first += len(cls.kernels)
    return TableText(tuple(positions.lines), tuple(inputs.lines), tuple(outputs), tuple(lines), tuple(classes))


def wrapped(items: Iterable[str], width: int) -> list[str]:
    """The items, separated by commas, in lines of a readable length; no comma at the end of a line."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= width:
            lines[-1] += f", {item}"
        else:
            lines.append(item)
    return lines


class _SharedRuns:
    """An array of C in which equal runs of items stand once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._first: dict[tuple[str, ...], int] = {}
        self._count = 0

    def of(self, items: Sequence[str]) -> int:
        """Where a run of items starts."""
        run = tuple(items)
        if run not in self._first:
            self._first[run] = self._count
            self._count += len(run)
            self.lines += wrapped(run, _WIDTH)
        return self._first[run]


def _input(array: Input) -> str:
    return _initialiser(f'"{c_string(array.name)}"', int(array.role), len(array.symbols), array.participant)


def _output(out: Output, positions: _SharedRuns) -> str:
    where: int | str = 0
    if not out.dense:
        rows, cols = [str(i) for i, _, _ in out.entries], [str(j) for _, j, _ in out.entries]
        where = f"POSITIONS + {positions.of([*rows, *cols] or ['0'])}"
    return _initialiser(
        f'"{c_string(out.name)}"',
        int(out.quantity),
        out.rows,
        out.cols,
        len(out.entries),
        out.depends,
        out.flags,
        where,
        out.participant,
        out.participant2,
    )


def _kernel(k: Kernel, first_in: int, first_out: int) -> str:
    return (
        f'{{"{c_string(k.name)}", {int(k.role)}, {k.stage}, {len(k.inputs)}, {len(k.outputs)}, '
        f"INPUTS + {first_in}, OUTPUTS + {first_out}}}"
    )


def _initialiser(*fields: int | str) -> str:
    """A structure of C: its fields without the zeros at its end."""
    last = max(i for i, field in enumerate(fields) if field != 0)
    return "{" + ", ".join(str(field) for field in fields[: last + 1]) + "}"
