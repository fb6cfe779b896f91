"""Figures in pages are those that ``docs/figures/page_figures.py`` measures."""

from __future__ import annotations

import re
import sys

import pytest

from .pages import DOCS

sys.path.insert(0, str(DOCS / "figures"))
import page_figures  # type: ignore[import-not-found]

NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?(?:e-?\d+)?")
ROUNDING = 1e-10  # below it a figure is one of rounding errors, which other machines make otherwise


def written() -> dict[str, str]:
    """Each figure as its page has it."""
    return {
        name: said for text in page_figures.pages().values() for _, name, said, _ in page_figures.MARKED.findall(text)
    }


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


@pytest.mark.parametrize("measure", page_figures.MEASURED, ids=lambda f: f.__name__)
@pytest.mark.slow
def test_pages_say_what_is_measured(measure) -> None:
    pages = written()
    for name, text in measure().items():
        if name not in pages:
            continue
        for found, said in zip(numbers(text), numbers(pages[name]), strict=True):
            if abs(said) < ROUNDING:
                assert abs(found) < 30 * abs(said), name
            else:
                assert found == pytest.approx(said, rel=0.06), name


def test_every_figure_has_a_text_and_a_name_of_its_own() -> None:
    marked = [name for text in page_figures.pages().values() for _, name, _, _ in page_figures.MARKED.findall(text)]
    assert len(marked) == len(set(marked)) > 20
    assert all(numbers(said) for said in written().values())
