"""Friction problems of FCLIB: nsdgen beside every solver of Siconos, in times and as a performance profile.

    python benchmarks/fclib.py FOLDER [--limit 10] [--no-peer] [--profile FILE.svg]

FOLDER holds local and global problems in FCLIB's HDF5 (``.hdf5``, read by ``h5py``; global ones are condensed) and
``.npz`` files of the families FC2D, FC3D and RFC3D as in ``problem_set.py``. A solver has solved a problem where its
answer's residual by the definition there is at most 1e-8; Siconos is asked for 1e-10. Its solvers run one after the
other in a process of their own, each stopped after ``--limit`` seconds on a problem. It has none for rolling friction
from Python, and its global form is not asked. Where all were stopped, refused or missed, the ratio to the fastest is at
most own time over limit and enters the second median as that; the first one is of the problems that a peer solved.
Times are the shortest of several calls from Python: nsdgen's with its checks, certificate and answer, Siconos's of a
driver whose problem, options and arrays are there. A performance profile (Dolan and More, 2002) shows for how many
problems a solver needs at most tau times what the fastest needs; it is drawn where ``matplotlib`` is there. The exit
status is 1 where a peer solves what nsdgen does not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from contestants import PeerMissing, peer_python
from problem_set import ACCEPTED, REPEATS, Problem
from problems import Worker
from tables import table_text

FAMILIES = ("FC2D", "FC3D", "RFC3D")
OWN = "nsdgen"
SHARE = 0.2
"""Of the limit: a solver that took so long in all is not called again on the same problem."""

STARTS = 60.0
"""Seconds in which the peer's process must have started, on a machine with much else to do."""

HEADINGS = ("problem", "family", "contacts", "nsdgen µs", "fastest peer µs", "nsdgen/peer", "which")
Times = dict[str, dict[str, float]]  # problem, solver: seconds


def matrix(group: Any) -> Any:
    """A matrix of FCLIB: triplets (nz >= 0: rows i, columns p), by columns (nz = -1) or by rows (nz = -2)."""
    from scipy.sparse import coo_array, csc_array, csr_array

    shape = (int(np.ravel(group["m"])[0]), int(np.ravel(group["n"])[0]))
    count = int(np.ravel(group["nz"])[0])
    i, p, x = (np.ravel(group[name][...]) for name in ("i", "p", "x"))
    if count >= 0:
        return csr_array(coo_array((x[:count], (i[:count], p[:count])), shape=shape))
    ends = p[: (shape[1] if count == -1 else shape[0]) + 1]  # arrays may be longer than what is in them
    parts = (x[: ends[-1]], i[: ends[-1]], ends)
    return csr_array(csc_array(parts, shape=shape) if count == -1 else csr_array(parts, shape=shape))


def local_problem(problem: Any) -> tuple[Any, Any]:
    """W and q of u = W r + q; with bilateral rows V, R and s (``fclib_local``), their unknowns are eliminated."""
    from scipy.sparse.linalg import splu

    vectors, W = problem["vectors"], matrix(problem["W"])
    q = np.ravel(vectors["q"][...])
    if "R" in problem:
        V, R, s = matrix(problem["V"]), matrix(problem["R"]), np.ravel(vectors["s"][...])
        factors = splu(R.tocsc())
        W, q = W - V @ factors.solve(V.T.toarray()), q - V @ factors.solve(s)
    return W, q


