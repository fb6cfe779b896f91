"""Guards and resets of blocks, against recursions in NumPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

t = nsd.time
x, y, q = dynamicsymbols("x y q")
u, count = sp.symbols("u count")
s = nsd.sampled("s")


def neuron(h: float, end: float = 6.0, **scheme: object) -> nsd.Trajectory:
    """Integrate and fire: x' = 2 - x, reset to 0 where x >= 1; spikes counted."""
    cell = nsd.FirstOrderSystem("cell", [x], [2 - x])
    fire = nsd.Sampled(
        "fire", h, samples={"s": x}, state=[count], update={count: count + 1}, holds={}, resets={x: s - 1}, guard=s >= 1
    )
    return nsd.Model(
        "neuron", [cell], scheme=nsd.ThetaGamma(theta=0.5, **scheme), step=h, end=end, blocks=[fire], initial={x: 0}
    ).run()


def test_integrate_and_fire_follows_its_recursion() -> None:
    h, state, spikes = 0.01, 0.0, 0
    run = neuron(h)
    for k in range(1, 601):
        state = (state * (1 - h / 2) + 2 * h) / (1 + h / 2)
        fired = state >= 1
        spikes += fired
        state -= fired
        assert run["x"][k] == pytest.approx(state, abs=1e-13)
        assert (run["fire.count"][k], run["acted"][k]) == (spikes, fired)
    assert spikes == 8  # ln 2 apart


def test_the_rate_of_firing_is_that_of_the_closed_form() -> None:
    run = neuron(1e-3, 70.0)
    assert run["fire.count"][-1] == pytest.approx(70 / np.log(2), abs=1.1)


def test_without_a_guard_a_block_always_acts_and_resets_to_what_it_computes() -> None:
    cell = nsd.FirstOrderSystem("cell", [x], [1])
    wrap = nsd.Sampled("wrap", 0.5, samples={}, holds={}, resets={x: 0.25})
    run = nsd.Model("saw", [cell], scheme=nsd.ThetaGamma(), step=0.1, end=2, blocks=[wrap], initial={x: 9}).run()
    expected = [0.25 + 0.1 * (k % 5) for k in range(21)]
    assert run["x"] == pytest.approx(expected, abs=1e-13) and "acted" not in run


def test_a_guard_holds_everything_back() -> None:
    cell = nsd.FirstOrderSystem("cell", [x], [u])
    push = nsd.Sampled(
        "push",
        0.1,
        samples={"s": x},
        state=[count],
        update={count: count + 1},
        holds={u: 1 + count},
        initial={u: 1},
        guard=(s > 0.35) & (t < 1),
    )
    run = nsd.Model("m", [cell], scheme=nsd.ThetaGamma(), step=0.1, end=2, blocks=[push], initial={x: 0}).run()
    assert (run["u"][:4] == 1).all() and run["count"][4] == 1 and run["count"][-1] == run["count"][9]
    assert np.flatnonzero(run["acted"])[[0, -1]].tolist() == [4, 9]


def test_a_kick_of_a_mechanical_system_is_seen_by_its_contacts() -> None:
    """A ball at rest on the floor is thrown up by a kick every second: it flies 2 v / g."""
    ball = nsd.LagrangianSystem("ball", [q], kinetic=q.diff() ** 2 / 2, potential=10 * q)
    floor = nsd.Contact("floor", gap=q, law=nsd.NewtonImpact(0))
    kick = nsd.Sampled("kick", 1.0, offset=0.5, samples={"s": q}, holds={}, resets={q.diff(): 4}, guard=s < 1e-3)
    run = nsd.Model(
        "kicked", [ball], [floor], scheme=nsd.MoreauJean(), step=1e-3, end=3, blocks=[kick], initial={q: 0}
    ).run()
    assert run["ball.q_dot"][500] == run["floor.gap_rate"][500] == 4
    assert np.flatnonzero(run["ball.q_dot"] == 4).tolist() == [500, 1500, 2500] and run["acted"][500:].all()
    assert run["q"].max() == pytest.approx(0.8, abs=5e-3)
    assert run["ball.q_dot"][1400] == 0


def test_outputs_of_a_reset_system_are_those_of_the_new_state() -> None:
    plant = nsd.LinearSystem("plant", [[0]], C=[[3]])
    jump = nsd.Sampled("jump", 1.0, offset=1.0, samples={}, holds={}, resets={plant.state("x[0]"): 2})
    run = nsd.Model("m", [plant], scheme=nsd.ThetaGamma(), step=0.5, end=2, blocks=[jump]).run()
    assert run["plant.x[0]"].tolist() == [0, 0, 2, 2, 2] and (run["y[0]"] == 3 * run["x[0]"]).all()


def test_blocks_act_in_order_on_samples_taken_before() -> None:
    cell = nsd.FirstOrderSystem("cell", [x, y], [0, 0])
    swap = [
        nsd.Sampled("first", 1.0, samples={"s": x}, holds={}, resets={y: s}),
        nsd.Sampled("second", 1.0, samples={"s": y}, holds={}, resets={x: s}),
    ]
    run = nsd.Model("swap", [cell], scheme=nsd.ThetaGamma(), step=1, end=3, blocks=swap, initial={x: 1, y: 2}).run()
    assert run["x"].tolist() == [2, 1, 2, 1] and run["y"].tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resets": {sp.Symbol("z"): 1}}, "no state of a system"),
        ({"guard": sp.Symbol("z")}, "no condition"),
        ({"resets": [x]}, "not a mapping"),
        ({"guard": 1.0}, "no condition"),
    ],
)
def test_what_is_no_reset_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        nsd.Sampled("b", 1.0, samples={}, holds={u: 1}, **options)


def test_states_that_are_more_than_coordinates_are_not_reset() -> None:
    ball = nsd.LagrangianSystem("ball", [q], kinetic=q.diff() ** 2 / 2)
    kick = nsd.Sampled("kick", 1.0, samples={}, holds={}, resets={q: 1})
    model = nsd.Model("m", [ball], scheme=nsd.SchatzmanPaoli(), step=0.1, end=1, blocks=[kick], initial={q: 0})
    with pytest.raises(ModelError, match="carries more than coordinates and velocities"):
        model.run()


def test_a_reset_of_nobodys_state_is_refused() -> None:
    cell = nsd.FirstOrderSystem("cell", [x], [0])
    with pytest.raises(ModelError, match=r"y"):
        nsd.Model(
            "m",
            [cell],
            scheme=nsd.ThetaGamma(),
            step=0.1,
            end=1,
            initial={x: 0},
            blocks=[nsd.Sampled("b", 1.0, samples={"s": x}, holds={}, resets={y: 1})],
        )
