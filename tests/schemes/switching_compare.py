"""A run from event to event beside the motion of an independent solver, under a wall clock."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .switching_models import Case

PATIENCE = 60.0  # s of a run; most take half of one
NEAR = 1e-7  # of a run: events nearer to each other count as one, and those nearer to its end are not told
SCALES = (1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` where the body takes longer: an interrupt, as from a keyboard."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"not done in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def drawn(family: Callable[..., Any], seed: int) -> Any:
    """The case of a family, in units drawn at random."""
    rng = np.random.default_rng([seed, *family.__name__.encode()])
    case = family(rng)
    return replace(case, scales=tuple(float(rng.choice(SCALES)) for _ in range(3))) if seed % 2 else case


def compare(family: Callable[..., Case], seed: int) -> tuple[float, float, int]:
    """The largest error of event times, of states over the run in parts of their largest value, and how many events."""
    case = drawn(family, seed)
    motion = case.motion()
    time, size, _ = case.scales
    with within(PATIENCE):
        run = case.model().run()
    limit = case.end if motion.limit is None else motion.limit
    told = [t for t in _apart(motion.times, case.end) if t < limit * (1 - 1e-3 * (motion.limit is not None))]
    own = _apart([e.time / time for e in run.events if e.kind != "start"], case.end)
    if motion.limit is not None:
        own = [t for t in own if t < limit * (1 - 1e-3)] + [t for t in own if t > limit * (1 + 1e-3)]
        told += [t for t in motion.times if t > limit * (1 + 1e-3)]
    assert len(own) == len(told), (case.scales, own, told)
    off = max((abs(a - b) / case.end for a, b in zip(own, told, strict=True)), default=0.0)
    there = run.time / time
    apart = np.array([t for t in there if all(abs(t - e) > NEAR * case.end for e in motion.times)])
    states = np.array([motion.at(t) for t in apart])
    found = np.column_stack([run[f"plant.s{i}"] for i in range(len(case.start))]) / size
    found = found[np.isin(there, apart)]
    largest = np.abs(states).max(axis=0) + 1e-3 * np.abs(states).max()
    return off, float((np.abs(found - states) / largest).max()), len(told)


def _apart(times: list[float], end: float) -> list[float]:
    """Times of which each is apart from the one before, and from the end."""
    found: list[float] = []
    for t in times:
        if (not found or t - found[-1] > NEAR * end) and t < end * (1 - NEAR):
            found.append(t)
    return found
