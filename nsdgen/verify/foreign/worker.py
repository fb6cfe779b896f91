"""Workers: copies of this process that call foreign code, waited for with a time limit, restarted when they end."""

import math
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection

from nsdgen.errors import ParameterError
from nsdgen.verify.forked import Fork, how_it_ended

from .call import Evaluate, ForeignAnswer, ForeignCall

_START_SECONDS = 60.0  # a library that is loaded, on a machine that is busy
_FORGIVEN = 5.0  # seconds more for a function that failed often and is called again
_MOST_FAILURES = 3  # crashes or hangs: each costs a new process or the time limit, and further ones tell nothing new


_FAULTS = (0, -signal.SIGSEGV, -signal.SIGBUS)
"""How a process ends that touches memory which nobody may, or that is ended before that could show."""


class Worker:
    """A process that calls one foreign function, and one for each of its guards; ``close`` ends them.

    ``time_limit`` is in seconds for each point. ``waited`` are the seconds that answers have taken, starts left out;
    when they exceed ``budget``, points are skipped.
    """

    def __init__(self, call: ForeignCall, time_limit: float = 5.0, budget: float = math.inf) -> None:
        self.call, self.time_limit, self.budget = call, time_limit, budget
        self.waited = 0.0
        self._failures = 0
        self._processes: dict[Callable[[], Evaluate], Fork] = {}

    def close(self) -> None:
        """End the processes."""
        while self._processes:
            self._processes.popitem()[1].end()

    def evaluate(self, points: Sequence[Sequence[Sequence[float]]]) -> list[ForeignAnswer]:
        """One answer per point; a point that kills the process does not stop the others.

        Raises ``ParameterError`` when the function cannot be opened at all.
        """
        answers: list[ForeignAnswer] = []
        while len(answers) < len(points):
            late = self.waited >= self.budget
            if late or self._failures >= _MOST_FAILURES:
                why = "it takes more than its time" if late else f"it failed {self._failures} times"
                answers += [ForeignAnswer("skipped", message=why)] * (len(points) - len(answers))
                break
            answers += self._until_failure(self.call.open, points[len(answers) :])
            self._failures += bool(answers) and answers[-1].kind in ("crash", "hang")
        return answers

    def first_fault(self, points: Sequence[Sequence[Sequence[float]]], guard: str) -> int | None:
        """The number of the first point at which the function does what a guard shows."""
        answers = self._until_failure(self.call.guards[guard], points) if points and self.waited < self.budget else []
        return len(answers) - 1 if answers and answers[-1].ended in _FAULTS else None

    def forgive(self) -> None:
        """Forget earlier failures: call the function again although it failed often, for some seconds more."""
        self._failures, self.budget = 0, max(self.budget, self.waited + _FORGIVEN)

    def _started(self, opened: Callable[[], Evaluate]) -> Fork:
        process = Fork(partial(_serve, opened))
        try:
            refused = process.connection.recv() if process.connection.poll(_START_SECONDS) else "it did not start"
        except (EOFError, OSError):
            refused = f"its process {how_it_ended(process.status())}"
        if refused:
            process.end()
            raise ParameterError(
                f"the function cannot be opened: {refused}",
                where=self.call.where,
                fix="check the path of the library and the name of the function",
            )
        return process

    def _until_failure(
        self, opened: Callable[[], Evaluate], points: Sequence[Sequence[Sequence[float]]]
    ) -> list[ForeignAnswer]:
        """Answers up to the first crash or hang, or until the budget is used up."""
        if opened not in self._processes:
            self._processes[opened] = self._started(opened)
        process, answers = self._processes[opened], list[ForeignAnswer]()
        start, finished = time.monotonic(), False
        try:
            process.connection.send([tuple(tuple(map(float, a)) for a in point) for point in points])
            for _ in points:
                left = self.budget - self.waited - (time.monotonic() - start)
                if not process.connection.poll(min(self.time_limit, max(left, 0.0))):
                    if left >= self.time_limit:
                        answers.append(ForeignAnswer("hang", message=f"no answer within {self.time_limit:g} s"))
                    return answers
                answers.append(process.connection.recv())
            finished = True
        except (EOFError, OSError):
            status = process.status()
            answers.append(ForeignAnswer("crash", message=f"its process {how_it_ended(status)}", ended=status))
        finally:
            self.waited += time.monotonic() - start
            if not finished:  # answers may be on their way that nobody waits for any more
                self._processes.pop(opened).end()
        return answers


def _serve(opened: Callable[[], Evaluate], connection: Connection) -> None:
    """In the copy: open the function, then answer points, each as soon as it is done, until the other side hangs up."""
    _be_quiet()
    try:
        evaluate = opened()
    except BaseException as error:
        connection.send(f"{type(error).__name__}: {error}")
        return
    connection.send("")
    with suppress(EOFError, OSError):
        while True:
            for point in connection.recv():
                connection.send(evaluate(point))


def _be_quiet() -> None:
    """No core files, nothing printed on anybody's standard output, and a session of its own.

    What signals its own group, or the one of its terminal, then ends itself only. Faults have no handlers of Python.
    """
    import faulthandler

    faulthandler.disable()
    with suppress(OSError):  # where this process leads a group already
        os.setsid()
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
