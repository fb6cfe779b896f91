"""Sources that jump, with each law in each of its modes, beside matrix exponentials from event to event."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

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

    Where it ``rests``, all is zero until the first source comes: each law is at a corner of its curve, in two modes.
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
@pytest.mark.few(3)
def test_some_sources_that_jump(kind):
    for seed in range(2):
        assert compare(kind, seed, rests(kind, seed))[0] < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("kind", EDGES)
def test_sources_that_jump(kind):
    for seed in range(40):
        assert compare(kind, seed, rests(kind, seed))[0] < 1e-8


@pytest.mark.parametrize("seed", [7, 29])
def test_diodes_at_rest_before_a_jump_whose_step_errs_to_either_side(seed):
    """What the step across the jump leaves before it is no zero: an event there had no motion that goes on."""
    assert compare("diodes", seed, rests=True)[0] < 1e-8


def test_a_diode_at_rest_whose_source_steps_to_block():
    """Current and voltage are zero until then: where the rate of all states jumps no piece was found that goes on."""
    x, lam = dynamicsymbols("x"), nsd.multipliers("lam", 1)
    current = 10 * (nsd.piecewise((0, nsd.time < 1), (-1, nsd.time < 1.5), (1, True)) - x + lam[0])
    load = nsd.FirstOrderSystem("load", [x], [-x / 2])
    diode = nsd.OutputRelation("diode", lam, [current], {load: [current]}, nsd.Complementarity())
    run = nsd.Model("edge_blocks", [load], [diode], scheme=nsd.EventDriven(), step=0.01, end=2, initial={x: 0}).run()
    assert run.events[-1].time == pytest.approx(1.5, abs=1e-14)
    assert run.final["load.x"] == pytest.approx(10 / 10.5 * (1 - np.exp(-10.5 / 2)), rel=1e-9)


AT = sp.Rational(1, 10)
JUMPS = {
    "sgn t": (sp.sign(nsd.time), 0.0),
    "t > 0": (sp.Piecewise((1, nsd.time > 0), (0, True)), 0.0),
    "sgn (t - 0.1)": ((1 + sp.sign(nsd.time - AT)) / 2, 0.1),
    "t > 0.1": (sp.Piecewise((1, nsd.time > AT), (0, True)), 0.1),
}


@pytest.mark.parametrize("jump", JUMPS)
def test_what_a_source_is_at_the_instant_of_its_jump_says_nothing(jump):
    """It is 0, or half of it, at that instant alone: no motion went on. Behind it i' = 10 - 4 - i."""
    unit, at = JUMPS[jump]
    i, u = dynamicsymbols("i"), nsd.multipliers("u", 1)[0]
    coil = nsd.FirstOrderSystem("coil", [i], [10 * unit - i])
    valves = nsd.FirstOrderRelation("valves", multipliers=u, output=i, reaction={coil: u}, law=nsd.Relay(4))
    run = nsd.Model("valves", [coil], [valves], scheme=nsd.EventDriven(), step=0.01, end=0.5, initial={i: 0}).run()
    assert [event.kind for event in run.events] == ["slips"] and abs(run.events[0].time - at) < 1e-12
    np.testing.assert_allclose(run["i"][-1], 6 * (1 - np.exp(at - 0.5)), rtol=1e-9)


@pytest.mark.parametrize("jump", JUMPS)
def test_friction_and_a_brake_share_what_jumps(jump):
    """10 N against 3 N and 2 N: the friction that held at the instant itself held for good."""
    unit, at = JUMPS[jump]
    x, y = dynamicsymbols("x y")
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y, forces=[10 * unit, 0]
    )
    lam = nsd.multipliers("lam", 1)
    relations = [
        nsd.Contact("floor", y, nsd.NewtonImpactFriction(0, 0.3), tangent=x),
        nsd.OutputRelation("brake", lam, [x.diff()], {block: [lam[0], 0]}, nsd.Relay(2)),
    ]
    start = {x: 0, y: 0, x.diff(): 0}
    run = nsd.Model("block", [block], relations, scheme=nsd.EventDriven(), step=0.01, end=0.2, initial=start).run()
    np.testing.assert_allclose(run["x_dot"][-1], 5 * (0.2 - at), rtol=1e-9)


@pytest.mark.parametrize(("before", "after"), [(0.0, 3.0), (1.0, -1.0), (0.0, 1e-3)])
def test_an_equality_that_jumps_has_its_states_jump(before, after):
    """x - E = 0 and a state beside it that E moves through the multiplier."""
    x, y, lam = *dynamicsymbols("x y"), nsd.multipliers("lam", 1)
    two = nsd.FirstOrderSystem("two", [x, y], [-x, 0])
    source = nsd.piecewise((before, nsd.time < 1), (after, True))
    held = nsd.OutputRelation("held", lam, [x - source], {two: [lam[0], 2 * lam[0]]}, nsd.Equality())
    initial = {x: before, y: 0}
    run = nsd.Model("edge_held", [two], [held], scheme=nsd.EventDriven(), step=0.01, end=2, initial=initial).run()
    assert [(e.kind, e.time) for e in run.events] == [("jumps", 1.0)]
    assert run.final["two.x"] == pytest.approx(after, rel=1e-12)
    assert run.final["two.y"] == pytest.approx(2 * (before + after - before + after), rel=1e-9)


def rests(kind, seed):
    """Whether all is zero until the first source comes; a case says nothing where several motions go on from there."""
    return seed % 2 == 1 and not kind.endswith("any sign")
