"""A block between two walls that close: no motion keeps out of both, and what presses on both brakes it by friction."""

from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import SolverError

x, y = dynamicsymbols("x y")
closing = sp.Symbol("closing")


@pytest.fixture(scope="module")
def slot() -> Any:
    kinetic = (x.diff() ** 2 + y.diff() ** 2) / 2
    block = nsd.LagrangianSystem("block", [x, y], kinetic=kinetic, potential=10 * y)
    law = nsd.NewtonImpactFriction(0, 0.3)
    gaps = {"low": y - closing * nsd.time, "high": -y - closing * nsd.time}
    walls = [nsd.Contact(name, gap, law, tangent=x) for name, gap in gaps.items()]
    return nsd.Model(
        "slot", [block], walls, scheme=nsd.MoreauJean(), step=0.01, end=0.2,
        initial={x: 0, y: 0, x.diff(): 2, y.diff(): 0}, parameters={closing: 0},
    ).compile()  # fmt: skip


@pytest.mark.parametrize("speed", [0, 1e-13, 1e-12, 3e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5])
def test_walls_that_close_by_rounding_press_on_nothing(slot: Any, speed: float) -> None:
    """Reactions that try to part them grew until the rest was rounding of them: they braked the block, certified."""
    run = slot.run(parameters={"closing": speed})
    # What rows are given as room, and the speed of the walls itself, are 1e-10 of the load at most.
    assert abs(run["block.x_dot"][-1] - (2 - 0.3 * 10 * 0.2)) < 1e-10


@pytest.mark.parametrize("speed", [1e-4, 1e-3])
def test_walls_that_close_are_told(slot: Any, speed: float) -> None:
    """The block had stopped dead in the first step, squeezed by 2e8 N s."""
    with pytest.raises(SolverError, match="no solution"):
        slot.run(parameters={"closing": speed})
