"""Stored one-step problems: reading them, solving them, and their residual by its definition.

A problem is one ``.npz`` file: ``family``, the matrix ``M`` or ``W`` (dense, or CSR in
``M_data, M_indices, M_indptr, M_shape``), ``q`` and what the family needs:

    LCP                 nothing
    MLCP                is_equality (n)
    RELAY               lb, ub (n)
    FC2D, FC3D, RFC3D   dim, mu (contacts), mu_r (contacts, RFC3D)
    GMP                 block_ptr, block_type (0 complementarity, 2 equality, 4 contact), block_mu

The residual is ``nat_scaled``: the largest entry of z - P_K(z - w / rho), contacts with the
De Saxcé velocity, rho = max|M|, relative to max|q| / max|M| (relay: to the largest bound).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Vector = NDArray[np.float64]

FAMILIES = ("LCP", "MLCP", "RELAY", "FC2D", "FC3D", "RFC3D", "GMP")
ACCEPTED = 1e-8
REPEATS = (3, 400)  # solves of a problem: at least, where they are not slow, and at most
SLOW, ENOUGH = 5.0, 0.2  # seconds after which not even the least number, and no more than it, are made


@dataclass(frozen=True)
class Outcome:
    """What one problem gave; times in seconds, ``reason`` empty where it is solved.

    ``peer_again``: the peer's time is of the same run, not the stored one.
    """

    name: str
    family: str
    size: int
    solver: str
    nat_scaled: float | None
    seconds: float | None
    call_seconds: float | None
    peer_seconds: float | None
    peer_solved: bool
    reason: str
    peer_again: bool = False

    @property
    def solved(self) -> bool:
        """Whether a solution was returned and its residual is small enough."""
        return not self.reason


class Problem:
    """One stored problem."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            self.data = {key: file[key] for key in file.files}
        self.name = path.stem
        self.family = str(self.data["family"])
        self.q: Vector = self.data["q"].astype(float)
        self.matrix = self._matrix("W" if self.family in ("FC2D", "FC3D", "RFC3D") else "M")

    def _matrix(self, key: str) -> Any:
        if key in self.data:
            return self.data[key].astype(float)
        parts = (self.data[f"{key}_{part}"] for part in ("data", "indices", "indptr"))
        return csr_array(tuple(parts), shape=tuple(self.data[f"{key}_shape"]))

    def call(self) -> Callable[[], Any]:
        """What solves it by the automatic choice, once for each call: a function and its arguments."""
        from nsdgen import solvers

        data = self.data
        if self.family == "LCP":
            return partial(solvers.solve_lcp, self.matrix, self.q)
        if self.family == "MLCP":
            return partial(solvers.solve_mlcp, self.matrix, self.q, data["is_equality"].astype(bool))
        if self.family == "RELAY":
            return partial(solvers.solve_box, self.matrix, self.q, data["lb"], data["ub"])
        if self.family == "GMP":
            return partial(solvers.solve_mixed, self.matrix, self.q, self.blocks())
        rolling = {"mu_rolling": data["mu_r"]} if self.family == "RFC3D" else {}
        return partial(solvers.solve_friction, self.matrix, self.q, data["mu"], int(data["dim"]), **rolling)

    def solve(self) -> Any:
        """A ``Solution`` by the automatic choice."""
        return self.call()()

    def blocks(self) -> list[tuple[str, Any, Any]]:
        """The blocks of a GMP for ``solve_mixed``."""
        cones = {0: "complementarity", 2: "equality", 4: "friction"}
        ends = self.data["block_ptr"]
        return [
            (cones[int(kind)], slice(int(first), int(last)), float(mu) if kind == 4 else None)
            for first, last, kind, mu in zip(
                ends[:-1], ends[1:], self.data["block_type"], self.data["block_mu"], strict=True
            )
        ]

    def nat_scaled(self, z: Vector) -> float:
        """The residual, from the data and z alone."""
        w = self.matrix @ z + self.q
        largest = float(abs(self.matrix).max()) or 1.0
        size_w = float(np.abs(self.q).max(initial=0.0)) or 1.0
        size_z = size_w / largest
        if self.family == "RELAY":
            bounds = np.concatenate([self.data["lb"], self.data["ub"]])
            size_z = float(np.abs(bounds[np.isfinite(bounds)]).max(initial=0.0)) or size_z
            size_w = max(size_w, largest * size_z)
        return float(np.abs(self._natural_map(z, w, size_w / size_z)).max(initial=0.0)) / size_z

    def _natural_map(self, z: Vector, w: Vector, rho: float) -> Vector:
        data = self.data
        if self.family == "LCP":
            return np.minimum(z, w / rho)
        if self.family == "MLCP":
            return np.where(data["is_equality"].astype(bool), w / rho, np.minimum(z, w / rho))
        if self.family == "RELAY":
            return z - np.clip(z - w / rho, data["lb"], data["ub"])
        if self.family != "GMP":
            dim = int(data["dim"])
            rolling = data.get("mu_r", np.zeros(len(data["mu"])))
            contacts = zip(z.reshape(-1, dim), w.reshape(-1, dim), data["mu"], rolling, strict=True)
            return np.concatenate([_contact_map(r, u, mu, mu_r, rho) for r, u, mu, mu_r in contacts])
        value = np.empty_like(z)
        for cone, rows, mu in self.blocks():
            if cone == "friction":
                value[rows] = _contact_map(z[rows], w[rows], mu, 0.0, rho)
            else:
                value[rows] = w[rows] / rho if cone == "equality" else np.minimum(z[rows], w[rows] / rho)
        return value


