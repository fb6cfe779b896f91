"""Which columns of the record a run keeps, and whether they fit into memory."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nsdgen.base.checks import shown
from nsdgen.base.once import once_for_each
from nsdgen.base.patterns import fits, near
from nsdgen.errors import ParameterError
from nsdgen.record.step_record import Layout

_LITTLE = 1_000_000  # bytes: less is taken without asking the system what is free
_COMPONENT = re.compile(r"\[\d+\]$")


def select(layout: Layout, patterns: Sequence[str], model: str) -> np.ndarray:
    """The indices of the columns that patterns name, in the order of the record.

    A pattern is the name of an instance, of a quantity (with or without component, as in ``impulse`` and
    ``impulse[0]``) or of a column (``bead 3.z``); ``*`` stands for any text. The counters of the run
    are always among them. Raises ``ParameterError`` for a pattern that names nothing.
    """
    if isinstance(patterns, str) or not all(isinstance(p, str) for p in patterns):
        raise ParameterError(
            f"record is {patterns!r}, not a list of names",
            model=model,
            where="record",
            fix="write record=['bead 0', 'z', 'touch *.impulse']",
        )
    known, key = _last_selection(layout), tuple(patterns)
    if key not in known:
        found = _selected(layout, key, model)
        known.clear()
        known[key] = found
    return known[key].copy()


@once_for_each
def _last_selection(layout: Layout) -> dict[tuple[str, ...], np.ndarray]:
    """Room for what was selected last of a record: runs that follow each other keep the same, as a rule."""
    return {}


def _selected(layout: Layout, patterns: Sequence[str], model: str) -> np.ndarray:
    met: set[str] = set()
    found = list(range(layout.counters, layout.width))
    for i, column in enumerate(layout.columns[: layout.counters]):
        instance, _, quantity = column.name.partition(".")
        names = {instance, quantity, column.name, _COMPONENT.sub("", quantity), _COMPONENT.sub("", column.name)}
        matches = [p for p in patterns if (p in names if "*" not in p else any(fits(p, n) for n in names))]
        met.update(matches)
        if matches:
            found.append(i)
    for pattern in patterns:
        if pattern not in met and pattern not in {c.name for c in layout.columns[layout.counters :]}:
            close = near(pattern, (c.name for c in layout.columns), cutoff=0.5)
            raise ParameterError(
                f"nothing is called {shown(pattern)}",
                model=model,
                where="record",
                fix=f"did you mean {' or '.join(map(repr, close))}?"
                if close
                else "give names of instances, quantities or columns; * stands for any text",
            )
    return np.array(sorted(found), dtype=np.intp)


def room(instants: int, width: int, model: str, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Arrays for a table and its times; raises ``ParameterError`` where they do not fit into memory."""
    check_room(instants, width, model, every)
    try:
        return np.empty((instants, width)), np.empty(instants)
    except (MemoryError, ValueError) as error:
        raise _no_room(instants, width, model, every, free_memory()) from error


def check_room(instants: int, width: int, model: str, every: int = 1) -> None:
    """Raise ``ParameterError`` where a table of so many instants and columns does not fit into memory."""
    needed = 8 * instants * (width + 1)
    if needed < _LITTLE:
        return
    free = free_memory()
    if free is not None and needed > free:
        raise _no_room(instants, width, model, every, free)


def _no_room(instants: int, width: int, model: str, every: int, free: int | None) -> ParameterError:
    needed = 8 * instants * (width + 1)
    sparser = every * max(2, -(-2 * needed // free)) if free else 10 * every
    return ParameterError(
        f"{instants} instants of {width} values do not fit into memory: they need {_bytes(needed)}"
        + ("" if free is None else f", {_bytes(free)} are free"),
        model=model,
        fix=f"record less: every={sparser} keeps one step in {sparser}, record=['instance.quantity', ...] keeps "
        "chosen columns; or give a larger step or an earlier end",
    )


def free_memory() -> int | None:
    """The bytes that can be taken without swapping, as far as the system tells; None if it does not."""
    found = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                found.append(1024 * int(line.split()[1]))
    except (OSError, ValueError):
        pass
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        if limit != "max":
            found.append(int(limit) - int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass
    if not found:
        try:
            found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        except (OSError, ValueError, AttributeError):
            return None
    return max(min(found), 0)


def _bytes(count: int) -> str:
    """1.5 GB, 200 MB."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
