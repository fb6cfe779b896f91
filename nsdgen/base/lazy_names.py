"""Packages whose names are imported when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, homes: Mapping[str, str], groups: Mapping[str, Iterable[str]] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that knows, of each name, the module it lives in.

    A module whose own name stands for itself (``{"errors": "nsdgen.errors"}``) is the module. A name that is not there
    is an ``UnknownName`` that lists those there are, by ``groups`` where they have headings.
    """

    def getattr_(name: str) -> Any:
        if name not in homes:
            from nsdgen.base.suggest import absent

            raise absent(package, name, groups or sorted(homes))
        module = import_module(homes[name])
        value = getattr(module, name, module)
        setattr(sys.modules[package], name, value)
        return value

    def dir_() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return getattr_, dir_
