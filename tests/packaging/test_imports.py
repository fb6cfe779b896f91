"""Who imports whom: stages only look back, and what must be light loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest

from .rooms import ROOMS, ROOT, arrows, imported, module_of, rooms, rooms_needed, sources

STAGES = ("symbolic", "schemes", "derive", "emit", "interpret", "build", "runtime", "study")
NEUTRAL = {"abi", "base", "errors", "record"}


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_imports_a_later_one(stage):
    allowed = {*STAGES[: STAGES.index(stage) + 1], *NEUTRAL, "solvers", "templates"}
    for path in sources(stage):
        assert rooms_needed(path) <= allowed, path


def test_solvers_stand_alone():
    for path in sources("solvers"):
        assert rooms_needed(path) <= {"solvers", *NEUTRAL}, path


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
            assert not path.exists() or rooms_needed(path) <= NEUTRAL, path


def test_no_module_is_imported_by_what_it_imports():
    """No cycles, lazy ones and those of annotations included. (Compiled modules cimport each other as C files do.)"""
    files = {module_of(path): path for path in sources() if path.suffix == ".py"}
    assert not cycle(
        {
            name: {
                found
                for found in imported(path)
                if found in files and found != name and not name.startswith(f"{found}.")
            }  # a package holds its modules
            for name, path in files.items()
        }
    )


def test_every_room_has_its_place():
    assert rooms() == set(ROOMS), "a new room of nsdgen: say in rooms.py what it may import"


def test_no_arrow_between_rooms_runs_upward():
    """Each room imports those before it only, inside functions and for type checkers included."""
    assert not {arrow: files for arrow, files in arrows().items() if ROOMS.index(arrow[0]) < ROOMS.index(arrow[1])}


def test_only_the_command_line_imports_verify():
    assert {room for room, needed in arrows() if needed == "verify"} <= {"cli"}


def test_rooms_and_arrows_stay_few():
    """A newcomer finds his way among some twenty rooms (``python tests/packaging/rooms.py`` shows them)."""
    assert len(rooms()) <= 22 and len(arrows()) <= 82


def test_only_the_symbolic_side_names_sympy():
    for stage in ("interpret", "build", "runtime", "study", "solvers"):
        for path in sources(stage):
            assert not {"sympy", "mpmath"} & {name.split(".")[0] for name in imported(path)}, path


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import nsdgen", "numpy sympy scipy jinja2 Cython matplotlib xarray"),
        ("import nsdgen.cli.main", "numpy sympy scipy jinja2 Cython matplotlib xarray"),
        ("import nsdgen.build.doctor, nsdgen.study, nsdgen.record.model_record", "numpy sympy scipy matplotlib xarray"),
        ("import nsdgen.solvers.api.complementarity", "sympy matplotlib xarray"),
        (
            "import nsdgen.runtime.simulation, nsdgen.runtime.callable_operators, nsdgen.runtime.values",
            "sympy matplotlib xarray",
        ),
        (
            "import nsdgen.study.compiled_model, nsdgen.study.trajectory, nsdgen.model.pipeline",
            "sympy matplotlib xarray jinja2",
        ),
    ],
)
def test_light_imports(statement, absent):
    code = f"import sys\n{statement}\nprint(*set({absent.split()!r}) & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout.strip(), run.stderr) == ("", "")
