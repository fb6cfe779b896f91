"""The runtime and the solvers under the address and undefined-behaviour sanitizers of the compiler.

A copy of the tree is built with them, and default tests run there, in two processes: whatever they find ends the run.
``make sanitize``, or the slow suite. Schemes are Python that compiled code runs: of theirs only those of events are
among them, where the stepper goes back and forth.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import ROOT

FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
COPIED = (
    "nsdgen",
    "templates",
    "tools",
    "tests",
    "examples",
    "generated",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "LICENSE",
    "MANIFEST.in",
)

TESTED = ("tests/solvers", "tests/runtime", "tests/world", "tests/schemes/test_event*.py")

# It measures what the process holds: the sanitizer keeps what is freed in quarantine, up to 256 MB.
OF_MEMORY = "tests/runtime/test_graph.py::test_nothing_is_left_behind_by_a_hundred_runs"


def library(name: str) -> str:
    """The path of a library of gcc, "" where it has none."""
    compiler = shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        return ""
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    return found if os.path.isabs(found) else ""


@pytest.mark.slow
def test_runtime_and_solvers_under_sanitizers(tmp_path: Path) -> None:
    libraries = [library("libasan.so"), library("libubsan.so")]
    if not all(libraries):
        pytest.skip("gcc's sanitizers are not on this machine")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path)
    environment = {**os.environ, "CC": "gcc", "CFLAGS": FLAGS, "NSDGEN_CACHE": str(tmp_path / "cache")}
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
    )
    environment |= {
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(tmp_path),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    }
    environment.pop("CFLAGS")
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, '.'); import nsdgen, pytest; print(nsdgen.__file__); "
            "sys.exit(pytest.main(sys.argv[1:]))",
            "-q",
            "-n",
            "2",
            "-m",
            "not slow",
            "-p",
            "no:cacheprovider",
            *sorted(str(found.relative_to(ROOT)) for pattern in TESTED for found in ROOT.glob(pattern)),
            f"--deselect={OF_MEMORY}",
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert str(tmp_path) in run.stdout.splitlines()[0], "another nsdgen was tested"
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
