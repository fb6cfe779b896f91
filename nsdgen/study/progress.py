"""Progress of a long run: off in the library, on in the command line.

Whoever does the work holds one of these objects with the same methods and never asks which: `Progress` draws a bar,
`NotebookProgress` one below a cell, `NoProgress` does nothing; `progress_bar` makes the one that is meant.
"""

import math
import shutil
import sys
import time
from collections.abc import Callable
from html import escape
from types import TracebackType
from typing import Any, Self, TextIO

_REDRAW = 0.1  # seconds between two drawings of the bar
_LOG = 10.0  # seconds between two lines where no terminal shows a bar
_BAR = 24  # characters
_ERASE = "\r\x1b[K"


class NoProgress:
    """Shows nothing: what a library call uses unless told otherwise."""

    def update(self, done: float, text: str = "") -> None:
        """Take note that ``done`` of the total is reached."""

    def close(self) -> None:
        """Finish; calling it again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Progress(NoProgress):
    """A bar on a terminal, a line now and then elsewhere, nothing for short runs.

    ``total``   where the run ends, in the same quantity as ``done`` (simulated time)
    ``label``   what runs, at the head of the line
    ``stream``  where to write; standard error as it is when the object is made
    ``delay``   seconds of silence first, so that quick runs leave no trace
    ``unit``    of ``total``, label only
    ``clock``   the time in seconds, from any origin
    """

    def __init__(
        self,
        total: float,
        label: str = "",
        stream: TextIO | None = None,
        delay: float = 1.0,
        *,
        unit: str = "s",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.label = label
        self.delay = delay
        self.unit = unit
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._start = clock()
        self._terminal = _is_terminal(self._stream)
        # Elsewhere than on a terminal the first line waits as long as all others do.
        self._next = self._start + (delay if self._terminal else max(delay, _LOG))
        self._shown = False
        self._last: tuple[float, str] = (0.0, "")

    def update(self, done: float, text: str = "") -> None:
        """Say that ``done`` of ``total`` is reached; cheap enough to call very often."""
        self._last = (done, text)
        now = self._clock()
        if now < self._next:
            return
        self._next = now + (_REDRAW if self._terminal else _LOG)
        self._draw(now)

    def close(self) -> None:
        """Leave the last state of the bar as a finished line, if there was a bar."""
        if self._shown and self._terminal:
            self._draw(self._clock())
            self._write("\n")
        self._shown = False
        self._next = math.inf

    def _draw(self, now: float) -> None:
        line = self._line(*self._last, now - self._start)
        if self._terminal:
            # One column stays free: a full line would wrap and escape the next erasure.
            width = shutil.get_terminal_size().columns - 1
            self._write(_ERASE + line[:width])
        else:
            self._write(line + "\n")
        self._shown = True

    def _line(self, done: float, text: str, elapsed: float) -> str:
        fraction = _fraction(done, self.total)
        parts = [
            self.label,
            self._drawn(fraction),
            f"{math.floor(100 * fraction):3d} %",
            f"{_amount(done)} of {_amount(self.total)} {self.unit}".rstrip(),
            f"{_duration(elapsed)} elapsed",
            f"{_duration(elapsed * (1 - fraction) / fraction)} left" if fraction > 0 else "",
            text,
        ]
        return "  ".join(part for part in parts if part)

    def _drawn(self, fraction: float) -> str:
        """The bar within the line."""
        return _bar(fraction, getattr(self._stream, "encoding", None)) if self._terminal else ""

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError, AttributeError):  # a closed pipe or terminal must not end the run
            self._next = math.inf
            self._shown = False


class NotebookProgress(Progress):
    """The same below the cell of a notebook that runs; it stays there when it is done."""

    def __init__(self, total: float, label: str = "", **options: Any) -> None:
        super().__init__(total, label, **options)
        self._terminal, self._next = True, self._start + self.delay
        self._place: Any = None

    def _draw(self, now: float) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        words = self._line(*self._last, now - self._start)
        bar = f'<progress max="1" value="{_fraction(self._last[0], self.total):.4f}" style="width: 16em"></progress>'
        shown = HTML(f'<div style="font-variant-numeric: tabular-nums">{bar} {escape(words)}</div>')
        if self._place is None:
            self._place = display(shown, display_id=True)
        else:
            self._place.update(shown)
        self._shown = True

    def _drawn(self, fraction: float) -> str:
        return ""  # it is an element of its own

    def _write(self, text: str) -> None:
        """Nothing: the place of the bar needs no end of a line."""


def progress_bar(wanted: bool, total: float, label: str) -> NoProgress:
    """What shows the progress of a run where it is ``wanted``: in a notebook below the cell, else on standard error."""
    if not wanted:
        return NoProgress()
    return (NotebookProgress if _in_notebook() else Progress)(total, label)


def _in_notebook() -> bool:
    """Whether a kernel of Jupyter runs us; IPython is asked only where it is loaded already."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return getattr(shell, "kernel", None) is not None


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return bool(stream is not None and stream.isatty())
    except ValueError:  # closed
        return False


def _fraction(done: float, total: float) -> float:
    if not math.isfinite(total) or total <= 0 or math.isnan(done):
        return 0.0
    return min(max(done / total, 0.0), 1.0)


def _bar(fraction: float, encoding: str | None) -> str:
    full, empty = ("█", "░") if "utf" in (encoding or "").lower() else ("#", ".")
    filled = math.floor(_BAR * fraction)
    return full * filled + empty * (_BAR - filled)


def _amount(value: float) -> str:
    """Four digits; above 10 000 all before the point, so that a long run does not end at ``6e+04``."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def _duration(seconds: float) -> str:
    """``0:07``, ``12:05`` or ``3:04:05``."""
    minutes, second = divmod(math.ceil(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
