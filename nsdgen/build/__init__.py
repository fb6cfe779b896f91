"""From emitted text to a loaded module: compiler, flags, cache.

======================  =============================================================
file                    what it does
======================  =============================================================
``source.py``           the text to compile, and the model quantity behind each line
``flags.py``            what is asked of the compiler, and of the build
``toolchain.py``        which compiler, headers and Cython are there
``translate.py``        Cython, in this process, with its messages captured
``compiler.py``         the C compiler on files, and whether it works at all
``side_by_side.py``     long kernels in files of their own, compiled at once
``beside.py``           a process that compiles while this one interprets
``compile.py``          the whole way: key, cache, Cython, compiler, publication
``failure.py``          what is said when a tool refuses the text
``cache.py``            the store of kernels; ``lock.py`` saves duplicate work in it
``manifest.py``         the store that spares deriving a model again
``ownership.py``        who may have written what is loaded
``loader.py``           a shared object into a module
``kernels.py``          compiled where that is possible, else interpreted
``doctor.py``           what is missing on this machine, and how to get it
======================  =============================================================

Input: a ``Source`` (from ``emit``). Output: the path of a shared object, and the
module in it. Nothing here knows what the kernels compute. Names are loaded when they
are first used, so that ``import nsdgen.build`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .beside import UNATTENDED, Beside, Builder, Underway
    from .cache import Cache, cache_root, open_cache
    from .compile import compile_source, find_kernels, kernel_key
    from .doctor import Finding, examine, report
    from .failure import say_interpreted
    from .flags import BuildOptions
    from .kernel_source import Source
    from .kernels import Kernels, make_kernels
    from .loader import load_module
    from .manifest import lookup, manifest_key, store
    from .ownership import check_place
    from .toolchain import Toolchain, find_toolchain

__all__ = [
    "UNATTENDED",
    "Beside",
    "BuildOptions",
    "Builder",
    "Cache",
    "Finding",
    "Kernels",
    "Source",
    "Toolchain",
    "Underway",
    "cache_root",
    "check_place",
    "compile_source",
    "examine",
    "find_kernels",
    "find_toolchain",
    "kernel_key",
    "load_module",
    "lookup",
    "make_kernels",
    "manifest_key",
    "open_cache",
    "report",
    "say_interpreted",
    "store",
]

_HOMES = {
    "Beside": "beside",
    "Builder": "beside",
    "BuildOptions": "flags",
    "Cache": "cache",
    "Finding": "doctor",
    "Kernels": "kernels",
    "Source": "kernel_source",
    "Toolchain": "toolchain",
    "UNATTENDED": "beside",
    "Underway": "beside",
    "cache_root": "cache",
    "check_place": "ownership",
    "compile_source": "compile",
    "examine": "doctor",
    "find_kernels": "compile",
    "find_toolchain": "toolchain",
    "kernel_key": "compile",
    "load_module": "loader",
    "lookup": "manifest",
    "make_kernels": "kernels",
    "manifest_key": "manifest",
    "open_cache": "cache",
    "report": "doctor",
    "say_interpreted": "failure",
    "store": "manifest",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        from nsdgen.base.suggest import absent

        raise absent(__name__, name, __all__)
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
