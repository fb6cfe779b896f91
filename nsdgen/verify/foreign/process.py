"""Workers: started when first needed, waited for with a time limit, restarted after a crash or a hang."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Literal

from nsdgen.errors import ParameterError

from .call import Answer, CCall, ForkedCall, PythonCall

_START_SECONDS = 60.0  # a new interpreter and the libraries it loads, on a machine that is busy
_MOST_FAILURES = 3  # crashes or hangs: each costs a new process or the time limit, and further ones tell nothing new


@dataclass(frozen=True)
class CallOutcome:
    """What calling the function at one point gave: an answer, or how its process ended.

    ``kind`` is ``answer``, ``crash`` (``message`` says by which signal), ``hang`` (no answer
    within the time limit) or ``skipped`` (the function failed too often before).
    """

    kind: Literal["answer", "crash", "hang", "skipped"]
    answer: Answer | None = None
    message: str = ""

    @property
    def numbers(self) -> Answer | None:
        """The answer where it is numbers."""
        return self.answer if self.answer is not None and self.answer.kind == "value" else None


class Worker:
    """A process that calls one foreign function; use it in a ``with`` statement.

    ``time_limit`` is in seconds for each point. C functions and importable Python functions run in
    a fresh interpreter; other Python functions (closures, those of a script) in a forked one. ``waited``
    are the seconds that answers have taken, starts left out; when they exceed ``budget``, points are skipped.
    """

    def __init__(
        self, call: CCall | PythonCall | ForkedCall, time_limit: float = 5.0, budget: float = math.inf
    ) -> None:
        self.call, self.time_limit, self.budget = call, time_limit, budget
        self.waited = 0.0
        self._failures = 0
        self._process: _ChildProcess | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def evaluate(self, points: Sequence[Sequence[Sequence[float]]]) -> list[CallOutcome]:
        """One outcome per point; a point that kills the process does not stop the others.

        Raises ``ParameterError`` when the function cannot be opened at all.
        """
        outcomes: list[CallOutcome] = []
        while len(outcomes) < len(points):
            late = self.waited >= self.budget
            if late or self._failures >= _MOST_FAILURES:
                why = "it takes more than its time" if late else f"it failed {self._failures} times"
                outcomes += [CallOutcome("skipped", message=why)] * (len(points) - len(outcomes))
                break
            self._process = self._process or _start(self.call)
            start = time.monotonic()
            try:
                outcomes += self._until_failure(self._process, points[len(outcomes) :], start)
            except BaseException:
                self.close()  # answers may be on their way that nobody waits for any more
                raise
            finally:
                self.waited += time.monotonic() - start
        return outcomes

    def forgive(self, seconds: float = 5.0) -> None:
        """Forget earlier failures: call the function again although it failed often, for so many seconds more."""
        self._failures, self.budget = 0, max(self.budget, self.waited + seconds)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _until_failure(
        self, process: _ChildProcess, points: Sequence[Sequence[Sequence[float]]], start: float
    ) -> list[CallOutcome]:
        outcomes: list[CallOutcome] = []
        failure: CallOutcome | None = None
        try:
            process.outgoing.send([tuple(tuple(map(float, a)) for a in point) for point in points])
            for _ in points:
                left = self.budget - self.waited - (time.monotonic() - start)
                if not process.incoming.poll(min(self.time_limit, max(left, 0.0))):
                    if left < self.time_limit:
                        self.close()
                        return outcomes
                    failure = CallOutcome("hang", message=f"no answer within {self.time_limit:g} s")
                    break
                outcomes.append(CallOutcome("answer", process.incoming.recv()))
        except (EOFError, OSError):
            failure = CallOutcome("crash", message=process.death())
        if failure is not None:
            self._failures += 1
            self.close()
            outcomes.append(failure)
        return outcomes


class _ChildProcess:
    """A child process and the two ends of pipes that lead to it."""

    def __init__(self, pid: int, incoming: Connection, outgoing: Connection, popen: Any = None) -> None:
        self.pid, self.incoming, self.outgoing, self._popen = pid, incoming, outgoing, popen
        self._status: int | None = None

    def death(self) -> str:
        """How the process ended, once its pipe is closed."""
        code = self._wait()
        if code < 0:
            try:
                return f"its process was ended by {signal.Signals(-code).name}"
            except ValueError:
                return f"its process was ended by signal {-code}"
        return f"its process ended with exit status {code}"

    def end(self) -> None:
        for end in (self.incoming, self.outgoing):
            end.close()
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        if self._status is None:
            if self._popen is not None:
                self._status = int(self._popen.wait())
            else:
                self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


def _start(call: CCall | PythonCall | ForkedCall) -> _ChildProcess:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    process = (_fork if isinstance(call, ForkedCall) else _spawn)(call, theirs_in, theirs_out, ours_in, ours_out)
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        if not isinstance(call, ForkedCall):
            process.outgoing.send(call)
        refused = process.incoming.recv() if process.incoming.poll(_START_SECONDS) else "it did not start"
    except (EOFError, OSError):
        refused = process.death()
    if refused:
        process.end()
        where = call.library if isinstance(call, CCall) else getattr(call, "module", "a Python function")
        raise ParameterError(
            f"the function cannot be opened: {refused}",
            where=where,
            fix="check the path of the library and the name of the function",
        )
    return process


def _spawn(
    call: CCall | PythonCall | ForkedCall, theirs_in: int, theirs_out: int, ours_in: int, ours_out: int
) -> _ChildProcess:
    popen = subprocess.Popen(
        [sys.executable, "-m", "nsdgen.verify.foreign.worker", str(theirs_in), str(theirs_out)],
        pass_fds=(theirs_in, theirs_out),
        stdin=subprocess.DEVNULL,
    )
    return _ChildProcess(popen.pid, Connection(ours_in, writable=False), Connection(ours_out, readable=False), popen)


def _fork(
    call: CCall | PythonCall | ForkedCall, theirs_in: int, theirs_out: int, ours_in: int, ours_out: int
) -> _ChildProcess:
    """A copy of this process that answers points; it leaves without cleaning up what is not its own."""
    import warnings

    from .worker import serve

    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Threads of a BLAS library: the child calls one function and leaves, and a lock that one of
        # them held would show as a hang, which the time limit ends.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            os.close(ours_in)
            os.close(ours_out)
            serve(call, Connection(theirs_in, writable=False), Connection(theirs_out, readable=False))
        finally:
            os._exit(0)
    return _ChildProcess(pid, Connection(ours_in, writable=False), Connection(ours_out, readable=False))
