"""A column of copies: at rest the impulse at each contact carries the weight above it."""

import numpy as np
import pytest


def test_impulses_at_rest_carry_the_weight_above(compiled):
    trajectory = compiled("bead_column").run(end=2.0)
    weights = 9.81 * 1e-3 * np.linspace(1.0, 2.0, 10)
    above = weights[::-1].cumsum()[::-1]
    last = slice(-100, None)
    assert trajectory["floor.impulse"][last].mean() == pytest.approx(above[0], rel=1e-6)
    for i in range(9):
        assert trajectory[f"touch {i}.impulse"][last].mean() == pytest.approx(above[i + 1], rel=1e-6)
    speeds = np.array([trajectory[f"bead {i}.z_dot"][-1] for i in range(10)])
    np.testing.assert_allclose(speeds, 0.0, atol=1e-12)


def test_momentum_balance_of_the_whole_column(compiled):
    """Inner impulses cancel: sum m v(T) = sum of the floor's impulses - sum m g T."""
    trajectory = compiled("bead_column").run(end=0.4, parameters={"e": 0.7})
    masses = np.linspace(1.0, 2.0, 10)
    momentum = sum(m * trajectory[f"bead {i}.z_dot"][-1] for i, m in enumerate(masses))
    expected = trajectory["floor.impulse"].sum() - masses.sum() * 9.81 * 0.4
    assert momentum == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("n", [1, 2, 25])
def test_columns_of_any_height(example, n):
    model = example("bead_column").build(n)
    assert len(model.description.systems) == len(model.description.relations) == n
    assert len(model.description.relation_classes) == min(n, 2)


def test_a_column_of_hundreds_carries_its_weight(example):
    """More instances than stay in the cache: what is asked for ahead is what the loops then read."""
    n, steps = 400, 5
    model = example("bead_column").build(n, -1e-9)
    run = model.run(end=steps * model.step)
    above = np.cumsum(np.linspace(1.0, 2.0, n)[::-1])[::-1]  # kg, of each bead with all above it
    floor = run["floor.impulse"][-1]
    assert floor == pytest.approx(above[0] * 9.81 * model.step, rel=1e-9)
    touches = [run[name][-1] for name in run.names if name.startswith("touch") and name.endswith(".impulse")]
    np.testing.assert_allclose(touches, above[1:] * 9.81 * model.step, rtol=1e-8)  # of A's condition, n^2
