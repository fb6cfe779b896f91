"""One word for one thing: no two classes, structs or enumerations have one name, an underscore before it or not."""

from __future__ import annotations

import re

from .rooms import ROOT, sources

_CLASS = re.compile(r"^\s*(?:cdef\s+)?class\s+(\w+)", re.MULTILINE)
_STRUCT = re.compile(r"^(?:cdef|ctypedef) (?:struct|enum|union) (\w+)", re.MULTILINE)
# What is public by this name, and what the runtime makes of it; a shape is one of a body or of a matrix.
OF_BOTH = {"Block", "Coupling", "Events", "Repeat", "Shape"}


def test_no_two_classes_have_one_name():
    places: dict[str, list[str]] = {}
    for path in sources():
        text = path.read_text(encoding="utf-8")
        classes = [] if path.suffix == ".pxd" else _CLASS.findall(text)  # a .pxd declares what a .pxi defines
        for name in [*classes, *_STRUCT.findall(text)]:
            places.setdefault(name.lstrip("_"), []).append(str(path.relative_to(ROOT)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice.keys() == OF_BOTH
