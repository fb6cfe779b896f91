"""A process that compiles beside this one, which goes on meanwhile with interpreted kernels.

What it gets is written to its input; what it makes it publishes in the cache, like any build, and there it is looked
for. So nothing of it need be trusted, and nothing is lost where it is stopped. :class:`Beside` makes one build that is
waited for, and starts the process before there is a text, so that Cython stands ready when there is one; ``UNATTENDED``
makes builds that nobody waits for.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Protocol

from nsdgen.base.processes import processors
from nsdgen.errors import CompilerMissing, ModuleMismatch, NsdgenError

from .compile import compile_source, find_kernels, kernel_key
from .failure import say_interpreted
from .flags import BuildOptions
from .kernel_source import KernelSource
from .loader import load_module
from .toolchain import Toolchain

_MOST = 4
"""Builds at a time that nobody waits for, at most: each takes a hundred megabytes."""

_WORK = "import sys; sys.path[:] = {path!r}; from nsdgen.build.beside import work; work()"


class _Detached(subprocess.Popen[bytes]):
    """A process that may outlive this one, of which nobody is warned."""

    def __del__(self, **_: Any) -> None:
        if self.poll() is None:
            self.returncode = 0


def _started(stdin: int | IO[bytes] = subprocess.PIPE) -> _Detached | None:
    """A process that loads Cython and reads what it is to build; None where there is no Python to be started."""
    if not Path(sys.executable or "").name.lower().startswith(("python", "pypy")):
        return None  # Python inside another program
    with suppress(OSError):
        # In a session of its own: an interrupt of ours is not one of its compiler.
        return _Detached(
            [sys.executable, "-c", _WORK.format(path=sys.path)],
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def _request(source: KernelSource, options: BuildOptions, toolchain: Toolchain) -> bytes:
    """What a process is to build, as it reads it."""
    asked = {
        "source": dataclasses.asdict(source),
        "toolchain": dataclasses.asdict(toolchain),
        "options": {**dataclasses.asdict(options), "cache": options.cache and str(options.cache)},
    }
    return json.dumps(asked).encode()


class Builder(Protocol):
    """What builds beside this process."""

    def build(self, source: KernelSource, options: BuildOptions, toolchain: Toolchain) -> Underway | None:
        """Have a text built; None where it is to be built here."""


@dataclass(frozen=True)
class Underway:
    """A build that another process makes: its key in the cache, and what is to be built."""

    process: subprocess.Popen[bytes]
    key: str
    source: KernelSource
    options: BuildOptions
    toolchain: Toolchain
    started_by: int = field(default_factory=os.getpid)

    @classmethod
    def of(cls, process: _Detached, source: KernelSource, options: BuildOptions, toolchain: Toolchain) -> Underway:
        """The build by a process that was told what to build."""
        key = kernel_key(source, toolchain, native=options.native, lanes=options.lanes)
        return cls(process, key, source, options, toolchain)

    def arrived(self) -> Any:
        """The compiled module once it is there, whoever built it, else None; returns at once."""
        with suppress(NsdgenError):  # who waits for it is told
            path = find_kernels(self.key, module=self.source.module, cache=self.options.cache)
            return path and load_module(path)
        return None

    @property
    def ended(self) -> bool:
        """Whether the other process has ended; a copy of this one, made by a fork, cannot tell and says no."""
        return os.getpid() == self.started_by and self.process.poll() is not None

    def finish(self) -> None:
        """Wait until it is done.

        Where the other process failed it is tried again here, for what there is to say: a ``KernelsInterpreted``
        warning or an error, as of :func:`nsdgen.build.kernels.make_kernels`.
        """
        self.process.wait()
        try:
            load_module(compile_source(self.source, options=self.options, toolchain=self.toolchain))
        except (CompilerMissing, ModuleMismatch) as missing:
            say_interpreted(missing)


class Beside:
    """One build in another process, for the block of a ``with`` statement.

    At the end of the block the build is waited for; where an error ends it, the process is stopped. A process that was
    started and got nothing to build ends at once. Raises at the end what :meth:`Underway.finish` raises.
    """

    def __init__(self) -> None:
        self._process: _Detached | None = None
        self._underway: Underway | None = None

    def start(self) -> None:
        """Start the process, if that was not done before: it loads Cython."""
        self._process = self._process or _started()

    def build(self, source: KernelSource, options: BuildOptions, toolchain: Toolchain) -> Underway | None:
        """Have a text built; None where there is no process, or one that has something to do already."""
        self.start()
        if self._process is None or self._underway is not None:
            return None
        with suppress(BrokenPipeError):  # it has died: nothing arrives, and `finish` builds
            assert self._process.stdin is not None
            self._process.stdin.write(_request(source, options, toolchain))
            self._process.stdin.close()
        self._underway = Underway.of(self._process, source, options, toolchain)
        return self._underway

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            if error is None and self._underway is not None:
                self._underway.finish()
        finally:
            self._stop()

    def _stop(self) -> None:
        """End the process and its compiler, if they still run."""
        if self._process is None:
            return
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                _kill(self._process)
        with suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()


class _Unattended:
    """Builds in other processes that nobody waits for, as many at a time as there are processors.

    A build goes on where this process ends before it: the next one finds in the cache what it made.
    """

    def __init__(self) -> None:
        self._at_work: list[Underway] = []

    def build(self, source: KernelSource, options: BuildOptions, toolchain: Toolchain) -> Underway | None:
        """Have a text built; None where as many builds are at work as may be, or no process can be started."""
        self._at_work = [u for u in self._at_work if u.started_by == os.getpid() and not u.ended]
        if len(self._at_work) >= min(processors(), _MOST):
            return None
        with suppress(OSError), TemporaryFile() as asked:  # to fill a pipe would be to wait until Cython is loaded
            asked.write(_request(source, options, toolchain))
            asked.seek(0)
            if (process := _started(asked)) is not None:
                self._at_work.append(underway := Underway.of(process, source, options, toolchain))
                return underway
        return None


UNATTENDED = _Unattended()
"""The one of this process: how many builds are at work concerns all models of a script."""


def _kill(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def work() -> None:
    """In the other process: load Cython, read what is to be built, build it."""
    from . import compile as _  # noqa: F401  what the build needs, before it is asked for

    with suppress(ImportError):
        import Cython.Compiler.Main
        import Cython.Compiler.Pipeline  # noqa: F401

    text = sys.stdin.buffer.read()
    if not text:
        return
    asked = json.loads(text)
    options, toolchain = asked["options"], asked["toolchain"]
    cache = options.pop("cache")
    lists = {name: tuple(toolchain[name]) for name in ("compiler", "includes")}
    with suppress(NsdgenError):  # which the process that asked finds out by building itself
        compile_source(
            KernelSource(**asked["source"]),
            options=BuildOptions(**options, cache=cache and Path(cache)),
            toolchain=Toolchain(**{**toolchain, **lists}),
        )
