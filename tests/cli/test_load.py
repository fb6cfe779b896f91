"""Executing a model file: what is found out about it, and that nothing of it stays."""

import subprocess
import sys
from pathlib import Path

import pytest

import nsdgen as nsd
from nsdgen.cli.load import _installed, load_model
from nsdgen.errors import ModelError

BODY = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
import nsdgen as nsd

z = dynamicsymbols("z")
def make(name, mass):
    mass_of = nsd.LagrangianSystem("ball", coordinates=[z], kinetic=mass*z.diff()**2/2)
    return nsd.Model(name, [mass_of], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={z: 1})
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A model file with two local modules, one in a package, and a data file."""
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "__init__.py").write_text("")
    (tmp_path / "shapes" / "round.py").write_text("MASS = 2\n")
    (tmp_path / "parts.py").write_text("from shapes.round import MASS\n")
    (tmp_path / "cam.csv").write_text("1, 2\n")
    (tmp_path / "arm.py").write_text(
        f"{BODY}\nfrom parts import MASS\nTABLE = nsd.depends_on('cam.csv')\n"
        "model = make('arm', MASS)\nheavy = make('heavy arm', 10*MASS)\n"
        "if __name__ == '__main__':\n    raise RuntimeError('run as a script')\n"
    )
    return tmp_path


def test_model_and_dependencies(tree):
    model, found = load_model(tree / "arm.py")
    assert model.name == "arm"
    assert [path.name for path in found.modules] == ["parts.py", "__init__.py", "round.py"]
    assert found.data == (tree / "cam.csv",)


def test_a_named_model(tree):
    assert load_model(tree / "arm.py", "heavy")[0].name == "heavy arm"
    with pytest.raises(ModelError, match=r"arm\.py:model"):
        load_model(tree / "arm.py", "light")


def test_nothing_stays(tree):
    import nsdgen.model.model  # noqa: F401  # the first model loads modules of nsdgen and SymPy, which do stay

    load_model(tree / "arm.py")
    path, modules = list(sys.path), set(sys.modules)
    load_model(tree / "arm.py")
    assert sys.path == path
    assert set(sys.modules) == modules
    assert "parts" not in sys.modules
    assert "shapes.round" not in sys.modules


def test_nothing_stays_of_a_file_that_raises(tree):
    (tree / "arm.py").write_text("import parts\nraise ValueError('no')\n")
    path = list(sys.path)
    with pytest.raises(ModelError, match="no") as caught:
        load_model(tree / "arm.py")
    assert "line 2" in caught.value.where
    assert isinstance(caught.value.__cause__, ValueError)
    assert sys.path == path
    assert "parts" not in sys.modules


def test_two_folders_may_have_modules_of_one_name(tree, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "parts.py").write_text("MASS = 7\n")
    (other / "arm.py").write_text(f"{BODY}\nfrom parts import MASS\nmodel = make(f'arm {{MASS}}', MASS)\n")
    load_model(tree / "arm.py")
    assert load_model(other / "arm.py")[0].name == "arm 7"


def test_an_error_in_a_local_module_names_both_lines(tree):
    (tree / "shapes" / "round.py").write_text("\nMASS = 1 / 0\n")
    with pytest.raises(ModelError, match="ZeroDivisionError") as caught:
        load_model(tree / "arm.py")
    notes = "\n".join(caught.value.__notes__)
    assert "parts.py, line 1: from shapes.round import MASS" in notes
    assert "round.py, line 2: MASS = 1 / 0" in notes


def test_depends_on_outside_a_model_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "script.py"), raising=False)
    (tmp_path / "data.csv").write_text("")
    assert nsd.depends_on("data.csv") == tmp_path / "data.csv"
    with pytest.raises(ModelError, match="no data file"):
        nsd.depends_on("nothing.csv")


def test_packages_of_another_python_are_no_part_of_a_model(tree, monkeypatch):
    """A .pth file may name the packages of another environment: they are not imported twice, and no dependency."""
    other = tree.parent / f"{tree.name}-other" / "site-packages"
    other.mkdir(parents=True)
    (other / "far_package.py").write_text("LENGTH = 3\n")
    (tree / "reach.py").write_text(f"{BODY}\nimport far_package\nmodel = make('reach', far_package.LENGTH)\n")
    monkeypatch.syspath_prepend(str(other))
    _installed.cache_clear()
    try:
        _, found = load_model(tree / "reach.py")
        assert found.modules == ()
        assert "far_package" in sys.modules
    finally:
        sys.modules.pop("far_package", None)
        _installed.cache_clear()


def test_packages_that_are_links_are_no_part_of_a_model(tree, monkeypatch):
    """Installers may link packages into site-packages instead of copying them: these are installed all the same."""
    store, site = (tree.parent / f"{tree.name}-{name}" for name in ("store", "site/site-packages"))
    (store / "linked_package").mkdir(parents=True)
    (store / "linked_package" / "__init__.py").write_text("LENGTH = 3\n")
    site.mkdir(parents=True)
    (site / "linked_package").symlink_to(store / "linked_package", target_is_directory=True)
    (tree / "reach.py").write_text(f"{BODY}\nimport linked_package\nmodel = make('reach', linked_package.LENGTH)\n")
    monkeypatch.syspath_prepend(str(site))
    _installed.cache_clear()
    try:
        _, found = load_model(tree / "reach.py")
        assert found.modules == ()
        assert "linked_package" in sys.modules
    finally:
        sys.modules.pop("linked_package", None)
        _installed.cache_clear()


@pytest.mark.parametrize(
    "line",
    [
        "import os; os.chdir('/')",
        *(
            pytest.param(deed, marks=pytest.mark.slow)
            for deed in (
                "import builtins; del builtins.open; builtins.len = None",
                "import sys; sys.stdout.close()",
                "import sys; sys.stdout = sys.stderr = None",
                "import sys; sys.setrecursionlimit(80)",
            )
        ),
    ],
)
def test_what_a_model_file_does_to_the_process_is_undone(ball, folder, line):
    """A relative --out was saved in another folder; a closed stream and a low limit ended in tracebacks."""
    ball.write_text(ball.read_text() + f"\n{line}\n")
    done = subprocess.run(
        [sys.executable, "-m", "nsdgen", "run", ball.name, "--end", "0.1", "--out", "here.npz"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and (folder / "here.npz").exists()


def test_an_exception_that_is_none_of_the_usual_is_the_files_fault(nsdgen, ball):
    ball.write_text(ball.read_text() + "\nraise GeneratorExit\n")
    answer = nsdgen("run", ball)
    assert answer.code == 2 and "the model file raises GeneratorExit" in answer.err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("1 if z > 0 else 0", "nsd.piecewise"),
        ("z > 0 and z < 1", "sympy.And"),
        ("0 < z < 1", "sympy.And"),
        ("not z > 0", "nsd.piecewise"),
        ("max(z, 0)", "sympy.Max"),
        ("np.sign(z)", "sympy.sign"),
        ("np.where(z > 0, 1, 0)", "nsd.piecewise"),
        ("np.clip(z, -1, 1)", "sympy.Max"),
        ("np.maximum(z, 0)", "sympy.Max"),
        ("np.sqrt(z)", "sympy.sqrt"),
        ("math.sin(z)", "sympy.sin"),
        ("round(z)", "sympy.floor"),
    ],
)
def test_numbers_asked_of_symbols(tmp_path, line, told):
    """Python, NumPy and SymPy complain, each in its words; what is told is how to write it."""
    file = tmp_path / "asked.py"
    file.write_text(f"import math\nimport numpy as np\n{BODY}\nmodel = {line}\n")
    with pytest.raises(ModelError, match="the model file raises TypeError") as caught:
        load_model(str(file))
    assert told in caught.value.fix and "asked.py, line 13" in str(caught.value)
