"""One word for one thing: no two classes of nsdgen have one name, an underscore before it or not."""

from __future__ import annotations

import re

from .rooms import ROOT, sources

_CLASS = re.compile(r"^\s*(?:cdef\s+)?class\s+(\w+)", re.MULTILINE)


def test_no_two_classes_have_one_name():
    places: dict[str, list[str]] = {}
    for path in {p for p in sources() if p.suffix != ".pxd"}:  # which declares what a .pxi defines
        for name in _CLASS.findall(path.read_text(encoding="utf-8")):
            places.setdefault(name.lstrip("_"), []).append(str(path.relative_to(ROOT)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert not twice
