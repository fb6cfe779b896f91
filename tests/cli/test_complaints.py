"""Bad input on the command line: one message, no traceback, the right exit code."""

import sys
from importlib.metadata import version

import pytest

from nsdgen.base.version import VERSION

BAD_VALUES = [
    (["-p", "ee=1"], "did you mean 'e'"),
    (["-p", "e"], "write name=value"),
    (["-p", "=1"], "write name=value"),
    (["-p", "e=1.5"], "restitution is 1.5"),
    (["-p", "e=[0,1]"], "is not a number"),
    (["-p", "e=import"], "cannot be read"),
    (["--step", "0"], "give a step > 0"),
    (["--step=-1e-3"], "give a step > 0"),
    (["--step", "[1,2]"], "one number is meant"),
    (["--step", "fast"], "--step: 'fast' is not allowed"),
    (["-p", "m=1/0"], "--parameter: '1/0' has no value"),
    (["--end", "0"], "not after the start"),
    (["--end", "1e8", "--step", "1e-6"], "do not fit into memory"),
    (["--scheme", "thta=1"], "did you mean 'theta'"),
    (["--scheme", "theta=2"], "lies outside [0, 1]"),
    (["--initial", "zz=1"], "initial value"),
    (["--initial", "z=-1"], "the gap is -1"),
    (["--initial", "z=1", "--initial", "ball.z=2"], "are the same quantity"),
    (["--plot", "zz"], "'zz'"),
    (["--plot", "z", "--look", "loud"], "choose one of screen, paper, dark"),
    (["--out", "out.txt"], "ends with .nc"),
    (["--out", "nowhere/out.nc"], "there is no folder"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD_VALUES, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_values(nsdgen, ball, folder, arguments, said):
    answer = nsdgen("run", ball, *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert [path.name for path in folder.iterdir()] == ["ball.py"]


BAD_FILES = {
    "decides": ("import sympy\nx = sympy.Symbol('x')\nif x > 0:\n    pass\n", "nsd.piecewise((a, v > 0), (b, True))"),
    "numpy": (
        "import numpy, sympy\nnumpy.sin(sympy.Symbol('x'))\n",
        "NumPy's functions take numbers, and symbols have none yet: write sympy.sin",
    ),
    "raises": ("import math\nmath.sqrt(-1)\n", "bad.py, line 2: the model file raises ValueError"),
    "exits": ("raise SystemExit(3)\n", "raises SystemExit"),
    "syntax": ("a = 1\nb = = 2\n", "bad.py, line 2: the model file is no valid Python"),
    "null": ("a = '\0'\n", "no valid Python"),
    "empty": ("", "define model = nsd.Model"),
    "other": ("model = 3\n", "is no nsdgen.Model"),
    "world": (
        "import nsdgen as nsd\nworld = nsd.World('pile')\n",
        "a world runs from Python: world.run(end, step=...)",
    ),
    "data": ("import nsdgen as nsd\nnsd.depends_on('cam.csv')\n", "there is no data file 'cam.csv'"),
    "nsdgen": (
        "import nsdgen as nsd\n\nmodel = nsd.Model('x', [], scheme=nsd.MoreauJean(), step=0, end=1)\n",
        "bad.py, line 3: model = nsd.Model",
    ),
}


@pytest.mark.parametrize("command", ["run", "derive"])
@pytest.mark.parametrize(("content", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_model_files(nsdgen, folder, content, said, command):
    (folder / "bad.py").write_text(content)
    answer = nsdgen(command, "bad.py")
    assert answer.code == 2
    assert said in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("target", ["nothing.py", "nothing", ".", "ball.py:arm", "out.nc", "notes.txt"])
@pytest.mark.parametrize("command", ["run", "inspect", "compile"])
def test_targets(nsdgen, ball, folder, command, target):
    (folder / "out.nc").write_bytes(b"no NetCDF")
    (folder / "notes.txt").write_text("no model")
    answer = nsdgen(command, target)
    assert answer.code == 2
    assert "To mend it" in answer.err


@pytest.mark.parametrize("name", ["rotation", "mass_at", "activation", "projection", "relation_at", "rhs_at", "newton"])
@pytest.mark.parametrize("value", ["exponential", "1", ""])
def test_options_of_the_model_file(nsdgen, ball, name, value):
    answer = nsdgen("run", ball, "--scheme", f"{name}={value}")
    assert answer.code == 2
    assert f"{name!r} cannot be chosen for a run: it changes the expressions that are derived" in answer.err
    assert f"({name}=...)" in answer.err


@pytest.mark.parametrize(
    ("command", "target", "said"),
    [
        ("inspect", "b.csv", "or a trajectory file (.nc, .npz)"),
        ("derive", "package", "derive takes a model file (.py)\n"),
        ("derive", "out.nc", "derive takes a model file (.py)\n"),
        ("run", "out.nc", "run takes a model file (.py) or the folder of a compiled package\n"),
        ("compile", "notes.txt", "compile takes a model file (.py) or the folder of a compiled package\n"),
    ],
)
def test_what_a_command_takes(nsdgen, folder, command, target, said):
    (folder / "package").mkdir()
    for name in ("b.csv", "out.nc", "notes.txt", "package/model.json"):
        (folder / name).write_text("")
    answer = nsdgen(command, target)
    assert answer.code == 2
    assert f"'{target}' is " in answer.err
    assert said in answer.err


def test_no_compiler(nsdgen, ball, folder, monkeypatch):
    monkeypatch.setenv("CC", str(folder / "no-compiler"))
    monkeypatch.setenv("NSDGEN_CACHE", str(folder / "cache"))
    answer = nsdgen("run", ball)
    assert answer.code == 0
    assert answer.err.startswith("nsdgen: kernels are interpreted, not compiled: CC is set to ")
    assert "interpreted" in nsdgen("run", ball).out
    assert nsdgen("run", ball, "--quiet").err == ""
    compiled = nsdgen("compile", ball)
    assert compiled.code == 3
    assert "no-compiler" in compiled.err
    doctor = nsdgen("doctor")
    assert doctor.code == 0
    assert "kernels     interpreted" in doctor.out


def test_usage(nsdgen):
    assert nsdgen().code == 2
    assert nsdgen("fly").code == 2
    assert nsdgen("run").code == 2
    assert nsdgen("derive", "--latex", "--json", "x.py").code == 2


def test_the_version_says_what_it_was_built_with(nsdgen):
    first, built, runs_on, machine = nsdgen("--version").out.splitlines()
    assert first == f"nsdgen {VERSION}"
    assert all(f"{tool} " in built for tool in ("Python", "Cython", "C compiler"))
    assert f"numpy {version('numpy')}" in runs_on and sys.platform in machine


@pytest.mark.parametrize("command", ["run", "derive", "compile", "inspect", "doctor"])
def test_every_command_has_help(nsdgen, command):
    answer = nsdgen(command, "--help")
    assert answer.code == 0
    assert f"usage: nsdgen {command}" in answer.out
