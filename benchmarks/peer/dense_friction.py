"""The peer's side of ``dense_friction.py``: its drivers of dense contact problems.

Runs under the Python that has ``siconos`` and answers requests of one JSON object a line,

    {"path": "problem.npz", "dim": 2, "solver": "NSGS", "tolerance": 1e-8}

with {"seconds": s, "z": [...]}, the shortest of repeated calls of the C driver from zero and what the last one gave,
or {"error": why}. Problem and options are made before the clock starts.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import siconos.numerics as sn

ENOUGH, LEAST, MOST = 0.15, 4, 2000
SLOW = 1.5  # seconds after which not even the least number of calls is made


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The shortest time and the reactions."""
    with np.load(request["path"], allow_pickle=False) as file:
        W, q, mu = (file[key] for key in ("W", "q", "mu"))
    dim = request["dim"]
    contact = sn.FrictionContactProblem(dim, np.asfortranarray(W), q, mu)
    options = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_{dim}D_{request['solver']}"))
    driver = sn.fc2d_driver if dim == 2 else sn.fc3d_driver
    iterations = max(int(options.iparam[0]), 10_000)
    times: list[float] = []
    while len(times) < MOST and (sum(times) < ENOUGH or len(times) < LEAST):
        z, w = np.zeros(len(q)), np.zeros(len(q))
        options.iparam[0] = iterations
        options.dparam[0] = request["tolerance"]
        busy = time.process_time()
        began = time.perf_counter()
        info = driver(contact, z, w, options)
        passed = time.perf_counter() - began
        # Where other processes interrupt a long call, its processor time bounds what it took.
        times.append(min(passed, time.process_time() - busy))
        if sum(times) > SLOW:
            break
    if info != 0:
        return {"error": f"info {info}"}
    return {"seconds": min(times), "z": z.tolist()}


def main() -> None:
    """Answer until the requests end."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print("PEER " + json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
