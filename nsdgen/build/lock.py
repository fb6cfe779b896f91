"""A lock between processes that saves duplicate work and never decides correctness."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without flock: everybody builds, the first rename wins
    fcntl = None  # type: ignore[assignment]

from .ownership import make_private

_PAUSE = 0.02  # seconds: nobody notices, and fifty looks a second cost nothing


@contextmanager
def held(path: Path, patience: float) -> Iterator[bool]:
    """Hold the lock on ``path`` while the block runs; gives whether it was got.

    Waits at most ``patience`` seconds, then goes on without. The system takes the lock
    from a process that dies, so that no killed build leaves one behind. Raises
    ``OSError`` when the file of the lock cannot be made.
    """
    make_private(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        got = _acquire(handle, patience)
        try:
            yield got
        finally:
            if got:
                # Said aloud, because a forked child may still hold a copy of the handle.
                fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


def _acquire(handle: int, patience: float) -> bool:
    if fcntl is None:
        return False
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE)
        except OSError:  # a file system without locks
            return False
        else:
            return True
