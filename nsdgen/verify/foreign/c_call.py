"""A C function called at a point, and between guard pages that show what it touches beyond its arrays."""

import ctypes
import math
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from .call import Evaluate, ForeignAnswer, ForeignCall, differing
from .guarded import Pages, without_handlers

_CANARIES = (-7.29735256930127e1, math.nan)  # nan shows what reads its output and multiplies it by 0
"""Two odd values: an entry that keeps both was not written. They are of a size at which adding to them shows."""

_GUARDS = {
    "it reads or writes out of bounds, behind the end of an array": (True, False),
    "it reads or writes out of bounds, before the beginning of an array": (False, False),
    "it writes to its input (the same value, or one that it puts back)": (True, True),
}
"""What a memory fault shows, whether arrays stand at the end of their pages, and whether inputs are sealed."""

_POINTER = ctypes.POINTER(ctypes.c_double)
INTEGERS: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "unsigned": ctypes.c_uint,
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "size_t": ctypes.c_size_t,
    "long long": ctypes.c_longlong,
}


Kind: TypeAlias = Literal["integer", "real", "input", "output"]


@dataclass(frozen=True)
class CArgument:
    """One argument of a C call.

    ``kind`` is ``integer`` (``value`` is passed), ``real`` (input number ``value``, a scalar),
    ``input`` (input number ``value``, an array of ``length``) or ``output``.
    """

    kind: Kind
    name: str
    ctype: str
    value: int = 0
    length: int = 0

    @property
    def type(self) -> Any:
        """The type of ctypes."""
        return INTEGERS[self.ctype] if self.kind == "integer" else _POINTER if self.is_array else ctypes.c_double

    @property
    def is_array(self) -> bool:
        """Whether a pointer is passed."""
        return self.kind in ("input", "output")

    def scalar(self, point: Sequence[Sequence[float]]) -> float:
        """What is passed where it is no array."""
        return self.value if self.kind == "integer" else point[self.value][0]


@dataclass(frozen=True)
class CCall:
    """A function of a shared library; ``status`` says that it returns an int, 0 for success, ``zeroed`` that its
    output is filled with zeros before the call."""

    library: str
    name: str
    slots: tuple[CArgument, ...]
    rows: int
    cols: int
    order: Literal["row", "column"]
    status: bool = False
    zeroed: bool = False

    @property
    def call(self) -> ForeignCall:
        """What a worker opens, and the guards."""
        guards = {says: partial(_between_pages, self, *how) for says, how in _GUARDS.items()}
        return ForeignCall(self.library, partial(_called_twice, self), guards)

    def loaded(self) -> Any:
        """The function, in a process that it may crash."""
        function = ctypes.CDLL(self.library)[self.name]  # getattr refuses names like __f__
        function.argtypes = [slot.type for slot in self.slots]
        function.restype = ctypes.c_int if self.status else None
        return function

    @property
    def arrays(self) -> list[CArgument]:
        """The arguments that are pointers."""
        return [slot for slot in self.slots if slot.is_array]

    def arguments(self, point: Sequence[Sequence[float]], arrays: Sequence[Any]) -> list[Any]:
        """All arguments in their order, those that are pointers from ``arrays``."""
        pointers = iter(arrays)
        return [next(pointers) if slot.is_array else slot.scalar(point) for slot in self.slots]

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.rows * self.cols

    def row_major(self, values: list[float]) -> list[float]:
        """Entries as they are stored, row by row."""
        if self.order == "row":
            return values
        return [values[j * self.rows + i] for i in range(self.rows) for j in range(self.cols)]


def _called_twice(call: CCall) -> Evaluate:
    """Calls at each point twice, with different values in the output."""
    function = call.loaded()

    def evaluate(point: Sequence[Sequence[float]]) -> ForeignAnswer:
        before = (0.0, 0.0) if call.zeroed else _CANARIES  # what the caller promises may be added to
        code, first, changed = _once(function, call, point, before[0])
        if code:
            return ForeignAnswer("status", message=f"it returned {code}")
        _, second, _ = _once(function, call, point, before[1])
        first, second = call.row_major(first), call.row_major(second)
        untouched = (i for i in range(call.size) if first[i] == _CANARIES[0] and math.isnan(second[i]))
        unwritten = () if call.zeroed else tuple(untouched)
        unstable = tuple(i for i in differing(first, second) if i not in unwritten)
        values = tuple(0.0 if i in unwritten else value for i, value in enumerate(first))
        return ForeignAnswer("value", values, unwritten=unwritten, unstable=unstable, changed=changed)

    return evaluate


def _once(
    function: Any, call: CCall, point: Sequence[Sequence[float]], canary: float
) -> tuple[int, list[float], tuple[str, ...]]:
    """Its status, the output, and the inputs that it changed."""
    given = [[canary] * call.size if s.kind == "output" else list(point[s.value][: s.length]) for s in call.arrays]
    arrays = [(ctypes.c_double * max(len(values), 1))(*values) for values in given]
    code = function(*call.arguments(point, arrays))
    found = [list(array)[: len(values)] for array, values in zip(arrays, given, strict=True)]
    inputs = [k for k, slot in enumerate(call.arrays) if slot.kind == "input" and slot.name != "z"]
    changed = tuple(call.arrays[k].name for k in inputs if differing(found[k], given[k]))
    output = next(values for slot, values in zip(call.arrays, found, strict=True) if slot.kind == "output")
    return int(code or 0), output, changed


def _between_pages(call: CCall, at_end: bool, sealed: bool) -> Evaluate:
    """Calls with every array at the end, or at the beginning, of pages that nobody may touch beyond.

    ``sealed``: with inputs that nobody may write to, but for those that functions of a convention may. Handlers of
    memory faults, which would hide them, are taken away and, where the system can, kept away.
    """
    function = call.loaded()
    pages = [Pages(call.size if s.kind == "output" else max(s.length, 1)) for s in call.arrays]
    for fault in (signal.SIGSEGV, signal.SIGBUS):
        signal.signal(fault, signal.SIG_DFL)
    without_handlers()
    empty = [0.0 if call.zeroed else _CANARIES[0]] * call.size

    def evaluate(point: Sequence[Sequence[float]]) -> ForeignAnswer:
        arrays = [
            block.array(empty, at_end)
            if slot.kind == "output"
            else block.array(point[slot.value][: slot.length], at_end, sealed and slot.name != "z")
            for slot, block in zip(call.arrays, pages, strict=True)
        ]
        function(*call.arguments(point, arrays))
        return ForeignAnswer("value")

    return evaluate
