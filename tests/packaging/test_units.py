"""Compiled code lies in files that units include: each in one, and others take what the unit declares from it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from .rooms import ROOT, imported, sources

_INCLUDED = re.compile(r'^include "([\w.]+)"$', re.MULTILINE)
_FUNCTION = re.compile(
    r"^cdef (?!inline|struct|class|enum|extern)[^(\n=]*?(\w+)\((?:[^()]|\([^()]*\))*\)[^:]*?$", re.MULTILINE
)
_IMPORT = re.compile(r"^(?:from \S+ )?c?import (\([^)]*\)|.*)$", re.MULTILINE)
UNITS = {p: [p.with_name(name) for name in _INCLUDED.findall(p.read_text(encoding="utf-8"))]
         for p in sources() if p.suffix == ".pyx"}  # fmt: skip


def test_every_file_is_compiled_once():
    code = {p for p in sources() if p.suffix == ".pxi"}
    included = Counter(p for files in UNITS.values() for p in files)
    assert code and code == set(included)
    assert set(included.values()) == {1}


def test_what_a_unit_declares_is_taken_from_it():
    """A function of an included file is nowhere where that file is asked itself."""
    inside = {
        ".".join(("nsdgen", *p.relative_to(ROOT).with_suffix("").parts)) for files in UNITS.values() for p in files
    }
    compiled = [p for p in sources() if p.suffix != ".py"]
    assert inside and not {(p.name, name) for p in compiled for name in imported(p) if name in inside}


@pytest.mark.parametrize("unit", [p for p, files in UNITS.items() if files], ids=lambda p: p.stem)
def test_a_unit_imports_once_what_its_files_use(unit: Path):
    """Imports of all files stand in the unit, which shares its names."""
    imports, _, own = unit.read_text(encoding="utf-8").partition("\ninclude ")
    files = [p.read_text(encoding="utf-8") for p in UNITS[unit]]
    assert not [p.name for p, text in zip(UNITS[unit], files, strict=True) if _IMPORT.search(text)]
    listed = {name for names in _IMPORT.findall(imports) for name in re.findall(r"\w+(?=\s*(?:,|\)|$))", names)}
    assert listed <= set(re.findall(r"\w+", "\n".join([own, *files])))


@pytest.mark.parametrize("unit", [p for p in UNITS if p.with_suffix(".pxd").exists()], ids=lambda p: p.stem)
def test_a_unit_declares_only_what_others_take(unit: Path):
    """A function that its own unit calls alone needs no declaration: one is a copy that goes stale."""
    declared = unit.with_suffix(".pxd").read_text(encoding="utf-8")
    own = {unit, unit.with_suffix(".pxd"), *UNITS[unit]}
    others = "\n".join(p.read_text(encoding="utf-8") for p in sources() if p.suffix != ".py" and p not in own)
    inline = "\n".join(re.findall(r"^    .*$", declared, re.MULTILINE))  # functions that others put in line call more
    taken = set(re.findall(r"\w+", others)) | set(re.findall(r"\w+", inline))
    assert not set(_FUNCTION.findall(declared)) - taken
