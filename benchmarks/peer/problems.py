"""The peer's side of the stored problems: its fastest solver of each, run again.

Runs under the Python that has ``siconos`` and answers requests of one JSON object a line,

    {"path": "problem.npz", "repeats": n}

with {"seconds": s, "z": [...]}, the shortest of n calls of the C driver from zero and what the
last one gave, or {"error": why}. Whether z solves the problem is for the other side to judge.
Matrices are handed over dense, which is how the peer keeps them in these sizes; larger
problems, and families whose problems cannot be made from Python, are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import siconos.numerics as sn
from driver import Effort, serve, shortest

LEAST = 3  # solves, where these are not slow
ENOUGH, SLOW = 0.2, 5.0  # seconds after which no more than these, and not even these are made
LARGEST = 200  # unknowns of contact problems: beyond it the peer stores blocks
TOLERANCE = 1e-10
PREFIX = {"LCP": "LCP", "FC2D": "FRICTION_2D", "FC3D": "FRICTION_3D"}


def matrix(file: Any, key: str) -> Any:
    """The matrix, dense and by columns."""
    if key in file:
        return np.asfortranarray(file[key], dtype=float)
    dense = np.zeros(tuple(file[f"{key}_shape"]), order="F")
    starts = file[f"{key}_indptr"]
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    np.add.at(dense, (rows, file[f"{key}_indices"]), file[f"{key}_data"])
    return dense


def prepared(file: Any) -> Any:
    """A call of the driver on z, w and options, and the options."""
    family, q = str(file["family"]), file["q"].astype(float)
    if family not in PREFIX:
        raise ValueError(f"no {family} from Python")
    name = str(file["siconos_fastest_solver"])
    options = sn.SolverOptions(getattr(sn, f"SICONOS_{PREFIX[family]}_{name}"))
    options.dparam[0] = TOLERANCE
    if family == "LCP":
        problem = sn.LCP(matrix(file, "M"), q)
        return (lambda z, w: sn.linearComplementarity_driver(problem, z, w, options)), options
    if len(q) > LARGEST:
        raise ValueError("too large to be kept dense")
    W, mu = matrix(file, "W"), file["mu"].astype(float)
    contact = sn.FrictionContactProblem(int(file["dim"]), W, q, mu)
    driver = sn.fc2d_driver if family == "FC2D" else sn.fc3d_driver
    return (lambda z, w: driver(contact, z, w, options)), options


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The shortest time, from zero each time."""
    with np.load(request["path"], allow_pickle=False) as file:
        call, options = prepared(file)
        n = len(file["q"])
    effort = Effort(LEAST, request["repeats"], ENOUGH, SLOW)
    seconds, z, _ = shortest(call, n, options, effort)
    return {"seconds": seconds, "z": z.tolist()}


if __name__ == "__main__":
    serve(answer)
