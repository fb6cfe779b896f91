"""Contacts with coefficients, units, masses and multiplicities beyond what models have; rows made from friction."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from attacks.problem import Attack, Family, Rng, bounded, complementary, frictional, mixed, moving, units


def _count(rng: Rng, large: bool, small: int = 8, most: int = 60) -> int:
    return int(rng.integers(small, most + 1)) if large else int(rng.integers(1, small + 1))


def _directions(rng: Rng, rows: int) -> np.ndarray:
    """(rows, freedoms): bodies with as many freedoms as rows, with more, or with far fewer."""
    freedoms = int(rng.choice([rows + 2, rows, max(2, rows // 2), max(2, rows // 4)]))
    return rng.normal(size=(rows, freedoms))


def _steep(rng: Rng, count: int, infinite: float) -> np.ndarray:
    """Coefficients from 1e-12 to 1e15, all alike or not, and infinite ones."""
    mu = np.full(count, 10 ** rng.uniform(-12, 15)) if rng.random() < 0.5 else 10 ** rng.uniform(-12, 15, count)
    mu[rng.random(count) < infinite] = np.inf
    return mu


def steep(rng: Rng, large: bool) -> Attack:
    """Coefficients from 1e-12 to 1e15, in the plane and in space, condensed and not."""
    dim, count = int(rng.choice([2, 3])), _count(rng, large)
    G = _directions(rng, dim * count)
    v, mu = rng.normal(size=G.shape[1]), _steep(rng, count, 0.0)
    if rng.random() < 0.3:
        return moving(np.eye(len(v)), v, G.T.copy(), np.zeros(dim * count), mu, dim, True)
    return frictional(G @ G.T, G @ v, mu, dim, True)


def infinite(rng: Rng, large: bool) -> Attack:
    """The same with infinite ones among them: there may be no solution."""
    dim, count = int(rng.choice([2, 3])), _count(rng, large)
    G = _directions(rng, dim * count)
    return frictional(G @ G.T, G @ rng.normal(size=G.shape[1]), _steep(rng, count, 0.5), dim, None)


def rolling(rng: Rng, large: bool) -> Attack:
    """Rolling contacts with both coefficients from 1e-12 to 1e15."""
    count = _count(rng, large, 4, 30)
    G = rng.normal(size=(5 * count, 5 * count + 1))
    mu = 10 ** rng.uniform(-12, 15, (2, count))
    return frictional(G @ G.T, G @ rng.normal(size=G.shape[1]), mu[0], 5, True, rolling=mu[1])


def _state(rng: Rng, dim: int, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """(r, u) of a contact: open, sticking or sliding."""
    r, u = np.zeros(dim), np.zeros(dim)
    if rng.random() < 0.3:
        u[0], u[1:] = rng.exponential(), rng.normal(size=dim - 1)
        return r, u
    direction = rng.normal(size=dim - 1)
    direction /= np.linalg.norm(direction)
    slides = rng.random() < 0.5
    r[0] = rng.exponential()
    r[1:] = (1.0 if slides else 0.5) * mu * r[0] * direction
    u[1:] = -rng.exponential() * direction if slides else 0.0
    return r, u


def far_units(rng: Rng, large: bool) -> Attack:
    """Each contact in units of its own between 1e-60 and 1e60, with a solution by construction."""
    dim, count = int(rng.choice([2, 3])), _count(rng, large)
    G, mu = rng.normal(size=(dim * count, dim * count)), rng.uniform(0.0, 2.0, count)
    r, u = (np.concatenate(part) for part in zip(*(_state(rng, dim, x) for x in mu), strict=True))
    W = G @ G.T
    return frictional(W, u - W @ r, mu, dim, True, unit=units(rng, count, 200))


def duplicated(rng: Rng, large: bool) -> Attack:
    """Every contact many times, up to 500 rows: reactions are far from unique."""
    dim, few = int(rng.choice([2, 3])), int(rng.integers(1, 5))
    times = max(1, int(rng.integers(100, 501)) // (dim * few)) if large else int(rng.integers(2, 6))
    G = np.tile(rng.normal(size=(dim * few, int(rng.integers(2, 10)))), (times, 1))
    q, mu = G @ rng.normal(size=G.shape[1]), np.tile(rng.uniform(0.0, 1.5, few), times)
    W = G @ G.T
    return frictional(csr_array(W) if rng.random() < 0.3 else W, q, mu, dim, True)


def polyhedral(rng: Rng, large: bool) -> Attack:
    """2-D friction as a complementarity problem in either of two forms, rows and columns times positive diagonals."""
    n = _count(rng, large, 8, 40)
    G = rng.normal(size=(2 * n, int(rng.choice([2 * n, max(2, n), max(2, n // 2)]))))
    mu, eye, none = np.diag(rng.uniform(0.0, 1.5, n)), np.eye(n), np.zeros((n, n))
    N, T, v = G[::2], G[1::2], rng.normal(size=G.shape[1])
    if rng.random() < 0.5:
        J = np.vstack([N, T, -T])
        lift = np.vstack([none, eye, eye])
        M = np.block([[J @ J.T, lift], [mu, -eye, -eye, none]])
    else:  # in r_N, mu r_N - r_T and the sliding velocity to the right
        J, held = np.vstack([N, -T]), np.vstack([N + mu @ T, -T])
        M = np.block([[J @ held.T, np.vstack([none, eye])], [2.0 * mu, -eye, none]])
    q = np.concatenate([J @ v, np.zeros(n)])
    if rng.random() < 0.5:
        digits = int(rng.choice([0, 3, 10, 27, 100, 400]))
        return complementary(M, q, True, units(rng, len(q), digits), units(rng, len(q), digits))
    row, column = 10 ** rng.uniform(-6, 6, (2, len(q)))
    return complementary(M * row[:, None] * column, q * row, True)


def boxes(rng: Rng, large: bool) -> Attack:
    """Boxes between 1e-12 and 1e12 wide, of a semidefinite matrix or one that is not symmetric: always solvable."""
    n = _count(rng, large, 20, 150)
    root, skew = rng.normal(size=(n, int(rng.integers(1, n + 1)))), rng.normal(size=(n, n))
    M = root @ root.T + (skew - skew.T) * (rng.random() < 0.3)
    centre, width = rng.normal(size=n), 10 ** rng.uniform(-12, 12, n)
    q = rng.normal(size=n) * 10 ** rng.uniform(-3, 6)
    return bounded(M, q, centre - width, centre + width, True)


def redundant(rng: Rng, large: bool) -> Attack:
    """Equalities said many times over, exactly, among contacts and boxes."""
    few, times, count = int(rng.integers(1, 4)), int(rng.integers(2, 30 if large else 4)), _count(rng, large, 3, 15)
    J = rng.integers(-3, 4, (few, 3 * count + few)).astype(float)
    G = np.vstack([np.tile(J, (times, 1)), rng.normal(size=(2 * count + 2, 3 * count + few))])
    first = few * times
    laws = [("equality", np.arange(first), None)]
    laws += [("friction", np.arange(k, k + 2), rng.uniform(0, 1)) for k in range(first, first + 2 * count, 2)]
    laws += [("box", first + 2 * count, (-0.5, 0.5)), ("complementarity", first + 2 * count + 1, None)]
    return mixed(G @ G.T, G @ rng.normal(size=G.shape[1]), laws, None)


FAMILIES: dict[str, Family] = {
    "extreme mu": steep, "infinite mu": infinite, "extreme rolling": rolling, "contacts in far units": far_units,
    "duplicated contacts": duplicated, "friction as rows, scaled": polyhedral, "boxes of any width": boxes,
    "redundant equalities": redundant,
}  # fmt: skip
