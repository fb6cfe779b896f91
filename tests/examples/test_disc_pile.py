"""The pile of discs as a model: neighbours, kernels of friction between discs, instances."""

import re

import numpy as np
import pytest

from nsdgen.abi import Cone, KernelRole
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values


@pytest.mark.parametrize("n", [1, 2, 7, 50, 300])
def test_neighbours_are_all_pairs_within_the_cutoff(example, n):
    pile = example("disc_pile")
    x, y, radii, width = pile.grid(n)
    distance = np.hypot(np.subtract.outer(x, x), np.subtract.outer(y, y))
    for cutoff in (0.1, 0.16, 0.3):
        expected = [(i, j) for i in range(n) for j in range(i + 1, n) if distance[i, j] < cutoff]
        assert pile.near(x, y, cutoff) == expected
    np.fill_diagonal(distance, np.inf)
    assert (distance > np.add.outer(radii, radii)).all(), "discs overlap at the start"
    assert (x - radii > 0).all() and (x + radii < width).all() and (y - radii > 0).all()


@pytest.mark.parametrize("n", [1, 2, 50])
def test_instances(example, n):
    description = example("disc_pile").build(n).description
    names = [r.name for r in description.relations]
    assert "floor 0" in names and "left wall 0" in names
    for relation in description.relations:
        kind, *numbers = relation.name.replace("left wall", "wall").replace("right wall", "wall").split()
        assert relation.participants == tuple(map(int, numbers)), kind
        assert len(relation.arguments) == 3 + len(numbers) + (relation.name.startswith("right"))


def test_friction_between_two_discs(compiled):
    """Rows of the contact kernel against the relative velocity of two points, written out."""
    pile = compiled("disc_pile")
    cls = next(i for i, c in enumerate(pile.record.relation_classes) if c.name == "touch")
    info = next(
        k
        for k in pile.table.classes[len(pile.record.system_classes) + cls].kernels
        if k.role == KernelRole.EVALUATE and k.stage == 0
    )
    rng = np.random.default_rng(3)
    v_a, v_b, s_a, s_b = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6), rng.normal(size=6)
    r_a, r_b, h, theta, gamma = 0.05, 0.07, 1e-3, 0.5, 0.3
    q_a, q_b = (s[:3] + gamma * h * s[3:] for s in (s_a, s_b))  # the predicted configuration
    impulse = np.array([2.0, -0.3])
    values = {
        "unknown_1": v_a,
        "unknown_2": v_b,
        "state_1": s_a,
        "state_2": s_b,
        "multiplier": impulse,
        "memory": np.zeros(4),
        "run": [h, theta, 0.5, 0.5, gamma, 0.0, 0.0, 0.0],
        "parameters": [0.0, 0.3, 0.0, r_a, r_b],
    }
    out = [np.zeros(o.nnz) for o in info.outputs]
    arrays = [np.asarray(values[i.name], dtype=float) for i in info.inputs]
    pile.table.call_many(info, 1, arrays, [0] * len(arrays), out, [0] * len(out))
    n = (q_b - q_a)[:2] / np.linalg.norm((q_b - q_a)[:2])
    t = np.array([-n[1], n[0]])
    point_a, point_b = v_a[:2] + v_a[2] * r_a * t, v_b[:2] - v_b[2] * r_b * t  # of the two points that touch
    np.testing.assert_allclose(out[0], [n @ (point_b - point_a), t @ (point_b - point_a)], rtol=1e-11)
    np.testing.assert_allclose(out[1], [*(-impulse[0] * n - impulse[1] * t), -r_a * impulse[1]], rtol=1e-11)
    np.testing.assert_allclose(out[2], [*(impulse[0] * n + impulse[1] * t), -r_b * impulse[1]], rtol=1e-11)
    record = pile.record.relation_classes[cls]
    assert record.cones == (((Cone.COULOMB_2D, 2),),) and record.memory_names == (
        "gap",
        "gap_rate",
        "sliding_rate",
        "slack",
    )


