"""Parts of a sweep on other processes and machines, through the interface of ``concurrent.futures``.

A task is a run of parts that takes a second or more. It carries the model as text and record: a process opens it once,
and a machine compiles it once, in its cache; until the kernels are there they are interpreted, with the same numbers.
What comes back is written here, so that a region of the store has one writer and no file system need be shared. A task
whose worker dies is given to another one by Dask.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from nsdgen.base.version import VERSION
from nsdgen.errors import ModuleMismatch, ParameterError
from nsdgen.study.optional import require

_WORTH = 1.0
"""What a task takes at least [s], where there is as much to do: giving one away costs some milliseconds."""

_AHEAD = 2
"""Tasks for each thread of the workers that are given away before their results are there."""

_RECENT = 4
"""Tasks whose times say how long the next one takes: the fastest of them, for the first ones interpret or compile."""

_SHARES = 8
"""Parts for each thread of the workers at least, so that none waits long for the last one."""

_PATIENCE = 30
"""How long a scheduler may take to answer [s]."""


class Pool:
    """Workers behind an executor; ``width()`` says how many tasks they run at once at this time."""

    def __init__(self, executor: Executor, width: Callable[[], int]) -> None:
        self._executor, self._width = executor, width

    def width(self) -> int:
        """How many tasks are run at once, one at least: workers may come and go."""
        return max(1, self._width())

    def part(self, members: int, most: int) -> int:
        """Members of a part: enough parts for all workers, each of at most so many members."""
        share = -(-members // (_SHARES * self.width()))
        return min(most, share if share <= _SHARES else share + -share % _SHARES)

    def results(
        self, work: Callable[[int, int], tuple[Any, ...]], todo: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int, Any]]:
        """Begin, end and result of runs of these parts as they come; ``work(begin, end)`` is a function and its
        arguments, whose result is a pair of that and the seconds it took."""
        left, given = deque(todo), dict[Any, tuple[int, int]]()
        speeds: deque[float] = deque(maxlen=_RECENT)
        try:
            while left or given:
                while left and len(given) < _AHEAD * self.width():
                    begin, end = _taken(left, min(speeds, default=None))
                    given[self._executor.submit(*work(begin, end))] = begin, end
                for future in wait(given, return_when=FIRST_COMPLETED).done:
                    begin, end = given.pop(future)
                    result, seconds = future.result()
                    speeds.append(seconds / (end - begin))
                    yield begin, end, result
        finally:
            for future in given:
                future.cancel()


def _taken(left: deque[tuple[int, int]], each: float | None) -> tuple[int, int]:
    """The next parts in a row, together of a second or more, all such tasks alike; one part where nothing is known."""
    begin, end = left.popleft()
    if each is not None:
        rest = end - begin + sum(b - a for a, b in left)
        size = rest / max(1, int(rest * each / _WORTH))
        while left and left[0][0] == end and (left[0][1] - begin) < size * (1 + 1e-9):
            end = left.popleft()[1]
    return begin, end


@contextmanager
def pool_of(scheduler: Any) -> Iterator[Pool]:
    """The workers of a scheduler: the address of one of Dask, a client of Dask, or an executor.

    Raises ``ParameterError`` for what is none of them and where nobody answers.
    """
    if isinstance(scheduler, str):
        distributed = require("distributed", "dask", "a sweep on a cluster")
        try:
            client = distributed.Client(scheduler, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ParameterError(
                f"no scheduler answers at {scheduler!r} ({error})",
                where="scheduler",
                fix="give the address that 'dask scheduler' prints, as in tcp://10.0.0.1:8786",
            ) from error
        with client:
            yield _of_client(client)
    elif hasattr(scheduler, "get_executor"):
        yield _of_client(scheduler)
    elif isinstance(scheduler, Executor):
        width = getattr(scheduler, "_max_workers", None) or 1
        yield Pool(scheduler, lambda: width)
    else:
        raise ParameterError(
            f"{scheduler!r} is no scheduler",
            where="scheduler",
            fix="give an address, a client of Dask or an executor of concurrent.futures",
        )


def _of_client(client: Any) -> Pool:
    return Pool(client.get_executor(pure=False), lambda: sum(client.nthreads().values()))


def run_there(version: str, words: tuple[Any, ...], runner: Any, members: int) -> tuple[Any, float]:
    """On a worker: tables of the members of a runner that came without its model, and the seconds it took."""
    if version != VERSION:
        raise ModuleMismatch(
            f"this worker has nsdgen {VERSION}, the sweep comes from {version}", fix="install one version everywhere"
        )
    began = time.perf_counter()
    found = runner.of(_opened(words)).tables(0, members)
    return found, time.perf_counter() - began


_OPENING = Lock()


def _opened(words: tuple[Any, ...]) -> Any:
    """The model of these words, opened once in this process, with its compiled kernels as soon as they are there."""
    with _OPENING:
        return _known(*words)


@lru_cache(maxsize=8)
def _known(*words: Any) -> Any:
    from nsdgen.build.beside import UNATTENDED
    from nsdgen.study.compiled_model import reopened

    return reopened(*words, beside=UNATTENDED)


def task(runner: Any) -> Callable[[int, int], tuple[Any, ...]]:
    """What :meth:`Pool.results` gives away: some members of a runner, and its model as text and record."""
    words = runner.compiled.__reduce__()[1]
    return lambda begin, end: (run_there, VERSION, words, runner.some(begin, end), end - begin)
