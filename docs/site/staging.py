"""A written page as Sphinx is to read it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from examples import EXAMPLES, ROOT

__all__ = ["DOCS", "ROOT", "contents", "staged"]

DOCS = Path(__file__).resolve().parents[1]
_PAGE = re.compile(r"\]\((?!\w+:)([^)#\s]+\.md)(?:#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_FILE = re.compile(r"\[([^\]\[]*)\]\(((?:\.\./)+)([^)#\s]+)\)")


def contents(links: list[str]) -> str:
    """A table of contents that is shown at the side only."""
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(dict.fromkeys(links)) + "\n```\n"


def _link(found: re.Match[str], folder: Path) -> str:
    """A link to a file outside docs/: an example has a page in the gallery, others have none and stay as text."""
    words, ups, name = found.groups()
    goal = (folder / ups / name).resolve()
    if goal.is_relative_to(DOCS):
        return found[0]
    if goal in EXAMPLES:
        return f"[{words}]({os.path.relpath(DOCS / 'gallery' / f'{goal.stem}.md', folder)})"
    return words


def staged(page: Path, added: str) -> str:
    """The text of a page with what is made from the code; the links of an index are its table of contents."""
    parts = _FENCE.split(page.read_text(encoding="utf-8"))
    text = "".join(p if p.startswith("```") else _FILE.sub(lambda m: _link(m, page.parent), p) for p in parts) + added
    if page.name != "index.md":
        return text
    links = _PAGE.findall(text)
    if page.parent == DOCS:
        text, links = (
            text.replace("the gallery, which", "[the gallery](gallery/index.md), which"),
            [*links, "gallery/index.md"],
        )
    return text + contents(links)
