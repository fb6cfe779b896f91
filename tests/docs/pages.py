"""The pages of docs/, and the Python blocks on them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
_FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?:python|\{code-cell\}[^\n]*)\n((?::[^\n]*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)
_GOES_ON = re.compile(r"^Goes on from \[[^\]]*\]\(([^)]*)\)", re.MULTILINE)


def pages() -> list[str]:
    """The pages that are written, by their paths below docs/."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def prose(page: str) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", text(page))


def blocks(path: Path) -> list[tuple[int, str]]:
    """The Python blocks of a file, each with the number of the line before it."""
    lines = path.read_text(encoding="utf-8")
    return [(lines.count("\n", 0, found.start(2)), found[2]) for found in _BLOCK.finditer(lines)]


def before(page: str) -> str | None:
    """The page that this one goes on from, in a sentence of its own."""
    found = _GOES_ON.search(text(page))
    return found and ((DOCS / page).parent / found[1]).resolve().relative_to(DOCS).as_posix()


def run(path: Path, session: dict[str, Any]) -> dict[str, Any]:
    """Run the blocks of a file in their order, so that a traceback shows the lines of the file."""
    for line, code in blocks(path):
        exec(compile("\n" * line + code, str(path), "exec", dont_inherit=True), session)
    return session


@cache
def _session(page: str) -> dict[str, Any]:
    return session(page)


def session(page: str) -> dict[str, Any]:
    """What stands in a session after the blocks of a page; a page that another one goes on from runs once."""
    start = before(page)
    return run(DOCS / page, dict(_session(start)) if start else {"__name__": Path(page).stem})
