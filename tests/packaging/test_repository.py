"""What stands in the repository: files of known kinds and sizes, none with paths of the machine it was made on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Kinds of files, and how large one may be, in bytes. Text is read, pictures and tables of numbers are not.
TEXT = {
    ".py": 50_000,
    ".pyx": 60_000,
    ".pxi": 60_000,
    ".pxd": 20_000,
    ".h": 60_000,
    ".c": 30_000,
    ".j2": 30_000,
    ".md": 130_000,
    ".ipynb": 10_000,
    ".yml": 3_000,
    ".yaml": 3_000,
    ".cff": 2_000,
    ".toml": 20_000,
    ".sh": 10_000,
    ".urdf": 20_000,
    ".xml": 20_000,
    ".in": 1_000,
    ".verdicts": 60_000,
    ".typed": 0,
    ".js": 40_000,
    ".css": 10_000,
    ".html": 10_000,
}
DATA = {".npz": 150_000, ".png": 200_000}
NAMES = {".ci/run", ".gitignore", ".git-blame-ignore-revs", "LICENSE", "Makefile"}
# Written by nsdgen: packages for all to read.
EMITTED = {
    ".pyx": 200_000,
    ".pxi": 60_000,
    ".pxd": 20_000,
    ".py": 10_000,
    ".h": 60_000,
    ".md": 10_000,
    ".json": 100_000,
    "": 100,
}
# Written by others, with their licence.
OTHERS = {"nsdgen/study/animation/three.module.min.js": 700_000, "nsdgen/study/animation/three.LICENSE": 2_000}
COMMANDS = {".ci/run", "bootstrap.sh"}
MACHINE = re.compile(rb"(?<![\w.~*])/(?:home|root|work|Users|private/tmp)/[\w.]")


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("no clone")
    return done.stdout.split("\0")[:-1]


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The files of the commit in the making that are there."""
    return [name for name in git("ls-files", "-z") if (ROOT / name).is_file()]


def allowed(name: str) -> int:
    """How large a file may be; -1 where its kind is not known."""
    path = Path(name)
    if name.startswith("generated/"):
        return EMITTED.get(path.suffix, -1)
    if name in OTHERS:
        return OTHERS[name]
    if name in NAMES:
        return 10_000
    return {**TEXT, **DATA}.get(path.suffix, -1)


def test_every_file_is_of_a_known_kind_and_size(tracked):
    sizes = {name: (ROOT / name).stat().st_size for name in tracked}
    assert not {name: size for name, size in sizes.items() if size > allowed(name)}


def test_no_file_names_a_path_of_a_machine(tracked):
    texts = ((name, (ROOT / name).read_bytes()) for name in tracked if Path(name).suffix not in DATA)
    assert not [(name, found.group()) for name, text in texts if (found := MACHINE.search(text))]


def test_what_is_a_command_may_be_run(tracked):
    modes = [line.split("\t") for line in git("ls-files", "--stage", "-z")]
    assert {name for mode, name in modes if mode.startswith("100755")} == COMMANDS
    assert not [name for mode, name in modes if mode.startswith("12")]  # links


@pytest.mark.parametrize(
    ("name", "size"),
    [("box", 10), ("nsdgen/trace.prof", 10), ("notes.txt", 10), ("nsdgen/a.py", 10**6), ("figures/film.png", 10**7)],
)
def test_others_are_refused(name, size):
    assert size > allowed(name)


@pytest.mark.parametrize("folder", [b"home/somebody", b"root/x", b"work/x", b"Users/me"])
def test_paths_of_machines_are_seen(folder):
    assert MACHINE.search(b'File "/' + folder + b'/x.py"')
