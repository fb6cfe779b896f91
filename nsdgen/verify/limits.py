"""Limits of processor time and memory that hold whatever is called inside them.

The methods of ``verify`` look at their deadlines themselves; what SymPy does between two looks may take very long or
very much memory. A timer that runs on this process's own processor time therefore looks as well, and ends what runs
by an exception. It works in the main thread of a process, on systems that have such timers; elsewhere the deadlines
are all there is. What a single call into a compiled library does can be ended by another process only, which
``campaign`` does.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

MEGABYTES = 1500
"""How much more memory one claim may take."""

_TICK = 0.05  # seconds of processor time between two looks


class Exceeded(BaseException):
    """A limit was passed; no ``except Exception`` on the way takes it for something else."""


_limits: list[tuple[float, float]] = []  # those in force, the innermost last: moments and bytes
_OWN_FILES = frozenset({__file__, contextlib.__file__})


@contextmanager
def limited(seconds: float, megabytes: float = MEGABYTES) -> Iterator[None]:
    """Raises ``Exceeded`` inside when that much more processor time or memory was used. May be nested."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    _limits.append((time.process_time() + seconds, _held(1) + megabytes * 2.0**20))
    before: Any = signal.signal(signal.SIGVTALRM, _look)
    timer = signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
        signal.signal(signal.SIGVTALRM, before)
        _limits.pop()


def _look(_: int, frame: FrameType | None) -> None:
    if frame is not None and frame.f_code.co_filename in _OWN_FILES:
        return  # a limit is being put up or taken down: raised there, the exception would leave the timer running
    now = time.process_time()
    if any(now > moment for moment, _ in _limits):
        raise Exceeded("it ran out of its processor time")
    if (most := min((size for _, size in _limits), default=0.0)) and _held(1) > most:
        raise Exceeded("it needs more memory than one claim may take")


def _held(which: int) -> float:
    """Bytes of addresses (0) or of memory (1) that this process holds; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return float(file.read().split()[which]) * 4096.0
    except OSError:
        return 0.0


def with_memory_limit() -> None:
    """Let this whole process hold no more than now and four claims may take; for processes that decide claims only."""
    if not (now := _held(0)):
        return
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (int(now + 4 * MEGABYTES * 2**20), resource.RLIM_INFINITY))


def processor_time_of(pid: int) -> float:
    """Seconds of processor time that a process has used; wall clock where the system does not say."""
    try:
        return time.clock_gettime(((~pid) << 3) | 2)  # the clock of a process, as the C library names it
    except (AttributeError, OSError):
        return time.monotonic()
