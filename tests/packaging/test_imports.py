"""Who imports whom: stages only look back, and what must be light loads nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import nsdgen

ROOT = Path(nsdgen.__file__).resolve().parent
STAGES = ("symbolic", "schemes", "derive", "emit", "interpret", "build", "runtime", "study")
NEUTRAL = {"abi", "base", "errors", "record"}
MAY_CROSS = {"extend", "pipeline", "model", "cli", "verify", "analysis", "__main__"}
_CIMPORT = re.compile(r"^\s*(?:from\s+(nsdgen[\w.]*)\s+c?import\b|c?import\s+(nsdgen[\w.]*))", re.MULTILINE)


def sources(*parts: str) -> list[Path]:
    """The Python and Cython files of a package of nsdgen."""
    return sorted(p for p in ROOT.joinpath(*parts).rglob("*") if p.suffix in (".py", ".pyx", ".pxd"))


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, written out, also inside functions and for type checkers only."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from (first or second for first, second in _CIMPORT.findall(text))
        return
    package = ("nsdgen", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[:len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (start, node.module) if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if module.startswith("nsdgen"))


def module_of(path: Path) -> str:
    """``nsdgen.study.plot`` for its file, ``nsdgen.study`` for that of the package."""
    parts = ("nsdgen", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def parts_of_nsdgen(path: Path) -> set[str]:
    """The parts of nsdgen (``derive``, ``errors``) that a file imports."""
    return {name.split(".")[1] for name in imported(path) if name.startswith("nsdgen.")} - {"__version__"}


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_imports_a_later_one(stage):
    allowed = {*STAGES[:STAGES.index(stage) + 1], *NEUTRAL, "solvers", "templates"}
    for path in sources(stage):
        assert parts_of_nsdgen(path) <= allowed, path


def test_solvers_stand_alone():
    for path in sources("solvers"):
        assert parts_of_nsdgen(path) <= {"solvers", *NEUTRAL}, path


def cycle(needs):
    """The names on a circle of needs, in words; empty where there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return " imports ".join(reversed(error.args[1]))
    return ""


def test_a_circle_is_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) and not cycle({"a": {"b"}, "b": {"c"}})


def test_solvers_import_each_other_in_one_direction():
    """Also inside functions, and cimports: what a module needs never needs the module."""
    needs = {}
    for path in sources("solvers"):
        if path.stem != "__init__":
            name = ".".join(("nsdgen", *path.with_suffix("").relative_to(ROOT).parts))
            needs.setdefault(name, set()).update(set(imported(path)) - {name})
    assert not cycle({name: found & needs.keys() for name, found in needs.items()})


def test_rooms_of_the_solvers_need_each_other_in_one_direction():
    """Folders do not import each other in circles, which files alone would not exclude."""
    rooms = {}
    for path in sources("solvers"):
        room, *rest = path.relative_to(ROOT / "solvers").parts
        found = {name.split(".")[2] for name in imported(path) if name.startswith("nsdgen.solvers.")}
        if rest:
            rooms.setdefault(room, set()).update(found - {room})
    assert not cycle({room: found & rooms.keys() for room, found in rooms.items()})


def test_stems_of_the_solvers_are_unique():
    """In all of nsdgen, with or without the underscore of compiled modules."""
    stems = Counter(path.name.lstrip("_") for path in {path.with_suffix("") for path in sources()})
    shared = {path.stem for path in sources("solvers") if stems[path.stem.lstrip("_")] > 1} - {"__init__"}
    assert not shared


def test_neutral_ground_imports_only_itself():
    for name in NEUTRAL:
        for path in [ROOT / f"{name}.py", *sources(name)]:
            assert not path.exists() or parts_of_nsdgen(path) <= NEUTRAL, path


def test_no_module_is_imported_by_what_it_imports():
    """No cycles, lazy ones and those of annotations included. (Compiled modules cimport each other as C files do.)"""
    files = {module_of(path): path for path in sources() if path.suffix == ".py"}
    assert not cycle({name: {found for found in imported(path) if found in files and found != name
                             and not name.startswith(f"{found}.")}  # a package holds its modules
                      for name, path in files.items()})


def test_only_named_parts_cross():
    known = {*STAGES, *NEUTRAL, *MAY_CROSS, "solvers", "include", "generated", "templates", "__init__", "__pycache__"}
    found = {path.stem for path in ROOT.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert found <= known, "a new part of nsdgen: say here where it stands"


def test_only_the_symbolic_side_names_sympy():
    for stage in ("interpret", "build", "runtime", "study", "solvers"):
        for path in sources(stage):
            assert not {"sympy", "mpmath"} & {name.split(".")[0] for name in imported(path)}, path


@pytest.mark.parametrize(("statement", "absent"), [
    ("import nsdgen", "numpy sympy scipy jinja2 Cython matplotlib xarray"),
    ("import nsdgen.cli.main", "numpy sympy scipy jinja2 Cython matplotlib xarray"),
    ("import nsdgen.build, nsdgen.study, nsdgen.record.model_record", "numpy sympy scipy matplotlib xarray"),
    ("import nsdgen.solvers.api.complementarity", "sympy matplotlib xarray"),
    ("import nsdgen.runtime.simulation, nsdgen.runtime.callable_operators, nsdgen.runtime.values",
     "sympy matplotlib xarray"),
    ("import nsdgen.study.compiled_model, nsdgen.study.trajectory, nsdgen.pipeline", "sympy matplotlib xarray jinja2"),
])
def test_light_imports(statement, absent):
    code = f"import sys\n{statement}\nprint(*set({absent.split()!r}) & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == ("", "")
