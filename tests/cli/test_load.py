"""Executing a model file: what is found out about it, and that nothing of it stays."""

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
        "if __name__ == '__main__':\n    raise RuntimeError('run as a script')\n")
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
    import nsdgen.model  # noqa: F401  # the first model loads modules of nsdgen and SymPy, which do stay

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


def test_packages_that_an_installer_linked_are_no_part_of_a_model(tree, monkeypatch):
    """A link in site-packages leads to the store of an installer: what lies there stays imported as well."""
    other, store = tree.parent / f"{tree.name}-linked" / "site-packages", tree.parent / f"{tree.name}-store"
    other.mkdir(parents=True)
    store.mkdir()
    (store / "near_package.py").write_text("LENGTH = 3\n")
    (other / "near_package.py").symlink_to(store / "near_package.py")
    (tree / "reach.py").write_text(f"{BODY}\nimport near_package\nmodel = make('reach', near_package.LENGTH)\n")
    monkeypatch.syspath_prepend(str(other))
    _installed.cache_clear()
    try:
        _, found = load_model(tree / "reach.py")
        assert found.modules == ()
        assert "near_package" in sys.modules
    finally:
        sys.modules.pop("near_package", None)
        _installed.cache_clear()


@pytest.mark.parametrize("raised", ["BaseException('odd')", "SystemExit(3)", "GeneratorExit",
                                    "type('Odd', (BaseException,), {})"])
def test_whatever_a_file_raises_is_named(tree, raised):
    (tree / "arm.py").write_text(f"import parts\nraise {raised}\n")
    with pytest.raises(ModelError, match="the model file raises") as caught:
        load_model(tree / "arm.py")
    assert "line 2" in caught.value.where


def test_a_file_that_python_cannot_parse_is_named(tree):
    (tree / "arm.py").write_text("x = " + "(" * 5000 + ")" * 5000)
    with pytest.raises(ModelError, match=r"model file (is no valid Python|cannot be parsed)"):
        load_model(tree / "arm.py")
    (tree / "arm.py").write_text("x = " + "-" * 200_000 + "1")
    with pytest.raises(ModelError, match=r"model file (is no valid Python|cannot be parsed)"):
        load_model(tree / "arm.py")
