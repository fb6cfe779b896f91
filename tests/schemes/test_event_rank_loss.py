"""Loops from event to event through positions in which they lose rank: along the branch on which they came.

A parallelogram with b = 0 and c = a is a pendulum that lies flat on its way; a slider-crank of two equal rods has its
slider on the pivot twice a turn. What comes to rest there is refused.
"""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NotConverged

a, b, c, x = dynamicsymbols("a b c x")
INERTIA = 5 / 3  # of bars of 1 kg: 1/3 + 1/3 of the cranks, 1 of the coupler, which does not turn
WEIGHT = 2 * 9.81  # moment: two cranks with their centres at 1/2, the coupler at 1
SPAN = 2


def parallelogram(rtol, gravity, angle, rate, loops=1, heavy=1.0, sideways=False, beside=()):
    """Cranks of 1 m at a and c, this one so heavy, a coupler of 2 m at b, between pivots that are 2 m apart.

    ``beside`` are coordinates of their own that fall.
    """
    centres = (
        (sp.cos(a) / 2, sp.sin(a) / 2),
        (sp.cos(a) + sp.cos(b), sp.sin(a) + sp.sin(b)),
        (SPAN + sp.cos(c) / 2, sp.sin(c) / 2),
    )
    kinetic = (a.diff() ** 2 + SPAN**2 * b.diff() ** 2 + c.diff() ** 2) / 24
    kinetic += sum(p.diff() ** 2 for p in sp.flatten(centres)) / 2
    kinetic += (heavy - 1) * c.diff() ** 2 / 6 + sum(z.diff() ** 2 for z in beside) / 2
    potential = gravity * sum(m * p[0 if sideways else 1] for m, p in zip((1, 1, heavy), centres, strict=True))
    potential += gravity * sum(beside)
    bars = nsd.LagrangianSystem("bars", [a, b, c, *beside], kinetic=kinetic, potential=potential)
    gap = [sp.cos(a) + 2 * sp.cos(b) - SPAN - sp.cos(c), sp.sin(a) + 2 * sp.sin(b) - sp.sin(c)]
    relations = [nsd.Bilateral(f"loop_{i}", gap) for i in range(loops)]
    initial = {a: angle, b: 0.0, c: angle, a.diff(): rate, b.diff(): 0.0, c.diff(): rate, **dict.fromkeys(beside, 0.0)}
    scheme = nsd.EventDriven(rtol=rtol)
    model = nsd.Model("parallelogram", [bars], relations, scheme=scheme, step=1e-2, end=3.0, initial=initial)
    return model.compile(interpret=True)


def pendulum(times, gravity, angle, rate, heavy=1.0):
    """The angle of the cranks: I a'' = -2 g cos a, more of both where one is heavy."""
    pull = gravity * (2 + (heavy - 1) / 2) / (INERTIA + (heavy - 1) / 3)

    def slope(t, x):
        return [x[1], -pull * np.cos(x[0])]

    return solve_ivp(slope, (0, times[-1]), [angle, rate], "DOP853", times, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize(
    ("rtol", "loops", "heavy"),
    [
        (1e-13, 1, 3.0),
        (1e-10, 1, 1.0),
        (1e-10, 1, 3.0),
        (1e-8, 1, 1.0),
        (1e-6, 1, 3.0),
        (1e-3, 1, 1.0),
        (1e-10, 2, 1.0),
    ],
)
def test_a_parallelogram_that_lies_flat_goes_on_as_one(rtol: float, loops: int, heavy: float) -> None:
    """It was refused; before, rounding folded it, to a = 2.53 at t = 3, where the pendulum comes to -15.84.

    Forces of the loop go to infinity there where one crank is heavier. What several loops say alike is no loss of rank.
    """
    start = 9.81, 1.0, -4.0
    run = parallelogram(rtol, *start, loops, heavy).run()
    # Of the order of the tolerance: errors of steps, which three turns at up to 7 rad/s add to, and a few roundings.
    np.testing.assert_allclose(run["a"], pendulum(run.time, *start, heavy), atol=100 * max(rtol, 1e-12))
    np.testing.assert_allclose(run["b"], 0, atol=max(rtol, 1e-11))
    assert (run["rank_deficiency"][1:] == 2 * (loops - 1)).all()


def test_a_parallelogram_beside_many_others_lies_flat_as_well() -> None:
    """With a sparse W what it had drifted by was taken out with the last move of all: no step was finite there."""
    z = dynamicsymbols("z:40")
    run = parallelogram(1e-10, 9.81, 1.0, -4.0, beside=z).run()
    np.testing.assert_allclose(run["a"], pendulum(run.time, 9.81, 1.0, -4.0), atol=1e-8)
    np.testing.assert_allclose(run["z39"], -9.81 * run.time**2 / 2, rtol=1e-12, atol=1e-12)


def test_rows_beside_the_place_lie_on_the_motion() -> None:
    """A thousand rows up to it or beyond, the last one within rounding of it, where the run may end as well."""
    start = 9.81, 1.0, -4.0
    compiled = parallelogram(1e-10, *start)
    flat = brentq(lambda end: pendulum(np.array([0, end]), *start)[-1], 0.2, 0.21, xtol=1e-14)
    for end in (flat, flat + 0.01):
        run = compiled.run(end=end, step=end / 1000)
        np.testing.assert_allclose(run["a"], pendulum(run.time, *start), atol=1e-10)
        clear = np.abs(run.time - flat) > 1e-6
        pull = 2 * 9.81 / INERTIA * np.cos(run["a"])
        np.testing.assert_allclose(run["a_ddot"][clear], -pull[clear], atol=1e-5)


@pytest.mark.parametrize("rate", [-3.05, -3.1])
def test_a_slider_crank_of_equal_rods_passes_its_dead_centres(rate: float) -> None:
    """b = -a and x = 2 cos a, turning and swinging: against the one equation of that branch, and energy."""
    centres = (sp.cos(a) / 2, sp.sin(a) / 2), (sp.cos(a) + sp.cos(b) / 2, sp.sin(a) + sp.sin(b) / 2)
    kinetic = (a.diff() ** 2 + b.diff() ** 2) / 24 + x.diff() ** 2 / 4
    kinetic += sum(p.diff() ** 2 for p in sp.flatten(centres)) / 2
    rods = nsd.LagrangianSystem("rods", [a, b, x], kinetic=kinetic, potential=9.81 * sum(y for _, y in centres))
    loop = nsd.Bilateral("loop", [sp.cos(a) + sp.cos(b) - x, sp.sin(a) + sp.sin(b)])
    initial = {a: 0.5, b: -0.5, x: 2 * np.cos(0.5), a.diff(): rate, b.diff(): -rate, x.diff(): -2 * np.sin(0.5) * rate}
    run = nsd.Model("crank", [rods], [loop], scheme=nsd.EventDriven(), step=1e-2, end=10, initial=initial).run()

    def inertia(angle):
        return 1 / 3 + 1 / 12 + 1 / 4 + 4 * np.sin(angle) ** 2

    def slope(t, y):
        turns = 4 * np.sin(y[0]) * np.cos(y[0]) * y[1] ** 2
        return [y[1], (-9.81 * np.cos(y[0]) - turns) / inertia(y[0])]

    truth = solve_ivp(slope, (0, 10), [0.5, rate], "DOP853", run.time, rtol=1e-13, atol=1e-13).y[0]
    np.testing.assert_allclose(run["a"], truth, atol=2e-8)
    np.testing.assert_allclose(run["x"], 2 * np.cos(run["a"]), atol=1e-10)
    energy = inertia(run["a"]) * run["a_dot"] ** 2 / 2 + 9.81 * np.sin(run["a"])
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)


