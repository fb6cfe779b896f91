"""The nearest configuration in which constraints hold and stops are kept: Newton's method with least steps.

In coordinates z = L^T x, in which lengths are those of the mass, every step solves

    min |z - d|   with   J z = -r,   G z >= -g

d the way back to where the search began: J z = -r by the least step (a Gauss-Newton step), the rest in the null space
of J, where the stops that it would break are a problem of least distance (C. L. Lawson and R. J. Hanson, Solving Least
Squares Problems, 1974, chapter 23). A step that does not help is shortened, then damped.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize

from nsdgen.analysis.constrained_motion import ConstrainedMotion, Rows, stacked

RANK = 1e-9
"""Of rows of length 1: what is less is zero, to the accuracy of constraints that are met."""

_HOLDS = 1e-10
"""Of the largest coordinate, or of 1: a hundredth of what a run accepts at its start."""

_ITERATIONS = 60
"""Steps with the way back among them; Newton's method alone takes five to ten."""

_TRIES = 8
"""Other places to begin at where a search is stuck: those that lead anywhere were found by the third."""

_FARTHEST = 0.5
"""Half a radian: Newton's method for joints knows little of what is farther away."""

_DAMPED = 1e3
"""Where the way to mend rows is a thousandth of itself, the search is stuck."""


@dataclass(frozen=True)
class LeastMotion:
    """A configuration; whether all rows hold there and stops are kept, and the rows, those of broken stops last."""

    q: np.ndarray
    holds: bool
    rows: Rows


def least_motion(motion: ConstrainedMotion, held: Callable[[np.ndarray], Rows], start: np.ndarray) -> LeastMotion:
    """The configuration nearest to ``start`` in which the rows are zero; begun elsewhere, too, where that is stuck."""
    search = _LeastSearch(motion, held, start)
    best = search.begun_at(start)
    random = np.random.default_rng(0)
    for n in range(_TRIES):
        if best.holds:
            break
        L = motion.weight(start)
        missing = np.linalg.norm(scaled(best.rows, L)[0])
        way = random.normal(size=len(L)) * (n + 1) * missing / np.sqrt(len(L))
        found = search.begun_at(motion.moved(start, _unscaled(L, way)))
        if found.holds or np.linalg.norm(found.rows.values) < 0.9 * np.linalg.norm(best.rows.values):
            best = found
    return best


def scaled(rows: Rows, L: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """r and J over z, with rows of J of length 1: r are then lengths of the steps that mend them."""
    J = scipy.linalg.solve_triangular(L, rows.gradients.T, lower=True).T
    size = np.linalg.norm(J, axis=1)
    size = np.where(size > RANK * size.max(initial=0.0), size, 1.0)
    return rows.values / size, J / size[:, np.newaxis]


def _unscaled(L: np.ndarray, z: np.ndarray) -> np.ndarray:
    found: np.ndarray = scipy.linalg.solve_triangular(L, z, lower=True, trans=1)
    return found


@dataclass(frozen=True)
class _LeastSearch:
    """What is to hold, and where the way back leads."""

    motion: ConstrainedMotion
    held: Callable[[np.ndarray], Rows]
    start: np.ndarray

    def begun_at(self, q: np.ndarray) -> LeastMotion:
        """Steps until nothing moves, or nothing helps; then Newton's method to rounding."""
        damping = 0.0
        for _ in range(_ITERATIONS):
            L = self.motion.weight(q)
            r, J = scaled(self.held(q), L)
            g, G = scaled(self.motion.stops(q), L)
            back = L.T @ self.motion.between(q, self.start)
            z = self._shortened(q, L, _step(r, J, g, G, back, damping))
            length, before = float(np.linalg.norm(z)), _violation(r, g)
            if length <= RANK * (1e-3 + np.linalg.norm(back)) and before <= RANK:
                break
            helped = False
            for share in 0.5 ** np.arange(7.0):
                other = self.motion.moved(q, _unscaled(L, share * z))
                after = _violation(scaled(self.held(other), L)[0], scaled(self.motion.stops(other), L)[0])
                helped = after < (1 - 0.1 * share) * before or after <= 0.1 * share * length
                if helped:
                    q, damping = other, 0.1 * damping if damping > RANK else 0.0
                    break
            if not helped and damping > _DAMPED:
                break
            damping = damping if helped else max(10 * damping, 1e-4)
        return self._polished(q)

    def _shortened(self, q: np.ndarray, L: np.ndarray, z: np.ndarray) -> np.ndarray:
        """A step that changes no coordinate by more than ``_FARTHEST`` of itself, or of 1: angles do not go round."""
        shift = np.abs(self.motion.twist_map(q) @ _unscaled(L, z)) / np.maximum(1.0, np.abs(q))
        return z * min(1.0, _FARTHEST / max(float(shift.max(initial=0.0)), 1e-300))

    def _polished(self, q: np.ndarray) -> LeastMotion:
        """Newton's method for the rows, and the stops that are met or broken."""
        rows = self._in_play(q)
        for _ in range(4):
            L = self.motion.weight(q)
            r, J = scaled(rows, L)
            other = self.motion.moved(q, _unscaled(L, -np.linalg.lstsq(J, r, rcond=RANK)[0]))
            after = self._in_play(other)
            if np.linalg.norm(after.values) >= np.linalg.norm(rows.values):
                break
            q, rows = other, after
        size = max(1.0, float(np.abs(q).max(initial=0.0)))
        return LeastMotion(q, bool((np.abs(rows.values) <= _HOLDS * size).all()), rows)

    def _in_play(self, q: np.ndarray) -> Rows:
        stops = self.motion.stops(q)
        near = stops.values < RANK
        met = Rows(stops.values[near], stops.gradients[near], stops.owners[near])
        return stacked([self.held(q), met], self.motion.n_v)


def _violation(r: np.ndarray, g: np.ndarray) -> float:
    return float(np.hypot(np.linalg.norm(r), np.linalg.norm(np.minimum(g, 0))))


def _step(r: np.ndarray, J: np.ndarray, g: np.ndarray, G: np.ndarray, back: np.ndarray, damping: float) -> np.ndarray:
    """The step z of the header; where stops cannot be kept beside the rows, those that are broken count as rows."""
    u, s, vt = np.linalg.svd(J)
    rank = int((s > RANK * s.max(initial=0.0)).sum())
    s, free = s[:rank], vt[rank:].T
    least = -vt[:rank].T @ ((u[:, :rank].T @ r) * s / (s**2 + damping))
    z: np.ndarray = least + free @ (free.T @ back) / (1 + damping)
    below = g + G @ z
    if (below >= 0).all():
        return z
    y = _least_distance(G @ free, -below)
    if y is not None:
        return z + free @ y
    broken = below < 0
    return -np.linalg.lstsq(np.vstack([J, G[broken]]), np.concatenate([r, g[broken]]), rcond=RANK)[0]


def _least_distance(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """The shortest y with A y >= b, by nonnegative least squares; None where there is none."""
    E = np.vstack([A.T, b])
    f = np.zeros(len(E))
    f[-1] = 1.0
    rest = f - E @ scipy.optimize.nnls(E, f)[0]
    return None if rest[-1] < RANK else -rest[:-1] / rest[-1]
