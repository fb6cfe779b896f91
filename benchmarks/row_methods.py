"""What each method for rows carries: problems that are not solved, or not proved to have no solution, without it.

    python benchmarks/row_methods.py [--problems 40] [--large 2] [--seed 0] [--method NAME] [--family NAME]

Random problems (``random_problems.py``) and hard families (``attacks``), rows only, are solved with all methods of
``nsdgen/solvers/boxes/attempts.py`` and Newton's method of ``over_graph.py``, then without one after the other. Times
are processor times.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any

import numpy as np
from attacks.worker import FAMILIES, made
from random_problems import TYPES
from tables import table_text

from nsdgen.errors import NsdgenError
from nsdgen.solvers.boxes import attempts, structured

OF_ROWS = (
    "hidden K",
    "Murty",
    "Fathi",
    "circulant",
    "Klee-Minty",
    "bimatrix games",
    "zero-sum games",
    "obstacle",
    "duplicated rows",
    "far units",
    "no solution, far units",
    "boxes of any width",
    "friction as rows, scaled",
)
KINDS = ("lcp", "mlcp", "box")
NEWTON = "newton"

Solve = Callable[[], Any]


def problems(count: int, large: int, seed: int, family: str) -> Iterator[Solve]:
    """All problems of kinds whose names contain ``family``, as functions that solve them."""
    for name in TYPES:
        for k in range(count if name.startswith(KINDS) and family in name else 0):
            yield TYPES[name](np.random.default_rng([seed, zlib.crc32(name.encode()), k])).solve
    for name in FAMILIES:
        if name in OF_ROWS and family in name:
            yield from (made(name, seed, k, False).solve for k in range(count))
            yield from (made(name, seed, k, True).solve for k in range(large))


@contextmanager
def without(name: str) -> Iterator[None]:
    """The methods but one."""
    kept = attempts.BASIC, attempts.ATTEMPTS, structured.iterate
    attempts.BASIC, attempts.ATTEMPTS = (tuple(a for a in of if a.name != name) for of in kept[:2])
    if name == NEWTON:
        structured.iterate = lambda _: None
    try:
        yield
    finally:
        attempts.BASIC, attempts.ATTEMPTS, structured.iterate = kept


def settled(solve: Solve) -> str:
    """``solved``, or the reason of a refusal."""
    try:
        solve()
    except NsdgenError as error:
        return str(getattr(error, "reason", ""))
    return "solved"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Methods for rows: what is not settled without each of them.")
    parser.add_argument("--problems", type=int, default=40, help="small ones of each kind (default 40)")
    parser.add_argument("--large", type=int, default=2, help="large ones of each family (default 2)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", default="", help="only methods whose name contains this")
    parser.add_argument("--family", default="", help="only problems of kinds whose name contains this")
    options = parser.parse_args()
    given = list(problems(options.problems, options.large, options.seed, options.family))
    started = process_time()
    before = [settled(solve) for solve in given]
    whole = process_time() - started
    rows = []
    for name in [*(a.name for a in attempts.ATTEMPTS if a.name != "structure"), NEWTON]:
        if options.method in name:
            with without(name):
                started = process_time()
                after = [settled(solve) for solve in given]
                took = process_time() - started
            lost = sum(one == "solved" != other for one, other in zip(before, after, strict=True))
            proofs = sum(one == "infeasible" != other for one, other in zip(before, after, strict=True))
            rows.append((name, str(lost), str(proofs), f"{took / whole:.2f}"))
    print(f"{len(given)} problems, {before.count('solved')} solved, {before.count('infeasible')} infeasible")
    print(table_text([("method", "not solved without", "not proved without", "time without"), *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
