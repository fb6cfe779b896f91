"""Steps that have several solutions say so, and no others: beside the enumeration of all sets of active rows."""

import itertools
import warnings

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.analysis.step_problem import one_step_problems
from nsdgen.errors import ModelWarning

from .test_event_random import KINDS, model_of, random_system

STEP = 0.0625
x, v = dynamicsymbols("x v")
lam = nsd.multipliers("lam", 1)


def run_of(model, **settings):
    """The table of a run, and what it says of several solutions."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = model.run(**settings)
    return run, [str(w.message) for w in caught if isinstance(w.message, ModelWarning) and "several" in str(w.message)]


def solutions(A, q, bounds):
    """All solutions of w = A z + q, z in its bounds, w of the sign that belongs to it; A regular in all its parts."""
    found = []
    for places in itertools.product(range(3), repeat=len(q)):
        z = np.array([b[0] if p == 0 else b[1] if p == 1 else 0.0 for p, b in zip(places, bounds, strict=True)])
        free = np.array([p == 2 for p in places])
        if not np.isfinite(z).all():
            continue
        if free.any():
            z[free] = np.linalg.solve(A[np.ix_(free, free)], -(q + A @ z)[free])
        w = A @ z + q
        inside = all(b[0] - 1e-12 <= e <= b[1] + 1e-12 for e, b in zip(z, bounds, strict=True))
        signs = all(p == 2 or (e if p == 0 else -e) >= -1e-12 for e, p in zip(w, places, strict=True))
        if inside and signs and not any(np.allclose(z, other, rtol=1e-6, atol=1e-9) for other in found):
            found.append(z)
    return found


LAWS = (nsd.Relay(1), nsd.Complementarity(), nsd.Box(-1, 2))


def random_model(rng, rows, feedback, law):
    """Two states, relays, diodes or saturations (the least u - lambda in a box) with feedback of any sign."""
    lam = nsd.multipliers("lam", rows)
    B, C, D = rng.normal(size=(2, rows)), rng.normal(size=(rows, 2)), feedback * rng.normal(size=(rows, rows))
    if isinstance(law, nsd.Box):
        D = D + np.eye(rows)
    sums = lambda matrix, values: [sum(float(f) * e for f, e in zip(row, values, strict=True)) for row in matrix]  # noqa: E731
    drive = [-x + v + 2 * sp.sin(3 * nsd.time), -x - v + sp.cos(2 * nsd.time)]
    plant = nsd.FirstOrderSystem("plant", [x, v], drive)
    outputs = [a + b for a, b in zip(sums(C, [x, v]), sums(D, lam), strict=True)]
    relation = nsd.FirstOrderRelation("rows", lam, outputs, {plant: sums(B, lam)}, law)
    start = dict(zip([x, v], rng.normal(size=2), strict=True))
    return nsd.Model(
        "random", [plant], [relation], scheme=nsd.ThetaGamma(theta=0.5), step=STEP, end=12 * STEP, initial=start
    )


def beside_enumeration(seed, analysed=False):
    """How many steps of a random model have several solutions; the run says the same of each, and so does analysis."""
    rng = np.random.default_rng(seed)
    rows, kind = int(rng.integers(1, 4)), int(rng.integers(3))
    model = random_model(rng, rows, rng.choice([0.03, 0.3, 1]), LAWS[kind])
    bounds = [((-1.0, 1.0), (0.0, np.inf), (-1.0, 2.0))[kind]] * rows
    compiled = model.compile()
    try:
        run, said = run_of(compiled)
    except nsd.errors.StepError as error:  # a step without a solution
        run, said = error.trajectory, None
    count = 0
    for k in range(1, len(run.time)):
        (problem,) = one_step_problems(compiled, run.time[k])
        there = len(solutions(problem.A, problem.q, bounds))
        assert there >= 1
        assert (run["rank_deficiency"][k] > 0) == (there > 1), (seed, k, there)
        count += there > 1
    if said is not None:
        assert len(said) == (count > 0) and all(f"{count} of {len(run.time) - 1} steps" in text for text in said)
    if analysed:
        assert any("several" in text for text in model.analysis.warnings) == (count > 0), seed
    return count


def test_random_rows():
    counts = [beside_enumeration(seed, analysed=seed < 8) for seed in range(12)]
    assert sum(c > 0 for c in counts[:12]) > 2 and sum(c == 0 for c in counts[:12]) > 2


@pytest.mark.slow
def test_many_random_rows():
    for seed in (*range(8, 24), *range(100, 500)):
        beside_enumeration(seed, analysed=seed < 300)


def comparator(feedback, scheme, start=0.1):
    """v' = -v + 2 sin 3t + 0.3 out, out in -Sgn(v + feedback out)."""
    plant = nsd.FirstOrderSystem("plant", [v], [-v + 2 * sp.sin(3 * nsd.time)])
    relation = nsd.FirstOrderRelation("comparator", lam, [v + feedback * lam[0]], {plant: [0.3 * lam[0]]}, nsd.Relay(1))
    return nsd.Model("comparator", [plant], [relation], scheme=scheme, step=STEP, end=3, initial={v: start})


