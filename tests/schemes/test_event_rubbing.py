"""Blocks that rub on a floor with brakes, springs, dampers of dry friction and stops between them, drawn at random.

Event to event against small steps, which err by O(h): the difference falls with the step, and friction stays in its
cone. Each of these draws stopped without a motion, went on without end or left the cone before.
"""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

ROW = 0.02


def blocks(seed):
    """Systems, relations, the initial state and places of one to three blocks."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 4))
    xs, ys, zs = (dynamicsymbols(" ".join(f"{c}{i}" for i in range(n)) + ",") for c in "xyz")
    systems, relations, start = [], [], {}
    for i, (x, y, z) in enumerate(zip(xs, ys, zs, strict=True)):
        mass = float(rng.uniform(0.5, 3))
        size, rate, phase = rng.uniform(2, 12), rng.uniform(0.5, 6), rng.uniform(0, 6)
        aside = 0
        if rng.random() < 0.4:
            aside = rng.uniform(0, 3) * sp.cos(rng.uniform(0.5, 5) * nsd.time)
        spring = float(rng.uniform(0, 40)) * int(rng.random() < 0.5)
        block = nsd.LagrangianSystem(
            f"m{i}",
            [x, y, z],
            kinetic=mass * (x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2,
            potential=mass * 9.81 * y + spring * (x - i) ** 2 / 2 + 5 * z**2,
            forces=[size * sp.sin(rate * nsd.time + phase), 0, aside],
        )
        systems.append(block)
        along = float(rng.normal() * (rng.random() < 0.7))
        start |= {x: 1.0 * i, y: 0, z: 0, x.diff(): along, y.diff(): 0}
        start[z.diff()] = float(rng.normal() * (rng.random() < 0.3))
        law = nsd.NewtonImpactFriction(0, float(rng.uniform(0.05, 0.5)))
        relations.append(nsd.Contact(f"f{i}", y, law, tangent=[x, z] if rng.random() < 0.6 else x))
        if rng.random() < 0.4:
            relations.append(nsd.RateForce(f"brake{i}", x.diff(), nsd.Relay(float(rng.uniform(0.3, 3)))))
    for i, (x, other) in enumerate(pairwise(xs)):
        if rng.random() < 0.5:
            stiffness = float(rng.uniform(5, 50))
            relations.append(nsd.ForceElement(f"s{i}", along=other - x, force=-stiffness * (other - x - 1)))
        if rng.random() < 0.6:
            gap = other - x - float(rng.uniform(0.3, 0.9))
            relations.append(nsd.Contact(f"c{i}", gap, nsd.NewtonImpact(float(rng.choice([0, 0.5, 0.9])))))
        if rng.random() < 0.3:
            level = float(rng.uniform(0.3, 2))
            relations.append(nsd.RateForce(f"damp{i}", other.diff() - x.diff(), nsd.Relay(level)))
    if rng.random() < 0.5:
        relations.append(nsd.Contact("wall", n + 0.3 - xs[-1], nsd.NewtonImpact(float(rng.choice([0, 0.6])))))
    if rng.random() < 0.5:
        relations.append(nsd.Contact("wall0", xs[0] + 0.5, nsd.NewtonImpact(float(rng.choice([0, 0.6])))))
    return systems, relations, start


@pytest.mark.parametrize("seed", [20, 8, 26, 36, 43, 44, 51, 70, 72, 75, 87, 88, 139, 156])
@pytest.mark.few(3)
def test_blocks_drawn_at_random_move_as_small_steps_say(seed):
    systems, relations, start = blocks(seed)
    given = {"end": 3.0, "initial": start}
    events = nsd.Model("events", systems, relations, scheme=nsd.EventDriven(), step=ROW, **given).run()
    off, steps = [], nsd.Model("steps", systems, relations, scheme=nsd.MoreauJean(), step=1e-3, **given).compile()
    for step in (1e-3, 1.25e-4):
        run = steps.run(step=step, every=round(ROW / step))
        names = [f"m{i}.x{i}" for i in range(len(systems))]
        off.append(max(abs(np.interp(run.time, events.time, events[name]) - run[name]).max() for name in names))
    assert off[1] < max(off[0] / 3, 1e-6) and off[1] < 2e-3
    apart = np.diff(events.time) > 1e-9
    follows = np.append(apart, True) & np.append(
        True, apart
    )  # at an event that turns a rate round the line still holds
    for contact in relations:
        if isinstance(contact.law, nsd.NewtonImpactFriction):
            force = events[f"{contact.name}.force"][follows]
            beyond = np.linalg.norm(force[:, 1:], axis=1) - float(contact.law.friction) * force[:, 0]
            assert beyond.max() < 1e-5 * abs(force).max()
