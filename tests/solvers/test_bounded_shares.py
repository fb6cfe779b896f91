"""Shares of feet that stick to a floor and depend on each other, at the last of what their friction can bear.

Drawn loads lie within all cones, most of them at their edge: shares within bounds exist, and often no others.
"""

import ctypes

import numpy as np
import pytest

from nsdgen.solvers.rows import _row_methods


class Share(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("constant", "slope", "sign", "size")] + [
        (name, ctypes.c_int) for name in ("load", "row", "width")
    ]


def shares(matrix, z, friction):
    capsule = _row_methods.__pyx_capi__["bounded_shares"]
    named = ctypes.pythonapi.PyCapsule_GetName
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    at = ctypes.c_void_p
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, at, at, ctypes.c_int, at)(pointer(capsule, named(capsule)))
    bounds = [
        bound
        for i in range(0, len(z), 3)
        for bound in (Share(0, 1, 0, 0, i, 0, 0), Share(0, friction, 0, 0, i, i + 1, 2))
    ]
    array = (Share * len(bounds))(*bounds)
    matrix, z = np.ascontiguousarray(matrix), z.copy()
    call(len(z), matrix.ctypes.data, z.ctypes.data, len(bounds), ctypes.addressof(array))
    return z


def feet(seed):
    """G M^-1 G^T of three to six feet under a rigid body, loads within their cones, and friction."""
    rng = np.random.default_rng(seed)
    count, friction = int(rng.integers(3, 7)), float(rng.uniform(0.1, 1.5))
    places = np.c_[rng.normal(size=(count, 2)), -np.ones(count) * rng.uniform(0.1, 2)]
    if rng.random() < 0.3:
        places[:, 1] = 0
    directions = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])
    rows = np.vstack([np.hstack([directions, np.cross(place, directions)]) for place in places])
    matrix = rows @ np.diag([0.5, 0.5, 0.5, *rng.uniform(1, 40, 3)]) @ rows.T
    normal = rng.uniform(0, 1, count) * (rng.random(count) > 0.3) * 10
    turn = rng.uniform(0, 2 * np.pi, count)
    size = np.where(rng.random(count) < 0.7, 1.0, rng.random(count)) * friction * normal
    return matrix, np.stack([normal, size * np.cos(turn), size * np.sin(turn)], 1).ravel(), friction


def beyond(z, friction):
    foot = z.reshape(-1, 3)
    return max((np.hypot(foot[:, 1], foot[:, 2]) - friction * foot[:, 0]).max(), -foot[:, 0].min())


@pytest.mark.parametrize("seed", [60, 68, 140, 141, 142, 156, 158, 186, 191, 207, 259, 605, 1087])
def test_shares_are_within_bounds_where_some_are(seed):
    """Each of these was beyond its bounds without a word, four of them by more than 1e8 times the load."""
    matrix, loads, friction = feet(seed)
    found = shares(matrix, loads, friction)
    assert beyond(found, friction) < 1e-8 * abs(loads).max()  # what a cone that is just met is known to
    assert abs(matrix @ (found - loads)).max() < 1e-10 * abs(matrix).max() * abs(loads).max()
    assert np.linalg.norm(found) < np.linalg.norm(loads) * (1 + 1e-8)


def test_shares_are_never_farther_beyond_their_bounds_than_the_least_norm():
    """Where Newton's method does not arrive, too: what it found last once was 1e11 times the load."""
    drawn = [feet(seed) for seed in range(1100)]
    for matrix, loads, friction in drawn:
        if loads.any():
            shortest = np.linalg.pinv(matrix, rcond=1e-10) @ (matrix @ loads)
            found = shares(matrix, loads, friction)
            assert beyond(found, friction) < beyond(shortest, friction) + 1e-9 * abs(loads).max()
