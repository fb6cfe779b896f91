"""Values typed on the command line: arithmetic is computed, anything else refused by name."""

import math

import pytest

from nsdgen.cli.typed_values import evaluate, parse_assignment
from nsdgen.errors import ParameterError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("omega=2*pi*700/60", ("omega", 2 * math.pi * 700 / 60)),
        (" m = 1 ", ("m", 1.0)),
        ("ball.z=-1e-3", ("ball.z", -1e-3)),
        ("e=0.8", ("e", 0.8)),
        ("q=[1, -2, sqrt(9)]", ("q", [1.0, -2.0, 3.0])),
        ("q=[]", ("q", [])),
    ],
)
def test_assignments(text, expected):
    assert parse_assignment(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2**-1", 0.5),
        ("-2**2", -4.0),
        ("(1 + 2)*3 - +4/8", 8.5),
        ("sin(pi/2) + cos(0)", 2.0),
        ("e**1", math.e),
        ("1_000", 1000.0),
        ("5e-324", 5e-324),
        ("0.1", 0.1),
    ],
)
def test_arithmetic(text, value):
    result = evaluate(text)
    assert result == value
    assert type(result) is float


@pytest.mark.parametrize(
    ("text", "offending"),
    [
        ("2*x", "'x' is not allowed"),
        ("__import__('os').system('true')", "is not allowed"),
        ("(1).real", "is not allowed"),
        ("sin", "'sin' is not allowed"),
        ("tan(1)", r"'tan\(1\)' is not allowed"),
        ("sin(1, 2)", "is not allowed"),
        ("sin(x=1)", "is not allowed"),
        ("True", "'True' is not allowed"),
        ("1j", "'1j' is not allowed"),
        ("'1'", "is not allowed"),
        ("1 if 1 else 2", "is not allowed"),
        ("[*[1]]", r"'\*\[1\]' is not allowed"),
        ("[[1], 2]", r"'\[1\]' is not allowed"),
        ("5 m", "'5 m' cannot be read"),
        ("1 +", "cannot be read"),
        ("1\0", "cannot be read"),
        ("(" * 400 + "1" + ")" * 400, "cannot be read"),
        ("1 + 1/0", r"'1/0' has no value"),
        ("(-1)**0.5", "has no value"),
        ("sqrt(-1)", "has no value"),
        ("9**9**9**9", "has no value"),
        ("1" + "0" * 400, "has no value"),
        ("1e400", "'1e400' is not finite"),
        ("1e308*10", "is not finite"),
        ("1" * 2000, "2000 characters long"),
    ],
)
def test_refusals_name_the_offending_text(text, offending):
    with pytest.raises(ParameterError, match=offending) as caught:
        evaluate(text)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("text", "advice"),
    [("2^3", r"2\*\*3"), ("0,5", "with a point"), ("[[1]]", "flat list")],
)
def test_common_slips_get_their_own_advice(text, advice):
    with pytest.raises(ParameterError, match=advice):
        evaluate(text)


@pytest.mark.parametrize("text", ["omega", "=3", "omega=", "", " = "])
def test_what_assigns_nothing(text):
    with pytest.raises(ParameterError, match="assigns nothing"):
        parse_assignment(text)
