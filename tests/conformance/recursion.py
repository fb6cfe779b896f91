"""Linear first-order systems by a recursion in NumPy that knows nothing of nsdgen: every set of active rows is tried.

One step from x_k: W = I - h theta A, x_free = W^-1 (x_k + h (1-theta) (A x_k + b(t_k)) + h theta b(t_{k+1})
+ h (1-gamma) B lambda_k), and lambda with its output in the law. ``at_gamma`` takes the output at
gamma x + (1-gamma) x_k and the whole input B lambda, instead of weighing the input between the ends of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Linear", "solve_by_trial", "steps_of"]

Array = NDArray[np.float64]


def nothing(t: float) -> float:
    """No function of time."""
    return 0.0


@dataclass(frozen=True)
class Linear:
    """x' = A x + b(t) + B lambda, y = C x + D lambda + e(t); -y in the normal cone of [low, high]^m at lambda."""

    A: ArrayLike
    B: ArrayLike
    C: ArrayLike
    x0: ArrayLike
    D: ArrayLike = 0.0
    b: Callable[[float], ArrayLike] = nothing
    e: Callable[[float], ArrayLike] = nothing
    low: float = 0.0
    high: float = np.inf
    theta: float = 0.5
    gamma: float = 1.0
    at_gamma: bool = False


def steps_of(p: Linear, h: float, steps: int) -> tuple[Array, Array, Array]:
    """x, lambda, y at t_0, ..., t_steps, one row each; lambda(t_0) = 0."""
    A, B, C = (np.array(m, dtype=float) for m in (p.A, p.B, p.C))
    D = np.zeros((len(C), len(C))) + p.D
    W = np.eye(len(A)) - h * p.theta * A
    weight, before = (p.gamma, 0.0) if p.at_gamma else (1.0, 1 - p.gamma)
    inward = h * (1.0 if p.at_gamma else p.gamma) * np.linalg.solve(W, B)
    M = D + weight * C @ inward
    x, lam, last = np.array(p.x0, dtype=float), np.zeros(len(C)), None
    rows = [(x, lam, C @ x + p.e(0.0))]
    for k in range(steps):
        t, t_next = k * h, (k + 1) * h
        known = x + h * (1 - p.theta) * (A @ x + p.b(t)) + h * p.theta * p.b(t_next) + h * before * (B @ lam)
        free = np.linalg.solve(W, known)
        q = C @ (weight * free + (1 - weight) * x) + p.e(t_next)
        lam, last = solve_by_trial(M, q, p.low, p.high, last)
        x = free + inward @ lam
        rows.append((x, lam, C @ x + D @ lam + p.e(t_next)))
    return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def solve_by_trial(
    M: Array, q: Array, low: float, high: float, first: tuple[int, ...] | None
) -> tuple[Array, tuple[int, ...]]:
    """(lambda, choice): each row at its lower bound (0), between bounds with y = 0 (1), or at its upper bound (2).

    The choice with the least violation wins; ``first`` is tried first and wins where it violates nothing.
    Singular choices take the shortest solution.
    """
    best: tuple[float, Array, tuple[int, ...]] | None = None
    scale = np.abs(q).max() + 1e-300
    for choice in ([first] if first else []) + list(product((1, 0, 2) if np.isfinite(high) else (1, 0), repeat=len(q))):
        kind = np.array(choice)
        lam = np.where(kind == 2, high if np.isfinite(high) else 0.0, low).astype(float)
        free = kind == 1
        lam[free] = 0.0
        if free.any():
            lam[free] = np.linalg.lstsq(M[np.ix_(free, free)], -(q + M @ lam)[free], rcond=1e-13)[0]
        y = M @ lam + q
        off = max(
            np.max(np.maximum(low - lam, lam - high)[free], initial=0.0) * np.abs(M).max() / scale,
            np.max(np.abs(y[free]), initial=0.0) / scale,
            np.max(-y[kind == 0], initial=0.0) / scale,
            np.max(y[kind == 2], initial=0.0) / scale,
        )
        if best is None or off < best[0]:
            best = (off, lam, choice)
        if off < 1e-13:
            break
    assert best is not None
    return best[1], best[2]
