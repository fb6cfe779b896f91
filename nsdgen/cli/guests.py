"""What a model file does to the process it runs in is undone: the working folder, streams, limits, builtins.

Files named on the command line are relative to where the command was given, and what it says goes to the streams that
it was given, whatever a model file does on its way.
"""

import builtins
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Give the process back as it was: working folder, standard streams, depth of recursion, builtins.

    A stream that was closed meanwhile goes nowhere from then on.
    """
    folder = _folder()
    streams = {name: getattr(sys, name) for name, _ in _STREAMS}
    depth, known = sys.getrecursionlimit(), dict(vars(builtins))
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)
        for name in vars(builtins).keys() - known.keys():
            delattr(builtins, name)
        vars(builtins).update(known)
        for name, mode in _STREAMS:
            stream = streams[name]
            if stream is not None and stream.closed:
                stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  (open as long as Python is)
            setattr(sys, name, stream)
        if folder and folder != _folder():
            with suppress(OSError):  # it may be gone by now
                os.chdir(folder)


def _folder() -> str:
    """The working folder, "" where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
