"""A clone that is not built, or not installed, says so and what to do, whatever is imported from it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NEITHER = ("*.so", "*.pyd", "__pycache__")
# Without site packages no installed nsdgen can help; the paths of everything else are given.
_FOLDERS = [path for path in sys.path if Path(path).name == "site-packages" or path.endswith(".zip")]


def imported(clone, statement):
    """Import something of a clone on PYTHONPATH; the last words of the interpreter."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(clone), *_FOLDERS])}
    run = subprocess.run(
        [sys.executable, "-S", "-c", statement],
        cwd=clone.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stderr


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "nsdgen", folder / "nsdgen", ignore=shutil.ignore_patterns(*_NEITHER))
    shutil.copytree(ROOT / "templates", folder / "templates", ignore=shutil.ignore_patterns(*_NEITHER))
    shutil.copy(ROOT / "setup.py", folder)
    return folder


@pytest.mark.parametrize(
    "statement",
    [
        "import nsdgen",
        "import nsdgen.solvers",
        "import nsdgen.runtime.simulation",
        "from nsdgen.emit.module import emit_module",
    ],
)
def test_a_plain_clone_says_that_it_is_not_compiled(clone, statement):
    words = imported(clone, statement)
    assert "ImportError: nsdgen is imported from a clone" in words and "more are not compiled" in words
    assert f"{clone}/bootstrap.sh" in words and f"pip install --editable {clone}" in words


def test_parts_of_another_python_are_told_apart(clone):
    for path in (clone / "nsdgen").rglob("*.pyx"):
        path.with_name(path.stem + ".cpython-399-none.so").touch()
    assert f"compiled for another Python than {sys.implementation.cache_tag}" in imported(clone, "import nsdgen")


def test_a_clone_compiled_but_not_installed_says_so(clone):
    for path in (clone / "nsdgen").rglob("*.pyx"):
        path.with_name(path.stem + ".abi3.so").touch()
    assert "not installed in this Python" in imported(clone, "import nsdgen")


def test_a_folder_without_setup_is_taken_as_installed(clone):
    (clone / "setup.py").unlink()
    assert imported(clone, "import nsdgen") == ""
