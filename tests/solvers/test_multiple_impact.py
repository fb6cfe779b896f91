"""The published algorithm of the multiple-impact law, with an impulse step, converges to what the fast time gives."""

import numpy as np
import pytest
from nsdgen.solvers.traced._traced_rows import traced
from scipy.integrate import solve_ivp

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
        *(pytest.param(n, 1.0, marks=pytest.mark.slow) for n in (3, 5)),
        pytest.param(5, 0.7, marks=pytest.mark.slow),
    ],
)
def test_impulse_steps_converge_to_the_fast_time(n, e):
    A, u = column(n)
    K, eta, restitution = np.linspace(1, 2, n), np.full(n, 1.5), np.full(n, e)
    exact = solve_multiple_impact(A, u, restitution, K, eta)
    errors = [np.abs(by_impulse_steps(A, u, restitution, K, eta, dP)[1] - exact.w).max() for dP in (1e-2, 1e-3, 1e-4)]
    assert errors[2] < 1e-3 and errors[2] < errors[1] / 3 < errors[0] / 9


def chain(masses):
    """H M^-1 H^T of balls on a line, and the gap rates where the first one comes at speed 1."""
    H = np.diff(np.eye(len(masses)), axis=0)
    return H @ np.diag(1 / np.array(masses)) @ H.T, np.concatenate([[-1.0], np.zeros(len(masses) - 2)])


def law_by_events(A, u, K, eta):
    """The law without losses from event to event: what has opened waits at no force until it approaches again.

    The rates at the end, and how often a contact opened.
    """
    n, y, waits, openings = len(u), np.concatenate([0 * u, u]), np.zeros(len(u), dtype=bool), 0

    def slope(_, y):
        force = np.where(waits, 0, K * np.maximum(y[:n], 0) ** eta)
        return np.concatenate([np.where(waits, 0, -y[n:]), A @ force])

    while not ((y[:n] <= 0).all() and (y[n:] >= -1e-13).all()):
        watched = [
            (lambda _, y, i=i: y[n + i]) if waits[i] else (lambda _, y, i=i: y[i] if y[n + i] > 0 else 1.0)
            for i in range(n)
        ]
        for event in watched:
            event.terminal, event.direction = True, -1
        found = solve_ivp(slope, [0, 1e3], y, method="DOP853", rtol=1e-12, atol=1e-14, events=watched)
        y = found.y[:, -1].copy()
        for i in np.flatnonzero([len(times) for times in found.t_events]):
            waits[i], y[i] = not waits[i], 0.0
            openings += waits[i]
    return y[n:], openings


def springs_in_motion(A, u, K, eta):
    """Springs with their lengths: what has opened is closed again where the way is made up."""
    n = len(u)
    found = solve_ivp(
        lambda _, y: np.concatenate([-y[n:], A @ (K * np.maximum(y[:n], 0) ** eta)]),
        [0, 1e3],
        np.concatenate([0 * u, u]),
        method="DOP853",
        rtol=1e-12,
        atol=1e-14,
    )
    return found.y[n:, -1]


@pytest.mark.parametrize("masses", [[0.9, 0.9, 1.7, 3.2], [0.7, 1.2, 0.9, 4.4, 0.6]])
def test_a_contact_that_closes_again_takes_load_at_once(masses):
    """Opening and closing are located: 1e-10. Springs in motion are another law there, first they make up the way."""
    A, u = chain(masses)
    K, eta = np.linspace(1, 2, len(u)), 1.5
    expected, openings = law_by_events(A, u, K, eta)
    found = solve_multiple_impact(A, u, 1.0, K, eta).w
    assert openings > len(u)  # one of them opened twice
    assert np.abs(found - expected).max() < 1e-10
    assert np.abs(found - springs_in_motion(A, u, K, eta)).max() > 1e-4


@pytest.mark.parametrize("eta", [(1.0, 1.0), (1.5, 1.5), (1.0, 2.5)])
@pytest.mark.parametrize(("mobility", "rate"), [(900, 450), (-300, 100), (-40, 400), (300, -300), (-400, -600)])
def test_impulses_do_not_depend_on_units(eta, mobility, rate):
    """In the same unit of length and another one of impulses the law is the same with K in their units."""
    A, u, K = np.array([[2.0, -1.0], [-1.0, 2.0]]), np.array([-1.0, -0.3]), np.array([1.0, 3.0])
    near = solve_multiple_impact(A, u, 0.9, K, eta)
    stiff = np.ldexp(K, 2 * rate - mobility)
    far = solve_multiple_impact(np.ldexp(A, mobility), np.ldexp(u, rate), 0.9, stiff, eta)
    np.testing.assert_allclose(np.ldexp(far.z, mobility - rate), near.z, rtol=1e-9)
    np.testing.assert_allclose(np.ldexp(far.w, -rate), near.w, rtol=1e-9)


@pytest.mark.parametrize("all_of_them", [1e-300, 1e-100, 1e100, 1e300])
def test_of_stiffnesses_only_ratios_matter(all_of_them):
    A, u = column(3)
    K = np.array([1.0, 2.0, 3.0])
    near, far = (solve_multiple_impact(A, u, 0.8, k, 1.5).z for k in (K, K * all_of_them))
    np.testing.assert_allclose(far, near, rtol=1e-9)


def test_what_leaves_doubles_in_the_trace_is_no_end_of_the_impact():
    law = np.array([[1.0, 1e-5, 1.5], [1.0, 1e-3, 1.5]])
    A, u = np.array([[2.0, -1.0], [-1.0, 2.0]]) * 1e200, np.array([-1e200, 0.0])
    assert traced(A, u, np.ones(2, dtype=np.intc), law)[2] == 4
