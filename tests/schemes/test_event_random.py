"""Random relay and complementarity systems from event to event, beside matrix exponentials from event to event."""

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .piecewise_linear_systems import PiecewiseLinearSystem

END = 4.0
KINDS = ("relays", "relays with feedback", "relays with feedback of any sign", "diodes", "diodes with resistors")


def random_system(kind, rng):
    """Matrices and a start."""
    n, m = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    A = rng.normal(size=(n, n)) - np.eye(n)
    B, C, D = rng.normal(size=(n, m)), rng.normal(size=(m, n)), np.zeros((m, m))
    a, c = rng.normal(size=n), 0.3 * rng.normal(size=m)
    bounds = np.array([[-2.0, 2.0]] * m)
    x = 2 * rng.normal(size=n)
    if kind.startswith("relays with"):
        D = rng.normal(size=(m, m))
        if kind == "relays with feedback":
            D = D @ D.T + 0.3 * np.eye(m) + 0.5 * (D - D.T)
    if kind == "diodes":  # passive: B = P C^T for some P > 0, so that a multiplier brings y back
        P = rng.normal(size=(n, n))
        B = (P @ P.T + 0.3 * np.eye(n)) @ C.T
        x = x + np.linalg.pinv(C) @ (np.abs(rng.normal(size=m)) - C @ x - c)
    if kind == "diodes with resistors":
        R = rng.normal(size=(m, m))
        D = R @ R.T + 0.3 * np.eye(m) + 0.5 * (R - R.T)
    if kind.startswith("diodes"):
        bounds = np.array([[0.0, np.inf]] * m)
    return PiecewiseLinearSystem(A, a, B, C, c, D, bounds), x


def model_of(system, x, kind, end=END, a=None, c=None):
    """The same as a model of nsdgen; ``a`` and ``c`` are expressions where they are not constant."""
    n, m = system.B.shape
    names = [dynamicsymbols(f"s{i}") for i in range(n)]
    lam = nsd.multipliers("lam", m)
    sums = lambda matrix, values: [sum(float(f) * v for f, v in zip(row, values, strict=True)) for row in matrix]  # noqa: E731
    rhs = [e + f for e, f in zip(sums(system.A, names), system.a if a is None else a, strict=True)]
    outputs = [
        e + f + g
        for e, f, g in zip(sums(system.C, names), sums(system.D, lam), system.c if c is None else c, strict=True)
    ]
    plant = nsd.FirstOrderSystem("plant", names, rhs)
    laws = {"diodes": nsd.Complementarity(), "saturations": nsd.Box(-2, 2), "equalities": nsd.Equality()}
    law = laws.get(kind.split()[0], nsd.Relay(2))
    rows = nsd.FirstOrderRelation("rows", lam, outputs, {plant: sums(system.B, lam)}, law)
    return nsd.Model(
        "random_rows",
        [plant],
        [rows],
        scheme=nsd.EventDriven(rtol=1e-12, atol=1e-13),
        step=0.05,
        end=end,
        initial=dict(zip(names, x, strict=True)),
    )


def compare(kind, seed):
    """The largest difference of events and states over a random system, and until when it is told."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    system, x = random_system(kind, rng)
    times, state, reached = system.run(x, END)
    run = model_of(system, x, kind).run()
    own = np.array([e.time for e in run.events if e.kind != "start" and e.time < reached - 1e-6])
    told = np.array([t for t in times if t < reached - 1e-6])
    assert len(own) == len(told), (own, told)
    off = np.abs(own - told).max(initial=0)
    if reached == END:
        final = np.array([run.final[f"plant.s{i}"] for i in range(len(x))])
        off = max(off, (np.abs(final - state) / (1 + np.abs(state))).max())
    return off, reached


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.few(2)
def test_some(kind):
    for seed in range(2):
        off, _ = compare(kind, seed)
        assert off < 1e-8


def test_an_end_is_seen_where_another_motion_was_tried_behind_it():
    """Relays that turn ever faster: what was tried beside the motion that goes on had a row fall by 1e-6 unseen."""
    system, x = random_system("relays", np.random.default_rng([7394, 0]))
    times, state, _ = system.run(x, END)
    run = model_of(system, x, "relays").run()  # it had more than 10000 events, or did not end
    assert run.events[-1].time == pytest.approx(times[-1], abs=1e-9)
    np.testing.assert_allclose([run.final[f"plant.s{i}"] for i in range(3)], state, rtol=1e-8, atol=1e-8)


# fmt: off
BLOCKS = [  # one row blocks among others that conduct: B, C, D, a, c, x
    ([[0.3, -0.6, -0.4], [0.1, 1.2, -1.4]], [[-0.3, 2.2], [-0.6, -1.4], [0.4, -0.1]],
     [[1.9, 0.7, 0.1], [0.1, 1.2, 0.1], [0.2, -0.8, 0.5]], [0.7, -0.6], [1.5, 0.2, -0.6], [-0.8, -1.6]),
    ([[-0.8, 0.8, 1.4], [0.8, 0.1, -0.6]], [[0.5, -1.3], [0.8, 0.8], [0.1, 1.0]],
     [[0.8, -0.2, 0.1], [0.9, 2.2, -1.4], [-0.7, -1.0, 1.1]], [-0.1, 0.7], [-1.0, 1.6, 1.0], [-0.7, -0.3]),
]
# fmt: on


@pytest.mark.parametrize("given", BLOCKS)
def test_what_blocks_among_what_conducts_bears_nothing(given):
    """Elimination left it rounding of the others, whose changes no step was short enough for: the run was refused."""
    B, C, D, a, c, x = map(np.array, given)
    A = np.array([[-1.0, 1.0], [-1.0, -0.5]])
    system = PiecewiseLinearSystem(A, a, B, C, c, D, np.array([[0.0, np.inf]] * 3))
    _, state, reached = system.run(x, END)
    assert reached == END
    run = model_of(system, x, "diodes").run()
    np.testing.assert_allclose([run.final[f"plant.s{i}"] for i in range(2)], state, rtol=1e-8, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred(kind):
    for seed in range(100):
        off, _ = compare(kind, seed)
        assert off < 1e-8
