"""The statement tree: its printers against a plain evaluation of the tree, and its reader against committed text."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from nsdgen.emit.text import CYTHON, C
from nsdgen.emit.tree import (
    Array,
    ArrayEntry,
    Assign,
    Call,
    Comparison,
    Expression,
    For,
    Integer,
    Logic,
    Name,
    Negation,
    Number,
    Product,
    Sum,
    changed,
    operations,
)
from nsdgen.errors import EmissionError
from nsdgen.interpret.expressions import parse
from nsdgen.interpret.interpreted_module import take_apart
from nsdgen.interpret.statements import statements

ROOT = Path(__file__).resolve().parents[2]
VALUES = {"a": Fraction(3, 7), "b": Fraction(-5, 3), "c": Fraction(11, 2)}


def value(e: Expression) -> Any:
    """What an expression is worth, by its definition, in exact numbers."""
    match e:
        case Number(number) | Integer(number):
            return Fraction(number)
        case Name(text):
            return VALUES[text]
        case Call("fabs", (inner,)):
            return abs(value(inner))
        case Negation(inner):
            return -value(inner)
        case Sum(terms, signs):
            return sum(value(t) if sign == "+" else -value(t) for sign, t in zip(signs, terms, strict=True))
        case Product(factors, operators):
            return math.prod(value(f) if o == "*" else 1 / value(f) for o, f in zip(operators, factors, strict=True))
        case Comparison("<", left, right):
            return value(left) < value(right)
        case Logic("not", (inner,)):
            return not value(inner)
        case Logic("and", parts):
            return all(map(value, parts))
        case Logic("or", parts):
            return any(map(value, parts))
    raise AssertionError(e)


def any_value(rng: random.Random, depth: int) -> Expression:
    if depth == 0:
        return rng.choice([Name("a"), Name("b"), Name("c"), Number(2.0), Number(0.25)])
    inner = [any_value(rng, rng.randrange(depth)) for _ in range(rng.randint(2, 4))]
    signs = "".join(rng.choice("+-") for _ in inner[1:])
    return rng.choice(
        [
            Sum(tuple(inner), f"+{signs}"),
            Negation(inner[0]),
            Call("fabs", (inner[0],)),
            Product(tuple(inner), "*" + signs.translate(str.maketrans("+-", "*/"))),
        ]
    )


def any_condition(rng: random.Random, depth: int) -> Expression:
    if depth == 0:
        return Comparison("<", any_value(rng, 2), any_value(rng, 2))
    inner = tuple(any_condition(rng, rng.randrange(depth)) for _ in range(rng.randint(2, 3)))
    return rng.choice([Logic("and", inner), Logic("or", inner), Logic("not", inner[:1])])


def in_python(text: str) -> Any:
    """The worth of a text as Python reads it, in exact numbers."""
    space = {"fabs": abs, "F": Fraction, **VALUES}
    return eval(text.replace("0.25", "F(1, 4)").replace("2.0", "F(2)"), space)


@pytest.mark.parametrize("make", [any_value, any_condition])
def test_a_text_means_what_its_tree_means(make):
    """Parentheses stand where they must: a value is that of the definition, whoever reads the text."""
    rng = random.Random(41)
    for _ in range(400):
        e = make(rng, rng.randint(0, 4))
        try:
            wanted = value(e)
        except ZeroDivisionError:
            continue
        assert in_python(CYTHON.text(e)) == wanted, e
        assert value(parse(CYTHON.text(e))) == value(parse(C.text(e))) == wanted


@pytest.mark.parametrize("name", ["cam_follower", "diode_bridge", "tumbling_brick"])
def test_what_is_read_is_printed_as_it_stood(name):
    """The reader and the printers have one grammar: committed kernels, read and printed, are the same lines."""
    from nsdgen.base.pieces import whole

    folder = ROOT / "generated" / name
    text = whole((folder / "_kernels.pyx").read_text(), lambda piece: (folder / piece).read_text())
    compared = 0
    for kernel in take_apart(text).kernels:
        language = C if kernel.in_c else CYTHON
        read = statements(kernel.lines, kernel.first, in_c=kernel.in_c)
        printed = [line for s in read for line in language.lines(s, 1)]
        plain = [
            line
            for line in kernel.lines
            if line.strip() not in ("", "pass") and not line.strip().startswith(("#", "/*", "cdef", "const", "double"))
        ]
        loads = [line for line in kernel.lines if line.strip().startswith(("cdef", "const")) and "=" in line]
        assert [line for line in printed if " = in_[" not in line] == plain
        assert len([line for line in printed if " = in_[" in line]) == len(loads)
        compared += len(plain)
    assert compared > 100


def test_what_cython_cannot_say_is_refused_by_its_name():
    for statement in (Array("x", 3), For("i", Integer(0), Integer(3), ())):
        with pytest.raises(EmissionError, match=f"a {type(statement).__name__} has no text in Cython"):
            CYTHON.lines(statement, 0)
        assert C.lines(statement, 0)
    with pytest.raises(EmissionError, match="a Call is no index"):
        C.lines(Assign(ArrayEntry("x", (Call("sin", (Name("a"),)),)), Name("b")), 0)


def test_operations_are_counted_as_they_are_made():
    for text, count in (
        ("a + b - c", 2),
        ("-a*b + c", 2),
        ("-a - b", 1),
        ("a*b/(c*a)", 3),
        ("sin(a + b)", 2),
        ("-a", 1),
        ("a < b", 1),
        ("x[2*i+1]*a", 1),
    ):
        assert operations(parse(text)) == count, text


def test_parts_are_exchanged_and_the_rest_is_kept():
    e = parse("a*(b - c) + sin(b - c)")
    other = changed(e, lambda part: Number(0.0) if part == parse("b - c") else None)
    assert CYTHON.text(other) == "a*0.0 + sin(0.0)" and changed(e, lambda part: None) is e
