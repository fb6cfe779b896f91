"""Contacts of many bodies in the velocities of bodies: right by the law itself, whatever graph, masses, friction are.

The law is checked by its own statement (Coulomb, Signorini on velocities), written out here and not that of the solver.
"""

from pathlib import Path

import numpy as np
import pytest

from .entrances import solve_body_contacts

H, G = 1e-3, 9.81


def lattice(n, friction, heavy=1.0, seed=0):
    """Equal spheres in a box of n x n x n places, all neighbours touching, each with a velocity of its own: C, X, b."""
    random = np.random.default_rng(seed)
    places = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    number = {tuple(p): i for i, p in enumerate(places)}
    masses = np.where(random.random(len(places)) < 0.5, heavy, 1.0)
    velocities = np.hstack([random.normal(0, 3 * H, (len(places), 3)) - [0, 0, H * G], np.zeros((len(places), 3))])
    pairs, normals = [], []
    for p in places:
        for axis in range(3):
            down = p - np.eye(3, dtype=int)[axis]
            pairs.append((number[tuple(p)], number.get(tuple(down), -1)))
            normals.append(np.eye(3)[axis] + random.normal(0, 0.1, 3))
    body, normals = np.array(pairs, dtype=np.intc), np.array(normals)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    count = len(body)
    by_v, by_r, b = np.zeros((count, 2, 3, 6)), np.zeros((count, 2, 6, 3)), np.zeros((count, 3))
    for c in range(count):
        t = np.linalg.svd(normals[c][None])[2][1:]
        frame = np.vstack([normals[c], t])
        for side, sign in ((0, 1.0), (1, -1.0)):
            if body[c, side] < 0:
                continue
            arm = -sign * 0.5 * normals[c]
            jacobian = sign * np.hstack([frame, np.cross(arm, frame)])
            inverse = np.array([1.0] * 3 + [1 / 0.1] * 3) / masses[body[c, side]]  # a sphere of radius 1/2
            by_v[c, side], by_r[c, side] = jacobian, (jacobian * inverse).T
            b[c] += jacobian @ velocities[body[c, side]]
    return body, by_v, by_r, np.column_stack([np.full(count, friction), np.zeros(count)]), b


def rates(problem, r):
    """u = b + C X r."""
    body, by_v, by_r, _, b = problem
    v = np.zeros((body.max() + 1, 6))
    for side in range(2):
        here = body[:, side] >= 0
        np.add.at(v, body[here, side], np.einsum("cij,cj->ci", by_r[here, side], r[here]))
    u = b.copy()
    for side in range(2):
        here = body[:, side] >= 0
        u[here] += np.einsum("cij,cj->ci", by_v[here, side], v[body[here, side]])
    return u


def broken(problem, r):
    """By how much a velocity breaks the law, at most, relative to those without reactions."""
    mu, u = problem[3][:, 0], rates(problem, r)
    assert (r[:, 0] >= 0).all() and (np.hypot(r[:, 1], r[:, 2]) <= mu * r[:, 0] * (1 + 1e-12)).all()
    if mu[0] >= 1e100:  # what is closed holds
        return max((-u[:, 0]).max(), np.abs(u[r[:, 0] > 1e-8 * r.max()]).max()) / np.abs(problem[4]).max()
    closed = r[:, 0] > 1e-8 * r.max()
    slip = np.hypot(u[:, 1], u[:, 2])
    # Zero where friction is against the motion, and as large as it may be.
    power = mu * r[:, 0] * slip + r[:, 1] * u[:, 1] + r[:, 2] * u[:, 2]
    worst = max((-u[:, 0]).max(), np.abs(u[closed, 0]).max(initial=0.0))
    share = power[closed] / np.maximum(np.maximum(mu, 1e-3)[closed] * r[closed, 0], 1e-8 * r.max())
    return max(worst, share.max(initial=0.0)) / np.abs(problem[4]).max()


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3, 10.0, 1e100])
def test_a_block_of_spheres_is_solved_with_a_certificate(friction):
    problem = lattice(5, friction)
    r = np.zeros_like(problem[4])
    left, _, factored, inaccurate = solve_body_contacts(*problem, r)
    assert inaccurate == 0 and (factored > 0 or friction == 0.0)  # without friction sweeps arrive
    assert left <= 1e-8 * np.abs(problem[4]).max()
    assert broken(problem, r) <= 1e-7  # the law above sums three entries, and closed contacts are told by 1e-8


