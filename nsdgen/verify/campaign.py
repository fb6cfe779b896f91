"""Many claims decided in several processes, their verdicts in the order of the claims.

Processes are forked, so that claims need not be pickled; only their numbers and their verdicts
travel. A process that dies, needs too much memory or exceeds its processor time by far gives the verdict ``undecided``
with the reason.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

from .claim import Claim
from .decision import decide
from .limits import processor_time_of, with_memory_limit
from .verdict import Verdict

Progress = Callable[[int, int, Verdict], None]
Decided = Callable[[Claim], Verdict]

_GRACE = 30.0  # seconds of processor time beyond three budgets; everything that can be stopped was stopped before


def decide_all(
    claims: Sequence[Claim],
    processes: int = 1,
    budget: float = 30.0,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Verdict, ...]:
    """One verdict per claim, in order; ``progress(done, total, verdict)`` is called as they come.

    Where processes can be forked every claim is decided in one: what ends that process is the claim's own verdict.
    """
    found: dict[int, Verdict] = {}
    decided = partial(decide, budget=budget, seed=seed)

    def note(number: int, verdict: Verdict) -> None:
        found[number] = verdict
        if progress is not None:
            progress(len(found), len(claims), verdict)

    if claims and "fork" in multiprocessing.get_all_start_methods():
        most = [3 * budget * len(c.readings) + _GRACE for c in claims]
        _in_processes(claims, decided, max(1, min(processes, len(claims))), most, note)
    else:
        for number, claim in enumerate(claims):
            note(number, decided(claim))
    return tuple(found[number] for number in range(len(claims)))


def _serve(claims: Sequence[Claim], decided: Decided, connection: Connection) -> None:
    """The child: decide the claims whose numbers come, until nothing comes."""
    with_memory_limit()
    while True:
        try:
            number = connection.recv()
        except EOFError:
            return
        connection.send(decided(claims[number]))


class _Child:
    """A process, the claim it works on, and since when."""

    def __init__(self, claims: Sequence[Claim], decided: Decided) -> None:
        context: Any = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(claims, decided, theirs))
        self.process.start()
        theirs.close()
        self.number, self.since = -1, 0.0

    def give(self, number: int) -> None:
        self.number, self.since = number, self.used()
        self.connection.send(number)

    def used(self) -> float:
        """Seconds of processor time; those of programs that a claim runs, which have limits of their own, not."""
        return processor_time_of(self.process.pid or 0)

    def end(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def _in_processes(
    claims: Sequence[Claim],
    decided: Decided,
    processes: int,
    most: Sequence[float],
    note: Callable[[int, Verdict], None],
) -> None:
    """Decide claims in so many processes at a time; ``most`` are seconds of processor time for each claim."""
    waiting = list(range(len(claims)))
    children = [_Child(claims, decided) for _ in range(processes)]
    try:
        for child in children:
            child.give(waiting.pop(0))
        while any(c.number >= 0 for c in children):
            ready = wait([c.connection for c in children if c.number >= 0], timeout=1.0)
            for k, child in enumerate(children):
                late = child.number >= 0 and child.used() - child.since > most[child.number]
                if child.connection not in ready and not late:
                    continue
                answer = _answer(child, claims, late)
                note(child.number, answer)
                if late or not child.process.is_alive():
                    child.end()
                    child = children[k] = _Child(claims, decided)
                child.number = -1
                if waiting:
                    child.give(waiting.pop(0))
    finally:
        for child in children:
            child.end()


def _answer(child: _Child, claims: Sequence[Claim], late: bool) -> Any:
    """The verdict a child sent, or one that says why there is none."""
    claim = claims[child.number]
    reason = "it took much longer than its budget"
    if not late:
        try:
            return child.connection.recv()
        except (EOFError, OSError):
            child.process.join()
            reason = f"the process that decided it ended with status {child.process.exitcode}"
    return Verdict(claim.id, "undecided", title=claim.title, source=claim.source, reason=reason)
