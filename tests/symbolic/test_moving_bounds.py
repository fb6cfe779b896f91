"""Bounds that are functions of time must not cross: a box that is empty has no multiplier in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NonFinite, ParameterError

x = dynamicsymbols("x")
A = sp.symbols("A")


def model(law: nsd.Box, scheme: nsd.Scheme | None = None) -> nsd.Model:
    plant = nsd.FirstOrderSystem("plant", [x], [sp.sin(3 * nsd.time)])
    lam = nsd.multipliers("lam", 1)
    switch = nsd.FirstOrderRelation("switch", lam, [x], {plant: lam}, law)
    return nsd.Model(
        "moving",
        [plant],
        [switch],
        scheme=scheme or nsd.ThetaGamma(theta=1),
        step=0.01,
        end=6,
        parameters={A: 2},
        initial={x: 0.3},
    )


@pytest.mark.parametrize(
    "law",
    [
        lambda: nsd.Box(0, sp.cos(nsd.time)),
        lambda: nsd.Relay(A * sp.cos(nsd.time)),
        lambda: nsd.Mixed([nsd.Box(0, A * sp.cos(nsd.time))]),
    ],
)
@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=1), nsd.EventDriven()], ids=["steps", "events"])
def test_bounds_that_cross_are_refused_with_the_instant(law: Callable[[], nsd.Box], scheme: nsd.Scheme) -> None:
    """cos t falls below zero at pi / 2, in the step from 1.57 to 1.58."""
    with pytest.raises(NonFinite, match=r"is empty at step 158 from t = 1\.57"):
        model(law(), scheme).run()


@pytest.mark.parametrize(
    "scheme", [nsd.EventDriven(), nsd.ThetaGamma(gamma=0.5, relation_at="gamma")], ids=["events", "mid"]
)
def test_bounds_that_cross_between_recorded_instants_are_refused(scheme: nsd.Scheme) -> None:
    """cos t is 1 at each multiple of 2 pi and -1 between: a relation was looked at where rows are recorded alone."""
    with pytest.raises(NonFinite, match="with the upper bound -"):
        model(nsd.Relay(sp.cos(nsd.time)), scheme).run(step=2 * np.pi, end=4 * np.pi)


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=1), nsd.EventDriven()], ids=["steps", "events"])
def test_a_level_that_a_parameter_makes_negative_is_refused(scheme: nsd.Scheme) -> None:
    """From event to event pieces of the curve said what the multiplier is, and nobody looked at its bounds."""
    with pytest.raises(ParameterError, match=r"the level -1 is negative"):
        model(nsd.Relay(A), scheme).run(parameters={A: -1})


def test_bounds_that_do_not_cross_run() -> None:
    run = model(nsd.Relay(1 + A * sp.cos(nsd.time) ** 2)).run()
    level = 1 + 2 * np.cos(run.time) ** 2
    assert (abs(run["lam"][:, 0]) <= level + 1e-12).all()


def test_a_run_that_ends_before_they_cross_is_made() -> None:
    assert model(nsd.Box(0, sp.cos(nsd.time))).run(end=1.5).time[-1] == 1.5


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=1), nsd.EventDriven()], ids=["steps", "events"])
@pytest.mark.parametrize("law", [nsd.Relay, lambda level: nsd.Box(-1, level - 1), lambda level: nsd.Box(1 - level, 1)])
def test_bounds_that_a_block_holds_stop_the_run_where_they_cross(
    law: Callable[[sp.Expr], nsd.Box], scheme: nsd.Scheme
) -> None:
    """1 - t at 0, 0.4, 0.8 and 1.2; a negative level had turned the relay round, with multipliers outside of it."""
    level, lam = sp.Symbol("level"), nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [sp.cos(3 * nsd.time)])
    switch = nsd.FirstOrderRelation("switch", lam, [x], {plant: lam}, law(level))
    fading = nsd.Sampled("fading", period=0.4, holds={level: 1 - nsd.time}, initial={level: 1})
    fade = nsd.Model(
        "fade", [plant], [switch], scheme=scheme, step=0.1, end=3, blocks=[fading], initial={x: 0.3}
    ).compile(interpret=True)
    assert fade.run(end=1.1).time[-1] == 1.1
    with pytest.raises(NonFinite, match="the box of row 0, with the upper bound") as caught:
        fade.run()
    assert 1.1 - 1e-9 < caught.value.trajectory.time[-1] < 1.2 + 1e-9


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=1), nsd.EventDriven(), nsd.ZeroOrderHold()])
def test_bounds_that_blocks_hold_and_time_moves_stop_the_run_where_they_cross(scheme: nsd.Scheme) -> None:
    """The level was looked at where the block acts alone: a relay ran with a level of -1, turned round."""
    level, lam = sp.Symbol("level"), nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [sp.cos(3 * nsd.time)])
    switch = nsd.FirstOrderRelation("switch", lam, [x], {plant: lam}, nsd.Relay(level * sp.cos(nsd.time)))
    steady = nsd.Sampled("steady", period=10, holds={level: 1}, initial={level: 0})
    held = nsd.Model("held", [plant], [switch], scheme=scheme, step=0.1, end=6, blocks=[steady], initial={x: 0.3})
    with pytest.raises(NonFinite, match="is empty") as caught:
        held.compile(interpret=True).run()
    assert abs(caught.value.trajectory.time[-1] - 1.5) < 1e-9
