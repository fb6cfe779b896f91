"""Names: identifiers that every language accepts, text that ends nothing it stands in."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsdgen.base.names import c_string, check_display_name, comment, is_reserved, mangle, mangle_all
from nsdgen.errors import ModelError


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("mass", "mass"),
        ("v_k", "v_k"),
        ("gap rate", "gap_rate"),
        ("θ", "theta"),
        ("ϑ", "theta"),
        ("ς", "sigma"),
        ("Ω_1", "Omega_1"),
        ("Λ", "Lambda"),
        ("θ̇", "theta"),
        ("é", "e"),
        ("x₁²", "x12"),
        ("2nd mass", "n_2nd_mass"),
        ("", "n_"),
        ("***", "n_"),
        ("_private", "n_private"),
        ("__pyx_x", "n_pyx_x"),
        ("PyObject", "n_PyObject"),
        ("nsd_mod", "n_nsd_mod"),
        ("nsdgen", "n_nsdgen"),
        ("lambda", "lambda_"),
        ("λ", "lambda_"),
        ("I", "I_"),
        ("in", "in_"),
        ("out", "out_"),
        ("double", "double_"),
        ("cdef", "cdef_"),
        ("NULL", "NULL_"),
        ("M_PI", "M_PI_"),
        ("gamma", "gamma_"),
        ("γ", "gamma_"),
        ("y0", "y0_"),
        ("errno", "errno_"),
        ("match", "match_"),
        ('say "hi"\n*/ {{x}}', "say_hi_x_"),
    ],
)
def test_identifiers(text: str, identifier: str) -> None:
    assert mangle(text) == identifier


@given(st.text())
def test_every_text_has_an_identifier_that_stays(text: str) -> None:
    name = mangle(text)
    assert name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
    assert not is_reserved(name)
    assert mangle(name) == name


def test_collisions_name_both() -> None:
    assert mangle_all(["a b", "γ", "a b"], what="parameter") == {"a b": "a_b", "γ": "gamma_"}
    with pytest.raises(ModelError, match="parameter names 'a b' and 'a-b'"):
        mangle_all(["a b", "a-b"], what="parameter")


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\x00", "a/b", "a.b", "\u2028"])
def test_display_names_refused(text: str) -> None:
    with pytest.raises(ModelError):
        check_display_name(text)


def test_display_names_kept() -> None:
    assert check_display_name('θ "left" {{ *') == 'θ "left" {{ *'


@given(st.text())
def test_c_strings_hold_nothing_but_themselves(text: str) -> None:
    escaped = c_string(text)
    assert escaped.isascii() and escaped.isprintable()
    assert not re.search(r'(?<!\\)"|\?\?|\{\{|\{%|\{#', escaped)
    plain = re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), escaped)
    assert plain.encode("latin-1").decode("utf-8", "surrogatepass") == text


@given(st.text(alphabet='*/{}%#?\\ ab"\n\r\u2028\x00θ'))
def test_comments_end_nothing(text: str) -> None:
    line = comment(text)
    assert len(line.splitlines()) <= 1
    assert not any(bad in line for bad in ("*/", "/*", "{{", "}}", "{%", "%}", "{#", "#}", "??"))
    assert not line.endswith("\\")
    assert comment(line) == line


def test_comments_keep_what_is_harmless() -> None:
    assert comment("R = m (v - v_k)  θ") == "R = m (v - v_k) θ"
