"""The peer's side of ``dense_friction.py``: its drivers of dense contact problems.

Runs under the Python that has ``siconos`` and answers requests of one JSON object a line,

    {"path": "problem.npz", "dim": 2, "solver": "NSGS", "tolerance": 1e-8}

with {"seconds": s, "z": [...]}, the shortest of repeated calls of the C driver from zero and what the last one gave,
or {"error": why}. Problem and options are made before the clock starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import siconos.numerics as sn
from driver import Effort, serve, shortest

EFFORT = Effort(least=4, most=2000, enough=0.15, slow=1.5)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The shortest time and the reactions."""
    with np.load(request["path"], allow_pickle=False) as file:
        W, q, mu = (file[key] for key in ("W", "q", "mu"))
    dim = request["dim"]
    contact = sn.FrictionContactProblem(dim, np.asfortranarray(W), q, mu)
    options = sn.SolverOptions(getattr(sn, f"SICONOS_FRICTION_{dim}D_{request['solver']}"))
    driver = sn.fc2d_driver if dim == 2 else sn.fc3d_driver
    options.dparam[0] = request["tolerance"]
    seconds, z, info = shortest(lambda z, w: driver(contact, z, w, options), len(q), options, EFFORT)
    if info != 0:
        return {"error": f"info {info}"}
    return {"seconds": seconds, "z": z.tolist()}


if __name__ == "__main__":
    serve(answer)
