"""The rooms of nsdgen, from what needs nothing to what needs all others, and who imports whom.

``python tests/packaging/rooms.py`` prints the rooms with their lines and the arrows between them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nsdgen

ROOT = Path(nsdgen.__file__).resolve().parent
ROOMS = (
    "errors",
    "base",
    "abi",
    "record",
    "symbolic",
    "schemes",
    "derive",
    "emit",
    "interpret",
    "build",
    "solvers",
    "runtime",
    "study",
    "analysis",
    "model",
    "extend",
    "verify",
    "cli",
    "__main__",
    "__init__",
)
"""A room is a folder or file at the top; it imports those before it. ``__init__`` imports when a name is asked for."""
_CIMPORT = re.compile(r"^\s*(?:from\s+(nsdgen[\w.]*)\s+c?import\b|c?import\s+(nsdgen[\w.]*))", re.MULTILINE)


def sources(*parts: str) -> list[Path]:
    """The Python and Cython files of a package of nsdgen."""
    return sorted(p for p in ROOT.joinpath(*parts).rglob("*") if p.suffix in (".py", ".pyx", ".pxi", ".pxd"))


@cache
def imported(path: Path) -> tuple[str, ...]:
    """The modules that a file imports, written out, also inside functions and for type checkers only."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from (first or second for first, second in _CIMPORT.findall(text))
        return
    package = ("nsdgen", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (start, node.module) if part)
            if module != "nsdgen":  # whose names are yielded alone
                yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if module.startswith("nsdgen"))


def module_of(path: Path) -> str:
    """``nsdgen.study.plot`` for its file, ``nsdgen.study`` for that of the package."""
    parts = ("nsdgen", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(path: Path) -> str:
    """The folder or file at the top of nsdgen to which a file belongs."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def rooms() -> set[str]:
    """The folders and files at the top of nsdgen."""
    return {
        room_of(path)
        for path in ROOT.iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
    }


def rooms_needed(path: Path) -> set[str]:
    """The other rooms that a file imports; what ``nsdgen`` itself offers counts as ``__init__``."""
    known = rooms()
    found = {(name.split(".") + ["__init__"])[1] for name in imported(path) if name.split(".")[0] == "nsdgen"}
    return {name if name in known else "__init__" for name in found} - {room_of(path)}


def arrows() -> dict[tuple[str, str], list[Path]]:
    """(room, room that it imports) and the files that do."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in sources():
        for needed in rooms_needed(path):
            found.setdefault((room_of(path), needed), []).append(path.relative_to(ROOT))
    return found


if __name__ == "__main__":
    between = arrows()
    for room in ROOMS:
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in sources() if room_of(path) == room)
        needed = ", ".join(to for to in ROOMS if (room, to) in between) or "nothing"
        print(f"{room:10} {lines:6} lines, imports {needed}")
    print(f"{len(rooms())} rooms, {len(between)} arrows")
