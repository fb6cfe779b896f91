"""Discs that fall into a box and jam: what a step costs a disc, and how many steps are refused.

    python benchmarks/jam.py [--sizes 100,200,500] [--steps 1500] [--beside PYTHON]

The pile of ``examples/disc_pile.py`` falls from its loose grid (h = 1 ms, mu = 0.3) until it has come to rest. Times
are of the stepping thread, in µs a step and disc: the mean over all steps, over the hundred steps that cost most, and
of the worst ten. ``--beside`` names the Python of another checkout, which runs the same script in turns with this one.
The exit status is 1 where a step was refused.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np
from contestants import EXAMPLES
from tables import table_text

BLOCK = 10  # steps between two looks at the clock
HEADINGS = ("discs", "whose", "µs a disc", "worst hundred", "worst ten", "steps", "refused at")


@dataclass(frozen=True)
class Fall:
    """One run; ``refused`` is the number of the step that failed, 0 where none did."""

    discs: int
    mean: float
    hundred: float
    ten: float
    steps: int
    refused: int

    def cells(self, whose: str) -> tuple[str, ...]:
        """The row of the table."""
        times = (f"{value:.1f}" for value in (self.mean, self.hundred, self.ten))
        return (str(self.discs), whose, *times, str(self.steps), str(self.refused) if self.refused else "-")


def fall(discs: int, steps: int) -> Fall:
    """A pile of so many discs from the start on."""
    import runpy

    from nsdgen.runtime.simulation import prepare
    from nsdgen.runtime.values import run_values

    compiled = runpy.run_path(str(EXAMPLES / "disc_pile.py"))["build"](discs).compile()
    stepper = prepare(compiled.record, compiled.table, run_values(compiled.record, compiled.table))
    spent, done, refused = [], 0, 0
    while done < steps and not refused:
        began = time.thread_time()
        made, *_ = stepper.advance(BLOCK)
        spent.append(1e6 * (time.thread_time() - began) / (max(made, 1) * discs))
        done += made
        refused = done + 1 if made < BLOCK else 0
    worst = np.sort(spent)[::-1]
    return Fall(discs, float(np.mean(spent)), float(np.mean(worst[:10])), float(worst[0]), done, refused)


def in_process(python: str, discs: int, steps: int) -> Fall:
    """The same by another Python."""
    command = [python, __file__, "--one", str(discs), "--steps", str(steps)]
    return Fall(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Discs that fall and jam.")
    parser.add_argument("--sizes", default="100,200,500")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--beside", metavar="PYTHON")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asdict(fall(options.one, options.steps))))
        return 0
    found = []
    for size in map(int, options.sizes.split(",")):
        for whose, python in (("here", sys.executable), ("beside", options.beside)):
            if python:
                found.append((whose, in_process(python, size, options.steps)))
    print(f"cpus {os.cpu_count()}; load {os.getloadavg()[0]:.2f}")
    print(table_text([HEADINGS, *(run.cells(whose) for whose, run in found)]))
    return 1 if any(run.refused for _, run in found) else 0


if __name__ == "__main__":
    sys.exit(main())
