"""The wheel holds all there is to run: installed into an empty folder, away from the repository."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of the sources by the package's own build.

    What Cython and the compiler made of these sources stands beside them: the build looks whether it is older. That the
    sources compile is shown by the environment in which this test runs.
    """
    source = tmp_path_factory.mktemp("source")
    for name in ("nsdgen", "templates"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.c"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    if (ROOT / "build" / "cython").is_dir():
        shutil.copytree(ROOT / "build" / "cython", source / "build" / "cython")
    parts = source / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for part in (ROOT / "nsdgen").rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
        target = parts / part.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(part, target)
    out = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An empty folder with nothing but the installed wheel, and the environment to run from it."""
    target = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--target",
            str(target),
            str(wheel),
        ],
        check=True,
        capture_output=True,
    )
    return target, {**os.environ, "PYTHONPATH": str(target)}


def test_the_wheel_lists_what_it_must(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "nsdgen/templates/module.pyx.j2",
        "nsdgen/abi/include/nsdgen_abi.h",
        "nsdgen/abi/include/nsdgen_math.h",
        "nsdgen/py.typed",
        "nsdgen/solvers/rows/_row_methods.pxd",
    ):
        assert part in names
    assert any(n.startswith("nsdgen/runtime/_runs") and n.endswith(".so") for n in names)
    assert not [n for n in names if n.startswith(("tests/", "examples/", "benchmarks/", "generated/"))]


def test_a_model_runs_from_the_installed_wheel(installed, tmp_path):
    target, environment = installed
    shutil.copy(ROOT / "examples" / "bouncing_ball.py", tmp_path)
    code = (
        "import sys, nsdgen; assert nsdgen.__file__.startswith(sys.argv[1]), nsdgen.__file__; "
        "from nsdgen.cli.main import main; sys.exit(main(['run', 'bouncing_ball.py', '--out', 'ball.nc']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ball.nc").stat().st_size > 2000 * 5 * 8


def test_a_committed_package_runs_against_the_installed_wheel(installed, tmp_path):
    _, environment = installed
    shutil.copytree(
        ROOT / "generated" / "cam_follower",
        tmp_path / "cam_follower",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    code = "import sys, cam_follower; print(len(cam_follower.run(end=0.1)));assert 'sympy' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1001"]
