"""The process that calls foreign code: ``python -m nsdgen.verify.foreign.worker IN OUT``.

IN and OUT are file descriptors of pipes. It receives one call, answers that it is ready or
why not, then receives lists of points and answers each point as soon as it is done, so that
the other side knows at which point a crash or a hang happened. No SymPy is imported here.
"""

from __future__ import annotations

import ctypes
import math
import os
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import count
from multiprocessing.connection import Connection
from numbers import Real
from typing import Any

from nsdgen.verify.foreign.call import GUARD_WORDS, Answer, CArgument, CCall, ForkedCall, PythonCall
from nsdgen.verify.foreign.guarded import Pages, leaves_its_arrays

Evaluate = Callable[[Sequence[Sequence[float]]], Answer]

_CANARIES = (-7.29735256930127e1, math.nan)  # nan shows what reads its output and multiplies it by 0
"""Two odd values: an entry that keeps both was not written. They are of a size at which adding to them shows."""

_GUARD = 8.98755178736e195  # digits and size that no formula arrives at: a word that changed was written to

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

_SEALED = 8
"""Points at which a call is made with inputs that cannot be written to."""

_GUARDED = 60
"""Points at which a call is made between guard pages as well."""


def main(arguments: Sequence[str]) -> None:
    """Serve one function over the two pipes named on the command line."""
    receive, send = (int(text) for text in arguments)
    incoming, outgoing = Connection(receive, writable=False), Connection(send, readable=False)
    serve(incoming.recv(), incoming, outgoing)


def serve(call: CCall | PythonCall | ForkedCall, incoming: Connection, outgoing: Connection) -> None:
    """Open the function, then answer points until the other side hangs up."""
    _be_quiet()
    try:
        evaluate = _open(call)
    except BaseException as error:
        outgoing.send(f"{type(error).__name__}: {error}")
        return
    outgoing.send("")
    while True:
        try:
            points = incoming.recv()
        except (EOFError, OSError):
            return
        for point in points:
            outgoing.send(evaluate(point))


def _be_quiet() -> None:
    """No core files, nothing printed on anybody's standard output, and a session of its own.

    What signals its own group, or the one of its terminal, then ends itself only.
    """
    with suppress(OSError):  # where this process leads a group already
        os.setsid()
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


def _open(call: CCall | PythonCall | ForkedCall) -> Evaluate:
    if isinstance(call, CCall):
        return _GuardedFunction(call)
    if isinstance(call, PythonCall):
        sys.path[:] = [*call.path]
        function: Any = import_module(call.module)
        for part in call.name.split("."):
            function = getattr(function, part)
        return _open_python(function, call.rows, call.cols, call.scalars)
    return _open_python(call.function, call.rows, call.cols, call.scalars)


def _open_python(function: Callable[..., Any], rows: int, cols: int, scalars: Sequence[bool]) -> Evaluate:
    import numpy as np

    def evaluate(point: Sequence[Sequence[float]]) -> Answer:
        given = [np.array(values, dtype=float) for values in point]
        arguments = [float(a[0]) if scalar else a for a, scalar in zip(given, scalars, strict=True)]
        try:
            result = _real(function(*arguments))
        except Exception as error:
            return Answer("exception", message=f"{type(error).__name__}: {error}")
        changed = tuple(
            f"argument {i + 1}"
            for i, (a, values) in enumerate(zip(given, point, strict=True))
            if not np.array_equal(a, np.asarray(values, dtype=float), equal_nan=True)
        )
        fits = result.shape == (rows, cols) or (1 in (rows, cols) and result.size == rows * cols and result.ndim <= 1)
        if not fits:
            return Answer(
                "shape", message=f"it returned an array of shape {result.shape}, not ({rows}, {cols})", changed=changed
            )
        return Answer("value", tuple(float(x) for x in result.ravel()), changed=changed)

    return evaluate


def _real(given: Any) -> Any:
    """The array of doubles that a result is. Raises ``TypeError`` for masked, complex and other values."""
    import numpy as np

    if isinstance(given, np.ma.MaskedArray):
        raise TypeError("the result is a masked array")
    found = np.asarray(given)
    if found.dtype.kind == "O" and all(isinstance(x, Real) for x in found.ravel()):
        return found.astype(float)
    if found.dtype.kind == "c" and not np.any(found.imag):
        return found.real.astype(float)
    if found.dtype.kind not in "fiu":
        kind = "complex numbers" if found.dtype.kind == "c" else f"values of type {found.dtype}"
        raise TypeError(f"the result holds {kind}")
    return found.astype(float)


