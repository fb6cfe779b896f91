"""What each attempt at a problem of several cones carries: problems that are not solved without it.

    python benchmarks/cone_methods.py [--problems 40] [--seed 0] [--limit 20]

Problems of several cones, of contacts alone and of friction in global variables, random ones (``random_problems.py``)
and those of the families of ``attack.py`` that have them, are solved with all attempts of
``nsdgen/solvers/mixed/cone_graph.py``, then without one after the other. In the table: how often an attempt ended a
problem, how many are not solved without it within ``--limit`` seconds, and the processor time without it beside that
with all.
"""

from __future__ import annotations

import argparse
import signal
import sys
import zlib
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
from attacks.worker import made
from random_problems import TYPES
from tables import table_text

from nsdgen.errors import NsdgenError
from nsdgen.solvers.mixed.cone_graph import ConePart

FAMILIES = (
    "mass ratios",
    "closing jaws",
    "redundant equalities",
    "card houses",
    "masonry arches",
    "duplicated contacts",
    "extreme mu",
    "infinite mu",
    "contacts in far units",
)
ATTEMPTS = ("_as_contacts", "_over_graph", "_with_unknowns", "_precise", "_along_coefficients", "_from_many_starts")
Solve = Callable[[], Any]


def singular(seed: int) -> Solve:
    """Contacts on as many freedoms, half of them without mass in some direction, in global variables."""
    from nsdgen.solvers import solve_global_friction

    rng = np.random.default_rng([seed, 5])
    dim, count = int(rng.choice([2, 3])), int(rng.integers(1, 8))
    n = dim * count
    root, H = rng.normal(size=(n, max(1, n // 2))), rng.normal(size=(n, n))
    r, u = np.zeros((count, dim)), np.zeros((count, dim))
    closed = rng.random(count) < 0.7
    r[closed, 0], u[~closed, 0] = rng.exponential(size=closed.sum()), rng.exponential(size=(~closed).sum())
    M, v = root @ root.T / n, rng.normal(size=n)
    return lambda: solve_global_friction(M, M @ v - H @ r.ravel(), H, u.ravel() - H.T @ v, 0.5, dim)


def problems(count: int, seed: int) -> Iterator[Solve]:
    """All problems, as functions that solve them."""
    for name in TYPES:
        for k in range(count if "mixed" in name else 0):
            yield TYPES[name](np.random.default_rng([seed, zlib.crc32(name.encode()), k])).solve
    for name in FAMILIES:
        yield from (made(name, seed, k, False).solve for k in range(count))
    yield from (singular(seed + k) for k in range(count))


def settled(solve: Solve, ended: list[str], without: str, limit: int) -> bool:
    """Whether it is solved without an attempt; ``ended`` gets the last one that was made."""
    kept = {name: getattr(ConePart, name) for name in ATTEMPTS}
    for name, attempt in kept.items():
        setattr(ConePart, name, _noting(name, attempt, ended, name == without))
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(limit)
    try:
        solve()
    except (NsdgenError, TimeoutError):
        return False
    finally:
        signal.alarm(0)
        for name, attempt in kept.items():
            setattr(ConePart, name, attempt)
    return True


def _noting(name: str, attempt: Callable[..., Iterator[Any]], ended: list[str], left_out: bool) -> Any:
    def run(part: ConePart, *given: Any) -> Iterator[Any]:
        for found in () if left_out else attempt(part, *given):
            ended.append(name)
            yield found

    return run


def _too_long(*_: object) -> None:
    raise TimeoutError


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Attempts at several cones: what is not solved without each of them.")
    parser.add_argument("--problems", type=int, default=40, help="of each kind (default 40)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=20, help="seconds a problem (default 20)")
    options = parser.parse_args()
    given, ends = list(problems(options.problems, options.seed)), dict.fromkeys(ATTEMPTS, 0)
    good, rows, whole = [], [], 0.0
    for solve in given:
        ended: list[str] = []
        started = process_time()
        if settled(solve, ended, "", options.limit):
            good.append(solve)
            whole += process_time() - started
            if ended:
                ends[ended[-1]] += 1
    for name in ATTEMPTS:
        started = process_time()
        lost = sum(not settled(solve, [], name, options.limit) for solve in good)
        rows.append((name.strip("_").replace("_", " "), str(ends[name]), str(lost),
                     f"{(process_time() - started) / whole:.2f}"))  # fmt: skip
    print(f"{len(given)} problems, {len(good)} solved")
    print(table_text([("attempt", "ends", "not solved without", "time without"), *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
