"""Dense friction problems from one contact to 300: the whole call of ``solve_friction`` beside the peer's drivers.

    python benchmarks/dense_friction.py [--dim 2] [--sizes 10,30] [--seeds 3] [--no-peer] [--json FILE]

W = H H^T / m with random H (n, m): "regular" has twice as many motions m as rows, "shared" two for three rows,
so that reactions are not unique. q = H v of random motions that close about two contacts of three: by a theorem each
has a solution. Times are the shortest of repeated calls from zero, of the whole call here (checks, solution,
certificate) and around the C driver of the peer, in a process of its own. The peer runs each of its solvers that can,
with its own tolerance at 1e-8, and where its answer is not right to ten times that in the certificate of nsdgen, which
both answers are judged by, at 1e-9 and 1e-10; its fastest one counts. Exit status 1 where a problem is not solved.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from contestants import PeerMissing, peer_python
from numpy.typing import NDArray
from tables import table_text

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_friction
from nsdgen.solvers.mixed.cone_parts import friction_residual

Vector = NDArray[np.float64]
SIZES = (1, 3, 10, 30, 100, 300)
MOTIONS = {"regular": 2.0, "shared": 2.0 / 3.0}  # for each row
SOLVERS = {2: ("NSGS", "LEMKE", "CPG"), 3: ("NSGS", "NSN_AC", "NSN_NM", "ADMM", "DSFP", "VI_EG")}
TOLERANCES = (1e-8, 1e-9, 1e-10)
ACCEPTED = 1e-7
MU = 0.5
ENOUGH, LEAST, MOST = 0.15, 4, 2000  # seconds of calls, and calls
PEER_LIMIT = 15.0  # seconds for one request


def problem(kind: str, dim: int, count: int, seed: int) -> tuple[Vector, Vector, Vector]:
    """(W, q, mu) of ``count`` contacts; the same for the same arguments."""
    rng = np.random.default_rng([seed, dim, count, sorted(MOTIONS).index(kind)])
    n = dim * count
    motions = max(1, round(MOTIONS[kind] * n))
    directions = rng.normal(size=(n, motions))
    velocity = rng.normal(size=motions)
    closing = np.where(rng.random(count) < 0.67, 1.0, -1.0)
    directions[::dim] *= -(closing * np.sign(directions[::dim] @ velocity))[:, None]
    return directions @ directions.T / motions, directions @ velocity / np.sqrt(motions), np.full(count, MU)


def shortest(call: Any) -> float:
    """Seconds of the shortest of repeated calls."""
    times: list[float] = []
    while len(times) < MOST and (sum(times) < ENOUGH or len(times) < LEAST):
        busy = process_time()
        began = perf_counter()
        call()
        passed = perf_counter() - began
        # Where other processes interrupt a long call, its processor time bounds what it took.
        times.append(min(passed, process_time() - busy))
    return min(times)


class Peer:
    """The peer's drivers in a process of its own Python."""

    def __init__(self, python: str) -> None:
        self._command = [python, str(Path(__file__).parent / "peer" / "dense_friction.py")]
        self._process: Any = None

    def ask(self, path: Path, dim: int, solver: str, tolerance: float) -> dict[str, Any]:
        """{"seconds", "z"}, or {"error"}."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        process = self._process
        request = {"path": str(path), "dim": dim, "solver": solver, "tolerance": tolerance}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        timer = threading.Timer(PEER_LIMIT, process.kill)
        timer.start()
        reply = next((line[5:] for line in process.stdout if line.startswith("PEER ")), None)
        timer.cancel()
        if reply is None:
            process.wait()
            self._process = None
            return {"error": "over the limit, or died"}
        return dict(json.loads(reply))

    def fastest(self, path: Path, dim: int) -> tuple[float, str]:
        """Seconds and name of the fastest solver whose answer is one; infinite without one."""
        with np.load(path) as file:
            W, q, mu = file["W"], file["q"], file["mu"]
        best, name = float("inf"), "-"
        for solver in SOLVERS[dim]:
            for tolerance in TOLERANCES:
                reply = self.ask(path, dim, solver, tolerance)
                if "error" in reply:
                    break
                off = friction_residual(W, q, mu[:, None], np.array(reply["z"]), dim).max()
                if off <= ACCEPTED:
                    if reply["seconds"] < best:
                        best, name = reply["seconds"], solver
                    break
        return best, name


def measured(kind: str, dim: int, count: int, seed: int, peer: Peer | None, folder: Path) -> dict[str, Any]:
    """One problem: times, residual, the peer's."""
    W, q, mu = problem(kind, dim, count, seed)
    row: dict[str, Any] = {"kind": kind, "dim": dim, "contacts": count, "seed": seed}
    try:
        solution = solve_friction(W, q, mu, dim)
        row["seconds"] = shortest(lambda: solve_friction(W, q, mu, dim))
        row["inside"], row["method"], row["residual"] = solution.seconds, solution.solver, solution.residual
    except SolverError as error:
        row["seconds"], row["inside"], row["method"], row["residual"] = np.inf, np.inf, error.reason, np.inf
    row["peer"], row["peer solver"] = float("nan"), "-"
    if peer is not None:
        path = folder / "problem.npz"
        np.savez(path, W=W, q=q, mu=mu)
        row["peer"], row["peer solver"] = peer.fastest(path, dim)
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """A line for each kind, dimension and size: medians over the seeds."""
    lines = [("problems", "contacts", "solved by", "call ms", "peer ms", "its solver", "call/peer", "worst")]
    keys = list(dict.fromkeys((row["kind"], row["dim"], row["contacts"]) for row in rows))
    for kind, dim, count in keys:
        group = [row for row in rows if (row["kind"], row["dim"], row["contacts"]) == (kind, dim, count)]
        ratios = [row["seconds"] / row["peer"] for row in group]
        lines.append((
            f"{kind}, {'plane' if dim == 2 else 'space'}", str(count),
            "/".join(sorted({row["method"] for row in group})),
            f"{1e3 * np.median([row['seconds'] for row in group]):.3g}",
            f"{1e3 * np.median([row['peer'] for row in group]):.3g}",
            "/".join(sorted({row["peer solver"] for row in group})),
            f"{np.median(ratios):.2f}", f"{max(ratios):.2f}",
        ))  # fmt: skip
    return table_text(lines)


def main() -> int:
    """Measure and print; whether all were solved."""
    parser = argparse.ArgumentParser(description="Dense friction problems: the whole call beside the peer's drivers.")
    parser.add_argument("--dim", default="2,3", help="rows of a contact, 2 or 3 or both (default both)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="contacts, separated by commas")
    parser.add_argument("--kinds", default=",".join(MOTIONS), help=f"of {', '.join(MOTIONS)}")
    parser.add_argument("--seeds", type=int, default=3, help="problems of each kind and size (default 3)")
    parser.add_argument("--no-peer", action="store_true", help="do not run the peer")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here too")
    options = parser.parse_args()
    try:
        peer = None if options.no_peer else Peer(peer_python())
    except PeerMissing as missing:
        print(f"without the peer: {missing}", file=sys.stderr)
        peer = None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for dim in map(int, options.dim.split(",")):
            for kind in options.kinds.split(","):
                for count in map(int, options.sizes.split(",")):
                    for seed in range(options.seeds):
                        rows.append(measured(kind, dim, count, seed, peer, Path(folder)))
    print(table(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if any(not np.isfinite(row["seconds"]) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
