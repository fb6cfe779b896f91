"""A parallelogram from event to event: b = 0 and c = a, a pendulum, until it lies flat, where its loop loses rank."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NotConverged

a, b, c = dynamicsymbols("a b c")
INERTIA = 5 / 3  # of bars of 1 kg: 1/3 + 1/3 of the cranks, 1 of the coupler, which does not turn
WEIGHT = 2 * 9.81  # moment: two cranks with their centres at 1/2, the coupler at 1
SPAN = 2


def parallelogram(rtol, gravity, angle, rate, loops=1):
    """Cranks of 1 m at a and c, a coupler of 2 m at b, between pivots that are 2 m apart."""
    centres = (
        (sp.cos(a) / 2, sp.sin(a) / 2),
        (sp.cos(a) + sp.cos(b), sp.sin(a) + sp.sin(b)),
        (SPAN + sp.cos(c) / 2, sp.sin(c) / 2),
    )
    kinetic = (a.diff() ** 2 + SPAN**2 * b.diff() ** 2 + c.diff() ** 2) / 24
    kinetic += sum(p.diff() ** 2 for p in sp.flatten(centres)) / 2
    bars = nsd.LagrangianSystem("bars", [a, b, c], kinetic=kinetic, potential=gravity * sum(y for _, y in centres))
    gap = [sp.cos(a) + 2 * sp.cos(b) - SPAN - sp.cos(c), sp.sin(a) + 2 * sp.sin(b) - sp.sin(c)]
    relations = [nsd.Bilateral(f"loop_{i}", gap) for i in range(loops)]
    initial = {a: angle, b: 0.0, c: angle, a.diff(): rate, b.diff(): 0.0, c.diff(): rate}
    scheme = nsd.EventDriven(rtol=rtol)
    model = nsd.Model("parallelogram", [bars], relations, scheme=scheme, step=1e-2, end=3.0, initial=initial)
    return model.compile(interpret=True)


def pendulum(times, gravity, angle, rate):
    """The angle of the cranks: I a'' = -2 g cos a."""

    def slope(t, x):
        return [x[1], -2 * gravity * np.cos(x[0]) / INERTIA]

    return solve_ivp(slope, (0, times[-1]), [angle, rate], "DOP853", times, rtol=1e-12, atol=1e-13).y[0]


@pytest.mark.parametrize(("rtol", "loops"), [(1e-10, 1), (1e-8, 1), (1e-6, 1), (1e-3, 1), (1e-10, 2)])
def test_a_parallelogram_is_not_folded_by_what_rounding_leaves_of_its_loop(rtol: float, loops: int) -> None:
    """It came to a = 2.53 at t = 3, and to -3.75 with 1e-8, without a word; the pendulum comes to -15.84.

    What several loops say alike is no loss of rank.
    """
    start = 9.81, 1.0, -4.0
    compiled = parallelogram(rtol, *start, loops)
    run = compiled.run(end=0.19)  # 0.2043 s: it lies flat
    # Of the order of the tolerance: errors of 10 steps, which the velocity of 6 rad/s adds to.
    np.testing.assert_allclose(run["a"], pendulum(run.time, *start), atol=100 * rtol)
    with pytest.raises(NotConverged, match="lose rank at step") as refused:
        compiled.run()
    assert "loop_0" in str(refused.value) and "nsd.Rattle" in refused.value.fix


def test_a_coarse_tolerance_does_not_keep_lost_rank_from_being_seen() -> None:
    """With 0.1 no pivot was regular enough to be lost: the parallelogram folded, 4.2 rad off, without a word."""
    compiled = parallelogram(0.1, 9.81, 0.32819373066040824, -3.1837804516085155)
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
