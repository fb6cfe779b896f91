"""The entry point ``nsdgen``: arguments in, an exit code out.

=====  ==================================================
code   meaning
=====  ==================================================
0      done
1      a numerical failure
2      what the user gave cannot be used
3      the build environment lacks something
4      a claim is refuted or undecided, or not as expected
130    interrupted
=====  ==================================================

Nothing heavy is imported here: ``nsdgen --help`` must answer at once.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from nsdgen import __version__
from nsdgen.cli.options import make_parser, read_values
from nsdgen.errors import NsdgenError

__all__ = ["main"]

_USAGE = 2
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; errors of nsdgen become a message and its exit code."""
    parser = make_parser(__version__)
    found = parser.parse_args(arguments)
    if not found.command:
        parser.print_help(sys.stderr)
        return _USAGE
    try:
        command = importlib.import_module(f"nsdgen.cli.{found.command}_command")
        code = command.execute(read_values(found))
        sys.stdout.flush()
        return int(code)
    except NsdgenError as error:
        _complain(error, str(error), found.traceback)
        return error.exit_code
    except KeyboardInterrupt as stop:
        _complain(stop, "interrupted", found.traceback)
        return _INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _complain(error: BaseException, message: str, with_traceback: bool) -> None:
    """The message and the notes of an error on standard error, its traceback on request."""
    if with_traceback:
        import traceback

        traceback.print_exception(error)
        return
    print("\n".join([f"nsdgen: {message}", *getattr(error, "__notes__", ())]), file=sys.stderr)
