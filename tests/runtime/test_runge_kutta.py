"""The tableau between events: the conditions of order, and what the errors and the extension estimate."""

import numpy as np
import pytest

from nsdgen.runtime.runge_kutta import ERROR_3, ERROR_5, STAGES, A, C, D

N = len(C)
a = np.array([[row.get(j, 0.0) for j in range(N)] for row in A])
c = np.array(C)
b = a[STAGES]


def trees(order):
    """All rooted trees with so many nodes, each a sorted tuple of subtrees."""
    if order == 1:
        return [()]
    found = set()

    def forests(left, most):
        if left == 0:
            yield ()
        for size in range(min(left, most), 0, -1):
            for tree in trees(size):
                for rest in forests(left - size, size):
                    yield (tree, *rest)

    for forest in forests(order - 1, order - 1):
        found.add(tuple(sorted(forest)))
    return sorted(found)


def nodes(tree):
    return 1 + sum(map(nodes, tree))


def density(tree):
    return nodes(tree) * int(np.prod([density(t) for t in tree]))


def elementary(tree):
    """The weights' factors of a tree, stage by stage."""
    product = np.ones(N)
    for t in tree:
        product = product * (a @ elementary(t))
    return product


def test_there_are_as_many_trees_as_there_should_be():
    assert [len(trees(n)) for n in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_the_rows_sum_to_the_nodes():
    np.testing.assert_allclose(a.sum(axis=1), c, atol=2e-14)


@pytest.mark.parametrize("order", range(1, 9))
def test_the_weights_satisfy_all_conditions_up_to_order_eight(order):
    for tree in trees(order):
        assert abs(b @ elementary(tree) - 1 / density(tree)) < 3e-15 * 43


@pytest.mark.parametrize(("weights", "order"), [(ERROR_5, 5), (ERROR_3, 3)])
def test_the_errors_vanish_up_to_their_order_and_not_beyond(weights, order):
    """Each is the difference of the weights from those of a method of this order."""
    e = np.array([weights.get(j, 0.0) for j in range(N)])
    for n in range(1, order + 1):
        assert max(abs(e @ elementary(tree)) for tree in trees(n)) < 1e-13
    assert max(abs(e @ elementary(tree)) for tree in trees(order + 1)) > 1e-6


def weights_inside(x):
    """The weights of the slopes in the continuous extension at x in [0, 1], as a caller would build them."""
    end = np.zeros(N)
    end[STAGES] = 1
    first = np.zeros(N)
    first[0] = 1
    d = np.array([[row.get(j, 0.0) for j in range(N)] for row in D])
    parts = [b, first - b, 2 * b - first - end, *d]
    value = np.zeros(N)
    for k in range(len(parts) - 1, -1, -1):
        value = (value + parts[k]) * (x if k % 2 == 0 else 1 - x)
    return value


@pytest.mark.parametrize("x", [0.125, 0.3, 0.5, 0.9, 1.0])
def test_the_extension_has_order_seven(x):
    weights = weights_inside(x)
    for n in range(1, 8):
        for tree in trees(n):
            assert abs(weights @ elementary(tree) - x**n / density(tree)) < 2e-12
