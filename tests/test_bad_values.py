"""Values that a run cannot use: each has its own clear error, before any work is lost."""

import math

import numpy as np
import pytest

import nsdgen as nsd
from nsdgen.errors import ParameterError

from .bad_input import ball, e, g, m, model, refused, z


@pytest.fixture(scope="module")
def good():
    return nsd.Model(
        "good",
        [ball()],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=0.1,
        parameters={m: nsd.Parameter(1.0, "kg", min=0), g: 9.81, e: 0.5},
        initial={z: 1.0},
    ).compile()


def test_restitution_outside_its_range_when_it_is_a_parameter(good):
    error = refused(ParameterError, r"restitution is 1.2, outside \[0, 1\]", lambda: good.run(parameters={"e": 1.2}))
    assert error.where == "relation 'floor'"


@pytest.mark.parametrize("step", [0, -1e-3, math.nan, math.inf, "fast"])
def test_unusable_steps(step, good):
    refused(ParameterError, "step", lambda: model(step=step))
    refused(ParameterError, "step", lambda: good.run(step=step))


def test_an_end_before_the_start(good):
    refused(ParameterError, "not after the start", lambda: model(end=-1))
    refused(ParameterError, "not after the start", lambda: good.run(start=2.0, end=1.0))


def test_an_unknown_parameter_suggests_a_close_one(good):
    refused(ParameterError, "no parameter is called 'M'", lambda: good.run(parameters={"M": 2.0}))
    refused(ParameterError, "did you mean", lambda: good.run(options={"thetta": 2.0}))


@pytest.mark.parametrize("value", [math.nan, math.inf, "heavy", None, np.array([1.0, 2.0])])
def test_unusable_parameter_values(good, value):
    refused(ParameterError, "parameter 'm'", lambda: good.run(parameters={"m": value}))


def test_a_value_outside_its_range(good):
    refused(ParameterError, r"outside its range \[0", lambda: good.run(parameters={"m": -1.0}))


def test_an_option_outside_its_range(good):
    refused(ParameterError, r"outside \[0, 1\]", lambda: good.run(options={"theta": 1.5}))
    refused(ParameterError, r"outside \[0, 1\]", lambda: nsd.MoreauJean(theta=2))


def test_a_gap_that_is_violated_at_the_start(good):
    error = refused(ParameterError, "the gap is -0.5 at the start", lambda: good.run(initial={"ball.z": -0.5}))
    assert error.where == "relation 'floor'"
    allowed = nsd.Model(
        "inside",
        [ball()],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0))],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=0.1,
        parameters={m: 1.0, g: 9.81},
        initial={z: -0.5},
        allow_penetration=True,
    )
    assert allowed.run()["floor.gap"][-1] <= -0.5


def test_an_initial_quaternion_that_is_not_a_unit_one(compiled):
    refused(
        ParameterError,
        "norm 2.0, not 1",
        lambda: compiled("tumbling_brick").run(initial={"brick.quaternion": [2, 0, 0, 0]}),
    )


def test_a_wrong_number_of_initial_values(compiled):
    refused(
        ParameterError,
        "takes 3 numbers, got 2",
        lambda: compiled("tumbling_brick").run(initial={"brick.position": [0, 0]}),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"initial": [1]},
        {"parameters": [1]},
        {"initial": {z: 1}},
        {"options": {g: 1}},
        {"step": 1e-320},
    ],
)
def test_unusable_options_of_a_run_have_errors_of_their_own(good, options):
    refused(ParameterError, ".", lambda: good.run(**options))


def test_a_choice_of_the_scheme_is_not_a_run_value(compiled):
    refused(
        ParameterError,
        r"rotation was chosen in the model \(exponential\)",
        lambda: compiled("tumbling_brick").run(options={"rotation": "nearly_implicit"}),
    )


def test_an_initial_value_given_twice(good):
    refused(ParameterError, "'z' and 'ball.z' are the same quantity", lambda: good.run(initial={"z": 1, "ball.z": 2}))
    refused(ParameterError, "'ball.z' is given twice", lambda: model().run(initial={z: 1, "ball.z": 2}))
    refused(ParameterError, "'ball.z' takes one number, got 2", lambda: good.run(initial={"ball.z": [1, 2]}))


def test_an_operator_that_gets_no_numbers(good):
    refused(ParameterError, "(?s)q is 'a'.*array of numbers", lambda: good.ball.force(0.0, "a", 0.0))
