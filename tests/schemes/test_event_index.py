"""Circuits written by their nodes, event to event: modes in which rows with multipliers say something of states alone.

Where an ideal diode blocks, the current of the coil behind it is zero and the voltage between them is what keeps it so;
behind an ideal source it holds a capacitor's voltage. Truth: closed forms, and SciPy's integrator piece by piece.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

i, v = dynamicsymbols("i v")
DIODE, NODE = nsd.Complementarity(), nsd.Equality()
SOURCE = 10 * sp.sin(nsd.time)


def run(system, relation, end, *, step=0.01, blocks=(), **initial):
    """A run to tight tolerances."""
    start = {s: initial[name] for name, s in (("i", i), ("v", v)) if name in initial}
    scheme = nsd.EventDriven(rtol=1e-11, atol=1e-12)
    return nsd.Model(
        "nodes", [system], [relation], scheme=scheme, step=step, end=end, blocks=list(blocks), initial=start
    ).run()


def test_a_diode_before_a_coil():
    """v' = sin t of 10 V, R = 1, L = 1/2: the current ends where its closed form is zero, and begins at 2 pi."""
    load = nsd.FirstOrderSystem("load", [i], [-2 * i])
    through, node = nsd.multipliers("lam", 2)
    rows = nsd.FirstOrderRelation(
        "rows", [through, node], [node - SOURCE, i - through], {load: [2 * node]}, nsd.Mixed([DIODE, NODE])
    )
    found = run(load, rows, 7, i=0)
    lag = np.arctan(0.5)

    def exact(t):
        return 10 / np.hypot(1, 0.5) * (np.sin(t - lag) + np.sin(lag) * np.exp(-2 * t))

    ends = brentq(exact, 3, 5, xtol=1e-14)
    np.testing.assert_allclose([e.time for e in found.events], [ends, 2 * np.pi], atol=1e-9)
    first, rest = found.time <= ends, (found.time > ends) & (found.time < 2 * np.pi)
    np.testing.assert_allclose(found["i"][first], exact(found.time[first]), atol=1e-8)
    assert abs(found["i"][rest]).max() < 1e-9
    assert abs(found["rows.lam[1]"][rest]).max() < 1e-8  # no voltage across a coil without current


def test_a_peak_detector():
    """A diode from an ideal source to a capacitor of 1 F with 2 ohm: it leaves where C s' + s / R = 0."""
    load = nsd.FirstOrderSystem("load", [v], [-v / 2])
    through, blocks = nsd.multipliers("lam", 2)
    rows = nsd.FirstOrderRelation(
        "rows", [through, blocks], [blocks, blocks + SOURCE - v], {load: [through]}, nsd.Mixed([DIODE, NODE])
    )
    found = run(load, rows, 9, v=5)
    leaves = np.pi - np.arctan(2)
    begins = brentq(lambda t: 10 * np.sin(t) - 5 * np.exp(-t / 2), 0, 1, xtol=1e-14)
    again = brentq(lambda t: np.sin(t) - np.sin(leaves) * np.exp((leaves - t) / 2), 6, 7, xtol=1e-14)
    np.testing.assert_allclose([e.time for e in found.events], [begins, leaves, again, leaves + 2 * np.pi], atol=1e-9)


def test_a_capacitor_that_was_empty_and_keeps_its_charge():
    """The source passes zero where nothing ever was: both diode and capacitor begin there, and the peak is kept."""
    load = nsd.FirstOrderSystem("load", [v], [0])
    through, blocks = nsd.multipliers("lam", 2)
    output = [blocks, blocks + 10 * sp.sin(2 * nsd.time - 1) - v]
    rows = nsd.FirstOrderRelation("rows", [through, blocks], output, {load: [through]}, nsd.Mixed([DIODE, NODE]))
    found = run(load, rows, 4, v=0)
    np.testing.assert_allclose([e.time for e in found.events], [0.5, 0.5 + np.pi / 4], atol=1e-9)
    np.testing.assert_allclose(found["v"][-1], 10, atol=1e-8)


