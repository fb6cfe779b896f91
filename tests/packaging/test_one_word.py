"""One word for one thing: no two classes of nsdgen have one name, and the figures of a room carry their reasons."""

from __future__ import annotations

import re

from .rooms import ROOT, sources

_CLASS = re.compile(r"^\s*(?:cdef\s+)?class\s+(\w+)", re.MULTILINE)
SHARED = {"Body", "Completion", "Loop", "Node", "Output", "Place", "Scope", "_Writer"}
"""Names that emit and interpret still share, with each other or with earlier rooms; this list may only get shorter."""


def test_no_two_classes_have_one_name():
    places: dict[str, list[str]] = {}
    for path in {p for p in sources() if p.suffix != ".pxd"}:  # which declares what a .pyx defines
        for name in _CLASS.findall(path.read_text(encoding="utf-8")):
            places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice.keys() <= SHARED, {name: twice[name] for name in twice.keys() - SHARED}
