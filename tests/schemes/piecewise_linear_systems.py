"""x' = A x + a + B lambda, y = C x + c + D lambda in boxes, from event to event by matrix exponentials.

An independent reference for event-driven runs: it shares no code with nsdgen. Each row is at its lower bound (y > 0),
at its upper bound (y < 0) or inside (y = 0); in each combination the motion is affine and known exactly. Events are the
first zeros of what is left of a combination; which one goes on is decided by all of its derivatives, of which the first
that is not zero must be positive.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

LOW, INSIDE, HIGH = range(3)
ORDERS = 7  # derivatives that are looked at
ZERO = 1e-9  # of what a derivative is made of
PARTS = 60  # of a look ahead, which is a time of the fastest rate


class Ambiguous(Exception):
    """Several motions go on, none of which is nearer to the last one, or none goes on."""


@dataclass
class PiecewiseLinearSystem:
    """Matrices, and bounds (m, 2) of lambda, which may be infinite."""

    A: np.ndarray
    a: np.ndarray
    B: np.ndarray
    C: np.ndarray
    c: np.ndarray
    D: np.ndarray
    bounds: np.ndarray

    def motion(self, mode):
        """The augmented matrix of (x, 1) in a mode, lambda and y as functions of (x, 1); None where not determined."""
        n, m = self.B.shape
        rows, right = np.zeros((m, m)), np.zeros((m, n + 1))
        rate = np.column_stack([self.A, self.a])
        for i, place in enumerate(mode):
            if place != INSIDE:
                rows[i, i], right[i, n] = 1, self.bounds[i, 0 if place == LOW else 1]
                if not np.isfinite(right[i, n]):
                    return None
            elif np.any(self.D[i]):
                rows[i], right[i] = self.D[i], -np.append(self.C[i], self.c[i])
            else:
                rows[i], right[i] = self.C[i] @ self.B, -self.C[i] @ rate
        if abs(np.linalg.det(rows)) < 1e-9:
            return None
        force = np.linalg.solve(rows, right)
        full = np.zeros((n + 1, n + 1))
        full[:n] = rate + self.B @ force
        return full, force, np.column_stack([self.C, self.c]) + self.D @ force

    def margins(self, mode):
        """Row vectors over (x, 1): what must not be negative, and what must be zero."""
        found = self.motion(mode)
        if found is None:
            return None
        full, force, y = found
        left, zero = [], []
        for i, place in enumerate(mode):
            if place == INSIDE:
                for bound, sign in zip(self.bounds[i], (1, -1), strict=True):
                    if np.isfinite(bound):
                        row = sign * force[i].copy()
                        row[-1] -= sign * bound
                        left.append((i, row))
                if not np.any(self.D[i]):
                    zero.append(np.append(self.C[i], self.c[i]))
            else:
                left.append((i, y[i] if place == LOW else -y[i]))
        return full, left, zero

    def goes_on(self, mode, z):
        """Whether a mode goes on from z = (x, 1)."""
        found = self.margins(mode)
        if found is None:
            return False
        full, left, zero = found
        if any(abs(row @ z) > ZERO * (1 + np.abs(row) @ np.abs(z)) for row in zero):
            return False
        size = 1 + np.linalg.norm(full)
        for _, row in left:
            value, scale, vector = row @ z, np.abs(row) @ np.abs(z) + 1e-3, z
            for k in range(ORDERS):
                if abs(value) > ZERO * scale * size**k:
                    if value < 0:
                        return False
                    break
                vector = full @ vector
                value = row @ vector
        return True

    def choose(self, z, last):
        """The mode that goes on: of all that do the one with the fewest changes."""
        modes = [m for m in itertools.product(range(3), repeat=len(self.c)) if self.goes_on(m, z)]
        if not modes:
            raise Ambiguous("none")
        if last is None:
            if len(modes) > 1:
                raise Ambiguous("start")
            return modes[0]
        changes = [sum(a != b for a, b in zip(m, last, strict=True)) for m in modes]
        least = [m for m, n in zip(modes, changes, strict=True) if n == min(changes)]
        if len(least) > 1 and last not in least:
            raise Ambiguous("several")
        return last if last in least else least[0]

    def run(self, x, end, most=400):
        """Times of events, and the state at the end, at ``reached`` where it is not to be told further."""
        return self.pieces(x, [(end, self.a, self.c)], most)

    def pieces(self, x, sources, most=400):
        """The same with a and c that jump: ``sources`` are (until, a, c), one after the other."""
        t, times, mode = 0.0, [], None
        for until, a, c in sources:
            part, before = replace(self, a=a, c=c), mode
            push = part.pushed(x)
            found, x, reached, mode = part._one(x + part.B @ push, t, until, mode, most)
            times += [t] * (before is not None and (bool(np.any(push)) or before != mode[0])) + found
            t, mode = reached, mode[1]
            if t < until:
                break
        return times, x, t

    def pushed(self, x):
        """Impulses p that bring rows without D to where their law has a value: 0 <= y orthogonal to p >= 0; y = 0."""
        y, gain, m = self.C @ x + self.c, self.C @ self.B, len(self.c)
        free = [i for i in range(m) if not np.any(self.D[i]) and not np.isfinite(self.bounds[i, 1])]
        for case in itertools.product((False, True), repeat=len(free)):
            on, p = [i for i, presses in zip(free, case, strict=True) if presses], np.zeros(m)
            if on:
                p[on] = np.linalg.solve(gain[np.ix_(on, on)], -y[on])
            after, least = y + gain @ p, -ZERO * (1 + np.abs(y).max())
            both = [not np.isfinite(self.bounds[i, 0]) for i in range(m)]
            if all(p[i] >= 0 or both[i] for i in on) and all(
                abs(after[i]) <= -least if both[i] else after[i] >= least for i in free
            ):
                return np.where(np.abs(p) > ZERO, p, 0.0)
        raise Ambiguous("no impulse")

    def _one(self, x, t, end, mode, most):
        """Times, state, when it was reached, and the modes where it begins and where it ends."""
        z, times, begins = np.append(x, 1.0), [], None
        while True:
            try:
                mode = self.choose(z, mode)
            except Ambiguous:
                return times, z[:-1], t, (begins, mode)
            begins = begins or mode
            full, left, _ = self.margins(mode)
            step = min(2.0 / (1e-3 + np.abs(np.linalg.eigvals(full)).max()), 0.5) / PARTS
            first, over = self._first(full, left, z, step, end - t)
            z, t = expm(full * first) @ z, t + first
            if not over or len(times) >= most:
                return times, z[:-1], t, (begins, mode)
            times.append(t)

    def _first(self, full, left, z, step, most):
        """How long the mode lasts, and whether it comes to an end before ``most``."""
        move, at, begin = expm(full * step), z, 0.0
        rows = np.array([row for _, row in left]).reshape(-1, len(z))
        while begin < most:
            later = move @ at
            if (rows @ later < -1e-15 * (1 + np.abs(rows) @ np.abs(later))).any():
                best = None
                for row in rows[rows @ later < 0]:

                    def f(s, row=row, at=at):
                        return row @ expm(full * s) @ at

                    low = 0.0
                    if begin == 0.0 and f(0.0) < 1e-12:  # it starts at zero and rises
                        low = next((step * 2.0**-k for k in range(1, 40) if f(step * 2.0**-k) > 0), None)
                        if low is None:
                            continue
                    root = low if f(low) <= 0 else brentq(f, low, step, xtol=1e-16, rtol=1e-15)
                    best = root if best is None else min(best, root)
                if best is not None:
                    return (begin + best, True) if begin + best < most else (most, False)
            begin, at = begin + step, later
        return most, False