def falling(pile, n, end, **parameters):
    """Kinetic and total energy over time of n discs that are let go."""
    model = pile.build(n)
    run = model.run(end=end, parameters={s: parameters[s.name] for s in (pile.e, pile.mu) if s.name in parameters})
    _, _, radii, _ = pile.grid(n)
    mass = 1000.0 * np.pi * radii**2
    x, y, phi = (np.column_stack([run[f"disc {i}.{c}_dot"] for i in range(n)]) for c in ("x", "y", "phi"))
    height = np.column_stack([run[f"disc {i}.y"] for i in range(n)])
    kinetic = 0.5 * ((x**2 + y**2) @ mass + 0.5 * phi**2 @ (mass * radii**2))
    return kinetic, kinetic + 9.81 * height @ mass


@pytest.mark.parametrize(("e", "mu"), [(0.0, 0.3), (0.5, 0.3), (0.9, 0.05), (0.0, 1.5)])
@pytest.mark.few(2)
def test_a_pile_that_collapses_loses_energy_and_comes_to_rest(example, e, mu):
    """Through jams, where Newton's method circles: every step passes its certificate, or the run would raise.

    theta = 1/2 conserves the energy of flight, impacts with e <= 1 and friction dissipate.
    """
    kinetic, energy = falling(example("disc_pile"), 36, 1.5 if e < 0.9 else 0.6, e=e, mu=mu)
    assert np.diff(energy).max() < 1e-3 * kinetic.max()  # gradients are a step old: second order in h
    assert energy[-1] < energy[0]
    if e == 0.0:
        assert kinetic[-50:].max() < 1e-8 * kinetic.max()


def test_a_nested_pile_stays_at_rest(example):
    """Discs in the hollows of the row below, from wall to wall: nothing moves, floor and walls bear the weight."""
    pile = example("disc_pile")
    n = 60
    run = pile.build(n, at_rest=True).run(end=0.1)
    speed = max(np.abs(run[f"disc {i}.{c}_dot"]).max() for i in range(n) for c in ("x", "y"))
    assert speed < 1e-9  # m/s; free fall in a step is 1e-2
    mass = 1000.0 * np.pi * pile.MEAN**2
    weight = n * mass * 9.81e-3
    floor = sum(run[c.name][-1] for c in run.columns if re.fullmatch(r"floor \d+\.impulse\[0\]", c.name))
    walls = sum(run[c.name][-1] for c in run.columns if re.fullmatch(r"(left|right) wall \d+\.impulse\[1\]", c.name))
    assert floor + walls == pytest.approx(weight, rel=1e-6)
    assert abs(walls) < 0.5 * weight  # stuck between walls, a pile may press a little harder than its weight


def test_a_pile_that_is_shaken_obeys_its_law_in_every_step(example):
    """Discs that move: A, and with it what its old factors are worth, changes step by step.

    Each step's problem is looked at as the solver was given it, y = A z + b summed here.
    """
    compiled = example("disc_pile").build(60, at_rest=True).compile()
    pushed = {f"disc {i}.x_dot": 0.2 * (-1.0) ** i for i in range(60)}
    stepper = prepare(compiled.record, compiled.table, run_values(compiled.record, compiled.table, initial=pushed))
    moved = 0.0
    for _ in range(60):
        made, *_ = stepper.advance(1)
        assert made == 1
        A, cones, b, z, _ = map(np.asarray, stepper.one_step_matrix(0))
        y, terms = A @ z + b, np.abs(A) @ np.abs(z) + np.abs(b)
        normal, tangent, tolerance = z[::2], z[1::2], 1e-8 * terms.max()
        assert (cones[::2] == Cone.COULOMB_2D).all() and (normal >= 0.0).all() and y[::2].min() > -tolerance
        assert np.abs(y[::2][normal > 0.0]).max() < tolerance
        slack = 0.3 * normal - np.abs(tangent)
        assert slack.min() > -1e-12
        assert np.abs(y[1::2][slack > 1e-9]).max(initial=0.0) < tolerance  # inside its cone a contact sticks
        assert (y[1::2] * tangent)[np.abs(y[1::2]) > tolerance].max(initial=0.0) <= 0.0  # friction acts against sliding
        moved = max(moved, np.abs(y[1::2]).max())
    assert moved > 0.1  # m/s
