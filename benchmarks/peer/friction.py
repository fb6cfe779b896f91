"""The peer's side of ``fclib.py``: one of its solvers on one friction problem.

Runs under the Python that has ``siconos`` and answers requests of one JSON object a line,

    {"path": "problem.npz", "solver": "FRICTION_3D_NSGS", "repeats": n}

with {"seconds": s, "z": [...]}, as ``problems.py`` does; {"path": ...} alone is answered with {"solvers": [...]}.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import siconos.numerics as sn
from driver import Effort, serve, shortest
from problems import ENOUGH, LEAST, TOLERANCE, matrix

LARGEST = 1500  # unknowns: matrices are handed over dense
SOLVERS = {
    "FC2D": [f"FRICTION_2D_{name}" for name in ("NSGS", "CPG", "LEMKE", "ENUM")],
    "FC3D": [
        f"FRICTION_3D_{name}"
        for name in (
            "NSGS", "NSGSV", "NSN_AC", "NSN_AC_TEST", "NSN_FB", "NSN_NM", "ADMM", "PROX", "TFP", "DSFP", "FPP", "EG",
            "HP", "PFP", "ACLMFP", "SOCLCP", "VI_EG", "VI_FPP",
        )
    ],
}  # fmt: skip


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The names of its solvers, or the shortest time of one of them, from zero each time."""
    with np.load(request["path"], allow_pickle=False) as file:
        family, q, mu = str(file["family"]), file["q"].astype(float), file["mu"].astype(float)
        if "solver" not in request:
            return {"solvers": SOLVERS.get(family, []) if len(q) <= LARGEST else []}
        if request["solver"].endswith("ENUM") and len(q) > 20:
            raise ValueError("enumeration of so many cases does not end")
        problem = sn.FrictionContactProblem(int(file["dim"]), matrix(file, "W"), q, mu)
    options = sn.SolverOptions(getattr(sn, f"SICONOS_{request['solver']}"))
    options.dparam[0] = TOLERANCE
    driver = sn.fc2d_driver if family == "FC2D" else sn.fc3d_driver
    effort = Effort(LEAST, request["repeats"], ENOUGH, request["slow"])
    seconds, z, _ = shortest(lambda z, w: driver(problem, z, w, options), len(q), options, effort)
    return {"seconds": seconds, "z": z.tolist()}


if __name__ == "__main__":
    serve(answer)
