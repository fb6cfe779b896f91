"""Sources that jump, with each law in each of its modes, beside matrix exponentials from event to event."""

import numpy as np
import pytest

import nsdgen as nsd

from .test_event_random import KINDS, model_of, random_system

END = 2.0
EDGES = (*KINDS, "saturations", "equalities")


def edged(kind, rng):
    """A system, its start, and sources one after the other: (until, a, c)."""
    system, x = random_system({"saturations": "relays with feedback", "equalities": "diodes"}.get(kind, kind), rng)
    if kind == "equalities":
        system.bounds[:] = -np.inf, np.inf
    if kind in ("diodes", "equalities"):
        x = x + system.B @ system.pushed(x)
    times = [*np.sort(rng.choice([0.25, 0.5, 1.0, *rng.uniform(0.05, END, 3)], 3, replace=False)), END]
    a, c, sources = system.a, system.c, []
    for until in times:
        sources.append((float(until), a, c))
        size = rng.choice([0.1, 1.0, 4.0])
        a = a + size * rng.normal(size=len(a)) * (rng.random(len(a)) < 0.5)
        c = c + size * rng.normal(size=len(c)) * (rng.random(len(c)) < 0.5)
    return system, x, sources


def compare(kind, seed, rests=False):
    """The largest difference of events and of the state at the end, and until when it is told.

    Where it ``rests``, all is zero until the first source comes: each law is at a corner of its curve, in two modes at once.
    """
    system, x, sources = edged(kind, np.random.default_rng([seed, EDGES.index(kind), 7]))
    begins = sources[0][0] if rests else 0.0
    if rests:
        x = 0.0 * x
        sources[0] = begins, 0.0 * system.a, 0.0 * system.c
    times, state, reached = system.pieces(x, [(until - begins, a, c) for until, a, c in sources[rests:]])
    times, reached = [begins + t for t in times], begins + reached
    a = [piece_by_piece(sources, 1, i) for i in range(len(x))]
    c = [piece_by_piece(sources, 2, i) for i in range(len(system.c))]
    run = model_of(system, x, kind, END, a, c).run()
    own = merged(e.time for e in run.events if e.kind != "start" and begins + 1e-9 < e.time < reached - 1e-6)
    told = merged(t for t in times if begins + 1e-9 < t < reached - 1e-6)
    assert len(own) == len(told), (own, told)
    off = np.abs(own - told).max(initial=0)
    if reached > END - 1e-9:
        final = np.array([run.final[f"plant.s{i}"] for i in range(len(x))])
        off = max(off, (np.abs(final - state) / (1 + np.abs(state))).max())
    return off, reached


def piece_by_piece(sources, part, entry):
    """One entry of a or c as a function of time."""
    *most, last = [(float(source[part][entry]), source[0]) for source in sources]
    return nsd.piecewise(*((value, nsd.time < until) for value, until in most), (last[0], True))


def merged(times):
    """Several at one instant are one."""
    found = np.sort(np.array(list(times)))
    return found[np.diff(found, prepend=-np.inf) > 1e-9]


@pytest.mark.parametrize("kind", EDGES)
def test_some_sources_that_jump(kind):
    for seed in range(2):
        assert compare(kind, seed, rests=seed % 2 == 1)[0] < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("kind", EDGES)
def test_sources_that_jump(kind):
    for seed in range(40):
        assert compare(kind, seed, rests=seed % 2 == 1)[0] < 1e-8