def test_a_comparator_with_positive_feedback():
    run, (said,) = run_of(comparator(-0.5, nsd.ThetaGamma()))
    several = run["rank_deficiency"][1:] > 0
    assert 0 < several.sum() < len(several)
    assert f"'comparator': {several.sum()} of {len(several)} steps have several solutions" in said
    assert "comparator.lam[0]" in said and f"ends at {run.time[1:][several][0]:.6g} s" in said


@pytest.mark.parametrize(
    "law",
    [
        nsd.PiecewiseLinear([(-1, 1), (1, -1)]),
        nsd.PiecewiseLinear([(-2, 1), (-1, 1), (1, -1), (3, -1)]),
        nsd.Mixed([nsd.PiecewiseLinear([(-1, 1), (1, -1)])]),
    ],
)
@pytest.mark.parametrize("feedback", [-3, -1.2, -0.5, 0.5])
@pytest.mark.few(3)
def test_a_saturation_with_feedback(law, feedback):
    """v' = -v + 2 sin 3t + 0.3 lambda, lambda = -sat(v + feedback lambda): its pieces one by one, in every step."""
    plant = nsd.FirstOrderSystem("plant", [v], [-v + 2 * sp.sin(3 * nsd.time)])
    relation = nsd.FirstOrderRelation("s", lam, [v + feedback * lam[0]], {plant: [0.3 * lam[0]]}, law)
    scheme = nsd.ThetaGamma(theta=1, gamma=1)
    model = nsd.Model("saturation", [plant], [relation], scheme=scheme, step=STEP, end=3, initial={v: 0})
    run, said = run_of(model)
    wide = STEP * 0.3 / (1 + STEP) + feedback
    several = []
    for k in range(1, len(run.time)):
        free = (run["v"][k - 1] + STEP * 2 * np.sin(3 * run.time[k])) / (1 + STEP)  # y is this and wide lambda
        middle = -free / (1 + wide)
        there = [lam for lam in (-1, 1) if -lam * (free + wide * lam) >= 1]
        there += [middle] if abs(middle) < 1 else []
        assert abs(np.array(there) - run["lam[0]"][k]).min() < 1e-9
        several.append(len(there) > 1)
    assert np.array_equal(run["rank_deficiency"][1:] > 0, several) and any(several) == (feedback < -1)
    assert len(said) == any(several)
    assert any("have several solutions" in text for text in model.analysis.warnings) == any(several)


STAIRS = [(-2, -1), (-1, -1), (-1, 0), (0, 0.5), (2, 0.5), (2, 3)]
STEPPED = [(-2, 2), (-1, 1), (-1, 0.5), (1, -0.5), (1, -1)]


