"""Microseconds per step of nsdgen, of C written by hand, and of Siconos.

    python benchmarks/steps.py [--rounds 7] [--steps 200000] [--clock cpu|wall] [--json FILE]

The contestants take turns, round by round; the table shows medians. A contestant whose
trajectory differs from another's leaves the model without speeds, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from contestants import CASES, CLOCKS, Case, Generated, HandWritten, Peer, PeerMissing, Table, peer_python
from tables import table_text

from nsdgen.build.flags import compile_flags

HEADINGS = (
    "model",
    "nsdgen",
    "hand C",
    "nsdgen/C",
    "Siconos",
    "Siconos/nsdgen",
    "run of 1 step",
    "max diff to C",
    "max diff to Siconos",
)


@dataclass(frozen=True)
class Speed:
    """Microseconds per step over the rounds: median, fastest, slowest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float], steps: int) -> Speed:
        micro = [1e6 * s / steps for s in seconds]
        return cls(statistics.median(micro), min(micro), max(micro))

    def __str__(self) -> str:
        return f"{self.median:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Result:
    """What was measured for one model; no speeds where answers differ, none of a peer that is absent."""

    model: str
    steps: int
    rounds: int
    nsdgen: Speed | None
    hand: Speed | None
    peer: Speed | None
    over_hand: float | None
    peer_over: float | None
    single_run: float
    hand_difference: float
    peer_difference: float | None
    failures: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        absent = "absent" if self.peer_difference is None else "no speed"
        return (
            self.model,
            str(self.nsdgen or "no speed"),
            str(self.hand or "no speed"),
            _ratio(self.over_hand),
            str(self.peer or absent),
            _ratio(self.peer_over),
            f"{self.single_run:.0f} µs",
            f"{self.hand_difference:.1e}",
            "-" if self.peer_difference is None else f"{self.peer_difference:.1e}",
        )


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def difference(mine: Table, theirs: Table) -> float:
    """The largest difference of two trajectories, relative to the largest value of its column."""
    if mine.shape != theirs.shape:
        return float("inf")
    size = np.abs(mine).max(axis=0)
    return float((np.abs(mine - theirs) / np.where(size > 0, size, 1.0)).max())


def take_turns(
    generated: Generated, hand: HandWritten, peer: Peer | None, steps: int, rounds: int
) -> dict[str, list[float]]:
    """Seconds of every contestant in every round; the order turns with the round."""
    turns = [("nsdgen", generated.run), ("hand", hand.run)] + ([("peer", peer.time)] if peer else [])
    seconds: dict[str, list[float]] = {name: [] for name, _ in turns}
    for _, run in turns:
        run(min(steps, 1000))  # warm
    for number in range(rounds):
        shift = number % len(turns)
        for name, run in turns[shift:] + turns[:shift]:
            seconds[name].append(run(steps)[0])
    return seconds


def check(
    case: Case, generated: Generated, hand: HandWritten, peer: Peer | None, steps: int
) -> tuple[float, float | None, tuple[str, ...]]:
    """Differences of the whole trajectories to C and to the peer, and what is too large."""
    table = generated.run(steps)[1]
    to_hand = difference(table[:, generated.by_hand], hand.run(steps)[1])
    failures = [] if to_hand <= case.tolerance[0] else [f"C differs by {to_hand:.1e}"]
    if peer is None:
        return to_hand, None, tuple(failures)
    recorded = peer.record(steps)
    to_peer = difference(table[:, case.shared], recorded)
    if peer.time(steps)[1] != recorded[-1].tolist():
        failures.append("Siconos ends elsewhere without recording")
    elif not to_peer <= case.tolerance[1]:
        failures.append(f"Siconos differs by {to_peer:.1e}")
    return to_hand, to_peer, tuple(failures)


def measure(case: Case, options: argparse.Namespace, folder: Path, with_peer: bool) -> Result:
    """Build the contestants of a case, check that they agree, time them if they do."""
    steps, rounds, clock = options.steps, options.rounds, options.clock
    generated = Generated(case, clock)
    hand = HandWritten(case, generated, folder)
    peer = Peer(case, generated.compiled.parameters, generated.step, folder, clock) if with_peer else None
    try:
        to_hand, to_peer, failures = check(case, generated, hand, peer, steps)
        seconds = {} if failures else take_turns(generated, hand, peer, steps, rounds)
    finally:
        if peer is not None:
            peer.close()
    speeds = {name: Speed.of(values, steps) for name, values in seconds.items()}
    return Result(
        case.name,
        steps,
        rounds,
        speeds.get("nsdgen"),
        speeds.get("hand"),
        speeds.get("peer"),
        _paired(seconds.get("nsdgen"), seconds.get("hand")),
        _paired(seconds.get("peer"), seconds.get("nsdgen")),
        1e6 * statistics.median(generated.run(1)[0] for _ in range(51)),
        to_hand,
        to_peer,
        failures,
    )


def _paired(above: Sequence[float] | None, below: Sequence[float] | None) -> float | None:
    """The median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True)) if above and below else None


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Microseconds per step: nsdgen, C by hand, Siconos.")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of all contestants (default 7)")
    parser.add_argument("--steps", type=int, default=200_000, help="steps of a run (default 200000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here too")
    parser.add_argument(
        "--clock",
        choices=sorted(CLOCKS),
        default="cpu",
        help="time of the stepping thread (default) or of the clock on the wall",
    )
    parser.add_argument("--only", default="", help="models, separated by commas")
    parser.add_argument("--no-peer", action="store_true", help="leave Siconos out")
    options = parser.parse_args()
    if options.rounds < 1 or options.steps < 1:
        parser.error("--rounds and --steps are at least 1")
    return options


def main() -> int:
    """Measure, print, and say by the exit status whether all answers agree."""
    options = arguments()
    with_peer = not options.no_peer
    if with_peer:
        try:
            peer_python()
        except PeerMissing as reason:
            print(f"{reason}: its columns stay empty", file=sys.stderr)
            with_peer = False
    chosen = [c for c in CASES if not options.only or c.name in options.only.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        results = [measure(c, options, Path(folder), with_peer) for c in chosen]
    conditions = {
        "date": datetime.date.today().isoformat(),
        "cpus": os.cpu_count(),
        "machine": platform.machine(),
        "clock": options.clock,
        "flags": " ".join(compile_flags()),
        "load": round(os.getloadavg()[0], 2),
    }
    print(f"{options.rounds} rounds of {options.steps} steps; µs per step: median [fastest, slowest]")
    print("; ".join(f"{k} {v}" for k, v in conditions.items()))
    print(table_text([HEADINGS, *(r.cells() for r in results)]))
    for result in results:
        for failure in result.failures:
            print(f"{result.model}: {failure}", file=sys.stderr)
    if options.json:
        payload = {"conditions": conditions, "results": [asdict(r) for r in results]}
        options.json.write_text(json.dumps(payload, indent=1) + "\n", encoding="utf-8")
    return 1 if any(r.failures for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
