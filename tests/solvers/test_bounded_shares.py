"""Shares of feet that stick to a floor and depend on each other, at the last of what their friction can bear.

Drawn loads lie within all cones, most of them at their edge: shares within bounds exist, and often no others.
"""

import ctypes

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from nsdgen.solvers.rows import _row_methods


class Share(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("constant", "slope", "sign", "size")] + [
        (name, ctypes.c_int) for name in ("load", "row", "width")
    ]


def shares(matrix, z, friction, size=3):
    """What is found for feet of this many rows, their load and what they hold along the floor."""
    friction = np.broadcast_to(friction, len(z) // size)
    capsule = _row_methods.__pyx_capi__["bounded_shares"]
    named = ctypes.pythonapi.PyCapsule_GetName
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    at = ctypes.c_void_p
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, at, at, ctypes.c_int, at)(pointer(capsule, named(capsule)))
    bounds = []
    for mu, i in zip(friction, range(0, len(z), size), strict=True):
        if size == 3:
            bounds += [Share(0, 1, 0, 0, i, 0, 0), Share(0, mu, 0, 0, i, i + 1, 2)]
        else:
            bounds += [Share(0, mu, side, 0, i, i + 1, 1) for side in (1, -1)]
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


def beyond(z, friction, size=3):
    foot = z.reshape(-1, size)
    return max((np.linalg.norm(foot[:, 1:], axis=1) - friction * foot[:, 0]).max(), -foot[:, 0].min())


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


def drawn(seed):
    """G M^-1 G^T of three to eight feet in the plane or in space, loads within their cones, friction, rows a foot."""
    rng = np.random.default_rng(seed)
    size, count = int(rng.choice([2, 3])), int(rng.integers(3, 9))
    friction = rng.uniform(0.1, 1.5, count)
    places = np.c_[rng.normal(size=(count, 2)), rng.uniform(-2, 0, count)]
    if size == 2:
        places[:, 1] = 0
    directions = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])[:size]
    rows = np.vstack([np.hstack([directions, np.cross(place, directions)]) for place in places])
    matrix = rows @ np.diag([0.5, 0.5, 0.5, *rng.uniform(1, 40, 3)]) @ rows.T
    normal = rng.uniform(0, 1, count) * (rng.random(count) > 0.2) * 10.0 ** rng.uniform(-3, 3)
    held = np.where(rng.random(count) < (0.5 if seed % 2 else 1), 1.0, rng.random(count)) * friction * normal
    turn = rng.uniform(0, 2 * np.pi, count)
    along = [held * np.cos(turn), held * np.sin(turn)] if size == 3 else [held * np.sign(np.cos(turn))]
    return matrix, np.stack([normal, *along], 1).ravel(), friction, size


def test_drawn_shares_are_within_bounds_to_rounding():
    """Of 1 998 such draws 241 ended beyond their bounds by more than 1e-9 of the load without a word, one by 1e-2."""
    for seed in range(600):
        matrix, loads, friction, size = drawn(seed)
        found = shares(matrix, loads, friction, size)
        assert beyond(found, friction, size) <= 1e-10 * abs(loads).max(), seed
        assert abs(matrix @ (found - loads)).max() <= 1e-12 * abs(matrix).max() * abs(loads).max(), seed
        assert np.linalg.norm(found) <= np.linalg.norm(loads) * (1 + 1e-10), seed  # a hair within


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0, 1.2])
def test_drawn_shares_in_the_plane_beside_linear_programs(share):
    """With a share of their friction many feet cannot hold. What is missed is the least, as a linear program for the
    bounds that are missed says, in units of the disks of the shortest shares; where nothing is, they are the shortest.
    """
    for seed in range(300):
        matrix, loads, friction, size = drawn(seed)
        if size == 3 or not loads.any():
            continue
        friction = share * friction
        values, vectors = np.linalg.eigh(matrix)
        null = vectors[:, values < 1e-10 * values[-1]]
        shortest = loads - null @ (null.T @ loads)
        unit = abs(shortest).max()
        found, shortest = shares(matrix, loads, friction, size) / unit, shortest / unit
        x = null.T @ (found - shortest)
        rows = np.vstack([friction[:, None] * null[::2] - side * null[1::2] for side in (1, -1)])
        room = np.concatenate([friction * shortest[::2] - side * shortest[1::2] for side in (1, -1)])
        least = np.tile(friction * np.maximum(shortest[::2], 0.1), 2)
        missed = -(room + rows @ x) / least
        if (s := missed.max()) > 1e-9:
            loose = least * (missed > 1e-9)
            best = linprog(np.r_[0 * x, 1], np.c_[-rows, -loose], room, bounds=[(None, None)] * len(x) + [(0, None)])
            assert abs(s - best.fun) < 1e-9, seed
            continue
        bounds = {
            "type": "ineq",
            "fun": lambda x, room=room, rows=rows: room + rows @ x,
            "jac": lambda x, rows=rows: rows,
        }
        best = minimize(lambda x: x @ x / 2, x, jac=lambda x: x, constraints=bounds, options={"ftol": 1e-14})
        assert not best.success or np.linalg.norm(x) < np.linalg.norm(best.x) + 1e-6, seed


def test_shares_follow_a_push_without_jumps():
    """Of 3 000 pushes ten left shares within bounds that were not the shortest: steps from inside came to a halt."""
    places, friction = [0.236, 0.007, 0.15, -0.201, 0.392], [0.479, 0.36, 0.88, 0.524, 0.586]
    rows = np.vstack([[[0, 1, place], [1, 0, 0.304]] for place in places])
    matrix = rows @ np.diag([1, 1, 5.18]) @ rows.T
    found = [
        shares(matrix, -np.linalg.pinv(rows.T) @ [push, -9.87, 0.0], friction, 2)
        for push in np.linspace(4.9, 5.15, 3000)
    ]
    assert abs(np.diff(found, axis=0)).max() < 1e-3
