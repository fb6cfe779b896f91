"""A reader who knows another program finds the page that answers among the first results of one search."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from .pages import DOCS, pages, text


def _search() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_search", DOCS / "site" / "search.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


search = _search()
ASKED = search.questions(text("questions.md"))
INDEX = search.written({p.removesuffix(".md"): text(p) for p in pages() if p != "questions.md"})


def test_there_are_thirty() -> None:
    assert len(ASKED) == 30 and len({question for question, _, _ in ASKED}) == 30


@pytest.mark.parametrize(("question", "words", "page"), ASKED, ids=[words for _, words, _ in ASKED])
def test_one_search_finds_the_page(question: str, words: str, page: str) -> None:
    found = search.found(words, INDEX)
    assert page in found[: search.FIRST], f"{question}: {found[:8]}"


def test_a_page_that_lacks_a_word_is_not_found() -> None:
    index = search.written({"a": "# One\nred green", "b": "# Red\ngreen"})
    assert search.found("red green", index) == ["b", "a"] and search.found("red blue", index) == []
