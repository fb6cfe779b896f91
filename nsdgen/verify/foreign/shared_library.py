"""C text to a shared library, with the compiler that nsdgen uses for its own kernels."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from nsdgen.build.cache import KEY_LENGTH, LOG, file_hash, open_cache, write_json
from nsdgen.build.compiler import run_in
from nsdgen.build.flags import compile_flags, link_libraries
from nsdgen.build.toolchain import compiler_version, find_compiler
from nsdgen.errors import CompileError

_SOURCE, _LIBRARY = "source.c", "library.so"  # beside each other: the one tells numbers and prototypes of the other


def build_library(text: str, *, flags: Sequence[str] = (), cache: Path | None = None) -> Path:
    """The shared library of a C text, built once and kept in nsdgen's cache.

    The key is the text, the compiler and the flags. Raises ``CompilerMissing`` without a compiler,
    ``CompileError`` with the compiler's words when it refuses the text.
    """
    compiler, store = find_compiler(), open_cache(cache)
    command = [*compiler, *compile_flags(), *flags]
    parts = json.dumps([text, compiler_version(compiler), command[1:]])
    key = hashlib.sha256(parts.encode()).hexdigest()[:KEY_LENGTH]
    if found := store.find(key, _LIBRARY):
        return found
    with store.workspace() as folder:
        with store.writing():
            (folder / _SOURCE).write_text(text, encoding="utf-8")
        ok, log = run_in(folder, (*command, "-o", _LIBRARY, _SOURCE, *link_libraries()))
        if not ok:
            kept = store.keep_failure(folder, key)
            error = CompileError(
                "the compiler refused the C text:\n" + "\n".join(log.splitlines()[:12]),
                where=str(kept / _SOURCE),
                fix="correct the lines named above",
            )
            error.log, error.path = log, str(kept)
            raise error
        with store.writing():
            write_json(folder / LOG, {"sha256": {name: file_hash(folder / name) for name in (_SOURCE, _LIBRARY)}})
        return store.publish(folder, key, _LIBRARY)
