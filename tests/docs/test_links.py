"""Links inside the repository lead to files that are there, and to headings on them."""

from __future__ import annotations

import re

import pytest

from ..conftest import ROOT
from .pages import DOCS, pages, prose

_LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)")
TOP = ["README.md", "CONTRIBUTING.md", "benchmarks/README.md"]


def anchors(text: str) -> set[str]:
    """The names under which a forge offers the headings of a text."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong(page: str) -> list[str]:
    """The links of a page below docs/ that lead nowhere."""
    path = DOCS / page
    text = re.sub(r"`[^`\n]*`", "", prose(page).replace("[`", "[").replace("`]", "]"))
    found = []
    for link in _LINK.findall(text):
        name, _, heading = link.partition("#")
        goal = (path.parent / name) if name else path
        if re.match(r"\w+:", link):
            continue
        if not goal.exists() or (heading and heading not in anchors(goal.read_text(encoding="utf-8"))):
            found.append(link)
    return found


@pytest.mark.parametrize("page", [*pages(), *(f"../{name}" for name in TOP)])
def test_links(page: str) -> None:
    assert wrong(page) == []


def test_every_page_is_listed_in_the_index_of_its_folder() -> None:
    listed = {
        (path.parent / link).resolve()
        for path in DOCS.rglob("index.md")
        for link in _LINK.findall(path.read_text(encoding="utf-8"))
        if not re.match(r"\w+:", link)
    }
    assert {page for page in pages() if page != "index.md" and (DOCS / page).resolve() not in listed} == set()


def test_no_file_names_a_page_that_is_gone() -> None:
    """In code, tests and commands: ``docs/...`` is a page, a folder or a file."""
    files = [
        p
        for room in ("nsdgen", "tests", "examples", "templates", ".ci", "benchmarks")
        for p in (ROOT / room).rglob("*")
    ]
    files += [ROOT / "Makefile", *(ROOT / name for name in TOP), ROOT / "pyproject.toml"]
    texts = (
        p for p in files if p.suffix in {".py", ".pyx", ".pxi", ".pxd", ".j2", ".md", ".toml", ".h", ""} and p.is_file()
    )
    gone = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in texts
        for name in re.findall(r"(?<![\w/])docs/(?!test_)[\w./-]*\w", path.read_text(encoding="utf-8", errors="ignore"))
        if not (ROOT / name).exists()
    }
    assert gone == set()
