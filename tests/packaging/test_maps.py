"""Every file that a map names is there: the docstrings of packages, and the pages that describe the code."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from ..conftest import BUILDING_BESIDE, COMPILED, INTERPRETED, LONGEST
from .rooms import ROOT, sources

CLONE = ROOT.parent
_FILE = re.compile(r"(?<![\w./])([\w/]*\w\.(?:pyx|pxi|pxd|py|h|c)(?:\.j2)?)\b(?!\()")
FOREIGN = {"math.h", "Python.h"}
"""Headers of the system that pages speak of."""


def named(text: str) -> set[str]:
    """The files that a text names."""
    return set(_FILE.findall(text)) - FOREIGN


def is_there(name: str, *folders: Path) -> bool:
    """Whether a file of this name, or one whose path ends like this, lies below one of the folders."""
    paths = (path.as_posix() for folder in folders for path in folder.rglob(Path(name).name))
    return any(f"/{path}".endswith(f"/{name}") for path in paths)


def test_a_file_that_is_gone_is_found():
    assert named("``a.py`` and `b/c.pyx`, <math.h>") == {"a.py", "b/c.pyx"} and not is_there("gone.py", ROOT)


@pytest.mark.parametrize(
    "package", [p for p in sources() if p.name == "__init__.py"], ids=lambda p: str(p.parent.relative_to(ROOT))
)
def test_packages_say_what_they_hold_and_name_files_that_are_there(package):
    doc = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8")))
    assert doc
    missing = {name for name in named(doc) if not is_there(name, CLONE / "nsdgen" if "/" in name else package.parent)}
    assert not missing


def test_the_architecture_names_files_that_are_there():
    text = (CLONE / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    folders = [CLONE / folder for folder in ("nsdgen", "templates", "tests", "benchmarks", "examples", "generated")]
    assert not {name for name in named(text) if not is_there(name, *folders)}


def words_of_code(page: str) -> list[str]:
    """What stands in code spans and blocks of a page at the top, word by word."""
    text = (CLONE / page).read_text(encoding="utf-8")
    spans = re.findall(r"```\n(.*?)```|`([^`\n]+)`", text, re.S)
    return " ".join(block or span for block, span in spans).split()


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_paths_on_a_page_at_the_top_are_there(page):
    paths = {word.rstrip(",") for word in words_of_code(page) if re.fullmatch(r"[\w.]+/[\w./]*,?", word)}
    assert {
        path for path in paths if not path.startswith((".venv", "demo/", "build/")) and not (CLONE / path).exists()
    } == set()


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "README.md"])
def test_commands_of_make_on_a_page_at_the_top_are_there(page):
    words = words_of_code(page)
    wanted = {after for word, after in pairwise(words) if word == "make"}
    assert wanted <= set(re.findall(r"^(\w[\w-]*):", (CLONE / "Makefile").read_text(encoding="utf-8"), re.M))


def test_lists_of_tests_name_files_that_are_there():
    names = {*BUILDING_BESIDE, *COMPILED, *INTERPRETED, *LONGEST}
    assert {name for name in names if not (CLONE / "tests" / name).exists()} == set()
