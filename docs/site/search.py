"""What a search finds: the scoring of Sphinx's own search, of the built index or of written pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["FIRST", "Index", "built", "found", "questions", "written"]

FIRST = 5
"""Among how many results the page that answers must be."""
_TITLE, _PART_OF_TITLE, _TERM, _PART = 15, 7, 5, 2
_ROW = re.compile(r"^\| [^|]* \| ([^|]*) \| ([^|]*) \| \[[^\]]*\]\(([^)]*)\.md\) \|$", re.M)

Index = tuple[dict[str, str], Mapping[str, set[str]], Mapping[str, set[str]]]
"""Titles of pages, pages by the words of their texts, and by the words of their titles."""


def questions(page: str) -> list[tuple[str, str, str]]:
    """The questions of the written page: what is asked, the words to search for, the page that answers."""
    return [(question.strip(), words.strip(), goal) for question, words, goal in _ROW.findall(page)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def written(texts: Mapping[str, str]) -> Index:
    """The index of texts by their names."""
    titles = {name: text.partition("\n")[0].lstrip("# ") for name, text in texts.items()}
    terms: dict[str, set[str]] = {}
    heads: dict[str, set[str]] = {}
    for name, text in texts.items():
        for word in _words(text):
            terms.setdefault(word, set()).add(name)
        for line in re.findall(r"^#+ (.*)$", text, re.M):
            for word in _words(line):
                heads.setdefault(word, set()).add(name)
    return titles, terms, heads


def built(folder: Path) -> Index:
    """The index that Sphinx wrote."""
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    data = json.loads(text[text.index("{") : text.rindex("}") + 1])
    names = data["docnames"]

    def pages(table: Mapping[str, list[int] | int]) -> dict[str, set[str]]:
        return {word: {names[i] for i in (at if isinstance(at, list) else [at])} for word, at in table.items()}

    return dict(zip(names, data["titles"], strict=True)), pages(data["terms"]), pages(data["titleterms"])


def _scores(word: str, index: Index) -> dict[str, int]:
    """The pages that a word finds: by itself, or else as a part of longer words."""
    _, terms, heads = index
    found: dict[str, int] = {}
    known = word in terms or word in heads
    for table, whole, part in ((terms, _TERM, _PART), (heads, _TITLE, _PART_OF_TITLE)):
        for term, pages in table.items():
            points = whole if term == word else part if word in term and not known else 0
            for page in pages if points else ():
                found[page] = max(points, found.get(page, 0))
    return found


def found(query: str, index: Index, stem: Callable[[str], str] = str) -> list[str]:
    """The pages with all words of a query: the best first, by the best of their words, then by title.

    ``stem`` gives a word as the index has it; empty for words that it leaves out.
    """
    scores = [_scores(word, index) for word in map(stem, _words(query)) if word]
    pages = set.intersection(*map(set, scores)) if scores else set()
    return sorted(pages, key=lambda page: (-max(s[page] for s in scores), index[0][page]))
