"""Columns of bodies that fall on each other and on a floor, flight by flight in 160 digits, to rest.

Where contacts strike in turns, what is left of their rates falls far more slowly than what is left of the time: at
intervals of 1e-11 rates may have fallen by a tenth, so that no reference in double precision says how this ends. They
end together, in the air also: where none of those that hardly part opens by more than 1e-50 between its strikes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import mpmath as mp
import numpy as np

from .hybrid_automaton import Motion

DIGITS = 160
NOTHING = mp.mpf(10) ** -50  # of heights between strikes: the impacts have come to their limit
LITTLE = mp.mpf(10) ** -44  # of gaps: whose height is more than nothing there is about to
SAME = mp.mpf(10) ** -120  # instants that are one, and rates that are none
MOST = 5000


def column(masses: Sequence[float], rebounds: Sequence[float], heights: Sequence[float], end: float, thick: float):
    """Bodies of these masses, ``thick`` apart where they touch, dropped at rest under a gravity of 1."""
    with mp.workdps(DIGITS):
        return _fall([mp.mpf(m) for m in masses], [mp.mpf(e) for e in rebounds], heights, mp.mpf(end), mp.mpf(thick))


def _fall(masses, rebounds, heights, end, thick) -> Motion:
    n = len(masses)
    rows = mp.matrix(n, n)  # of gap rates
    for i in range(n):
        rows[i, i] = 1
        if i:
            rows[i, i - 1] = -1
    push = mp.matrix([[rows[k, i] / masses[i] for k in range(n)] for i in range(n)])  # of velocities by impulses
    q, v, t = mp.matrix([mp.mpf(h) for h in heights]), mp.zeros(n, 1), mp.mpf(0)
    times, pieces, closed, tops = [], [], set(), [mp.inf] * n

    def gaps():
        return [q[i] - (q[i - 1] + thick if i else 0) for i in range(n)]

    while True:
        pull = mp.matrix([-1] * n)
        a = pull + push * _pressed(rows * push, rows * pull, closed, [mp.mpf(0)] * n)
        closed = {i for i in closed if (rows * a)[i] < SAME}
        u, b = rows * v, rows * a
        falls = {i: _until(g, u[i], b[i]) for i, g in enumerate(gaps()) if i not in closed}
        step = min([s for s in falls.values() if s is not None], default=mp.inf)
        rest = end - t
        pieces.append((float(t), float(t + min(step, rest)), _piece(q, v, a, t)))
        if step >= rest:
            return Motion(times, pieces)
        before, turn = gaps(), step / 2
        tops = [
            max(h, g, g + u[i] * turn + b[i] * turn**2 / 2) for i, (h, g) in enumerate(zip(tops, before, strict=True))
        ]
        q, v, t = q + v * step + a * step**2 / 2, v + a * step, t + step
        times.append(float(t))
        assert len(times) < MOST, "the column does not come to rest"
        shut = closed | {i for i, s in falls.items() if s is not None and s - step < SAME}
        given, low = rebounds, {i for i, g in enumerate(gaps()) if g < LITTLE}
        if all(tops[i] < NOTHING for i in low - closed):
            shut, given = closed | low, [mp.mpf(0)] * n
        u = rows * v
        back = [given[i] * min(u[i], mp.mpf(0)) for i in range(n)]
        impulses = _pressed(rows * push, u, shut, back)
        tops = [mp.mpf(0) if p > 0 else h for p, h in zip(impulses, tops, strict=True)]
        v = v + push * impulses
        u = rows * v
        closed = {i for i in shut if u[i] < SAME}


def _pressed(gain, free, shut, back):
    """Impulses or forces p >= 0 of what is shut, free + gain p + back >= 0 orthogonal to them: all cases are tried."""
    n, found = len(back), None
    for case in product((False, True), repeat=len(shut)):
        on = [i for i, presses in zip(sorted(shut), case, strict=True) if presses]
        p = mp.zeros(n, 1)
        if on:
            part = mp.lu_solve(
                mp.matrix([[gain[i, k] for k in on] for i in on]), mp.matrix([-free[i] - back[i] for i in on])
            )
            for i, value in zip(on, part, strict=True):
                p[i] = value
        left = free + gain * p
        if all(p[i] >= 0 for i in on) and all(left[i] + back[i] > -SAME for i in shut):
            found = p
    assert found is not None
    return found


def _until(gap, rate, bend):
    """When gap + rate s + bend s^2 / 2 falls to zero; None for never."""
    root = rate**2 - 2 * bend * gap
    if bend < 0:
        return (rate + mp.sqrt(root)) / -bend
    return 2 * gap / (mp.sqrt(root) - rate) if rate < 0 and root >= 0 else None


def _piece(q, v, a, begin):
    def at(t):
        s = mp.mpf(float(t)) - begin
        return np.array([float(e) for e in [*(q + v * s + a * s**2 / 2), *(v + a * s)]])

    return at
