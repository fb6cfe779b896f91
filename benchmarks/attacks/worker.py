"""One problem in a process that may be killed: made, solved, judged."""

from __future__ import annotations

import multiprocessing
import zlib
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import perf_counter
from types import TracebackType
from typing import Any

import numpy as np

from attacks import extremes, pivoting, structures

FAMILIES = {**pivoting.FAMILIES, **structures.FAMILIES, **extremes.FAMILIES}
PATIENCE = 600.0  # s: to make and to judge a large problem


@dataclass(frozen=True)
class Outcome:
    """What became of a problem: ``off`` by ``law`` if solved, else a ``reason``, a ``raw`` error or a ``hang``."""

    solvable: bool | None
    rows: int = 0
    seconds: float = 0.0
    off: float = 0.0
    law: str = ""
    solver: str = ""
    reason: str = ""
    raw: str = ""
    hang: bool = False


def made(name: str, seed: int, number: int, large: bool) -> Any:
    """Problem ``number`` of a family."""
    return FAMILIES[name](np.random.default_rng([seed, zlib.crc32(name.encode()), number, large]), large)


def tried(name: str, seed: int, number: int, large: bool, channel: Connection | None = None) -> Outcome:
    """The outcome, in this process; ``channel`` hears when solving begins and ends."""
    from nsdgen.errors import NsdgenError

    problem = made(name, seed, number, large)
    if channel:
        channel.send("begins")
    started = perf_counter()
    found, reason, raw = None, "", ""
    try:
        found = problem.solve()
    except NsdgenError as error:
        reason = str(getattr(error, "reason", "") or type(error).__name__)
    except Exception as error:
        raw = f"{type(error).__name__}: {error}"
    seconds = perf_counter() - started
    if channel:
        channel.send("ends")
    if found is None:
        return Outcome(problem.solvable, problem.rows, seconds, reason=reason, raw=raw)
    verdict = problem.verdict(found)
    return Outcome(problem.solvable, problem.rows, seconds, verdict.worst, verdict.law, found.solver)


def _serve(channel: Connection) -> None:
    """Answer until the other side is gone."""
    while True:
        try:
            task = channel.recv()
        except EOFError:
            return
        channel.send(tried(*task, channel))


class Worker:
    """A process for problem after problem, replaced where it hangs or dies."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.start()

    def start(self) -> None:
        """A fresh process."""
        context = multiprocessing.get_context("spawn")
        self.channel, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def attempt(self, name: str, seed: int, number: int, large: bool) -> Outcome:
        """As ``tried``; a death is a raw error, solving for longer than the limit a hang."""
        self.channel.send((name, seed, number, large))
        for limit in (PATIENCE, self.limit, PATIENCE):
            try:
                if not self.channel.poll(limit):
                    self.stop()
                    self.start()
                    return Outcome(None, seconds=limit, hang=True)
                answer: Any = self.channel.recv()
            except (EOFError, ConnectionError):
                self.process.join()
                code = self.process.exitcode
                self.start()
                return Outcome(None, raw=f"the process ended with {code}")
        return answer

    def stop(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
