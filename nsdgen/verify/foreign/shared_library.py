"""C text to a shared library, with the compiler that nsdgen uses for its own kernels."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path

from nsdgen.build.cache import open_cache
from nsdgen.build.flags import compile_flags, link_libraries
from nsdgen.build.toolchain import compiler_version, find_compiler
from nsdgen.errors import CompileError


def build_library(text: str, *, flags: Sequence[str] = (), cache: Path | None = None) -> Path:
    """The shared library of a C text, built once and kept in nsdgen's cache.

    The key is the text, the compiler and the flags. Raises ``CompilerMissing`` without a compiler,
    ``CompileError`` with the compiler's words when it refuses the text.
    """
    compiler = find_compiler()
    command = [*compiler, *compile_flags(), *flags]
    parts = json.dumps([text, compiler_version(compiler), command[1:]])
    folder = open_cache(cache).root / "foreign" / hashlib.sha256(parts.encode()).hexdigest()[:32]
    library = folder / "library.so"
    if library.is_file():
        return library
    store = open_cache(cache)
    with store.writing():
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "source.c"
        source.write_text(text, encoding="utf-8")
    unfinished = folder / f"library-{os.getpid()}-{secrets.token_hex(4)}.tmp"
    done = subprocess.run(
        [*command, "-o", str(unfinished), str(source), *link_libraries()],
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        unfinished.unlink(missing_ok=True)
        error = CompileError(
            "the compiler refused the C text:\n" + "\n".join(done.stderr.splitlines()[:12]),
            where=str(source),
            fix="correct the lines named above",
        )
        error.log, error.path = done.stderr, str(folder)
        raise error
    os.replace(unfinished, library)
    return library