@pytest.mark.parametrize("phase", [0.1, 0.7, 1.3])
def test_a_part_without_current(phase):
    """A coil, a resistor, a diode back to the source: nothing drives a current through them."""
    load = nsd.FirstOrderSystem("load", [i], [0])
    source, dead, one, two, three = lam = nsd.multipliers("lam", 5)
    inner = (three - two) / 3
    output = [one - 7 * sp.sin(3 * nsd.time + phase), one - three, source - i - dead, i - inner, inner + dead]
    law = nsd.Mixed([NODE, DIODE, *[NODE] * 3])
    found = run(load, nsd.FirstOrderRelation("rows", lam, output, {load: [two - one]}, law), 6, step=0.02, i=0)
    assert abs(found["i"]).max() < 1e-12


def test_a_branch_between_voltages_that_cancel():
    """u = w / 3 but for rounding, of which a current of 1e-17 is all: its integrator had taken steps of 7e-17 s."""
    u, w = dynamicsymbols("u w")
    drive, i_d = sp.sin(3 * nsd.time), nsd.multipliers("lam", 1)
    halves = [nsd.FirstOrderSystem(str(s.func), [s], [k * drive - s]) for s, k in ((u, 1), (w, 3))]
    branch = nsd.FirstOrderSystem("branch", [i], [-i])
    diode = nsd.FirstOrderRelation("diode", i_d, [i_d[0] + i - (3 * u - w)], {branch: i_d}, DIODE)
    start = {u: 0.1, w: 3 * 0.1, i: 0}
    scheme = nsd.EventDriven()
    idle = nsd.Model("idle", [*halves, branch], [diode], scheme=scheme, step=0.01, end=5, initial=start).run()
    assert abs(idle["i"]).max() < 1e-14 and idle["w"][-1] == pytest.approx(3 * idle["u"][-1], abs=1e-13)


def test_a_bridge_by_its_nodes():
    """Four diodes and two nodes between an ideal source and a coil: the load sees |s|."""
    load = nsd.FirstOrderSystem("load", [i], [-2 * i])
    one, two, three, four, high, low = lam = nsd.multipliers("lam", 6)
    output = [high - SOURCE, SOURCE - low, high, -low, one + three - i, two + four - i]
    rows = nsd.FirstOrderRelation("rows", lam, output, {load: [2 * (high - low)]}, nsd.Mixed([DIODE] * 4 + [NODE] * 2))
    found = run(load, rows, 10, i=0)
    x, at = 0.0, 0.0
    for until in (*np.pi * np.arange(1, 4), 10.0):
        piece = (found.time >= at) & (found.time <= until)
        exact = solve_ivp(
            lambda t, x: 2 * (10 * abs(np.sin(t)) - x), (at, until), [x], rtol=1e-12, atol=1e-12, dense_output=True
        )
        np.testing.assert_allclose(found["i"][piece], exact.sol(found.time[piece])[0], atol=1e-8)
        x, at = exact.y[0, -1], until


PULSES = nsd.Pulses("pulses", period=1e-4, width=4e-5)
Q = PULSES.pulse
ONE, OTHER, THIRD = nsd.multipliers("lam", 3)


def boost(form):
    """A coil of 0.1 mH from 10 V, a switch to the ground, a diode to a capacitor of 0.2 mF beside 100 ohm."""
    cell = nsd.FirstOrderSystem("cell", [i, v], [10 / 1e-4, -v / 0.02])
    if form == "voltage of the node, current of the diode":
        rows = [Q * ONE + (1 - Q) * (i - OTHER), v - ONE], [-ONE / 1e-4, OTHER / 2e-4]
    else:
        rows = [Q * (v - OTHER) + (1 - Q) * ONE, i - ONE], [(OTHER - v) / 1e-4, (i - ONE) / 2e-4]
    return cell, nsd.FirstOrderRelation("rows", [ONE, OTHER], rows[0], {cell: rows[1]}, nsd.Mixed([NODE, DIODE]))


