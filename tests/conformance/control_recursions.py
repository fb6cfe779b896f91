"""Sampled controllers and an observer as recursions in NumPy that know nothing of nsdgen: columns by name, (n,)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["observer", "pid", "sliding"]

Columns = dict[str, NDArray[np.float64]]


def named(names: str, rows: list[tuple[float, ...]]) -> Columns:
    """Columns from rows."""
    return dict(zip(names.split(), np.array(rows).T, strict=True))


def pid(h: float, steps: int) -> Columns:
    """x'' = u from (10, 0), u an incremental PID of -x, set at every instant and held for a step."""
    proportional, integral, derivative = 0.25, 0.125, 2.0
    position, speed, u, before, earlier = 10.0, 0.0, 0.0, 0.0, 0.0
    rows = []
    for k in range(steps + 1):
        error = -position
        u += (proportional + derivative / h + integral * h) * error
        u += -(proportional + 2 * derivative / h) * before + derivative / h * earlier
        before, earlier = error, before
        rows.append((k * h, position, speed, u))
        position, speed = position + h * speed + h**2 / 2 * u, speed + h * u
    return named("t x[0] x[1] u", rows)


def sliding(h: float, steps: int, every: int, rule: Callable[[float, float, float], float]) -> Columns:
    """x' = d, sigma' = 2 u - d, d = sin 50 t at the end of a step.

    ``rule`` gives u from sigma, its prediction a period ago, and the period.
    """
    x, sigma, predicted, u, period = 1.0, -1.0, -1.0, 0.0, every * h
    rows = []
    for k in range(steps + 1):
        if k % every == 0:
            u = rule(sigma, predicted, period)
            predicted = sigma + 2 * period * u
        rows.append((k * h, x, sigma, u))
        d = math.sin(50 * (k + 1) * h)
        x, sigma = x + h * d, sigma + h * (2 * u - d)
    return named("t x[0] x[1] u", rows)


def observer(h: float, steps: int) -> Columns:
    """A complementarity system and its observer by the trapezoidal rule; the observer reads the plant at t_k."""
    A, seen = np.array([[1.0, 1.0], [3.0, 1.0]]), np.array([[-1.0, -1.0], [1.0, -1.0]])
    B, C, force = np.array([-1.0, 1.0]), np.array([-1.0, 1.0]), np.array([1.0, 2.0])

    def step(
        matrix: NDArray[np.float64], x: NDArray[np.float64], given: NDArray[np.float64], u: float
    ) -> tuple[NDArray[np.float64], float]:
        """x and the multiplier at the end of a step: y = C x + lambda + u, both nonnegative, one of them zero."""
        W = np.eye(2) - h / 2 * matrix
        free = np.linalg.solve(W, x + h / 2 * matrix @ x + given)
        inward = h * np.linalg.solve(W, B)
        multiplier = max(0.0, -float(C @ free + u) / float(1 + C @ inward))
        return free + inward * multiplier, multiplier

    x, seen_x, lam, mu = np.array([10.0, 0.0]), np.zeros(2), 0.0, 0.0
    rows = []
    for k in range(steps + 1):
        u, u_next = (30 * math.sin(50 * i * h) for i in (k, k + 1))
        rows.append((k * h, *x, *seen_x, lam, mu, C @ x + lam + u, C @ seen_x + mu + u))
        drive = h / 2 * (u + u_next) * force
        (x, lam), (seen_x, mu) = (step(A, x, drive, u_next), step(seen, seen_x, drive + h * 2 * x.sum(), u_next))
    return named("t x[0] x[1] xo[0] xo[1] lambda mu y yo", rows)
