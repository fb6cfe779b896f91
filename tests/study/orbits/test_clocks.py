"""Blocks that act by a clock are part of the flow: once at each of their instants, wherever a period begins."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

x = dynamicsymbols("x")


def mapped(rate, resets, offset=0, period=1.0):
    taken = nsd.sampled("taken")
    plant = nsd.FirstOrderSystem("plant", [x], [rate])
    kick = nsd.Sampled("kick", period, samples={"taken": x}, resets={x: resets(taken)}, offset=offset)
    return nsd.Model("mapped", [plant], scheme=nsd.EventDriven(), step=0.5, end=5, blocks=[kick], initial={x: 0.3})


@pytest.mark.parametrize("offset", [0, 0.25])
def test_an_orbit_is_kicked_once_in_each_period(offset):
    model = mapped(-x, lambda taken: taken + 1, offset)
    orbit = nsd.periodic_orbit(model, 1)
    low = 1 / (np.e - 1)  # just before a kick: x = (x + 1) / e
    assert orbit.state == pytest.approx(low * np.exp(offset), rel=1e-10)
    assert orbit.multipliers == pytest.approx(1 / np.e, rel=1e-8)
    assert model.run(end=3, initial=orbit.values)["x"][-2 if offset == 0 else -1] == pytest.approx(
        orbit.state, rel=1e-9
    )


def test_exponents_of_a_map_count_each_instant_once():
    model = mapped(sp.Integer(0), lambda u: sp.Mod(sp.Rational(29, 10) * u + sp.Rational(13, 100), 1))
    found = nsd.lyapunov_exponents(model, 1, periods=100, settle=5)
    assert found.values == pytest.approx(np.log(2.9), rel=1e-9)


@pytest.mark.parametrize(("period", "offset", "over"), [(1.0, 0, 1.5), (1.0, 0.2, 0.5), (1.0, 1.3, 1)])
def test_periods_that_begin_at_another_place_of_a_clock_are_refused(period, offset, over):
    with pytest.raises(ParameterError, match=r"the block 'kick' acts at .* not the same in each period") as error:
        nsd.periodic_orbit(mapped(-x, lambda taken: taken + 1, offset, period), over)
    assert "multiple of the block's" in str(error.value)


def test_basins_do_not_act_twice():
    y = dynamicsymbols("y")
    plant = nsd.FirstOrderSystem("plant", [x, y], [-x, -y])
    kick = nsd.Sampled("kick", 1.0, samples={"taken": x}, resets={x: nsd.sampled("taken") + 1})
    model = nsd.Model(
        "twice", [plant], scheme=nsd.EventDriven(), step=0.5, end=5, blocks=[kick], initial={x: 0.3, y: 0}
    )
    with pytest.raises(ParameterError, match="acts at the end of a period, and again where the next begins"):
        nsd.basins_of_attraction(model, {x: [0, 1], y: [0, 1]}, 1)