def _contact_map(r: Vector, u: Vector, mu: float, mu_rolling: float, rho: float) -> Vector:
    """The natural map of one contact: rows normal, one or two tangents, none or two rotations."""
    slip, spin = float(np.linalg.norm(u[1:3])), float(np.linalg.norm(u[3:5]))
    trial = r - u / rho
    trial[0] -= (mu * slip + mu_rolling * spin) / rho
    return r - _project(trial, mu, mu_rolling)


def _project(x: Vector, mu: float, mu_rolling: float) -> Vector:
    """On the cone |x_T| <= mu x_N, |x_R| <= mu_rolling x_N.

    The height t of the projection minimises (t - x_N)^2 plus the squares of what each part
    exceeds its limit by: a convex function, quadratic between at most two breaks, so that
    the best of the minimisers of all pieces is it.
    """
    parts = [(mu, x[1:3])] + ([(mu_rolling, x[3:5])] if len(x) == 5 else [])
    sizes = [(slope, float(np.linalg.norm(part))) for slope, part in parts]

    def excess(t: float) -> float:
        return (t - x[0]) ** 2 + sum(max(0.0, size - slope * t) ** 2 for slope, size in sizes)

    heights = [0.0]
    for chosen in range(2 ** len(sizes)):
        active = [pair for i, pair in enumerate(sizes) if chosen >> i & 1]
        total = x[0] + sum(slope * size for slope, size in active)
        heights.append(max(float(total / (1.0 + sum(slope**2 for slope, _ in active))), 0.0))
    height = min(heights, key=excess)
    shortened = [
        part * (slope * height / size if size > slope * height else 1.0)
        for (slope, part), (_, size) in zip(parts, sizes, strict=True)
    ]
    return np.concatenate([[height], *shortened])


def measure(path: Path) -> Outcome:
    """Solve one problem a few times; the shortest times."""
    from nsdgen.errors import NsdgenError

    problem = Problem(path)
    inside, outside, solution, reason = [], [], None, ""
    try:
        call = problem.call()
        while len(outside) < REPEATS[sum(outside) < ENOUGH] and sum(outside) < SLOW:
            busy, started = process_time(), perf_counter()  # which takes much less long to read
            solution = call()
            outside.append(perf_counter() - started)
            busy = process_time() - busy
            # Where other processes interrupt a long solve, its processor time bounds what it took.
            inside.append(min(solution.seconds, busy))
    except NsdgenError as error:
        reason = getattr(error, "reason", "") or str(error)
    except (ImportError, AttributeError):
        reason = "no solver yet"
    residual = None if solution is None or reason else problem.nat_scaled(solution.z)
    if residual is not None and not residual <= ACCEPTED:
        reason = f"nat_scaled {residual:.1e}"
    peer = problem.data.get("siconos_fastest_seconds")
    return Outcome(
        problem.name, problem.family, len(problem.q), solution.solver if solution is not None else "-", residual,
        min(inside, default=None), min(outside, default=None), None if peer is None else float(peer),
        bool(problem.data.get("siconos_converged", False)), reason,
    )  # fmt: skip