class _GuardedFunction:
    """A C function that is called at each point twice, with different values in the output, between guard words."""

    def __init__(self, call: CCall) -> None:
        self.call, self.size, self.checks = call, call.rows * call.cols, count()
        self.function = ctypes.CDLL(call.library)[call.name]  # getattr refuses names like __f__
        self.function.argtypes = [_ctype(slot) for slot in call.slots]
        self.function.restype = ctypes.c_int if call.status else None
        self.pages = [
            Pages(self.size) if s.kind == "output" else Pages(max(s.length, 1)) if s.kind == "input" else None
            for s in call.slots
        ]

    def __call__(self, point: Sequence[Sequence[float]]) -> Answer:
        """What it writes at a point, and what it should not have touched."""
        before = (0.0, 0.0) if self.call.zeroed else _CANARIES  # what the caller promises may be added to
        code, first, over, changed = self._once(point, before[0])
        if code:
            return Answer("status", message=f"it returned {code}")
        check = next(self.checks)
        outside = not any(over) and check < _GUARDED and self._leaves_its_arrays(point, check % 2 == 0)
        if (
            not (outside or changed)
            and check < _SEALED
            and leaves_its_arrays(lambda: self._between_pages(point, True, True))
        ):
            changed = ["(the same value, or one that it puts back)"]
        _, second, over2, _ = self._once(point, before[1])
        first, second = _row_major(first, self.call), _row_major(second, self.call)
        untouched = (i for i in range(self.size) if first[i] == _CANARIES[0] and math.isnan(second[i]))
        unwritten = () if self.call.zeroed else tuple(untouched)
        unstable = tuple(i for i in range(self.size) if i not in unwritten and _differ([first[i]], [second[i]]))
        return Answer(
            "value",
            tuple(first),
            unwritten=unwritten,
            unstable=unstable,
            overrun=(max(over[0], over2[0]), max(over[1], over2[1])),
            changed=tuple(changed),
            outside=outside,
        )

    def _once(
        self, point: Sequence[Sequence[float]], canary: float
    ) -> tuple[int, list[float], tuple[int, int], list[str]]:
        """Its status, the output, guard words changed before and after it, inputs changed."""
        buffer = (ctypes.c_double * (self.size + 2 * GUARD_WORDS))(*[_GUARD] * (self.size + 2 * GUARD_WORDS))
        for i in range(GUARD_WORDS, GUARD_WORDS + self.size):
            buffer[i] = canary
        target = ctypes.cast(ctypes.byref(buffer, 8 * GUARD_WORDS), _POINTER)
        arguments: list[Any] = []
        arrays: list[tuple[str, Any, list[float]]] = []
        for slot in self.call.slots:
            if slot.kind == "output":
                arguments.append(target)
            elif slot.kind == "input":
                values = list(point[slot.value]) if slot.length else []
                array = (ctypes.c_double * max(slot.length, 1))(*values)
                arrays.append((slot.name, array, values))
                arguments.append(array)
            else:
                arguments.append(_scalar(slot, point))
        code = self.function(*arguments)
        words = list(buffer)
        before = sum(w != _GUARD for w in words[:GUARD_WORDS])
        after = sum(w != _GUARD for w in words[GUARD_WORDS + self.size :])
        changed = [
            name for name, array, values in arrays if name != "z" and _differ(list(array)[: len(values)], values)
        ]
        return int(code or 0), words[GUARD_WORDS : GUARD_WORDS + self.size], (before, after), changed

    def _leaves_its_arrays(self, point: Sequence[Sequence[float]], behind: bool) -> bool:
        """Whether a call touches a guard page, behind its arrays or before them.

        Both calls are made in one child, to fork half as often, either of them first at every other point: what the
        first one leaves behind in the function is met by both.
        """

        def both() -> None:
            for at_end in (behind, not behind):
                self._between_pages(point, at_end)

        return leaves_its_arrays(both)

    def _between_pages(self, point: Sequence[Sequence[float]], at_end: bool, sealed: bool = False) -> None:
        """A call with every array at the end, or at the beginning, of pages that nobody may read beyond.

        ``sealed``: and with inputs that nobody may write to, but for those that functions of a convention may.
        """
        arguments: list[Any] = []
        for slot, block in zip(self.call.slots, self.pages, strict=True):
            if block is None:
                arguments.append(_scalar(slot, point))
            else:
                empty = 0.0 if self.call.zeroed else _CANARIES[0]
                values = [empty] * self.size if slot.kind == "output" else point[slot.value][: slot.length]
                arguments.append(block.array(values, at_end))
                if sealed and slot.kind == "input" and slot.name != "z":
                    block.seal()
        self.function(*arguments)


def _ctype(slot: CArgument) -> Any:
    return _INTEGERS[slot.ctype] if slot.kind == "integer" else ctypes.c_double if slot.kind == "real" else _POINTER


def _scalar(slot: CArgument, point: Sequence[Sequence[float]]) -> Any:
    return slot.value if slot.kind == "integer" else point[slot.value][0]


def _row_major(values: list[float], call: CCall) -> list[float]:
    if call.order == "row":
        return values
    return [values[j * call.rows + i] for i in range(call.rows) for j in range(call.cols)]


def _differ(left: Sequence[float], right: Sequence[float]) -> bool:
    return any(
        struct.pack("d", a) != struct.pack("d", b) and not (math.isnan(a) and math.isnan(b))
        for a, b in zip(left, right, strict=True)
    )


if __name__ == "__main__":
    main(sys.argv[1:])
