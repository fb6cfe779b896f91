"""Kernels that can be called, of a text: compiled where that is possible, else interpreted."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsdgen.errors import CompilerMissing, KernelsInterpreted, ModuleMismatch

from .compile import compile_source
from .flags import BuildOptions
from .kernel_source import Source
from .loader import load_module

__all__ = ["Kernels", "make_kernels"]


@dataclass(frozen=True)
class Kernels:
    """An object with the capsule of a module, and the shared object that it was loaded from.

    Interpreted kernels have none, and run in the register machine of :mod:`nsdgen.interpret`.
    """

    module: Any
    shared_object: Path | None = None


def make_kernels(source: Source, *, interpret: bool | None = None, options: BuildOptions | None = None) -> Kernels:
    """The kernels of a text, ready to be called.

    ``interpret`` says whether they are interpreted or compiled; None: compiled, or interpreted where a compiler, its
    headers, Cython or a place for the result is missing, where the compiler can build no extension, or where this
    Python refuses what it built; a ``KernelsInterpreted`` warning says so once. Raises what :func:`compile_source`
    and :func:`load_module` raise otherwise, and ``ModuleMismatch`` where the text cannot be interpreted.
    """
    if not interpret:
        try:
            path = compile_source(source, options=options)
            return Kernels(load_module(path), path)
        except (CompilerMissing, ModuleMismatch) as missing:
            if interpret is not None:
                raise
            warnings.warn(
                f"kernels are interpreted, not compiled: {missing.message}. The numbers are the same, an evaluation "
                f"takes two to five times as long. To compile: {missing.fix}", KernelsInterpreted, stacklevel=2)
    from nsdgen.interpret.kernels import interpret as interpreted

    return Kernels(interpreted(source.text))
