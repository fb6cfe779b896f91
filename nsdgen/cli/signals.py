"""Signals that end a command: SIGTERM and SIGHUP are taken like Ctrl-C, and a run keeps what it reached.

Outside of runs each of them raises :class:`Stopped` at once. During a run and the saving after it they are noted;
the run asks between steps, and within one that takes long, and what is being saved is saved. After the first, others
are ignored, but for Ctrl-C, which does not wait.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

from nsdgen.runtime.interrupts import end_soon
from nsdgen.study.progress import NoProgress, Progress


class Stopped(KeyboardInterrupt):
    """A signal that ends the command; ``number`` is the signal's."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)

    def __str__(self) -> str:
        return "interrupted" if self.number == signal.SIGINT else f"stopped by {signal.Signals(self.number).name}"


class Stop:
    """What signals did: one of these per command, installed by :meth:`listening`."""

    def __init__(self) -> None:
        self.noted: int | None = None
        self._holding = False
        self._process = os.getpid()

    @contextmanager
    def listening(self) -> Iterator[Self]:
        """Take the signals while the block runs; those that somebody ignores (nohup) stay ignored."""
        before = {}
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGTERM", "SIGHUP", "SIGINT"):
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                    before[number] = signal.signal(number, self._take)
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """While the block runs, signals are noted; :meth:`check` raises."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False
            end_soon(None)

    def check(self) -> None:
        """Raise :class:`Stopped` where a signal was noted."""
        if self.noted is not None:
            raise Stopped(self.noted)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a forked child: as if nobody listened
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        again, self.noted = self.noted is not None, self.noted or number
        if (again and number == signal.SIGINT) or not (again or self._holding):
            raise Stopped(number)
        if not again:
            end_soon(Stopped(number))


class Watch(NoProgress):
    """A progress bar (None: quiet) that ends a run where a signal was noted."""

    def __init__(self, stop: Stop, bar: Progress | None) -> None:
        self._stop, self._bar = stop, bar or NoProgress()

    def update(self, done: float, text: str = "") -> None:
        """Take note that ``done`` of the total is reached; raises :class:`Stopped`."""
        self._bar.update(done, text)
        self._stop.check()

    def close(self) -> None:
        """Finish the bar."""
        self._bar.close()
