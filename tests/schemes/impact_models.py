"""Models of impacts, drawn at random, for ``contact_case.py``: without friction, one contact or several."""

from __future__ import annotations

import numpy as np
import sympy as sp

from .contact_automaton import Touch
from .contact_case import Bodied, bodied
from .exact_columns import column


def ball_in_air(rng) -> Bodied:
    """A ball that falls through air onto the floor until it rests: q'' = -1 - c v |v|."""
    c, e = rng.uniform(0, 0.3), rng.uniform(0.2, 0.75)
    return bodied(
        1,
        lambda t, q, v: ([-1 - c * v[0] * sp.Abs(v[0])], [Touch(q[0], restitution=e)]),
        start=[rng.uniform(0.2, 1.5), rng.normal()],
        end=15.0,
    )


def oscillator_with_stop(rng) -> Bodied:
    """A driven oscillator that strikes a stop: q'' = -q - 2 z v + F cos(w t), q <= d."""
    z, force, w = rng.uniform(0, 0.1), rng.uniform(0.3, 2), rng.uniform(0.5, 3)
    e, d = rng.uniform(0.3, 0.9), rng.uniform(0, 0.4)
    return bodied(
        1,
        lambda t, q, v: ([-q[0] - 2 * z * v[0] + force * sp.cos(w * t)], [Touch(d - q[0], restitution=e)]),
        start=[-rng.uniform(0.1, 1), rng.normal()],
        end=15.0,
    )


def stop_pressed_and_left(rng) -> Bodied:
    """A mass that a swinging force presses on a stop without rebound, and pulls off: a stay for each period."""
    w, k, mean = rng.uniform(0.7, 3), rng.uniform(0, 0.5), rng.uniform(-0.6, 0.2)
    return bodied(
        1,
        lambda t, q, v: ([mean + sp.sin(w * t) - k * q[0] - 0.1 * v[0]], [Touch(q[0])]),
        start=[rng.choice([0.0, 0.5]), 0.0],
        end=25.0,
    )


def shaken_table(rng) -> Bodied:
    """A ball on a table that shakes at up to 2 g: it bounces, rests, leaves."""
    w, e = rng.uniform(1.5, 5), rng.uniform(0, 0.6)
    a = rng.uniform(0.7, 2.0) / w**2
    return bodied(
        1,
        lambda t, q, v: ([-1], [Touch(q[0] - a * sp.sin(w * t), restitution=e)]),
        start=[a + rng.uniform(0, 0.5), 0.0],
        end=4 * np.pi / w,
    )


def between_walls(rng) -> Bodied:
    """A bead on a spring between two walls of different rebound, driven."""
    left, right = rng.uniform(0.3, 1), rng.uniform(0.3, 1)
    force, w = rng.uniform(0.5, 2), rng.uniform(0.5, 2)
    return bodied(
        1,
        lambda t, q, v: (
            [-0.3 * q[0] + force * sp.sin(w * t) - 0.05 * v[0]],
            [Touch(1 + q[0], restitution=left), Touch(1 - q[0], restitution=right)],
        ),
        start=[rng.uniform(-0.5, 0.5), rng.normal()],
        end=10.0,
    )


def two_balls(rng) -> Bodied:
    """A ball over a ball over the floor, masses apart by up to ten: they clatter, and rest on each other."""
    e1, e2, m = rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6), 10 ** rng.uniform(-1, 1)
    return falling([1.0, m], [e1, e2], [rng.uniform(0.1, 0.5), rng.uniform(0.7, 1.2)])


def three_balls(rng) -> Bodied:
    """A ball more, and all rebounds from nearly none on: many orders in which they strike."""
    heights = [rng.uniform(0.1, 0.5), rng.uniform(0.7, 1.2), rng.uniform(1.4, 1.8)]
    return falling([1.0, *10 ** rng.uniform(-1, 1, 2)], list(10 ** rng.uniform(-2, -0.2, 3)), heights)


def clattering_column(rng) -> Bodied:
    """Two to four balls that rebound much: groups of them come to rest together, in the air also, and are struck."""
    n = int(rng.integers(2, 5))
    heights = np.cumsum(rng.uniform(0.1, 0.5, n)) + 0.1 * np.arange(n)
    return falling(list(10 ** rng.uniform(-1, 1, n)), list(rng.uniform(0.3, 0.9, n)), list(heights))


def falling(masses: list[float], rebounds: list[float], heights: list[float]) -> Bodied:
    """Balls over each other that are dropped."""
    thick, end = 0.1, 8.0
    return bodied(
        len(masses),
        lambda t, q, v: (
            [-m for m in masses],
            [Touch(q[i] - (q[i - 1] + thick if i else 0), restitution=e) for i, e in enumerate(rebounds)],
        ),
        masses=masses,
        start=[*heights, *[0.0] * len(masses)],
        end=end,
        exact=lambda: column(masses, rebounds, heights, end, thick),
    )


def train_to_a_wall(rng) -> Bodied:
    """Two masses on a spring run against a wall, again and again under a constant push."""
    k, e, push = rng.uniform(1, 10), rng.uniform(0, 0.8), rng.uniform(0.1, 0.6)

    def build(t, q, v):
        spring = k * (q[1] - q[0] - 0.5) + 0.2 * (v[1] - v[0])
        return [spring, -spring + push], [Touch(2 - q[1], restitution=e)]

    return bodied(2, build, masses=[1.0, rng.uniform(0.3, 3)], start=[0.0, 0.5, 1.0, rng.uniform(0.5, 1)], end=8.0)


def bowl(rng) -> Bodied:
    """A point that bounces in a parabola, a gap that bends: it comes to roll along it."""
    a, e = rng.uniform(0.2, 0.8), rng.uniform(0, 0.5)
    return bodied(
        2,
        lambda t, q, v: ([-0.1 * v[0], -1 - 0.1 * v[1]], [Touch(q[1] - a * q[0] ** 2, restitution=e)]),
        start=[rng.uniform(-0.6, 0.6), rng.uniform(0.6, 1.2), rng.uniform(-0.5, 0.5), 0.0],
        end=6.0,
    )


IMPACTS = (
    ball_in_air,
    oscillator_with_stop,
    stop_pressed_and_left,
    shaken_table,
    between_walls,
    two_balls,
    three_balls,
    train_to_a_wall,
    bowl,
    clattering_column,
)
