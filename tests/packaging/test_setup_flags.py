"""The compiled parts are compiled by gcc and by clang, which takes a flag it does not know for an error."""

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KNOWN_TO_ALL = {"-Og", "-O1", "-O2", "-O3", "-g0", "-w", "-ffp-contract=off", "-fno-math-errno"}


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    """The names of setup.py."""
    patch = pytest.MonkeyPatch()
    patch.chdir(ROOT)
    yield runpy.run_path(str(ROOT / "setup.py"), run_name="flags")
    patch.undo()


def test_flags_for_every_compiler_are_known_to_all(setup):
    assert {flag for part in setup["parts"]() for flag in part.extra_compile_args} <= KNOWN_TO_ALL


def test_other_flags_are_asked_for_only_where_they_are_known(setup):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert setup["knows"]([compiler], ["-O2"])
    assert not setup["knows"]([compiler], ["-fno-such-flag"])
    for flags in setup["OPTIONAL"].values():
        said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
        assert setup["knows"]([compiler], flags) == ("clang" not in said)
