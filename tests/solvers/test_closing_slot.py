"""A block between two walls that close: no motion keeps out of both, and what presses on both brakes it by friction."""

from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import SolverError

x, y, z = dynamicsymbols("x y z")
closing, gravity = sp.symbols("closing gravity")


def compiled(*speeds: float, **gaps: Any) -> Any:
    velocity = dict(zip((x, z), speeds or (2,), strict=False))
    motion = {**velocity, y: 0}
    kinetic = sum(q.diff() ** 2 for q in motion) / 2
    block = nsd.LagrangianSystem("block", list(motion), kinetic=kinetic, potential=gravity * y)
    law = nsd.NewtonImpactFriction(0, 0.3)
    walls = [nsd.Contact(name, gap - closing * nsd.time, law, tangent=list(velocity)) for name, gap in gaps.items()]
    initial = dict.fromkeys(motion, 0) | {q.diff(): speed for q, speed in motion.items()}
    return nsd.Model(
        "slot", [block], walls, scheme=nsd.MoreauJean(), step=0.01, end=0.2, initial=initial,
        parameters={closing: 0, gravity: 10},
    ).compile()  # fmt: skip


@pytest.fixture(scope="module")
def slot() -> Any:
    return compiled(low=y, high=-y)


@pytest.mark.parametrize("speed", [0, 1e-13, 1e-12, 3e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5])
def test_walls_that_close_by_rounding_press_on_nothing(slot: Any, speed: float) -> None:
    """Reactions that try to part them grew until the rest was rounding of them: they braked the block, certified."""
    run = slot.run(parameters={"closing": speed})
    # What rows are given as room, and the speed of the walls itself, are 1e-10 of the load at most.
    assert abs(run["block.x_dot"][-1] - (2 - 0.3 * 10 * 0.2)) < 1e-10


@pytest.mark.parametrize("speed", [1e-13, 1e-11, 1e-9])
def test_what_slides_fast_hides_no_wall(slot: Any, speed: float) -> None:
    """A light block: what presses is 1e-3 m/s a step beside 2 m/s along the walls."""
    run = slot.run(parameters={"closing": speed, "gravity": 0.1})
    assert abs(run["block.x_dot"][-1] - (2 - 0.3 * 0.1 * 0.2)) < 1e-10


@pytest.mark.parametrize("speed", [1e-11, 1e-9])
def test_shares_that_are_kept_press_on_nothing(speed: float) -> None:
    """Two contacts share the load; the block drifts by a third of the speed of the walls, and that is all."""
    run = compiled(low=y, again=y, high=-y).run(parameters={"closing": speed})
    assert abs(run["block.x_dot"][-1] - (2 - 0.3 * 10 * 0.2)) < speed


@pytest.mark.parametrize("speed", [1e-4, 1e-3])
def test_walls_that_close_are_told(slot: Any, speed: float) -> None:
    """The block had stopped dead in the first step, squeezed by 2e8 N s."""
    with pytest.raises(SolverError, match="no solution"):
        slot.run(parameters={"closing": speed})


@pytest.mark.parametrize("speed", [1e-11, 1e-7])
def test_a_block_that_slides_in_space(speed: float) -> None:
    run = compiled(1.2, 1.6, low=y, high=-y).run(parameters={"closing": speed})
    assert abs(run["block.x_dot"][-1] - 0.6 * (2 - 0.3 * 10 * 0.2)) < 1e-10
    assert abs(run["block.z_dot"][-1] - 0.8 * (2 - 0.3 * 10 * 0.2)) < 1e-10


@pytest.mark.parametrize("speed", [1e-11, 3e-8])
def test_forty_contacts_that_share(speed: float) -> None:
    """Reactions hide the contradiction in their rounding, and the shares of some are nothing."""
    gaps = {f"{side}_{k}": sign * y for k in range(20) for side, sign in (("low", 1), ("high", -1))}
    run = compiled(**gaps).run(parameters={"closing": speed})
    assert abs(run["block.x_dot"][-1] - (2 - 0.3 * 10 * 0.2)) < 1e-9 + speed
