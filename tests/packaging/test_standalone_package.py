"""A written package: the same bytes each time, safe from what users type, usable without SymPy."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nsdgen.build.compiler import run_compiler
from nsdgen.build.flags import compile_flags
from nsdgen.build.toolchain import find_toolchain
from nsdgen.emit.contents import kernel_notes
from nsdgen.emit.package import package_files, write_package
from nsdgen.errors import ModuleMismatch, ParameterError
from nsdgen.model.pipeline import Emitted, build_model, emit_model
from nsdgen.study.compiled_model import open_package

TEXTS = [
    "_kernels.pyx",
    "_module.pxi",
    "nsdgen_abi.h",
    "nsdgen_lanes.h",
    "nsdgen_row_lanes.h",
    "nsdgen_step.h",
    "model.json",
    "__init__.py",
    "README.md",
    ".gitignore",
]
CALLER = """
import sys
import bouncing_ball
trajectory = bouncing_ball.run(end=5.0)
print(len(trajectory), trajectory["ball.z"][-1], bouncing_ball.ball.mass(0.3), bouncing_ball.parameters["g"])
assert "run" in dir(bouncing_ball)
assert not {"sympy", "jinja2"} & sys.modules.keys()
"""


@pytest.fixture(scope="module")
def emitted(example) -> Emitted:
    return emit_model(example("bouncing_ball").model)


@pytest.fixture(scope="module")
def shared_object(emitted) -> Path:
    return build_model(emitted)[1]


@pytest.fixture
def package(emitted, shared_object, tmp_path) -> Path:
    return write_package(tmp_path, emitted.record, emitted.text, shared_object)


def call(folder: Path, code: str = CALLER) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_it_runs_without_sympy(package, compiled):
    expected = compiled("bouncing_ball").run(end=5.0)["ball.z"][-1]
    count, z, mass, gravity = call(package.parent).split()
    assert (int(count), float(z), float(mass), float(gravity)) == (1001, expected, 1.0, 9.81)


def test_it_runs_without_its_compiled_module(emitted, tmp_path):
    package = write_package(tmp_path, emitted.record, emitted.text, None)
    assert not list(package.glob("*.so"))
    assert call(tmp_path).startswith("1001 ")


def test_its_readme_shows_what_works(package):
    readme = (package / "README.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    call(package.parent, code)
    assert (package.parent.parent / "bouncing_ball.nc").exists()
    for piece in ("| `m` | 1 | kg |", "| `impulse` | N s |", "| `mass(q[1])` | 1x1 | M(q) |"):
        assert piece in readme


C_CALLER = """
#include <Python.h>
#include <stdio.h>
#include <string.h>
#include "nsdgen_abi.h"
static PyObject *look(PyObject *self, PyObject *none)
{
%s
    const nsdgen_kernel *mass = &module->classes[0].kernels[0];
    while (strcmp(mass->name, "mass")) ++mass;
    double q = 0.3, parameters[2] = {4.0, 9.81}, value;
    const double *in[2] = {&q, parameters};
    double *out[1] = {&value};
    mass->call(in, out);
    return PyFloat_FromDouble(value);
}
static PyMethodDef methods[] = {{"look", look, METH_NOARGS, ""}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "caller", NULL, -1, methods};
PyMODINIT_FUNC PyInit_caller(void) { return PyModule_Create(&definition); }
"""


def test_its_readme_shows_what_works_in_c(package, tmp_path):
    [code] = re.findall(r"```c\n(.*?)```", (package / "README.md").read_text(), re.DOTALL)
    (tmp_path / "caller.c").write_text(C_CALLER % code)
    shutil.copy(package / "nsdgen_abi.h", tmp_path)
    toolchain = find_toolchain()
    outcome = run_compiler(toolchain, compile_flags(), "caller.c", "caller" + toolchain.suffix, tmp_path)
    assert outcome.ok, outcome.log
    output = call(tmp_path, "import caller; print('value', caller.look())")
    assert "ball.residual\n" in output
    assert "floor.gap\n" in output
    assert "value 4.0" in output.split("\n")  # C and Python buffer their output apart


def test_it_needs_cython_and_a_compiler_alone(package, tmp_path):
    """The files of a package, without nsdgen: Cython and the compiler where they lie, then the capsule is there."""
    alone = tmp_path / "alone"
    alone.mkdir()
    for file in package.iterdir():
        if file.suffix in (".pyx", ".pxi", ".h"):
            shutil.copy(file, alone)
    subprocess.run([sys.executable, "-m", "cython", "-3", "_kernels.pyx"], cwd=alone, check=True)
    toolchain = find_toolchain()
    outcome = run_compiler(toolchain, compile_flags(), "_kernels.c", "_kernels" + toolchain.suffix, alone)
    assert outcome.ok, outcome.log
    code = "import sys; sys.path.insert(0, '.'); import _kernels; print(_kernels.__nsdgen__)"
    run = subprocess.run([sys.executable, "-S", "-c", code], cwd=alone, capture_output=True, text=True)  # no nsdgen
    assert run.stdout.startswith('<capsule object "nsdgen.abi"'), run.stderr


def test_a_piece_that_is_missing_is_named(emitted, tmp_path):
    package = write_package(tmp_path, emitted.record, emitted.text, None)
    (package / "nsdgen_step.h").unlink()
    with pytest.raises(ModuleMismatch, match=r"cannot be read: .*nsdgen_step\.h"):
        open_package(package)


def test_pieces_of_an_older_text_do_not_stay(emitted, tmp_path):
    package = write_package(tmp_path, emitted.record, emitted.text, None)
    (package / "nsdgen_old.h").write_text("/* of an older version */")
    write_package(tmp_path, emitted.record, emitted.text, None)
    assert not (package / "nsdgen_old.h").exists()


def test_the_same_model_gives_the_same_bytes(example, emitted, package, tmp_path):
    again = emit_model(example("bouncing_ball").model)
    assert package_files(again.record, again.text) == package_files(emitted.record, emitted.text)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in package.iterdir()}
    write_package(tmp_path, again.record, again.text, next(package.glob("*.so")))
    assert before == {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in package.iterdir()}
    assert sorted(name for name in before if not name.endswith((".so", ".pyd"))) == sorted(TEXTS)


def test_other_folders_are_left_alone(emitted, tmp_path, package):
    other = tmp_path / "other" / "bouncing_ball"
    other.mkdir(parents=True)
    (other / "thesis.tex").write_text("years of work")
    with pytest.raises(ParameterError, match="no package of nsdgen"):
        write_package(other.parent, emitted.record, emitted.text, None)
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]
    with pytest.raises(ParameterError, match="another model"):
        write_package(tmp_path, dataclasses.replace(emitted.record, name="bouncing ball"), emitted.text, None)
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="cannot be written"):
        write_package(tmp_path / "file", emitted.record, emitted.text, None)


def test_an_old_compiled_module_does_not_stay(emitted, package, tmp_path):
    (package / "_kernels.cpython-01-old.so").write_bytes(b"old")
    write_package(tmp_path, emitted.record, emitted.text, None)
    assert not list(package.glob("*.so"))


def test_kernels_of_another_text_are_refused(emitted, package):
    data = json.loads((package / "model.json").read_text())
    (package / "model.json").write_text(json.dumps({**data, "kernel_hash": "0" * 16}))
    with pytest.raises(ModuleMismatch, match="compile the model again"):
        open_package(package)


def test_a_package_can_be_moved(package, tmp_path):
    moved = tmp_path / "elsewhere" / "bouncing_ball"
    shutil.copytree(package, moved)
    np.testing.assert_array_equal(open_package(moved).run(end=1).table, open_package(package).run(end=1).table)


def test_names_of_the_user_open_nothing(emitted):
    nasty = 'a"""|`{{ 7*6 }}\\'
    parameter = dataclasses.replace(emitted.record.parameters[0], name=nasty, unit=nasty)
    system = dataclasses.replace(emitted.record.systems[0], name=nasty)
    record = dataclasses.replace(emitted.record, name=nasty, parameters=(parameter,), systems=(system,))
    files = package_files(record, emitted.text)
    compile(files["__init__.py"], "__init__.py", "exec")
    readme = files["README.md"]
    [code] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    compile(code, "README.md", "exec")
    assert "42" not in readme
    for line in readme.splitlines():
        assert line.count("`") % 2 == 0 or line.startswith("```")


def test_what_the_text_says_of_its_kernels(emitted):
    notes = {(n.cls, n.name): n for n in kernel_notes(emitted.text)}
    mass = notes[0, "mass"]
    assert (mass.is_operator, mass.operands, mass.shape, mass.formula) == (True, (("q", 1),), "1x1", "M(q)")
    assert not notes[0, "residual"].is_operator
    assert notes[0, "residual"].operations > 0
    assert {cls for cls, _ in notes} == {0, 1}


@pytest.mark.parametrize("name", ["cam_follower", "diode_bridge", "tumbling_brick"])
def test_the_notes_are_those_of_the_table(example, name):
    derivation = example(name).model.derive()
    notes = kernel_notes(emit_model(example(name).model).text)
    kernels = [(c, k) for c, cls in enumerate(derivation.module.classes) for k in cls.kernels]
    assert [(n.cls, n.name, n.role) for n in notes] == [(c, k.name, int(k.role)) for c, k in kernels]
    assert [[(a.name, len(a.symbols)) for a in k.inputs] for _, k in kernels] == [list(n.inputs) for n in notes]
