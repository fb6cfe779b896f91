"""What memory held before it was given to a solver changes no bit of a solution."""

from __future__ import annotations

import os
import subprocess
import sys

SOLVE = """
import hashlib
import numpy as np
from scipy.sparse import block_diag
from nsdgen.solvers import solve_box, solve_friction, solve_lcp

rng, found = np.random.default_rng(4), hashlib.sha256()
for count in (4, 20, 50):
    for dim in (2, 3):
        for mu in (0.3, 1.5):
            directions = rng.normal(size=(dim * count, 2 * count))
            rates = directions @ rng.normal(size=2 * count)
            rates[::dim] -= 0.1 * rng.random(count) * (mu > 1)
            found.update(solve_friction(directions @ directions.T, rates, np.full(count, mu), dim).z.tobytes())
    M = directions[:count] @ directions[:count].T
    found.update(solve_lcp(M, rng.normal(size=count)).z.tobytes())
    found.update(solve_box(M, rng.normal(size=count), np.full(count, -1.0), np.full(count, 1.0)).z.tobytes())
for count, dim, heaps in ((4, 2, 60), (4, 3, 60), (20, 3, 6)):
    heap = [rng.normal(size=(dim * count, count + 2)) for _ in range(heaps)]
    rates = np.concatenate([rows @ rng.normal(size=count + 2) for rows in heap])
    W = block_diag([rows @ rows.T for rows in heap])
    found.update(solve_friction(W, rates, np.full(count * heaps, 0.5), dim).z.tobytes())
print(found.hexdigest())
"""


def test_solutions_do_not_depend_on_what_memory_held() -> None:
    """The C library of Linux fills what it hands out with the byte of MALLOC_PERTURB_; others ignore it.

    A path over the graph read flags that nobody had set, and refused what can be solved, one run in seven. Heaps
    solved at once read how many reactions a step before had left open where there was none.
    """
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    found = {
        subprocess.run(
            [sys.executable, "-c", SOLVE],
            env={**alone, "MALLOC_PERTURB_": byte},
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        for byte in ("0", "90", "165", "255")
    }
    assert len(found) == 1
