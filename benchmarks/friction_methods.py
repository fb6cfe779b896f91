"""What each method for friction alone solves: hard problems again without it.

    python benchmarks/friction_methods.py [FOLDER] [--problems 20] [--seed 0] [--limit 20]

FOLDER holds stored problems as ``problems.py`` reads them; the families of ``attack.py`` that have friction add
``--problems`` each. Only problems that the first round leaves over reach the methods of
``nsdgen.solvers.contacts.contact_attempts.METHODS``; each of these that is solved is solved again without the method
that ended it, all others standing by. In the table: how often a method ended a problem, how often the problem is not
solved without it, within ``--limit`` seconds, and the processor time without it over that with it (median).
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from attacks.worker import made
from problem_set import Problem
from tables import table_text

from nsdgen.errors import NsdgenError
from nsdgen.solvers.contacts import contact_attempts

FAMILIES = (
    "masonry arches", "card houses", "jammed chains", "wedges", "Painlevé rods", "extreme mu", "extreme rolling",
    "contacts in far units", "duplicated contacts", "friction as rows, scaled",
)  # fmt: skip
METHODS = contact_attempts.METHODS
Solve = Callable[[], Any]


def problems(folder: Path | None, count: int, seed: int) -> Iterator[tuple[str, Solve]]:
    """Stored friction problems, then those of the families."""
    for path in sorted(folder.glob("*fc[23]d_*.npz")) if folder else ():
        yield path.stem, Problem(path).solve
    for name in FAMILIES:
        for number in range(count):
            yield f"{name} {number}", made(name, seed, number, False).solve


def watched(ended: list[str], without: str | None) -> tuple[contact_attempts.Method, ...]:
    """The methods but one; each notes its name where it makes a step."""

    def noting(method: contact_attempts.Method) -> contact_attempts.Method:
        def run(*given: Any) -> Iterator[contact_attempts.Step]:
            for step in method(*given):
                ended.append(named(method))
                yield step

        return run

    return tuple(noting(method) for method in METHODS if named(method) != without)


def named(method: contact_attempts.Method) -> str:
    """What it is called in the table."""
    return method.__name__.strip("_").replace("_", " ")


def solved(solve: Solve, without: str | None, limit: int) -> tuple[bool, str, float]:
    """Whether it is solved, the last method that made a step, seconds of the processor."""
    ended: list[str] = []
    contact_attempts.METHODS = watched(ended, without)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(limit)
    started = process_time()
    try:
        solve()
        good = True
    except (NsdgenError, TimeoutError):
        good = False
    finally:
        signal.alarm(0)
        contact_attempts.METHODS = METHODS
    return good, ended[-1] if ended else "", process_time() - started


def _too_long(*_: object) -> None:
    raise TimeoutError


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=20)
    options = parser.parse_args()
    ended: dict[str, int] = defaultdict(int)
    alone: dict[str, list[str]] = defaultdict(list)
    ratios: dict[str, list[float]] = defaultdict(list)
    for name, solve in problems(options.folder, options.problems, options.seed):
        good, last, seconds = solved(solve, None, options.limit)
        if not good or not last:
            continue
        ended[last] += 1
        again, _, slower = solved(solve, last, options.limit)
        ratios[last].append(slower / seconds)
        if not again:
            alone[last].append(name)
    rows = []
    for method in map(named, METHODS):
        time = f"{median(ratios[method]):.1f}" if ratios[method] else "-"
        rows.append((method, str(ended[method]), str(len(alone[method])), time, ", ".join(alone[method][:3])))
    print(table_text([("method", "ends", "alone", "time without", "for example"), *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
