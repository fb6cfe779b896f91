"""Lines of the emitted language in the register machine, against Python, whose arithmetic is the same."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nsdgen.base.pieces import whole
from nsdgen.emit.table_text import Unreadable
from nsdgen.emit.text import CYTHON, C
from nsdgen.errors import ModuleMismatch
from nsdgen.interpret.interpreted_module import interpret, take_apart
from nsdgen.interpret.statements import statements

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("a", "b", "c", "d", "e")
LOADS = [f"cdef double {name} = in_[0][{i}]" for i, name in enumerate(NAMES)]
ALONE = re.compile(r"(?:cdef )?double \w+(?:, \w+)*;?")  # what is declared and has no value yet
FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "exp", "atan", "sqrt", "atan2")}


def expression(rng: random.Random, depth: int) -> str:
    """A text as the printer might write it: sums and products from left to right, signs, parentheses, calls."""
    if depth == 0:
        return rng.choice([*NAMES, "2.0", "0.3", "1e-05"])
    match rng.randrange(6):
        case 0:
            return f"-{expression(rng, 0)}" if depth == 1 else f"({expression(rng, depth - 1)})"
        case 1:
            return f"{rng.choice(['sin', 'cos', 'atan'])}({expression(rng, depth - 1)})"
        case 2 | 3:
            terms = [expression(rng, depth - 1) for _ in range(rng.randint(2, 4))]
            return terms[0] + "".join(f" {rng.choice('+-')} {_atom(t, '+-')}" for t in terms[1:])
        case _:
            factors = [_atom(expression(rng, depth - 1), "+-") for _ in range(rng.randint(2, 4))]
            return (
                rng.choice(["", "-"])
                + factors[0]
                + "".join(f"{rng.choice('***/')}{_atom(f, '*/')}" for f in factors[1:])
            )


def _atom(text: str, operators: str) -> str:
    """Text in parentheses unless it is a name, a number or a call."""
    return text if not any(f in text for f in (" + ", " - ", "*", "/")) and text[0] != "-" else f"({text})"


def test_expressions_give_the_bits_of_python(values_of):
    rng = random.Random(8)
    for _ in range(300):
        text = expression(rng, rng.randint(1, 4))
        numbers = [rng.choice([1.0, -1.0]) * 10.0 ** rng.uniform(-3, 3) for _ in NAMES]
        try:
            expected = eval(text, {**FUNCTIONS, **dict(zip(NAMES, numbers, strict=True))})
        except (ZeroDivisionError, ValueError, OverflowError):
            continue
        found = values_of([*LOADS, f"out[0][0] = {text}"], [numbers])[0]
        assert (found, math.copysign(1, found)) == (expected, math.copysign(1, expected)), text


@pytest.mark.parametrize(
    "text",
    [
        "-a + b*c",
        "-a*b + c",
        "-a*b - c",
        "a - -b",
        "-(a*b) + c",
        "-(a + b) - c*d",
        "a*b - c*d",
        "-a*b*c + d*e",
        "a + b + c",
        "a - b*c - d*e",
        "a*(-b) + c",
    ],
)
def test_signs_keep_the_sign_of_zero(values_of, text):
    for numbers in ([0.0] * 5, [-0.0] * 5, [1.0] * 5, [0.0, -0.0, 1.0, -0.0, 1.0], [0.0, 1.0, -0.0, 1.0, 0.0]):
        expected = eval(text, dict(zip(NAMES, numbers, strict=True)))
        found = values_of([*LOADS, f"out[0][0] = {text}"], [numbers])[0]
        assert (found, math.copysign(1, found)) == (expected, math.copysign(1, expected)), (text, numbers)


CONDITIONS = [
    "a < b",
    "a <= b",
    "a > b",
    "a >= b",
    "a == b",
    "a != b",
    "not (a < b)",
    "a < b and c < d",
    "a < b or c < d",
    "(a < b or c < d) and not (a == d)",
    "True",
    "False",
    "a < b and (c < d or not (b > d))",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_in_both_languages(values_of, condition):
    cython = [*LOADS, "cdef double x", f"if {condition}:", "    x = 1.0", "else:", "    x = a + 2.0", "out[0][0] = x"]
    words = condition.replace("and", "&&").replace("or", "||").replace("not ", "!").replace("True", "1")
    c = [f"const {line[5:]};" for line in LOADS]
    c += [
        "double x;",
        f"if ({words.replace('False', '0')}) {{",
        "    x = 1.0;",
        "} else {",
        "    x = a + 2.0;",
        "}",
        "out[0][0] = x;",
    ]
    for numbers in ([1, 2, 3, 4, 0], [2, 1, 3, 4, 0], [2, 1, 4, 3, 0], [1, 1, 1, 1, 0], [math.nan, 1, 2, 1, 0]):
        space = dict(zip(NAMES, numbers, strict=True))
        expected = 1.0 if eval(condition, space) else numbers[0] + 2.0
        for lines, in_c in ((cython, False), (c, True)):
            assert np.array_equal(values_of(lines, [numbers], in_c=in_c), [expected], equal_nan=True)


def test_branches_inside_branches_and_several_arms(values_of):
    lines = [
        *LOADS,
        "if a < 1.0:",
        "    if b < 1.0:",
        "        x = b",
        "    else:",
        "        x = -b",
        "    y = x*x",
        "elif a < 2.0:",
        "    x = c",
        "    y = d",
        "else:",
        "    x = nsd_mod(a, b)",
        "    y = nsd_sign(c)",
        "out[0][1] = y",
        "out[0][0] = x",
    ]
    assert list(values_of(lines, [[0, 3, 5, 7, 0]], 2)) == [-3, 9]
    assert list(values_of(lines, [[1.5, 3, 5, 7, 0]], 2)) == [5, 7]
    assert list(values_of(lines, [[-7, 3, -5, 7, 0]], 2)) == [-3, 9]
    assert list(values_of(lines, [[8, 3, -5, 7, 0]], 2)) == [2, -1]


def test_loops_over_rules_and_tables(values_of):
    lines = [
        "const double *const u = in_[0];",
        "const double *const p = in_[1];",
        "const double s = in_[1][5];",
        "static const int place0[4] = { 3, 1,",
        "    0, 2 };",
        "static const int place1[3] = { 0, 1, 4 };",
        "double q[4];",
        "/* a comment */",
        "for (int i = 0; i < 4; i++) {",
        "    q[i] = s*u[place0[i]];",
        "}",
        "for (int i = 0; i < 2; i++) {",
        "    double x0 = -s;",
        "    for (int j = place1[i]; j < place1[i + 1]; j++) {",
        "        x0 += p[j]*q[place0[j]];",
        "    }",
        "    for (int j = 0; j < 3; j++) {",
        "        x0 -= p[2*i+j]*u[j];",
        "    }",
        "    out[0][3*i+1] = x0 - q[2];",
        "}",
        "for (int i = 0; i < 2; i++) {",
        "    out[0][2*i] = p[i];",
        "}",
    ]
    u, p = [2.0, 3.0, 5.0, 7.0], [11.0, 13.0, 17.0, 19.0, 23.0, 29.0]
    place, rows = [3, 1, 0, 2], []
    q = [p[5] * u[at] for at in place]
    for i, own in ((0, range(1)), (1, range(1, 4))):
        row = -p[5] + sum(p[j] * q[place[j]] for j in own) - sum(p[2 * i + j] * u[j] for j in range(3))
        rows.append(row - q[2])  # whole numbers: exact in any order
    found = values_of(lines, [u, p], 5, in_c=True)
    assert list(found) == [p[0], rows[0], p[1], 7.0, rows[1]]


@pytest.mark.parametrize(
    "line",
    [
        "out[0][0] = unheard(a)",
        "out[0][0] = sin(a, b)",
        "out[0][0] = nobody",
        "out[0][0] = a if b else c",
        "out[0][0] = a**2.0",
        "out[0][0] = a % b",
        "out[0][0] = out[0][0] + a",
        "out[0][0] = a < b",
        "out[0][0] = a[0]",
        "out[0][2] = a",
        "out[1][0] = a",
        "M_PI = a",
        "out[0][0] = in_[0][9]",
        "out[0][0] = (a",
        "import os",
        "for i in range(3):",
        "while a < b:",
        "if a:",
        "if a < b < c:",
        "out[0][0] = a; out[0][1] = b",
        "x[0] = a",
    ],
)
def test_what_is_not_emitted_is_refused(values_of, line):
    body = [*LOADS, line, *(["    x = a"] if line.endswith(":") else [])]
    with pytest.raises(Unreadable):
        values_of(body, [[1.0] * 5], 2)


def test_an_output_stored_twice_or_in_a_branch_is_refused(values_of):
    for body in (["out[0][0] = a", "out[0][0] = b"], ["if a < b:", "    out[0][0] = a"]):
        with pytest.raises(Unreadable):
            values_of([*LOADS, *body], [[1.0] * 5], 2)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("double rest = fmod(a, b);", "double rest = fmod(a, b) + 0.0;", "another nsdgen_math.h"),
        ("x0 = 1.0 - theta", "x0 = 1.0 - thetta", "'thetta' has no value"),
        ("    turned_k = nsd_mod(", "    turned_k = nsd_rest(", "the function nsd_rest"),
        ("cdef nsdgen_call[19]", "cdef nsdgen_call[18]", "18 kernels are announced, 19 are there"),
        ("    follower_system0_start, ", "    follower_system0_begin, ", "follower_system0_begin is not there"),
        ("static nsdgen_module MODULE", "static nsdgen_modules MODULE", "no table"),
    ],
)
def test_a_text_that_was_changed_is_refused_by_name(old, new, said):
    package = ROOT / "generated" / "cam_follower"
    text = whole((package / "_kernels.pyx").read_text(), lambda name: (package / name).read_text())
    assert old in text
    with pytest.raises(ModuleMismatch, match=said):
        interpret(text.replace(old, new))


def words(lines: Sequence[str]) -> str:
    """The statements of lines without comments, layout, what is declared and what only compilers are told."""
    text = " ".join(line.strip() for line in lines if not line.strip().startswith(("#", "/*")))
    text = re.sub(r"\bcdef (?:double )?|\b(?:const )?double (?!\*)|NSD_IN_MEMORY\(\w+\);|\bpass\b", "", text)
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("name", ["cam_follower", "diode_bridge", "tumbling_brick", "governor"])
def test_what_is_read_is_printed_as_it_was(emitted, name):
    """One grammar: the tree that is read of a text has this text."""
    for kernel in take_apart(emitted(name).text).kernels:
        language = C if kernel.in_c else CYTHON
        read = statements(kernel.lines, kernel.first, in_c=kernel.in_c)
        printed = [line for statement in read for line in language.lines(statement, 1)]
        assert words(printed) == words([line for line in kernel.lines if not ALONE.fullmatch(line.strip())])
