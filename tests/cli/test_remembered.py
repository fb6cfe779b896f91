"""The manifest: an unchanged model file is neither executed nor derived again."""

import subprocess
import sys

import numpy as np
import pytest

import nsdgen as nsd
from nsdgen.cli.target import open_target, parse_target

DRIVER = """
import sys
from nsdgen.cli.main import main
code = main(sys.argv[1:])
print("loaded", *sorted({name.partition(".")[0] for name in sys.modules} & {"sympy", "numpy", "Cython", "jinja2"}))
sys.exit(code)
"""


def elsewhere(*arguments, cwd):
    """The command line in a fresh Python: output, then the heavy packages it loaded."""
    run = subprocess.run(
        [sys.executable, "-c", DRIVER, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def project(ball, folder, settle):
    """The ball, with a module and a data file that it needs, remembered."""
    ball.write_text("import nsdgen as nsd\nimport parts\nnsd.depends_on('heights.csv')\n" + ball.read_text())
    (folder / "parts.py").write_text("HEIGHT = 1.0\n")
    (folder / "heights.csv").write_text("1.0\n")
    settle(ball, folder / "parts.py", folder / "heights.csv")
    assert origin(ball) == "derived"
    assert origin(ball) == "remembered"
    return folder


def origin(path, **options):
    return open_target(parse_target(str(path)), **options).origin


def test_help_loads_nothing():
    output = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from nsdgen.cli.main import main; main(['--help'])"],
        capture_output=True,
        text=True,
    )
    assert output.returncode == 0
    for package in ("numpy", "sympy", "scipy", "jinja2", "Cython", "matplotlib"):
        assert f" {package}\n" not in output.stderr


def test_a_second_run_loads_no_sympy_and_gives_the_same(ball, folder):
    first = elsewhere("run", ball, "--end", "1", "--out", "first.csv", cwd=folder)
    second = elsewhere("run", ball, "--end", "1", "--out", "second.csv", cwd=folder)
    assert "sympy" in first.splitlines()[-1]
    assert second.splitlines()[-1] == "loaded numpy"
    assert (folder / "first.csv").read_bytes() == (folder / "second.csv").read_bytes()


def test_an_unchanged_file_is_not_executed(ball, folder, settle):
    ball.write_text(ball.read_text() + "\nopen('executed', 'a').write('once ')\n")
    settle(ball)
    for _ in range(3):
        origin(ball)
    assert (folder / "executed").read_text() == "once "
    assert origin(ball, rederive=True) == "derived"
    assert (folder / "executed").read_text() == "once once "


@pytest.mark.parametrize("name", ["ball.py", "parts.py", "heights.csv"])
def test_a_changed_file_counts(project, name, settle):
    path = project / name
    kept = path.read_text()
    path.write_text(kept + "\n# another line\n")
    settle(path)
    assert origin(project / "ball.py") == "derived"
    assert origin(project / "ball.py") == "remembered"


def test_options_count(project):
    assert origin(project / "ball.py", rederive=True) == "derived"
    assert origin(f"{project / 'ball.py'}:model") == "remembered"


def test_where_modules_are_found_counts(project, settle, monkeypatch, tmp_path_factory):
    """With another PYTHONPATH the module may be another one: the model of the first was run."""
    other = tmp_path_factory.mktemp("other")
    (other / "parts.py").write_text("HEIGHT = 2.0\n")
    settle(other / "parts.py")
    monkeypatch.syspath_prepend(str(other))
    assert origin(project / "ball.py") == "derived"
    assert origin(project / "ball.py") == "remembered"


def test_kernels_for_one_processor_are_none_for_another(project, monkeypatch):
    """Of machines that share a cache."""
    assert origin(project / "ball.py", native=True) == "derived"
    assert origin(project / "ball.py", native=True) == "remembered"
    for module in ("flags", "compile"):
        monkeypatch.setattr(f"nsdgen.build.{module}.cpu_identity", lambda: "another one")
    assert origin(project / "ball.py", native=True) == "derived"
    assert origin(project / "ball.py") == "remembered"


def test_a_lost_module_is_built_again(project, monkeypatch):
    opened = open_target(parse_target(str(project / "ball.py")))
    monkeypatch.setenv("NSDGEN_CACHE", str(project / "empty"))
    assert origin(project / "ball.py") == "derived"
    assert opened.shared_object.exists()


def test_a_module_being_edited_is_not_remembered(project):
    (project / "parts.py").write_text("HEIGHT = 2.0\n")
    assert origin(project / "ball.py") == "derived"
    assert origin(project / "ball.py") == "derived"


def test_a_new_model_runs_while_it_is_compiled(nsdgen, ball, folder, monkeypatch, compiled):
    monkeypatch.setenv("NSDGEN_CACHE", str(folder / "cache"))
    answer = nsdgen("run", ball, "--end", "1", "--out", "run.npz")
    assert answer.code == 0, answer.err
    assert "derived and " in answer.out
    assert list((folder / "cache").glob("v1/*/_kernels*.so"))  # the command has waited for it
    found = nsd.Trajectory.load("run.npz")
    assert np.array_equal(found.table, compiled("bouncing_ball").run(end=1.0).table)
    again = nsdgen("run", ball, "--end", "1")
    assert "unchanged since it was derived)" in again.out