def on_curve(points, slopes, free, wide):
    """Every lambda with (free + wide lambda, lambda) on the curve: one linear equation for each piece."""
    first, last = np.array(points[0], dtype=float), np.array(points[-1], dtype=float)
    far = [
        first - 1e3 * np.array([1, slopes[0]]),
        *np.array(points, dtype=float),
        last + 1e3 * np.array([1, slopes[1]]),
    ]
    found = []
    for a, b in itertools.pairwise(far):
        (dy, rise), off = b - a, a[0] - free - wide * a[1]
        share = -off / (dy - wide * rise)
        if -1e-12 <= share <= 1 + 1e-12 and not np.isclose(found, a[1] + share * rise, atol=1e-9).any():
            found.append(a[1] + share * rise)
    return np.array(found)


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize(("points", "slopes"), [(STAIRS, (0.5, 0)), (STEPPED, (0, 0))])
@pytest.mark.few(2)
def test_a_curve_of_several_pieces_with_feedback(points, slopes, mixed):
    """v' = -v + 2 sin 3t + 0.3 lambda, (v + f lambda, lambda) on the curve: its pieces one by one, in every step."""
    law, counts = nsd.PiecewiseLinear(points, end_slopes=slopes), []
    for feedback in (-3, -0.4, 0.3, 2):
        plant = nsd.FirstOrderSystem("plant", [v], [-v + 2 * sp.sin(3 * nsd.time)])
        output = [v + feedback * lam[0]]
        relation = nsd.FirstOrderRelation("s", lam, output, {plant: [0.3 * lam[0]]}, nsd.Mixed([law]) if mixed else law)
        scheme = nsd.ThetaGamma(theta=1, gamma=1)
        model = nsd.Model("curve", [plant], [relation], scheme=scheme, step=STEP, end=3, initial={v: 0})
        try:
            run, said = run_of(model)
        except nsd.errors.StepError as error:  # a step without a solution
            run, said = error.trajectory, None
        several = []
        for k in range(1, len(run.time)):
            free = (run["v"][k - 1] + STEP * 2 * np.sin(3 * run.time[k])) / (1 + STEP)
            there = on_curve(points, slopes, free, STEP * 0.3 / (1 + STEP) + feedback)
            assert abs(there - run["lam[0]"][k]).min() < 1e-9
            several.append(len(there) > 1)
        assert np.array_equal(run["rank_deficiency"][1:] > 0, several)
        assert said is None or len(said) == any(several)
        counts.append(sum(several))
    assert any(counts) and not all(counts)


def test_a_start_between_the_switchings_of_a_comparator():
    """Both sides go on from |v| < 1/2: from event to event only the start has a choice."""
    run, (said,) = run_of(comparator(-0.5, nsd.EventDriven()))
    assert "'comparator': several motions start at 0 s" in said
    assert run["rank_deficiency"][0] == 1 and not run["rank_deficiency"][1:].any()
    assert not run_of(comparator(-0.5, nsd.EventDriven(), start=0.6))[1]


@pytest.mark.parametrize("released", [True, False])
def test_a_flip_flop_whose_inputs_are_released(released):
    """Both cells are forced to one side; without input either may turn round. Set by one alone, it keeps its state."""
    cells = nsd.multipliers("cells", 2)
    level = 5 * sp.Heaviside(0.53 - nsd.time)
    plant = nsd.FirstOrderSystem("plant", [x], [-x])
    outputs = [level + 2 * cells[1], (level if released else -level) + 2 * cells[0]]
    relation = nsd.FirstOrderRelation("flip-flop", cells, outputs, {plant: [cells[0]]}, nsd.Relay(1))
    model = nsd.Model("released", [plant], [relation], scheme=nsd.EventDriven(), step=STEP, end=1, initial={x: 0})
    run, said = run_of(model)
    first = np.flatnonzero(run.time > 0.53 - 1e-9)[1]  # the side after the event
    assert np.flatnonzero(run["rank_deficiency"]).tolist() == ([first] if released else [])
    assert [text.partition(",")[0] for text in said] == (
        ["relation 'flip-flop': several motions start at 0.53 s"] if released else []
    )


def starts_beside_enumeration(seed):
    """Whether several motions start; a run from event to event says the same."""
    kind = KINDS[2]  # relays with feedback of any sign
    system, start = random_system(kind, np.random.default_rng([seed, 7]))
    z = np.append(start, 1.0)
    modes = [m for m in itertools.product(range(3), repeat=len(system.c)) if system.goes_on(m, z)]
    if not modes:
        return False
    said = run_of(model_of(system, start, kind), end=0.05)[1]
    assert len(said) == (len(modes) > 1), (seed, modes)
    return len(modes) > 1


def test_random_starts():
    assert {starts_beside_enumeration(seed) for seed in range(3, 8)} == {False, True}


@pytest.mark.slow
def test_many_random_starts():
    for seed in (*range(3), 8, 9, *range(100, 300)):
        starts_beside_enumeration(seed)


@pytest.mark.parametrize("others", [0, 20])
def test_a_start_on_a_surface_that_repels(others):
    """However many states come before those that the switch moves: the first sixteen alone were compared."""
    decays = [sp.Function(f"z{i}")(nsd.time) for i in range(others)]
    plant = nsd.FirstOrderSystem("plant", [*decays, x], [*(-z for z in decays), 0.2])
    reaction = {plant: [*(0 for _ in decays), -lam[0]]}
    relation = nsd.FirstOrderRelation("switch", lam, [x], reaction, nsd.Relay(1))
    start = {x: 0, **dict.fromkeys(decays, 1)}
    assert run_of(nsd.Model("repels", [plant], [relation], scheme=nsd.EventDriven(), step=STEP, end=1, initial=start))[
        1
    ]


