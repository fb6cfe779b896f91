"""The published algorithm of the multiple-impact law, with an impulse step, converges to what the fast time gives."""

import numpy as np
import pytest

from nsdgen.solvers import solve_multiple_impact


def by_impulse_steps(A, u, e, K, eta, dP):
    """Liu, Zhao and Brogliato: increments of the impulse of a primary contact, others in proportion.

    The primary contact has the largest potential energy, at first the fastest approach; energies are those of the mean
    rates over an increment, divided by e^2 in expansion.
    """
    u, E, P = u.copy(), np.zeros(len(u)), np.zeros(len(u))
    a = eta / (1 + eta)
    stiff = (1 + eta) ** a * K ** (1 / (1 + eta))
    while True:
        stored = E > 0
        compressed = stored.any()
        if not compressed and not (u < -1e-12 * np.abs(u).max()).any():
            return P, u
        p = int(E.argmax()) if compressed else int(u.argmin())
        R = stiff / stiff[p]
        starting = ~stored & (u < 0)
        share = R * E**a / E[p] ** a[p] if compressed else np.zeros(len(u))
        if compressed and starting.any():
            share[starting] = ((R * np.abs(u * dP) ** a / E[p] ** a[p]) ** (1 + eta))[starting]
        elif not compressed:
            share[starting] = (
                (R * np.abs(u) ** a / np.abs(u[p]) ** a[p]) ** (1 + eta) * dP ** ((eta - eta[p]) / (1 + eta[p]))
            )[starting]
        step = share * dP
        before, u = u, u + A @ step
        mean = (before + u) / 2
        P += step
        E = np.where(mean <= 0, E - mean * step, np.maximum(0, E - mean * step / e**2))


def column(n):
    """n balls on each other above a floor, all falling at speed 1: only the lowest contact approaches."""
    H = np.eye(n) - np.eye(n, k=-1)
    return H @ H.T, np.concatenate([[-1.0], np.zeros(n - 1)])


@pytest.mark.parametrize(
    ("n", "e"),
    [
        (2, 1.0),
        (2, 0.7),
        (3, 0.7),
        (5, 1.0),
        pytest.param(3, 1.0, marks=pytest.mark.slow),
        pytest.param(5, 0.7, marks=pytest.mark.slow),
    ],
)
def test_impulse_steps_converge_to_the_fast_time(n, e):
    A, u = column(n)
    K, eta, restitution = np.linspace(1, 2, n), np.full(n, 1.5), np.full(n, e)
    exact = solve_multiple_impact(A, u, restitution, K, eta)
    errors = [np.abs(by_impulse_steps(A, u, restitution, K, eta, dP)[1] - exact.w).max() for dP in (1e-2, 1e-3, 1e-4)]
    assert errors[2] < 1e-3 and errors[2] < errors[1] / 3 < errors[0] / 9
