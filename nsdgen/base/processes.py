"""How many processors there are for this process, and whether another one still runs. Nothing of nsdgen is imported."""

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


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
