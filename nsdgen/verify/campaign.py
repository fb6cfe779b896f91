"""Many claims decided in several processes, their verdicts in the order of the claims.

Processes are forked, so that claims need not be pickled; only their numbers and their verdicts
travel. A process that dies, needs too much memory or exceeds its processor time by far gives the verdict ``undecided``
with the reason.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Self

from .claim import Claim
from .decision import decide
from .forked import Fork, how_it_ended
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

    if claims and hasattr(os, "fork"):
        most = [3 * budget * len(c.readings) + _GRACE for c in claims]
        _in_processes(claims, decided, max(1, min(processes, len(claims))), most, note)
    else:
        for number, claim in enumerate(claims):
            note(number, decided(claim))
    return tuple(found[number] for number in range(len(claims)))


def _serve(claims: Sequence[Claim], decided: Decided, connection: Connection) -> None:
    """In the copy: decide the claims whose numbers come, until nothing comes."""
    with_memory_limit()
    with suppress(EOFError):
        while True:
            connection.send(decided(claims[connection.recv()]))


class _Child(Fork):
    """A copy of this process, the claim it works on, and since when."""

    def give(self, number: int) -> Self:
        self.number, self.since = number, processor_time_of(self.pid)
        self.connection.send(number)
        return self

    def used(self) -> float:
        """Seconds of processor time; those of programs that a claim runs, which have limits of their own, not."""
        return processor_time_of(self.pid) - self.since


def _in_processes(
    claims: Sequence[Claim],
    decided: Decided,
    processes: int,
    most: Sequence[float],
    note: Callable[[int, Verdict], None],
) -> None:
    """Decide claims in so many processes at a time; ``most`` are seconds of processor time for each claim."""
    waiting = deque(range(len(claims)))
    serve = partial(_serve, claims, decided)
    children: list[_Child] = []
    try:
        while waiting or children:
            while waiting and len(children) < processes:
                children.append(_Child(serve).give(waiting.popleft()))
            ready = wait([c.connection for c in children], timeout=1.0)
            for child in children[:]:
                late = child.used() > most[child.number]
                if child.connection not in ready and not late:
                    continue
                answer = "it took much longer than its budget" if late else _answer(child)
                claim = claims[child.number]
                if isinstance(answer, str):
                    answer = Verdict(claim.id, "undecided", title=claim.title, source=claim.source, reason=answer)
                    late = True
                note(child.number, answer)
                if waiting and not late:
                    child.give(waiting.popleft())
                    continue
                children.remove(child)
                child.end()
    finally:
        for child in children:
            child.end()


def _answer(child: _Child) -> Verdict | str:
    """The verdict a child sent, or why there is none."""
    try:
        verdict: Verdict = child.connection.recv()
    except (EOFError, OSError):
        return f"the process that decided it {how_it_ended(child.status())}"
    return verdict
