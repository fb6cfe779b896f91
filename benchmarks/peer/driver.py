"""What the peer's sides of one-step problems share: they answer requests, and time a driver written in C.

Runs under the Python that has ``siconos``; a request and its answer are one JSON object a line. Answers are marked,
because the peer's own library prints lines too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MARK = "PEER "


@dataclass(frozen=True)
class Effort:
    """How often a driver is called: ``most`` times at most, at least ``least`` times unless ``slow`` seconds are spent,
    and no more once ``enough`` seconds are."""

    least: int
    most: int
    enough: float
    slow: float


def shortest(
    call: Callable[[np.ndarray, np.ndarray], Any], unknowns: int, options: Any, effort: Effort
) -> tuple[float, np.ndarray, Any]:
    """The shortest time [s] of calls from zero, and z and the result of the last one.

    The drivers write their number of iterations over its limit, so it is set again before each call.
    """
    limit = max(int(options.iparam[0]), 10_000)
    times: list[float] = []
    while len(times) < effort.most and (sum(times) < effort.enough or len(times) < effort.least):
        z, w = np.zeros(unknowns), np.zeros(unknowns)
        options.iparam[0] = limit
        busy = time.process_time()
        began = time.perf_counter()
        result = call(z, w)
        passed = time.perf_counter() - began
        # Where other processes interrupt a long call, its processor time bounds what it took.
        times.append(min(passed, time.process_time() - busy))
        if sum(times) > effort.slow:
            break
    return min(times), z, result


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer until the requests end; what fails is answered with its reason."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(MARK + json.dumps(reply), flush=True)