def buck():
    """A switch from 10 V, a diode from the ground, a coil of 0.1 mH to a capacitor of 0.2 mF beside 100 ohm."""
    cell = nsd.FirstOrderSystem("cell", [i, v], [-v / 1e-4, (i - v / 100) / 2e-4])
    output = [Q * (10 - THIRD) + (1 - Q) * ONE, THIRD, ONE + OTHER - i]
    law = nsd.Mixed([NODE, DIODE, NODE])
    return cell, nsd.FirstOrderRelation("rows", [ONE, OTHER, THIRD], output, {cell: [THIRD / 1e-4, 0]}, law)


def periods(count, on, off, start):
    """SciPy's integrator, piece by piece: switch on, then off until the current has ended, then without it."""
    x = np.array(start, float)
    for _ in range(count):
        x = solve_ivp(on, (0, 4e-5), x, rtol=1e-11, atol=1e-13).y[:, -1]

        def current(t, x):
            return x[0]

        current.terminal, current.direction = True, -1
        piece = solve_ivp(off, (4e-5, 1e-4), x, rtol=1e-11, atol=1e-13, events=current)
        x = piece.y[:, -1]
        if piece.status == 1:
            x = np.array([0.0, x[1] * np.exp((piece.t[-1] - 1e-4) / 0.02)])
    return x


@pytest.mark.parametrize(
    ("model", "on", "off"),
    [
        (
            boost("voltage of the node, current of the diode"),
            lambda t, x: [1e5, -x[1] / 0.02],
            lambda t, x: [(10 - x[1]) / 1e-4, (x[0] - x[1] / 100) / 2e-4],
        ),
        (
            boost("current of the switch, voltage of the diode"),
            lambda t, x: [1e5, -x[1] / 0.02],
            lambda t, x: [(10 - x[1]) / 1e-4, (x[0] - x[1] / 100) / 2e-4],
        ),
        (
            buck(),
            lambda t, x: [(10 - x[1]) / 1e-4, (x[0] - x[1] / 100) / 2e-4],
            lambda t, x: [-x[1] / 1e-4, (x[0] - x[1] / 100) / 2e-4],
        ),
    ],
    ids=["boost by voltages", "boost by currents", "buck"],
)
def test_a_converter_whose_current_ends(model, on, off):
    """Sixty periods, in each of which the switch leaves the coil's current to the diode, and that ends it."""
    start = [0.0, 9.0 if len(model[1].multipliers) == 3 else 25.0]
    found = run(*model, 60e-4, step=1e-5, blocks=[PULSES], i=start[0], v=start[1])
    exact = periods(60, on, off, start)
    np.testing.assert_allclose([found["i"][-1], found["v"][-1]], exact, atol=1e-8 * exact[1])
    assert found["i"].min() > -1e-9


def test_a_current_that_is_interrupted_has_no_motion():
    """A switch that opens with nothing beside it: the current of the coil cannot end at once, and nothing is hidden."""
    load = nsd.FirstOrderSystem("load", [i], [-2 * i])
    other = sp.Symbol("q")
    switch = nsd.Latch("switch", other, on=i <= -1, off=i >= 2, initial=1)
    through, voltage = nsd.multipliers("lam", 2)
    rows = nsd.FirstOrderRelation(
        "rows",
        [through, voltage],
        [other * (voltage - 10) + (1 - other) * through, i - through],
        {load: [2 * voltage]},
        nsd.Mixed([NODE, NODE]),
    )
    with pytest.raises(nsd.errors.NsdgenError, match="rows"):
        run(load, rows, 1, blocks=[switch], i=0)


def coil_by_its_nodes(coil, state, name="rows"):
    """A diode from 10 V sin t to a coil, by its two rows."""
    through, node = nsd.multipliers(f"{name}_lam", 2)
    return nsd.FirstOrderRelation(
        name, [through, node], [node - SOURCE, state - through], {coil: [node]}, nsd.Mixed([DIODE, NODE])
    )