@pytest.mark.parametrize("heavy", [100.0, 1e4])
def test_masses_far_apart(heavy):
    problem = lattice(4, 0.1, heavy=heavy)
    r = np.zeros_like(problem[4])
    left, _, _, inaccurate = solve_body_contacts(*problem, r)
    assert inaccurate == 0 and left <= 1e-8 * np.abs(problem[4]).max()


def test_most_lattices_with_masses_far_apart_are_solved():
    """Of twenty five were left where reactions started off their cones by what moves their own bodies."""
    open_ones = 0
    for seed in range(20):
        problem = lattice(4, 0.1, heavy=1e4, seed=seed)
        open_ones += solve_body_contacts(*problem, np.zeros_like(problem[4]))[3]
    assert open_ones <= 3


def test_blocks_that_jam_by_friction_are_solved():
    """Of these four two were left with 2e-5 and 7e-5 of the load off, before there were proximal rounds."""
    for seed in range(4):
        problem = lattice(5, 0.6, seed=seed)
        r = np.zeros_like(problem[4])
        assert solve_body_contacts(*problem, r)[3] == 0
        assert broken(problem, r) <= 1e-7


def with_rows(problem, count, seed=0):
    """The same with rows between bodies as joints, stops and motors have them, and which are within bounds."""
    random = np.random.default_rng(seed)
    body, by_v, by_r, bound, b = problem
    bodies, contacts = body.max() + 1, len(b)
    pairs = np.array([random.choice(bodies, 2, replace=False) for _ in range(count)], dtype=np.intc)
    pairs[::5, 1] = -1
    rows = np.zeros((count, 2, 3, 6))
    rows[:, :, 0] = random.normal(size=(count, 2, 6)) * (pairs >= 0)[:, :, None]
    moved = np.swapaxes(rows, 2, 3) * np.array([1.0] * 3 + [10.0] * 3)[:, None]
    free = np.zeros((count, 3))
    free[:, 0] = random.normal(0, 3 * H, count)
    limits = np.array([[-np.inf, np.inf], [0.0, 0.0], [-0.2 * H, 0.2 * H]])[np.arange(count) % 3]
    both = (np.concatenate(two) for two in ((body, pairs), (by_v, rows), (by_r, moved), (bound, limits), (b, free)))
    box = np.append(np.zeros(contacts), np.arange(count) % 3 != 1)  # a stop is a contact without friction
    return tuple(both), box.astype(np.intc)


def rolling_heap(rows, seed, bound):
    """Discs of radius 0.1 heaped in the plane, all touching, each with a velocity of its own; third rows: rolling."""
    random, radius = np.random.default_rng(seed), 0.1
    at = np.array(
        [[(2 * k - rows + row + 1) * radius, row * radius * 3**0.5] for row in range(rows) for k in range(rows - row)]
    )
    near = np.linalg.norm(at[:, None] - at, axis=2) < 2.01 * radius
    pairs = [(i, j) for i, j in np.argwhere(near) if j < i] + [(i, -1) for i in range(rows)]
    by_v, by_r = np.zeros((len(pairs), 2, 3, 6)), np.zeros((len(pairs), 2, 6, 3))
    v = random.normal(size=(len(at), 3)) * [0.3, 0.3, 3.0] - [0, 1, 0]
    b = np.zeros((len(pairs), 3))
    for c, pair in enumerate(pairs):
        normal = (at[pair[0]] - at[pair[1]]) / (2 * radius) if pair[1] >= 0 else np.array([0, 1.0])
        for side, sign in enumerate((1.0, -1.0)):
            if pair[side] < 0:
                continue
            rows_of = np.array([[*(sign * normal), 0], [-sign * normal[1], sign * normal[0], -radius], [0, 0, sign]])
            by_v[c, side, :, :3], by_r[c, side, :3] = rows_of, (rows_of / [1, 1, radius**2 / 2]).T
            b[c] += rows_of @ v[pair[side]]
    return np.array(pairs, dtype=np.intc), by_v, by_r, np.tile(bound, (len(pairs), 1)), b


