"""Kills at random moments of runs that save, of builds, of packages: what is there is whole, what follows works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and processes of POSIX")

HERE = Path(__file__).parent
MODEL = HERE.parents[1] / "examples" / "bouncing_ball.py"
FEW, MANY = 1, 300


def tried(folder: Path, first: int, end: int) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "kill_worker.py"), str(MODEL), str(folder), str(first), str(end)],
        capture_output=True,
        text=True,
        env={**os.environ, "NSDGEN_CACHE": str(folder / "cache")},
    )
    assert done.returncode == 0, f"{done.stdout[-60:]}\n{done.stderr[-4000:]}"


def test_a_few_kills(tmp_path: Path) -> None:
    tried(tmp_path, 0, FEW)


@pytest.mark.slow
def test_many_kills(tmp_path: Path) -> None:
    tried(tmp_path, FEW, FEW + MANY)
