"""Long kernels compiled in files of their own: the same module, and the same messages."""

from __future__ import annotations

import pytest

from nsdgen.build.compile import compile_source
from nsdgen.build.loader import load_module
from nsdgen.build.side_by_side import take_apart
from nsdgen.errors import CompileError

PRELUDE = '''
cdef extern from *:
    r"""
static inline double twice(double x) { return x + x; }
    """
'''
KERNEL = '''
# [tag] ball / {name}
cdef extern from *:
    r"""
static void {name}(const double *const *in_, double *const *out)
{{
    /* state */
    const double x = in_[0][0];
    out[0][0] = {formula};
}}
    """
    void {name}(const double *const *in_, double *const *out) noexcept nogil
'''
CALLS = """
def called(double x):
    cdef double y[3]
    cdef const double *inputs[1]
    cdef double *outputs[1]
    inputs[0] = &x
    found = []
    for k in range(3):
        outputs[0] = &y[k]
        if k == 0: first(inputs, outputs)
        elif k == 1: second(inputs, outputs)
        else: third(inputs, outputs)
        found.append(y[k])
    return found
"""


@pytest.fixture
def source(make_source, monkeypatch):
    """A module of three kernels in C, long enough to be taken apart."""
    monkeypatch.setattr("nsdgen.build.side_by_side._LEAST", 1)
    monkeypatch.setattr("nsdgen.build.compile.processors", lambda: 2)

    def make(last: str = "twice(x)*x"):
        small = make_source()
        head, _, rest = small.text.partition("\n")
        kernels = [("first", "sqrt(x)"), ("second", "x*x*x + M_PI"), ("third", last)]
        written = [KERNEL.format(name=name, formula=formula) for name, formula in kernels]
        return type(small)(small.model, small.module, "".join([head, "\n", PRELUDE, *written, rest, CALLS]))

    return make


def test_kernels_are_shared_out_and_no_line_moves(source):
    text = source().text
    parts = take_apart(text, 2)
    assert [sum(f"void {name}(" in file for file in parts.files) for name in ("first", "second", "third")] == [1, 1, 1]
    assert len(parts.files) == 2
    assert all("twice(double x)" in file and "static void" not in file for file in parts.files)
    old, new = text.split("\n"), parts.text.split("\n")
    assert len(old) == len(new)
    assert all(new[k] in (line, "") or line.endswith(new[k][:-1]) for k, line in enumerate(old))
    assert "sqrt(x)" not in parts.text and take_apart(text, 1).text == text


def test_the_module_is_that_of_one_file(source, options, monkeypatch):
    built = source()
    together = load_module(compile_source(built, options=options))
    assert together.called(2.0) == [2.0**0.5, 8.0 + 3.141592653589793, 8.0]
    assert together.call(4.0) == 8.0


def test_a_part_that_the_compiler_refuses_is_shown_at_its_line(source, options):
    built = source(last="thrice(x)")
    with pytest.raises(CompileError, match="thrice") as caught:
        compile_source(built, options=options)
    assert f"line {built.text[: built.text.index('thrice')].count(chr(10)) + 1}: " in caught.value.message
    assert caught.value.where == "ball / third"
