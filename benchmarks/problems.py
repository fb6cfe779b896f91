"""Every problem of a stored set by the automatic choice: solved or not, how well, how fast.

    python benchmarks/problems.py [FOLDER] [--family LCP,MLCP] [--time-limit 60] [--no-peer] [--json FILE]

FOLDER (or the environment variable NSDGEN_PROBLEMS) holds ``.npz`` files as described in
``problem_set.py``. Two times are shown: inside the solver, as ``Solution.seconds`` counts it,
and of the whole Python call with its checks. The peer's time is stored with the problem, measured
elsewhere; where the peer is installed its fastest solver of each problem is run again, as far as
``peer/problems.py`` can and if its answer is one, and the shorter time counts (marked ``*`` if it is of
this run). Problems are solved in a process of their own, which is
replaced where it runs over the limit. Exit status 1 where a problem that the peer solved
is not solved.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from contestants import PeerMissing, peer_python
from problem_set import ACCEPTED, FAMILIES, REPEATS, Outcome, Problem, measure
from tables import table_text

PEER_LIMIT = 10.0  # seconds for one problem of the peer
HEADINGS = ("problem", "family", "size", "solver", "nat_scaled", "solver µs", "call µs", "peer µs", "solver/peer")


# -- the process that solves -------------------------------------------------------------------


def serve(connection: Connection) -> None:
    """Measure the problems whose paths arrive, until None does."""
    while (path := connection.recv()) is not None:
        connection.send(measure(path))


class Worker:
    """A process that measures one problem at a time."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self) -> None:
        self._connection, other = self._context.Pipe()
        self._process = self._context.Process(target=serve, args=(other,), daemon=True)
        self._process.start()
        other.close()

    def measure(self, path: Path) -> Outcome:
        """The outcome; one that says so where the limit passes or the process dies."""
        reason = f"over {self.limit:g} s"
        try:
            self._connection.send(path)
            if self._connection.poll(self.limit):
                outcome: Outcome = self._connection.recv()
                return outcome
        except (EOFError, BrokenPipeError):
            reason = "the process died"
        self._process.kill()
        self._process.join()
        self._start()
        return lost(path, reason)

    def close(self) -> None:
        """End the process."""
        self._connection.send(None)
        self._process.join(5.0)


class Peer:
    """The peer's fastest solver of each problem, run again in a process of its own Python."""

    def __init__(self, python: str, limit: float) -> None:
        self._command = [python, str(Path(__file__).parent / "peer" / "problems.py")]
        self._limit = limit
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def seconds(self, path: Path) -> float | None:
        """The shortest time; None where the peer cannot, does not solve the problem, or takes too long."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"path": str(path), "repeats": REPEATS[1]}) + "\n")
        self._process.stdin.flush()
        timer = threading.Timer(self._limit, self._process.kill)
        timer.start()
        # The peer's library prints what it likes: only marked lines are answers.
        reply = next((line[5:] for line in self._process.stdout if line.startswith("PEER ")), None)
        timer.cancel()
        if reply is None:
            self.close()
            self._start()
            return None
        answer = json.loads(reply)
        if "error" in answer or not Problem(path).nat_scaled(np.array(answer["z"])) <= ACCEPTED:
            return None
        return float(answer["seconds"])

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def with_peer(outcome: Outcome, again: float | None) -> Outcome:
    """The shorter one of the stored and this run's time of the peer."""
    if again is None or (outcome.peer_seconds is not None and outcome.peer_seconds <= again):
        return outcome
    return replace(outcome, peer_seconds=again, peer_again=True)


def lost(path: Path, reason: str) -> Outcome:
    """The outcome of a problem that never came back."""
    with np.load(path, allow_pickle=False) as file:
        peer = float(file["siconos_fastest_seconds"]) if "siconos_fastest_seconds" in file else None
        solved = bool(file["siconos_converged"]) if "siconos_converged" in file else False
        return Outcome(path.stem, str(file["family"]), len(file["q"]), "-", None, None, None, peer, solved, reason)


# -- the report --------------------------------------------------------------------------------


