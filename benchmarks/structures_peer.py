"""Heaps with mass ratios and masonry arches: what ``solve_friction`` solves, and what the peer's solvers do.

    python benchmarks/structures_peer.py [--heaps 40] [--arches 40] [--seed 0] [--no-peer]

A heap is three bodies in space with five contacts in random directions and masses up to ``RATIOS`` apart, moving at
random; an arch is one of ``attacks/structures.py``, its contacts written with three rows so that all of the peer's
solvers can try (the second tangent moves nothing). By a theorem each has a solution. "Solved" is judged by
``judge.py``, law by law, to 1e-7, for both; the peer's solvers are asked for 1e-8, and where that is not right for
1e-10. Times are of the shortest of repeated calls, the peer's around its C driver. Exit status 1 where a solver of
the peer solves what nsdgen does not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np
from attacks.problem import Rng, Vector
from attacks.structures import arch_parts
from contestants import PeerMissing, peer_python
from dense_friction import Peer
from judge import contacts, judge
from tables import table_text

from nsdgen.errors import SolverError
from nsdgen.solvers import solve_friction

PEERS = ("NSGS", "NSN_AC", "PROX", "ADMM")
TOLERANCES = (1e-8, 1e-10)
RATIOS = (1e0, 1e2, 1e4, 1e6)
RIGHT = 1e-7
DIM = 3
Problem = tuple[Vector, Vector, Vector]


def heap(rng: Rng, ratio: float) -> Problem:
    """(W, q, mu) of five contacts between three bodies and the ground."""
    mass = np.repeat(ratio ** rng.uniform(0, 1, 3), 6) * np.tile([1, 1, 1, 0.1, 0.1, 0.1], 3)
    H = np.zeros((18, 5 * DIM))
    pairs = [(0, None), (1, 0), (2, 1), (2, 0), (1, None)]
    for k, (one, other) in enumerate(pairs):
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        for body, sign in ((one, 1.0), (other, -1.0)):
            if body is not None:
                arm = rng.normal(size=3)
                wrench = np.vstack([frame, np.cross(arm, frame.T).T])
                H[6 * body : 6 * body + 6, DIM * k : DIM * k + DIM] = sign * wrench
    return H.T @ (H / mass[:, None]), H.T @ rng.normal(size=18), np.full(5, rng.uniform(0.1, 1.2))


def arch(rng: Rng) -> Problem:
    """(W, q, mu) of an arch, with a second tangent that moves nothing."""
    scene, v, mu = arch_parts(rng, False)
    H = scene.directions().toarray()
    W, q, count = H.T @ (H / scene.mass()[:, None]), H.T @ v, len(mu)
    planar = (DIM * np.arange(count)[:, None] + np.arange(2)).ravel()
    whole, load = np.eye(DIM * count) * np.diag(W).mean(), np.zeros(DIM * count)
    whole[np.ix_(planar, planar)], load[planar] = W, q
    return whole, load, mu


@dataclass
class Line:
    """What became of the problems of one kind, by solver."""

    name: str
    problems: int = 0
    solved: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)  # the peer solves them, nsdgen does not

    def add(self, solver: str, seconds: float) -> None:
        self.solved[solver] += 1
        self.seconds.setdefault(solver, []).append(seconds)


def own_seconds(problem: Problem) -> float | None:
    """Of the shortest of three calls of nsdgen whose answer is right; None where it refuses or is wrong."""
    W, q, mu = problem
    times = []
    for _ in range(3):
        began = perf_counter()
        try:
            found = solve_friction(W, q, mu, DIM)
        except SolverError:
            return None
        times.append(perf_counter() - began)
    right = judge(W, q, contacts(mu, DIM, len(mu)), found.z).worst <= RIGHT
    return min(times) if right else None


def peer_seconds(peer: Peer, problem: Problem, solver: str, path: Path) -> float | None:
    """The same of one of the peer's solvers."""
    W, q, mu = problem
    np.savez(path, W=W, q=q, mu=mu)
    for tolerance in TOLERANCES:
        reply = peer.ask(path, DIM, solver, tolerance)
        if "error" in reply:
            return None
        if judge(W, q, contacts(mu, DIM, len(mu)), np.array(reply["z"])).worst <= RIGHT:
            return float(reply["seconds"])
    return None


def compared(name: str, problems: list[Problem], peer: Peer | None, path: Path) -> Line:
    """All solvers on all problems of a kind."""
    line = Line(name, len(problems))
    for number, problem in enumerate(problems):
        own = own_seconds(problem)
        if own is not None:
            line.add("nsdgen", own)
        for solver in PEERS if peer else ():
            theirs = peer_seconds(peer, problem, solver, path)  # type: ignore[arg-type]
            if theirs is not None:
                line.add(solver, theirs)
                if own is None and number not in line.lost:
                    line.lost.append(number)
    return line


def table(lines: list[Line]) -> str:
    """Solved problems and median milliseconds of each solver."""
    names = ("nsdgen", *PEERS)
    rows = [("problems", "of", *(f"{name}: solved, ms" for name in names))]
    for line in lines:
        cells = (
            f"{line.solved[name]}, {1e3 * np.median(line.seconds[name]):.2g}" if line.solved[name] else "0"
            for name in names
        )
        rows.append((line.name, str(line.problems), *cells))
    return table_text(rows)


def main() -> int:
    """Compare and print; whether the peer solves anything that nsdgen does not."""
    parser = argparse.ArgumentParser(description="Heaps with mass ratios and masonry arches beside the peer's solvers.")
    parser.add_argument("--heaps", type=int, default=40, help="of each mass ratio (default 40)")
    parser.add_argument("--arches", type=int, default=40, help="of 1 to 12 voussoirs (default 40)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-peer", action="store_true", help="do not run the peer")
    options = parser.parse_args()
    try:
        peer = None if options.no_peer else Peer(peer_python())
    except PeerMissing as missing:
        print(f"without the peer: {missing}", file=sys.stderr)
        peer = None
    kinds: dict[str, list[Problem]] = {}
    for ratio in RATIOS:
        rng = np.random.default_rng([options.seed, round(np.log10(ratio))])
        kinds[f"heaps, masses {ratio:.0e} apart"] = [heap(rng, ratio) for _ in range(options.heaps)]
    rng = np.random.default_rng([options.seed, 99])
    kinds["masonry arches"] = [arch(rng) for _ in range(options.arches)]
    with tempfile.TemporaryDirectory() as folder:
        lines = [compared(name, problems, peer, Path(folder) / "problem.npz") for name, problems in kinds.items()]
    print(table(lines))
    for line in lines:
        if line.lost:
            print(f"{line.name}: solved by the peer alone: {', '.join(map(str, line.lost))}")
    return 1 if any(line.lost for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