def at_the_end(systems, relations, end=10.0, **given):
    model = nsd.Model("m", systems, relations, scheme=nsd.EventDriven(rtol=1e-11), step=0.1, end=end, **given)
    return {name: value for name, value in model.compile(interpret=True).run().final.items() if "i" in name}


def test_parameters_of_the_systems_of_differentiated_rows():
    """The rate of i has R and L of the coil: symbols, numbers that four coils share as arguments, values of copies.

    Rows were refused by an error of ours where these were no numbers in the text.
    """
    R, L = sp.symbols("R L", positive=True)
    values = [(1.5, 0.3), (2.5, 0.4), (3.5, 0.5), (0.5, 0.6)]
    right = []
    for r, inductance in values:
        coil = nsd.FirstOrderSystem("coil", [i], [-r * i], mass=[[inductance]])
        right.append(at_the_end([coil], [coil_by_its_nodes(coil, i)], initial={i: 0})["coil.i"])
    coil = nsd.FirstOrderSystem("coil", [i], [-R * i], mass=[[L]])
    for (r, inductance), exact in zip(values, right, strict=True):
        given = {"initial": {i: 0}, "parameters": {R: r, L: inductance}}
        assert abs(at_the_end([coil], [coil_by_its_nodes(coil, i)], **given)["coil.i"] - exact) < 1e-12
    states = dynamicsymbols("i0:4")
    coils = [
        nsd.FirstOrderSystem(f"coil {k}", [s], [-r * s], mass=[[inductance]])
        for k, (s, (r, inductance)) in enumerate(zip(states, values, strict=True))
    ]
    single = [coil_by_its_nodes(c, s, f"rows{k}") for k, (c, s) in enumerate(zip(coils, states, strict=True))]
    found = at_the_end(coils, single, initial=dict.fromkeys(states, 0))
    np.testing.assert_allclose(
        [found[f"coil {k}.i{k}"] for k in range(4)], right, rtol=0, atol=1e-10
    )  # others' steps, rtol 1e-11
    pairs = []
    for k in (0, 2):  # two systems of one class in a relation
        lam = nsd.multipliers(f"lam{k}", 4)
        rows = [lam[1] - SOURCE, states[k] - lam[0], lam[3] - SOURCE, states[k + 1] - lam[2]]
        reaction = {coils[k]: [lam[1]], coils[k + 1]: [lam[3]]}
        law = nsd.Mixed([DIODE, NODE, DIODE, NODE])
        pairs.append(nsd.FirstOrderRelation(f"pair {k}", list(lam), rows, reaction, law))
    found = at_the_end(coils, pairs, initial=dict.fromkeys(states, 0))
    np.testing.assert_allclose(
        [found[f"coil {k}.i{k}"] for k in range(4)], right, rtol=0, atol=1e-10
    )  # others' steps, rtol 1e-11
    many = coil.copies(4, parameters={R: [v[0] for v in values], L: [v[1] for v in values]}, initial={i: np.zeros(4)})
    rows = coil_by_its_nodes(many[0], many[0].coordinate(i)).copies([(k,) for k in range(4)], like=(many[0],))
    found = at_the_end(many, rows)
    np.testing.assert_allclose(
        [found[f"coil {k}.i"] for k in range(4)], right, rtol=0, atol=1e-10
    )  # others' steps, rtol 1e-11


def test_a_relay_of_second_order_whose_mass_is_a_parameter():
    """m x'' = -x - 1 for x > 0: x = 2 cos(t / sqrt m) - 1 comes to zero at pi / 3."""
    x, w = dynamicsymbols("x w")
    (push,), m = nsd.multipliers("push", 1), sp.Symbol("m", positive=True)
    plant = nsd.FirstOrderSystem("plant", [x, w], [w, -x], mass=[[1, 0], [0, m]])
    relay = nsd.FirstOrderRelation("relay", [push], [x], {plant: [0, push]}, nsd.Relay(1))
    for mass in (1, 2.5):
        model = nsd.Model(
            "m", [plant], [relay], scheme=nsd.EventDriven(), step=0.1, end=2, initial={x: 1, w: 0}, parameters={m: mass}
        )
        assert abs(model.run().events[0].time - np.sqrt(mass) * np.pi / 3) < 1e-9