def condensed_problem(problem: Any) -> tuple[Any, Any]:
    """W = H^T M^-1 H and q = H^T M^-1 f + w of M v = H r + f, u = H^T v + w (``fclib_global``)."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import splu

    vectors = problem["vectors"]
    if "G" in problem and np.ravel(problem["G"]["n"])[0] > 0:
        raise ValueError("a global problem with bilateral rows G is not read")
    M, H = matrix(problem["M"]), matrix(problem["H"])
    factors = splu(M.tocsc())
    W = csr_array(H.T @ factors.solve(H.toarray()))
    return W, H.T @ factors.solve(np.ravel(vectors["f"][...])) + np.ravel(vectors["w"][...])


def converted(path: Path, folder: Path) -> Path:
    """A problem of FCLIB, local or global, as an ``.npz`` file of its own in a folder."""
    import h5py
    from scipy.sparse import csr_array

    with h5py.File(path) as file:
        problem = file["fclib_local"] if "fclib_local" in file else file["fclib_global"]
        W, q = local_problem(problem) if "fclib_local" in file else condensed_problem(problem)
        dimension, mu = int(np.ravel(problem["spacedim"])[0]), np.ravel(problem["vectors"]["mu"][...])
    target, W = folder / f"{path.stem}.npz", csr_array(W)
    parts = {"W_data": W.data, "W_indices": W.indices, "W_indptr": W.indptr, "W_shape": W.shape}
    np.savez(target, family=f"FC{dimension}D", dim=dimension, q=q, mu=mu, **parts)
    return target


def found(folder: Path, scratch: Path) -> list[Path]:
    """All problems of the folder as ``.npz`` files, small ones first."""
    paths = [converted(path, scratch) for path in sorted(folder.rglob("*.hdf5"))]
    for path in sorted(folder.rglob("*.npz")):
        with np.load(path, allow_pickle=False) as file:
            if "family" in file and str(file["family"]) in FAMILIES:
                paths.append(path)
    return sorted(paths, key=lambda path: (path.stem[:4], len(Problem(path).q), path.stem))


class Siconos:
    """Its solvers, in a process of their own Python that is replaced where one takes too long."""

    def __init__(self, limit: float) -> None:
        self._command = [peer_python(), str(Path(__file__).parent / "peer" / "friction.py")]
        self._limit = limit
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, request: dict[str, Any], patience: float = STARTS) -> dict[str, Any]:
        """Its answer, empty where there is none after so many seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:  # it died of the request before, or was stopped while it answered
            self.close()
            self._start()
            self.solvers(Path(request["path"]))
            return self.ask(request, patience)
        timer = threading.Timer(patience, self._process.kill)
        timer.start()
        reply = next((line[5:] for line in self._process.stdout if line.startswith("PEER ")), None)
        timer.cancel()
        if reply is None:
            self.close()
            self._start()
            return {}
        return json.loads(reply)  # type: ignore[no-any-return]

    def solvers(self, path: Path) -> list[str]:
        """Those that it has for a problem: none for rolling friction, nor for what is too large for it."""
        return self.ask({"path": str(path)}).get("solvers", [])  # type: ignore[no-any-return]

    def times(self, path: Path) -> dict[str, float]:
        """Of the solvers that solve the problem within the limit, and none of the others."""
        times, problem = {}, Problem(path)
        for name in self.solvers(path):
            request = {"path": str(path), "solver": name, "repeats": REPEATS[1], "slow": SHARE * self._limit}
            reply = self.ask(request, self._limit)
            if not reply:  # stopped: what a new process needs to start is nobody's
                self.solvers(path)
            if "z" in reply and problem.nat_scaled(np.array(reply["z"], dtype=float)) <= ACCEPTED:
                times[name] = float(reply["seconds"])
        return times

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def row(path: Path, times: dict[str, float]) -> tuple[str, ...]:
    """One problem of the table."""
    problem = Problem(path)
    peers = {name: seconds for name, seconds in times.items() if name != OWN}
    which = min(peers, key=lambda name: peers[name]) if peers else "-"
    own, best = times.get(OWN), peers.get(which)
    return (
        path.stem, problem.family, str(len(problem.data["mu"])), "-" if own is None else f"{1e6 * own:.1f}",
        "-" if best is None else f"{1e6 * best:.1f}", f"{own / best:.2f}" if own and best else "-", which,
    )  # fmt: skip


def draw(times: Times, target: Path) -> None:
    """The performance profile."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = sorted({name for known in times.values() for name in known}, key=lambda name: (name != OWN, name))
    best = {problem: min(known.values()) for problem, known in times.items() if known}
    figure, axes = plt.subplots(figsize=(8.5, 4.5))
    grid = np.logspace(0.0, 4.0, 200)
    for name in names:
        ratios = np.array([times[problem].get(name, np.inf) / least for problem, least in best.items()])
        share = (ratios[:, None] <= grid).mean(axis=0)
        axes.step(grid, share, where="post", label=name, linewidth=2.5 if name == OWN else 1.0)
    axes.set(xscale="log", xlabel="tau, times the fastest", ylabel="share of problems solved", ylim=(0.0, 1.02))
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    figure.savefig(target)


def main() -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description="Friction problems of FCLIB beside Siconos.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of all peers on one problem (default 10)")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--profile", type=Path, metavar="FILE")
    options = parser.parse_args()
    try:
        peer = None if options.no_peer else Siconos(options.limit)
    except PeerMissing:
        peer = None
    worker, times, rows, asked = Worker(60.0), {}, [], []
    with tempfile.TemporaryDirectory() as scratch:
        for path in found(options.folder, Path(scratch)):
            outcome = worker.measure(path)
            known = {OWN: outcome.call_seconds} if outcome.solved and outcome.call_seconds else {}
            times[path.stem] = known | (peer.times(path) if peer else {})
            if peer and peer.solvers(path):
                asked.append(path.stem)
            rows.append(row(path, times[path.stem]))
            print("  ".join(rows[-1]), flush=True)
    worker.close()
    if peer:
        peer.close()
    print(table_text([HEADINGS, *rows]))
    solved = {name: sum(name in known for known in times.values()) for known in times.values() for name in known}
    print(f"{len(times)} problems; solved: " + ", ".join(f"{name} {solved[name]}" for name in sorted(solved)))
    ratios = [float(cells[5]) for cells in rows if cells[5] != "-"]
    if ratios:
        print(
            f"nsdgen beside the fastest peer of the {len(ratios)} problems that one solves: median {median(ratios):.2f}"
        )
        all_asked = ratios + [times[name][OWN] / options.limit for name in asked if set(times[name]) == {OWN}]
        print(
            f"of all {len(all_asked)} that peers were asked, where none solved at most own time over limit: "
            f"median {median(all_asked):.2f}"
        )
    if options.profile and times:
        draw(times, options.profile)
    return 1 if any(known and OWN not in known for known in times.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
