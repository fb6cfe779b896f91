"""A C function called at a point: between guard words that tell what it writes beyond its output, or guard pages."""

from __future__ import annotations

import ctypes
import math
import signal
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any, Literal, TypeAlias

from .call import Answer, Evaluate, ForeignCall, Guard
from .guarded import Pages, without_handlers

GUARD_WORDS = 64
"""Words before and after the output whose change is a write out of bounds."""

_CANARIES = (-7.29735256930127e1, math.nan)  # nan shows what reads its output and multiplies it by 0
"""Two odd values: an entry that keeps both was not written. They are of a size at which adding to them shows."""

_GUARD = 8.98755178736e195  # digits and size that no formula arrives at: a word that changed was written to

_GUARDS = (
    ("it reads or writes out of bounds of an array (a guard page beside it was touched)", 60, False),
    ("it writes to its input (the same value, or one that it puts back)", 8, True),
)
"""What a memory fault shows, at how many points it is asked, and whether inputs are sealed against writing."""

_POINTER = ctypes.POINTER(ctypes.c_double)
_INTEGERS: dict[str, Any] = {
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
        return _INTEGERS[self.ctype] if self.kind == "integer" else _POINTER if self.is_array else ctypes.c_double

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
        guards = (Guard(says, points, partial(_between_pages, self, sealed)) for says, points, sealed in _GUARDS)
        return ForeignCall(self.library, partial(_between_words, self), tuple(guards))

    def loaded(self) -> Any:
        """The function, in a process that it may crash."""
        function = ctypes.CDLL(self.library)[self.name]  # getattr refuses names like __f__
        function.argtypes = [slot.type for slot in self.slots]
        function.restype = ctypes.c_int if self.status else None
        return function

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.rows * self.cols

    def row_major(self, values: list[float]) -> list[float]:
        """Entries as they are stored, row by row."""
        if self.order == "row":
            return values
        return [values[j * self.rows + i] for i in range(self.rows) for j in range(self.cols)]


def _between_words(call: CCall) -> Evaluate:
    """Calls at each point twice, with different values in the output, between guard words."""
    function = call.loaded()

    def evaluate(point: Sequence[Sequence[float]]) -> Answer:
        before = (0.0, 0.0) if call.zeroed else _CANARIES  # what the caller promises may be added to
        code, first, over, changed = _once(function, call, point, before[0])
        if code:
            return Answer("status", message=f"it returned {code}")
        _, second, over2, _ = _once(function, call, point, before[1])
        first, second = call.row_major(first), call.row_major(second)
        untouched = (i for i in range(call.size) if first[i] == _CANARIES[0] and math.isnan(second[i]))
        unwritten = () if call.zeroed else tuple(untouched)
        return Answer(
            "value",
            tuple(first),
            unwritten=unwritten,
            unstable=tuple(i for i in range(call.size) if i not in unwritten and _differ([first[i]], [second[i]])),
            overrun=(max(over[0], over2[0]), max(over[1], over2[1])),
            changed=tuple(changed),
        )

    return evaluate


def _once(
    function: Any, call: CCall, point: Sequence[Sequence[float]], canary: float
) -> tuple[int, list[float], tuple[int, int], list[str]]:
    """Its status, the output, guard words changed before and after it, inputs changed."""
    guard = [_GUARD] * GUARD_WORDS
    buffer = (ctypes.c_double * (call.size + 2 * GUARD_WORDS))(*guard, *[canary] * call.size, *guard)
    target = ctypes.cast(ctypes.byref(buffer, 8 * GUARD_WORDS), _POINTER)
    arguments: list[Any] = []
    arrays: list[tuple[str, Any, list[float]]] = []
    for slot in call.slots:
        if slot.kind == "output":
            arguments.append(target)
        elif slot.kind == "input":
            values = list(point[slot.value]) if slot.length else []
            array = (ctypes.c_double * max(slot.length, 1))(*values)
            arrays.append((slot.name, array, values))
            arguments.append(array)
        else:
            arguments.append(slot.scalar(point))
    code = function(*arguments)
    words = list(buffer)
    before = sum(w != _GUARD for w in words[:GUARD_WORDS])
    after = sum(w != _GUARD for w in words[GUARD_WORDS + call.size :])
    changed = [name for name, array, values in arrays if name != "z" and _differ(list(array)[: len(values)], values)]
    return int(code or 0), words[GUARD_WORDS : GUARD_WORDS + call.size], (before, after), changed


def _differ(left: Sequence[float], right: Sequence[float]) -> bool:
    return any(
        struct.pack("d", a) != struct.pack("d", b) and not (math.isnan(a) and math.isnan(b))
        for a, b in zip(left, right, strict=True)
    )


def _between_pages(call: CCall, sealed: bool) -> Evaluate:
    """Calls with every array at the end, and at the beginning, of pages that nobody may touch beyond.

    Either of them first at every other point: what the first one leaves behind in the function is met by both.
    ``sealed``: at the end alone, with inputs that nobody may write to, but for those that functions of a convention
    may. Handlers of memory faults, which would hide them, are taken away and, where the system can, kept away.
    """
    function, turn = call.loaded(), cycle((True, False))
    pages = [Pages(call.size if s.kind == "output" else max(s.length, 1)) if s.is_array else None for s in call.slots]
    for fault in (signal.SIGSEGV, signal.SIGBUS):
        signal.signal(fault, signal.SIG_DFL)
    without_handlers()

    def evaluate(point: Sequence[Sequence[float]]) -> Answer:
        behind = sealed or next(turn)
        for at_end in (True,) if sealed else (behind, not behind):
            arguments: list[Any] = []
            for slot, block in zip(call.slots, pages, strict=True):
                if block is None:
                    arguments.append(slot.scalar(point))
                    continue
                empty = 0.0 if call.zeroed else _CANARIES[0]
                values = [empty] * call.size if slot.kind == "output" else point[slot.value][: slot.length]
                readable = sealed and slot.kind == "input" and slot.name != "z"
                arguments.append(block.array(values, at_end, readable))
            function(*arguments)
        return Answer("value")

    return evaluate
