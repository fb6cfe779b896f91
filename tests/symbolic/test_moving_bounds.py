"""Bounds that are functions of time must not cross: a box that is empty has no multiplier in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

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
def test_bounds_that_cross_are_refused_with_the_instant(law: Callable[[], nsd.Box]) -> None:
    """cos t falls below zero at pi / 2: the first step that ends behind it ends at 1.58."""
    with pytest.raises(ParameterError, match=r"is empty in the step to t = 1\.58"):
        model(law()).run()


def test_bounds_that_do_not_cross_run() -> None:
    run = model(nsd.Relay(1 + A * sp.cos(nsd.time) ** 2)).run()
    level = 1 + 2 * np.cos(run.time) ** 2
    assert (abs(run["lam"][:, 0]) <= level + 1e-12).all()


def test_a_run_that_ends_before_they_cross_is_made() -> None:
    assert model(nsd.Box(0, sp.cos(nsd.time))).run(end=1.5).time[-1] == 1.5