def cells(outcome: Outcome) -> tuple[str, ...]:
    """The row of one problem."""
    ratio = None if outcome.seconds is None or not outcome.peer_seconds else outcome.seconds / outcome.peer_seconds
    peer = _micro(outcome.peer_seconds) + "*" * outcome.peer_again
    return (
        outcome.name, outcome.family, str(outcome.size), outcome.solver if outcome.solved else outcome.reason,
        "-" if outcome.nat_scaled is None else f"{outcome.nat_scaled:.1e}", _micro(outcome.seconds),
        _micro(outcome.call_seconds), peer, "-" if ratio is None else f"{ratio:.2f}",
    )  # fmt: skip


def _micro(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1e6 * seconds:.1f}"


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """Shares, totals over the problems that both solved, and what is unsolved, why."""
    lines = []
    for family in (*FAMILIES, "all"):
        group = [o for o in outcomes if family in (o.family, "all")]
        if not group:
            continue
        solvable = [o for o in group if o.peer_solved]
        both = [o for o in solvable if o.solved and o.seconds is not None and o.peer_seconds is not None]
        mine = sum(o.seconds or 0.0 for o in both)
        calls = sum(o.call_seconds or 0.0 for o in both)
        theirs = sum(o.peer_seconds or 0.0 for o in both)
        slow = sum((o.seconds or 0.0) > 2.0 * (o.peer_seconds or 0.0) for o in both)
        lines.append(
            f"{family}: {sum(o.solved for o in solvable)} solved of {len(solvable)} that the peer solved, "
            f"{sum(o.solved for o in group if not o.peer_solved)} of {len(group) - len(solvable)} others; "
            f"solver {mine:.4g} s, calls {calls:.4g} s, peer {theirs:.4g} s; {slow} more than twice the peer"
        )
    unsolved = [o for o in outcomes if not o.solved]
    if unsolved:
        lines.append("unsolved:")
        lines += [f"  {o.name} (by the peer {'' if o.peer_solved else 'not '}solved): {o.reason}" for o in unsolved]
    return lines


# -- the command -------------------------------------------------------------------------------


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; refused without a folder of problems."""
    parser = argparse.ArgumentParser(description="Stored one-step problems: solved or not, how well, how fast.")
    parser.add_argument("folder", nargs="?", type=Path, help="folder of .npz files (default: $NSDGEN_PROBLEMS)")
    parser.add_argument("--family", default="", help=f"families, separated by commas, of {', '.join(FAMILIES)}")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds a problem may take (default 60)")
    parser.add_argument("--no-peer", action="store_true", help="do not run the peer again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here too")
    options = parser.parse_args(argv)
    folder = options.folder or os.environ.get("NSDGEN_PROBLEMS")
    if not folder:
        parser.error("no folder of problems: name it, or set NSDGEN_PROBLEMS")
    options.folder = Path(folder)
    options.files = sorted(options.folder.glob("*.npz"))
    if not options.files:
        parser.error(f"{folder} holds no .npz files")
    options.families = [name for name in options.family.upper().split(",") if name]
    unknown = sorted(set(options.families) - set(FAMILIES))
    if unknown:
        parser.error(f"unknown family {', '.join(unknown)}: choose from {', '.join(FAMILIES)}")
    return options


def chosen(files: Iterable[Path], families: Sequence[str]) -> list[Path]:
    """The files of these families (all where none is named), by family, size and name."""
    keyed = []
    for path in files:
        with np.load(path, allow_pickle=False) as file:
            family = str(file["family"])
            if not families or family in families:
                keyed.append((FAMILIES.index(family), len(file["q"]), path.name, path))
    return [path for *_, path in sorted(keyed)]


def main() -> int:
    """Measure, print, and say by the exit status whether everything the peer solved is solved."""
    options = arguments()
    worker = Worker(options.time_limit)
    try:
        peer = None if options.no_peer else Peer(peer_python(), PEER_LIMIT)
    except PeerMissing:
        peer = None
    outcomes = []
    for path in chosen(options.files, options.families):
        outcome = worker.measure(path)
        again = peer.seconds(path) if peer is not None and outcome.peer_solved else None
        outcomes.append(with_peer(outcome, again))
        print(f"\r{len(outcomes):4d} {path.stem:<60.60}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    worker.close()
    if peer is not None:
        peer.close()
    print(table_text([HEADINGS, *(cells(outcome) for outcome in outcomes)]))
    print("\n".join(summary(outcomes)))
    if options.json:
        options.json.write_text(json.dumps([asdict(o) for o in outcomes], indent=1) + "\n", encoding="utf-8")
    return 1 if any(o.peer_solved and not o.solved for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
