"""``nsdgen --version``: what it is, what it was built with, and what it runs on."""

import argparse
import importlib.metadata
import platform
import sys
from typing import Any

from nsdgen.base._built import built_with
from nsdgen.base.version import VERSION

_RUNS_ON = ("numpy", "scipy", "sympy", "cython")


def version_text() -> str:
    """The version of nsdgen in the first line; then what built it, and the versions of what is imported."""
    built = ", ".join(f"{name} {version}" for name, version in built_with().items())
    here = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _RUNS_ON)
    return (
        f"nsdgen {VERSION}\n"
        f"  built with  {built}\n"
        f"  runs on     Python {platform.python_version()}, {here}\n"
        f"  machine     {sys.platform}-{platform.machine()}"
    )


class ShowVersion(argparse.Action):
    """Prints it and ends; nothing is looked up before somebody asks."""

    def __init__(self, option_strings: Any, dest: str, **keywords: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **keywords)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(version_text())
        parser.exit()