@pytest.mark.parametrize("name", ["discs_jam", pytest.param("large_discs_jam", marks=pytest.mark.slow)])
def test_a_jam_of_discs_is_solved_with_a_certificate(name):
    """A step of a world of 200 discs in a box, in which a path that cases change along comes back to where it began;
    one of 500, in which rounds come to a halt from most reactions that they begin with."""
    stored = np.load(Path(__file__).parent / f"{name}.npz")
    count = len(stored["body"])
    by_v, b, r = np.zeros((count, 2, 3, 6)), np.zeros((count, 3)), np.zeros((count, 3))
    by_v[:, :, :2, :3], b[:, :2], r[:, :2] = stored["by_v"], stored["b"], stored["r"]
    by_v[:, :, 2, 3] = [1.0, -1.0]
    mass = 1000 * np.pi * 0.05**2 * 0.1
    by_r = np.swapaxes(by_v / np.array([mass, mass, mass * 0.05**2 / 2, mass, mass, mass]), 2, 3).copy()
    problem = stored["body"], by_v, by_r, np.tile([0.3, 0.0], (count, 1)), b
    assert solve_body_contacts(*problem, r, planar=True)[3] == 0
    assert broken(problem, r) <= 1e-7


@pytest.mark.parametrize(
    ("rows", "seed", "bound"),
    [(4, 0, (0.5, 0.02)), (10, 8, (0.2, 0.002)), (14, 9, (0.3, 0.01)), (14, 10, (0.2, 0.002))],
)
def test_a_heap_that_rolls_is_solved_with_a_certificate(rows, seed, bound):
    """Sliding and rolling by the law of each: no more than its bound, and there where it moves."""
    problem = rolling_heap(rows, seed, bound)
    r = np.zeros_like(problem[4])
    assert solve_body_contacts(*problem, r, planar=True, rolls=True)[3] == 0
    u, load = rates(problem, r), np.abs(problem[4]).max()
    assert (r[:, 0] >= 0).all() and u[:, 0].min() >= -2e-8 * load
    assert np.abs(u[r[:, 0] > 1e-8 * r.max(), 0]).max() <= 1e-7 * load
    most = problem[3] * r[:, :1]
    assert (np.abs(r[:, 1:]) <= most * (1 + 1e-12)).all()
    holds = np.abs(r[:, 1:]) < most - 1e-7 * r.max() * np.array(bound)
    assert np.abs(u[:, 1:][holds]).max() <= 1e-7 * load
    assert (r[:, 1:] * u[:, 1:])[~holds].max(initial=0.0) <= 1e-7 * load * r.max()


@pytest.mark.parametrize(("friction", "count"), [(0.0, 30), (0.3, 1), (0.3, 60)])
def test_rows_of_joints_among_contacts(friction, count):
    """Held, stopped or pushed with no more than a motor has; contacts keep their law."""
    problem, box = with_rows(lattice(4, friction), count)
    r, free = np.zeros_like(problem[4]), lattice(4, friction)[4]
    left, _, _, inaccurate = solve_body_contacts(*problem, r, box=box)
    load = np.abs(problem[4]).max()
    assert inaccurate == 0 and left <= 1e-8 * load
    u, rows = rates(problem, r), np.arange(len(r)) >= len(free)
    low, high = problem[3][:, 0], problem[3][:, 1]
    low, high = np.where(box == 1, low, 0.0)[rows], np.where(box == 1, high, np.inf)[rows]
    z, v = r[rows, 0], u[rows, 0]
    assert (z >= low).all() and (z <= high).all() and not r[rows, 1:].any()
    nothing = 1e-9 * np.abs(z).max()
    assert (np.where(z < high - nothing, v, 0.0) >= -2e-8 * load).all()  # what may push more is not moved back
    assert (np.where(z > low + nothing, v, 0.0) <= 2e-8 * load).all()
    if count > 5:
        kinds = np.arange(count) % 3
        assert (z[kinds == 1] <= nothing).any() and (np.abs(z[kinds == 2]) == 0.2 * H).any()  # all cases are there
    contacts = tuple(part[~rows] for part in problem[:4])
    moved = u[~rows] - rates((*contacts, free), r[~rows])  # what rows move is theirs as well
    assert broken((*contacts, free + moved), r[~rows]) <= 1e-7


def grid(n, friction, seed=0):
    """Discs in a box of n x n places, all neighbours touching: third rows and the last three velocities stand aside."""
    random = np.random.default_rng(seed)
    pairs, normals = [], []
    for x in range(n):
        for y in range(n):
            pairs += [(n * x + y, n * (x - 1) + y if x else -1), (n * x + y, n * x + y - 1 if y else -1)]
            normals += [[1.0, random.normal(0, 0.1)], [random.normal(0, 0.1), 1.0]]
    body, normals = np.array(pairs, dtype=np.intc), np.array(normals)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    velocities = np.column_stack([random.normal(0, 3 * H, (n * n, 2)) - [0, H * G], np.zeros(n * n)])
    count = len(body)
    by_v, by_r, b = np.zeros((count, 2, 3, 6)), np.zeros((count, 2, 6, 3)), np.zeros((count, 3))
    for c, (x, y) in enumerate(normals):
        for side, sign in ((0, 1.0), (1, -1.0)):
            if body[c, side] >= 0:
                rows = np.array([[sign * x, sign * y, 0.0], [-sign * y, sign * x, -0.5]])
                by_v[c, side, :2, :3], by_v[c, side, 2, 3] = rows, sign
                by_r[c, side, :3, :2], by_r[c, side, 3, 2] = (rows * [1.0, 1.0, 8.0]).T, sign
                b[c, :2] += rows @ velocities[body[c, side]]
    return body, by_v, by_r, np.column_stack([np.full(count, friction), np.zeros(count)]), b


