"""The entry point ``nsdgen``: arguments in, an exit code out.

=====  ==================================================
code   meaning
=====  ==================================================
0      done
1      a numerical failure
2      what the user gave cannot be used
3      the build environment lacks something
4      a claim is refuted or undecided, or not as expected
128+n  ended by signal n: 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP
=====  ==================================================

Nothing heavy is imported here: ``nsdgen --help`` must answer at once.
"""

import atexit
import errno
import gc
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from nsdgen.base.collecting import seldom_collecting
from nsdgen.cli.options import make_parser, read_values
from nsdgen.cli.signals import Stop, Stopped
from nsdgen.errors import KernelsInterpreted, ModelWarning, NsdgenError

_USAGE = 2  # as argparse exits where the words do not fit
_SIGNALLED = 128  # plus the number of the signal, as shells report it
_OUTPUT = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT)  # what writing to a stream may raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; errors of nsdgen become a message and its exit code."""
    # The process ends at once: Python's collector walks through all that SymPy holds, for half a second and more.
    atexit.register(gc.freeze)
    _open_closed_streams()
    parser = make_parser()
    traced = False
    try:
        with Stop().listening() as stop:
            found = parser.parse_args(arguments)
            if not found.command:
                parser.print_help(sys.stderr)
                return _USAGE
            traced = found.traceback
            command = importlib.import_module(f"nsdgen.cli.{found.command}_command")
            options = read_values(found)
            options.stop = stop
            with _notes(silent=getattr(options, "quiet", False)), seldom_collecting():
                code = int(command.execute(options))
            sys.stdout.flush()
            return code
    except NsdgenError as error:
        _complain(error, str(error), traced)
        return error.exit_code
    except KeyboardInterrupt as error:
        _complain(error, str(error) if isinstance(error, Stopped) else "interrupted", traced)
        return _SIGNALLED + getattr(error, "number", signal.SIGINT)
    except BrokenPipeError:  # whoever read our output has seen enough
        _abandon(sys.stdout)
        return 0
    except OSError as error:
        written = error.filename is None and error.errno in _OUTPUT
        if written:
            _abandon(sys.stdout)
        _complain(error, f"the output cannot be written: {error.strerror}" if written else str(error), traced)
        return _USAGE
    except MemoryError as error:
        _complain(error, "there is not enough memory", traced)
        return 1


@contextmanager
def _notes(*, silent: bool) -> Iterator[None]:
    """What nsdgen itself warns of as a line on standard error, without the place in nsdgen that says it."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if not issubclass(category, KernelsInterpreted | ModelWarning):
                shown(message, category, *place)
            elif not silent:
                print(f"nsdgen: {message}", file=sys.stderr, flush=True)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _open_closed_streams() -> None:
    """Give each standard stream that was closed before Python began the null device.

    Opened in this order, each gets its own number back: else the first file of a run would be number 1 or 2, and a
    library's words would end in it. Python's ``None`` for such a stream is a trap, too: older argparse writes to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (open as long as Python is)


def _abandon(stream: Any) -> None:
    """Let what a stream still holds go nowhere, so that Python does not fail over it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(error: BaseException, message: str, with_traceback: bool) -> None:
    """The message and the notes of an error on standard error, its traceback on request."""
    try:
        if with_traceback:
            import traceback

            traceback.print_exception(error)
            return
        print("\n".join([f"nsdgen: {message}", *getattr(error, "__notes__", ())]), file=sys.stderr, flush=True)
    except OSError:  # a terminal that is gone
        _abandon(sys.stderr)
