"""A C function called at a point, and between guard pages that show what it touches beyond its arrays."""

import ctypes
import math
import mmap
import platform
import signal
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from nsdgen.verify.foreign.call import Evaluate, ForeignAnswer, ForeignCall, differing

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
    "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong,
    "size_t": ctypes.c_size_t,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
}
"""Integers by their types, without a ``signed``, or an ``int`` after ``long``."""


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
        again, second, _ = _once(function, call, point, before[1])
        if code or again:
            return ForeignAnswer("status", message=f"it returned {code or again}")
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


_PROT_NONE = 0  # PROT_NONE of mmap's header: neither read nor written
_GUARD = 1 << 24  # bytes: an index may be far off; nothing of it is ever in memory


# ABI of Linux: the identifier of a machine in a filter of system calls, and its number of rt_sigaction
_MACHINES = {"x86_64": (0xC000003E, 13), "aarch64": (0xC00000B7, 134)}
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # of prctl
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # of the filter's language
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # REFUSE: the call fails with EPERM


def without_handlers() -> None:
    """Let no signal get a handler in this process from now on, where the system does that.

    A filter of system calls refuses ``rt_sigaction``: Linux on machines of ``_MACHINES``.
    """
    known = _MACHINES.get(platform.machine())
    if platform.system() != "Linux" or known is None:
        return
    rules = (
        (_LOAD, 0, 0, 4),  # the machine
        (_IF_EQUAL, 0, 3, known[0]),
        (_LOAD, 0, 0, 0),  # the number of the call
        (_IF_EQUAL, 0, 1, known[1]),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code)))
    control = ctypes.CDLL(None).prctl
    control.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    if not control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        control(_SECCOMP, _FILTER, ctypes.addressof(program), 0, 0)


class Pages:
    """A block of pages between guarded ones, for one array of doubles."""

    def __init__(self, count: int) -> None:
        page = mmap.PAGESIZE
        inner = max(1, -(-8 * count // page)) * page
        self.count = count
        guarded = -(-_GUARD // page) * page
        self._block = mmap.mmap(-1, inner + 2 * guarded)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._block))
        self._first, self._last = start + guarded, start + guarded + inner - 8 * count
        self._inner = start + guarded, inner
        for guard in (start, start + guarded + inner):
            _protect(guard, guarded, _PROT_NONE)

    def array(self, values: Sequence[float], at_end: bool, sealed: bool = False) -> Any:
        """The array with these values, against the guard page behind it or before it; ``sealed``: only to be read."""
        _protect(*self._inner, mmap.PROT_READ | mmap.PROT_WRITE)
        found = (ctypes.c_double * self.count).from_address(self._last if at_end else self._first)
        found[: len(values)] = list(values)
        if sealed:
            _protect(*self._inner, mmap.PROT_READ)
        return found


def _protect(start: int, size: int, how: int) -> None:
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(start, size, how):
        raise OSError(ctypes.get_errno(), "mprotect")
