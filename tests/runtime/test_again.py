"""Runs share a stepper: what one run computed, chose or remembered is in no number of the next."""

from __future__ import annotations

import numpy as np
import pytest

from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values

MODELS = [
    "bead_column",
    "buck_converter",
    "disc_pile",
    "sliding_mode",
    "tumbling_brick",
    pytest.param("newtons_cradle", marks=pytest.mark.slow),
    pytest.param("four_bar", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("name", MODELS)
def test_a_run_leaves_nothing_behind(compiled, name):
    model = compiled(name)
    h, start = model.record.step, model.record.start
    model._steppers.clear()
    alone = model.run(end=start + 25 * h)
    assert len(model._steppers) == 1  # and this one makes the runs to come
    stepper = model._steppers[0]
    model.run(end=start + 6.5 * h, step=1.3 * h) if not model.record.blocks else model.run(end=start + 6 * h)
    again = model.run(end=start + 25 * h)
    assert model._steppers == [stepper]
    assert again.table.tobytes() == alone.table.tobytes() and again.time.tobytes() == alone.time.tobytes()


def test_pieces_taken_during_a_run_are_given_back(compiled):
    model = compiled("tumbling_brick")
    record, table = model.record, model.table
    values = run_values(record, table)
    stepper = prepare(record, table, values)
    first = np.array(stepper.current())
    for _ in range(200):
        prepare(record, table, values, stepper)
    assert np.array(stepper.current()).tobytes() == first.tobytes()


def test_values_that_differ_in_the_sign_of_zero_only_are_not_those_of_the_last_run(compiled):
    """What a run keeps for the next one (arguments, checks) is kept by bits: 0.0 == -0.0."""
    model = compiled("bouncing_ball")
    for e in (0.0, -0.0, 0.0):
        values = run_values(model.record, model.table, parameters={"e": e})
        assert [np.signbit(x) for row in values.relation_arguments for x in row if x == 0.0] == [np.signbit(e)]


def test_values_of_one_run_are_not_those_of_the_next(compiled):
    model = compiled("bouncing_ball")
    first = model.run(end=0.5)
    others = [
        model.run(end=0.5, **changed)
        for changed in (
            {"parameters": {"g": 20.0}},
            {"initial": {"z": 2.0}},
            {"options": {"theta": 1.0}},
            {"step": 1e-3},
        )
    ]
    assert model.run(end=0.5).table.tobytes() == first.table.tobytes()
    assert len({t.table.tobytes() for t in [first, *others]}) == 5
    assert first.attributes["parameters"]["g"] == 9.81 and others[0].attributes["parameters"]["g"] == 20.0
