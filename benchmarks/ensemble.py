"""Many cam followers on all processors: seconds, nanoseconds of processor time per step, and the bits of single runs.

    python benchmarks/ensemble.py [--members 1000] [--steps 50000] [--threads 2] [--rounds 3]

The impacts of the last 200 turns of the cam are kept. Every tenth member is run by itself, too: exit status 1 where
its impacts have other bits. In turns with the ensemble, hand-written C (``c/cam_follower.c``) runs every tenth member,
one after the other, recording each step into the same array.
"""

from __future__ import annotations

import argparse
import os
import runpy
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from contestants import CASES, Generated, HandWritten

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "cam_follower.py"
TURNS = 200


def run(compiled: Any, speeds: np.ndarray, steps: int, threads: int) -> tuple[float, float, Any]:
    """Seconds by the clock, seconds of processor time, and the ensemble."""
    end = steps * compiled.record.step
    since = max(0.0, end - TURNS * 2 * np.pi / speeds.min())
    clock, processor = time.perf_counter(), time.process_time()
    found = compiled.ensemble(
        parameters={"omega": speeds},
        end=end,
        since=since,
        when="cam.impulse",
        every=1,
        record=["cam.impulse", "follower.u_dot"],
        threads=threads,
    )
    return time.perf_counter() - clock, time.process_time() - processor, found


def by_hand(contestant: HandWritten, place: int, speeds: np.ndarray, steps: int) -> float:
    """Nanoseconds of processor time per step of every tenth member in C, one after the other."""
    table, times = np.empty((steps + 1, contestant.width)), np.empty(steps + 1)
    given = contestant.given.copy()
    began = time.process_time()
    for speed in speeds[::10]:
        given[place] = speed
        contestant.call(
            steps,
            contestant.step,
            given.ctypes.data,
            contestant.initial.ctypes.data,
            times.ctypes.data,
            table.ctypes.data,
        )
    return 1e9 * (time.process_time() - began) / (steps * len(speeds[::10]))


def differing(compiled: Any, speeds: np.ndarray, steps: int, found: Any) -> list[int]:
    """The members, of every tenth, whose impacts are not those of a run of their own."""
    wrong = []
    for i in range(0, len(speeds), max(1, len(speeds) // 10)):
        alone = compiled.run(parameters={"omega": speeds[i]}, end=steps * compiled.record.step, generic=True)
        hit = alone["cam.impulse"] > 0
        own = found.of(i)
        late = alone.time[hit] >= own.time[0] if len(own) else np.zeros(hit.sum(), dtype=bool)
        if alone["cam.impulse"][hit][late].tobytes() != np.ascontiguousarray(own["cam.impulse"]).tobytes():
            wrong.append(i)
    return wrong


def main() -> int:
    """Measure, print, and say by the exit status whether the bits are those of single runs."""
    parser = argparse.ArgumentParser(description="Many cam followers at once.")
    parser.add_argument("--members", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    compiled = runpy.run_path(str(EXAMPLE))["model"].compile()
    speeds = np.linspace(30.0, 75.0, options.members)
    case = next(c for c in CASES if c.name == "cam_follower")
    with tempfile.TemporaryDirectory() as folder:
        hand = HandWritten(case, Generated(case), Path(folder))
    place = list(case.parameters).index("omega")
    run(compiled, speeds, options.steps, options.threads)  # warm, and compiled for several members at once
    rounds, hands = [], []
    for _ in range(options.rounds):
        hands.append(by_hand(hand, place, speeds, options.steps))
        rounds.append(run(compiled, speeds, options.steps, options.threads))
    total = options.members * options.steps
    own = min(r[1] for r in rounds) * 1e9 / total
    print(
        f"{options.members} members of {options.steps} steps, {options.threads} threads, load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"seconds: median {statistics.median(r[0] for r in rounds):.2f}, fastest {min(r[0] for r in rounds):.2f}; "
        f"processor time {own:.1f} ns a step, hand-written C {min(hands):.1f} (ratio {own / min(hands):.2f}); "
        f"{len(rounds[-1][2].time)} impacts kept"
    )
    wrong = differing(compiled, speeds, options.steps, rounds[-1][2])
    if wrong:
        print(f"members {wrong} differ from runs of their own", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
