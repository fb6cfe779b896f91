"""Entrances to what only compiled code calls: made of ``_entrances.pyx`` at the first use, once for all processes."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from nsdgen.build.compiler import run_in
from nsdgen.build.cythonize import translate
from nsdgen.build.flags import compile_flags, link_libraries
from nsdgen.build.loader import import_extension
from nsdgen.build.lock import held
from nsdgen.build.toolchain import find_toolchain

SOURCE = Path(__file__).with_name("_entrances.pyx")


@cache
def _compiled() -> ModuleType:
    folder = Path(os.environ["NSDGEN_CACHE"], SOURCE.stem)
    library = folder / f"{SOURCE.stem}.so"
    with held(folder / "lock", patience=300.0):
        if not library.exists():
            copy = Path(shutil.copy(SOURCE, folder))
            translated = translate(copy)
            assert translated.ok, translated.log
            tools = find_toolchain()
            command = (*tools.compiler, *compile_flags(), "-O1", *(f"-I{p}" for p in tools.includes), f"{copy.stem}.c")
            ok, log = run_in(folder, (*command, "-o", "made.so", *link_libraries()))
            assert ok, log
            (folder / "made.so").rename(library)
    return import_extension(library, SOURCE.stem)


def sparse_factors(*arguments: Any) -> Any:
    """``SparseFactors``: the sparse LU of iteration matrices."""
    return _compiled().SparseFactors(*arguments)


def solved_along_tree(*arguments: Any) -> Any:
    """A^-1 b along a tree."""
    return _compiled().solved_along_tree(*arguments)


def solve_local(*arguments: Any) -> float:
    """The residual of one contact."""
    return float(_compiled().solve_local(*arguments))


def solve_body_contacts(*arguments: Any, **options: Any) -> tuple[float, int, int, int]:
    """Contacts of bodies, in the velocities of bodies."""
    found: tuple[float, int, int, int] = _compiled().solve_body_contacts(*arguments, **options)
    return found
