"""Compiled code lies in files that units include: each in one, and others take it from the unit."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from .rooms import ROOT, imported, sources

_INCLUDED = re.compile(r'^include "([\w.]+)"$', re.MULTILINE)


def included() -> Counter[Path]:
    """The files that are included, and by how many."""
    units = [p for p in sources() if p.suffix in (".pyx", ".pxd")]
    return Counter(p.with_name(name) for p in units for name in _INCLUDED.findall(p.read_text(encoding="utf-8")))


def test_every_file_is_compiled_once():
    code = {p for p in sources() if p.suffix == ".pxi"}
    assert code and code == {p for p in included() if p.suffix == ".pxi"}
    assert set(included().values()) == {1}


def test_declarations_that_a_unit_includes_are_taken_from_it():
    """A struct of an included file is another one where that file is asked itself, a function is nowhere."""
    inside = {".".join(("nsdgen", *p.relative_to(ROOT).with_suffix("").parts)) for p in included()}
    compiled = [p for p in sources() if p.suffix != ".py"]
    assert inside and not {(p.name, name) for p in compiled for name in imported(p) if name in inside}
