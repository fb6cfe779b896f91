"""Memory that ends at pages nobody may touch: arrays whose neighbours crash whoever reads or writes them.

Calls are made in a forked child, one with every array against the page behind it and one against the page before
it; a child that dies of a memory fault has left its arrays.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Pages", "leaves_its_arrays"]

_PROT_NONE = 0  # PROT_NONE of mmap's header: neither read nor written
_GUARD = 1 << 24  # bytes: an index may be far off; nothing of it is ever in memory


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
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for guard in (start, start + guarded + inner):
            if protect(guard, guarded, _PROT_NONE):
                raise OSError(ctypes.get_errno(), "mprotect")

    def array(self, values: Sequence[float], at_end: bool) -> Any:
        """The array with these values, against the guard page behind it or before it."""
        found = (ctypes.c_double * self.count).from_address(self._last if at_end else self._first)
        found[: len(values)] = list(values)
        return found


def leaves_its_arrays(call: Callable[[], None]) -> bool:
    """Whether what is called in a child of this process ends in a memory fault."""
    child = os.fork()
    if child == 0:
        try:
            call()
        finally:
            os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status in (-signal.SIGSEGV, -signal.SIGBUS)
