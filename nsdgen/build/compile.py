"""The whole way from a text to a shared object: key, cache, Cython, compiler.

``compile_source`` returns at once when the cache holds a sound entry. Otherwise it
translates and compiles in a folder of its own and publishes that folder whole.
"""

import hashlib
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nsdgen.base.processes import processors
from nsdgen.errors import CompileError, CompilerMissing

from .cache import KEY_LENGTH, LOG, Cache, file_hash, open_cache, write_json
from .compiler import COMPILER, FIX_KILLED, compiling, run_compiler, try_compiler, was_killed
from .cythonize import ToolRun, translate
from .failure import compile_error
from .flags import BuildOptions, compile_flags, cpu_identity, for_short_kernels, link_libraries
from .kernel_source import KernelSource
from .side_by_side import SplitText, take_apart
from .toolchain import Toolchain, extension_suffix, find_toolchain


def compile_source(
    source: KernelSource, *, options: BuildOptions | None = None, toolchain: Toolchain | None = None
) -> Path:
    """The shared object of a text, from the cache or built now.

    The folder of the result is named by the key; ``find_kernels`` finds it again.
    Raises ``CompilerMissing`` when a tool or the place for the result is missing, when the compiler can build no
    extension at all or was killed, ``CompileError`` when a tool refuses the text, and ``NotTrusted`` where others
    may write in the cache.
    """
    options = options or BuildOptions()
    toolchain = toolchain or find_toolchain()
    cache = open_cache(options.cache)
    key = kernel_key(source, toolchain, native=options.native, lanes=options.lanes)
    name = source.module + toolchain.suffix
    if found := cache.find(key, name):
        return found
    with cache.lock(key, options.patience):
        # Whoever held the lock has built it by now, as a rule.
        return cache.find(key, name) or _build(source, options, toolchain, cache, key)


def find_kernels(key: str, *, module: str = "_kernels", cache: Path | None = None) -> Path | None:
    """The shared object under a key, if a sound one for this Python is there.

    Needs neither text nor compiler: this is how a manifest's record is followed. Raises ``NotTrusted`` where
    others may write in the cache.
    """
    if not re.fullmatch(f"[0-9a-f]{{{KEY_LENGTH}}}", key):
        return None
    return open_cache(cache).find(key, module + extension_suffix())


def kernel_key(source: KernelSource, toolchain: Toolchain, *, native: bool = False, lanes: bool = False) -> str:
    """The name of a build: a hash of everything its result depends on."""
    parts = {
        "text": source.text,
        "module": source.module,
        "abi": _abi_header(),
        "cython": toolchain.cython_version,
        "compiler": toolchain.compiler_version,
        "command": toolchain.compiler,
        "flags": for_short_kernels(compile_flags(native, lanes=lanes, characters=source.compiled(lanes))),
        "libraries": link_libraries(),
        "suffix": toolchain.suffix,
        "machine": toolchain.machine,
        "cpu": cpu_identity() if native else "",
    }
    canonical = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:KEY_LENGTH]


def _abi_header() -> str:
    path = Path(__file__).resolve().parent.parent / "abi" / "include" / "nsdgen_abi.h"
    return path.read_text(encoding="utf-8")


def _build(source: KernelSource, options: BuildOptions, toolchain: Toolchain, cache: Cache, key: str) -> Path:
    cache.sweep()
    name = source.module + toolchain.suffix
    with cache.workspace() as folder:
        with cache.writing():
            (folder / f"{source.module}.pyx").write_bytes(source.text.encode())
        outcomes = _run_tools(source, options, toolchain, folder)
        record = _record(source, toolchain, key, outcomes)
        if outcomes[-1].ok:
            record["sha256"] = {file: file_hash(folder / file) for file in (name, f"{source.module}.pyx")}
        with cache.writing():
            write_json(folder / LOG, record)
        if outcomes[-1].ok:
            return cache.publish(folder, key, name)
        raise _failure(source, outcomes[-1], toolchain, cache, folder, key)


def _failure(
    source: KernelSource, outcome: ToolRun, toolchain: Toolchain, cache: Cache, folder: Path, key: str
) -> CompileError:
    """Why there is no shared object: the compiler cannot build any, was killed, or refuses this text."""
    if outcome.tool == COMPILER:
        if was_killed(outcome.log):
            return CompilerMissing(f"{toolchain.compiler[0]} did not end: {outcome.log.strip()}", fix=FIX_KILLED)
        try:
            with cache.workspace() as apart:
                try_compiler(toolchain, apart)
        except CompilerMissing as broken:
            return broken
    c_text = _read(folder / f"{source.module}.c")
    return compile_error(source, outcome, c_text, cache.keep_failure(folder, key))


def _run_tools(source: KernelSource, options: BuildOptions, toolchain: Toolchain, folder: Path) -> list[ToolRun]:
    """Run Cython, then the compiler if Cython succeeded; long kernels are compiled meanwhile."""
    flags = compile_flags(options.native, lanes=options.lanes, characters=source.compiled(options.lanes))
    parts = take_apart(source.text, processors())
    if parts.files and (outcomes := _run_together(source, parts, flags, toolchain, folder))[-1].ok:
        return outcomes
    whole = for_short_kernels(flags) if parts.short and not parts.files else flags
    return _translate_and_compile(source, whole, toolchain, folder)  # at once, where nothing is known of parts


def _run_together(
    source: KernelSource, parts: SplitText, flags: tuple[str, ...], toolchain: Toolchain, folder: Path
) -> list[ToolRun]:
    """Cython beside as many compilers as there are parts, in a folder that is gone afterwards."""
    names = [f"part_{n}.c" for n in range(len(parts.files))]
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        apart = Path(beside)
        for name, text in zip((f"{source.module}.pyx", *names), (parts.text, *parts.files), strict=True):
            (apart / name).write_bytes(text.encode())
        with compiling(toolchain, flags, names, apart) as finished:
            outcomes = _translate_and_compile(source, for_short_kernels(flags), toolchain, apart, finished)
        if outcomes[-1].ok:
            for file in (f"{source.module}.c", source.module + toolchain.suffix):
                (apart / file).replace(folder / file)
    return outcomes


def _translate_and_compile(
    source: KernelSource,
    flags: tuple[str, ...],
    toolchain: Toolchain,
    folder: Path,
    finished: Callable[[], tuple[str, ...]] | None = None,
) -> list[ToolRun]:
    """Cython on the text in a folder, then the compiler on what it made, with the object files that are finished."""
    outcomes = [translate(folder / f"{source.module}.pyx")]
    if outcomes[0].ok:
        shared = source.module + toolchain.suffix
        outcomes.append(run_compiler(toolchain, flags, f"{source.module}.c", shared, folder, finished))
    return outcomes


def _record(source: KernelSource, toolchain: Toolchain, key: str, outcomes: list[ToolRun]) -> dict[str, Any]:
    """What ``log.json`` tells: how the entry was made, and what the tools said."""
    return {
        "model": source.model,
        "module": source.module,
        "key": key,
        "cython": toolchain.cython_version,
        "compiler": toolchain.compiler_version,
        "machine": toolchain.machine,
        "steps": [
            {
                "tool": outcome.tool,
                "command": outcome.command,
                "ok": outcome.ok,
                "seconds": round(outcome.seconds, 4),
                "messages": outcome.log,
            }
            for outcome in outcomes
        ],
    }


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
