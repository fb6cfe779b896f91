"""Memory that ends at pages nobody may touch: arrays whose neighbours crash whoever reads or writes them."""

import ctypes
import mmap
import platform
import struct
from collections.abc import Sequence
from typing import Any

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
