"""The functions that a shared library exports, read from its ELF tables: no tool of the system is needed."""

from __future__ import annotations

import struct
from pathlib import Path

from nsdgen.errors import ParameterError

_DYNSYM = 11  # SHT_DYNSYM of the ELF format: the section of exported symbols
_FUNCTION, _GLOBAL, _WEAK = 2, 1, 2
_LINKER = {"_init", "_fini"}


def exported_functions(library: Path) -> tuple[str, ...]:
    """Names of the functions that a 64-bit ELF library defines and exports, sorted.

    Raises ``ParameterError`` for a file that is missing or no such library.
    """
    try:
        content = library.read_bytes()
    except OSError as error:
        raise ParameterError(
            f"the library cannot be read: {error.strerror}",
            where=str(library),
            fix="give the path of a shared library, such as ./plugin.so",
        ) from error
    if content[:5] != b"\x7fELF\x02" or len(content) < 64:
        raise ParameterError(
            "the file is no 64-bit ELF shared library",
            where=str(library),
            fix="compile the plugin with -shared -fPIC, and give the .so",
        )
    try:
        return tuple(sorted(_functions(content) - _LINKER))
    except (struct.error, IndexError, ValueError) as error:
        raise ParameterError(
            "the tables of the library are damaged", where=str(library), fix="build it again"
        ) from error


def _functions(content: bytes) -> set[str]:
    order = "<" if content[5] == 1 else ">"
    (start,) = struct.unpack_from(order + "Q", content, 40)
    size, count = struct.unpack_from(order + "HH", content, 58)
    # A section: name, type, flags, address, offset, size, link, info, alignment, size of an entry.
    sections = [struct.unpack_from(order + "IIQQQQIIQQ", content, start + k * size) for k in range(count)]
    found = set()
    for section in sections:
        if section[1] != _DYNSYM:
            continue
        names = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], section[9]):
            name, info, other, place = struct.unpack_from(order + "IBBH", content, at)
            if info & 15 == _FUNCTION and info >> 4 in (_GLOBAL, _WEAK) and place and other & 3 in (0, 3):
                end = content.index(b"\0", names + name)
                found.add(content[names + name : end].decode("utf-8", "replace"))
    return found
