"""The command line called in this process, and a model file of one's own to call it with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from nsdgen.cli.main import main

BALL = Path(__file__).resolve().parents[2] / "examples" / "bouncing_ball.py"


@dataclass(frozen=True)
class Answer:
    """What a command gave: exit code and both streams."""

    code: int
    out: str
    err: str


@pytest.fixture
def nsdgen(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """``nsdgen("run", file)``: the command line in this process."""

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ball(folder: Path) -> Path:
    """The bouncing ball in the working folder; its kernels are in the cache of the session."""
    path = folder / "ball.py"
    shutil.copy(BALL, path)
    settle(path)
    return path


def settle(*paths: Path) -> None:
    """Make files a minute old: what is being edited right now is not remembered."""
    for path in paths:
        stat = path.stat()
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - 60 * 10**9))


@pytest.fixture(name="settle")
def _settle() -> Callable[..., None]:
    return settle