def test_a_bridge_commutes_and_leaves_nothing_open():
    """Where the source is zero all four diodes may conduct; the current round them is that of the moment behind it."""
    load = nsd.FirstOrderSystem("load", [i], [-2 * i])
    one, two, low, high, across, drawn = lam = nsd.multipliers("lam", 6)
    output = [across - low, across - high, one - drawn, two + drawn, one + two - i, low - high - SOURCE]
    rows = nsd.FirstOrderRelation("rows", lam, output, {load: [2 * across]}, nsd.Mixed([DIODE] * 4 + [NODE] * 2))
    found = run(load, rows, 10, i=0)
    assert not found["rank_deficiency"].any()
    np.testing.assert_allclose([e.time for e in found.events], np.pi * np.arange(1, 4), atol=1e-9)


@pytest.mark.parametrize(("gain", "resistance"), [(3, 0.3), (3, 3 * 0.1), (0.7, 0.07), (2**0.5, 0.1 * 2**0.5)])
def test_two_diodes_side_by_side_in_units_of_their_own(gain, resistance):
    """What both say is one thing but for rounding, and said nothing of states: the run ended where they block."""
    i_a, i_b = nsd.multipliers("lam", 2)
    load, drop = nsd.FirstOrderSystem("load", [v], [-v]), v - sp.sin(2 * sp.pi * nsd.time)
    reverse = [drop + 0.1 * (i_a + i_b), gain * drop + resistance * (i_a + i_b)]
    pair = nsd.FirstOrderRelation("pair", [i_a, i_b], reverse, {load: [i_a + i_b]}, DIODE)
    (i_one,) = nsd.multipliers("i_one", 1)
    one = nsd.FirstOrderRelation("one", [i_one], [drop + 0.1 * i_one], {load: [i_one]}, DIODE)
    found, single = (run(load, r, 3, v=0)["v"][-1] for r in (pair, one))
    assert found == pytest.approx(single, rel=1e-10)


def test_many_diodes_before_coils_of_their_own():
    """Nine are 512 choices together, and two each: none was looked at, and no motion went on where one blocked."""
    count, end = 9, 1.2
    currents, lam = list(dynamicsymbols(f"c0:{count}")), list(nsd.multipliers("lam", 2 * count))
    through, node = lam[:count], lam[count:]
    phases = [k / 4 for k in range(count)]
    load = nsd.FirstOrderSystem(
        "load", currents, [3 * sp.sin(2 * nsd.time + p) - c for c, p in zip(currents, phases, strict=True)]
    )
    output = [*(-e for e in node), *(c - e for c, e in zip(currents, through, strict=True))]
    law = nsd.Mixed([DIODE] * count + [NODE] * count)
    rows = nsd.FirstOrderRelation("rows", lam, output, {load: [-e for e in node]}, law)
    scheme = nsd.EventDriven(rtol=1e-11, atol=1e-12)
    model = nsd.Model("nodes", [load], [rows], scheme=scheme, step=0.05, end=end, initial=dict.fromkeys(currents, 0))
    found = model.run()
    for k, p in enumerate(phases):

        def exact(t, p=p):  # c' = 3 sin(2 t + p) - c from c(0) = 0
            return 0.6 * (np.sin(2 * t + p) - 2 * np.cos(2 * t + p) - (np.sin(p) - 2 * np.cos(p)) * np.exp(-t))

        ends = brentq(exact, 0.1, 2.3, xtol=1e-14) if p else np.inf
        conducts = found.time <= ends
        np.testing.assert_allclose(found[f"c{k}"][conducts], exact(found.time[conducts]), atol=1e-8)
        assert abs(found[f"c{k}"][~conducts]).max(initial=0.0) < 1e-9
