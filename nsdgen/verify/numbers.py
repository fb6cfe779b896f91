"""Small exact numbers and rational points, the simplest first: what counterexamples are made of.

``level`` 0 gives zeros and ones, 1 small integers, 2 larger ones, 3 simple fractions.
"""

from random import Random

import sympy as sp

LEVELS = 4  # zeros and ones, small integers, larger ones, fractions: those of _POOLS
_POOLS: tuple[tuple[sp.Rational, ...], ...] = (
    tuple(map(sp.Integer, (0, 0, 1, 1, 0, -1))),
    tuple(map(sp.Integer, (1, 2, -1, 3, 0, -2))),
    tuple(map(sp.Integer, (1, 2, 3, 5, 7, -1, -2, -3, -4))),
    tuple(sp.Rational(a, b) for b in (2, 3, 5) for a in (-7, -4, -1, 1, 2, 3, 4, 7) if a % b),
)


def draw(rng: Random, level: int) -> sp.Rational:
    """A random number of the level."""
    return rng.choice(_POOLS[min(level, LEVELS - 1)])


def draw_matrix(rng: Random, level: int, rows: int, columns: int) -> sp.Matrix:
    """A matrix of random numbers of the level."""
    return sp.Matrix(rows, columns, lambda i, j: draw(rng, level))


def sphere(rng: Random, level: int, size: int) -> list[sp.Rational]:
    """A rational point of the unit sphere in R^size: basis vectors, then stereographic ones, which are Pythagorean."""
    if level == 0 or size == 1:
        point = [sp.Integer(0)] * size
        point[rng.randrange(size)] = sp.Integer(rng.choice((1, 1, -1)))
        return point
    u = [draw(rng, level) for _ in range(size - 1)]
    s = sum(x * x for x in u)
    point = [(1 - s) / (1 + s), *(2 * x / (1 + s) for x in u)]
    rng.shuffle(point)
    return point


def orthogonal(rng: Random, level: int, size: int) -> sp.Matrix:
    """A rational matrix with orthonormal columns and determinant 1: products of two reflections."""
    if level == 0 and size > 1:
        turn = sp.eye(size)
        i, j = rng.sample(range(size), 2)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = 0, -1, 1, 0
        return turn
    result = sp.eye(size)
    for _ in range(2):
        v = sp.Matrix(size, 1, lambda i, j: draw(rng, max(level - 1, 0)))
        square = (v.T * v)[0, 0]
        if square == 0:
            v, square = sp.Matrix(size, 1, lambda i, j: 1), sp.Integer(size)
        result = result * (sp.eye(size) - 2 * v * v.T / square)
    return result