@pytest.mark.parametrize("friction", [0.0, 0.3, 1e100])
def test_piles_in_a_plane_are_those_in_space_without_what_stands_aside(friction):
    problem = grid(9, friction)
    for planar in (True, False):
        r = np.zeros_like(problem[4])
        failed = solve_body_contacts(*problem, r, planar=planar)[3]
        assert not failed and not r[:, 2].any()
        assert broken(problem, r) < 1e-7
        swept = np.zeros_like(r)
        solve_body_contacts(*problem, swept, tolerance=0.0, goal=1e-12, sweeps=200, planar=planar)
        assert broken(problem, swept) < 0.05


def test_islands_are_problems_of_their_own():
    """Two blocks beside each other: each as it is alone, the numbers of bodies and the order of contacts shuffled."""
    first, second = lattice(3, 0.5, seed=1), lattice(4, 0.3, seed=2)
    n = first[0].max() + 1
    shifted = np.where(second[0] >= 0, second[0] + n, -1).astype(np.intc)
    random = np.random.default_rng(5)
    names = random.permutation(n + second[0].max() + 1).astype(np.intc)
    both = [np.concatenate(parts) for parts in zip(first, (shifted, *second[1:]), strict=True)]
    both[0] = np.where(both[0] >= 0, names[both[0]], -1).astype(np.intc)
    shuffle = random.permutation(len(both[4]))
    r = np.zeros((len(shuffle), 3))
    problem = tuple(np.ascontiguousarray(part[shuffle]) for part in both)
    assert solve_body_contacts(*problem, r)[3] == 0
    assert broken(problem, r) <= 1e-7


def test_sweeps_alone_leave_what_they_say():
    problem = lattice(3, 0.1)
    r = np.zeros_like(problem[4])
    left, sweeps, factored, inaccurate = solve_body_contacts(*problem, r, tolerance=0.0, goal=1e-6, sweeps=2000)
    assert factored == 0 and inaccurate == 0 and left <= 1e-6 and sweeps <= 2000
    rough = np.zeros_like(problem[4])
    left, sweeps, _, inaccurate = solve_body_contacts(*problem, rough, tolerance=0.0, goal=1e-9, sweeps=2)
    assert sweeps == 2 and inaccurate == 1 and left > 1e-9


def test_a_momentum_that_lasts_shortens_sweeps():
    """Where it was dropped whenever the largest change grew, 500 sweeps left four times as much."""
    left = []
    for seed in range(4):
        problem = lattice(8, 0.1, seed=seed)
        rough = np.zeros_like(problem[4])
        off = solve_body_contacts(*problem, rough, tolerance=0.0, goal=1e-12, sweeps=500)[0]
        left.append(off / np.abs(problem[4]).max())
    assert np.mean(left) < 2e-4


def test_sweeps_go_on_where_newtons_method_fails():
    """The interior point method and rounds took 587 factorisations for these four."""
    made = 0
    for seed in range(4):
        problem = lattice(6, 0.3, seed=seed)
        r = np.zeros_like(problem[4])
        _, _, factored, inaccurate = solve_body_contacts(*problem, r)
        assert inaccurate == 0
        assert broken(problem, r) <= 1e-7
        made += factored
    assert made <= 200


def test_masses_need_not_be_diagonal():
    """The same contacts in velocities that are turned and sheared: a mass matrix that is full, the same sweeps."""
    body, by_v, by_r, bound, b = lattice(3, 0.3)
    shear = np.eye(6) + np.triu(np.random.default_rng(4).normal(0, 0.2, (6, 6)))
    found = []
    for C, X in ((by_v, by_r), (by_v @ np.linalg.inv(shear), shear @ by_r)):
        r = np.zeros_like(b)
        solve_body_contacts(body, C, X, bound, b, r, tolerance=0.0, sweeps=20)
        found.append(r)
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-10 * np.abs(found[0]).max())
