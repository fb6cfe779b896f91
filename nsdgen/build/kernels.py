"""Kernels that can be called, of a text: compiled where that is possible, else interpreted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsdgen.errors import CompilerMissing, ModuleMismatch, NsdgenError

from .beside import Builder, Underway
from .compile import compile_source, find_kernels, kernel_key
from .failure import say_interpreted
from .flags import BuildOptions
from .kernel_source import KernelSource
from .loader import load_module
from .toolchain import find_toolchain


@dataclass(frozen=True)
class Kernels:
    """An object with the capsule of a module, and the shared object that it was loaded from.

    Interpreted kernels have none, and run in the register machine of :mod:`nsdgen.interpret`; ``underway`` is the build
    that will take their place.
    """

    module: Any
    shared_object: Path | None = None
    underway: Underway | None = None


def make_kernels(
    source: KernelSource,
    *,
    interpret: bool | None = None,
    options: BuildOptions | None = None,
    beside: Builder | None = None,
) -> Kernels:
    """The kernels of a text, ready to be called.

    ``interpret`` says whether they are interpreted or compiled; None: compiled, or interpreted where a compiler, its
    headers, Cython or a place for the result is missing, where the compiler can build no extension, or where this
    Python refuses what it built; a ``KernelsInterpreted`` warning says so once. With ``beside`` kernels that are not
    in the cache are interpreted until they are compiled there. Raises what :func:`compile_source` and
    :func:`load_module` raise otherwise, and ``ModuleMismatch`` where the text cannot be interpreted.
    """
    if not interpret:
        try:
            if beside is not None and (at_once := _at_once(source, options or BuildOptions(), beside)):
                return at_once
            path = compile_source(source, options=options)
            return Kernels(load_module(path), path)
        except (CompilerMissing, ModuleMismatch) as missing:
            if interpret is not None:
                raise
            say_interpreted(missing)
    return Kernels(_interpreted(source))


def _interpreted(source: KernelSource) -> Any:
    # Imported late: what is compiled needs no register machine.
    from nsdgen.interpret.interpreted_module import interpret

    return interpret(source.text)


def _at_once(source: KernelSource, options: BuildOptions, beside: Builder) -> Kernels | None:
    """Interpreted kernels, compiled ones underway; None where these are in the cache, or the text must be compiled."""
    toolchain = find_toolchain()
    key = kernel_key(source, toolchain, native=options.native, lanes=options.lanes)
    if find_kernels(key, module=source.module, cache=options.cache):
        return None
    underway = beside.build(source, options, toolchain)
    try:
        return None if underway is None else Kernels(_interpreted(source), underway=underway)
    except NsdgenError:  # an edited text, or too many interpreted kernels: the build is waited for
        return None
