"""Patterns of names, ``*`` for any text, and names near to one: in time that grows with the texts, never faster."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

_LONGEST, _MOST = 200, 2000  # of a name that others are compared with, in characters; of these


def fits(pattern: str, text: str) -> bool:
    """Whether a text is the pattern, each ``*`` in it replaced by some text, perhaps none."""
    first, *others = pattern.split("*")
    if not others:
        return pattern == text
    *middle, last = others
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:  # the first place is as good as any: what follows has most room
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def near(word: str, known: Iterable[str], count: int = 3, cutoff: float = 0.6) -> list[str]:
    """The known names most like a word, best first; none for a word longer than any sane name."""
    if len(word) > _LONGEST:
        return []
    return get_close_matches(word, [k for k in islice(known, _MOST) if len(k) <= _LONGEST], count, cutoff)
