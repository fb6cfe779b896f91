"""The pile of discs as a model: neighbours, kernels of friction between discs, instances."""

import numpy as np
import pytest

from nsdgen.abi import Cone, KernelRole


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
    info = next(k for k in pile.table.classes[len(pile.record.system_classes) + cls].kernels
                if k.role == KernelRole.EVALUATE and k.stage == 0)
    rng = np.random.default_rng(3)
    v_a, v_b, s_a, s_b = rng.normal(size=3), rng.normal(size=3), rng.normal(size=6), rng.normal(size=6)
    q_a, q_b = rng.normal(size=3), rng.normal(size=3)  # at the last iterate
    r_a, r_b, h, theta = 0.05, 0.07, 1e-3, 0.5
    impulse = np.array([2.0, -0.3])
    values = {"unknown_1": v_a, "unknown_2": v_b, "state_1": s_a, "state_2": s_b,
              "frozen_iteration_1": q_a, "frozen_iteration_2": q_b, "multiplier": impulse,
              "memory": np.zeros(3), "run": [h, theta, 0.5, 0.5], "parameters": [0.0, 0.3, 0.0, r_a, r_b]}
    out = [np.zeros(o.nnz) for o in info.outputs]
    arrays = [np.asarray(values[i.name], dtype=float) for i in info.inputs]
    assert pile.table.call_many(info, 1, arrays, [0] * len(arrays), out, [0] * len(out)) == 0
    n = (q_b - q_a)[:2] / np.linalg.norm((q_b - q_a)[:2])
    t = np.array([-n[1], n[0]])
    point_a, point_b = v_a[:2] + v_a[2] * r_a * t, v_b[:2] - v_b[2] * r_b * t  # of the two points that touch
    np.testing.assert_allclose(out[0], [n @ (point_b - point_a), t @ (point_b - point_a)], rtol=1e-11)
    np.testing.assert_allclose(out[1], [*(-impulse[0] * n - impulse[1] * t), -r_a * impulse[1]], rtol=1e-11)
    np.testing.assert_allclose(out[2], [*(impulse[0] * n + impulse[1] * t), -r_b * impulse[1]], rtol=1e-11)
    record = pile.record.relation_classes[cls]
    assert record.cones == (((Cone.COULOMB_2D, 2),),) and record.memory_names == ("gap", "gap_rate", "sliding_rate")
