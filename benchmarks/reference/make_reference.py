"""Make the reference data of the repository's tests: run by hand, the results are kept.

    python benchmarks/reference/make_reference.py [--tables FOLDER] [--out tests/data]

Every problem is computed twice by programs that share nothing with nsdgen: a scalar recursion
(``recursions.py``) and a run of Siconos. Where the two disagree nothing is written. What is
written are the recursion's values, with the agreement in the file's provenance. ``--tables``
names a folder of further tables of the same problems (``<case>/reference.npz`` with ``data``
and ``rows``), which are compared too and never written.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from recursions import Ball, Bridge, Cam, Table, ball, cam_follower, diode_bridge

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the peer is run as in the benchmarks

from contestants import CASES, Peer

HERE = Path(__file__).resolve().parent
AGREE = 1e-9
"""Recursion and peer must agree to this, relative to the largest value of a column."""


@dataclass(frozen=True)
class Problem:
    """A recursion, the peer's script for it, and what is kept of it.

    ``table`` is the name of a published table, ``compare`` pairs its columns with ours and a
    sign; ``tolerance`` is relative to the largest value of a column. ``file`` is empty where
    nothing is written.
    """

    name: str
    case: str
    run: Callable[[int, float], Table]
    parameters: dict[str, float]
    steps: int
    h: float
    columns: tuple[str, ...]
    table: str
    compare: tuple[tuple[int, int, float], ...]
    tolerance: float
    file: str = ""


def cam_problem(rpm: int) -> Problem:
    """The cam follower at one speed."""
    cam = Cam(omega=2 * math.pi * rpm / 60)
    parameters = {("R_b" if k == "base" else k): v for k, v in asdict(cam).items()}
    return Problem(
        f"cam follower, {rpm} rpm",
        "cam_follower",
        lambda n, h: cam_follower(cam, n, h),
        {**parameters, "zeta": 0.0},
        50_000,
        1e-4,
        ("u", "v", "impulse"),
        f"cam_follower_driven_{rpm}",
        ((1, 0, 1), (2, 1, 1), (3, 2, 1)),
        1e-8,
        f"cam_follower_{rpm}.npz",
    )


def problems() -> list[Problem]:
    """All of them."""
    bridge_columns = ("v", "i", "lam0", "lam1", "lam2", "lam3")
    return [
        Problem(
            "bouncing ball",
            "ball",
            lambda n, h: ball(Ball(), n, h),
            asdict(Ball()),
            2000,
            5e-3,
            ("z", "z_dot", "impulse"),
            "bouncing_ball_ts",
            ((1, 0, 1), (2, 1, 1), (3, 2, 1)),
            1e-12,
        ),
        cam_problem(358),
        cam_problem(700),
        Problem(
            "diode bridge",
            "diode_bridge",
            lambda n, h: diode_bridge(Bridge(), n, h),
            asdict(Bridge()),
            4999,
            1e-6,
            bridge_columns,
            "diode_bridge",
            ((1, 0, 1), (2, 1, 1), (4, 2, -1), (5, 3, -1), (6, 4, 1)),
            1e-11,
            "diode_bridge.npz",
        ),
    ]


def apart(one: Table, other: Table, size: Table) -> float:
    """The largest difference relative to the size of its column."""
    return float((np.abs(one - other).max(axis=0) / np.where(size > 0, size, 1.0)).max())


def peer_table(problem: Problem) -> tuple[Table, str]:
    """The same run by the peer, and the peer's version."""
    case = next(c for c in CASES if c.name == problem.case)
    with tempfile.TemporaryDirectory() as folder:
        peer = Peer(case, problem.parameters, problem.h, Path(folder))
        try:
            return peer.record(problem.steps), peer.version
        finally:
            peer.close()


def published_difference(problem: Problem, mine: Table, tables: Path) -> float:
    """How far a published table is from ours."""
    stored = np.load(tables / problem.table / "reference.npz")
    theirs, rows = stored["data"], stored["rows"]
    there = np.column_stack([sign * theirs[:, c] for c, _, sign in problem.compare])
    places = [own for _, own, _ in problem.compare]
    return apart(mine[np.ix_(rows, places)], there, np.abs(mine[:, places]).max(axis=0))


def kept_steps(problem: Problem, table: Table) -> np.ndarray:
    """The steps to keep: all of a short run; of a long one every 50th, 500 landings and the end.

    A landing is a step with an impulse after one without: there the trajectory is sensitive.
    """
    last = problem.steps
    if last < 10_000:
        return np.arange(last + 1)
    landings = 1 + np.flatnonzero((table[1:, -1] > 0) & (table[:-1, -1] == 0))
    spread = landings[np.linspace(0, len(landings) - 1, min(500, len(landings))).astype(int)]
    return np.unique(np.concatenate([np.arange(0, last + 1, 50), spread, np.arange(last - 100, last + 1)]))


def write(problem: Problem, table: Table, peer: str, to_peer: float, out: Path) -> Path:
    """Write what is kept of a run, with where it comes from."""
    steps = kept_steps(problem, table)
    words = (
        f"{problem.name}: {problem.steps} steps of h = {problem.h:g} s by the scalar recursion in "
        f"benchmarks/reference/recursions.py; a run of {peer} of the same problem agrees over all steps to "
        f"{to_peer:.1e} of each column's maximum. Parameters: {problem.parameters}. "
        "Made by benchmarks/reference/make_reference.py; row k holds step steps[k]."
    )
    path = out / problem.file
    np.savez_compressed(
        path,
        steps=steps.astype(np.int32),
        h=np.array(problem.h),
        columns=np.array(problem.columns),
        data=table[steps],
        provenance=np.array(words),
    )
    return path


def make(problem: Problem, tables: Path | None, out: Path) -> bool:
    """Compute, compare, print and write one problem; whether everything agreed."""
    mine = problem.run(problem.steps, problem.h)
    theirs, version = peer_table(problem)
    to_peer = apart(mine, theirs, np.abs(mine).max(axis=0))
    good = to_peer <= AGREE
    line = f"{problem.name:<24} recursion - Siconos {to_peer:.1e} (allowed {AGREE:.0e})"
    if tables is not None:
        to_table = published_difference(problem, mine, tables)
        good = good and to_table <= problem.tolerance
        line += f", recursion - table {to_table:.1e} (allowed {problem.tolerance:.0e})"
    print(line)
    if good and problem.file:
        path = write(problem, mine, f"Siconos {version}", to_peer, out)
        print(f"{'':<24} wrote {path.name}, {path.stat().st_size / 1000:.0f} kB, {len(np.load(path)['steps'])} rows")
    return good


def main() -> int:
    """Make all reference data; 1 where something disagrees."""
    parser = argparse.ArgumentParser(description="Make the reference data of the tests.")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="further tables to compare with")
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "tests" / "data")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    agreed = [make(problem, options.tables, options.out) for problem in problems()]
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
