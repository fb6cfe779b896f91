"""Numbers are numbers: truth values, texts that look like numbers, and counts beyond the counters are refused."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.base.checks import finite_number, number_array, real_number, whole_number
from nsdgen.cli.options import make_parser, read_values
from nsdgen.errors import NsdgenError, ParameterError

x = dynamicsymbols("x")
m = sp.Symbol("m", positive=True)

NO_NUMBERS = [
    True,
    np.True_,
    "1",
    "1.5e3",
    np.str_("1"),
    b"1",
    np.bytes_(b"1"),
    bytearray(b"1"),
    1j,
    np.complex128(1),
    None,
    [1.0],
    (1,),
    {1},
    {},
    np.array([1.0]),
    np.array("1"),
    np.array(True),
    datetime.timedelta(1),
    np.timedelta64(1),
    np.datetime64("2020-01-01"),
    sp.Symbol("k"),
    sp.I,
    sp.true,
    object(),
]
NOT_FINITE = [float("nan"), float("inf"), -np.inf, sp.oo, sp.nan, 10**400, -(10**400), np.float32("inf")]
NUMBERS = [
    1,
    1.0,
    np.float32(1),
    np.int8(1),
    np.uint64(1),
    Fraction(1),
    Decimal(1),
    sp.Integer(1),
    sp.exp(0),
    np.array(1.0),
    np.array(1),
    np.array(1.0, dtype=object),
]


def system():
    return nsd.LagrangianSystem("s", [x], kinetic=m * x.diff() ** 2 / 2)


def model(**given):
    return nsd.Model(
        "numbers",
        [system()],
        scheme=nsd.MoreauJean(),
        **{"step": 0.1, "end": 1, "parameters": {m: 1}, "initial": {x: 1}, **given},
    )


@pytest.fixture(scope="module")
def compiled():
    return model().compile()


def called(value):
    """The same name in every process: without addresses."""
    return re.sub(r" at 0x\w+", "", repr(value))


@pytest.mark.parametrize("value", NO_NUMBERS, ids=called)
def test_what_is_no_number_is_refused_in_a_model(value):
    for make in (
        lambda: model(parameters={m: value}),
        lambda: model(initial={x: value}),
        lambda: model(step=value),
        lambda: model(start=value),
        lambda: nsd.Parameter(value),
        lambda: nsd.Parameter(1, min=value),
        lambda: nsd.Newton(tolerance=value),
        lambda: nsd.Newton(max_iterations=value),
        lambda: nsd.Projection(tolerance=value or "1"),
        lambda: finite_number(value, model="", where=""),
        lambda: nsd.Projection(max_iterations=value),
        lambda: nsd.MoreauJean(theta=value),
    ):
        with pytest.raises(NsdgenError):
            make()


@pytest.mark.parametrize("value", [v for v in NO_NUMBERS if v is not None], ids=called)
def test_what_is_no_number_is_refused_in_a_run(compiled, value):
    for given in (
        {"parameters": {"m": value}},
        {"initial": {"x": value}},
        {"options": {"theta": value}},
        {"step": value},
        {"end": value},
        {"start": value},
        {"every": value},
    ):
        if "initial" in given and np.ndim(value) == 1:
            continue  # a list of one number is the vector of one entry
        with pytest.raises(NsdgenError):
            compiled.run(**given)
    for group, key in (("parameters", "m"), ("initial", "x"), ("options", "theta")):
        if np.ndim(value) == 0:
            with pytest.raises(NsdgenError):
                compiled.ensemble(**{group: {key: [value, value]}})


@pytest.mark.parametrize("value", NOT_FINITE, ids=lambda v: repr(v)[:20])
def test_what_is_not_finite_is_refused(compiled, value):
    for make in (
        lambda: model(parameters={m: value}),
        lambda: model(initial={x: value}),
        lambda: model(step=value),
        lambda: compiled.run(parameters={"m": value}),
        lambda: compiled.run(end=value),
    ):
        with pytest.raises(NsdgenError):
            make()
    assert len(compiled.ensemble(parameters={"m": [value, value]}).failures) == 2


def test_a_time_beyond_all_steps_keeps_nothing(compiled):
    assert len(compiled.ensemble(parameters={"m": [1, 2]}, every=1, since=1e300).table) == 0


@pytest.mark.parametrize("value", NUMBERS, ids=called)
def test_every_kind_of_number_is_taken(value):
    assert real_number(value) == 1.0
    assert model(parameters={m: value}).description.parameters[sp.Symbol("m", positive=True)].value == 1.0
    assert nsd.MoreauJean(theta=value).options[0].value == 1.0


def test_counts_lie_within_the_counters():
    for value in (2**31, 10**23, -1, 0, 1.0, np.float64(2), "3", True):
        for make in (
            lambda v=value: nsd.Newton(max_iterations=v),
            lambda v=value: nsd.Newton(fixed_iterations=v),
            lambda v=value: nsd.Projection(max_iterations=v),
        ):
            with pytest.raises(ParameterError, match="whole number from 1 to 2147483647"):
                make()
    assert nsd.Newton(max_iterations=np.int64(7)).max_iterations == 7
    assert whole_number(2**31 - 1, 1, 2**31 - 1, where="") == 2**31 - 1


def test_arrays_hold_numbers_only():
    for given in (
        ["1"],
        [True],
        [b"1"],
        [1j],
        np.array([1], dtype="timedelta64[s]"),
        np.zeros(2, dtype="f8,f8"),
        [1, "2"],
        [1, True],
        {1: 2},
    ):
        with pytest.raises((TypeError, ValueError)):
            number_array([*given, None] if given == [1, True] else given)
    assert number_array([sp.Rational(1, 2), 1]).tolist() == [0.5, 1.0]
    with pytest.raises(NsdgenError):
        system().copies(2, parameters={m: ["1", "2"]})
    with pytest.raises(NsdgenError):
        system().copies(2, initial={x: [True, False]})


def test_nothing_is_given_twice(compiled):
    parser = make_parser()
    for option, text in (("-p", "m=1"), ("--initial", "x=1"), ("--scheme", "theta=1")):
        with pytest.raises(ParameterError, match="is given twice"):
            read_values(parser.parse_args(["run", "model.py", option, text, option, text.replace("1", "2")]))
    with pytest.raises(ParameterError, match="is given twice"):
        compiled.run(parameters={m: 1, "m": 2})
