"""Mutated model files: each of them runs or is refused by name, in time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
NAMES = ("bouncing_ball", "cam_follower", "diode_bridge", "tumbling_brick")
SMALL, LARGE = 4, 250


def tried(name, folder, first, end):
    done = subprocess.run(
        [
            sys.executable,
            str(HERE / "model_worker.py"),
            str(EXAMPLES / f"{name}.py"),
            str(folder),
            str(first),
            str(end),
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "NSDGEN_CACHE": str(folder / "cache")},
    )
    assert done.returncode == 0, f"{done.stdout[-60:]}\n{done.stderr[-6000:]}"


def test_mutated_models(tmp_path):
    tried(NAMES[0], tmp_path, 0, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_many_mutated_models(name, tmp_path):
    tried(name, tmp_path, 0, LARGE)
