"""Three problems as scalar recursions: plain Python, no library, nothing of nsdgen.

Each follows the scheme's formulas line by line, one step after the other, and keeps every step.
They are slow and short: what is wanted of them is that they can be checked by reading.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ball", "Bridge", "Cam", "ball", "cam_follower", "diode_bridge"]

Table = NDArray[np.float64]


@dataclass(frozen=True)
class Ball:
    """m z'' = -m g above z = 0, restitution e."""

    m: float = 1.0
    g: float = 9.81
    e: float = 0.9


def ball(p: Ball, steps: int, h: float) -> Table:
    """z, z_dot, impulse by Moreau-Jean with theta = 1/2 from rest at z = 1."""
    z, v = 1.0, 0.0
    rows = [(z, v, 0.0)]
    for _ in range(steps):
        v_free = v - h * p.g
        impulse = 0.0
        if z + h * v / 2 <= 0:
            impulse = max(0.0, -p.m * (v_free + p.e * v))
        v_next = v_free + impulse / p.m
        z += h * (v + v_next) / 2
        v = v_next
        rows.append((z, v, impulse))
    return np.array(rows)


@dataclass(frozen=True)
class Cam:
    """The follower mu u'' + kappa u = -(mu c'' + kappa c) on a cam of circular arcs."""

    omega: float
    mu: float = 1.221
    kappa: float = 1430.8
    e: float = 0.8
    base: float = 0.40
    k1: float = 0.45
    k2: float = 0.40393320723821
    rho1: float = 0.85
    rho2: float = 0.55393320723821
    rho3: float = 0.15
    beta1: float = 0.0
    beta2: float = 1.050328174371336
    beta3: float = 1.22173047639603


def cam_height(p: Cam, t: float) -> tuple[float, float]:
    """c and c'' at a time.

    On the flank, c = -k1 sin b + rho1 S with S = sqrt(1 - r^2 cos^2 b), r = k1 / rho1, so
    S' = r^2 sin b cos b / S and

        c'  = b' [-k1 cos b + (k1^2 / rho1) sin b cos b / S],
        c'' = b'^2 [k1 sin b + (k1^2 / rho1) (cos 2b / S - r^2 sin^2 b cos^2 b / S^3)];

    on the nose likewise with a = b + pi / 9, S = sqrt(1 - r^2 sin^2 a), r = k2 / rho3:

        c'' = b'^2 [k2 cos a - (k2^2 / rho3) (cos 2a / S + r^2 sin^2 a cos^2 a / S^3)].

    b' = +-omega enters squared.
    """
    b = (p.omega * t + math.pi / 2) % (2 * math.pi)
    b = 2 * math.pi - b if b > math.pi else b
    if b <= math.pi / 2 - p.beta1:
        return p.base, 0.0
    if b <= math.pi / 2 + p.beta2:
        s, c, r = math.sin(b), math.cos(b), p.k1 / p.rho1
        root = math.sqrt(1 - (r * c) ** 2)
        bend = math.cos(2 * b) / root - (r * s * c) ** 2 / root**3
        return -p.k1 * s + p.rho1 * root, p.omega**2 * (p.k1 * s + p.k1**2 / p.rho1 * bend)
    if b <= math.pi / 2 + p.beta3:
        a = b + math.pi / 9
        s, c, r = math.sin(a), math.cos(a), p.k2 / p.rho3
        root = math.sqrt(1 - (r * s) ** 2)
        bend = math.cos(2 * a) / root + (r * s * c) ** 2 / root**3
        return -p.k2 * c + p.rho3 * root, p.omega**2 * (p.k2 * c - p.k2**2 / p.rho3 * bend)
    return p.rho2, 0.0


def cam_follower(p: Cam, steps: int, h: float) -> Table:
    """u, u_dot, impulse by Moreau-Jean with theta = 1/2 from u = u_dot = 0.4."""

    def force(k: int) -> float:
        height, acceleration = cam_height(p, k * h)
        return -(p.mu * acceleration + p.kappa * height)

    u, v = 0.4, 0.4
    rows = [(u, v, 0.0)]
    weight = p.mu + h**2 / 4 * p.kappa
    for k in range(steps):
        pull = p.kappa * (u + h / 2 * v) - (force(k) + force(k + 1)) / 2
        v_free = v - h * pull / weight
        impulse = 0.0
        if u + h / 2 * v <= 0:
            impulse = max(0.0, -weight * (v_free + p.e * v))
        v_next = v_free + impulse / weight
        u += h * (v + v_next) / 2
        v = v_next
        rows.append((u, v, impulse))
    return np.array(rows)


@dataclass(frozen=True)
class Bridge:
    """An LC oscillator that feeds a resistor through four ideal diodes."""

    L: float = 1e-2
    C: float = 1e-6
    R: float = 1e3


def complementary(M: Table, q: Table) -> Table:
    """lam with 0 <= M lam + q, 0 <= lam, lam (M lam + q) = 0: the set whose signs are best."""
    best, found = -math.inf, np.zeros(len(q))
    for count in range(len(q) + 1):
        for chosen in combinations(range(len(q)), count):
            places = list(chosen)
            part = M[np.ix_(places, places)]
            if count and abs(np.linalg.det(part)) < 1e-12:
                continue
            lam = np.zeros(len(q))
            lam[places] = np.linalg.solve(part, -q[places]) if count else 0.0
            w = M @ lam + q
            w[places] = 0.0
            worst = min(lam.min(), w.min())
            if worst > best:
                best, found = worst, lam
    if best < -1e-12 * max(1.0, float(np.abs(q).max())):
        raise ArithmeticError(f"no set has the right signs: {best}")
    return found


def diode_bridge(p: Bridge, steps: int, h: float) -> Table:
    """v, i, lam0..3 by the theta scheme (theta = 1/2, the diodes at the end of the step), from (10, 0)."""
    A = np.array([[0.0, -1 / p.C], [1 / p.L, 0.0]])
    B = np.array([[0.0, 0.0, -1 / p.C, 1 / p.C], [0.0, 0.0, 0.0, 0.0]])
    C = np.array([[0.0, 0.0], [0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    D = np.array(
        [[1 / p.R, 1 / p.R, -1.0, 0.0], [1 / p.R, 1 / p.R, 0.0, -1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    )
    W = np.eye(2) - h / 2 * A
    reach = h * np.linalg.solve(W, B)
    x, lam = np.array([10.0, 0.0]), np.zeros(4)
    rows = [(*x, *lam)]
    for _ in range(steps):
        free = np.linalg.solve(W, x + h / 2 * A @ x)
        lam = complementary(D + C @ reach, C @ free)
        x = free + reach @ lam
        rows.append((*x, *lam))
    return np.array(rows)
