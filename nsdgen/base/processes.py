"""Whether the process that made a temporary file still runs. Nothing is imported from nsdgen here."""

from __future__ import annotations

import os


def is_running(pid: int) -> bool:
    """Whether a process of this number runs on this machine, as far as the system tells (else False)."""
    if os.name != "posix" or pid <= 0:
        return False  # signal 0 is no question elsewhere; the file's age has to do
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # it runs, and is somebody else's
    return True