def test_forces_shared_in_several_ways_are_one_motion_from_event_to_event():
    """A brake and the floor hold one block, each on a piece of its own: rates of rounding are no other motion."""
    y = dynamicsymbols("y")
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y, forces=[sp.sin(nsd.time), 0]
    )
    floor = nsd.Contact("floor", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0, 0.3))
    brake = nsd.RateForce("brake", x.diff(), law=nsd.Relay(2))
    run, said = run_of(
        nsd.Model("held", [block], [floor, brake], scheme=nsd.EventDriven(), step=STEP, end=1, initial={x: 0, y: 0})
    )
    assert not said and abs(run["x"]).max() < 1e-13 and (run["rank_deficiency"][1:] == 1).all()


@pytest.mark.parametrize("feedback", [0.5, 0.0])
@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(), nsd.EventDriven()])
def test_one_solution_is_nothing_to_speak_of(feedback, scheme):
    run, said = run_of(comparator(feedback, scheme))
    assert not said and not run["rank_deficiency"].any()


def test_every_multiplier_solves():
    """x' = lambda, lambda in -Sgn(x - h lambda): from 0 every lambda of [-1, 1] solves the first step."""
    plant = nsd.FirstOrderSystem("plant", [x], [0])
    relation = nsd.FirstOrderRelation("switch", lam, [x - STEP * lam[0]], {plant: lam}, nsd.Relay(1))
    scheme = nsd.ThetaGamma(theta=1, gamma=1)
    run, (said,) = run_of(nsd.Model("any", [plant], [relation], scheme=scheme, step=STEP, end=STEP, initial={x: 0}))
    assert run["rank_deficiency"][1] == 1 and "1 of 1 steps" in said


def test_a_mechanical_one():
    """A motor that helps: v' = lambda, lambda in Sgn(v), has two motions from v = 0, and rest."""
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2)
    relation = nsd.OutputRelation("motor", lam, output=[x.diff()], reaction={body: [-lam[0]]}, law=nsd.Relay(1))
    settings = {"scheme": nsd.MoreauJean(), "step": STEP, "end": 1, "initial": {x: 0, x.diff(): 0}}
    _, (said,) = run_of(nsd.Model("motor", [body], [relation], **settings))
    assert "relation 'motor'" in said
    brake = nsd.OutputRelation("motor", lam, output=[x.diff()], reaction={body: lam}, law=nsd.Relay(1))
    assert not run_of(nsd.Model("brake", [body], [brake], **settings))[1]


def test_dependent_contacts_are_one_motion():
    """Two stops at one place: their forces are not determined, the motion is."""
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, potential=9.81 * x)
    stops = [nsd.Contact(f"stop {i}", gap=x, law=nsd.NewtonImpact(0)) for i in range(2)]
    run, said = run_of(nsd.Model("stops", [body], stops, scheme=nsd.MoreauJean(), step=STEP, end=1, initial={x: 0.1}))
    assert not said and run["rank_deficiency"][-1] == 1


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=1), nsd.EventDriven()], ids=["steps", "events"])
def test_a_current_that_dies_out_in_a_bridge_has_one_motion(scheme):
    """Shares of the diodes are open, their voltages zero but for rounding: that rounding was called another motion."""
    d = nsd.multipliers("d", 6)  # four currents, then the potentials of both ends of the coil
    coil = nsd.FirstOrderSystem("coil", [x], [-x])
    output = [d[4], d[4], -d[5], -d[5], d[0] + d[1] - x, d[2] + d[3] - x]
    law = nsd.Mixed([nsd.Complementarity()] * 4 + [nsd.Equality()] * 2)
    bridge = nsd.FirstOrderRelation("bridge", d, output, {coil: [d[4] - d[5]]}, law)
    run, said = run_of(nsd.Model("bridge", [coil], [bridge], scheme=scheme, step=0.01, end=1, initial={x: 1}))
    assert not said and run["x"][-1] == pytest.approx(np.exp(-1), abs=2e-3) and run["rank_deficiency"][-1] == 2
