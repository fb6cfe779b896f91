"""The commands on the pages that teach: every one works as it is printed, for a few steps."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from nsdgen.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "examples").glob("*.py"))]


def commands(page: Path) -> list[str]:
    """What a page tells the reader to type, besides ``nsdgen verify`` and ``nsdgen doctor``, which have tests."""
    lines = re.findall(r"^(?: {4}|)(nsdgen (?:run|derive|compile|inspect) .*)$", page.read_text(encoding="utf-8"), re.M)
    return [line.partition("  #")[0].partition(" # ")[0].strip() for line in lines]


SELDOM = {
    "bicycle",
    "chopper",
    "colpitts_oscillator",
    "disc_pile",
    "driven_crank",
    "dzhanibekov",
    "four_bar",
    "gene_network",
    "heavy_top",
    "loudspeaker",
    "newtons_cradle",
    "passive_walker",
    "rectifiers",
    "relief_valve",
    "slack_rope",
    "sliding_mode",
    "thrown_brick",
    "tippe_top",
    "tumbling_brick",
    "twisting",
}
"""Examples whose commands differ from those of others by names alone, or take long to derive."""
TYPED = [
    pytest.param(command, id=f"{page.stem}: {command}", marks=pytest.mark.slow if page.stem in SELDOM else ())
    for page in PAGES
    for command in commands(page)
]


def test_there_are_commands():
    assert len(TYPED) >= 10


@pytest.mark.parametrize("command", TYPED)
def test_a_printed_command_works(command, tmp_path, monkeypatch, capsys):
    if "--plot" in command:
        pytest.importorskip("matplotlib")
    _, *words = shlex.split(command)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    few = ["--end", "0.01"] if words[0] == "run" else []
    assert main([*words, *few]) == 0, capsys.readouterr().err
    assert capsys.readouterr().out
