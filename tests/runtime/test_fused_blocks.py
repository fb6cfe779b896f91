"""Fused steps between the instants of blocks: what is held changes, and the bits are those of the general stepper."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from nsdgen.runtime._lanes import lanes_of
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import StepError
from nsdgen.study import run_ensemble

x, v = dynamicsymbols("x v")
u, z, mu, rate, gain = sp.symbols("u z mu rate gain")
e = nsd.sampled("e")


def plant():
    return nsd.FirstOrderSystem("plant", [x, v], [v, u])


def loop(between="refuse", step=0.01):
    """A double integrator under PID control, every 0.1 s."""
    pid = nsd.Sampled(
        "pid",
        0.1,
        samples={"e": 1 - x, "d": -v},
        state=[z],
        update={z: z + e * nsd.period},
        holds={u: 2 * e + nsd.sampled("d") + z / 2},
        initial={z: 0.25},
        between=between,
    )
    return nsd.Model(
        "loop", [plant()], scheme=nsd.ThetaGamma(theta=0.5), step=step, end=3, blocks=[pid], initial={x: 0, v: 0}
    )


def brake():
    """m v' = 5 - f, |f| <= 2 mu, where mu, and what f is multiplied by, are set every 70 ms."""
    force = nsd.multipliers("force", 1)
    slider = nsd.FirstOrderSystem("slider", [v], [5 + sp.cos(3 * nsd.time)])
    relation = nsd.FirstOrderRelation("brake", force, [gain * v], {slider: force}, nsd.Box(-2 * mu, 2 * mu))
    stairs = nsd.Sampled(
        "stairs", 0.07, samples={"t": nsd.time}, holds={mu: 1 + nsd.sampled("t"), gain: 2 + sp.sin(nsd.sampled("t"))}
    )
    return nsd.Model(
        "brake",
        [slider],
        [relation],
        scheme=nsd.ThetaGamma(theta=1, gamma=1),
        step=0.01,
        end=4,
        blocks=[stairs],
        initial={v: 0},
    )


def decay():
    """x' = -rate x + 1, whose matrix is another one after each instant; steps of the length in an expression."""
    system = nsd.FirstOrderSystem("decay", [x], [-rate * x + 1 + nsd.step])
    block = nsd.Sampled(
        "block", 0.25, state=[z], update={z: z + 1}, initial={z: 0}, holds={rate: 1 + z / 10}, between="cut"
    )
    return nsd.Model(
        "decay", [system], scheme=nsd.ThetaGamma(theta=0.6), step=0.02, end=4, blocks=[block], initial={x: 1}
    )


def saw():
    """A state that a block sets back where it has grown beyond 1."""
    s = nsd.sampled("s")
    wrap = nsd.Sampled("wrap", 0.05, samples={"s": x}, holds={}, resets={x: s - 1}, guard=s >= 1)
    return nsd.Model(
        "saw",
        [nsd.FirstOrderSystem("phase", [x], [3 + sp.sin(nsd.time)])],
        scheme=nsd.ThetaGamma(),
        step=0.01,
        end=4,
        blocks=[wrap],
        initial={x: 0},
    )


def pendulum():
    """Newton's method, with a torque that is set every 50 ms from an offset on."""
    swing = nsd.LagrangianSystem(
        "swing", [x], kinetic=(2 + sp.cos(x)) * x.diff() ** 2, potential=-5 * sp.cos(x), forces=[u]
    )
    block = nsd.Sampled("block", 0.05, offset=0.02, samples={"e": x}, holds={u: sp.cos(5 * e)})
    return nsd.Model("pendulum", [swing], scheme=nsd.MoreauJean(), step=0.01, end=4, blocks=[block], initial={x: 1})


@pytest.mark.parametrize("made", [loop, lambda: loop("cut", 0.03), brake, decay, saw, pendulum])
@pytest.mark.few(2)
def test_between_instants_the_function_makes_the_steps(made):
    model = made().compile()
    own, general = model.run(), model.run(generic=True)
    assert model.fused and len(own) > 100
    assert own.table.tobytes() == general.table.tobytes() and own.time.tobytes() == general.time.tobytes()


def test_what_a_block_sets_out_of_range_is_found_at_the_same_step():
    """A friction coefficient that becomes negative."""
    across, up = dynamicsymbols("across up")
    puck = nsd.LagrangianSystem(
        "puck", [across, up], kinetic=(across.diff() ** 2 + up.diff() ** 2) / 2, potential=10 * up
    )
    ground = nsd.Contact("ground", up, nsd.NewtonImpactFriction(0, mu), tangent=across)
    block = nsd.Sampled("wear", 0.1, samples={"t": nsd.time}, holds={mu: 0.25 - nsd.sampled("t")})
    model = nsd.Model(
        "wear",
        [puck],
        [ground],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=1,
        blocks=[block],
        initial={across: 0, across.diff(): 5, up: 0},
    ).compile()
    found = []
    for generic in (False, True):
        with pytest.raises(StepError) as caught:
            model.run(generic=generic)
        found.append((str(caught.value), caught.value.trajectory.table.tobytes()))
    assert model.fused and found[0] == found[1]


def test_members_with_instants_of_their_own_step_in_lanes(monkeypatch):
    """Periods and offsets are parameters: a lane whose block is due leaves the step to all."""
    model = loop().compile()
    vary = {"pid.period": np.resize([0.1, 0.2, 0.05], 11), "pid.offset": np.resize([0.0, 0.03], 11)}
    found = []
    for worth in (1e300, 0):
        monkeypatch.setattr(run_ensemble, "_WORTH", worth)
        found.append(model.ensemble(parameters=vary, end=3.0, every=3))
    assert lanes_of(model._in_lanes) > 1
    assert found[0].table.tobytes() == found[1].table.tobytes() and found[0].final.tobytes() == found[1].final.tobytes()
    alone = model.run(parameters={"pid.period": 0.05, "pid.offset": 0.0}, generic=True)
    assert alone.table[-1].tobytes() == found[1].final[8].tobytes()


def test_blocks_that_are_due_between_steps_keep_members_out_of_lanes(monkeypatch):
    model = loop("cut", 0.03).compile()
    monkeypatch.setattr(run_ensemble, "_WORTH", 0)
    found = model.ensemble(initial={"plant.x": [0.0, 0.1, 0.2]})
    alone = [model.run(initial={"plant.x": value}, generic=True).table[-1] for value in (0.0, 0.1, 0.2)]
    assert found.final.tobytes() == np.array(alone).tobytes()
