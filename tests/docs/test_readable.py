"""Pages are readable aloud: few sentences are long."""

from __future__ import annotations

import re

from .pages import pages, prose

LONG, SHARE = 30, 0.08
READ = [page for page in pages() if page.startswith(("tutorials/", "how-to/", "reference/", "explanation/"))]


def sentences(text: str) -> list[str]:
    """The sentences of a text without its tables, headings and pictures; a code span counts as a word."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=[*|#-] ?)", text):
        if not paragraph.lstrip().startswith(("|", "#", "![")):
            plain = re.sub(r"`[^`]*`", "Code", re.sub(r"\]\([^)]*\)", "]", paragraph))
            found += re.split(r"(?<=[.!?:])\s+(?=[A-Z0-9Α-Ωα-ω*`\[(|])", " ".join(plain.split()))
    return [sentence for sentence in found if sentence.strip()]


def test_few_sentences_are_long() -> None:
    read = [sentence for page in READ for sentence in sentences(prose(page))]
    long = [sentence for sentence in read if len(sentence.split()) > LONG]
    assert len(long) <= SHARE * len(read), f"{len(long)} of {len(read)}; the longest: {max(long, key=len)}"
