"""Models of dry friction, drawn at random, for ``contact_case.py``: one contact that rubs, or several."""

from __future__ import annotations

import numpy as np
import sympy as sp

from .contact_automaton import Touch
from .contact_case import Bodied, bodied


def belt(rng) -> Bodied:
    """A mass on a spring and a belt, and a force that swings: without it a slip grazes the belt's speed."""
    speed, k, mu = rng.uniform(0.1, 0.8), rng.uniform(0.5, 3), rng.uniform(0.2, 0.8)
    force, w = rng.uniform(0.2, 0.6), rng.uniform(0.5, 3)

    def build(t, q, v):
        return [-k * q[0] + force * sp.sin(w * t), -1], [Touch(q[1], v[0] - speed, friction=mu)]

    return bodied(2, build, start=[rng.normal(), 0.0, rng.normal(), 0.0], end=15.0)


def pushed_block(rng) -> Bodied:
    """A block that a swinging push moves on the floor, its weight carried in part."""
    push, w, mu = rng.uniform(0.3, 1.5), rng.uniform(0.5, 3), rng.uniform(0.2, 0.9)
    lift, u = rng.uniform(0, 0.7), rng.uniform(0.5, 3)

    def build(t, q, v):
        return [push * sp.sin(w * t), -1 + lift * sp.sin(u * t)], [Touch(q[1], v[0], friction=mu)]

    return bodied(2, build, start=[0.0, 0.0, rng.choice([0.0, 1.0]), 0.0], end=12.0)


def hopping_block(rng) -> Bodied:
    """The same, lifted off by its load and dropped without rebound: the impulse of each landing brakes it."""
    mu, u, drive = rng.uniform(0.2, 0.9), rng.uniform(1, 2.5), rng.uniform(-0.4, 0.4)

    def build(t, q, v):
        return [drive, -1 + 1.6 * sp.sin(u * t)], [Touch(q[1], v[0], friction=mu)]

    return bodied(2, build, start=[0.0, 0.0, rng.uniform(-1, 1), 0.0], end=9.0)


def incline(rng) -> Bodied:
    """Thrown up a slope: it stops, and stays or comes back; then the slope is tilted."""
    slope, mu, tilt = rng.uniform(0.1, 0.7), rng.uniform(0.2, 0.8), rng.uniform(0, 0.08)

    def build(t, q, v):
        a = slope + tilt * t
        return [-sp.sin(a), -sp.cos(a)], [Touch(q[1], v[0], friction=mu)]

    return bodied(2, build, start=[0.0, 0.0, rng.uniform(0.3, 2), 0.0], end=8.0)


def block_on_block(rng) -> Bodied:
    """A block on a block that is pushed to and fro: rubbing between them and with the floor."""
    m, mu1, mu2 = rng.uniform(0.3, 2), rng.uniform(0.05, 0.3), rng.uniform(0.2, 0.6)
    push, w = rng.uniform(0.5, 3), rng.uniform(0.5, 2)

    def build(t, q, v):
        touches = [Touch(q[1], v[0], friction=mu1), Touch(q[3] - q[1] - 0.2, v[2] - v[0], friction=mu2)]
        return [push * sp.sin(w * t), -1, 0, -m], touches

    return bodied(4, build, masses=[1.0, 1.0, m, m], start=[0, 0, 0, 0.2, 0, 0, 0, 0], end=12.0)


def wheel(rng) -> Bodied:
    """A wheel with a spin against its motion, and a moment that swings: it slides, rolls, slides."""
    mu, moment, w = rng.uniform(0.1, 0.5), rng.uniform(0, 0.6), rng.uniform(0.5, 2)

    def build(t, q, v):
        return [0, -1, moment * sp.sin(w * t)], [Touch(q[1] - 0.3, v[0] - 0.3 * v[2], friction=mu)]

    return bodied(
        3,
        build,
        masses=[1.0, 1.0, 0.045],
        start=[0, 0.3, 0, rng.normal(), 0, 3 * rng.normal()],
        end=10.0,
    )


def thrown_with_spin(rng) -> Bodied:
    """A ball with a spin that bounces on the floor and comes to roll; e and mu together."""
    mu, e = rng.uniform(0.1, 0.7), rng.uniform(0.1, 0.7)

    def build(t, q, v):
        return [0, -1, 0], [Touch(q[1], v[0] - v[2], restitution=e, friction=mu)]

    return bodied(
        3,
        build,
        masses=[1.0, 1.0, 0.4],
        start=[0, rng.uniform(0.2, 1), 0, rng.normal(), 0, 2 * rng.normal()],
        end=10.0,
    )


def two_masses_stick_slip(rng) -> Bodied:
    """Two masses on springs between a wall and a driver, both rubbing on the floor."""
    k, mu = rng.uniform(0.5, 3, 3), rng.uniform(0.1, 0.4, 2)
    w, a = rng.uniform(0.3, 1.5), rng.uniform(0.5, 1.5)

    def build(t, q, v):
        first = -k[0] * q[0] + k[1] * (q[2] - q[0])
        second = -k[1] * (q[2] - q[0]) + k[2] * (a * sp.sin(w * t) - q[2])
        floors = [Touch(q[1], v[0], friction=mu[0]), Touch(q[3], v[2], friction=mu[1])]
        return [first, -1, second, -1], floors

    start = [float(x) for x in (*np.array([0.3, 0, -0.3, 0]) * rng.normal(size=4), 0, 0, 0, 0)]
    return bodied(4, build, start=start, end=12.0)


FRICTION = (
    belt,
    pushed_block,
    hopping_block,
    incline,
    block_on_block,
    wheel,
    thrown_with_spin,
    two_masses_stick_slip,
)
