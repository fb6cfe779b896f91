"""A copy of this process that works for it: what it calls may crash, hang or need too much, and ends the copy alone.

Copies are forked, so that nothing needs to be pickled but what goes through the pipe between the two.
"""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from nsdgen.errors import NsdgenError


class Fork:
    """A copy that runs ``serve(connection)`` and leaves without cleaning up what is not its own.

    ``connection`` is this side's end of the pipe. Raises ``NsdgenError`` where processes cannot be forked.
    """

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        if not hasattr(os, "fork"):
            raise NsdgenError(
                "code cannot be called apart from this process: the system forks none",
                fix="use Linux, macOS, or the Linux subsystem of Windows",
            )
        self.connection, theirs = Pipe()
        self._status: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Threads of a BLAS library: the copy has none of them, and a lock that one held would show as a hang.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                self.connection.close()
                serve(theirs)
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(status)
        theirs.close()

    def status(self) -> int:
        """The exit status once it has ended, which is waited for; of one that a signal ended, its negative number."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def end(self) -> None:
        """Kill it, if it runs still."""
        self.connection.close()
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status()


def how_it_ended(status: int) -> str:
    """An exit status in words: ``was ended by SIGSEGV``, ``ended with exit status 3``."""
    if status >= 0:
        return f"ended with exit status {status}"
    known = {s.value for s in signal.Signals}
    return f"was ended by {signal.Signals(-status).name if -status in known else f'signal {-status}'}"
