"""Contacts of infinite friction, case by case: open, r = 0, or closed, u = 0, which is an equality.

With the closed ones eliminated the others are a friction problem with finite coefficients. Contacts that pull are
opened, contacts that penetrate are closed, until none does; where that circles, a few contacts are tried in all cases.
There need not be a solution: one contact with q_N < 0 and W_NT W_TT^-1 q_T < q_N would have to pull to stick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector

MOST_ROWS = 300  # dense solutions
MOST_CASES = 6  # contacts up to which all cases are tried
# each changes the set of closed contacts: what settles does so in a few, and what circles is noticed before
SWEEPS = 30
SIGN = 1e-10  # of the load, or of the largest reaction: rounding

Closed = NDArray[np.bool_]
Solve = Callable[[Vector, Vector, Vector], Vector]


def no_slip_cases(W: Vector, q: Vector, mu: Vector, solve: Solve) -> Iterator[Vector]:
    """Reactions r (n,) to certify, each of a case in which no contact of infinite friction pulls or penetrates.

    ``W`` (n, n) is dense, ``mu`` (contacts, disks); ``solve`` (W, q, mu) gives r of a problem with finite ones, or
    raises ``SolverError``.
    """
    held = np.flatnonzero((mu >= NO_SLIP).all(axis=1))
    if not len(held) or len(q) > MOST_ROWS:
        return
    dim, seen = len(q) // len(mu), set[bytes]()
    closed = q[dim * held] < 0.0
    for _ in range(SWEEPS):
        if closed.tobytes() in seen:
            break
        seen.add(closed.tobytes())
        r = _case(W, q, mu, held, closed, solve)
        if r is None:
            break
        wrong = _wrong(W, q, r, dim * held, closed)
        if not wrong.any():
            yield r
            break
        closed = closed ^ wrong
    for case in product((True, False), repeat=len(held)) if len(held) <= MOST_CASES else ():
        closed = np.array(case)
        r = None if closed.tobytes() in seen else _case(W, q, mu, held, closed, solve)
        if r is not None and not _wrong(W, q, r, dim * held, closed).any():
            yield r


def _case(
    W: Vector, q: Vector, mu: Vector, held: NDArray[np.signedinteger], closed: Closed, solve: Solve
) -> Vector | None:
    """r (n,) with u = 0 at the ``closed`` ones of ``held`` and r = 0 at the others; None where there is none."""
    dim = len(q) // len(mu)
    others = np.setdiff1d(np.arange(len(mu)), held)
    stuck, free = _rows(held[closed], dim), _rows(others, dim)
    r = np.zeros(len(q))
    own = np.linalg.pinv(W[np.ix_(stuck, stuck)], hermitian=bool(np.array_equal(W, W.T)))
    follow, alone = -own @ W[np.ix_(stuck, free)], -own @ q[stuck]
    if len(free):
        across = W[np.ix_(free, stuck)]
        try:
            r[free] = solve(W[np.ix_(free, free)] + across @ follow, q[free] + across @ alone, mu[others])
        except SolverError:
            return None
    r[stuck] = alone + follow @ r[free]
    return r


def _wrong(W: Vector, q: Vector, r: Vector, normal: NDArray[np.signedinteger], closed: Closed) -> Closed:
    """Which contacts, whose rows of u_N are ``normal``, pull though closed, or penetrate though open."""
    apart = W[normal] @ r + q[normal]
    pulls = r[normal] < -SIGN * np.abs(r).max(initial=0.0)
    return np.where(closed, pulls, apart < -SIGN * np.abs(q).max())


def _rows(contacts: NDArray[np.signedinteger], dim: int) -> NDArray[np.signedinteger]:
    return (contacts[:, None] * dim + np.arange(dim)).ravel()