def just_up(excess: float) -> float:
    """The rate that leads from a = 1 up to a = 0 against gravity along the ground line, with so much more than none."""
    return -np.sqrt(4 * 9.81 / INERTIA * (1 - np.cos(1.0))) * (1 + excess)


@pytest.mark.parametrize("excess", [-1e-3, 1e-3])
def test_a_parallelogram_that_comes_there_slowly_goes_on_or_turns_round(excess: float) -> None:
    """At 0.2 rad/s or not quite; errors grow by e^(4.9 t) up there."""
    run = parallelogram(1e-10, 9.81, 1.0, just_up(excess), sideways=True).run()
    np.testing.assert_allclose(
        run["a"], pendulum(run.time, 9.81, 1.0 + np.pi / 2, just_up(excess)) - np.pi / 2, atol=1e-7
    )
    assert (run["a"].min() < 0) == (excess > 0)


@pytest.mark.parametrize("excess", [0, 1e-8])
def test_a_parallelogram_that_hardly_comes_there_is_refused(excess: float) -> None:
    """With no speed, or hardly any: each of the branches may follow."""
    rate = just_up(excess)
    with pytest.raises(NotConverged, match="lose rank at step") as refused:
        parallelogram(1e-10, 9.81, 1.0, rate, sideways=True).run(end=5.0)
    assert "loop_0" in str(refused.value) and "nsd.Rattle" in refused.value.fix


def test_a_parallelogram_that_is_let_go_flat_is_refused() -> None:
    """Its unlike cranks may fall alike or apart."""
    with pytest.raises(NotConverged, match="lose rank at step"):
        parallelogram(1e-10, 9.81, 0.0, 0.0, heavy=3.0).run()


@pytest.mark.parametrize("rtol", [0.01, 0.1])
def test_a_coarse_tolerance_does_not_keep_lost_rank_from_being_seen(rtol: float) -> None:
    """With 0.1 no pivot was regular enough to be lost: the parallelogram folded, 4.2 rad off, without a word."""
    compiled = parallelogram(rtol, 9.81, 0.32819373066040824, -3.1837804516085155)
    with pytest.raises(NotConverged, match="lose rank at step"):
        compiled.run(step=0.05556744645063716, end=1.8845520572779033)


@pytest.mark.parametrize(
    "start",
    [(-9.81, 1.0, 1.0), (0.0, 1e-4, 1.0), (0.0, 0.1, 0.0)],
    ids=["swings", "begins nearly flat", "stands"],
)
@pytest.mark.parametrize("loops", [1, 2])
def test_a_parallelogram_that_does_not_come_there_is_followed(start: tuple[float, float, float], loops: int) -> None:
    """It was less regular at the start than it comes to be, or keeps its distance, of which rounding is no part."""
    run = parallelogram(1e-10, *start, loops).run(end=2.0)
    np.testing.assert_allclose(run["a"], pendulum(run.time, *start), atol=1e-7)
    assert (run["rank_deficiency"][1:] == 2 * (loops - 1)).all()
